//! `mast status`: is there an index, and does it describe what is on disk?

use std::process::ExitCode;

use clap::Args;

use crate::args::ProjectArgs;
use crate::failure::Outcome;

/// Print index health.
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
    args.project.open()?;
    Ok(ExitCode::SUCCESS)
}
