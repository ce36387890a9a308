//! One row a tool call: what the answer cost and what reading the cited files whole would have cost.
//!
//! A long-lived process writes rows by a thread of their own, so that no answer waits for them; a one-shot process leaves
//! a line in the `journal`. What cannot be written at once (the database is busy, read-only or not there) is dropped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::journal::{self, Line};
use super::ledger;
use crate::error::Result;
use jiff::Timestamp;

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
    /// Rows go into the database at once, by a thread.
    in_background: bool,
}

#[derive(Debug)]
enum Message {
    Row(Line),
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
            in_background: false,
        }
    }

    /// Makes this the recorder of a long-lived process.
    pub fn record_in_background(&mut self) {
        self.in_background = true;
    }

    /// Records a call. Returns at once.
    pub fn record(&self, call: &Call) {
        {
            let mut totals = lock(&self.totals);
            totals.tokens_returned += call.tokens_returned;
            totals.tokens_full_file_upper_bound += call.tokens_full_file_upper_bound;
            *totals.calls_by_tool.entry(call.tool.to_owned()).or_default() += 1;
        }
        let line = Line::new(now(), &self.session_id, call);
        if !self.in_background {
            // Recording never fails an answer, and there is nobody to tell.
            let _ = journal::append(&self.database, &line);
            return;
        }
        let mut sender = lock(&self.thread);
        if sender.is_none() {
            *sender = start(self.database.clone());
        }
        if let Some(open) = &*sender {
            // The thread ends only with the recorder; without one the row is dropped.
            let _ = open.send(Message::Row(line));
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
        // Without a thread there is nothing under way.
        let is_asked =
            lock(&self.thread).as_ref().is_some_and(|open| open.send(Message::Flush(done)).is_ok());
        if is_asked {
            // Rows that are not written by then are not worth waiting for.
            let _ = wait.recv_timeout(FLUSH_PATIENCE);
        }
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

fn start(database: PathBuf) -> Option<Sender<Message>> {
    let (sender, receiver) = channel();
    let thread = thread::Builder::new().name("mast-metrics".into());
    thread.spawn(move || write_rows(&database, &receiver)).ok().map(|_| sender)
}

/// Writes what arrives, everything that waits in one transaction, until the recorder is gone.
fn write_rows(database: &Path, receiver: &Receiver<Message>) {
    while let Ok(first) = receiver.recv() {
        let (mut rows, mut waiting) = (Vec::new(), Vec::new());
        for message in std::iter::once(first).chain(receiver.try_iter()) {
            match message {
                Message::Row(line) => rows.push(line),
                Message::Flush(done) => waiting.push(done),
            }
        }
        if !rows.is_empty() {
            // Recording never fails an answer, and there is nobody to tell.
            let _ = ledger::write_rows(database, &rows);
        }
        for done in waiting {
            let _ = done.send(());
        }
    }
}
