//! `mast search`: `mast_search` for people.

use std::io::{self, Write};
use std::path::{Component, Path};
use std::process::ExitCode;

use clap::Args;
use mast_core::tools::answer::NOTHING_INDEXED;
use mast_core::{CallContext, Error};
use serde_json::{Value, json};

use super::reindex_first;
use crate::args::{ProjectArgs, glob, whole_number};
use crate::failure::{Failure, Outcome, note};
use crate::output::{Output, Tone};

/// Search the index and print readable results
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast search \"createUser\"\n  mast search \"greet\" --type method --exported -n 5\n  \
                  mast search \"config\" --file \"src/store/**\""
)]
pub(crate) struct SearchArgs {
    /// Words, or the name of a declaration
    #[arg(value_name = "query", value_parser = words)]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Words of a query without quotes
    #[arg(hide = true, num_args = 0..)]
    pub(crate) more_words: Vec<String>,
    /// Most results to show, 1-50
    #[arg(short = 'n', long, value_name = "n", default_value_t = 10, value_parser = whole_number(1..=50), allow_negative_numbers = true)]
    pub(crate) limit: u32,
    /// Only this kind of code
    #[arg(short = 't', long = "type", value_name = "kind", value_parser = ["function", "method", "class_shell", "interface", "type", "export", "block", "doc"])]
    pub(crate) kind: Option<String>,
    /// Only this language
    #[arg(short, long, value_name = "lang", value_parser = ["typescript", "javascript", "markdown"])]
    pub(crate) language: Option<String>,
    /// Only exported symbols
    #[arg(short, long)]
    pub(crate) exported: bool,
    /// Only files that match this glob, like `src/store/**`
    #[arg(short, long, value_name = "glob", value_parser = glob)]
    pub(crate) file: Option<String>,
    /// Index what changed before searching (reported on standard error)
    #[arg(long)]
    pub(crate) reindex: bool,
    /// Print the raw MCP response instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &SearchArgs) -> Outcome {
    if !args.more_words.is_empty() {
        return Err(Error::InvalidInput(args.quoted("a query of several words needs quotes")).into());
    }
    let engine = args.project.open().map_err(|failure| args.explained(failure))?;
    if args.reindex {
        reindex_first(&engine, "mast search --reindex")?;
    }
    let mut out = Output::open();
    let reply = match engine.call("mast_search", args.tool_arguments(), &CallContext::default()) {
        Err(Error::NoIndex { .. }) if !args.json => {
            out.write_all(NOTHING_INDEXED.as_bytes())?;
            out.flush()?;
            if let Some(hint) = args.hint_about_path() {
                note(&hint);
            }
            return Ok(ExitCode::FAILURE);
        }
        Err(error @ Error::NoIndex { .. }) => return Err(args.explained(error.into())),
        reply => reply?,
    };
    if args.json {
        writeln!(out, "{}", reply.json)?;
    } else {
        write_text(&mut out, &reply.text())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl SearchArgs {
    /// A second word is taken for the project's directory: where none of that name is indexed, says what else may be
    /// meant.
    fn explained(&self, failure: Failure) -> Failure {
        match (self.hint_about_path(), failure) {
            (Some(hint), Failure::Core(error)) => Failure::Refused(format!("{error}; {hint}")),
            (_, failure) => failure,
        }
    }

    /// The hint about quotes, when the path may have been meant as a word of the query.
    fn hint_about_path(&self) -> Option<String> {
        let path = self.project.path.as_deref()?;
        let may_be_word = !path.exists() || is_one_name(path);
        let hint = format!("if `{}` is part of the query, use quotes", path.display());
        may_be_word.then(|| self.quoted(&hint))
    }

    /// The hint with the command as it may be meant.
    fn quoted(&self, hint: &str) -> String {
        let path = self.project.path.iter().map(|path| path.to_string_lossy().into_owned());
        let words: Vec<String> =
            std::iter::once(self.query.clone()).chain(path).chain(self.more_words.iter().cloned()).collect();
        format!("{hint}: mast search \"{}\"", words.join(" "))
    }

    fn tool_arguments(&self) -> Value {
        let mut arguments =
            json!({ "query": self.query, "limit": self.limit, "only_exported": self.exported });
        for (name, value) in
            [("chunk_type", &self.kind), ("language", &self.language), ("file_pattern", &self.file)]
        {
            if let Some(value) = value {
                arguments[name] = json!(value);
            }
        }
        arguments
    }
}

/// A query: white space alone asks for nothing.
fn words(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("must not be empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// Whether `path` is a bare name, like a word.
fn is_one_name(path: &Path) -> bool {
    let mut parts = path.components();
    matches!(parts.next(), Some(Component::Normal(name)) if name == path.as_os_str())
}

/// Writes the text of an answer: what to be careful about, places and the last line in their colours.
fn write_text(out: &mut Output, text: &str) -> io::Result<()> {
    let mut is_warning = false;
    for line in text.lines() {
        is_warning = line.starts_with("! ") || is_warning && line.starts_with("  ");
        if is_warning {
            writeln!(out, "{}", out.tone(Tone::Warning, line))?;
        } else if is_place(line) {
            writeln!(out, "{}", out.tone(Tone::Heading, line))?;
        } else if line.contains(" tokens returned") && !line.starts_with(' ') {
            writeln!(out, "{}", out.tone(Tone::Faint, line))?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// `src/a.ts:12 name`: what a result begins with.
fn is_place(line: &str) -> bool {
    let behind_path = line.split_once(' ').map_or(line, |(place, _)| place).rsplit_once(':');
    !line.starts_with(' ') && behind_path.is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}
