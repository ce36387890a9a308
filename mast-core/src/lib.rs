//! The library behind MAST: index a repository of TypeScript, JavaScript and Markdown, and answer questions about it.
#![forbid(unsafe_code)]

pub mod checker;
pub mod config;
pub mod engine;
pub mod error;
pub mod glob;
pub mod graph;
pub mod index;
pub mod language;
pub mod link;
pub mod model;
mod panic;
pub mod rank;
pub mod search;
pub mod source;
pub mod store;
pub mod task;
pub mod telemetry;
pub mod tools;
pub mod watch;

pub use engine::{Engine, OpenOptions};
pub use error::{Error, ErrorCode, Result};
pub use panic::{catch_panic, silence_panic_reports};
pub use store::SCHEMA_VERSION;
pub use task::{CallContext, Cancel, Progress};
