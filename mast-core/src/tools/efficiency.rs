//! `mast_efficiency`: how many tokens the answers saved.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Contract, Output, Tool};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::task::CallContext;
use crate::telemetry::metrics::{Totals, iso};
use crate::telemetry::{efficiency_ratio, tokens};

/// The tool.
#[derive(Debug)]
pub struct Efficiency;

/// Arguments of `mast_efficiency`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EfficiencyInput {
    /// This session, or all recorded ones of this project.
    pub scope: EfficiencyScope,
    /// Only the last so many minutes; scope "global" only.
    // A hundred years: what came before has no calendar date to begin a window with.
    #[schemars(range(min = 1, max = 52_560_000))]
    pub since_minutes: Option<u32>,
}

/// Which calls are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EfficiencyScope {
    /// Calls of this process.
    #[default]
    Session,
    /// Calls of every process that used this state directory.
    Global,
}

/// Answer of `mast_efficiency`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct EfficiencyOutput {
    /// session or global.
    pub scope: EfficiencyScope,
    /// Begin of the time that is counted, ISO 8601 in UTC; null when nothing was recorded.
    pub window_started_at: Option<String>,
    /// Tokens of all answers.
    pub tokens_returned: u64,
    /// Tokens of the files the answers cited, read whole each time.
    pub tokens_full_file_upper_bound: u64,
    /// 1 - returned / full; negative when the answers were longer than the files.
    pub efficiency_ratio: f64,
    /// Calls of all tools.
    pub calls_total: u64,
    /// Calls of each tool.
    pub calls_by_tool: BTreeMap<String, u64>,
    /// How tokens were counted.
    pub tokenizer: String,
    /// The saving in one sentence.
    pub counterfactual: String,
}

impl Contract for Efficiency {
    const NAME: &'static str = "mast_efficiency";
    const TITLE: &'static str = "Token savings";
    const DESCRIPTION: &'static str = "\
Report how many tokens MAST's answers cost and how many reading the cited files whole would have cost, for this \
session or for all recorded time.";
    const HAS_STATS: bool = false;
    type Input = EfficiencyInput;
    type Output = EfficiencyOutput;
}

impl Tool for Efficiency {
    fn run(engine: &Engine, input: &EfficiencyInput, _context: &CallContext<'_>) -> Result<EfficiencyOutput> {
        let recorder = engine.recorder();
        let totals = match (input.scope, input.since_minutes) {
            (EfficiencyScope::Session, None) => recorder.session(),
            (EfficiencyScope::Global, minutes) => recorder.global(minutes)?,
            (EfficiencyScope::Session, Some(_)) => {
                return Err(Error::InvalidInput("since_minutes: only with scope \"global\"".into()));
            }
        };
        let Totals { window_started_at, tokens_returned, tokens_full_file_upper_bound, calls_by_tool } =
            totals;
        Ok(EfficiencyOutput {
            scope: input.scope,
            window_started_at: window_started_at.map(iso),
            tokens_returned,
            tokens_full_file_upper_bound,
            efficiency_ratio: efficiency_ratio(tokens_returned, tokens_full_file_upper_bound),
            calls_total: calls_by_tool.values().sum(),
            calls_by_tool,
            tokenizer: tokens::TOKENIZER.into(),
            counterfactual: counterfactual(tokens_returned, tokens_full_file_upper_bound),
        })
    }
}

/// `Would have cost ~14,200 tokens with naive full-file reads; saved ~11,400 tokens (80.3%).`
fn counterfactual(returned: u64, full: u64) -> String {
    if full == 0 {
        return "No file content was answered yet, so there is nothing to compare.".into();
    }
    let (saved, verb) = if returned <= full { (full - returned, "saved") } else { (returned - full, "cost") };
    let permille = (saved * 1000 + full / 2) / full;
    let more = if returned <= full { "" } else { " more" };
    format!(
        "Would have cost ~{} tokens with naive full-file reads; {verb} ~{} tokens{more} ({}.{}%).",
        grouped(full),
        grouped(saved),
        permille / 10,
        permille % 10
    )
}

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Output for EfficiencyOutput {
    fn files(&self) -> Vec<&str> {
        Vec::new()
    }
}

impl Display for EfficiencyOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.counterfactual)?;
        for (tool, calls) in &self.calls_by_tool {
            writeln!(f, "  {tool}  {calls}")?;
        }
        writeln!(f, "counted with {}", self.tokenizer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_saving_in_one_sentence() {
        assert_eq!(
            counterfactual(2_800, 14_200),
            "Would have cost ~14,200 tokens with naive full-file reads; saved ~11,400 tokens (80.3%)."
        );
        assert_eq!(
            counterfactual(150, 100),
            "Would have cost ~100 tokens with naive full-file reads; cost ~50 tokens more (50.0%)."
        );
        assert!(counterfactual(5, 0).starts_with("No file content"));
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
