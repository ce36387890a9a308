//! The MCP server as a client sees it: frames in, frames out, and how its process begins and ends.

mod calls;
mod client;
mod life;
mod parity;
mod protocol;
mod watch;
