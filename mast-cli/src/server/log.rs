//! Log lines on standard error, as many as `MAST_LOG` asks for.

use std::fmt::Display;

use crate::failure::note;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

/// The log of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log(Level);

impl Log {
    /// The log that `MAST_LOG` asks for: off, error, warn (the default), info or debug.
    pub(crate) fn from_environment() -> Self {
        let Some(value) = std::env::var_os("MAST_LOG") else { return Self(Level::Warn) };
        Self::parse(&value.to_string_lossy()).unwrap_or_else(|| {
            note("MAST_LOG: unknown level; the levels are off, error, warn, info, debug");
            Self(Level::Warn)
        })
    }

    fn parse(value: &str) -> Option<Self> {
        Some(Self(match value.trim().to_ascii_lowercase().as_str() {
            "off" | "none" | "0" => Level::Off,
            "error" => Level::Error,
            "" | "warn" | "warning" => Level::Warn,
            "info" => Level::Info,
            "debug" | "trace" => Level::Debug,
            _ => return None,
        }))
    }

    /// Something failed.
    pub(crate) fn error(self, line: impl Display) {
        self.write(Level::Error, line);
    }

    /// Something is not as a person would want it.
    pub(crate) fn warn(self, line: impl Display) {
        self.write(Level::Warn, line);
    }

    /// What the server does at large.
    pub(crate) fn info(self, line: impl Display) {
        self.write(Level::Info, line);
    }

    /// What the server does in detail.
    pub(crate) fn debug(self, line: impl Display) {
        self.write(Level::Debug, line);
    }

    fn write(self, level: Level, line: impl Display) {
        if level <= self.0 {
            note(&line.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_by_name() {
        assert_eq!(Log::parse("DEBUG").unwrap().0, Level::Debug);
        assert_eq!(Log::parse("off").unwrap().0, Level::Off);
        assert!(Log::parse("loud").is_none());
        assert!(Level::Off < Level::Error && Level::Info < Level::Debug);
    }
}
