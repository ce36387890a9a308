//! `mast_project_skeleton`: which file exports which names.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::is_false;
use super::subject::directory;
use super::{Contract, Coverage, Output, Tool};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::glob::Globs;
use crate::graph::skeleton::{Scope, skeleton};
use crate::task::CallContext;

/// Bytes of names that surely fill the longest answer a client accepts; a token of names is rarely below two bytes.
const BUDGET: usize = 120_000;

/// The tool.
#[derive(Debug)]
pub struct ProjectSkeleton;

/// Arguments of `mast_project_skeleton`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectSkeletonInput {
    /// Only files below this directory, such as "src/api".
    pub directory: Option<String>,
    /// How many directories deep below it to look; without it there is no bound.
    #[schemars(range(min = 0, max = 100))]
    pub max_depth: Option<u32>,
    /// Only files whose path matches this glob.
    pub file_pattern: Option<String>,
}

/// Answer of `mast_project_skeleton`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ProjectSkeletonOutput {
    /// Files that export something, by path.
    pub files: Vec<SkeletonFile>,
    /// Files there are, when not all are shown: narrow the question with directory, `max_depth` or `file_pattern`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_truncated: Option<u64>,
    /// No file below `directory` is in the index.
    #[serde(skip_serializing_if = "is_false")]
    pub directory_not_indexed: bool,
}

/// The exported names of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkeletonFile {
    /// Path relative to the project root.
    pub file_path: String,
    /// Exported names.
    pub exports: Vec<String>,
}

impl Contract for ProjectSkeleton {
    const NAME: &'static str = "mast_project_skeleton";
    const TITLE: &'static str = "Map of exported names";
    const DESCRIPTION: &'static str = "\
See what exists in a project or directory: every file with the names it exports. Use it first in an unfamiliar \
codebase, then mast_exports or mast_search on what looks relevant.";
    const COVERAGE: Coverage = Coverage::Set;
    type Input = ProjectSkeletonInput;
    type Output = ProjectSkeletonOutput;

    fn nothing(_: &Self::Input) -> Option<Self::Output> {
        Some(ProjectSkeletonOutput::default())
    }
}

impl Tool for ProjectSkeleton {
    fn run(
        engine: &Engine,
        input: &ProjectSkeletonInput,
        _: &CallContext<'_>,
    ) -> Result<ProjectSkeletonOutput> {
        let files = input.file_pattern.as_deref().map(|pattern| Globs::new([pattern])).transpose();
        let scope = Scope {
            directory: input
                .directory
                .as_deref()
                .map_or(Ok(String::new()), |written| directory(engine, written))?,
            max_depth: input.max_depth,
            files: files.map_err(|error| Error::InvalidInput(format!("file_pattern: {error}")))?,
        };
        let snapshot = engine.snapshot()?;
        let (found, total) = skeleton(&snapshot, &scope, BUDGET)?;
        let below = format!("{}/", scope.directory);
        let is_unknown = found.is_empty()
            && !scope.directory.is_empty()
            && !snapshot.files()?.iter().any(|row| row.path.as_str().starts_with(&below));
        Ok(ProjectSkeletonOutput {
            directory_not_indexed: is_unknown,
            files_truncated: (total > found.len() as u64).then_some(total),
            files: found
                .into_iter()
                .map(|file| SkeletonFile { file_path: file.path.to_string(), exports: file.names })
                .collect(),
        })
    }
}

impl Output for ProjectSkeletonOutput {
    fn files(&self) -> Vec<&str> {
        self.files.iter().map(|file| file.file_path.as_str()).collect()
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        super::parts::cut(&mut self.files, &mut self.files_truncated, share)
    }
}

impl Display for ProjectSkeletonOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.directory_not_indexed {
            writeln!(f, "no file below the directory is in the index")?;
        }
        for file in &self.files {
            writeln!(f, "{}\n    {}", file.file_path, file.exports.join(", "))?;
        }
        if let Some(total) = self.files_truncated {
            writeln!(
                f,
                "{} of {total} files shown; narrow with directory or file_pattern",
                self.files.len()
            )?;
        }
        Ok(())
    }
}
