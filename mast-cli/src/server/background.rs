//! What a server does besides answering: it copies a seed index, brings the index up to date, and then keeps it so.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mast_core::engine::ConfigNews;
use mast_core::index::RunRequest;
use mast_core::watch::{Batch, Watch};
use mast_core::{CallContext, Cancel, Engine, Error};

use super::Log;

/// Where a prebuilt index is looked for when `MAST_SEED_DIR` does not say.
const SEED_DIR: &str = "/opt/mast-seed";

/// How long a call waits for the state directory to be in place: a seed of a large repository takes a moment to copy.
const GATE_PATIENCE: Duration = Duration::from_secs(10);

/// The run lock is tried this often, a second each.
const ATTEMPTS: u32 = 5;

/// How often a server that reads only tries to become the writer.
const LEASE_PAUSE: Duration = Duration::from_secs(2);

/// When a run that failed is tried again though nothing changed: a disk has room again, a directory can be read again.
const RETRY_PAUSE: Duration = Duration::from_secs(10);

/// How often the background looks whether it should stop.
const TICK: Duration = Duration::from_millis(200);

/// Time for edges in one run; what is left is made by the next one, so that no other writer waits for long.
const LINK_BUDGET: Duration = Duration::from_secs(10);

/// Longest wait for the background to stop when the server ends.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// What to do once the handshake is over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Startup {
    /// Bring the index up to date.
    pub(crate) reindex: bool,
    /// Then watch the source files.
    pub(crate) watch: bool,
}

/// Opens when the state directory is in place, so that the first calls are not answered from half a copy.
#[derive(Debug, Default)]
pub(super) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Waits until the gate is open, or until waiting makes no sense any more.
    pub(super) fn pass(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        // A call after that finds what there is.
        let _ = self.opened.wait_timeout_while(is_open, GATE_PATIENCE, |is_open| !*is_open);
    }

    fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }
}

/// The background of one server.
#[derive(Debug)]
pub(crate) struct Background {
    engine: Arc<Engine>,
    gate: Arc<Gate>,
    cancel: Cancel,
    thread: Mutex<Option<JoinHandle<()>>>,
    log: Log,
}

impl Background {
    /// A background that has not begun.
    pub(super) fn prepare(engine: Arc<Engine>, log: Log) -> Self {
        Self { engine, gate: Arc::default(), cancel: Cancel::default(), thread: Mutex::new(None), log }
    }

    /// The gate that calls pass.
    pub(super) fn gate(&self) -> Arc<Gate> {
        Arc::clone(&self.gate)
    }

    /// Begins.
    pub(super) fn start(&self, startup: Startup) {
        let (engine, gate, cancel, log) =
            (Arc::clone(&self.engine), Arc::clone(&self.gate), self.cancel.clone(), self.log);
        let run = move || {
            prepare_state(&engine, log);
            gate.open();
            if startup.watch {
                lead(&engine, startup, &cancel, log);
            } else if startup.reindex {
                reindex(&engine, &cancel, log);
            }
        };
        match thread::Builder::new().name("mast-background".into()).spawn(run) {
            Ok(handle) => *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle),
            Err(error) => {
                self.gate.open();
                self.log.error(format_args!("the index is not kept up to date: {error}"));
            }
        }
    }

    /// Asks the background to stop.
    pub(super) fn stop(&self) {
        self.cancel.cancel();
        self.gate.open();
    }

    /// Asks the background to stop and waits for it, so that no lock and no half-written batch is left.
    pub(super) fn finish(self) {
        self.stop();
        let Some(handle) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let deadline = Instant::now() + STOP_PATIENCE;
        while !handle.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        if handle.is_finished() && handle.join().is_err() {
            self.log.error("the background ended in a panic");
        }
    }
}

/// Puts the state directory in place: a seed index where there is none yet, and the configuration as resolved.
fn prepare_state(engine: &Engine, log: Log) {
    if let Some(seed) = seed_dir(engine) {
        match engine.adopt_seed(&seed) {
            Ok(true) => log.info(format_args!("started from the prebuilt index in {}", seed.display())),
            Ok(false) => {}
            Err(error) => {
                log.warn(format_args!("the prebuilt index in {} is not used: {error}", seed.display()));
            }
        }
    }
    save_config(engine, log);
}

fn save_config(engine: &Engine, log: Log) {
    if let Err(error) = engine.save_config() {
        log.warn(format_args!("the configuration could not be saved: {error}"));
    }
}

/// Logs what happened to the configuration, and saves the one that is in force now.
pub(super) fn tell_config_news(engine: &Engine, log: Log) {
    let news = engine.take_config_news();
    for ConfigNews { line, is_refusal } in &news {
        if *is_refusal {
            log.warn(line);
        } else {
            log.info(line);
            engine.config().warnings.iter().for_each(|warning| log.warn(warning));
        }
    }
    if news.iter().any(|news| !news.is_refusal) {
        save_config(engine, log);
    }
}

/// The directory with a prebuilt index, when there is one and the state directory is empty.
pub(crate) fn seed_dir(engine: &Engine) -> Option<PathBuf> {
    let given = std::env::var_os("MAST_SEED_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let seed = given.unwrap_or_else(|| Path::new(SEED_DIR).to_path_buf());
    (!engine.has_index() && seed.join("index.json").is_file()).then_some(seed)
}

/// Becomes the writer as soon as no other server is, brings the index up to date, and keeps it so until the end; again
/// when the state directory was removed meanwhile.
fn lead(engine: &Arc<Engine>, startup: Startup, cancel: &Cancel, log: Log) {
    let mut must_reindex = startup.reindex;
    while lead_once(engine, must_reindex, cancel, log) {
        // Of a project that is gone nothing is made again; it may come back.
        while !engine.root().is_dir() {
            if !pause(cancel, LEASE_PAUSE) {
                return;
            }
        }
        log.warn("the state directory was removed; it is made again");
        save_config(engine, log);
        must_reindex = true;
    }
    engine.resign();
}

/// Leads until the end, or until the lease is lost; then `true`.
fn lead_once(engine: &Arc<Engine>, must_reindex: bool, cancel: &Cancel, log: Log) -> bool {
    let mut is_waiting = false;
    loop {
        match engine.try_lead() {
            Ok(true) => break,
            Ok(false) if !is_waiting => {
                is_waiting = true;
                log.info("another server keeps this index up to date");
            }
            Ok(false) => {}
            Err(error) => {
                log.warn(format_args!("not watching, and the index is not kept up to date: {error}"));
                return false;
            }
        }
        if !pause(cancel, LEASE_PAUSE) {
            return false;
        }
    }
    // Watching begins before the run, so that no change falls between the two.
    // The watcher's thread may outlive the server for a moment; it must not keep the database open.
    let observer = Arc::downgrade(engine);
    let watch = Watch::start(&engine.config(), move || {
        if let Some(engine) = observer.upgrade() {
            engine.note_change();
        }
    });
    if must_reindex || is_waiting {
        reindex(engine, cancel, log);
    }
    match watch {
        Ok(watch) => {
            keep_up_to_date(engine, watch, cancel, log);
            engine.set_watched(false);
        }
        Err(reason) => {
            let warning = format!("source files are not watched: {reason}");
            log.warn(&warning);
            engine.warn(warning);
        }
    }
    !cancel.is_cancelled() && !engine.leads()
}

/// Indexes whatever changes, until the end or until the lease is lost.
fn keep_up_to_date(engine: &Engine, mut watch: Watch, cancel: &Cancel, log: Log) {
    let mut is_behind = false;
    let mut failed_at = None;
    let mut is_limit_told = false;
    let mut config = engine.config();
    engine.set_watched(watch.limit().is_none());
    while !cancel.is_cancelled() && engine.leads() {
        if !Arc::ptr_eq(&config, &engine.config()) {
            // Other directories may be walked now; what changed in them before they were watched is found by a run.
            config = engine.config();
            watch.reconsider();
            is_behind = true;
        }
        if let Some(limit) = watch.limit()
            && !is_limit_told
        {
            is_limit_told = true;
            engine.set_watched(false);
            let warning = format!("not every directory is watched, so changes are found every 10 s: {limit}");
            log.warn(&warning);
            engine.warn(warning);
        }
        let is_due = failed_at.is_some_and(|at: Instant| at.elapsed() >= RETRY_PAUSE);
        if watch.wait(&config, TICK) == Batch::Changed || is_behind || is_due {
            let outcome = reindex(engine, cancel, log);
            is_behind = outcome == Outcome::Behind;
            failed_at = (outcome == Outcome::Failed).then(Instant::now);
        }
    }
}

/// Waits; `false` when the server ends meanwhile.
fn pause(cancel: &Cancel, time: Duration) -> bool {
    let until = Instant::now() + time;
    while Instant::now() < until {
        if cancel.is_cancelled() {
            return false;
        }
        thread::sleep(TICK);
    }
    true
}

/// How an attempt to bring the index up to date ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// Something is left to do.
    Behind,
    /// It cannot be done as things are.
    Failed,
}

/// Brings the index up to date; another writer is given a few seconds to finish.
fn reindex(engine: &Engine, cancel: &Cancel, log: Log) -> Outcome {
    let request = RunRequest {
        full: false,
        operation: "serve",
        patience: Duration::from_secs(1),
        link_budget: Some(LINK_BUDGET),
    };
    let context = CallContext { cancel: cancel.clone(), progress: None };
    for attempt in 1..=ATTEMPTS {
        let run = engine.index(&request, &context);
        tell_config_news(engine, log);
        match run {
            Ok(report) => {
                for line in &report.notes {
                    log.warn(line);
                }
                log.info(format_args!(
                    "index up to date: {} files indexed, {} unchanged, {} ms",
                    report.files_indexed, report.files_skipped, report.duration_ms
                ));
                return if report.pending_links == 0 { Outcome::Done } else { Outcome::Behind };
            }
            Err(Error::Cancelled) => return Outcome::Behind,
            Err(Error::Busy(_)) if attempt < ATTEMPTS && !cancel.is_cancelled() => {}
            Err(error) => {
                log.warn(format_args!("the index was not brought up to date: {error}"));
                return if matches!(error, Error::Busy(_)) { Outcome::Behind } else { Outcome::Failed };
            }
        }
    }
    Outcome::Behind
}
