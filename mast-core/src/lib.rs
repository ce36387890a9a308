//! The library behind MAST: index a repository of TypeScript, JavaScript and Markdown, and answer questions about it.
#![forbid(unsafe_code)]

pub mod config;
pub mod engine;
pub mod error;
pub mod glob;
pub mod language;
pub mod link;
pub mod model;
pub mod source;
mod panic;
pub mod store;
pub mod telemetry;
pub mod tools;

pub use engine::{CallContext, Cancel, Engine, OpenOptions, Progress};
pub use error::{Error, ErrorCode, Result};
pub use panic::{catch_panic, silence_panic_reports};
pub use store::SCHEMA_VERSION;
