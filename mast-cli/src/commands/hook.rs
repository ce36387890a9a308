//! `mast hook`: the entry point of an assistant's hooks. Always exits 0, and says nothing when in doubt.
//!
//! Runs before the command line is parsed: a search hook precedes every search.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, io};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::prime;
use crate::failure::note;
use crate::harness::hook_file::Action;
use crate::harness::hook_input::{self, HookInput};
use crate::harness::project::Project;
use crate::harness::{self, Answer, HARNESSES};

/// Answer an agent hook: the hook's JSON on standard input, the harness's JSON on standard output, or nothing.
#[derive(Debug, Args)]
#[command(
    after_help = "Called by the hooks `mast setup` installs. The exit code is always 0, so that a hook cannot break a session."
)]
pub(crate) struct HookArgs {
    /// The assistant whose hook this is
    #[arg(value_name = "harness", value_parser = PossibleValuesParser::new(with_hooks()))]
    pub(crate) harness: Option<String>,
    /// What it is about
    #[arg(value_name = "event", value_parser = PossibleValuesParser::new(Action::ALL.map(Action::as_str)))]
    pub(crate) event: Option<String>,
}

/// The harnesses that have hooks.
fn with_hooks() -> Vec<PossibleValue> {
    harness::possible_values(HARNESSES.into_iter().filter(|harness| harness.hooks.is_some()))
}

/// Answers the hook when the arguments are those of one, without looking at anything else.
pub(crate) fn run_early(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.next()? != "hook" {
        return None;
    }
    let rest: Vec<String> = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        return None;
    }
    let mut words = rest.into_iter();
    Some(run(&HookArgs { harness: words.next(), event: words.next() }))
}

/// Runs the command.
pub(crate) fn run(args: &HookArgs) -> ExitCode {
    match answer(args) {
        Ok(Some(json)) => {
            let mut out = io::stdout().lock();
            // A host that stopped listening is no failure.
            let _ = out.write_all(format!("{json}\n").as_bytes()).and_then(|()| out.flush());
        }
        Ok(None) => {}
        Err(line) => note(&format!("hook: {line}")),
    }
    ExitCode::SUCCESS
}

fn answer(args: &HookArgs) -> Result<Option<String>, String> {
    let (harness, event) =
        (args.harness.as_deref().unwrap_or_default(), args.event.as_deref().unwrap_or_default());
    let hooks = harness::find(harness).and_then(|harness| harness.hooks.as_ref());
    let Some(hooks) = hooks else { return Err(format!("no hooks for `{harness}`")) };
    let Some(action) = Action::parse(event) else { return Err(format!("no event `{event}`")) };
    let input = HookInput::parse(&hook_input::read_stdin())?;
    let directory = match input.cwd() {
        Some(cwd) => PathBuf::from(cwd),
        None => env::current_dir().map_err(|error| format!("no current directory: {error}"))?,
    };
    let project = Project::around(&directory);
    Ok(match (hooks.answer)(&input, action, &project) {
        None => None,
        Some(Answer::Line(envelope, line)) => Some(envelope.wrap(&line)),
        Some(Answer::Primer(envelope)) => Some(envelope.wrap(&prime::text(&project.root))),
    })
}
