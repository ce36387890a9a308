//! `mast docs`: the documentation of exactly this build.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use mast_core::Error;

use crate::failure::Outcome;
use crate::harness::text;
use crate::output::Output;

/// Every topic: its name, what it is, its text.
const TOPICS: [(&str, &str, &str); 4] = [
    ("readme", "what mast is, how to install it and begin", include_str!("../../../README.md")),
    ("spec", "the full behavioural specification", include_str!("../../../docs/spec.md")),
    ("skill", "the instructions for an assistant", text::SKILL),
    ("signals", "how to read the flags on an answer", include_str!("../../../docs/signals.md")),
];

/// Print documentation shipped with this build; without a topic, list the topics.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast docs\n  mast docs signals")]
pub(crate) struct DocsArgs {
    /// readme | spec | skill | signals
    #[arg(value_name = "topic")]
    pub(crate) topic: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &DocsArgs) -> Outcome {
    let mut out = Output::open();
    match &args.topic {
        None => {
            writeln!(out, "mast {} documentation:", env!("CARGO_PKG_VERSION"))?;
            for (name, what, _) in TOPICS {
                writeln!(out, "  mast docs {name:<8} {what}")?;
            }
        }
        Some(topic) => {
            let Some((_, _, text)) = TOPICS.iter().find(|(name, _, _)| name == topic) else {
                let names = TOPICS.map(|(name, _, _)| name).join(", ");
                return Err(Error::InvalidInput(format!("no topic `{topic}`; the topics are {names}")).into());
            };
            out.write_all(text.as_bytes())?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
