//! How a command fails: one line on standard error and an exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use mast_core::{Error, ErrorCode};

use crate::commands::tool_help::help_about_query;

/// Result of a command.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library refused.
    Core(Error),
    /// The command refused: one line that says what to do next; exit code 1.
    Refused(String),
    /// The reader of standard output went away, which is how `mast … | head` ends.
    ClosedPipe,
    /// Standard output could not be written.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ClosedPipe } else { Self::Output(error) }
    }
}

impl Failure {
    /// Says what went wrong and gives the exit code: 2 for arguments that cannot be accepted, otherwise 1; a closed
    /// pipe is a quiet success.
    pub(crate) fn report(self) -> ExitCode {
        let (line, code) = match self {
            Self::ClosedPipe => return ExitCode::SUCCESS,
            Self::Core(error) => (error.to_string(), exit_code_of(error.code())),
            Self::Refused(line) => (line, 1),
            Self::Output(error) => (format!("cannot write the answer: {error}"), 1),
        };
        note(&line);
        ExitCode::from(code)
    }
}

/// The exit code of a library error.
fn exit_code_of(code: ErrorCode) -> u8 {
    if code == ErrorCode::InvalidInput { 2 } else { 1 }
}

/// Writes `mast: <line>` to standard error, as one line.
pub(crate) fn note(line: &str) {
    // Nothing is left to tell when standard error itself is gone.
    let _ = writeln!(io::stderr(), "mast: {}", one_line(line));
}

/// `text` on one line: line breaks become spaces, and other control characters, which arguments, names of files and the
/// words of other programs may hold, become escapes.
pub(crate) fn one_line(text: &str) -> String {
    let parts = text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty());
    let mut line = String::new();
    for character in parts.collect::<Vec<_>>().join(" ").chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// Prints what clap has to say: help and version on standard output (0), a usage error as one line on standard error (2).
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    match error.kind() {
        ErrorKind::DisplayHelp => {
            let arguments: Vec<String> =
                std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
            printed(match help_about_query(&arguments, &error.render().to_string()) {
                Some(text) => io::stdout().write_all(text.as_bytes()),
                None => error.print(),
            })
        }
        ErrorKind::DisplayVersion => printed(error.print()),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Goes to standard error: when that is gone, nothing is left to tell.
            let _ = error.print();
            ExitCode::from(2)
        }
        _ => {
            let text = error.render().to_string();
            let paragraphs = text.trim_start_matches("error: ").split("\n\n").map(one_line);
            let line = paragraphs.collect::<Vec<_>>().join("; ");
            note(&line.replace("For more information, try '--help'.", "try --help"));
            ExitCode::from(2)
        }
    }
}

/// Success, when what was asked for could be written.
fn printed(written: io::Result<()>) -> ExitCode {
    match written.and_then(|()| io::stdout().flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::from(error).report(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line_without_control_characters() {
        assert_eq!(one_line("a\r\n  b\n\nc"), "a b c");
        assert_eq!(one_line("\u{1b}[2Jx\ty\u{9b}"), "\\u{1b}[2Jx\\ty\\u{9b}");
    }
}
