//! `file_manifest.json`: the stamps of the last run, for people and tools that look without a database.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::store::{IndexWriter, MANIFEST, write_atomic};

#[derive(Serialize)]
struct Entry {
    mtime_ms: i64,
    size: u64,
}

/// Writes the manifest of the files on the shelf. It holds SQLite's write reservation until the file is in place, so a
/// run and a refresh that end together cannot leave the stamps that the earlier of them saw.
pub(super) fn write(writer: &mut IndexWriter<'_>) -> Result<()> {
    writer.begin()?;
    let entries: serde_json::Map<String, serde_json::Value> = writer
        .reader()
        .files()?
        .iter()
        .map(|row| {
            let entry = Entry { mtime_ms: row.stamp.mtime_ns / 1_000_000, size: row.stamp.size };
            Ok((row.path.to_string(), serde_json::to_value(entry)?))
        })
        .collect::<serde_json::Result<_>>()
        .map_err(|e| Error::Internal(e.to_string()))?;
    let json = serde_json::to_vec(&entries).map_err(|e| Error::Internal(e.to_string()))?;
    write_atomic(&writer.store().dir().join(MANIFEST), &json)?;
    writer.commit()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::Store;

    #[test]
    fn writers_side_by_side_do_not_take_each_others_file_away() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        drop(store.writer(Duration::ZERO).unwrap());
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    let (mut writer, _) = store.writer(Duration::from_secs(30)).unwrap();
                    for _ in 0..20 {
                        write(&mut writer).unwrap();
                    }
                });
            }
        });
        assert_eq!(std::fs::read_to_string(dir.path().join(MANIFEST)).unwrap(), "{}");
    }

    #[test]
    fn nothing_is_said_of_a_database_that_was_removed() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let store = Store::at(&state);
        let (mut first, _) = store.writer(Duration::ZERO).unwrap();
        std::fs::remove_dir_all(&state).unwrap();
        assert!(matches!(write(&mut first), Err(Error::Busy(_))), "removed");
        let (mut second, _) = store.writer(Duration::ZERO).unwrap();
        assert!(matches!(write(&mut first), Err(Error::Busy(_))), "replaced");
        assert!(!state.join(MANIFEST).exists());
        write(&mut second).unwrap();
        assert!(state.join(MANIFEST).exists());
    }
}
