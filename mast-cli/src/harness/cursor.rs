//! Cursor. Facts of October 2026.
//!
//! Its hook before a tool has no field for context, so the reminder comes after the search. The project's hooks run in
//! the project root.

use std::path::Path;

use super::hook_file::{Action, HookEntry, HookFormat, Nesting};
use super::hook_input::HookInput;
use super::project::Project;
use super::{Answer, Envelope, Harness, Hooks, Rules, scope, text};

pub(super) static HARNESS: Harness = Harness {
    id: "cursor",
    aliases: &[],
    title: "Cursor",
    hooks: Some(Hooks {
        format: HookFormat {
            harness: "cursor",
            nesting: Nesting::Flat,
            is_versioned: true,
            is_mixed: false,
            is_typed: false,
            timeout: Some(("timeout", 10)),
            entries: &[
                HookEntry { event: "sessionStart", matcher: None, action: Action::SessionStart },
                HookEntry { event: "postToolUse", matcher: Some("Grep"), action: Action::Search },
                HookEntry { event: "postToolUse", matcher: Some("Shell"), action: Action::Search },
            ],
        },
        project_file: ".cursor/hooks.json",
        user_file: ".cursor/hooks.json",
        is_own_file: false,
        root_variable: None,
        answer,
    }),
    rules: Rules::Own {
        path: |root: &Path| root.join(".cursor/rules/mast.mdc"),
        places: &[".cursor/rules/mast.mdc"],
        signposts: &[],
        front_matter: "---\ndescription: How to find code with mast in this repository\nalwaysApply: true\n---\n\n",
    },
};

fn answer(input: &HookInput, action: Action, project: &Project) -> Option<Answer> {
    if action == Action::SessionStart {
        return Some(Answer::Primer(Envelope::Snake));
    }
    let searches = match input.tool_name()? {
        "Grep" => vec![scope::of_grep(input.tool_input())],
        "Glob" => vec![scope::of_glob(input.tool_input())],
        "Shell" => scope::of_shell(input.tool_input()),
        _ => return None,
    };
    let is_ours = project.has_index() && searches.iter().any(|search| project.indexes(search));
    is_ours.then(|| Answer::Line(Envelope::Snake, text::SEARCH_REMINDER.to_owned()))
}
