//! `mast init`: write the saved configuration, then index.

use std::process::ExitCode;

use clap::Args;

use crate::args::ProjectArgs;
use crate::failure::Outcome;

/// Initialise MAST for a project and run the first full index.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast init\n  mast init packages/app --extensions ts,tsx,md --exclude '**/generated/**'"
)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// File extensions to index, with or without the dot (default: .ts,.tsx,.js,.jsx,.md)
    #[arg(long, value_name = "ext,...", value_delimiter = ',')]
    pub(crate) extensions: Option<Vec<String>>,
    /// Glob patterns to leave out; the list replaces the default one
    #[arg(long, value_name = "pattern,...")]
    pub(crate) exclude: Option<String>,
    /// Create the configuration only; skip the first index
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// Runs the command.
pub(crate) fn run(args: &InitArgs) -> Outcome {
    args.project.open()?;
    Ok(ExitCode::SUCCESS)
}
