//! The MCP server as a client sees it: frames in, frames out, and how its process begins and ends.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop here")]

mod calls;
mod client;
#[path = "../core/dump.rs"]
mod dump;
mod fuzz;
mod life;
#[path = "../core/fuzz/mutate.rs"]
mod mutate;
#[path = "../parity/parity.rs"]
mod parity;
mod protocol;
#[path = "../core/random.rs"]
mod random;
mod settings;
mod storm;
mod watch;
