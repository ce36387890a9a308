//! One file a command: its arguments and its `run`. Arguments in, text on standard output, an exit code out.

pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod metrics;
pub(crate) mod query;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod walk;

use mast_core::{Engine, OpenOptions};

use crate::args::{Cli, Command, PlaceArgs, ProjectArgs};
use crate::failure::{Failure, Outcome};

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
        Command::Query(args) => query::run(&args),
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
