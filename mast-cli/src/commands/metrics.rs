//! `mast metrics`: what the tools returned, against reading files whole.

use std::process::ExitCode;

use clap::Args;

use crate::args::ProjectArgs;
use crate::failure::Outcome;

/// Show token-efficiency metrics.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast metrics --since 24h\n  mast metrics --rollup --vacuum")]
pub(crate) struct MetricsArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Time window: days, hours or minutes, like 7d, 24h, 30m
    #[arg(long, value_name = "window", default_value = "7d")]
    pub(crate) since: String,
    /// Collapse raw rows older than --keep-days into daily roll-ups
    #[arg(long)]
    pub(crate) rollup: bool,
    /// Delete daily roll-up rows older than --keep-days
    #[arg(long)]
    pub(crate) vacuum: bool,
    /// Retention in days (default: 7 for --rollup, 90 for --vacuum)
    #[arg(long, value_name = "n")]
    pub(crate) keep_days: Option<u32>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &MetricsArgs) -> Outcome {
    args.project.open()?;
    Ok(ExitCode::SUCCESS)
}
