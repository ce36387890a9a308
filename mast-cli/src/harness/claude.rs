//! Claude Code. Facts of August 2026, release 2.1.240.
//!
//! Since 2.1.117 (April 2026) its native builds search through the shell tool instead of `Grep` and `Glob`, so the
//! search hook is registered for both, in two groups: one can be taken out without the other.

use super::hook_file::{Action, HookEntry, HookFormat, Nesting};
use super::hook_input::{HookInput, Host};
use super::project::Project;
use super::{Answer, Envelope, Harness, Hooks, Rules, cursor, scope, text, vscode};

pub(super) static HARNESS: Harness = Harness {
    id: "claude",
    aliases: &[],
    title: "Claude Code",
    hooks: Some(Hooks {
        format: HookFormat {
            harness: "claude",
            nesting: Nesting::Groups,
            is_versioned: false,
            is_mixed: false,
            is_typed: true,
            timeout: Some(("timeout", 10)),
            entries: &[
                HookEntry { event: "SessionStart", matcher: None, action: Action::SessionStart },
                HookEntry { event: "PreToolUse", matcher: Some("Grep|Glob"), action: Action::Search },
                HookEntry { event: "PreToolUse", matcher: Some("Bash|PowerShell"), action: Action::Search },
                // A subagent does not see what the session was started with, and does much of the exploring.
                HookEntry {
                    event: "SubagentStart",
                    matcher: Some("Explore|Plan|general-purpose"),
                    action: Action::SessionStart,
                },
            ],
        },
        project_file: ".claude/settings.json",
        user_file: ".claude/settings.json",
        is_own_file: false,
        root_variable: Some("${CLAUDE_PROJECT_DIR:-.}"),
        answer,
    }),
    rules: Rules::None,
};

/// Other assistants run the hooks of `.claude/settings.json` too. Each is answered in its own envelope, and not at all
/// when it has hooks of its own, which would say the same.
fn answer(input: &HookInput, action: Action, project: &Project) -> Option<Answer> {
    match (input.host(), action) {
        (Host::Claude, Action::SessionStart) => {
            let event = input.event_name().unwrap_or("SessionStart").to_owned();
            Some(Answer::Primer(Envelope::Nested { event }))
        }
        (Host::Claude, Action::Search) => {
            let searches = match input.tool_name()? {
                "Grep" => vec![scope::of_grep(input.tool_input())],
                "Glob" => vec![scope::of_glob(input.tool_input())],
                "Bash" | "PowerShell" => scope::of_shell(input.tool_input()),
                _ => return None,
            };
            if !project.has_index() || !searches.iter().any(|search| project.indexes(search)) {
                return None;
            }
            let event = input.event_name().unwrap_or("PreToolUse").to_owned();
            Some(Answer::Line(Envelope::Nested { event }, text::SEARCH_REMINDER.to_owned()))
        }
        // Neither passes on what is said before a tool runs: one has no field for it, the other ignores matchers.
        (_, Action::Search) => None,
        (Host::Cursor, Action::SessionStart) if project.has_hooks_of(&cursor::HARNESS) => None,
        (Host::Cursor, Action::SessionStart) => Some(Answer::Primer(Envelope::Snake)),
        (Host::Copilot, Action::SessionStart) if project.has_hooks_of(&vscode::HARNESS) => None,
        (Host::Copilot, Action::SessionStart) => {
            let event = input.event_name().unwrap_or("SessionStart").to_owned();
            Some(Answer::Primer(Envelope::NestedAndTop { event }))
        }
    }
}
