//! `mast index`: build the index or bring it up to date.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::args::ProjectArgs;
use crate::failure::Outcome;

/// Build or update the index.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast index\n  mast index --incremental\n  mast index --checker --typescript ./node_modules/typescript"
)]
pub(crate) struct IndexArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Only files that changed since the last run
    #[arg(long)]
    pub(crate) incremental: bool,
    /// Print progress to standard error, also when that is not a terminal
    #[arg(long)]
    pub(crate) show_progress: bool,
    /// Ask the repository's own TypeScript where unproven calls go; takes minutes on a large repository
    #[arg(long)]
    pub(crate) checker: bool,
    /// The TypeScript package --checker uses (default: the one the repository has installed)
    #[arg(long, value_name = "dir", requires = "checker")]
    pub(crate) typescript: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &IndexArgs) -> Outcome {
    args.project.open()?;
    Ok(ExitCode::SUCCESS)
}
