//! `mast completions`: a completion script for a shell.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Outcome;
use crate::output::Output;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mast completions zsh > ~/.zfunc/_mast")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "shell")]
    pub(crate) shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mast", &mut script);
    let mut out = Output::open();
    out.write_all(&script)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
