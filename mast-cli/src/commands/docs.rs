//! `mast docs`: the documentation of exactly this build.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::failure::Outcome;
use crate::harness::text;
use crate::output::Output;

/// Every topic: its name, what it is, its text.
const TOPICS: [(&str, &str, &str); 6] = [
    ("readme", "what mast is, how to install it and begin", include_str!("../../../README.md")),
    ("spec", "the full behavioural specification", include_str!("../../../docs/spec.md")),
    ("skill", "the instructions for an assistant", text::SKILL),
    ("signals", "how to read the flags on an answer", include_str!("../../../docs/signals.md")),
    ("errors", "error codes and exit codes, and what to do", include_str!("../../../docs/errors.md")),
    ("harnesses", "what `mast setup` writes for each assistant", include_str!("../../../docs/harnesses.md")),
];

/// Print documentation shipped with this build; without a topic, list the topics.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast docs\n  mast docs signals")]
pub(crate) struct DocsArgs {
    /// What to print
    #[arg(value_name = "topic", value_parser = PossibleValuesParser::new(TOPICS.map(|(name, _, _)| name)))]
    pub(crate) topic: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &DocsArgs) -> Outcome {
    let mut out = Output::open();
    match &args.topic {
        None => {
            writeln!(out, "mast {} documentation:", env!("CARGO_PKG_VERSION"))?;
            for (name, what, _) in TOPICS {
                writeln!(out, "  mast docs {name:<9} {what}")?;
            }
        }
        Some(topic) => {
            for (_, _, text) in TOPICS.iter().filter(|(name, _, _)| name == topic) {
                out.write_all(text.as_bytes())?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
