//! `file_manifest.json`: the stamps of the last run, for people and tools that look without a database.

use std::path::Path;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::store::{FileRow, MANIFEST, write_atomic};

#[derive(Serialize)]
struct Entry {
    mtime_ms: i64,
    size: u64,
}

/// Writes the manifest of the files on the shelf.
pub(super) fn write(state_dir: &Path, files: &[FileRow]) -> Result<()> {
    let entries: serde_json::Map<String, serde_json::Value> = files
        .iter()
        .map(|row| {
            let entry = Entry { mtime_ms: row.stamp.mtime_ns / 1_000_000, size: row.stamp.size };
            Ok((row.path.to_string(), serde_json::to_value(entry)?))
        })
        .collect::<serde_json::Result<_>>()
        .map_err(|e| Error::Internal(e.to_string()))?;
    let json = serde_json::to_vec(&entries).map_err(|e| Error::Internal(e.to_string()))?;
    write_atomic(&state_dir.join(MANIFEST), &json)
}
