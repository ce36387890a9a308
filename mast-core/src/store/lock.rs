//! The run lock: one index run at a time on a state directory.
//!
//! The lock of `structure.lock`. Lock order: run lock, then database transaction. Readers and single-file refreshes take
//! only the transaction.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::lock_file::{self, LockFile};
use crate::error::{Error, Result};

const FILE_NAME: &str = "structure.lock";
const POLL: Duration = Duration::from_millis(20);

/// Who holds a lock, as its holder wrote it. A hint: only the lock itself proves anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// What the process is doing.
    pub operation: String,
    /// Since when, RFC 3339 in UTC.
    pub started_at: String,
}

/// The held run lock; released when dropped.
#[derive(Debug)]
pub struct RunLock {
    _file: LockFile,
}

impl RunLock {
    /// Takes the lock, waiting at most `patience`; [`Error::Busy`] names the holder.
    pub fn acquire(state_dir: &Path, operation: &str, patience: Duration) -> Result<Self> {
        let path = state_dir.join(FILE_NAME);
        // The TypeScript releases locked by making a directory of this name.
        if path.is_dir() {
            fs::remove_dir_all(&path).map_err(|e| Error::io(&path, e))?;
        }
        let deadline = Instant::now() + patience;
        let lock = loop {
            if let Some(lock) = LockFile::try_lock(&path)? {
                break lock;
            }
            if Instant::now() >= deadline {
                return Err(Error::Busy(busy_message(read_holder(&path).as_ref())));
            }
            std::thread::sleep(POLL);
        };
        write_holder(lock.file(), operation).map_err(|e| Error::io(&path, e))?;
        Ok(Self { _file: lock })
    }
}

/// Whether a run holds the lock now, in this process or another.
pub fn is_run_under_way(state_dir: &Path) -> bool {
    lock_file::is_locked(&state_dir.join(FILE_NAME))
}

fn busy_message(holder: Option<&Holder>) -> String {
    match holder {
        Some(h) => {
            format!(
                "the index is being written by process {} ({}, since {}); try again shortly",
                h.pid, h.operation, h.started_at
            )
        }
        None => "the index is being written by another process; try again shortly".into(),
    }
}

fn read_holder(path: &Path) -> Option<Holder> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

fn write_holder(mut file: &File, operation: &str) -> std::io::Result<()> {
    let holder = Holder {
        pid: std::process::id(),
        operation: operation.into(),
        started_at: jiff::Timestamp::now().to_string(),
    };
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    serde_json::to_writer(&mut file, &holder)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_refuses_and_names_its_holder() {
        let dir = tempfile::tempdir().unwrap();
        let held = RunLock::acquire(dir.path(), "index", Duration::ZERO).unwrap();
        let refusal = RunLock::acquire(dir.path(), "index", Duration::from_millis(30)).unwrap_err();
        let expected = format!("the index is being written by process {} (index, since", std::process::id());
        assert!(matches!(&refusal, Error::Busy(m) if m.starts_with(&expected)), "{refusal}");
        assert!(is_run_under_way(dir.path()));
        drop(held);
        assert!(!is_run_under_way(dir.path()), "the file is still there, the run is not");
        assert!(RunLock::acquire(dir.path(), "index", Duration::ZERO).is_ok());
    }

    #[test]
    fn a_lock_directory_of_an_older_release_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(FILE_NAME)).unwrap();
        assert!(RunLock::acquire(dir.path(), "index", Duration::ZERO).is_ok());
    }
}
