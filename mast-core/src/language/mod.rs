//! **Holds** everything that knows a grammar: what one file says about itself.
//! **Takes / gives** a file's text; its symbols, chunks, imports, exports, linking facts and problems.
//! **Never** the disk, the store, or another file: a name that is not declared here stays a name.
//! **Next** `ecmascript` for TypeScript and JavaScript, `markdown` for documents.

mod content;
mod ecmascript;
mod lines;
mod markdown;
mod parser;
mod repair;
mod split;

use std::time::Duration;

use crate::model::{FileFacts, Language, LineRange, Problem, ProblemKind, SourceFile};
pub use content::content_kind;
use lines::Lines;
pub use markdown::{Heading, outline};
use parser::{Grammar, NoTree};
use split::Limits;

/// What extraction may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractOptions {
    /// Lines above which a declaration is split into overlapping parts.
    pub chunk_split_threshold: u32,
    /// Deepest heading level that begins a chunk of its own.
    pub markdown_heading_depth: u8,
    /// Longest text that is parsed, in bytes.
    pub max_bytes: usize,
    /// Longest time one file may be parsed.
    pub max_parse_time: Duration,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            chunk_split_threshold: 100,
            markdown_heading_depth: 2,
            max_bytes: 64 << 20,
            max_parse_time: Duration::from_secs(30),
        }
    }
}

/// Everything `file` says about itself. A file that cannot be parsed is facts with a problem.
#[must_use]
pub fn extract(file: &SourceFile, options: &ExtractOptions) -> FileFacts {
    if file.text.len() > options.max_bytes {
        return problem(ProblemKind::Skipped, format!("larger than {} MB", options.max_bytes >> 20));
    }
    if let Some(reason) = content_kind(&file.text, &file.path) {
        return problem(ProblemKind::Skipped, reason.to_owned());
    }
    let limits = Limits { lines: options.chunk_split_threshold as usize };
    let grammar = match file.language {
        Language::TypeScript => Grammar::TypeScript,
        Language::Tsx => Grammar::Tsx,
        Language::JavaScript => Grammar::JavaScript,
        Language::Markdown => return markdown::extract(file, options.markdown_heading_depth, limits),
    };
    match repair::parse_repaired(grammar, &file.text, options.max_parse_time) {
        Ok(parsed) => {
            let lines = Lines::of(&file.text);
            let mut facts = ecmascript::extract(file, &parsed.tree, parsed.grammar, &lines, limits);
            facts.problems.extend(partial(&parsed.errors, &lines));
            facts
        }
        Err(NoTree::TimedOut) => problem(
            ProblemKind::Skipped,
            format!("parsing took longer than {} s", options.max_parse_time.as_secs()),
        ),
        Err(NoTree::Failed) => problem(ProblemKind::ParseFailed, "the parser gave no tree".to_owned()),
    }
}

/// The problem of a file with `errors`.
fn partial(errors: &[crate::model::ByteRange], lines: &Lines) -> Option<Problem> {
    let mut broken: Vec<LineRange> = Vec::new();
    for error in errors {
        let range = lines.range(error.start as usize, error.end as usize);
        match broken.last_mut() {
            Some(last) if range.start <= last.end + 1 => last.end = last.end.max(range.end),
            _ => broken.push(range),
        }
    }
    let first = broken.first()?;
    let message = format!("syntax not understood near line {}", first.start);
    Some(Problem { kind: ProblemKind::PartialParse, message, lines: broken })
}

fn problem(kind: ProblemKind, message: String) -> FileFacts {
    FileFacts { problems: vec![Problem { kind, message, lines: Vec::new() }], ..FileFacts::default() }
}
