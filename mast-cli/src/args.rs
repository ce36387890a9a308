//! The command line as clap reads it. Each command's own arguments live beside the command, in `commands/`.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Parser, Subcommand, ValueHint};
use mast_core::glob::Globs;

use crate::commands;

/// Code search for TypeScript, JavaScript and Markdown repositories: exactly the code that was asked for.
#[derive(Debug, Parser)]
#[command(
    name = "mast",
    bin_name = "mast",
    version,
    about,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Examples:\n  \
        mast init                          set up the project in this directory and index it\n  \
        mast search \"createUser\"           the declaration, not the file it lives in\n  \
        mast query mast_callers '{\"symbol\":\"createUser\"}'\n  \
        mast serve                         speak MCP on standard input and output\n\n\
        `mast <command> --help` explains a command."
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Every command, in the order `mast --help` lists them.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(commands::init::InitArgs),
    Search(commands::search::SearchArgs),
    Index(commands::index::IndexArgs),
    Serve(commands::serve::ServeArgs),
    Status(commands::status::StatusArgs),
    Walk(commands::walk::WalkArgs),
    Metrics(commands::metrics::MetricsArgs),
    InstallHooks(commands::install_hooks::InstallHooksArgs),
    Query(commands::query::QueryArgs),
    Docs(commands::docs::DocsArgs),
    Skill(commands::skill::SkillArgs),
    Prime(commands::prime::PrimeArgs),
    Hook(commands::hook::HookArgs),
    Setup(commands::setup::SetupArgs),
    Upgrade(commands::upgrade::UpgradeArgs),
    Completions(commands::completions::CompletionsArgs),
}

/// Which project a command is about: shared by every command that takes `[path]`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ProjectArgs {
    /// Project root (default: found from the current directory upward)
    #[arg(value_name = "path", conflicts_with = "root", value_hint = ValueHint::DirPath)]
    pub(crate) path: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// The same for commands without a `[path]` argument.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlaceArgs {
    /// Project root, as an option
    #[arg(long, value_name = "dir", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
    /// Directory of the index (default: `MAST_STATE_DIR`, then `state_dir` of mast.config.json, then .mast)
    #[arg(long, value_name = "dir", value_hint = ValueHint::DirPath)]
    pub(crate) state_dir: Option<PathBuf>,
}

/// The root alone, for commands that need no index.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RootArgs {
    /// Project root
    #[arg(value_name = "path", conflicts_with = "root", value_hint = ValueHint::DirPath)]
    pub(crate) path: Option<PathBuf>,
    /// Project root, as an option
    #[arg(long, value_name = "dir", value_hint = ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
}

/// Reads a whole number of `range`; what is wrong with another text names the range.
pub(crate) fn whole_number(range: RangeInclusive<u32>) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("must be a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Reads a glob of the one dialect.
pub(crate) fn glob(text: &str) -> Result<String, String> {
    Globs::new([text]).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Reads any text, and gives completion the words that are understood: what else is given is refused by the command
/// itself, in its own words and with its own exit code.
#[derive(Debug, Clone)]
pub(crate) struct Offering(pub(crate) fn() -> Vec<&'static str>);

impl TypedValueParser for Offering {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}
