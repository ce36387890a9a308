//! `mast status`: is there an index, and does it describe what is on disk?

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use mast_core::{CallContext, Error};
use serde_json::{Value, json};

use crate::args::ProjectArgs;
use crate::failure::{Failure, Outcome};
use crate::output::Output;

/// Print index health
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 when there is an index, stale or not; 1 when nothing is indexed or it cannot be read."
)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &StatusArgs) -> Outcome {
    let engine = args.project.open()?;
    let reply = engine.call("mast_status", json!({}), &CallContext::default())?;
    let status: Value = serde_json::from_str(&reply.json)
        .map_err(|error| Failure::Core(Error::Internal(format!("the status cannot be read: {error}"))))?;
    let is_usable = is_usable(&status);
    let mut out = Output::open();
    if args.json {
        writeln!(out, "{status:#}")?;
    } else {
        writeln!(out, "project_root:          {}", engine.root().display())?;
        write!(out, "{}", reply.text())?;
        if !is_usable {
            writeln!(out, "\nnothing is indexed here that this version can read; run `mast index`")?;
        }
    }
    out.flush()?;
    Ok(if is_usable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether there is an index that this version reads.
fn is_usable(status: &Value) -> bool {
    let cause = status["freshness_cause"].as_str();
    status["indexed_files"].as_u64() > Some(0) && !matches!(cause, Some("index_version" | "stamp_unreadable"))
}
