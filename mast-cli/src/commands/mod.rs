//! One file a command: its arguments and its `run`. Arguments in, text on standard output, an exit code out.

pub(crate) mod completions;
pub(crate) mod docs;
pub(crate) mod hook;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod install_hooks;
pub(crate) mod metrics;
pub(crate) mod prime;
pub(crate) mod query;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod setup;
pub(crate) mod skill;
pub(crate) mod status;
pub(crate) mod tool_help;
pub(crate) mod upgrade;
pub(crate) mod walk;

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use mast_core::config::{Config, ConfigLayer, ConfigRequest, Environment, RootChoice};
use mast_core::index::{IndexReport, RunRequest};
use mast_core::{CallContext, Engine, Error};

use crate::args::{Cli, Command, PlaceArgs, ProjectArgs, RootArgs};
use crate::failure::{Failure, Outcome, note};

/// How long a command waits for another process that writes the index.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Outcome {
    match cli.command {
        Command::Init(args) => init::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Walk(args) => walk::run(&args),
        Command::Metrics(args) => metrics::run(&args),
        Command::InstallHooks(args) => install_hooks::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Docs(args) => docs::run(&args),
        Command::Skill(args) => skill::run(&args),
        Command::Prime(args) => Ok(prime::run(&args)),
        Command::Hook(args) => Ok(hook::run(&args)),
        Command::Setup(args) => setup::run(&args),
        Command::Upgrade(args) => upgrade::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}

impl ProjectArgs {
    /// The project these arguments name, with what a person should know about it said on standard error.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        load(
            self.path.clone().or_else(|| self.place.root.clone()),
            RootChoice::Search,
            &self.place,
            ConfigLayer::default(),
        )
    }

    /// The same for `init`: values of flags go in, and without a path the working directory is meant.
    pub(crate) fn config_for_init(&self, layer: ConfigLayer) -> Result<Config, Failure> {
        let named = self.path.clone().or_else(|| self.place.root.clone());
        load(named, RootChoice::WorkingDirectory, &self.place, layer)
    }

    /// Opens the project these arguments name.
    pub(crate) fn open(&self) -> Result<Engine, Failure> {
        Ok(Engine::with_config(self.config()?))
    }
}

impl PlaceArgs {
    /// Opens the project these arguments name.
    pub(crate) fn open(&self) -> Result<Engine, Failure> {
        let config = load(self.root.clone(), RootChoice::Search, self, ConfigLayer::default())?;
        Ok(Engine::with_config(config))
    }
}

fn load(
    named: Option<PathBuf>,
    otherwise: RootChoice,
    place: &PlaceArgs,
    layer: ConfigLayer,
) -> Result<Config, Failure> {
    let root = named.map_or(otherwise, RootChoice::Explicit);
    let request = ConfigRequest { root, state_dir: place.state_dir.clone(), layer };
    let config = Config::load(&request, &Environment::of_process()?)?;
    config.root_note().iter().for_each(|line| note(line));
    config.warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
    Ok(config)
}

/// Indexes what changed before a question is answered, and says so on standard error. When another process is writing,
/// that is a warning: the question is answered from the index there is.
fn reindex_first(engine: &Engine, operation: &'static str) -> Result<(), Failure> {
    let request = RunRequest { full: false, operation, patience: PATIENCE, link_budget: None };
    match engine.index(&request, &CallContext::default()) {
        Ok(report) => {
            index::tell_troubles(&report);
            note(&format!("reindexed: {}", summary(&report)));
            Ok(())
        }
        Err(Error::Busy(reason)) => {
            note(&format!("warning: not reindexed: {reason}; answering from the index there is"));
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// What a run did, in one line.
fn summary(report: &IndexReport) -> String {
    let mut parts = vec![
        format!("{} indexed", count(report.files_indexed, "file")),
        format!("{} unchanged", report.files_skipped),
    ];
    if report.files_removed > 0 {
        parts.push(format!("{} removed", report.files_removed));
    }
    parts.push(format!("{} written in {} ms", count(report.chunks_added, "chunk"), report.duration_ms));
    for (number, what) in [(report.parse_errors, "parse error"), (report.write_errors, "write error")] {
        if number > 0 {
            parts.push(count(number, what));
        }
    }
    if report.pending_links > 0 {
        parts.push(format!("edges of {} pending", count(report.pending_links, "file")));
    }
    parts.join(", ")
}

/// `1 file`, `2 files`, `2 directories`.
pub(crate) fn count(number: u64, what: &str) -> String {
    match (number, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {what}s"),
    }
}

impl RootArgs {
    /// The directory these arguments name, else the current one.
    pub(crate) fn directory(&self) -> Result<PathBuf, Failure> {
        let given = self.path.clone().or_else(|| self.root.clone());
        let directory = match given {
            Some(given) => given,
            None => env::current_dir()
                .map_err(|error| Failure::Refused(format!("no current directory: {error}")))?,
        };
        if directory.is_dir() {
            Ok(directory)
        } else {
            Err(Failure::Refused(format!("{} is not a directory", directory.display())))
        }
    }

    /// The same, but without arguments the project around the current directory, named when it is another one.
    pub(crate) fn found(&self) -> Result<PathBuf, Failure> {
        if self.path.is_some() || self.root.is_some() {
            return self.directory();
        }
        let config = Config::load(&ConfigRequest::default(), &Environment::of_process()?)?;
        if let Some(line) = config.root_note() {
            note(&line);
        }
        Ok(config.project_root)
    }
}
