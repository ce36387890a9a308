//! One call of one tool: read the arguments, answer, wrap.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

use super::answer::{Signals, Stats};
use super::{Output, Reply, Tool, ToolSpec, arguments};
use crate::engine::{CallContext, Engine};
use crate::error::{Error, Result};
use crate::telemetry::tokens;

/// A complete answer.
#[derive(Debug)]
pub(crate) struct Answer<O> {
    /// What the tool says.
    pub(crate) output: O,
    /// What MAST does not know about it.
    pub(crate) signals: Signals,
    /// What it cost.
    pub(crate) stats: Option<Stats>,
}

/// Answers one call.
pub(super) fn run<T: Tool>(
    spec: &ToolSpec,
    engine: &Engine,
    arguments: Value,
    context: &CallContext<'_>,
) -> Result<Reply> {
    let started = Instant::now();
    let input = arguments::parse::<T>(arguments, spec.input_schema())?;
    let output = T::run(engine, &input, context).map_err(|error| named::<T>(error))?;
    let signals = Signals::default().for_answer::<T>(output.is_empty());
    wrap::<T>(output, signals, started)
}

/// A handler's complaint about an argument begins with the tool's name, as the parser's do.
fn named<T: Tool>(error: Error) -> Error {
    match error {
        Error::InvalidInput(message) => Error::InvalidInput(format!("{}: {message}", T::NAME)),
        other => other,
    }
}

fn wrap<T: Tool>(output: T::Output, signals: Signals, started: Instant) -> Result<Reply> {
    let mut json = to_json(&Body { output: &output, signals })?;
    let mut stats = None;
    if T::HAS_STATS {
        let mut files: Vec<String> = Vec::new();
        for file in output.files() {
            if !files.iter().any(|known| known == file) {
                files.push(file.to_owned());
            }
        }
        let block = Stats {
            tool: T::NAME,
            tokens_returned: u64::from(tokens::count_tokens(&json)),
            tokens_full_file_upper_bound: 0,
            files_referenced: files,
            efficiency_ratio: 0.0,
            excluded_files: None,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        append(&mut json, "_stats", &to_json(&block)?);
        stats = Some(block);
    }
    Ok(Reply { json, text: Arc::new(Answer { output, signals, stats }) })
}

#[derive(Serialize)]
struct Body<'a, O> {
    #[serde(flatten)]
    output: &'a O,
    #[serde(flatten)]
    signals: Signals,
}

/// Adds a last member to an object, so that the text before it is what was counted.
fn append(json: &mut String, name: &str, value: &str) {
    json.pop();
    if json.len() > 1 {
        json.push(',');
    }
    json.push('"');
    json.push_str(name);
    json.push_str("\":");
    json.push_str(value);
    json.push('}');
}

fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))
}

impl<O: Output> Display for Answer<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.signals, self.output)?;
        match &self.stats {
            Some(stats) => writeln!(f, "\n{stats}"),
            None => Ok(()),
        }
    }
}
