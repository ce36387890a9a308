//! Gemini CLI. Facts of 2026.
//!
//! A hook after a tool could carry the search reminder, but the names of its search tools are not in what was read of
//! the documentation; there is only the session primer. Its time limits are milliseconds, and the default is a minute.

use super::hook_file::{Action, HookEntry, HookFormat, Nesting};
use super::hook_input::HookInput;
use super::project::Project;
use super::{Answer, Envelope, Harness, Hooks, Rules};

pub(super) static HARNESS: Harness = Harness {
    id: "gemini",
    aliases: &[],
    title: "Gemini CLI",
    hooks: Some(Hooks {
        format: HookFormat {
            harness: "gemini",
            nesting: Nesting::Groups,
            is_versioned: false,
            is_mixed: true,
            is_typed: true,
            timeout: Some(("timeout", 10_000)),
            entries: &[HookEntry { event: "SessionStart", matcher: None, action: Action::SessionStart }],
        },
        project_file: ".gemini/settings.json",
        user_file: ".gemini/settings.json",
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
