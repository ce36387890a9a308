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

/// Writes `mast: <line>` to standard error; line breaks become spaces, so that it stays one line.
pub(crate) fn note(line: &str) {
    let one_line =
        line.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>();
    // Nothing is left to tell when standard error itself is gone.
    let _ = writeln!(io::stderr(), "mast: {}", one_line.join(" "));
}

/// Prints what clap has to say: help and version on standard output (0), a usage error as one line on standard error (2).
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    if error.kind() == ErrorKind::DisplayHelp {
        let arguments: Vec<String> =
            std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
        if let Some(text) = help_about_query(&arguments, &error.render().to_string()) {
            let _ = io::stdout().write_all(text.as_bytes());
            return ExitCode::SUCCESS;
        }
    }
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A closed pipe is no failure of ours.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(2);
    }
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ");
    note(&text.replace("\n\n", "; ").replace("For more information, try '--help'.", "try --help"));
    ExitCode::from(2)
}
