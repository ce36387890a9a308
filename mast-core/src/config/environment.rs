//! What the process was started with. The one place that asks.

use std::path::PathBuf;

use crate::error::{Error, Result};

/// The parts of the process's surroundings that configuration depends on.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The current directory.
    pub working_directory: PathBuf,
    /// `MAST_STATE_DIR`.
    pub state_dir: Option<PathBuf>,
    /// The user's home directory, when it is known.
    pub home: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process.
    ///
    /// # Errors
    /// The current directory is gone or may not be read.
    pub fn of_process() -> Result<Self> {
        let working_directory = std::env::current_dir()
            .map_err(|source| Error::Config(format!("the current directory cannot be used: {source}")))?;
        Ok(Self {
            working_directory,
            state_dir: std::env::var_os("MAST_STATE_DIR")
                .filter(|value| !value.is_empty())
                .map(PathBuf::from),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
        })
    }
}
