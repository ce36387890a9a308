//! **Holds** the counter: every tool's name, input, output and handler, in one list.
//! **Takes / gives** JSON in, [`Reply`] out; typed functions underneath.
//! **Never** speaks SQL or touches the disk; that is `store` and `source`, reached through `engine`.
//! **Next** the doors: the crates that carry replies to MCP clients, terminals, Node and C.

use crate::engine::{CallContext, Engine};
use crate::error::{Error, Result};

/// A tool's answer.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The answer as one line of JSON: the text content of an MCP result, byte for byte the same through every door.
    pub json: String,
}

/// One row of the registry.
#[derive(Debug)]
pub struct ToolSpec {
    /// `mast_search` and so on.
    pub name: &'static str,
    /// Whether it leaves the index as it is.
    pub is_read_only: bool,
}

/// Every tool, in the order it is listed.
pub static TOOLS: &[ToolSpec] = &[];

/// Runs the tool called `name`.
pub(crate) fn call(
    _engine: &Engine,
    name: &str,
    _arguments: serde_json::Value,
    _context: &CallContext<'_>,
) -> Result<Reply> {
    let known: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
    Err(Error::InvalidInput(format!("unknown tool `{name}`; the tools are {}", known.join(", "))))
}
