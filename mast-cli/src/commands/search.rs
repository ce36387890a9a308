//! `mast search`: `mast_search` for people.

use std::process::ExitCode;

use clap::Args;

use crate::args::ProjectArgs;
use crate::failure::Outcome;

/// Search the index and print readable results.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast search \"createUser\"\n  mast search \"greet\" --type method --exported -n 5\n  \
                  mast search \"config\" --file \"src/store/**\""
)]
pub(crate) struct SearchArgs {
    /// Words, or the name of a declaration
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Most results to show, 1-50
    #[arg(short = 'n', long, value_name = "n", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=50))]
    pub(crate) limit: u32,
    /// Only this kind of code
    #[arg(short = 't', long = "type", value_name = "kind", value_parser = ["function", "method", "class_shell", "interface", "type", "export", "block", "doc"])]
    pub(crate) kind: Option<String>,
    /// Only this language
    #[arg(short, long, value_name = "lang", value_parser = ["typescript", "javascript", "markdown"])]
    pub(crate) language: Option<String>,
    /// Only exported symbols
    #[arg(short, long)]
    pub(crate) exported: bool,
    /// Only files that match this glob, like `src/store/**`
    #[arg(short, long, value_name = "glob")]
    pub(crate) file: Option<String>,
    /// Index what changed before searching (reported on standard error)
    #[arg(long)]
    pub(crate) reindex: bool,
    /// Print the raw MCP response instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &SearchArgs) -> Outcome {
    args.project.open()?;
    Ok(ExitCode::SUCCESS)
}
