//! The Node door: a native addon that answers tool calls on the thread pool of Node.
//!
//! Text crosses here, JSON both ways; the JavaScript in `npm/mast` makes it an idiomatic class. Every task resolves:
//! failures travel as values, because an error of the addon interface cannot carry a code of ours, and a panic that
//! left a task would end the Node process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mast_core::tools::{self, arguments};
use mast_core::{CallContext, Cancel, Engine, Error, Progress, Result, catch_panic, silence_panic_reports};
use napi::bindgen_prelude::{AsyncTask, FnArgs};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, Task};
use napi_derive::napi;

/// Told `(done, total)` on the JavaScript thread. Weak: it does not keep the process alive by itself.
type OnProgress = ThreadsafeFunction<FnArgs<(f64, f64)>, (), FnArgs<(f64, f64)>, Status, false, true>;

/// Reports closer together than this are dropped, so that a fast run does not flood the event loop.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// What became of a task: `json`, or `code` and `message`.
#[napi(object)]
#[derive(Debug, Default)]
pub struct Outcome {
    /// The answer.
    pub json: Option<String>,
    /// The stable code of a failure.
    pub code: Option<String>,
    /// The failure, in one line for people.
    pub message: Option<String>,
    /// How far the call got, when it reported progress at all: files done, files to do.
    pub progress: Option<Vec<f64>>,
}

impl From<Result<String>> for Outcome {
    fn from(result: Result<String>) -> Self {
        match result {
            Ok(json) => Self { json: Some(json), ..Self::default() },
            Err(error) => Self {
                code: Some(error.code().as_str().to_owned()),
                message: Some(error.to_string()),
                ..Self::default()
            },
        }
    }
}

/// Stops the calls it is handed to.
#[napi]
#[derive(Debug, Default)]
pub struct CancelToken {
    cancel: Cancel,
}

#[napi]
impl CancelToken {
    /// A token that stops nothing yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops running and later calls alike.
    #[napi]
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

/// A project: opened once, closed once.
#[napi]
#[derive(Debug, Default)]
pub struct Project {
    slot: Slot,
}

#[napi]
impl Project {
    /// A project that is not open yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens it; `options` is JSON.
    #[napi]
    pub fn open(&self, options: String) -> AsyncTask<Job> {
        let slot = self.slot.clone();
        Job::start(move || {
            let options = arguments::options_from_text(&options)?;
            slot.put(Some(Arc::new(Engine::open(options)?)));
            Ok(String::new())
        })
    }

    /// Runs one tool; `arguments` is JSON.
    #[napi]
    pub fn call(
        &self,
        tool: String,
        arguments: String,
        token: &CancelToken,
        on_progress: Option<OnProgress>,
    ) -> AsyncTask<Job> {
        let (slot, cancel) = (self.slot.clone(), token.cancel.clone());
        let meter = Arc::new(Meter::new(on_progress));
        let mut job = Job::new({
            let meter = Arc::clone(&meter);
            move || {
                cancel.check()?;
                let engine =
                    slot.get().ok_or_else(|| Error::InvalidInput("the project is closed".to_owned()))?;
                let report = |progress| meter.report(progress);
                let context = CallContext { cancel, progress: Some(&report) };
                engine.call(&tool, arguments::from_text(&arguments)?, &context).map(|reply| reply.json)
            }
        });
        job.meter = Some(meter);
        AsyncTask::new(job)
    }

    /// Closes it, once the calls that run have ended. Files are closed when the task ends.
    #[napi]
    pub fn close(&self) -> AsyncTask<Job> {
        let slot = self.slot.clone();
        Job::start(move || {
            slot.put(None);
            Ok(String::new())
        })
    }
}

/// The registry of tools as JSON.
#[napi]
pub fn tools() -> String {
    tools::list_json()
}

/// The version of this addon.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The version of the index format it reads and writes.
#[napi]
pub fn schema_version() -> &'static str {
    mast_core::SCHEMA_VERSION
}

/// Where the engine is kept while the project is open.
#[derive(Debug, Clone, Default)]
struct Slot(Arc<Mutex<Option<Arc<Engine>>>>);

impl Slot {
    fn get(&self) -> Option<Arc<Engine>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, engine: Option<Arc<Engine>>) {
        let old = std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), engine);
        drop(old);
    }
}

/// Passes progress on to JavaScript, not too often, and remembers the last of it.
struct Meter {
    on_progress: Option<OnProgress>,
    last: Mutex<Option<(Instant, Progress)>>,
}

impl Meter {
    fn new(on_progress: Option<OnProgress>) -> Self {
        Self { on_progress, last: Mutex::new(None) }
    }

    fn report(&self, progress: Progress) {
        let Some(on_progress) = &self.on_progress else { return };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_due = last.is_none_or(|(sent, _)| now.duration_since(sent) >= PROGRESS_INTERVAL);
        let sent = if is_due { now } else { last.map_or(now, |(sent, _)| sent) };
        *last = Some((sent, progress));
        drop(last);
        if is_due {
            let [done, total] = numbers(progress);
            on_progress.call(FnArgs::from((done, total)), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    fn last(&self) -> Option<Vec<f64>> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.map(|(_, progress)| numbers(progress).to_vec())
    }
}

/// The work of one promise, off the event loop.
#[expect(missing_debug_implementations, reason = "holds a closure; lives between two callbacks of Node")]
pub struct Job {
    work: Option<Box<dyn FnOnce() -> Result<String> + Send>>,
    meter: Option<Arc<Meter>>,
}

impl Job {
    fn new(work: impl FnOnce() -> Result<String> + Send + 'static) -> Self {
        silence_panic_reports();
        Self { work: Some(Box::new(work)), meter: None }
    }

    fn start(work: impl FnOnce() -> Result<String> + Send + 'static) -> AsyncTask<Self> {
        AsyncTask::new(Self::new(work))
    }
}

impl Task for Job {
    type Output = Outcome;
    type JsValue = Outcome;

    fn compute(&mut self) -> napi::Result<Outcome> {
        let work = self.work.take();
        let result = catch_panic(|| {
            work.map_or_else(|| Err(Error::Internal("task ran twice".to_owned())), |work| work())
        });
        let progress = self.meter.take().and_then(|meter| meter.last());
        Ok(Outcome { progress, ..Outcome::from(result) })
    }

    fn resolve(&mut self, _: Env, outcome: Outcome) -> napi::Result<Outcome> {
        Ok(outcome)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of files are far below 2^53")]
fn numbers(progress: Progress) -> [f64; 2] {
    [progress.done as f64, progress.total as f64]
}
