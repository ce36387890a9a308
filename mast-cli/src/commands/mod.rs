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
pub(crate) mod upgrade;
pub(crate) mod walk;

use std::env;
use std::path::PathBuf;

use mast_core::config::{Config, ConfigRequest, Environment};
use mast_core::{Engine, OpenOptions};

use crate::args::{Cli, Command, PlaceArgs, ProjectArgs, RootArgs};
use crate::failure::{Failure, Outcome, note};

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
        Command::Prime(args) => prime::run(&args),
        Command::Hook(args) => Ok(hook::run(&args)),
        Command::Setup(args) => setup::run(&args),
        Command::Upgrade(args) => upgrade::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}

impl ProjectArgs {
    /// Opens the project these arguments name.
    pub(crate) fn open(&self) -> Result<Engine, Failure> {
        let root = self.path.clone().or_else(|| self.place.root.clone());
        Ok(Engine::open(OpenOptions { root, state_dir: self.place.state_dir.clone() })?)
    }
}

impl PlaceArgs {
    /// Opens the project these arguments name.
    pub(crate) fn open(&self) -> Result<Engine, Failure> {
        Ok(Engine::open(OpenOptions { root: self.root.clone(), state_dir: self.state_dir.clone() })?)
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
