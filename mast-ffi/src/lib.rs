//! The C door: a shared and a static library that answer tool calls as JSON text.
//!
//! `include/mast.h` is the contract; `border.rs` is the only file with `unsafe` in it. Everything a caller hands over
//! is checked there, and what this file holds is ordinary Rust: open, call, list.

mod border;

pub use border::{
    Mast, MastCancel, MastCode, MastError, mast_call, mast_cancel, mast_cancel_free, mast_cancel_new,
    mast_close, mast_code_name, mast_free_string, mast_open, mast_schema_version, mast_tools, mast_version,
};

use mast_core::tools::arguments;
use mast_core::{CallContext, Cancel, Engine, OpenOptions, Result};

/// Opens a project from JSON options; none at all means the project around the working directory.
fn open(options: Option<&str>) -> Result<Engine> {
    let options = options.map_or_else(|| Ok(OpenOptions::default()), arguments::options_from_text)?;
    Engine::open(options)
}

/// Runs one tool; no arguments at all means an empty object.
fn call(engine: &Engine, tool: &str, arguments: Option<&str>, cancel: Cancel) -> Result<String> {
    let arguments = arguments::from_text(arguments.unwrap_or("{}"))?;
    let context = CallContext { cancel, ..CallContext::default() };
    engine.call(tool, arguments, &context).map(|reply| reply.json)
}

#[cfg(test)]
mod tests {
    /// The committed header is what the sources say; `UPDATE_HEADER=1` rewrites it.
    #[test]
    fn header_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/include/mast.h");
        let generated = include_str!(concat!(env!("OUT_DIR"), "/mast.h"));
        if std::env::var_os("UPDATE_HEADER").is_some() {
            std::fs::write(path, generated).expect("the header is writable");
        }
        let committed = std::fs::read_to_string(path).expect("the header is committed").replace("\r\n", "\n");
        assert!(
            committed == generated,
            "run UPDATE_HEADER=1 cargo test -p mast-ffi, then commit include/mast.h"
        );
    }
}
