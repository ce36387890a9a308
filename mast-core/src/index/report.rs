//! What a run did.

use crate::model::{Problem, RepoPath};

/// Summary of an index run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Files parsed and written.
    pub files_indexed: u64,
    /// Files of the repository left as they were.
    pub files_skipped: u64,
    /// Files removed because they are gone or left out now.
    pub files_removed: u64,
    /// Chunks written.
    pub chunks_added: u64,
    /// Chunks removed.
    pub chunks_removed: u64,
    /// Files that gave nothing because they could not be read or parsed.
    pub parse_errors: u64,
    /// Files whose rows the database refused.
    pub write_errors: u64,
    /// Files whose edges still wait to be made.
    pub pending_links: u64,
    /// Wall time in milliseconds.
    pub duration_ms: u64,
    /// What a person should hear once: an index that was emptied or set aside, a broken tsconfig.
    pub notes: Vec<String>,
    /// Files with something wrong, in path order.
    pub troubles: Vec<FileTrouble>,
}

/// A file with something wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTrouble {
    /// Its name; the spelling on disk where that is no valid name.
    pub path: String,
    /// What is wrong.
    pub problem: Problem,
}

impl FileTrouble {
    /// Trouble with a file of the index.
    #[must_use]
    pub fn of(path: &RepoPath, problem: &Problem) -> Self {
        Self { path: path.to_string(), problem: problem.clone() }
    }
}
