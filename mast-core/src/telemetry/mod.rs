//! **Holds** what MAST knows about its own use: token counts and call metrics.
//! **Takes / gives** texts in, counts out; finished calls in, reports out.
//! **Never** delays or fails an answer.
//! **Next** `engine`.

/// Tables of usage metrics.
pub(crate) const TABLES: &str = "";
