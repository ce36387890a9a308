//! Starting from a prebuilt index: a state directory made elsewhere, in an image for instance, is copied once.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::schema::SCHEMA_VERSION;
use super::{Condition, IndexStamp, RunLock, Store, write_atomic};
use crate::error::{Error, Result};

/// Files of a state directory that hold the index. The configuration and the locks stay where they are.
const DATABASE: &str = "graph.db";
const MANIFEST: &str = "file_manifest.json";

impl Store {
    /// Copies the index in `seed` into this state directory when nothing was ever indexed here; `false` when something
    /// was. The stamp comes last, so a copy that is cut short is no index.
    ///
    /// # Errors
    /// The seed was built with another schema, holds an unfinished write-ahead log, or cannot be copied; the state
    /// directory is as empty as before.
    pub fn adopt_seed(&self, seed: &Path) -> Result<bool> {
        if self.condition() != Condition::Missing {
            return Ok(false);
        }
        let Some(stamp) = IndexStamp::read(seed)? else {
            return Err(Error::NoIndex { state_dir: seed.to_path_buf() });
        };
        if stamp.schema_version != SCHEMA_VERSION {
            return Err(Error::IndexVersion(format!(
                "it was built with schema {}, this mast reads {SCHEMA_VERSION}",
                stamp.schema_version
            )));
        }
        let log = seed.join("graph.db-wal");
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(Error::Store(format!("{} was not folded into the database", log.display())));
        }
        fs::create_dir_all(self.dir()).map_err(|e| Error::io(self.dir(), e))?;
        let _lock = RunLock::acquire(self.dir(), "seed", Duration::from_secs(5))?;
        if self.condition() != Condition::Missing {
            return Ok(false);
        }
        copy(seed, self.dir(), DATABASE)?;
        if seed.join(MANIFEST).is_file() {
            copy(seed, self.dir(), MANIFEST)?;
        }
        stamp.write(self.dir())?;
        Ok(true)
    }
}

/// Copies a file under another name first, so that what has the right name is whole.
fn copy(from: &Path, to: &Path, name: &str) -> Result<()> {
    if name == MANIFEST {
        let bytes = fs::read(from.join(name)).map_err(|e| Error::io(from.join(name), e))?;
        return write_atomic(&to.join(name), &bytes);
    }
    let temporary = to.join(format!("{name}.seed"));
    let copied = fs::copy(from.join(name), &temporary).and_then(|_| fs::rename(&temporary, to.join(name)));
    copied.map_err(|e| {
        // What is left of a copy that failed is of no use; the error is the one to report.
        let _ = fs::remove_file(&temporary);
        Error::io(from.join(name), e)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(dir: &Path, commit: Option<&str>) {
        drop(Store::at(dir).writer(Duration::ZERO).unwrap());
        let stamp = IndexStamp {
            schema_version: SCHEMA_VERSION.into(),
            last_indexed: Some("2026-01-01T00:00:00Z".into()),
            file_count: 3,
            commit: commit.map(str::to_owned),
            ..IndexStamp::default()
        };
        stamp.write(dir).unwrap();
    }

    #[test]
    fn an_empty_state_directory_starts_from_the_seed() {
        let (seed, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        build(seed.path(), Some("abc"));
        let store = Store::at(&state.path().join("new"));
        assert!(store.adopt_seed(seed.path()).unwrap());
        assert_eq!(store.condition(), Condition::Ready);
        assert_eq!(IndexStamp::read(store.dir()).unwrap().unwrap().commit.as_deref(), Some("abc"));
        assert!(!store.adopt_seed(seed.path()).unwrap(), "what was indexed here is kept");
    }

    #[test]
    fn a_seed_that_does_not_fit_is_refused() {
        let (seed, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = Store::at(state.path());
        assert!(matches!(store.adopt_seed(seed.path()), Err(Error::NoIndex { .. })));
        fs::write(seed.path().join("index.json"), r#"{"schema_version":"1.0.0"}"#).unwrap();
        assert!(matches!(store.adopt_seed(seed.path()), Err(Error::IndexVersion(_))));
        assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
    }
}
