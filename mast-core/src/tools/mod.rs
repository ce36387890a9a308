//! **Holds** the counter: every tool's name, input, output and handler, in one list.
//! **Takes / gives** JSON in, [`Reply`] out; typed inputs and outputs underneath.
//! **Never** speaks SQL or touches the disk; that is `store` and `source`, reached through `engine`.
//! **Next** the doors: the crates that carry replies to MCP clients, terminals, Node and C.
//!
//! A tool is one file: its input, its output (doc comments become the help text of the schemas), how the output reads
//! for people, and two `impl`s. [`Contract`] says what the tool promises; [`Tool`] answers it. The row in [`TOOLS`]
//! makes it known to every door at once.

#![expect(
    clippy::doc_markdown,
    reason = "doc comments of inputs and outputs are the help text of schemas: plain words"
)]

pub mod answer;
pub mod arguments;
pub mod callers;
pub mod dependencies;
pub mod efficiency;
pub mod exports;
pub mod implementors;
mod list;
pub mod outline;
pub mod parts;
pub mod reindex;
pub mod rename_impact;
mod run;
pub mod schema;
pub mod search;
pub mod section;
pub mod signature;
pub mod skeleton;
pub mod status;
mod subject;

use std::fmt::{Debug, Display};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::task::CallContext;

pub use list::list_json;
pub use parts::Share;

use schema::CachedSchema;

/// What a tool promises: its name, its help, the shape of its input and output, and which signals its answers carry.
pub trait Contract: 'static {
    /// `mast_search` and so on.
    const NAME: &'static str;
    /// A few words for a person's list of tools.
    const TITLE: &'static str;
    /// When to use the tool and what it gives; the most important sentence first.
    const DESCRIPTION: &'static str;
    /// Whether calling it leaves the index as it is.
    const IS_READ_ONLY: bool = true;
    /// What happens when a file the answer cites has changed on disk since it was indexed.
    const FRESHNESS: Freshness = Freshness::Ignore;
    /// Which kind of claim the answer makes; decides which signals of incompleteness it carries.
    const COVERAGE: Coverage = Coverage::None;
    /// Whether the answer rests on call and inheritance edges, so that pending repairs of them concern it.
    const USES_EDGES: bool = false;
    /// Whether the answer says how many files the exclude patterns and ignore rules keep out.
    const COUNTS_EXCLUDED: bool = false;
    /// Whether the answer ends with `_stats`.
    const HAS_STATS: bool = true;

    /// The arguments.
    type Input: DeserializeOwned + Serialize + JsonSchema + Debug + Send;
    /// The answer without the signals and `_stats` that every tool's answer shares.
    type Output: Output;

    /// The answer when nothing is indexed yet; `None` for tools that do not answer from the index.
    fn nothing(input: &Self::Input) -> Option<Self::Output> {
        let _ = input;
        None
    }
}

/// A tool that can be called.
pub trait Tool: Contract {
    /// Answers from the index. Called a second time when files the first answer cited had to be parsed again.
    fn run(engine: &Engine, input: &Self::Input, context: &CallContext<'_>) -> Result<Self::Output>;
}

/// What the counter must know of an answer to wrap it. `Display` is the text for people.
pub trait Output: Serialize + JsonSchema + Display + Debug + Send + Sync + 'static {
    /// Root-relative paths of the files the answer cites, in order of appearance; repeats are fine.
    fn files(&self) -> Vec<&str>;

    /// Tokens of the cited files, read whole, where the tool knows them itself; otherwise the index says.
    fn full_tokens(&self) -> Option<u64> {
        None
    }

    /// Whether nothing was found.
    fn is_empty(&self) -> bool {
        false
    }

    /// Marks the entries whose file `is_stale`; only tools with [`Freshness::Flag`] need it.
    fn mark_stale(&mut self, is_stale: &dyn Fn(&str) -> bool) {
        let _ = is_stale;
    }

    /// How many entries are marked as stale.
    fn stale_count(&self) -> u64 {
        0
    }

    /// Drops the less important ends of lists down to about `share` and records their true totals, so that the answer fits
    /// the size that clients accept; `false` when nothing can be dropped.
    fn shorten(&mut self, share: Share) -> bool {
        let _ = share;
        false
    }
}

/// What to do about cited files that changed on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Parse them again and answer again, before the answer leaves.
    Refresh,
    /// Mark the entries as stale.
    Flag,
    /// Nothing: the answer does not come from the index, or is exempt.
    Ignore,
}

/// What kind of claim an answer makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// A set that reads as complete: what is not indexed is said always.
    Set,
    /// Neither.
    None,
}

/// A tool's answer.
#[derive(Clone)]
pub struct Reply {
    /// The answer as one line of JSON: the text content of an MCP result, byte for byte the same through every door.
    pub json: String,
    text: Arc<dyn Display + Send + Sync>,
}

impl Reply {
    /// The answer as text for people, ending in a line break.
    #[must_use]
    pub fn text(&self) -> String {
        self.text.to_string()
    }
}

impl Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply").field("json", &self.json).finish_non_exhaustive()
    }
}

/// One row of the registry.
#[derive(Debug)]
pub struct ToolSpec {
    /// `mast_search` and so on.
    pub name: &'static str,
    /// A few words for a person's list of tools.
    pub title: &'static str,
    /// When to use the tool and what it gives.
    pub description: &'static str,
    /// Whether it leaves the index as it is.
    pub is_read_only: bool,
    input_schema: CachedSchema,
    output_schema: CachedSchema,
    run: Run,
}

type Run = fn(&ToolSpec, &Engine, serde_json::Value, &CallContext<'_>) -> Result<Reply>;

impl ToolSpec {
    /// The row of `T`.
    const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            is_read_only: T::IS_READ_ONLY,
            input_schema: CachedSchema::new(schema::input_schema::<T>),
            output_schema: CachedSchema::new(schema::output_schema::<T>),
            run: run::run::<T>,
        }
    }

    /// JSON Schema of the arguments.
    pub fn input_schema(&self) -> &serde_json::Value {
        self.input_schema.get()
    }

    /// JSON Schema of the answer.
    pub fn output_schema(&self) -> &serde_json::Value {
        self.output_schema.get()
    }
}

/// Every tool, in the order it is listed.
pub static TOOLS: &[ToolSpec] = &ROWS;

/// A row lands here together with its handler, so that no tool is offered that cannot answer.
static ROWS: [ToolSpec; 13] = [
    ToolSpec::of::<search::Search>(),
    ToolSpec::of::<skeleton::ProjectSkeleton>(),
    ToolSpec::of::<exports::Exports>(),
    ToolSpec::of::<signature::Signature>(),
    ToolSpec::of::<callers::Callers>(),
    ToolSpec::of::<dependencies::Dependencies>(),
    ToolSpec::of::<implementors::Implementors>(),
    ToolSpec::of::<rename_impact::RenameImpact>(),
    ToolSpec::of::<outline::Outline>(),
    ToolSpec::of::<section::Section>(),
    ToolSpec::of::<reindex::Reindex>(),
    ToolSpec::of::<status::Status>(),
    ToolSpec::of::<efficiency::Efficiency>(),
];

/// The row of the tool called `name`.
///
/// # Errors
/// [`Error::InvalidInput`] that lists the tools.
pub fn find(name: &str) -> Result<&'static ToolSpec> {
    TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let known: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        Error::InvalidInput(format!("unknown tool `{name}`; the tools are {}", known.join(", ")))
    })
}

/// Runs the tool called `name`.
pub(crate) fn call(
    engine: &Engine,
    name: &str,
    arguments: serde_json::Value,
    context: &CallContext<'_>,
) -> Result<Reply> {
    let spec = find(name)?;
    (spec.run)(spec, engine, arguments, context)
}
