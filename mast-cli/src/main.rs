//! The `mast` command.
fn main() {}
