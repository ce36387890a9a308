//! `mast_reindex`: bring the index up to date now.

use std::fmt::{self, Display};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Contract, Output, Tool};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::index::RunRequest;
use crate::task::CallContext;

/// How often the lock is asked for, and how long each time.
const ATTEMPTS: u32 = 5;
const PATIENCE: Duration = Duration::from_secs(1);

/// The tool.
#[derive(Debug)]
pub struct Reindex;

/// Arguments of `mast_reindex`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReindexInput {
    /// Build everything anew instead of only what changed.
    pub full: bool,
}

/// Answer of `mast_reindex`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReindexOutput {
    /// Files parsed and written.
    pub files_indexed: u64,
    /// Files that had not changed.
    pub files_skipped: u64,
    /// Chunks written.
    pub chunks_added: u64,
    /// Chunks removed.
    pub chunks_removed: u64,
    /// Files that gave nothing to the parser or could not be read.
    pub parse_errors: u64,
    /// Files that could not be written to the index.
    pub write_errors: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

impl Contract for Reindex {
    const NAME: &'static str = "mast_reindex";
    const TITLE: &'static str = "Update the index";
    const DESCRIPTION: &'static str = "\
Bring the index up to date now: after creating, renaming or deleting files, or when an answer reports \
unindexed_files, changed_files or pending_edge_repairs. Only what changed is parsed; full: true rebuilds everything, \
for an index suspected to be wrong. The only tool that writes.";
    const IS_READ_ONLY: bool = false;
    const HAS_STATS: bool = false;
    type Input = ReindexInput;
    type Output = ReindexOutput;
}

impl Tool for Reindex {
    fn run(engine: &Engine, input: &ReindexInput, context: &CallContext<'_>) -> Result<ReindexOutput> {
        let request =
            RunRequest { full: input.full, operation: "mast_reindex", patience: PATIENCE, link_budget: None };
        let mut attempt = 1;
        let report = loop {
            match engine.index(&request, context) {
                Err(Error::Busy(_)) if attempt < ATTEMPTS => {
                    context.cancel.check()?;
                    attempt += 1;
                }
                other => break other?,
            }
        };
        Ok(ReindexOutput {
            files_indexed: report.files_indexed,
            files_skipped: report.files_skipped,
            chunks_added: report.chunks_added,
            chunks_removed: report.chunks_removed,
            parse_errors: report.parse_errors,
            write_errors: report.write_errors,
            duration_ms: report.duration_ms,
        })
    }
}

impl Output for ReindexOutput {
    fn files(&self) -> Vec<&str> {
        Vec::new()
    }
}

impl Display for ReindexOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files_indexed, files_skipped, chunks_added, chunks_removed, duration_ms, .. } = self;
        writeln!(f, "{files_indexed} files indexed, {files_skipped} unchanged, in {duration_ms} ms")?;
        writeln!(f, "{chunks_added} chunks added, {chunks_removed} removed")?;
        if self.parse_errors > 0 || self.write_errors > 0 {
            writeln!(
                f,
                "! {} files failed to parse, {} to be written",
                self.parse_errors, self.write_errors
            )?;
        }
        Ok(())
    }
}
