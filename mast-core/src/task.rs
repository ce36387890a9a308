//! Stopping and watching work that takes long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Asks running work to stop; cheap to clone and to poll.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the stop was asked for.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails with [`Error::Cancelled`] once the stop was asked for.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// How far work in the background stands back, in the steps of `nice`.
#[cfg(target_os = "linux")]
const STEPS_BACK: i32 = 10;

/// Runs `work` in a thread that gives way to the others of this process, and so do the threads it starts. Only Linux has
/// priorities of single threads that go back by themselves; elsewhere it is just a thread.
pub(crate) fn in_background<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let run = || {
        #[cfg(target_os = "linux")]
        {
            // A system that forbids it runs the work at its usual priority.
            let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), STEPS_BACK);
        }
        work()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("mast-run".into()).spawn_scoped(scope, run);
        let thread = thread.map_err(|e| Error::Internal(format!("no thread could be started: {e}")))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// How far a long run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Files done.
    pub done: u64,
    /// Files to do.
    pub total: u64,
}

/// What a caller hands along with work that may take long.
#[derive(Default)]
pub struct CallContext<'a> {
    /// Stops the work.
    pub cancel: Cancel,
    /// Told how far the work is, from the thread that does it.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl CallContext<'_> {
    /// Reports progress to whoever asked for it.
    pub(crate) fn report(&self, done: u64, total: u64) {
        if let Some(progress) = self.progress {
            progress(Progress { done, total });
        }
    }
}

impl std::fmt::Debug for CallContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallContext").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}
