//! **Holds** the read pipeline of structure: who calls, implements, imports and exports what.
//! **Takes / gives** a name or a path and a reader of the shelf in; rows joined into answers out, ordered by path and line.
//! **Never** writes, looks at the disk, or guesses: what is not proven on the shelf is called potential.
//! **Next** `tools`, which puts the answers on the wire.
//!
//! One question a file. [`Sources`] is shared by them: files, texts and lines, each read at most once an answer.

mod alias;
pub mod callers;
pub mod dependencies;
pub mod exports;
pub mod implementors;
pub mod lookup;
pub(crate) mod mentions;
pub mod potential;
pub mod rename;
mod roles;
pub mod signature;
pub mod skeleton;
pub mod sources;
mod verdicts;

pub use lookup::{Declaration, Meaning, find};
pub use sources::Sources;
pub use verdicts::Struck;
