//! What is not indexed but something on the shelf rests on: configurations, what a package manager installed, and which names
//! there are in a directory.

use std::fs;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::{hash_file, settled, stamp_of};
use crate::model::{FileStamp, InputKind};

/// The stamp of an input now; `None` when it is not there or cannot be read. That of a directory is its time and the hash of the
/// names in it that count.
#[must_use]
pub fn stamp_input(root: &Path, path: &str, kind: InputKind) -> Option<FileStamp> {
    let disk = root.join(path);
    let stamp = stat(&disk, kind)?;
    let hash = match kind {
        InputKind::File => hash_file(&disk).ok()?,
        InputKind::Sources | InputKind::Types | InputKind::Packages => xxh3_128(&names(&disk, kind)?),
    };
    Some(settled(FileStamp { hash, ..stamp }))
}

/// Whether an input differs from its recorded stamp, came, or went. A new time alone is no difference.
#[must_use]
pub fn input_changed(root: &Path, path: &str, kind: InputKind, recorded: Option<FileStamp>) -> bool {
    match (stat(&root.join(path), kind), recorded) {
        (None, None) => false,
        (Some(now), Some(then)) if (now.size, now.mtime_ns) == (then.size, then.mtime_ns) => false,
        (Some(now), Some(then)) if now.size == then.size => {
            stamp_input(root, path, kind).is_none_or(|stamp| stamp.hash != then.hash)
        }
        _ => true,
    }
}

/// What `stat` says. The size of a directory means nothing and is 0.
fn stat(disk: &Path, kind: InputKind) -> Option<FileStamp> {
    let metadata = fs::metadata(disk).ok()?;
    if kind == InputKind::File {
        return metadata.is_file().then(|| stamp_of(&metadata));
    }
    metadata.is_dir().then(|| FileStamp { size: 0, ..stamp_of(&metadata) })
}

/// The names in a directory that count, with what links among them lead to.
fn names(disk: &Path, kind: InputKind) -> Option<Vec<u8>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(disk).ok()? {
        let entry = entry.ok()?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let file_type = entry.file_type().ok()?;
        let is_file = file_type.is_file();
        if name.starts_with('.') || is_file && !counts(&name, kind) {
            continue;
        }
        let target = if file_type.is_symlink() { fs::read_link(entry.path()).ok() } else { None };
        let target = target.map(|target| target.to_string_lossy().into_owned()).unwrap_or_default();
        names.push(format!("{name}\0{is_file}\0{target}\0"));
    }
    names.sort_unstable();
    Some(names.concat().into_bytes())
}

/// Whether a file of this name may be part of what TypeScript reads, or decide how it reads.
fn counts(name: &str, kind: InputKind) -> bool {
    if kind == InputKind::Packages {
        return false;
    }
    let extension = name.rsplit('.').next().unwrap_or_default();
    match extension {
        "ts" | "tsx" | "mts" | "cts" => true,
        "js" | "jsx" | "mjs" | "cjs" => kind != InputKind::Types,
        "json" => name == "package.json" || name.starts_with("tsconfig") || name.starts_with("jsconfig"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::InputKind::{File, Packages, Sources, Types};

    #[test]
    fn coming_going_and_changing_is_seen_and_a_new_time_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let absent = stamp_input(root, "a.json", File);
        let changed = |recorded| input_changed(root, "a.json", File, recorded);
        assert_eq!(absent, None);
        assert!(!changed(absent));
        fs::write(root.join("a.json"), "{}").unwrap();
        assert!(changed(absent));
        let present = stamp_input(root, "a.json", File);
        assert!(!changed(present));
        fs::write(root.join("a.json"), "{}").unwrap();
        assert!(!changed(present), "the same text, written again");
        fs::write(root.join("a.json"), "[]").unwrap();
        assert!(changed(present), "another text of the same length");
        fs::remove_file(root.join("a.json")).unwrap();
        assert!(changed(present));
    }

    #[test]
    fn of_a_directory_the_names_count_that_typescript_may_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::write(root.join("a.ts"), "").unwrap();
        let stamps = [Sources, Types, Packages].map(|kind| (kind, stamp_input(root, "", kind)));
        let seen = || stamps.map(|(kind, stamp)| input_changed(root, "", kind, stamp));
        for (path, expected) in [
            ("notes.txt", [false, false, false]),
            ("data.json", [false, false, false]),
            (".hidden.ts", [false, false, false]),
            ("b.mjs", [true, false, false]),
            ("c.d.mts", [true, true, false]),
            ("tsconfig.build.json", [true, true, false]),
            ("package.json", [true, true, false]),
        ] {
            fs::write(root.join(path), "").unwrap();
            assert_eq!(seen(), expected, "{path}");
            fs::remove_file(root.join(path)).unwrap();
            assert_eq!(seen(), [false; 3], "{path} is gone again");
        }
        fs::create_dir(root.join("d")).unwrap();
        assert_eq!(seen(), [true; 3]);
    }

    #[cfg(unix)]
    #[test]
    fn a_package_that_is_linked_elsewhere_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("dep");
        std::os::unix::fs::symlink("one", &link).unwrap();
        let stamp = stamp_input(dir.path(), "", Packages);
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("two", &link).unwrap();
        assert!(input_changed(dir.path(), "", Packages, stamp));
    }
}
