//! `mast index`: build the index or bring it up to date.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mast_core::index::{IndexReport, RunRequest};
use mast_core::{CallContext, Engine};

use super::{PATIENCE, summary};
use crate::args::ProjectArgs;
use crate::failure::{Failure, Outcome, note};
use crate::output::Output;
use crate::progress::ProgressReport;

/// Files with something wrong that are named; the rest is in `mast status`.
const NAMED_TROUBLES: usize = 20;

/// Build or update the index
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast index\n  mast index --incremental\n\n\
    Exit code: 0 when every file was written, also when some could not be parsed (they are named); 1 otherwise.")]
pub(crate) struct IndexArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Only reindex files changed since the last run
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
    let engine = args.project.open()?;
    if args.checker {
        return Err(Failure::Refused("--checker is not part of this build; nothing was indexed".to_owned()));
    }
    let mut out = Output::open();
    if args.incremental {
        index(&engine, false, "mast index --incremental", args.show_progress, &mut out)
    } else {
        full_run(&engine, "mast index", args.show_progress, &mut out)
    }
}

/// Indexes every file and prints what was done.
pub(crate) fn full_run(
    engine: &Engine,
    operation: &'static str,
    show_progress: bool,
    out: &mut Output,
) -> Outcome {
    index(engine, true, operation, show_progress, out)
}

fn index(
    engine: &Engine,
    full: bool,
    operation: &'static str,
    show_progress: bool,
    out: &mut Output,
) -> Outcome {
    let request = RunRequest { full, operation, patience: PATIENCE, link_budget: None };
    let progress = ProgressReport::start(show_progress);
    let show = |state| progress.show(state);
    let context = CallContext { progress: Some(&show), ..CallContext::default() };
    let report = engine.index(&request, &context);
    progress.finish();
    let report = report?;
    tell_troubles(&report);
    writeln!(out, "{}", summary(&report))?;
    out.flush()?;
    Ok(if report.write_errors > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Names on standard error what went wrong with single files, and says what the run has to say.
pub(crate) fn tell_troubles(report: &IndexReport) {
    report.notes.iter().for_each(|line| note(line));
    for trouble in report.troubles.iter().take(NAMED_TROUBLES) {
        note(&format!("{}: {}", trouble.path, trouble.problem.message));
    }
    let more = report.troubles.len().saturating_sub(NAMED_TROUBLES);
    if more > 0 {
        note(&format!("{more} more files with problems; see `mast status`"));
    }
}
