//! A change to one file, planned first and carried out later, so that a dry run and a check are the same plan.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, process};

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileEdit {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it holds now; `None` when it does not exist.
    pub(crate) before: Option<String>,
    /// What it shall hold; `None` when it shall not exist.
    pub(crate) after: Option<String>,
}

impl FileEdit {
    /// Whether anything is to do.
    pub(crate) fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// One word for what is done: `create`, `update`, `delete` or `keep`.
    pub(crate) fn verb(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, Some(_)) => "create",
            (Some(_), None) => "delete",
            _ if self.is_change() => "update",
            _ => "keep",
        }
    }

    /// Why the change cannot be made, as far as that shows without making it.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !self.is_change() {
            return Ok(());
        }
        let target = destination(&self.path).map_err(|error| self.failed(&error))?;
        let is_read_only = fs::metadata(&target).is_ok_and(|metadata| metadata.permissions().readonly());
        if is_read_only {
            return Err(
                self.failed(&io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"))
            );
        }
        let above = target.ancestors().skip(1).find(|above| above.exists());
        if above.is_some_and(|above| !above.is_dir()) {
            return Err(self.failed(&io::ErrorKind::NotADirectory.into()));
        }
        Ok(())
    }

    /// Carries the change out; a file that stays as it is is not opened.
    pub(crate) fn carry_out(&self) -> Result<(), String> {
        self.check()?;
        if !self.is_change() {
            return Ok(());
        }
        let done = destination(&self.path).and_then(|target| match &self.after {
            Some(text) => write(&target, text),
            None => fs::remove_file(target),
        });
        done.map_err(|error| self.failed(&error))
    }

    /// Takes away the directories between `base` and the file that are empty now that it is deleted, unless `keep` is among
    /// them. A directory that cannot be removed stays: it is not empty, or not ours to remove.
    pub(crate) fn clear_away(&self, base: &Path, keep: &[PathBuf]) {
        if self.after.is_some() {
            return;
        }
        for directory in self.path.ancestors().skip(1) {
            let is_between = directory.starts_with(base) && directory != base;
            if !is_between || keep.iter().any(|kept| kept == directory) || fs::remove_dir(directory).is_err()
            {
                return;
            }
        }
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("cannot write {}: {error}", self.path.display())
    }
}

/// The text of `path`, or `None` when there is no such file. The error is a whole line.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    let failed = |error: io::Error| format!("cannot read {}: {error}", path.display());
    // Opening a pipe would wait for its other end.
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(format!("{} is not a regular file; it was left as it is", path.display()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(format!("{} is not valid UTF-8; it was left as it is", path.display())),
    }
}

/// `path` with links resolved, without the prefix Windows puts before such paths, which shells do not take.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let resolved = fs::canonicalize(path)?;
    let plain = resolved.to_str().and_then(|text| text.strip_prefix(r"\\?\")).map(PathBuf::from);
    Ok(plain.filter(|path| path.is_absolute()).unwrap_or(resolved))
}

/// The file that is written when `path` is: the one it leads to when it is a symbolic link, which need not exist as long
/// as its directory does.
fn destination(path: &Path) -> io::Result<PathBuf> {
    // As many as the operating system follows.
    const MAX_LINKS: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else {
            let is_lost = target != path && target.parent().is_none_or(|parent| !parent.is_dir());
            return if is_lost {
                let message = format!("it is a link to {}, where there is no directory", target.display());
                Err(io::Error::new(io::ErrorKind::NotFound, message))
            } else {
                Ok(target)
            };
        };
        target = directory_of(&target).join(next);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The directory `path` lies in.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Replaces the file in one step: a reader sees the old text or the new one. Permissions are kept.
fn write(target: &Path, text: &str) -> io::Result<()> {
    let directory = directory_of(target);
    fs::create_dir_all(directory)?;
    let permissions = fs::metadata(target).ok().map(|metadata| metadata.permissions());
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = directory.join(format!(".{name}.{}.tmp", process::id()));
    let written = (|| {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Some(permissions) = permissions {
            fs::set_permissions(&temporary, permissions)?;
        }
        fs::rename(&temporary, target)
    })();
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}
