//! The `mast` command: reads the arguments, runs one command, turns its outcome into an exit code.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod end_signal;
mod failure;
mod harness;
mod output;
mod progress;
mod server;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // A search hook runs before every search of an assistant: nothing else is set up for it.
    if let Some(code) = commands::hook::run_early(std::env::args_os().skip(1)) {
        return code;
    }
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::report_usage(&error),
    };
    match commands::run(cli) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
