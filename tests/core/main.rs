//! The public interface of the library: projects on disk, indexed and asked.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod checker;
mod dump;
mod edges;
mod fuzz;
mod guide;
mod incremental;
mod interrupted;
mod layers;
mod names;
mod project;
mod random;
mod structure;
