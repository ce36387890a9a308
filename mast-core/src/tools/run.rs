//! One call of one tool: read the arguments, answer, bring cited files that changed up to date and answer again, wrap.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

use super::answer::{Signals, Stats};
use super::parts::IndexBuilding;
use super::{Coverage, Freshness, Output, Reply, Share, Tool, ToolSpec, arguments};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::RepoPath;
use crate::task::CallContext;
use crate::telemetry::metrics::Call;
use crate::telemetry::{efficiency_ratio, tokens};

/// Most tokens of an answer whose size the caller did not choose: what clients accept, less room for the frame.
const MAX_TOKENS: u64 = 24_000;

/// How often an answer may bring the files it cites up to date: a second answer can cite files the first did not.
const ROUNDS: usize = 3;

/// A complete answer.
#[derive(Debug)]
pub(crate) struct Answer<O> {
    /// What the tool says.
    pub(crate) output: O,
    /// What MAST does not know about it.
    pub(crate) signals: Signals,
    /// What it cost.
    pub(crate) stats: Option<Stats>,
}

/// Answers one call and records it.
pub(super) fn run<T: Tool>(
    spec: &ToolSpec,
    engine: &Engine,
    arguments: Value,
    context: &CallContext<'_>,
) -> Result<Reply> {
    let started = Instant::now();
    let reply = reply::<T>(spec, engine, arguments, context, started);
    let (status, tokens) = match &reply {
        Ok((_, tokens)) => ("ok", *tokens),
        Err(error) => (error.code().as_str(), Tokens::default()),
    };
    engine.recorder().record(&Call {
        tool: T::NAME,
        status,
        tokens_returned: tokens.returned,
        tokens_full_file_upper_bound: tokens.full,
        duration_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
    });
    reply.map(|(reply, _)| reply)
}

#[derive(Debug, Clone, Copy, Default)]
struct Tokens {
    returned: u64,
    full: u64,
}

fn reply<T: Tool>(
    spec: &ToolSpec,
    engine: &Engine,
    arguments: Value,
    context: &CallContext<'_>,
    started: Instant,
) -> Result<(Reply, Tokens)> {
    let has_limit = arguments.get("limit").is_some_and(|limit| !limit.is_null());
    let input = arguments::parse::<T>(arguments, spec.input_schema())?;
    context.cancel.check()?;
    let answered = answer_or_nothing::<T>(engine, &input, context)?;
    context.cancel.check()?;
    let Answered { output, known, is_busy } = answered;
    let is_empty = output.is_empty();
    let signals =
        Signals { file_busy_returning_stale_cache: is_busy, ..known.signals }.for_answer::<T>(is_empty);
    let excluded_files = known.excluded_files.filter(|_| T::COUNTS_EXCLUDED);

    let mut answer = Answer { output, signals, stats: None };
    let (mut json, mut tokens) = finish::<T>(engine, &mut answer, excluded_files, started)?;
    while !has_limit && tokens > MAX_TOKENS && answer.output.shorten(Share { tokens, allowed: MAX_TOKENS }) {
        (json, tokens) = finish::<T>(engine, &mut answer, excluded_files, started)?;
    }
    let tokens = Tokens {
        returned: answer.stats.as_ref().map_or(tokens, |stats| stats.tokens_returned),
        full: answer.stats.as_ref().map_or(0, |stats| stats.tokens_full_file_upper_bound),
    };
    Ok((Reply { json, text: Arc::new(answer) }, tokens))
}

/// What a tool says, and what is known to be missing from it.
struct Answered<O> {
    output: O,
    known: Known,
    /// A cited file still differs from the index.
    is_busy: bool,
}

fn answer_or_nothing<T: Tool>(
    engine: &Engine,
    input: &T::Input,
    context: &CallContext<'_>,
) -> Result<Answered<T::Output>> {
    let mut is_second = false;
    loop {
        match answer::<T>(engine, input, context) {
            // A server that is about to build its first index has an empty one.
            Err(Error::NoIndex { state_dir }) if engine.is_long_lived() => {
                let output = T::nothing(input).ok_or(Error::NoIndex { state_dir })?;
                let known = known_gaps::<T>(engine)?;
                // What was built meanwhile may hold what is not in the answer, and is not told as missing any more.
                if is_second || engine.snapshot().is_err() {
                    return Ok(Answered { output, known, is_busy: false });
                }
                is_second = true;
            }
            answered => return answered.map_err(named::<T>),
        }
    }
}

/// Answers, with the files the answer cites brought up to date or marked as the tool's policy says.
///
/// What is said about an answer must be true of the rows it was made from. Another process may write between the two; then
/// the answer is made once more, and when the shelf does not come to rest, all of it counts as out of date.
fn answer<T: Tool>(
    engine: &Engine,
    input: &T::Input,
    context: &CallContext<'_>,
) -> Result<Answered<T::Output>> {
    if T::FRESHNESS == Freshness::Ignore && T::COVERAGE == Coverage::None {
        return Ok(Answered {
            output: T::run(engine, input, context)?,
            known: Known::default(),
            is_busy: false,
        });
    }
    let mut round = 0;
    loop {
        round += 1;
        context.cancel.check()?;
        let before = engine.footing()?;
        let mut output = T::run(engine, input, context)?;
        let looked = look_at_cited::<T>(engine, &mut output, context)?;
        if looked == Looked::Renewed && round < ROUNDS {
            continue;
        }
        let mut known = known_gaps::<T>(engine)?;
        let pending = &mut known.signals.pending_edge_repairs;
        // Edges that were made meanwhile are not in the answer.
        *pending = Some(pending.unwrap_or(0).max(before.unrepaired));
        let is_at_rest = engine.footing()?.facts == before.facts;
        if is_at_rest {
            return Ok(Answered { output, known, is_busy: looked != Looked::Current });
        }
        if round >= ROUNDS {
            output.mark_stale(&|_| true);
            known.signals.changed_files = Some(None);
            return Ok(Answered { output, known, is_busy: true });
        }
    }
}

/// What became of the files an answer cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// They are as the answer says, or marked where they are not.
    Current,
    /// Some were brought up to date: the answer is of before.
    Renewed,
    /// Some changed and could not be brought up to date.
    Busy,
}

fn look_at_cited<T: Tool>(
    engine: &Engine,
    output: &mut T::Output,
    context: &CallContext<'_>,
) -> Result<Looked> {
    let cited = cited(output);
    match T::FRESHNESS {
        Freshness::Ignore => {}
        Freshness::Flag if cited.is_empty() => {}
        Freshness::Flag => {
            let stale: BTreeSet<RepoPath> = engine.stale_among(&cited)?.into_iter().collect();
            let is_stale = |file: &str| RepoPath::new(file).is_some_and(|path| stale.contains(&path));
            output.mark_stale(&is_stale);
        }
        Freshness::Refresh => {
            let refreshed = match engine.refresh(&cited, context) {
                Err(Error::Busy(_)) => return Ok(Looked::Busy),
                refreshed => refreshed?,
            };
            if !refreshed.updated.is_empty() || !refreshed.removed.is_empty() {
                return Ok(Looked::Renewed);
            }
            if !refreshed.stale.is_empty() {
                return Ok(Looked::Busy);
            }
        }
    }
    Ok(Looked::Current)
}

fn cited(output: &impl Output) -> Vec<RepoPath> {
    let files: BTreeSet<&str> = output.files().into_iter().collect();
    files.into_iter().filter_map(RepoPath::new).collect()
}

/// A handler's complaint about an argument begins with the tool's name, as the parser's do.
fn named<T: Tool>(error: Error) -> Error {
    match error {
        Error::InvalidInput(message) => Error::InvalidInput(format!("{}: {message}", T::NAME)),
        other => other,
    }
}

#[derive(Debug, Default)]
struct Known {
    signals: Signals,
    excluded_files: Option<u64>,
}

/// What the engine knows to be missing from the index, as far as the tool has to say it.
fn known_gaps<T: Tool>(engine: &Engine) -> Result<Known> {
    if T::COVERAGE == Coverage::None {
        return Ok(Known::default());
    }
    let known = match engine.signals() {
        Err(Error::NoIndex { .. }) if engine.is_long_lived() => {
            return Ok(Known {
                signals: Signals { index_empty: true, ..Signals::default() },
                excluded_files: None,
            });
        }
        known => known?,
    };
    Ok(Known {
        signals: Signals {
            index_empty: known.index_empty,
            unindexed_files: known.unindexed_files,
            pending_edge_repairs: known.pending_edge_repairs,
            index_building: known.index_building.map(|p| IndexBuilding { done: p.done, total: p.total }),
            changed_files: known.changed_files,
            ..Signals::default()
        },
        excluded_files: known.excluded_files,
    })
}

/// Spells the answer and puts its `_stats` behind it; the second value is the tokens of the whole.
fn finish<T: Tool>(
    engine: &Engine,
    answer: &mut Answer<T::Output>,
    excluded_files: Option<u64>,
    started: Instant,
) -> Result<(String, u64)> {
    let mut json = to_json(&Body { output: &answer.output, signals: answer.signals })?;
    let tokens_returned = u64::from(tokens::count_tokens(&json));
    if !T::HAS_STATS {
        return Ok((json, tokens_returned));
    }
    let mut seen = BTreeSet::new();
    let files_referenced: Vec<String> =
        answer.output.files().into_iter().filter(|file| seen.insert(*file)).map(str::to_owned).collect();
    let full = match answer.output.full_tokens() {
        Some(full) => full,
        None => indexed_tokens(engine, &files_referenced)?,
    };
    let stats = Stats {
        tool: T::NAME,
        tokens_returned,
        tokens_full_file_upper_bound: full,
        files_referenced,
        efficiency_ratio: efficiency_ratio(tokens_returned, full),
        excluded_files,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    let block = to_json(&stats)?;
    append(&mut json, "_stats", &block);
    answer.stats = Some(stats);
    Ok((json, tokens_returned + u64::from(tokens::count_tokens(&block))))
}

/// Tokens of the files as counted when they were indexed.
fn indexed_tokens(engine: &Engine, files: &[String]) -> Result<u64> {
    if files.is_empty() {
        return Ok(0);
    }
    let snapshot = engine.snapshot()?;
    let mut full = 0;
    for path in files.iter().filter_map(|file| RepoPath::new(file)) {
        full += snapshot.file(&path)?.map_or(0, |row| u64::from(row.tokens));
    }
    Ok(full)
}

#[derive(Serialize)]
struct Body<'a, O> {
    #[serde(flatten)]
    output: &'a O,
    #[serde(flatten)]
    signals: Signals,
}

/// Adds a last member to an object, so that the text before it is what was counted.
fn append(json: &mut String, name: &str, value: &str) {
    json.pop();
    if json.len() > 1 {
        json.push(',');
    }
    json.push('"');
    json.push_str(name);
    json.push_str("\":");
    json.push_str(value);
    json.push('}');
}

fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))
}

impl<O: Output> Display for Answer<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A file that is marked in the answer need not be counted above it.
        let stale = self.output.stale_count();
        let signals = Signals {
            changed_files: self.signals.changed_files.filter(|n| n.is_none_or(|n| n > stale)),
            ..self.signals
        };
        let head = signals.to_string();
        f.write_str(&head)?;
        if self.signals.index_empty {
            return Ok(());
        }
        if !head.is_empty() {
            writeln!(f)?;
        }
        write!(f, "{}", self.output)?;
        match &self.stats {
            Some(stats) if !self.output.is_empty() => writeln!(f, "\n{stats}"),
            _ => Ok(()),
        }
    }
}
