//! The texts an assistant gets.

/// The instructions of `mast skill` and of every rules file.
pub(crate) const SKILL: &str = include_str!("../../../docs/skill.md");

/// The rules part of the session primer.
pub(crate) const PRIMER: &str = include_str!("../../../docs/primer.md");

/// What is said at a built-in search. A statement, since text that reads like an order from outside may be taken for
/// an injection.
pub(crate) const SEARCH_REMINDER: &str = "This repository has a mast index: mast_search (or `mast search` in a shell) \
finds a declaration by name or by words and returns its code, and mast_callers lists who calls it; built-in search \
remains right for plain text and for files mast does not index.";

/// The files of a project that assistants read, in which `mast skill --install` puts its block.
pub(crate) const AGENT_FILES: [&str; 5] =
    ["CLAUDE.md", "AGENTS.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md"];

/// Whether a rules file with this text was written by MAST, of whatever version: every one names the tool to begin with.
pub(crate) fn is_ours(text: &str) -> bool {
    text.contains("mast_search")
}
