//! `mast_efficiency`: how many tokens the answers saved.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Contract, Output};

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
    #[schemars(range(min = 1))]
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
