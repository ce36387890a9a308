//! One row a tool call: what the answer cost and what reading the cited files whole would have cost.
//!
//! Rows are written by a thread of their own, so that no answer waits for them. A row that cannot be written at once
//! (the database is busy, read-only or not there) is dropped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, params};

use super::ledger;
use crate::error::Result;

/// Longest wait for another writer before a row is dropped.
const WRITE_PATIENCE: Duration = Duration::from_millis(50);

/// Longest wait for rows under way when the process ends or a report needs them.
const FLUSH_PATIENCE: Duration = Duration::from_millis(150);

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub tool: &'static str,
    /// `ok`, or the code of the error.
    pub status: &'static str,
    /// Tokens of the answer.
    pub tokens_returned: u64,
    /// Tokens of the cited files, read whole.
    pub tokens_full_file_upper_bound: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
}

/// Sums over calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// Begin of the time that is counted, in milliseconds since the Unix epoch; `None` when nothing was recorded.
    pub window_started_at: Option<i64>,
    /// Tokens of the answers.
    pub tokens_returned: u64,
    /// Tokens of the cited files, read whole each time.
    pub tokens_full_file_upper_bound: u64,
    /// Calls of each tool.
    pub calls_by_tool: BTreeMap<String, u64>,
}

/// Takes the calls of one process.
#[derive(Debug)]
pub struct Recorder {
    database: PathBuf,
    session_id: String,
    totals: Mutex<Totals>,
    thread: Mutex<Option<Sender<Message>>>,
}

#[derive(Debug)]
enum Message {
    Row(i64, Call),
    Flush(Sender<()>),
}

impl Recorder {
    /// A recorder for the index in `state_dir`. Nothing is opened before the first call is recorded.
    #[must_use]
    pub fn new(state_dir: &Path) -> Self {
        let now = now();
        Self {
            database: ledger::database(state_dir),
            session_id: format!("{now:x}-{:x}", std::process::id()),
            totals: Mutex::new(Totals { window_started_at: Some(now), ..Totals::default() }),
            thread: Mutex::new(None),
        }
    }

    /// Records a call. Returns at once.
    pub fn record(&self, call: Call) {
        {
            let mut totals = lock(&self.totals);
            totals.tokens_returned += call.tokens_returned;
            totals.tokens_full_file_upper_bound += call.tokens_full_file_upper_bound;
            *totals.calls_by_tool.entry(call.tool.to_owned()).or_default() += 1;
        }
        let mut sender = lock(&self.thread);
        if sender.is_none() {
            *sender = start(self.database.clone(), self.session_id.clone());
        }
        if let Some(open) = &*sender {
            // The thread ends only with the recorder; without one the row is dropped.
            let _ = open.send(Message::Row(now(), call));
        }
    }

    /// Sums over the calls of this process, up to the last one recorded.
    #[must_use]
    pub fn session(&self) -> Totals {
        lock(&self.totals).clone()
    }

    /// Sums over all recorded calls, or those of the last `minutes`.
    ///
    /// # Errors
    /// The database cannot be read. One that is not there holds nothing.
    pub fn global(&self, minutes: Option<u32>) -> Result<Totals> {
        self.flush();
        ledger::totals(&self.database, minutes.map(|minutes| now() - i64::from(minutes) * 60_000))
    }

    /// Waits a moment for rows under way.
    fn flush(&self) {
        let (done, wait) = channel();
        if let Some(open) = &*lock(&self.thread)
            && open.send(Message::Flush(done)).is_err()
        {
            return;
        }
        // Rows that are not written by then are not worth waiting for.
        let _ = wait.recv_timeout(FLUSH_PATIENCE);
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Milliseconds since the Unix epoch.
pub(super) fn now() -> i64 {
    Timestamp::now().as_millisecond()
}

/// A time of this module as ISO 8601 in UTC.
#[must_use]
pub fn iso(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start(database: PathBuf, session_id: String) -> Option<Sender<Message>> {
    let (sender, receiver) = channel();
    let thread = thread::Builder::new().name("mast-metrics".into());
    thread.spawn(move || write_rows(&database, &session_id, &receiver)).ok().map(|_| sender)
}

/// Writes what arrives, everything that waits in one transaction, until the recorder is gone.
fn write_rows(database: &Path, session_id: &str, receiver: &Receiver<Message>) {
    while let Ok(first) = receiver.recv() {
        let (mut rows, mut waiting) = (Vec::new(), Vec::new());
        for message in std::iter::once(first).chain(receiver.try_iter()) {
            match message {
                Message::Row(at, call) => rows.push((at, call)),
                Message::Flush(done) => waiting.push(done),
            }
        }
        if !rows.is_empty() {
            // Recording never fails an answer, and there is nobody to tell.
            let _ = insert(database, session_id, &rows);
        }
        for done in waiting {
            let _ = done.send(());
        }
    }
}

fn insert(database: &Path, session_id: &str, rows: &[(i64, Call)]) -> Result<()> {
    // Opened anew each time: a rebuild may have put another file in its place.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(database, flags)?;
    connection.busy_timeout(WRITE_PATIENCE)?;
    connection.pragma_update(None, "synchronous", "normal")?;
    ledger::adopt(&mut connection)?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare(
            "INSERT INTO metrics (called_at, session_id, tool_name, status, tokens_returned, \
             tokens_full_file_upper_bound, duration_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7 / 1000.0)",
        )?;
        for (at, call) in rows {
            insert.execute(params![
                at,
                session_id,
                call.tool,
                call.status,
                ledger::signed(call.tokens_returned),
                ledger::signed(call.tokens_full_file_upper_bound),
                ledger::signed(call.duration_us),
            ])?;
        }
    }
    transaction.commit()?;
    Ok(())
}
