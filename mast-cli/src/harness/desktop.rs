//! Claude Desktop: no hooks and no rules file; the instructions `mast serve` sends at the handshake are its only channel.

use super::{Harness, Rules};

pub(super) static HARNESS: Harness =
    Harness { id: "desktop", aliases: &[], title: "Claude Desktop", hooks: None, rules: Rules::None };
