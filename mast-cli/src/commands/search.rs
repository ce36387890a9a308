//! `mast search`: `mast_search` for people.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use mast_core::{CallContext, Error};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{count, reindex_first};
use crate::args::ProjectArgs;
use crate::failure::{Failure, Outcome};
use crate::output::{Output, Tone};

/// Search the index and print readable results
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast search \"createUser\"\n  mast search \"greet\" --type method --exported -n 5\n  \
                  mast search \"config\" --file \"src/store/**\""
)]
pub(crate) struct SearchArgs {
    /// Words, or the name of a declaration
    #[arg(value_name = "query")]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Most results to show, 1-50
    #[arg(short = 'n', long, value_name = "n", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=50))]
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
    #[arg(short, long, value_name = "glob")]
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
    let engine = args.project.open()?;
    if args.reindex {
        reindex_first(&engine, "mast search --reindex")?;
    }
    let mut out = Output::open();
    let reply = match engine.call("mast_search", args.tool_arguments(), &CallContext::default()) {
        Err(Error::NoIndex { .. }) if !args.json => {
            write_nothing_indexed(&mut out)?;
            out.flush()?;
            return Ok(ExitCode::FAILURE);
        }
        reply => reply?,
    };
    if args.json {
        writeln!(out, "{}", reply.json)?;
    } else {
        let answer = serde_json::from_str(&reply.json)
            .map_err(|error| Failure::Core(Error::Internal(format!("the answer cannot be read: {error}"))))?;
        write_answer(&mut out, &answer)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl SearchArgs {
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

/// What the text shows of a `mast_search` answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    results: Vec<Hit>,
    results_truncated: Option<u64>,
    suggestions: Vec<Suggestion>,
    index_empty: bool,
    index_building: Option<Building>,
    unindexed_files: Option<u64>,
    changed_files: Option<u64>,
    #[serde(rename = "_stats")]
    stats: Stats,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Hit {
    file_path: String,
    start_line: u32,
    symbol_name: Option<String>,
    chunk_type: String,
    is_exported: bool,
    stale: bool,
    content: String,
    related: Option<Related>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Related {
    symbol_name: String,
    chunk_type: String,
    start_line: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Suggestion {
    symbol: String,
    file_path: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Building {
    done: u64,
    total: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stats {
    tokens_returned: u64,
    tokens_full_file_upper_bound: u64,
}

fn write_answer(out: &mut Output, answer: &Answer) -> io::Result<()> {
    if answer.index_empty {
        return write_nothing_indexed(out);
    }
    write_signals(out, answer)?;
    if answer.results.is_empty() {
        write_no_matches(out)?;
        for Suggestion { symbol, file_path } in &answer.suggestions {
            writeln!(out, "did you mean {symbol} ({file_path})?")?;
        }
        return Ok(());
    }
    for hit in &answer.results {
        write_hit(out, hit)?;
        writeln!(out)?;
    }
    if let Some(total) = answer.results_truncated {
        writeln!(out, "{} of {total} results shown", answer.results.len())?;
    }
    let line = savings(&answer.stats);
    writeln!(out, "{}", out.tone(Tone::Faint, &line))
}

/// What is not known about the answer, above it.
fn write_signals(out: &mut Output, answer: &Answer) -> io::Result<()> {
    let mut lines = Vec::new();
    let stale = answer.results.iter().filter(|hit| hit.stale).count();
    if stale > 0 {
        lines.push(format!(
            "! {stale} of {} results {} from files that changed since indexing —\n  \
             the code shown below may be out of date. Run `mast index` to refresh.",
            answer.results.len(),
            if answer.results.len() == 1 { "is" } else { "are" },
        ));
    }
    if let Some(Building { done, total }) = answer.index_building {
        lines.push(format!(
            "! the index is being built ({done} of {total} files) — what is not in it yet cannot be found."
        ));
    }
    if let Some(number) = answer.unindexed_files {
        lines.push(format!(
            "! {} on disk not indexed yet — run `mast index --incremental` to find what is in there.",
            count(number, "file"),
        ));
    }
    if let Some(number) = answer.changed_files
        && number > stale as u64
    {
        lines.push(format!(
            "! {} changed since indexing — what is new there is not in this answer.",
            count(number, "indexed file")
        ));
    }
    for line in &lines {
        writeln!(out, "{}", out.tone(Tone::Warning, line))?;
    }
    if lines.is_empty() { Ok(()) } else { writeln!(out) }
}

fn write_hit(out: &mut Output, hit: &Hit) -> io::Result<()> {
    let name = hit.symbol_name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let place = out.tone(Tone::Heading, &format!("{}:{}{name}", hit.file_path, hit.start_line));
    let exported = if hit.is_exported { " (exported)" } else { "" };
    let stale = if hit.stale { out.tone(Tone::Warning, " [STALE]") } else { String::new() };
    writeln!(out, "{place} {}{exported}{stale}", hit.chunk_type)?;
    for line in hit.content.lines() {
        if line.is_empty() {
            writeln!(out)?;
        } else {
            writeln!(out, "  {line}")?;
        }
    }
    if let Some(Related { symbol_name, chunk_type, start_line }) = &hit.related {
        writeln!(out, "  also matched: {symbol_name} {chunk_type}, line {start_line}")?;
    }
    Ok(())
}

fn write_no_matches(out: &mut Output) -> io::Result<()> {
    writeln!(
        out,
        "no matches (mast indexes TypeScript, JavaScript, and Markdown only, and skips dot\n\
         directories unless include_dot_dirs names them — a symbol anywhere else is\n\
         invisible to it, not absent from the repo)\n\
         exclude_patterns (test files, unless configured) and git's ignore rules keep files\n\
         out as well; `mast walk` shows what is left."
    )
}

fn write_nothing_indexed(out: &mut Output) -> io::Result<()> {
    writeln!(
        out,
        "nothing is indexed at this path — this is not evidence the symbol is absent.\n\
         run `mast index` first, or check `mast status` for the path being used."
    )
}

/// The last line: what the answer cost, against reading the files it names whole.
fn savings(stats: &Stats) -> String {
    let Stats { tokens_returned: returned, tokens_full_file_upper_bound: whole } = *stats;
    if whole == 0 {
        return format!("{returned} tokens returned");
    }
    // Rounded to whole per cent of the whole, half away from zero.
    let difference = i128::from(whole) - i128::from(returned);
    let scaled = difference * 200 + i128::from(whole) * difference.signum();
    let percent = scaled / (i128::from(whole) * 2);
    let verdict = if percent < 0 { format!("{}% more", -percent) } else { format!("{percent}% saved") };
    format!("{returned} tokens returned vs {whole} to read the files whole — {verdict}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_told_as_they_are() {
        let line = |returned, whole| {
            savings(&Stats { tokens_returned: returned, tokens_full_file_upper_bound: whole })
        };
        assert_eq!(line(270, 2140), "270 tokens returned vs 2140 to read the files whole — 87% saved");
        assert_eq!(line(412, 300), "412 tokens returned vs 300 to read the files whole — 37% more");
        assert_eq!(line(200, 200), "200 tokens returned vs 200 to read the files whole — 0% saved");
        assert_eq!(line(5, 0), "5 tokens returned");
    }
}
