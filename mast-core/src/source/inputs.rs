//! Files that are not indexed but that something on the shelf rests on: configurations, what a package manager installed.

use std::fs;
use std::path::Path;

use super::{hash_file, stamp_of};
use crate::model::FileStamp;

/// The stamp of a file now; `None` when there is no such file or it cannot be read.
#[must_use]
pub fn stamp_input(root: &Path, path: &str) -> Option<FileStamp> {
    let disk = root.join(path);
    let metadata = fs::metadata(&disk).ok().filter(fs::Metadata::is_file)?;
    Some(FileStamp { hash: hash_file(&disk).ok()?, ..stamp_of(&metadata) })
}

/// Whether a file differs from its recorded stamp, came, or went. A new time alone is no difference.
#[must_use]
pub fn input_changed(root: &Path, path: &str, recorded: Option<FileStamp>) -> bool {
    let metadata = fs::metadata(root.join(path)).ok().filter(fs::Metadata::is_file);
    match (metadata.map(|metadata| stamp_of(&metadata)), recorded) {
        (None, None) => false,
        (Some(now), Some(then)) if (now.size, now.mtime_ns) == (then.size, then.mtime_ns) => false,
        (Some(now), Some(then)) if now.size == then.size => {
            stamp_input(root, path).is_none_or(|stamp| stamp.hash != then.hash)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coming_going_and_changing_is_seen_and_a_new_time_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let absent = stamp_input(root, "a.json");
        assert_eq!(absent, None);
        assert!(!input_changed(root, "a.json", absent));
        fs::write(root.join("a.json"), "{}").unwrap();
        assert!(input_changed(root, "a.json", absent));
        let present = stamp_input(root, "a.json");
        assert!(!input_changed(root, "a.json", present));
        fs::write(root.join("a.json"), "{}").unwrap();
        assert!(!input_changed(root, "a.json", present), "the same text, written again");
        fs::write(root.join("a.json"), "[]").unwrap();
        assert!(input_changed(root, "a.json", present), "another text of the same length");
        fs::remove_file(root.join("a.json")).unwrap();
        assert!(input_changed(root, "a.json", present));
    }
}
