//! `mast query`: any tool by name, JSON in, JSON out.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use mast_core::tools::TOOLS;
use mast_core::{CallContext, Error};
use serde_json::Value;

use super::reindex_first;
use crate::args::{Offering, ProjectArgs};
use crate::failure::{Failure, Outcome};
use crate::output::Output;

/// Invoke any MCP tool directly, with the output an MCP client would get
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast query mast_callers '{\"symbol\":\"resolveConfig\"}'\n  mast query mast_project_skeleton '{}' --json"
)]
pub(crate) struct QueryArgs {
    /// Name of the tool, like `mast_callers`; `mast query <tool> --help` explains its arguments
    #[arg(value_name = "tool", value_parser = Offering(tool_names), hide_possible_values = true)]
    pub(crate) tool: String,
    /// Its arguments, a JSON object
    #[arg(value_name = "json", default_value = "{}")]
    pub(crate) json_arguments: String,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Index what changed before asking (reported on standard error)
    #[arg(long)]
    pub(crate) reindex: bool,
    /// Print the exact single-line MCP response (default: pretty-printed)
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &QueryArgs) -> Outcome {
    let known = tool_names();
    if !known.contains(&&*args.tool) {
        return Err(Failure::Refused(format!(
            "unknown tool `{}`; the tools are {}",
            args.tool,
            known.join(", ")
        )));
    }
    let arguments: Value = serde_json::from_str(&args.json_arguments).map_err(|error| {
        Error::InvalidInput(format!(
            "the arguments are not valid JSON: {error}; they are written like '{{\"symbol\": \"add\"}}'"
        ))
    })?;
    let engine = args.project.open()?;
    if args.reindex {
        reindex_first(&engine, "mast query --reindex")?;
    }
    let reply = engine.call(&args.tool, arguments, &CallContext::default())?;
    let mut out = Output::open();
    if args.json {
        writeln!(out, "{}", reply.json)?;
    } else {
        let answer: Value = serde_json::from_str(&reply.json)
            .map_err(|error| Error::Internal(format!("the answer cannot be read: {error}")))?;
        writeln!(out, "{answer:#}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn tool_names() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.name).collect()
}
