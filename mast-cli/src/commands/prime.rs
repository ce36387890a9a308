//! `mast prime`: what an assistant should know at the start of a session, and the live state of the index.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use jiff::{SpanRound, Timestamp, Unit};
use mast_core::store::{Condition, is_run_under_way};
use mast_core::{CallContext, Engine, Error, OpenOptions};
use serde_json::{Value, json};

use crate::args::ProjectArgs;
use crate::failure::Failure;
use crate::harness::text;
use crate::output::Output;

/// Hosts cut what a hook says at 10,000 characters; this leaves room.
const MAX_CHARACTERS: usize = 8_000;

/// Print the session primer: how to use mast, and the state of the index.
#[derive(Debug, Args)]
#[command(after_help = "Exit code: always 0; the text itself says when there is no index.")]
pub(crate) struct PrimeArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}

/// Runs the command.
pub(crate) fn run(args: &PrimeArgs) -> ExitCode {
    let status = match args.project.open() {
        Ok(engine) => status(&engine),
        Err(Failure::Core(error)) => Err(error),
        Err(other) => return told(other),
    };
    let text = primer(status, Timestamp::now());
    let mut out = Output::open();
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    written.map_or_else(|error| told(error.into()), |()| ExitCode::SUCCESS)
}

/// Says what went wrong and succeeds all the same: what runs at the start of a session must not break it.
fn told(failure: Failure) -> ExitCode {
    let _ = failure.report();
    ExitCode::SUCCESS
}

/// The primer for the project at `root`.
pub(crate) fn text(root: &Path) -> String {
    let options = OpenOptions { root: Some(root.to_path_buf()), state_dir: None };
    primer(Engine::open(options).and_then(|engine| status(&engine)), Timestamp::now())
}

/// The answer of `mast_status`.
fn status(engine: &Engine) -> Result<Value, Error> {
    // Where nothing is indexed and nothing is about to be, the whole tree would be walked only to say that.
    let state_dir = engine.state_dir();
    if matches!(engine.store().condition(), Condition::Missing) && !is_run_under_way(state_dir) {
        return Err(Error::NoIndex { state_dir: state_dir.to_path_buf() });
    }
    let reply = engine.call("mast_status", json!({}), &CallContext::default())?;
    serde_json::from_str(&reply.json).map_err(|error| Error::Internal(format!("mast_status: {error}")))
}

/// The rules and the state of a usable index, or what is wrong and no rules: advice to use an index that
/// cannot answer would do harm.
fn primer(status: Result<Value, Error>, now: Timestamp) -> String {
    let state = match status {
        Ok(status) => State::read(&status, now),
        Err(Error::NoIndex { state_dir }) => State::Unusable(no_index(&state_dir.display().to_string())),
        Err(error) => State::Unusable(format!(
            "mast cannot read its index here ({error}). Use ordinary search until that is fixed; `mast status` says more."
        )),
    };
    let mut text = match state {
        State::Usable(line) => format!("{}\n\n{line}", text::PRIMER.trim_end()),
        State::Unusable(line) => line,
    };
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARACTERS) {
        text.truncate(end);
    }
    text
}

/// What `mast_status` comes down to.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The index answers; the line says how current it is.
    Usable(String),
    /// It does not; the line says why and what to do.
    Unusable(String),
}

impl State {
    fn read(status: &Value, now: Timestamp) -> Self {
        let text = |key: &str| status[key].as_str().unwrap_or("unknown");
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        let state_dir = text("state_dir");
        match status["freshness_cause"].as_str() {
            Some("index_version") => {
                return Self::Unusable(format!(
                    "The mast index in {state_dir} was built with schema {}, and this mast reads {}, so mast does not \
                     answer from it. `mast index` or the mast_reindex tool rebuilds an older index; for a newer one \
                     mast itself has to be upgraded. Use ordinary search until then.",
                    text("index_schema_version"),
                    text("schema_version")
                ));
            }
            Some("stamp_unreadable") => {
                let why = status["warnings"][0].as_str().unwrap_or("what built it is not known");
                return Self::Unusable(format!(
                    "The mast index in {state_dir} cannot be read: {why}. `mast index` rebuilds it. Use ordinary \
                     search until then."
                ));
            }
            Some("root_mismatch") => {
                return Self::Unusable(format!(
                    "The mast index in {state_dir} describes another source tree than this one, so its answers would \
                     be about other files. `mast index` rebuilds it for this tree; check MAST_STATE_DIR first. Use \
                     ordinary search until then."
                ));
            }
            _ => {}
        }
        let files = count(&status["indexed_files"]);
        let counted = format!("{files} {}", if files == 1 { "file" } else { "files" });
        let indexed = format!("Index: {counted}");
        let building = &status["index_building"];
        if building.is_object() {
            let progress = format!("{} of {} files", count(&building["done"]), count(&building["total"]));
            if files == 0 {
                return Self::Unusable(format!(
                    "mast is building its first index here ({progress} done). Until it is complete an empty or short \
                     answer says nothing; mast_status tells how far it is."
                ));
            }
            return Self::Usable(format!(
                "{indexed}; an index run is under way ({progress} done), so answers may lack entries until \
                 it ends."
            ));
        }
        if files == 0 {
            return Self::Unusable(no_index(state_dir));
        }
        if status["last_indexed"].is_null() {
            return Self::Unusable(format!(
                "mast has an index here that no run has completed ({counted}), so an empty or short answer says nothing. \
                 mast_reindex or `mast index --incremental` completes it; use ordinary search until then."
            ));
        }
        let age = status["last_indexed"]
            .as_str()
            .and_then(|at| age(at, now))
            .unwrap_or("at an unknown time".into());
        let head = format!("{indexed}, last indexed {age}");
        if status["index_fresh"] == json!(true) {
            return Self::Usable(format!("{head}; it matches the files on disk."));
        }
        let split = &status["stale_breakdown"];
        let (changed, unindexed, deleted) =
            (count(&split["changed"]), count(&split["unindexed"]), count(&split["deleted"]));
        let repairs = count(&status["pending_edge_repairs"]);
        if changed + unindexed + deleted == 0 {
            return Self::Usable(format!(
                "{head}; every file is current, but the call and inheritance edges of {repairs} files wait to be \
                 resolved again, so callers and implementors may miss an entry. mast_reindex completes them."
            ));
        }
        Self::Usable(format!(
            "{head}; stale: {changed} changed, {unindexed} unindexed, {deleted} deleted. Calling mast_reindex first \
             brings it up to date; without that, new files are invisible to every tool."
        ))
    }
}

fn no_index(state_dir: &str) -> String {
    format!(
        "mast is installed, but nothing is indexed here (looked in {state_dir}), so its tools would answer empty. \
         `mast init` builds the index. Until then use ordinary search; an empty mast answer says nothing."
    )
}

/// How long ago `at` was, in one unit.
fn age(at: &str, now: Timestamp) -> Option<String> {
    let at: Timestamp = at.parse().ok()?;
    let seconds =
        now.since(at).ok()?.round(SpanRound::new().largest(Unit::Second)).ok()?.get_seconds().max(0);
    let (count, unit) = match seconds {
        0..60 => return Some("less than a minute ago".into()),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    Some(format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-06-01T12:00:00Z".parse().unwrap()
    }

    fn status(changes: &Value) -> Value {
        let mut status = json!({
            "state_dir": "/p/.mast", "schema_version": "2.0.0", "index_schema_version": "2.0.0",
            "last_indexed": "2026-06-01T09:59:00Z", "indexed_files": 120, "stale_files": 0,
            "stale_breakdown": { "changed": 0, "unindexed": 0, "deleted": 0 },
            "pending_edge_repairs": 0, "index_fresh": true, "freshness_cause": null,
        });
        for (key, value) in changes.as_object().unwrap() {
            status[key] = value.clone();
        }
        status
    }

    #[test]
    fn a_fresh_index_gives_the_rules_the_count_and_the_age() {
        let text = primer(Ok(status(&json!({}))), now());
        assert!(text.starts_with(text::PRIMER.trim_end()), "{text}");
        assert!(
            text.ends_with("Index: 120 files, last indexed 2 hours ago; it matches the files on disk."),
            "{text}"
        );
        assert!(text.chars().count() < 2_800, "{}", text.chars().count());
    }

    #[test]
    fn a_stale_index_adds_the_split_and_how_to_mend_it() {
        let stale = status(&json!({
            "index_fresh": false, "freshness_cause": "phase1_stale",
            "stale_breakdown": { "changed": 3, "unindexed": 1, "deleted": 2 },
        }));
        let text = primer(Ok(stale), now());
        assert!(text.contains("stale: 3 changed, 1 unindexed, 2 deleted. Calling mast_reindex"), "{text}");
        let waiting = status(&json!({
            "index_fresh": false, "freshness_cause": "edge_repair_pending", "pending_edge_repairs": 4,
        }));
        assert!(primer(Ok(waiting), now()).contains("edges of 4 files wait"));
    }

    #[test]
    fn an_index_that_cannot_answer_withholds_the_rules() {
        let cases = [
            (
                Ok(status(&json!({ "last_indexed": null, "indexed_files": 0, "index_fresh": false }))),
                "nothing is indexed here",
            ),
            (
                Ok(status(&json!({ "last_indexed": null, "index_fresh": false }))),
                "that no run has completed (120 files)",
            ),
            (
                Ok(status(&json!({ "freshness_cause": "root_mismatch", "index_fresh": false }))),
                "another source tree",
            ),
            (
                Ok(status(&json!({ "freshness_cause": "index_version", "index_schema_version": "0.9.0" }))),
                "built with schema 0.9.0, and this mast reads 2.0.0",
            ),
            (
                Ok(status(&json!({ "freshness_cause": "stamp_unreadable", "warnings": ["it is torn"] }))),
                "cannot be read: it is torn.",
            ),
            (Err(Error::NoIndex { state_dir: "/p/.mast".into() }), "looked in /p/.mast"),
            (Err(Error::Busy("locked".into())), "(locked)"),
        ];
        for (status, part) in cases {
            let text = primer(status, now());
            assert!(text.contains(part), "{part}: {text}");
            assert!(!text.contains(text::PRIMER.trim_end()), "{text}");
        }
    }

    #[test]
    fn where_nothing_is_indexed_nothing_is_walked() {
        let directory = tempfile::tempdir().unwrap();
        let options = OpenOptions { root: Some(directory.path().to_path_buf()), state_dir: None };
        let engine = Engine::open(options).unwrap();
        assert!(
            matches!(super::status(&engine), Err(Error::NoIndex { .. })),
            "not the answer of a measurement"
        );
    }

    #[test]
    fn a_run_under_way_is_said() {
        let building = json!({ "done": 10, "total": 400 });
        let text = primer(Ok(status(&json!({ "index_building": building, "index_fresh": false }))), now());
        assert!(
            text.ends_with("under way (10 of 400 files done), so answers may lack entries until it ends."),
            "{text}"
        );
        let first = json!({ "index_building": building, "indexed_files": 0, "last_indexed": null });
        let text = primer(Ok(status(&first)), now());
        assert!(text.starts_with("mast is building its first index here (10 of 400 files done)"), "{text}");
    }

    #[test]
    fn ages_are_given_in_one_unit() {
        let check = |at: &str, expected: &str| assert_eq!(age(at, now()).as_deref(), Some(expected), "{at}");
        check("2026-06-01T11:59:30Z", "less than a minute ago");
        check("2026-06-01T11:58:59Z", "1 minute ago");
        check("2026-05-31T11:00:00Z", "1 day ago");
        check("2026-06-01T12:05:00Z", "less than a minute ago");
        assert_eq!(age("yesterday", now()), None);
    }
}
