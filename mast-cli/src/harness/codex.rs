//! Codex: its command line, editor extension and app. Facts of 2026, from excerpts of the vendor's documentation.
//!
//! Its hooks follow Claude Code's form, and it refuses keys it does not know, so an entry has the two that are certain.
//! Whether context given before a tool reaches the model is not documented; there is only the session primer.

use super::hook_file::{Action, HookEntry, HookFormat, Nesting};
use super::hook_input::HookInput;
use super::project::Project;
use super::{Answer, Envelope, Harness, Hooks, Rules};

pub(super) static HARNESS: Harness = Harness {
    id: "codex",
    aliases: &[],
    title: "Codex",
    hooks: Some(Hooks {
        format: HookFormat {
            harness: "codex",
            nesting: Nesting::Groups,
            is_versioned: false,
            is_mixed: false,
            is_typed: true,
            timeout: None,
            entries: &[
                HookEntry { event: "SessionStart", matcher: None, action: Action::SessionStart },
                HookEntry { event: "SubagentStart", matcher: None, action: Action::SessionStart },
            ],
        },
        project_file: ".codex/hooks.json",
        user_file: ".codex/hooks.json",
        is_own_file: false,
        root_variable: None,
        answer,
    }),
    rules: Rules::None,
};

fn answer(input: &HookInput, action: Action, _project: &Project) -> Option<Answer> {
    let event = input.event_name().unwrap_or("SessionStart").to_owned();
    (action == Action::SessionStart).then_some(Answer::Primer(Envelope::Nested { event }))
}
