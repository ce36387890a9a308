//! Zed. Facts of 2026, Zed 1.4: of its rules files only the first that exists is read.

use super::{Harness, Rules};

pub(super) static HARNESS: Harness = Harness {
    id: "zed",
    aliases: &[],
    title: "Zed",
    hooks: None,
    rules: Rules::Block {
        candidates: &[
            ".rules",
            ".cursorrules",
            ".windsurfrules",
            ".clinerules",
            ".github/copilot-instructions.md",
            "AGENT.md",
            "AGENTS.md",
            "CLAUDE.md",
            "GEMINI.md",
        ],
    },
};
