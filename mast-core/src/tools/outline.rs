//! `mast_outline`: the headings of Markdown files, without the text.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Contract, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::language::{Heading, outline as headings_of};
use crate::model::RepoPath;
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Outline;

/// Arguments of `mast_outline`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutlineInput {
    /// Markdown files or directories, relative to the project root.
    #[schemars(extend("x-required" = true), length(min = 1, max = 20))]
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
    /// Lines the outline has, when it had to be cut to the size clients accept: ask for fewer files at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_truncated: Option<u64>,
    /// The files that were read, and their tokens; goes into `_stats`.
    #[serde(skip)]
    read: Vec<(String, u64)>,
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
        self.read.iter().map(|(path, _)| path.as_str()).collect()
    }

    fn full_tokens(&self) -> Option<u64> {
        Some(self.read.iter().map(|(_, tokens)| tokens).sum())
    }

    fn is_empty(&self) -> bool {
        self.outline.is_empty()
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        let lines = self.outline.lines().count();
        if lines < 2 {
            return false;
        }
        self.lines_truncated.get_or_insert(lines as u64);
        self.outline = self.outline.lines().take(share.of(lines)).collect::<Vec<_>>().join("\n");
        true
    }
}

impl Tool for Outline {
    fn run(engine: &Engine, input: &OutlineInput, context: &CallContext<'_>) -> Result<OutlineOutput> {
        let mut output = OutlineOutput::default();
        let mut listed = Listing { left: input.limit as usize, total: 0 };
        let mut lines = Vec::new();
        for written in &input.paths {
            context.cancel.check()?;
            let complain = |message: String| MarkdownError {
                file_path: written.clone(),
                heading: None,
                message,
                candidates: Vec::new(),
            };
            let directory = match directory_of(engine, written) {
                Ok(directory) => directory,
                Err(message) => {
                    output.errors.push(complain(message));
                    continue;
                }
            };
            let outlined = match directory {
                Place::Directory(directory) => outline_directory(engine, &directory, &mut listed),
                Place::File(path) => outline_file(engine, &path),
            };
            match outlined {
                Ok(outlined) => {
                    lines.extend(outlined.lines);
                    output.read.extend(outlined.read);
                }
                Err(message) => output.errors.push(complain(message)),
            }
        }
        output.outline = lines.join("\n");
        output.files_truncated = Some(listed.total).filter(|&total| total > u64::from(input.limit));
        Ok(output)
    }
}

enum Place {
    Directory(String),
    File(RepoPath),
}

/// How many lines of directories may still be listed, and how many there are.
struct Listing {
    left: usize,
    total: u64,
}

#[derive(Default)]
struct Outlined {
    lines: Vec<String>,
    read: Vec<(String, u64)>,
}

fn directory_of(engine: &Engine, written: &str) -> std::result::Result<Place, String> {
    let trimmed = written.trim_end_matches(['/', '\\']);
    if matches!(trimmed, "" | "." | "./.") && !written.starts_with('/')
        || trimmed == engine.root().to_string_lossy()
    {
        return Ok(Place::Directory(String::new()));
    }
    let path = engine.repo_path("path", trimmed).map_err(|_| "outside the project root".to_owned())?;
    if engine.is_directory(path.as_str()) {
        return Ok(Place::Directory(path.as_str().to_owned()));
    }
    Ok(Place::File(path))
}

/// A line that names the file, and one for each heading.
fn outline_file(engine: &Engine, path: &RepoPath) -> std::result::Result<Outlined, String> {
    let document = engine.document(path)?;
    let text = &document.text;
    let mut lines = vec![format!("{path} ({} lines, {}c)", text.lines().count(), text.chars().count())];
    let headings = headings_of(text);
    if headings.is_empty() {
        lines.push("no headings".into());
    }
    lines.extend(headings.iter().map(|heading| {
        let Heading { level, title, lines, characters, .. } = heading;
        format!("{}-{} {characters}c {} {title}", lines.start, lines.end, "#".repeat(usize::from(*level)))
    }));
    Ok(Outlined { lines, read: vec![(path.to_string(), document.tokens)] })
}

/// A line for each Markdown file below the directory.
fn outline_directory(
    engine: &Engine,
    directory: &str,
    listed: &mut Listing,
) -> std::result::Result<Outlined, String> {
    let paths = engine.documents_below(directory);
    if paths.is_empty() {
        return Err("no Markdown file below it that the index walks; name files one by one".into());
    }
    listed.total += paths.len() as u64;
    let mut outlined = Outlined::default();
    for path in paths.iter().take(listed.left) {
        match engine.document(path) {
            Ok(document) => {
                outlined.lines.push(summary(path, &document.text));
                outlined.read.push((path.to_string(), document.tokens));
            }
            Err(message) => outlined.lines.push(format!("{path} ({message})")),
        }
    }
    listed.left -= paths.len().min(listed.left);
    Ok(outlined)
}

/// `docs/adr/001.md 812c Use SQLite [status: accepted]`
fn summary(path: &RepoPath, text: &str) -> String {
    let mut line = format!("{path} {}c", text.chars().count());
    let title = field(text, "title").or_else(|| headings_of(text).into_iter().next().map(|h| h.title));
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        line.push(' ');
        line.push_str(&title);
    }
    if let Some(status) = field(text, "status") {
        line.push_str(" [status: ");
        line.push_str(&status);
        line.push(']');
    }
    line
}

/// Value of a field: in the YAML block at the start of the document, else of a line such as `Status: accepted` or
/// `**Status:** accepted` among the first lines of text.
fn field(text: &str, name: &str) -> Option<String> {
    const LINES_LOOKED_AT: usize = 30;
    let mut lines = text.lines();
    let has_front_matter = lines.clone().next().is_some_and(|line| line.trim_end() == "---");
    if has_front_matter {
        lines.next();
        let mut block = lines.clone().take_while(|line| !matches!(line.trim_end(), "---" | "..."));
        if let Some(value) = block.find_map(|line| value_of(line, name)) {
            return Some(value);
        }
    }
    if name == "title" {
        return None;
    }
    lines.take(LINES_LOOKED_AT).find_map(|line| value_of(&line.replace("**", "").replace('*', ""), name))
}

fn value_of(line: &str, name: &str) -> Option<String> {
    let (key, value) = line.trim_start_matches(['-', ' ']).split_once(':')?;
    let value = value.trim().trim_matches(['"', '\'']);
    (key.trim().eq_ignore_ascii_case(name) && !value.is_empty()).then(|| value.to_owned())
}

impl Display for OutlineOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.outline.is_empty() {
            writeln!(f, "{}", self.outline)?;
        }
        if let Some(total) = self.files_truncated {
            writeln!(f, "({total} files in all)")?;
        }
        if let Some(total) = self.lines_truncated {
            writeln!(f, "(cut; {total} lines in all)")?;
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
