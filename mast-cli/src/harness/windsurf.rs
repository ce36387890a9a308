//! Windsurf, named Devin Desktop since June 2026. Facts of mid 2026.
//!
//! Its hooks can neither speak at session start nor add context. Rules of `.devin/rules` are preferred to those of
//! `.windsurf/rules`; a project that has a `.devin` directory gets them there. A rules file may have 12,000 characters.

use std::path::Path;

use super::{Harness, Rules};

pub(super) static HARNESS: Harness = Harness {
    id: "windsurf",
    aliases: &["devin"],
    title: "Windsurf",
    hooks: None,
    rules: Rules::Own {
        path: |root: &Path| {
            let directory = if root.join(".devin").is_dir() { ".devin" } else { ".windsurf" };
            root.join(directory).join("rules/mast.md")
        },
        places: &[".devin/rules/mast.md", ".windsurf/rules/mast.md"],
        signposts: &[".devin"],
        front_matter: "---\ntrigger: always_on\n---\n\n",
    },
};
