//! Reads one file: stamp first, then bytes, then text.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::{content, settled, stamp_of};
use crate::model::{FileStamp, Language, Problem, ProblemKind, RepoPath, SourceFile};

/// Longest file read, in bytes. Beyond it a file is data, and no parser would come back from it in time.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Why a file gave no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Stamp of the file, with the hash of its bytes when they were read. A [`ProblemKind::Skipped`] file is done: with
    /// its stamp kept it is not looked at again until it changes. [`ProblemKind::Unreadable`] is tried again next time.
    pub stamp: FileStamp,
    /// What is wrong.
    pub problem: Problem,
}

impl Unread {
    fn new(kind: ProblemKind, message: impl Into<String>, stamp: FileStamp) -> Self {
        Self { stamp, problem: Problem { kind, message: message.into(), lines: Vec::new() } }
    }
}

/// Reads `path` below `root`.
///
/// The stamp is taken from the open file before its bytes, so an edit during the reading leaves a stamp that no longer
/// fits the disk, and the next measurement finds it. Anything but a regular file is left unopened: a pipe would block.
///
/// # Errors
/// [`Unread`] for a file that cannot be read, is too large, or is not source text.
pub fn read(root: &Path, path: &RepoPath, language: Language) -> Result<SourceFile, Unread> {
    let (stamp, bytes) = read_bytes(&path.to_disk(root))?;
    match content::decode(bytes, language) {
        Ok(text) => Ok(SourceFile { path: path.clone(), language, stamp, text }),
        Err(kind) => Err(Unread::new(ProblemKind::Skipped, kind.reason(), stamp)),
    }
}

/// Text of a configuration file that module resolution asks for by its path from the project root; `None` when there is
/// none, it cannot be read, or it is far too long to be one.
#[must_use]
pub fn read_config(root: &Path, path: &str) -> Option<String> {
    let (_, bytes) = read_bytes(&RepoPath::new(path)?.to_disk(root)).ok()?;
    Some(String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).into_owned())
}

fn read_bytes(file: &Path) -> Result<(FileStamp, Vec<u8>), Unread> {
    let unreadable =
        |error: &io::Error| Unread::new(ProblemKind::Unreadable, reason(error), FileStamp::default());
    let before = fs::symlink_metadata(file).map_err(|error| unreadable(&error))?;
    if !before.is_file() {
        return Err(Unread::new(ProblemKind::Skipped, "not a regular file", stamp_of(&before)));
    }
    let mut open = File::open(file).map_err(|error| unreadable(&error))?;
    let metadata = open.metadata().map_err(|error| unreadable(&error))?;
    let mut stamp = stamp_of(&metadata);
    let too_large = |stamp| {
        let limit = MAX_FILE_BYTES >> 20;
        Err(Unread::new(ProblemKind::Skipped, format!("larger than {limit} MiB"), stamp))
    };
    if stamp.size > MAX_FILE_BYTES {
        return too_large(stamp);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or(0) + 1);
    (&mut open).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return too_large(stamp);
    }
    stamp.hash = xxh3_128(&bytes);
    Ok((settled(stamp), bytes))
}

/// The operating system's reason in a few words, without its error number.
pub(super) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, bytes: &[u8]) -> Result<SourceFile, Unread> {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(name), bytes).unwrap();
        read(directory.path(), &RepoPath::new(name).unwrap(), Language::of(name).unwrap())
    }

    #[test]
    fn a_file_comes_with_stamp_and_text() {
        let file = check("a.ts", b"\xef\xbb\xbflet a;\n").unwrap();
        assert_eq!(file.text, "let a;\n");
        assert_eq!(file.stamp.size, 10);
        assert_eq!(file.stamp.hash, xxh3_128(b"\xef\xbb\xbflet a;\n"));
        assert!(file.stamp.mtime_ns > 1_600_000_000_000_000_000);
    }

    #[test]
    fn what_is_not_source_is_skipped_with_its_stamp() {
        let unread = check("a.ts", &[0; 400]).unwrap_err();
        assert_eq!(unread.problem.kind, ProblemKind::Skipped);
        assert_eq!(unread.stamp.size, 400);
        assert_eq!(unread.stamp.hash, xxh3_128(&[0; 400]));
    }

    #[test]
    fn missing_and_odd_entries_are_problems() {
        let directory = tempfile::tempdir().unwrap();
        let kind = |name: &str| {
            read(directory.path(), &RepoPath::new(name).unwrap(), Language::TypeScript)
                .unwrap_err()
                .problem
                .kind
        };
        assert_eq!(kind("gone.ts"), ProblemKind::Unreadable);
        fs::create_dir(directory.path().join("dir.ts")).unwrap();
        assert_eq!(kind("dir.ts"), ProblemKind::Skipped);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/hosts", directory.path().join("link.ts")).unwrap();
            assert_eq!(kind("link.ts"), ProblemKind::Skipped);
            let made = std::process::Command::new("mkfifo").arg(directory.path().join("pipe.ts")).status();
            if made.is_ok_and(|status| status.success()) {
                assert_eq!(kind("pipe.ts"), ProblemKind::Skipped, "a pipe must not be opened");
            }
        }
    }
}
