//! The one error type of the library, and the small stable code every door reports.

use std::fmt::{self, Display, Write as _};
use std::path::PathBuf;

/// Result of every fallible public function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, told as what the caller can do about it.
///
/// Trouble with a single source file is not an error: it is a [`Problem`](crate::model::Problem) in the index report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller's arguments are not acceptable; the message names the argument and the allowed values.
    #[error("{}", OneLine(.0))]
    InvalidInput(String),
    /// A configuration file or setting cannot be used: `<file>: <key>: <what is wrong>`.
    #[error("{}", OneLine(.0))]
    Config(String),
    /// Nothing has been indexed in the state directory.
    #[error("no index in {}; run `mast index` first", OneLine(.state_dir.display()))]
    NoIndex {
        /// The state directory that was looked at.
        state_dir: PathBuf,
    },
    /// The index was written by another version of MAST.
    #[error("{}", OneLine(.0))]
    IndexVersion(String),
    /// Another process holds what is needed; trying again later may succeed.
    #[error("{}", OneLine(.0))]
    Busy(String),
    /// The caller asked for the work to stop.
    #[error("cancelled")]
    Cancelled,
    /// The file system refused.
    #[error("{}: {source}", OneLine(.path.display()))]
    Io {
        /// The file or directory concerned.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The disk under the state directory refused: full, read-only, or failing. What was indexed before is intact.
    #[error(
        "the index cannot be written: {}; make room and grant access there, or name another place with MAST_STATE_DIR",
        OneLine(.0)
    )]
    Disk(String),
    /// The database refused.
    #[error("index database: {}", OneLine(.0))]
    Store(String),
    /// The database is damaged. An index run sets it aside and builds another.
    #[error("the index is damaged ({}); run `mast index` to rebuild it", OneLine(.0))]
    Damaged(String),
    /// The repository's TypeScript failed while it was asked: it crashed, hung, or spoke another protocol.
    #[error("{}", OneLine(.0))]
    Checker(String),
    /// A defect of MAST itself.
    #[error("internal error: {}", OneLine(.0))]
    Internal(String),
}

/// Text on one line: control characters, which names and arguments may hold, are written as escapes.
struct OneLine<T>(T);

impl<T: Display> Display for OneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.to_string().chars() {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

impl Error {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidInput(_) => ErrorCode::InvalidInput,
            Self::Config(_) => ErrorCode::Config,
            Self::NoIndex { .. } => ErrorCode::NoIndex,
            Self::IndexVersion(_) => ErrorCode::IndexVersion,
            Self::Busy(_) => ErrorCode::Busy,
            Self::Cancelled => ErrorCode::Cancelled,
            Self::Io { .. } | Self::Disk(_) | Self::Store(_) | Self::Damaged(_) | Self::Checker(_) => {
                ErrorCode::Io
            }
            Self::Internal(_) => ErrorCode::Internal,
        }
    }

    /// Wraps an operating system error with the path it concerns.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}

/// Machine-readable kind of an [`Error`]; its text form is part of the public contract of every door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Bad arguments.
    InvalidInput,
    /// Nothing indexed.
    NoIndex,
    /// Index of another schema version.
    IndexVersion,
    /// A lock is held elsewhere.
    Busy,
    /// Stopped on request.
    Cancelled,
    /// Disk, database or helper process trouble.
    Io,
    /// Unusable configuration.
    Config,
    /// A defect of MAST.
    Internal,
}

impl ErrorCode {
    /// Every code, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::InvalidInput,
        Self::NoIndex,
        Self::IndexVersion,
        Self::Busy,
        Self::Cancelled,
        Self::Io,
        Self::Config,
        Self::Internal,
    ];

    /// The spelling used on every wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::NoIndex => "no_index",
            Self::IndexVersion => "index_version",
            Self::Busy => "busy",
            Self::Cancelled => "cancelled",
            Self::Io => "io",
            Self::Config => "config",
            Self::Internal => "internal",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_whatever_it_speaks_of() {
        let error = Error::InvalidInput("a\nb: unknown argument\t\u{1b}[31m".into());
        assert_eq!(error.to_string(), "a\\nb: unknown argument\\t\\u{1b}[31m");
        let error = Error::NoIndex { state_dir: "/x\r\ny".into() };
        assert_eq!(error.to_string(), "no index in /x\\r\\ny; run `mast index` first");
    }
}
