//! `mast serve`: the MCP server over standard input and output.

use std::process::ExitCode;

use clap::Args;

use crate::args::PlaceArgs;
use crate::failure::Outcome;

/// Start the MCP server over stdio.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast serve\n  mast serve --no-watch --state-dir /var/cache/mast/app")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Skip the staleness check at startup (not recommended)
    #[arg(long)]
    pub(crate) no_startup_reindex: bool,
    /// Do not watch source files (batch and container use)
    #[arg(long, conflicts_with = "watch")]
    pub(crate) no_watch: bool,
    /// Watch source files and reindex what changes (the default; accepted for compatibility)
    #[arg(long)]
    pub(crate) watch: bool,
}

/// Runs the command.
pub(crate) fn run(args: &ServeArgs) -> Outcome {
    args.place.open()?;
    Ok(ExitCode::SUCCESS)
}
