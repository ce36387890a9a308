//! The last line of defence of a door: a panic of ours becomes an [`Error::Internal`] instead of crossing a border.
//!
//! No code panics by design. But unwinding into C or into Node ends the host's process, so the doors run every call
//! through [`catch_panic`].

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::error::{Error, Result};

/// Runs `work`; a panic in it is returned as [`Error::Internal`] with the panic's message.
///
/// Unwind safety is asserted, not proven: what a panic leaves behind is only reached through locks that poison and
/// transactions that roll back.
///
/// ```
/// let outcome = mast_core::catch_panic(|| -> mast_core::Result<u8> { panic!("lost the thread") });
/// assert_eq!(outcome.unwrap_err().to_string(), "internal error: lost the thread");
/// ```
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome,
        Err(payload) => Err(Error::Internal(message(payload.as_ref()))),
    }
}

/// Stops the standard report of a panic on stderr, once a process.
///
/// For a library inside a foreign program: its own copy of the Rust runtime must not write to that program's terminal,
/// and what the report says reaches the caller as an error anyway. Not for a Rust program, whose hook is its own.
pub fn silence_panic_reports() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(work: impl FnOnce() -> Result<u8>, expected: &str) {
        let outcome = match catch_panic(work) {
            Ok(value) => format!("ok {value}"),
            Err(error) => format!("{}: {error}", error.code().as_str()),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn passes_results_through() {
        check(|| Ok(7), "ok 7");
        check(|| Err(Error::Cancelled), "cancelled: cancelled");
    }

    #[test]
    fn names_the_panic_whatever_its_payload() {
        check(|| panic!("plain"), "internal: internal error: plain");
        check(|| panic!("with {}", 1), "internal: internal error: with 1");
        check(|| std::panic::panic_any(3_u8), "internal: internal error: panic without a message");
    }
}
