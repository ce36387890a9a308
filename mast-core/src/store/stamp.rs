//! `index.json`: what the last finished run left, readable without opening the database.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};

/// Name of the stamp's file in the state directory.
pub(super) const FILE_NAME: &str = "index.json";

/// Contents of `index.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexStamp {
    /// Version of the state directory's layout.
    pub schema_version: String,
    /// End of the last finished run, RFC 3339 in UTC.
    #[serde(default)]
    pub last_indexed: Option<String>,
    /// Indexed files.
    #[serde(default)]
    pub file_count: u64,
    /// Chunks of those files.
    #[serde(default)]
    pub chunk_count: u64,
    /// Files that gave nothing because they could not be read or parsed.
    #[serde(default)]
    pub parse_errors: u64,
    /// Files whose rows the database refused.
    #[serde(default)]
    pub write_errors: u64,
    /// Commit of a prebuilt index this one was copied from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl IndexStamp {
    /// Reads the stamp of a state directory: `None` when there is none.
    pub fn read(state_dir: &Path) -> Result<Option<Self>> {
        let path = state_dir.join(FILE_NAME);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(e) => return Err(Error::io(path, e)),
        };
        let unreadable =
            |why: &dyn Display| Error::Store(format!("{} cannot be read: {why}", path.display()));
        // Read as an object first: a list would be taken for the fields in their order.
        let value: Value = serde_json::from_slice(&bytes).map_err(|e| unreadable(&e))?;
        if !value.is_object() {
            return Err(unreadable(&"it holds no JSON object"));
        }
        serde_json::from_value(value).map(Some).map_err(|e| unreadable(&e))
    }

    /// Writes the stamp.
    pub fn write(&self, state_dir: &Path) -> Result<()> {
        let json = serde_json::to_vec_pretty(self).map_err(|e| Error::Internal(e.to_string()))?;
        write_atomic(&state_dir.join(FILE_NAME), &json)
    }
}

/// Writes a file so that a reader, or a crash, sees the old content or the new, never a part.
///
/// Two writers of one file would take each other's half-written content away: the caller holds the lock that makes it
/// the only one. That the name is always the same lets the next write clear up after a crash.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let temporary = path.with_extension("tmp");
    let attempt = || -> io::Result<()> {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    attempt().map_err(|e| {
        let _ = fs::remove_file(&temporary);
        Error::io(path, e)
    })
}
