//! `mast serve`: the MCP server over standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use crate::args::PlaceArgs;
use crate::failure::{Failure, Outcome, note};
use crate::server::{self, Log, Startup};

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
    let engine = args.place.open()?.long_lived();
    for warning in &engine.config().warnings {
        note(warning);
    }
    if args.no_startup_reindex && !engine.has_index() && server::seed_dir(&engine).is_none() {
        return Err(Failure::Refused(format!(
            "nothing is indexed in {} and --no-startup-reindex forbids to begin; run `mast index` first",
            engine.state_dir().display()
        )));
    }
    let log = Log::from_environment();
    let is_linked = mast_core::source::is_linked_worktree(engine.root());
    if is_linked && !args.no_watch {
        let line = "source files are not watched in a linked git worktree; call mast_reindex after creating or renaming files";
        log.info(line);
        engine.warn(line.into());
    }
    let startup = Startup { reindex: !args.no_startup_reindex, watch: !args.no_watch && !is_linked };
    server::serve(Arc::new(engine), startup, log)?;
    Ok(ExitCode::SUCCESS)
}
