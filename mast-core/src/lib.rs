//! The library behind MAST: index a repository of TypeScript, JavaScript and Markdown, and answer questions about it.
//!
//! An [`Engine`] is an opened project; any number of threads may ask it. [`Engine::call`] runs one of the [tools](tools::TOOLS):
//! JSON in, one line of JSON out, the same bytes as through every other door.
//!
//! ```
//! use mast_core::{CallContext, Engine, OpenOptions};
//! use serde_json::{Value, json};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let project = tempfile::tempdir()?;
//! # std::fs::write(project.path().join("store.ts"), "export function openStore() {}\n")?;
//! # std::fs::write(project.path().join("main.ts"), "import { openStore } from \"./store\";\nopenStore();\n")?;
//! # let root = project.path().to_owned();
//! let engine = Engine::open(OpenOptions { root: Some(root), state_dir: None })?;
//! engine.call("mast_reindex", json!({}), &CallContext::default())?;
//!
//! let reply = engine.call("mast_callers", json!({ "symbol": "openStore" }), &CallContext::default())?;
//! let answer: Value = serde_json::from_str(&reply.json)?;
//! let site = &answer["verified_callers"][0];
//! assert_eq!((site["file_path"].as_str(), site["line"].as_u64()), (Some("main.ts"), Some(2)));
//! # Ok(())
//! # }
//! ```
//!
//! A [`CallContext`] stops a call and tells how far it is. A failure is an [`Error`] of one line with a stable
//! [`code`](Error::code). `docs/rust.md` has a whole program and the rules.
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
