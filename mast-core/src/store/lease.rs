//! The writer lease: of several servers on one state directory, one watches and keeps the index up to date.
//!
//! The lock of `serve.lock`, held as long as the server lives. Who holds it stands in a file beside it: where locks are
//! mandatory, nobody else can read the locked file.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lock_file::{self, LockFile};
use super::schema::SCHEMA_VERSION;
use super::write_atomic;
use crate::error::{Error, Result};

const LOCK: &str = "serve.lock";
const HOLDER: &str = "serve.json";

/// The server that holds the lease, as it wrote itself down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseHolder {
    /// Its process id.
    pub pid: u32,
    /// When it took the lease, RFC 3339 in UTC.
    pub started_at: String,
    /// Its version.
    pub mast_version: String,
    /// Its index schema version.
    pub schema_version: String,
}

/// The held lease; given back when dropped.
#[derive(Debug)]
pub struct Lease {
    holder: LeaseHolder,
    file: PathBuf,
    lock: LockFile,
}

impl Lease {
    /// Takes the lease of `state_dir`; `None` when another server holds it. The state directory is created.
    pub fn try_acquire(state_dir: &Path) -> Result<Option<Self>> {
        fs::create_dir_all(state_dir).map_err(|e| Error::io(state_dir, e))?;
        let Some(lock) = LockFile::try_lock(&state_dir.join(LOCK))? else { return Ok(None) };
        let holder = LeaseHolder {
            pid: std::process::id(),
            started_at: jiff::Timestamp::now().to_string(),
            mast_version: env!("CARGO_PKG_VERSION").into(),
            schema_version: SCHEMA_VERSION.into(),
        };
        let json = serde_json::to_vec(&holder).map_err(|e| Error::Internal(e.to_string()))?;
        let file = state_dir.join(HOLDER);
        write_atomic(&file, &json)?;
        Ok(Some(Self { holder, file, lock }))
    }

    /// This server, as others see it.
    #[must_use]
    pub fn holder(&self) -> &LeaseHolder {
        &self.holder
    }

    /// Whether it is still worth something: not when the state directory was removed, whoever made another since.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.lock.is_in_place()
    }

    /// The server that holds the lease of `state_dir`; `None` when nobody does. Changes nothing.
    #[must_use]
    pub fn holder_of(state_dir: &Path) -> Option<LeaseHolder> {
        // What is written is of a server that may be gone; only the lock proves that it lives.
        if !lock_file::is_locked(&state_dir.join(LOCK)) {
            return None;
        }
        serde_json::from_slice(&fs::read(state_dir.join(HOLDER)).ok()?).ok()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Still under the lock. What cannot be removed is told from a living holder by the lock, and what lies in a
        // state directory that was made since is another server's.
        if self.is_valid() {
            let _ = fs::remove_file(&self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_holds_the_lease_and_the_next_takes_it_over() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Lease::holder_of(dir.path()), None);
        let first = Lease::try_acquire(dir.path()).unwrap().unwrap();
        assert_eq!(first.holder().pid, std::process::id());
        assert_eq!(Lease::holder_of(dir.path()).as_ref(), Some(first.holder()));
        assert!(Lease::try_acquire(dir.path()).unwrap().is_none());
        drop(first);
        assert_eq!(Lease::holder_of(dir.path()), None);
        assert!(Lease::try_acquire(dir.path()).unwrap().is_some());
    }

    #[test]
    fn a_lease_of_a_removed_directory_is_worth_nothing_and_takes_nothing_away() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let first = Lease::try_acquire(&state).unwrap().unwrap();
        assert!(first.is_valid());
        fs::remove_dir_all(&state).unwrap();
        assert!(!first.is_valid());
        let second = Lease::try_acquire(&state).unwrap().unwrap();
        drop(first);
        assert_eq!(Lease::holder_of(&state).as_ref(), Some(second.holder()));
    }

    #[test]
    fn what_a_dead_server_wrote_is_no_holder() {
        let dir = tempfile::tempdir().unwrap();
        drop(Lease::try_acquire(dir.path()).unwrap());
        let dead = r#"{"pid":1,"started_at":"2026-01-01T00:00:00Z","mast_version":"1.0.0","schema_version":"2.0.0"}"#;
        fs::write(dir.path().join(HOLDER), dead).unwrap();
        assert_eq!(Lease::holder_of(dir.path()), None);
    }
}
