//! **Holds** the order of search results: two rankers' judgement and how the two are fused.
//! **Takes / gives** plain evidence about candidates in, positions out; pure.
//! **Never** reads the shelf or text, and never breaks a tie by a row number or the order of a hash map.
//! **Next** `search`, which gathers the evidence and shows the result.

pub mod exact;
pub mod fuse;
pub mod relevance;
mod role;

pub use role::Role;
