//! `mast_exports`: the public surface of one file.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::is_false;
use super::subject::{indexed_file, near_files, write_not_indexed};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::graph::exports::{Exported, exports};
use crate::graph::{Sources, signature};
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Exports;

/// Arguments of `mast_exports`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExportsInput {
    /// The file, relative to the project root.
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub file_path: String,
    /// Most exports to return.
    #[schemars(range(min = 1, max = 500))]
    pub limit: u32,
}

impl Default for ExportsInput {
    fn default() -> Self {
        Self { file_path: String::new(), limit: 50 }
    }
}

/// Answer of `mast_exports`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ExportsOutput {
    /// The file, relative to the project root.
    pub file_path: String,
    /// What it exports, in file order.
    pub exports: Vec<ExportEntry>,
    /// Exports there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exports_truncated: Option<u64>,
    /// No such file is in the index.
    #[serde(skip_serializing_if = "is_false")]
    pub file_not_indexed: bool,
    /// Indexed files that may have been meant instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_files: Vec<String>,
}

/// One exported name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportEntry {
    /// The name others import; `default` for the default export, `*` for `export * from`.
    pub name: String,
    /// function, class, interface, type, enum, const, namespace, or `re_export` when the declaration is not known.
    pub kind: String,
    /// The declaration up to its body; the export statement of a re-export.
    pub signature: String,
    /// 1-based line of the declaration or export statement in this file.
    pub line: u32,
    /// Text of the documentation comment.
    pub doc: Option<String>,
    /// The module a re-export comes from, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl Contract for Exports {
    const NAME: &'static str = "mast_exports";
    const TITLE: &'static str = "Exports of a file";
    const DESCRIPTION: &'static str = "\
List what one file exports, with signatures and documentation but without bodies: enough to use the module without \
reading it. Methods are left out; mast_signature on the class or method shows them.";
    const FRESHNESS: Freshness = Freshness::Refresh;
    const COVERAGE: Coverage = Coverage::Set;
    const USES_EDGES: bool = true;
    type Input = ExportsInput;
    type Output = ExportsOutput;

    fn nothing(input: &Self::Input) -> Option<Self::Output> {
        Some(ExportsOutput { file_path: input.file_path.clone(), ..ExportsOutput::default() })
    }
}

impl Tool for Exports {
    fn run(engine: &Engine, input: &ExportsInput, _: &CallContext<'_>) -> Result<ExportsOutput> {
        let snapshot = engine.snapshot()?;
        let (path, file) = indexed_file(engine, &snapshot, &input.file_path)?;
        let mut output = ExportsOutput { file_path: path.to_string(), ..ExportsOutput::default() };
        let Some(file) = file else {
            output.file_not_indexed = true;
            output.near_files = near_files(&snapshot, &path)?;
            return Ok(output);
        };
        let mut sources = Sources::new(&snapshot);
        let found = exports(&mut sources, file.id)?;
        let limit = input.limit as usize;
        output.exports_truncated = (found.len() > limit).then_some(found.len() as u64);
        let own = sources.source(file.id)?;
        for exported in found.into_iter().take(limit) {
            let Exported { name, line, declaration, from } = exported;
            let (kind, text, doc) = match &declaration {
                Some(symbol) => {
                    let source = sources.source(symbol.file)?;
                    (symbol.kind.as_str(), signature::text(&source, symbol), signature::doc(&source, symbol))
                }
                None => ("re_export", own.line(line), None),
            };
            output.exports.push(ExportEntry {
                name,
                kind: kind.to_owned(),
                signature: text,
                line,
                doc,
                from,
            });
        }
        Ok(output)
    }
}

impl Output for ExportsOutput {
    fn files(&self) -> Vec<&str> {
        vec![&self.file_path]
    }

    fn is_empty(&self) -> bool {
        self.exports.is_empty()
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        super::parts::cut(&mut self.exports, &mut self.exports_truncated, share)
    }
}

impl Display for ExportsOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file_not_indexed {
            return write_not_indexed(f, &self.file_path, &self.near_files);
        }
        writeln!(f, "{}", self.file_path)?;
        for entry in &self.exports {
            writeln!(f, "  {}: {}  {}", entry.line, entry.name, entry.kind)?;
            for line in entry.doc.iter().flat_map(|doc| doc.lines()) {
                writeln!(f, "      // {line}")?;
            }
            for line in entry.signature.lines() {
                writeln!(f, "      {line}")?;
            }
        }
        if let Some(total) = self.exports_truncated {
            writeln!(f, "  {} of {total} exports shown", self.exports.len())?;
        }
        Ok(())
    }
}
