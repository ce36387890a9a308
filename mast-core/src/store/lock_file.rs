//! A file that is locked for as long as something is done, by an advisory lock of the operating system: it ends with the
//! process that holds it. The file stays when the lock is given back: removing it would let two processes lock two
//! different files of one name. Others may remove it all the same, with the state directory; its holder can tell.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::error::{Error, Result};

/// A locked file; given back when dropped.
#[derive(Debug)]
pub(super) struct LockFile {
    path: PathBuf,
    handle: Handle,
}

impl LockFile {
    /// Takes the lock; `None` when another holds it. The file is created, its directory is not.
    pub(super) fn try_lock(path: &Path) -> Result<Option<Self>> {
        let failed = |e| Error::Disk(format!("{}: {e}", path.display()));
        loop {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
            let handle = file.and_then(Handle::from_file).map_err(failed)?;
            if let Err(refusal) = fs2::FileExt::try_lock_exclusive(handle.as_file()) {
                return if is_contended(&refusal) { Ok(None) } else { Err(failed(refusal)) };
            }
            let locked = Self { path: path.to_path_buf(), handle };
            // Between opening and locking it may have been removed, and another process may have locked its successor.
            if locked.is_in_place() {
                return Ok(Some(locked));
            }
        }
    }

    /// Whether the locked file still has its name: when it was removed or replaced, the lock keeps nobody out.
    pub(super) fn is_in_place(&self) -> bool {
        Handle::from_path(&self.path).is_ok_and(|there| there == self.handle)
    }

    /// The file, to say in it who holds it.
    pub(super) fn file(&self) -> &File {
        self.handle.as_file()
    }
}

/// Whether somebody holds the lock of `path`, in this process or another. Changes nothing.
pub(super) fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    // A lock nobody holds can be shared; it is given back when the file is closed.
    fs2::FileExt::try_lock_shared(&file).is_err_and(|refusal| is_contended(&refusal))
}

fn is_contended(refusal: &std::io::Error) -> bool {
    refusal.kind() == fs2::lock_contended_error().kind()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_lock_whose_file_was_removed_keeps_nobody_out_and_knows_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let first = LockFile::try_lock(&path).unwrap().unwrap();
        assert!(first.is_in_place());
        assert!(LockFile::try_lock(&path).unwrap().is_none());
        fs::remove_file(&path).unwrap();
        assert!(!first.is_in_place(), "removed");
        let second = LockFile::try_lock(&path).unwrap().unwrap();
        assert!(!first.is_in_place(), "replaced");
        assert!(second.is_in_place());
        drop(first);
        assert!(is_locked(&path), "the second is still held");
        drop(second);
        assert!(!is_locked(&path));
    }
}
