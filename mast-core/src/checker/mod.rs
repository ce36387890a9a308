//! **Holds** the conversation with the repository's own TypeScript: finding it, driving it, and judging what it says.
//! **Takes / gives** unproven mentions of the shelf in, verdicts about them onto the shelf out, and a [`CheckReport`].
//! **Never** runs unless it was asked for, starts a shell, or takes an answer for proof that can be read in two ways.
//! **Next** `graph`, which uses the verdicts where linking could not tell.
//!
//! TypeScript runs as a process of its own and answers one question: where is the declaration of the name at this place?
//! Four things make its answers proofs:
//!
//! - *The text is the index's.* Every file that is asked about is given to TypeScript as the index holds it, and nothing is
//!   kept when a file changed before the end.
//! - *A call is asked about twice.* The definition of a called name is that of the chosen signature: of a receiver of type
//!   `A | B` only one member's, and of a value of type `typeof f` also `f`. So it is asked a second time with a `!` behind the
//!   name, which leaves its type alone and asks for the name itself, not for a signature. Proven is what both answers
//!   contain; excluded is what neither contains.
//! - *What an expression is called with.* A name in an expression that is called as a whole is not taken for a mere value.
//! - *A place is a declaration only where its name stands.* Everything else that is not surely outside the index is unknown.

mod called;
mod configs;
mod converse;
mod find;
mod inputs;
mod lsp;
mod meaning;
mod overlay;
mod process;
mod questions;
mod run;
mod server;
mod tsserver;
mod uri;
mod verdict;

use std::path::PathBuf;
use std::time::Duration;

pub use find::require;
pub use run::{Index, check};

/// What is asked of a pass.
#[derive(Debug, Clone, Default)]
pub struct CheckRequest {
    /// A TypeScript package, a directory that has one in its `node_modules`, or such a `node_modules`. Without it, the
    /// repository's own is looked for.
    pub typescript: Option<PathBuf>,
    /// How long TypeScript may take.
    pub limits: CheckLimits,
}

/// How long TypeScript may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckLimits {
    /// For one answer, the loading of a project included. When it is over, the pass fails.
    pub answer: Duration,
    /// For all of the pass. When it is over, what is left is not asked and counted as such.
    pub whole: Duration,
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self { answer: Duration::from_secs(180), whole: Duration::from_secs(45 * 60) }
    }
}

/// What a pass did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Versions of TypeScript that answered, in order.
    pub versions: Vec<String>,
    /// Projects (tsconfig or jsconfig files) whose files were asked about.
    pub projects: u64,
    /// Mentions asked about.
    pub asked: u64,
    /// Calls proven to be of an indexed declaration.
    pub proven_calls: u64,
    /// Calls whose name means a declaration outside the index.
    pub outside_calls: u64,
    /// Mentions that are no calls.
    pub non_calls: u64,
    /// Mentions that TypeScript could not tell, or not for sure.
    pub unresolved: u64,
    /// Files with unproven mentions that belong to no project.
    pub outside_files: u64,
    /// Projects that were not asked about because their configuration cannot be used: each with what is wrong, in one line.
    pub left_out_projects: Vec<String>,
    /// Projects without a TypeScript above them, which were asked about with that of another.
    pub borrowing_projects: u64,
    /// Files with unproven mentions that were not asked about because not all readers count their lines alike.
    pub unreadable_files: u64,
    /// Files left out because the index no longer holds what is on disk.
    pub changed_files: u64,
    /// Mentions that were not asked about because the time was over.
    pub out_of_time: u64,
    /// Wall time in milliseconds.
    pub duration_ms: u64,
}
