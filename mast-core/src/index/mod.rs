//! **Holds** the write pipeline: what changed on disk goes through reading, extraction and linking onto the shelf.
//! **Takes / gives** a [`Config`](crate::config::Config) and a [`Store`](crate::store::Store) in, an [`IndexReport`] out.
//! **Never** answers questions.
//! **Next** `engine`, which decides when to run it.
//!
//! A run holds the run lock from beginning to end and changes the shelf in a few large batches. What several steps must
//! agree on is on the shelf itself, so a run that dies anywhere is finished by the next one: files it did not reach are
//! planned again, and files whose edges it did not make are on the list of pending links.

mod commit;
mod extract;
mod link;
mod manifest;
mod modules;
mod plan;
mod refresh;
mod report;
mod run;

pub use manifest::any_indexed;
pub(crate) use modules::{Configs, Modules, are_configs_outdated};
pub use refresh::Refreshed;
pub(crate) use refresh::refresh;
pub use report::{FileTrouble, IndexReport};
pub(crate) use run::is_extraction_outdated;
pub use run::{RunRequest, run};

/// Names of the values the pipeline keeps on the shelf beside the rows.
pub mod meta {
    /// How many files the plan of a run that is under way holds; absent when none is.
    pub const BUILDING: &str = "building";
    /// Digest of the settings extraction depends on.
    pub const EXTRACTION: &str = "extraction";
    /// Digest of the files and configurations module resolution depends on.
    pub const RESOLUTION: &str = "resolution";
    /// The configuration files module resolution read, one a line: who named it, a digest of its text, its name.
    pub const CONFIGS: &str = "configs";
    /// Files with an indexed extension the last walk left out.
    pub const LEFT_OUT: &str = "left_out";
}
