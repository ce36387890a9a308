//! The library behind MAST: index a repository of TypeScript, JavaScript and Markdown, and answer questions about it.
#![forbid(unsafe_code)]

pub mod engine;
pub mod error;
pub mod link;
pub mod model;
pub mod tools;

pub use engine::{CallContext, Cancel, Engine, OpenOptions, Progress};
pub use error::{Error, ErrorCode, Result};
