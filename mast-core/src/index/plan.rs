//! The walk against the shelf: what to read, what to remove, what to leave.

use crate::model::RepoPath;
use crate::source::WalkedFile;
use crate::store::FileRow;

/// What a run has to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Files to read, with what the shelf knows of them; in path order.
    pub(super) read: Vec<PlannedFile>,
    /// Files to remove, in path order.
    pub(super) remove: Vec<FileRow>,
    /// Files to leave as they are.
    pub(super) unchanged: u64,
}

/// A file to read.
#[derive(Debug, Clone)]
pub(super) struct PlannedFile {
    pub(super) path: RepoPath,
    /// The row the plan was made over. A commit that finds another row there is out of date.
    pub(super) known: Option<FileRow>,
    /// Write it even when its content is what the shelf holds.
    pub(super) force: bool,
}

/// Compares two listings, both in path order. With `force`, every file is read and written again.
pub(super) fn plan(walked: &[WalkedFile], shelf: Vec<FileRow>, force: bool) -> Plan {
    let mut plan = Plan::default();
    let mut shelf = shelf.into_iter().peekable();
    for file in walked {
        while let Some(gone) = shelf.next_if(|row| row.path < file.path) {
            plan.remove.push(gone);
        }
        let known = shelf.next_if(|row| row.path == file.path);
        let is_same = known.as_ref().is_some_and(|row| {
            (row.stamp.size, row.stamp.mtime_ns) == (file.stamp.size, file.stamp.mtime_ns)
        });
        if is_same && !force {
            plan.unchanged += 1;
        } else {
            plan.read.push(PlannedFile { path: file.path.clone(), known, force });
        }
    }
    plan.remove.extend(shelf);
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileId, FileStamp, Language};

    fn walked(path: &str, size: u64) -> WalkedFile {
        WalkedFile { path: RepoPath::new(path).unwrap(), stamp: FileStamp { size, mtime_ns: 7, hash: 0 } }
    }

    fn row(id: u32, path: &str, size: u64) -> FileRow {
        FileRow {
            id: FileId(id),
            path: RepoPath::new(path).unwrap(),
            language: Language::TypeScript,
            stamp: FileStamp { size, mtime_ns: 7, hash: 9 },
            is_skipped: false,
            lines: 1,
            tokens: 1,
        }
    }

    fn check(force: bool, reads: &[&str], removes: &[&str], unchanged: u64) {
        let walk = [walked("a.ts", 1), walked("b.ts", 2), walked("d.ts", 3)];
        let shelf = vec![row(1, "a.ts", 1), row(2, "b.ts", 9), row(3, "c.ts", 1), row(4, "e.ts", 1)];
        let plan = plan(&walk, shelf, force);
        let names: Vec<_> = plan.read.iter().map(|f| f.path.as_str()).collect();
        let gone: Vec<_> = plan.remove.iter().map(|f| f.path.as_str()).collect();
        assert_eq!((names.as_slice(), gone.as_slice(), plan.unchanged), (reads, removes, unchanged));
    }

    #[test]
    fn changed_and_new_files_are_read_missing_ones_removed() {
        check(false, &["b.ts", "d.ts"], &["c.ts", "e.ts"], 1);
    }

    #[test]
    fn a_forced_plan_reads_everything() {
        check(true, &["a.ts", "b.ts", "d.ts"], &["c.ts", "e.ts"], 0);
    }
}
