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
