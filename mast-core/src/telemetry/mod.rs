//! **Holds** what MAST knows about its own use: token counts and call metrics.
//! **Takes / gives** texts in, counts out; finished calls in, reports out.
//! **Never** delays or fails an answer.
//! **Next** `engine`.

mod hash;
mod journal;
mod ledger;
pub mod metrics;
pub mod tokens;
mod vocabulary;

pub(crate) use ledger::TABLES;
pub use ledger::{ToolMetrics, efficiency_ratio, report, roll_up, vacuum};
