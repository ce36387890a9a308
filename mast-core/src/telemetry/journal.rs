//! Calls of one-shot processes on their way into the database: lines appended to a file, which costs such a process
//! nothing. Whoever reads or writes the metrics next puts them where they belong.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::ledger;
use super::metrics::Call;
use crate::error::{Error, Result};

/// Beyond this size a process that records folds the journal itself.
const MAX_BYTES: u64 = 1 << 20;

/// One call as a line of the journal.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) called_at: i64,
    pub(super) session_id: String,
    pub(super) tool_name: String,
    pub(super) status: String,
    pub(super) tokens_returned: u64,
    pub(super) tokens_full_file_upper_bound: u64,
    pub(super) duration_us: u64,
}

impl Line {
    /// The line of a call.
    pub(super) fn new(called_at: i64, session_id: &str, call: &Call) -> Self {
        Self {
            called_at,
            session_id: session_id.to_owned(),
            tool_name: call.tool.to_owned(),
            status: call.status.to_owned(),
            tokens_returned: call.tokens_returned,
            tokens_full_file_upper_bound: call.tokens_full_file_upper_bound,
            duration_us: call.duration_us,
        }
    }
}

/// The journal of a database.
pub(super) fn path(database: &Path) -> PathBuf {
    database.with_file_name("metrics.log")
}

/// Appends a line. Without a database nothing is written: there is no index, and so no state directory of ours.
pub(super) fn append(database: &Path, line: &Line) -> Result<()> {
    if !database.exists() {
        return Ok(());
    }
    ledger::require_not_newer(database)?;
    let path = path(database);
    let mut text = serde_json::to_string(line).map_err(|e| Error::Internal(e.to_string()))?;
    text.push('\n');
    let write = || {
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        // One write, so that lines of processes that append at once do not mix.
        file.write_all(text.as_bytes())?;
        file.metadata().map(|metadata| metadata.len())
    };
    let length = write().map_err(|e| Error::io(&path, e))?;
    if length > MAX_BYTES {
        ledger::fold(database)?;
    }
    Ok(())
}

/// The calls in a journal; none when there is none.
pub(super) fn lines(journal: &Path) -> Vec<Line> {
    let text = fs::read_to_string(journal).unwrap_or_default();
    // A line that was cut short by a full disk is no call.
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Moves the lines into the database.
pub(super) fn fold_into(connection: &mut Connection, database: &Path) -> Result<()> {
    let path = path(database);
    let taken = path.with_extension(format!("log.{}", std::process::id()));
    // Renamed first: what others append from now on goes into a new file, and no two processes take the same lines.
    match fs::rename(&path, &taken) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        renamed => renamed.map_err(|e| Error::Disk(format!("{}: {e}", path.display())))?,
    }
    let inserted = ledger::insert(connection, &lines(&taken));
    if inserted.is_err() {
        // For the next one who tries, unless a new journal has begun; then these few calls are lost.
        if !path.exists() {
            let _ = fs::rename(&taken, &path);
        }
        return inserted;
    }
    fs::remove_file(&taken).map_err(|e| Error::io(taken, e))
}
