//! `mast_dependencies`: what one file imports.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{cut, is_false};
use super::subject::{indexed_file, near_files, write_not_indexed};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::graph::{Sources, dependencies};
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Dependencies;

/// Arguments of `mast_dependencies`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DependenciesInput {
    /// The file, relative to the project root.
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub file_path: String,
}

/// Answer of `mast_dependencies`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct DependenciesOutput {
    /// The file, relative to the project root.
    pub file_path: String,
    /// Its imports and re-exports, in file order.
    pub imports: Vec<ImportEntry>,
    /// Imports there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imports_truncated: Option<u64>,
    /// No such file is in the index.
    #[serde(skip_serializing_if = "is_false")]
    pub file_not_indexed: bool,
    /// Indexed files that may have been meant instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_files: Vec<String>,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportEntry {
    /// The module as written.
    pub module: String,
    /// What is taken from it: "name", "name as local", "* as local", "default as local", "*" for `export *`.
    pub symbols: Vec<String>,
    /// A bare name that is no package of this workspace.
    pub is_external: bool,
    /// The file it means, relative to the project root; absent for an external module and for one that was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_path: Option<String>,
    /// static, type, dynamic, require, `import_equals` or `re_export`.
    pub kind: String,
    /// 1-based line.
    pub line: u32,
}

impl Contract for Dependencies {
    const NAME: &'static str = "mast_dependencies";
    const TITLE: &'static str = "Imports of a file";
    const DESCRIPTION: &'static str = "\
List what one file imports and re-exports: module, names, and for the project's own modules the file each resolves to \
(through path aliases, workspace packages and index files). is_external marks packages from outside.";
    const FRESHNESS: Freshness = Freshness::Refresh;
    const COVERAGE: Coverage = Coverage::Set;
    const USES_EDGES: bool = true;
    type Input = DependenciesInput;
    type Output = DependenciesOutput;

    fn nothing(input: &Self::Input) -> Option<Self::Output> {
        Some(DependenciesOutput { file_path: input.file_path.clone(), ..DependenciesOutput::default() })
    }
}

impl Tool for Dependencies {
    fn run(engine: &Engine, input: &DependenciesInput, _: &CallContext<'_>) -> Result<DependenciesOutput> {
        let snapshot = engine.snapshot()?;
        let (path, file) = indexed_file(engine, &snapshot, &input.file_path)?;
        let mut output = DependenciesOutput { file_path: path.to_string(), ..DependenciesOutput::default() };
        let Some(file) = file else {
            output.file_not_indexed = true;
            output.near_files = near_files(&snapshot, &path)?;
            return Ok(output);
        };
        let found = dependencies::dependencies(&mut Sources::new(&snapshot), file.id)?;
        output.imports = found.into_iter().map(ImportEntry::from).collect();
        Ok(output)
    }
}

impl From<dependencies::Dependency> for ImportEntry {
    fn from(found: dependencies::Dependency) -> Self {
        Self {
            module: found.specifier,
            symbols: found.names,
            is_external: found.is_external,
            resolved_path: found.resolved.map(|path| path.to_string()),
            kind: dependencies::kind_name(found.kind).to_owned(),
            line: found.line,
        }
    }
}

impl Output for DependenciesOutput {
    fn files(&self) -> Vec<&str> {
        vec![&self.file_path]
    }

    fn is_empty(&self) -> bool {
        self.imports.is_empty()
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        cut(&mut self.imports, &mut self.imports_truncated, share)
    }
}

impl Display for DependenciesOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file_not_indexed {
            return write_not_indexed(f, &self.file_path, &self.near_files);
        }
        writeln!(f, "{}", self.file_path)?;
        for import in &self.imports {
            let meaning = match &import.resolved_path {
                Some(path) => path.as_str(),
                None if import.is_external => "(external)",
                None => "(not found)",
            };
            writeln!(f, "  {}: {} -> {meaning}", import.line, import.module)?;
            if !import.symbols.is_empty() {
                writeln!(f, "      {}", import.symbols.join(", "))?;
            }
        }
        if self.imports.is_empty() {
            writeln!(f, "  no imports")?;
        }
        if let Some(total) = self.imports_truncated {
            writeln!(f, "  {} of {total} imports shown", self.imports.len())?;
        }
        Ok(())
    }
}
