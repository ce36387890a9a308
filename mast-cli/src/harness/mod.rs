//! **Holds** what MAST knows of the programs it can be set up in: the files, hook payloads and envelopes of assistants, and
//! the hooks of git.
//! **Takes / gives** a harness's name and a project; file edits to carry out, or one JSON line for a hook.
//! **Never** opens the index or asks the engine: a hook must answer in milliseconds. Live index state comes from
//! `commands::prime`.
//! **Next** `commands::setup`, `commands::hook` and `commands::install_hooks`, which call this.

pub(crate) mod file_edit;
pub(crate) mod git_hook;
pub(crate) mod hook_file;
pub(crate) mod hook_input;
mod hook_view;
pub(crate) mod installation;
mod json_text;
pub(crate) mod marked_block;
pub(crate) mod plan;
pub(crate) mod project;
mod reach;
mod scope;
mod shell_command;
mod shell_words;
pub(crate) mod text;

mod claude;
mod codex;
mod cursor;
mod desktop;
mod gemini;
mod vscode;
mod windsurf;
mod zed;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use hook_file::{Action, HookFormat};
use hook_input::HookInput;
use project::Project;

/// One assistant.
#[derive(Debug)]
pub(crate) struct Harness {
    /// Its name on the command line.
    pub(crate) id: &'static str,
    /// Other names it is known by.
    pub(crate) aliases: &'static [&'static str],
    /// Its name for people.
    pub(crate) title: &'static str,
    /// Its hooks, where MAST can use them.
    pub(crate) hooks: Option<Hooks>,
    /// Its rules file.
    pub(crate) rules: Rules,
}

/// The hook system of a harness.
#[derive(Debug)]
pub(crate) struct Hooks {
    /// How its file is written.
    pub(crate) format: HookFormat,
    /// The project's file, below the root.
    pub(crate) project_file: &'static str,
    /// The user's file, below the home directory.
    pub(crate) user_file: &'static str,
    /// Whether the file is ours by name and goes when nothing else is in it.
    pub(crate) is_own_file: bool,
    /// What a shell run by this harness calls the project root.
    pub(crate) root_variable: Option<&'static str>,
    /// What to print for a hook; `None` for silence.
    pub(crate) answer: fn(&HookInput, Action, &Project) -> Option<Answer>,
}

/// The rules file of a harness.
#[derive(Debug)]
pub(crate) enum Rules {
    /// None that MAST can write.
    None,
    /// A file that is ours by name and written whole. One with another text is only taken away by its owner.
    Own {
        /// Where it goes.
        path: fn(&Path) -> PathBuf,
        /// Every place an installation may have put it.
        places: &'static [&'static str],
        /// Directories whose presence decides where it goes.
        signposts: &'static [&'static str],
        /// What it begins with.
        front_matter: &'static str,
    },
    /// A block in the first of these files that exists.
    Block {
        /// In the order the harness looks.
        candidates: &'static [&'static str],
    },
}

/// What a hook has to say, before the live index state is filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The session primer, in this envelope.
    Primer(Envelope),
    /// This line, in this envelope.
    Line(Envelope, String),
}

/// The JSON a harness wants around a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Envelope {
    /// `hookSpecificOutput` with the event's name.
    Nested {
        /// As the harness spelled it.
        event: String,
    },
    /// The same, and the text once more at the top level, for hosts that read it there.
    NestedAndTop {
        /// As the harness spelled it.
        event: String,
    },
    /// `additional_context`.
    Snake,
}

impl Envelope {
    /// One line of JSON.
    pub(crate) fn wrap(&self, text: &str) -> String {
        match self {
            Self::Nested { event } => serde_json::json!({
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": text },
            }),
            Self::NestedAndTop { event } => serde_json::json!({
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": text },
                "additionalContext": text,
            }),
            Self::Snake => serde_json::json!({ "additional_context": text }),
        }
        .to_string()
    }
}

/// Every harness, in the order of the documentation.
pub(crate) static HARNESSES: [&Harness; 8] = [
    &claude::HARNESS,
    &cursor::HARNESS,
    &vscode::HARNESS,
    &windsurf::HARNESS,
    &zed::HARNESS,
    &desktop::HARNESS,
    &codex::HARNESS,
    &gemini::HARNESS,
];

/// The harness called `name`.
pub(crate) fn find(name: &str) -> Option<&'static Harness> {
    HARNESSES.into_iter().find(|harness| harness.id == name || harness.aliases.contains(&name))
}

/// What the command line accepts: those of `harnesses`, and their other names.
pub(crate) fn possible_values(
    harnesses: impl IntoIterator<Item = &'static Harness>,
) -> Vec<clap::builder::PossibleValue> {
    let value = |harness: &Harness| clap::builder::PossibleValue::new(harness.id).aliases(harness.aliases);
    harnesses.into_iter().map(value).collect()
}
