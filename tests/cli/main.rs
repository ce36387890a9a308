//! The `mast` command as people and scripts see it: text, exit codes, and what is written where.

mod errors;
mod index;
mod search;
mod status;
mod support;
mod walk;
