//! Whether the index describes what is on disk. The only producer of that answer.
//!
//! A file is current when time of change and size are as recorded. When the size differs, it changed; when only the time
//! does, in either direction, its bytes decide, so that a mere `touch` changes nothing.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::walk::{Walk, WalkedFile};
use super::{settled, stamp_of};
use crate::model::{FileStamp, RepoPath};

/// Most paths named in each list of [`StalePaths`].
const NAMED_PATHS: usize = 20;

/// What a walk says about an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Indexed files whose bytes changed.
    pub changed: Vec<RepoPath>,
    /// Files on disk that are not in the index.
    pub unindexed: Vec<RepoPath>,
    /// Indexed files that are gone from disk, or that the configuration no longer walks.
    pub deleted: Vec<RepoPath>,
    /// Files with other times and the same bytes: their recorded stamp may be replaced by this one.
    pub touched: Vec<(RepoPath, FileStamp)>,
    /// Files on disk.
    pub on_disk: usize,
    /// Files in the index.
    pub indexed: usize,
}

/// What `index.json` says about the version that built the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexVersion {
    /// There is no index.
    None,
    /// This version's schema.
    Current,
    /// Another schema.
    Other,
    /// The file is there and cannot be read.
    Unreadable,
}

/// Why an index is not fresh, in the order in which causes are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FreshnessCause {
    /// Another schema version built it.
    IndexVersion,
    /// The version that built it is not known.
    StampUnreadable,
    /// It describes another project root.
    RootMismatch,
    /// Indexed files changed.
    Phase1Stale,
    /// There are files it has never seen.
    UnindexedFiles,
    /// It lists files that are gone.
    DeletedFiles,
    /// Only edges wait to be resolved again.
    EdgeRepairPending,
}

impl FreshnessCause {
    /// The spelling of `freshness_cause`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IndexVersion => "index_version",
            Self::StampUnreadable => "stamp_unreadable",
            Self::RootMismatch => "root_mismatch",
            Self::Phase1Stale => "phase1_stale",
            Self::UnindexedFiles => "unindexed_files",
            Self::DeletedFiles => "deleted_files",
            Self::EdgeRepairPending => "edge_repair_pending",
        }
    }
}

/// The files behind each count, at most 20 each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StalePaths {
    /// Of [`Freshness::changed`].
    pub changed: Vec<RepoPath>,
    /// Of [`Freshness::unindexed`].
    pub unindexed: Vec<RepoPath>,
    /// Of [`Freshness::deleted`].
    pub deleted: Vec<RepoPath>,
}

impl Freshness {
    /// Changed, unindexed and deleted files together.
    #[must_use]
    pub fn stale_files(&self) -> usize {
        self.changed.len() + self.unindexed.len() + self.deleted.len()
    }

    /// Whether most files on disk are not in the index and most indexed files are not on disk.
    #[must_use]
    pub fn is_root_mismatch(&self) -> bool {
        self.unindexed.len() * 2 > self.on_disk && self.deleted.len() * 2 > self.indexed
    }

    /// The first cause that applies, `None` for a fresh index. `pending_edge_repairs` counts files whose edges wait to be
    /// resolved again.
    #[must_use]
    pub fn cause(&self, version: IndexVersion, pending_edge_repairs: u64) -> Option<FreshnessCause> {
        match version {
            IndexVersion::Other => return Some(FreshnessCause::IndexVersion),
            IndexVersion::Unreadable => return Some(FreshnessCause::StampUnreadable),
            IndexVersion::None | IndexVersion::Current => {}
        }
        let applies = [
            (self.is_root_mismatch(), FreshnessCause::RootMismatch),
            (!self.changed.is_empty(), FreshnessCause::Phase1Stale),
            (!self.unindexed.is_empty(), FreshnessCause::UnindexedFiles),
            (!self.deleted.is_empty(), FreshnessCause::DeletedFiles),
            (pending_edge_repairs > 0, FreshnessCause::EdgeRepairPending),
            // An index that no run completed may not have seen all there is, also where nothing is to be seen.
            (version == IndexVersion::None, FreshnessCause::UnindexedFiles),
        ];
        applies.into_iter().find_map(|(applies, cause)| applies.then_some(cause))
    }

    /// Names the stale files, 20 of each kind.
    #[must_use]
    pub fn stale_paths(&self) -> StalePaths {
        let first = |paths: &[RepoPath]| paths.iter().take(NAMED_PATHS).cloned().collect();
        StalePaths {
            changed: first(&self.changed),
            unindexed: first(&self.unindexed),
            deleted: first(&self.deleted),
        }
    }
}

/// Compares a walk of `root` with the stamps on record. `known` holds every file the index is done with, those skipped as
/// not being source included; in any order, each path once. Files are opened only to confirm that a new time means new
/// bytes.
#[must_use]
pub fn measure(
    root: &Path,
    walk: &Walk,
    known: impl IntoIterator<Item = (RepoPath, FileStamp)>,
) -> Freshness {
    let mut known: Vec<_> = known.into_iter().collect();
    known.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let mut freshness = Freshness { on_disk: walk.files.len(), indexed: known.len(), ..Freshness::default() };
    let mut on_disk = walk.files.iter().peekable();
    let mut recorded = known.into_iter().peekable();
    loop {
        let order = match (on_disk.peek(), recorded.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(file), Some((path, _))) => file.path.cmp(path),
        };
        if order.is_gt() {
            freshness.deleted.extend(recorded.next().map(|(path, _)| path));
            continue;
        }
        let Some(WalkedFile { path, stamp }) = on_disk.next() else { break };
        if order.is_lt() {
            freshness.unindexed.push(path.clone());
            continue;
        }
        let Some((path, record)) = recorded.next() else { break };
        match compare(root, &path, *stamp, record) {
            Measured::Current => {}
            Measured::Touched(stamp) => freshness.touched.push((path, stamp)),
            Measured::Changed => freshness.changed.push(path),
            Measured::Deleted => freshness.deleted.push(path),
        }
    }
    freshness
}

/// Compares a walk with the names on record when no record can be trusted: every file that is on both sides changed.
#[must_use]
pub fn measure_outdated(walk: &Walk, known: impl IntoIterator<Item = RepoPath>) -> Freshness {
    let on_disk: BTreeSet<&RepoPath> = walk.files.iter().map(|file| &file.path).collect();
    let known: BTreeSet<RepoPath> = known.into_iter().collect();
    let unindexed =
        on_disk.iter().filter(|path| !known.contains(**path)).map(|path| (*path).clone()).collect();
    let (on_disk_count, indexed) = (on_disk.len(), known.len());
    let (changed, deleted) = known.into_iter().partition(|path| on_disk.contains(path));
    Freshness { changed, unindexed, deleted, touched: Vec::new(), on_disk: on_disk_count, indexed }
}

/// What one indexed file is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// As recorded.
    Current,
    /// Same bytes, new stamp.
    Touched(FileStamp),
    /// Other bytes, or no longer readable.
    Changed,
    /// Gone.
    Deleted,
}

/// Measures only the files an answer cites; gives those that are not current, in the order of `known`.
pub fn changed_among(
    root: &Path,
    known: impl IntoIterator<Item = (RepoPath, FileStamp)>,
) -> Vec<(RepoPath, Measured)> {
    let measured = known.into_iter().map(|(path, record)| {
        let state = match fs::symlink_metadata(path.to_disk(root)) {
            Ok(metadata) if metadata.is_file() => compare(root, &path, stamp_of(&metadata), record),
            Ok(_) => Measured::Deleted,
            Err(error) if is_gone(&error) => Measured::Deleted,
            Err(_) => Measured::Changed,
        };
        (path, state)
    });
    measured.filter(|(_, state)| *state != Measured::Current).collect()
}

/// Compares the disk's stamp of a file with the one on record.
fn compare(root: &Path, path: &RepoPath, now: FileStamp, record: FileStamp) -> Measured {
    if now.size != record.size {
        return Measured::Changed;
    }
    if now.mtime_ns == record.mtime_ns {
        return Measured::Current;
    }
    match hash_file(&path.to_disk(root)) {
        Ok(hash) if hash == record.hash => Measured::Touched(settled(FileStamp { hash, ..now })),
        Err(error) if is_gone(&error) => Measured::Deleted,
        Ok(_) | Err(_) => Measured::Changed,
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// XXH3-128 of the bytes of `file`, the hash of [`FileStamp`].
pub fn hash_file(file: &Path) -> io::Result<u128> {
    let mut open = File::open(file)?;
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match open.read(&mut buffer)? {
            0 => return Ok(hasher.digest128()),
            length => hasher.update(&buffer[..length]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::read;

    /// A directory of files and the stamps they were indexed with.
    struct Disk {
        directory: tempfile::TempDir,
        known: Vec<(RepoPath, FileStamp)>,
    }

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn paths(names: &[&str]) -> Vec<RepoPath> {
        names.iter().map(|name| path(name)).collect()
    }

    impl Disk {
        fn indexed(files: &[(&str, &str)]) -> Self {
            let mut disk = Self { directory: tempfile::tempdir().unwrap(), known: Vec::new() };
            for (name, text) in files {
                disk.write(name, text);
                let file =
                    read(disk.directory.path(), &path(name), crate::model::Language::TypeScript).unwrap();
                disk.known.push((path(name), file.stamp));
            }
            disk
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.directory.path().join(name), text).unwrap();
        }

        fn set_mtime(&self, name: &str, seconds: u64) {
            let file = File::options().append(true).open(self.directory.path().join(name)).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
        }

        fn remove(&self, name: &str) {
            fs::remove_file(self.directory.path().join(name)).unwrap();
        }

        fn measure(&self) -> Freshness {
            let mut files: Vec<_> = fs::read_dir(self.directory.path())
                .unwrap()
                .map(|entry| {
                    let entry = entry.unwrap();
                    let stamp = stamp_of(&entry.metadata().unwrap());
                    WalkedFile { path: path(entry.file_name().to_str().unwrap()), stamp }
                })
                .collect();
            files.sort_by(|a, b| a.path.cmp(&b.path));
            measure(self.directory.path(), &Walk { files, ..Walk::default() }, self.known.iter().cloned())
        }
    }

    #[test]
    fn nothing_changed_is_fresh() {
        let disk = Disk::indexed(&[("b.ts", "1"), ("a.ts", "2")]);
        let freshness = disk.measure();
        assert_eq!(freshness.stale_files(), 0);
        assert_eq!((freshness.on_disk, freshness.indexed), (2, 2));
        assert_eq!(freshness.cause(IndexVersion::Current, 0), None);
    }

    #[test]
    fn changed_new_and_deleted_files_are_told_apart() {
        let disk = Disk::indexed(&[("a.ts", "1"), ("b.ts", "2"), ("c.ts", "3"), ("d.ts", "4")]);
        disk.write("a.ts", "11");
        disk.write("c.ts", "x");
        disk.remove("b.ts");
        disk.write("new.ts", "");
        let freshness = disk.measure();
        assert_eq!(
            freshness.changed,
            paths(&["a.ts", "c.ts"]),
            "same size, written a moment later, counts too"
        );
        assert_eq!(freshness.unindexed, paths(&["new.ts"]));
        assert_eq!(freshness.deleted, paths(&["b.ts"]));
        assert_eq!(freshness.stale_files(), 4);
    }

    #[test]
    fn times_going_back_count_and_a_touch_does_not() {
        let disk = Disk::indexed(&[("a.ts", "1"), ("b.ts", "2")]);
        disk.write("a.ts", "9");
        disk.set_mtime("a.ts", 981_173_106);
        disk.set_mtime("b.ts", 981_173_106);
        let freshness = disk.measure();
        assert_eq!(freshness.changed, paths(&["a.ts"]));
        let [(touched, stamp)] = &freshness.touched[..] else { panic!("{:?}", freshness.touched) };
        assert_eq!((touched.as_str(), stamp.hash), ("b.ts", disk.known[1].1.hash));
        assert_ne!(stamp.mtime_ns, disk.known[1].1.mtime_ns);
    }

    #[cfg(unix)]
    #[test]
    fn restoring_size_and_modification_time_hides_no_edit() {
        let mut disk = Disk::indexed(&[("a.ts", "1")]);
        disk.set_mtime("a.ts", 981_173_106);
        let file = read(disk.directory.path(), &path("a.ts"), crate::model::Language::TypeScript).unwrap();
        disk.known[0].1 = file.stamp;
        disk.write("a.ts", "9");
        disk.set_mtime("a.ts", 981_173_106);
        assert_eq!(disk.measure().changed, paths(&["a.ts"]));
    }

    #[test]
    fn cited_files_are_measured_alone() {
        let disk = Disk::indexed(&[("a.ts", "1"), ("b.ts", "2"), ("c.ts", "3"), ("d.ts", "4")]);
        disk.write("b.ts", "22");
        disk.remove("c.ts");
        disk.set_mtime("d.ts", 1_000_000_000);
        disk.set_mtime("a.ts", 1_000_000_000);
        let known = disk.known.iter().filter(|(path, _)| path.as_str() != "a.ts").cloned();
        let [(b, Measured::Changed), (c, Measured::Deleted), (d, Measured::Touched(stamp))] =
            &changed_among(disk.directory.path(), known)[..]
        else {
            panic!("three files differ")
        };
        assert_eq!((b.as_str(), c.as_str(), d.as_str()), ("b.ts", "c.ts", "d.ts"));
        assert_eq!((stamp.size, stamp.hash), (1, disk.known[3].1.hash));
    }

    #[test]
    fn causes_come_in_their_order() {
        let all = |changed: &[&str], unindexed: &[&str], deleted: &[&str], size| Freshness {
            changed: paths(changed),
            unindexed: paths(unindexed),
            deleted: paths(deleted),
            on_disk: size,
            indexed: size,
            touched: Vec::new(),
        };
        let cause = |freshness: &Freshness, repairs| freshness.cause(IndexVersion::Current, repairs);
        let stale = all(&["c"], &["u"], &["d"], 9);
        assert_eq!(stale.cause(IndexVersion::Other, 1), Some(FreshnessCause::IndexVersion));
        assert_eq!(stale.cause(IndexVersion::Unreadable, 1), Some(FreshnessCause::StampUnreadable));
        assert_eq!(cause(&all(&["c"], &["u", "v"], &["d", "e"], 3), 1), Some(FreshnessCause::RootMismatch));
        assert_eq!(
            cause(&all(&["c"], &["u"], &["d"], 2), 1),
            Some(FreshnessCause::Phase1Stale),
            "half is not most"
        );
        assert_eq!(cause(&all(&[], &["u"], &["d"], 9), 1), Some(FreshnessCause::UnindexedFiles));
        assert_eq!(cause(&all(&[], &[], &["d"], 9), 1), Some(FreshnessCause::DeletedFiles));
        assert_eq!(cause(&all(&[], &[], &[], 9), 1), Some(FreshnessCause::EdgeRepairPending));
        assert_eq!(cause(&all(&[], &[], &[], 9), 0), None);
        assert_eq!(Freshness::default().cause(IndexVersion::None, 0), Some(FreshnessCause::UnindexedFiles));
    }

    #[test]
    fn twenty_paths_are_named() {
        let names: Vec<_> = (0..25).map(|i| format!("f{i:02}.ts")).collect();
        let unindexed: Vec<_> = names.iter().map(|name| path(name)).collect();
        let freshness = Freshness { unindexed, ..Freshness::default() };
        let shown = freshness.stale_paths();
        assert_eq!(shown.unindexed.len(), 20);
        assert_eq!(shown.unindexed[19].as_str(), "f19.ts");
        assert_eq!(freshness.stale_files(), 25);
    }
}
