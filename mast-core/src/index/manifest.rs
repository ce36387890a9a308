//! `file_manifest.json`: the stamps of the last run, for people and tools that look without a database.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

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

/// Whether an indexed file has a path that is `wanted`, by the manifest in `state_dir`: no database is opened, and nothing
/// is read behind the first such path.
///
/// `None` when there is no manifest to go by: nothing is indexed, a run is writing, or the file cannot be read.
#[must_use]
pub fn any_indexed(state_dir: &Path, wanted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let bytes = fs::read(state_dir.join(MANIFEST)).ok()?;
    let mut search = Search { wanted, is_found: false };
    let read = serde_json::Deserializer::from_slice(&bytes).deserialize_map(&mut search);
    if search.is_found { Some(true) } else { read.ok().map(|()| false) }
}

/// Looks through the manifest's paths without keeping any.
struct Search<'a> {
    wanted: &'a dyn Fn(&str) -> bool,
    is_found: bool,
}

impl<'de> Visitor<'de> for &mut Search<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a manifest")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<(), A::Error> {
        while entries.next_key_seed(&mut *self)?.is_some() {
            if self.is_found {
                return Err(A::Error::custom("the rest is of no interest"));
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_str<E>(self, path: &str) -> std::result::Result<(), E> {
        self.is_found = (self.wanted)(path);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Search<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> std::result::Result<(), D::Error> {
        key.deserialize_str(self)
    }
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
        assert_eq!(fs::read_to_string(dir.path().join(MANIFEST)).unwrap(), "{}");
    }

    #[test]
    fn nothing_is_said_of_a_database_that_was_removed() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let store = Store::at(&state);
        let (mut first, _) = store.writer(Duration::ZERO).unwrap();
        fs::remove_dir_all(&state).unwrap();
        assert!(matches!(write(&mut first), Err(Error::Busy(_))), "removed");
        let (mut second, _) = store.writer(Duration::ZERO).unwrap();
        assert!(matches!(write(&mut first), Err(Error::Busy(_))), "replaced");
        assert!(!state.join(MANIFEST).exists());
        write(&mut second).unwrap();
        assert!(state.join(MANIFEST).exists());
    }

    #[test]
    fn paths_are_looked_for_without_a_database() {
        let dir = tempfile::tempdir().unwrap();
        let is_there = |path: &str| any_indexed(dir.path(), &|known| known == path);
        assert_eq!(is_there("src/a.ts"), None);
        let write = |text: &str| fs::write(dir.path().join(MANIFEST), text).unwrap();
        write(r#"{"src/a.ts":{"mtime_ms":1,"size":2},"q\"uote.ts":{"mtime_ms":1,"size":2}}"#);
        assert_eq!(is_there("src/a.ts"), Some(true));
        assert_eq!(is_there("q\"uote.ts"), Some(true));
        assert_eq!(is_there("src"), Some(false));
        write("{}");
        assert_eq!(is_there("src/a.ts"), Some(false));
        write(r#"{"src/a.ts":{"mtime_ms":1,"#);
        assert_eq!(is_there("src/a.ts"), Some(true), "found before the damage");
        assert_eq!(is_there("src/b.ts"), None, "not to be told");
        write("[]");
        assert_eq!(is_there("src/a.ts"), None);
    }
}
