//! `mast_outline`: the headings of Markdown files, without the text.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Contract, Output};

/// The tool.
#[derive(Debug)]
pub struct Outline;

/// Arguments of `mast_outline`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutlineInput {
    /// Markdown files or directories, relative to the project root.
    #[schemars(required, length(min = 1, max = 20))]
    pub paths: Vec<String>,
    /// Most lines to list for a directory.
    #[schemars(range(min = 1, max = 500))]
    pub limit: u32,
}

impl Default for OutlineInput {
    fn default() -> Self {
        Self { paths: Vec::new(), limit: 50 }
    }
}

/// Answer of `mast_outline`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct OutlineOutput {
    /// Plain text. For a file, a line for each heading: "first-last sizec # Heading", lines 1-based, size in characters
    /// with the subsections. For a directory, a line for each Markdown file below it with its size, title and status.
    pub outline: String,
    /// Paths that could not be outlined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<MarkdownError>,
    /// Markdown files there are below the directories, when not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_truncated: Option<u64>,
    /// The files that were read; part of `_stats`.
    #[serde(skip)]
    pub read: Vec<String>,
}

/// Why a Markdown file, directory or section is not in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MarkdownError {
    /// The path as asked for.
    pub file_path: String,
    /// The heading as asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What could be meant: "first-last # Heading".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

impl Contract for Outline {
    const NAME: &'static str = "mast_outline";
    const TITLE: &'static str = "Outline of Markdown files";
    const DESCRIPTION: &'static str = "\
List the headings of a Markdown file with the lines and size of each, then read only the parts you need with \
mast_section. Worth it for files above about 6,000 characters; read smaller ones whole. A directory gives one line \
for each Markdown file below it, with title and status.";
    type Input = OutlineInput;
    type Output = OutlineOutput;
}

impl Output for OutlineOutput {
    fn files(&self) -> Vec<&str> {
        self.read.iter().map(String::as_str).collect()
    }

    fn is_empty(&self) -> bool {
        self.outline.is_empty()
    }
}

impl Display for OutlineOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.outline.is_empty() {
            writeln!(f, "{}", self.outline)?;
        }
        if let Some(total) = self.files_truncated {
            writeln!(f, "({total} files in all)")?;
        }
        self.errors.iter().try_for_each(|error| write!(f, "{error}"))
    }
}

impl Display for MarkdownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "! {}", self.file_path)?;
        if let Some(heading) = &self.heading {
            write!(f, " > {heading}")?;
        }
        writeln!(f, ": {}", self.message)?;
        self.candidates.iter().try_for_each(|candidate| writeln!(f, "    {candidate}"))
    }
}
