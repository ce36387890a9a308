//! **Holds** what MAST knows about its own use: token counts and call metrics.
//! **Takes / gives** texts in, counts out; finished calls in, reports out.
//! **Never** delays or fails an answer.
//! **Next** `engine`.

mod hash;
pub mod tokens;
mod vocabulary;

/// Tables of usage metrics.
pub(crate) const TABLES: &str = "";
