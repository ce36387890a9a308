//! The commands for assistants and git, run as a user runs them: the program, in a project of its own, with a home
//! directory of its own. Scripts stand in for other programs, hence Unix only.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop here")]

mod docs;
mod fuzz;
mod git_hooks;
mod help;
mod hook;
#[path = "../core/fuzz/mutate.rs"]
mod mutate;
#[path = "../core/random.rs"]
mod random;
mod sandbox;
mod setup;
mod setup_files;
mod skill;
mod upgrade;
