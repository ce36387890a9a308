//! **Holds** the disk side: which files there are, what is in them, and whether the index still describes them.
//! **Takes / gives** a [`Config`](crate::config::Config); gives [`Walk`], [`SourceFile`](crate::model::SourceFile) and [`Freshness`].
//! **Never** knows the store or a grammar: what is indexed comes in as plain stamps.
//! **Next** `language`, which turns a file's text into facts.

mod content;
mod freshness;
mod gitignore;
mod inputs;
mod read;
mod walk;
mod worktree;

pub use freshness::{
    Freshness, FreshnessCause, IndexVersion, Measured, StalePaths, changed_among, hash_file, measure,
    measure_outdated,
};
pub use inputs::{input_changed, stamp_input};
pub use read::{MAX_FILE_BYTES, Unread, read, read_config};
pub use walk::{DotDirectory, DotDirectoryTrouble, LeftOut, Walk, WalkProblem, WalkedFile, walk};
pub use worktree::is_linked_worktree;

use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::FileStamp;

/// What `stat` says about a file; the hash stays 0.
fn stamp_of(metadata: &Metadata) -> FileStamp {
    let modified = metadata.modified().map_or(0, nanoseconds);
    FileStamp { size: metadata.len(), mtime_ns: modified.max(inode_change(metadata)), hash: 0 }
}

/// When the file or its attributes last changed. Unlike the modification time no program can set it back, so an edit
/// that restores size and modification time (archives, `touch -r`, build tools) is still seen. Other reasons for a new
/// time (`chmod`, a hard link) cost one comparison of bytes.
#[cfg(unix)]
fn inode_change(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

/// There is no such time here.
#[cfg(not(unix))]
fn inode_change(_metadata: &Metadata) -> i64 {
    i64::MIN
}

/// Nanoseconds since the Unix epoch.
fn nanoseconds(time: SystemTime) -> i64 {
    let clamp = |nanoseconds: u128| i64::try_from(nanoseconds).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => clamp(after.as_nanos()),
        Err(before) => -clamp(before.duration().as_nanos()),
    }
}

/// The stamp to record for a file that was stamped and then read.
///
/// When the file was written a moment ago, as coarse as the file system's clock is, another write could still leave the
/// same time. Such a stamp is recorded one nanosecond off: the next measurement does not trust it and compares bytes.
/// (Git's index has the same problem and solves it with the size.)
fn settled(stamp: FileStamp) -> FileStamp {
    const MILLISECOND: i64 = 1_000_000;
    let has_whole_seconds = stamp.mtime_ns % (1_000 * MILLISECOND) == 0;
    let granularity = if has_whole_seconds { 2_000 * MILLISECOND } else { 20 * MILLISECOND };
    let age = nanoseconds(SystemTime::now()).saturating_sub(stamp.mtime_ns);
    let is_racy = (0..granularity).contains(&age);
    FileStamp { mtime_ns: if is_racy { stamp.mtime_ns - 1 } else { stamp.mtime_ns }, ..stamp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_from_just_now_is_not_trusted() {
        let now = nanoseconds(SystemTime::now());
        let recorded = |mtime_ns| settled(FileStamp { size: 1, mtime_ns, hash: 7 }).mtime_ns;
        assert_eq!(recorded(now), now - 1);
        assert_eq!(recorded(now - 1_000_000_007), now - 1_000_000_007);
        let whole_second = now - now % 1_000_000_000;
        assert_eq!(recorded(whole_second), whole_second - 1, "a clock of whole seconds is trusted later");
        assert_eq!(recorded(-5), -5);
    }
}
