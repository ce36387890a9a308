//! `mast_section`: parts of Markdown files.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outline::MarkdownError;
use super::{Contract, Output};

/// The tool.
#[derive(Debug)]
pub struct Section;

/// Arguments of `mast_section`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SectionInput {
    /// The parts to read.
    #[schemars(required, length(min = 1, max = 20))]
    pub sections: Vec<SectionRequest>,
}

/// One part of a file: a heading, or both lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SectionRequest {
    /// The Markdown file, relative to the project root.
    #[schemars(required, length(min = 1))]
    pub file_path: String,
    /// A heading, "Install", or a path of headings, "Guide > Install"; its subsections are included.
    pub heading: Option<String>,
    /// 1-based first line; needs end_line.
    #[schemars(range(min = 1))]
    pub start_line: Option<u32>,
    /// 1-based last line; needs start_line.
    #[schemars(range(min = 1))]
    pub end_line: Option<u32>,
}

/// Answer of `mast_section`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SectionOutput {
    /// The parts that were found, in the order of the request.
    pub sections: Vec<SectionText>,
    /// Parts that were not found, or could be several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<MarkdownError>,
    /// Parts there are, when not all fit the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sections_truncated: Option<u64>,
}

/// One part of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionText {
    /// Path relative to the project root.
    pub file_path: String,
    /// Path of headings, "Guide > Install"; absent for a range of lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// 1-based first line.
    pub start_line: u32,
    /// 1-based last line.
    pub end_line: u32,
    /// The text.
    pub content: String,
}

impl Contract for Section {
    const NAME: &'static str = "mast_section";
    const TITLE: &'static str = "Read parts of Markdown files";
    const DESCRIPTION: &'static str = "\
Read parts of Markdown files, several in one call, by heading (\"Install\", or \"Guide > Install\" when the same \
heading occurs twice; subsections are included) or by exact lines from mast_outline. A heading that could be several \
is not guessed: errors lists the candidates.";
    type Input = SectionInput;
    type Output = SectionOutput;
}

impl Output for SectionOutput {
    fn files(&self) -> Vec<&str> {
        self.sections.iter().map(|section| section.file_path.as_str()).collect()
    }

    fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    fn shorten(&mut self) -> bool {
        super::parts::halve(&mut self.sections, &mut self.sections_truncated)
    }
}

impl Display for SectionOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            write!(f, "{}:{}-{}", section.file_path, section.start_line, section.end_line)?;
            if let Some(heading) = &section.heading {
                write!(f, "  {heading}")?;
            }
            writeln!(f, "\n{}\n", section.content.trim_end_matches('\n'))?;
        }
        if let Some(total) = self.sections_truncated {
            writeln!(f, "{} of {total} parts shown; ask for fewer at a time", self.sections.len())?;
        }
        self.errors.iter().try_for_each(|error| write!(f, "{error}"))
    }
}
