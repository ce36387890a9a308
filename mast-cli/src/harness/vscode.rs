//! VS Code with GitHub Copilot, and with the same file Copilot's own command line and cloud agent. Facts of July 2026.
//!
//! VS Code ignores matchers, so a search hook would run before every tool call: there is only the session primer.
//! VS Code reads the nested field and Copilot the one at the top level; both are given. The file says `version`,
//! which Copilot asks for.

use super::hook_file::{Action, HookEntry, HookFormat, Nesting};
use super::hook_input::HookInput;
use super::project::Project;
use super::{Answer, Envelope, Harness, Hooks, Rules, scope, text};

pub(super) static HARNESS: Harness = Harness {
    id: "vscode",
    aliases: &[],
    title: "VS Code Copilot",
    hooks: Some(Hooks {
        format: HookFormat {
            harness: "vscode",
            nesting: Nesting::Flat,
            is_versioned: true,
            is_mixed: false,
            is_typed: true,
            timeout: None,
            entries: &[
                HookEntry { event: "SessionStart", matcher: None, action: Action::SessionStart },
                HookEntry { event: "SubagentStart", matcher: None, action: Action::SessionStart },
            ],
        },
        project_file: ".github/hooks/mast.json",
        user_file: ".copilot/hooks/mast.json",
        is_own_file: true,
        root_variable: None,
        answer,
    }),
    rules: Rules::None,
};

/// `setup` registers no search hook here, but one written by hand is answered: the names are those Copilot documents.
fn answer(input: &HookInput, action: Action, project: &Project) -> Option<Answer> {
    if action == Action::SessionStart {
        let event = input.event_name().unwrap_or("SessionStart").to_owned();
        return Some(Answer::Primer(Envelope::NestedAndTop { event }));
    }
    let searches = match input.tool_name()? {
        "grep" | "Grep" | "textSearch" | "search/textSearch" | "grep_search" => {
            vec![scope::of_grep(input.tool_input())]
        }
        "glob" | "Glob" | "fileSearch" | "search/fileSearch" | "file_search" => {
            vec![scope::of_glob(input.tool_input())]
        }
        "bash" | "powershell" | "Bash" | "PowerShell" => scope::of_shell(input.tool_input()),
        _ => return None,
    };
    if !project.has_index() || !searches.iter().any(|search| project.indexes(search)) {
        return None;
    }
    let event = input.event_name().unwrap_or("PreToolUse").to_owned();
    Some(Answer::Line(Envelope::NestedAndTop { event }, text::SEARCH_REMINDER.to_owned()))
}
