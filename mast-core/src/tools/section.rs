//! `mast_section`: parts of Markdown files.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outline::MarkdownError;
use super::{Contract, Output, Tool};
use crate::engine::{Document, Engine};
use crate::error::{Error, Result};
use crate::language::{Heading, outline};
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Section;

/// Arguments of `mast_section`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SectionInput {
    /// The parts to read.
    #[schemars(extend("x-required" = true), length(min = 1, max = 20))]
    pub sections: Vec<SectionRequest>,
}

/// One part of a file: a heading, or both lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SectionRequest {
    /// The Markdown file, relative to the project root.
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub file_path: String,
    /// A heading, "Install", or a path of headings, "Guide > Install"; its subsections are included.
    pub heading: Option<String>,
    /// 1-based first line; needs `end_line`.
    #[schemars(range(min = 1))]
    pub start_line: Option<u32>,
    /// 1-based last line; needs `start_line`.
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
    /// Tokens of the files that were read; goes into `_stats`.
    #[serde(skip)]
    tokens: BTreeMap<String, u64>,
}

/// One part of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// Last line of the whole part, when the text had to be cut to the size clients accept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_from_end_line: Option<u32>,
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

    fn full_tokens(&self) -> Option<u64> {
        let is_shown = |path: &str| self.sections.iter().any(|section| section.file_path == path);
        Some(self.tokens.iter().filter(|(path, _)| is_shown(path)).map(|(_, tokens)| tokens).sum())
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        super::parts::cut(&mut self.sections, &mut self.sections_truncated, share)
            || self.sections.first_mut().is_some_and(|section| section.cut(share))
    }
}

impl SectionText {
    /// Drops the last lines.
    fn cut(&mut self, share: super::Share) -> bool {
        let lines = self.end_line - self.start_line + 1;
        if lines < 2 {
            return false;
        }
        let kept = share.of(lines as usize);
        self.cut_from_end_line.get_or_insert(self.end_line);
        self.end_line = self.start_line + u32::try_from(kept).unwrap_or(lines) - 1;
        self.content = self.content.split_inclusive('\n').take(kept).collect();
        true
    }
}

impl Tool for Section {
    fn run(engine: &Engine, input: &SectionInput, context: &CallContext<'_>) -> Result<SectionOutput> {
        let mut output = SectionOutput::default();
        let mut documents: BTreeMap<String, std::result::Result<Document, String>> = BTreeMap::new();
        for (at, request) in input.sections.iter().enumerate() {
            context.cancel.check()?;
            let wanted = Wanted::of(request)
                .map_err(|message| Error::InvalidInput(format!("sections[{at}]: {message}")))?;
            let complain = |message: String, candidates: Vec<String>| MarkdownError {
                file_path: request.file_path.clone(),
                heading: request.heading.clone(),
                message,
                candidates,
            };
            let Ok(path) = engine.repo_path("file_path", &request.file_path) else {
                output.errors.push(complain("outside the project root".into(), Vec::new()));
                continue;
            };
            let document = documents.entry(path.to_string()).or_insert_with(|| engine.document(&path));
            let document = match document {
                Ok(document) => document,
                Err(message) => {
                    output.errors.push(complain(message.clone(), Vec::new()));
                    continue;
                }
            };
            let found = match wanted {
                Wanted::Lines(first, last) => by_lines(&document.text, first, last),
                Wanted::Heading(heading) => by_heading(&document.text, path.file_name(), heading),
            };
            match found {
                Ok(found) => {
                    output.tokens.insert(path.to_string(), document.tokens);
                    output.sections.push(SectionText { file_path: path.to_string(), ..found });
                }
                Err((message, candidates)) => output.errors.push(complain(message, candidates)),
            }
        }
        Ok(output)
    }
}

enum Wanted<'a> {
    Heading(&'a str),
    Lines(u32, u32),
}

impl<'a> Wanted<'a> {
    fn of(request: &'a SectionRequest) -> std::result::Result<Self, &'static str> {
        match (&request.heading, request.start_line, request.end_line) {
            (Some(heading), None, None) => Ok(Self::Heading(heading)),
            (None, Some(first), Some(last)) if first <= last => Ok(Self::Lines(first, last)),
            (None, Some(_), Some(_)) => Err("start_line is behind end_line"),
            (Some(_), _, _) => Err("give either heading or the two lines, not both"),
            (None, ..) => Err("give heading, or start_line and end_line"),
        }
    }
}

type Found = std::result::Result<SectionText, (String, Vec<String>)>;

fn by_lines(text: &str, first: u32, last: u32) -> Found {
    let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    if first > count {
        return Err((format!("the file has {count} lines"), Vec::new()));
    }
    let lines = text.split_inclusive('\n').skip(first as usize - 1).take((last - first) as usize + 1);
    Ok(SectionText {
        start_line: first,
        end_line: last.min(count),
        content: lines.collect(),
        ..SectionText::default()
    })
}

fn by_heading(text: &str, file_name: &str, wanted: &str) -> Found {
    let headings = outline(text);
    let paths = paths_of(&headings);
    let wanted = wanted.trim().trim_start_matches('#').trim();
    let mut segments: Vec<&str> = wanted.split(" > ").map(str::trim).collect();
    // A search names a section with its file in front.
    if segments.len() > 1 && segments[0] == file_name {
        segments.remove(0);
    }
    let matching = |is_equal: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
        let fits = |path: &[&str]| {
            path.last().is_some_and(|title| is_equal(title, wanted))
                || path.len() >= segments.len()
                    && path[path.len() - segments.len()..].iter().zip(&segments).all(|(a, b)| is_equal(a, b))
        };
        (0..headings.len()).filter(|&at| fits(&paths[at])).collect()
    };
    let mut found = matching(&|a, b| a == b);
    if found.is_empty() {
        found = matching(&|a, b| a.to_lowercase() == b.to_lowercase());
    }
    let candidate = |at: &usize| {
        let lines = headings[*at].lines;
        format!("{}-{} {}", lines.start, lines.end, paths[*at].join(" > "))
    };
    match found.as_slice() {
        [only] => {
            let Heading { lines, range, .. } = &headings[*only];
            Ok(SectionText {
                heading: Some(paths[*only].join(" > ")),
                start_line: lines.start,
                end_line: lines.end,
                content: range.of(text).to_owned(),
                ..SectionText::default()
            })
        }
        [] => {
            const MOST_CANDIDATES: usize = 10;
            let last = segments.last().copied().unwrap_or_default().to_lowercase();
            let is_near = |at: &usize| {
                let title = headings[*at].title.to_lowercase();
                title.contains(&last) || !title.is_empty() && last.contains(&title)
            };
            let near = (0..headings.len()).filter(is_near).take(MOST_CANDIDATES);
            Err(("no such heading".into(), near.map(|at| candidate(&at)).collect()))
        }
        several => Err((
            format!("{} sections have this heading; ask by path or by lines", several.len()),
            several.iter().map(candidate).collect(),
        )),
    }
}

/// The titles above and of each heading.
fn paths_of(headings: &[Heading]) -> Vec<Vec<&str>> {
    let mut open: Vec<&Heading> = Vec::new();
    let mut paths = Vec::with_capacity(headings.len());
    for heading in headings {
        open.retain(|above| above.level < heading.level);
        open.push(heading);
        paths.push(open.iter().map(|heading| heading.title.as_str()).collect());
    }
    paths
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

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
