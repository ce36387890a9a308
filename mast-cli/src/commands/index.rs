//! `mast index`: build the index or bring it up to date.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use mast_core::checker::{CheckReport, CheckRequest};
use mast_core::index::{IndexReport, RunRequest};
use mast_core::{CallContext, Cancel, Engine};

use super::{PATIENCE, count, summary};
use crate::args::ProjectArgs;
use crate::end_signal::end_signal;
use crate::failure::{Failure, Outcome, note};
use crate::output::Output;
use crate::progress::ProgressReport;

/// Files with something wrong that are named; the rest is in `mast status`.
const NAMED_TROUBLES: usize = 20;

/// Build or update the index
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast index\n  mast index --incremental\n  mast index --incremental --checker\n\n\
    --checker proves callers that syntax alone does not, and strikes mentions that are none. Its results are used while \
    every file it rests on is as it was: indexed files, those of installed packages, configurations. `mast status` says \
    whether they are, and what suspends them. A run that writes a file deletes them, and so does a full run.\n\n\
    Exit code: 0 when every file was written, also when some could not be parsed (they are named); 1 otherwise, and when \
    --checker finds no TypeScript or it fails. A project whose configuration cannot be used is left out and named, with 0."
)]
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
    /// The TypeScript that --checker asks, 5 or newer: its package, or a directory that has it installed (default: the one
    /// the repository has installed)
    #[arg(long, value_name = "dir", requires = "checker", value_hint = ValueHint::DirPath)]
    pub(crate) typescript: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &IndexArgs) -> Outcome {
    let engine = args.project.open()?;
    let request = CheckRequest { typescript: args.typescript.clone(), ..CheckRequest::default() };
    if args.checker {
        // What cannot work is refused before anything is written.
        engine.require_typescript(&request)?;
    }
    let mut out = Output::open();
    let indexed = if args.incremental {
        index(&engine, false, "mast index --incremental", args.show_progress, &mut out)?
    } else {
        full_run(&engine, "mast index", args.show_progress, &mut out)?
    };
    if args.checker {
        check(&engine, &request, args.show_progress, &mut out)?;
    }
    Ok(indexed)
}

/// Asks TypeScript and prints what came of it.
fn check(
    engine: &Engine,
    request: &CheckRequest,
    show_progress: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let progress = ProgressReport::start(show_progress, "checking");
    let show = |state| progress.show(state);
    let context = CallContext { progress: Some(&show), ..CallContext::default() };
    cancel_at_end_signal(&context.cancel);
    let report = engine.check(request, &context);
    progress.finish();
    let report = report?;
    for line in &report.left_out_projects {
        note(&format!("left out: {line}"));
    }
    if report.outside_files > 0 {
        note(
            "a file is asked about when a tsconfig.json or jsconfig.json in its directory or above includes it",
        );
    }
    if report.borrowing_projects > 0 {
        note(
            "where no TypeScript is installed above a project, that of another project, or of the root, was asked",
        );
    }
    writeln!(out, "{}", checked(&report))?;
    out.flush()?;
    Ok(())
}

/// Gives up when the process is asked to end: a TypeScript that does not notice that nobody listens would outlive it.
fn cancel_at_end_signal(cancel: &Cancel) {
    let cancel = cancel.clone();
    let wait = move || {
        // Without a runtime the signal ends the process as it always did.
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(end_signal());
            cancel.cancel();
        }
    };
    std::thread::spawn(wait);
}

/// What TypeScript was asked and said, in one line.
fn checked(report: &CheckReport) -> String {
    let asked = format!("{} asked about", count(report.asked, "mention"));
    let by = match &*report.versions {
        [] => String::new(),
        versions => {
            format!(" by TypeScript {} in {}", versions.join(", "), count(report.projects, "project"))
        }
    };
    let mut parts = vec![
        format!("{asked}{by}"),
        format!("{} verified", count(report.proven_calls, "call")),
        format!("{} of other declarations", count(report.outside_calls, "call")),
        format!("{} no calls", report.non_calls),
        format!("{} unresolved", report.unresolved),
    ];
    for (number, what, why) in [
        (report.left_out_projects.len() as u64, "project", "left out"),
        (report.borrowing_projects, "project", "asked with another's TypeScript"),
        (report.outside_files, "file", "outside every project"),
        (report.unreadable_files, "file", "with line ends that not all readers count"),
        (report.changed_files, "file", "changed since the run"),
        (report.out_of_time, "mention", "not asked about for want of time"),
    ] {
        if number > 0 {
            parts.push(format!("{} {why}", count(number, what)));
        }
    }
    parts.push(format!("{} ms", report.duration_ms));
    parts.join(", ")
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
    let progress = ProgressReport::start(show_progress, "indexing");
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
