//! `mast walk`: which directories and files the configuration makes MAST walk.

use std::process::ExitCode;

use clap::Args;

use crate::args::ProjectArgs;
use crate::failure::Outcome;

/// Show which directories and files the config makes mast walk. Reads no index, writes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast walk --depth 1\n  mast walk --files")]
pub(crate) struct WalkArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Roll directories up to this many path segments
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
    /// List every walked file instead of the directories
    #[arg(long)]
    pub(crate) files: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &WalkArgs) -> Outcome {
    args.project.open()?;
    Ok(ExitCode::SUCCESS)
}
