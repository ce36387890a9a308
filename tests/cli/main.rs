//! The `mast` command as people and scripts see it: text, exit codes, and what is written where.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

mod checker;
mod crash;
#[cfg(unix)]
mod disk;
#[path = "../core/dump.rs"]
mod dump;
mod errors;
mod index;
mod search;
mod status;
mod support;
mod walk;
