//! Opens the house and holds the keys: configuration, the store, the one writer, and the call path every door uses.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::tools::{self, Reply};

/// How to find and open a project. As JSON: an object of the same fields; unknown ones are refused.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenOptions {
    /// The project root; found from the working directory when absent.
    pub root: Option<PathBuf>,
    /// The state directory; from environment or configuration when absent.
    pub state_dir: Option<PathBuf>,
}

/// Asks a running call to stop; cheap to clone and to poll.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Fails with [`Error::Cancelled`] once the stop was asked for.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
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

/// What a door hands along with a call.
#[derive(Default)]
pub struct CallContext<'a> {
    /// Stops the call.
    pub cancel: Cancel,
    /// Told how far a long call is, from the thread that runs it.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl std::fmt::Debug for CallContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallContext").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

/// An opened project. Share it behind an [`Arc`]: every method takes `&self` and may be called from any thread.
#[derive(Debug)]
pub struct Engine {
    _options: OpenOptions,
}

impl Engine {
    /// Opens a project. Nothing is created or indexed.
    pub fn open(options: OpenOptions) -> Result<Self> {
        Ok(Self { _options: options })
    }

    /// Answers one tool call: the path of every door. `arguments` is the JSON object of the tool's input.
    pub fn call(&self, tool: &str, arguments: serde_json::Value, context: &CallContext<'_>) -> Result<Reply> {
        tools::call(self, tool, arguments, context)
    }
}
