//! Our entries in a harness's hook file: add them, bring them up to date, take them out, and leave the rest alone.

use jsonc_parser::ast::Value;
use serde_json::json;

use super::hook_view::{Ours, View, element_ranges};
use super::json_text::{self, JsonText, Splice};

/// What a hook asks `mast hook` to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Give the session primer.
    SessionStart,
    /// Remind of `mast_search` at a built-in search.
    Search,
}

impl Action {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::SessionStart, Self::Search];

    /// The spelling on the command line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Search => "search",
        }
    }

    /// The action spelled `text`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == text)
    }
}

/// One entry a harness should have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookEntry {
    /// The event's key in the file.
    pub(crate) event: &'static str,
    /// Which tools or agents it is for: names with `|` between them.
    pub(crate) matcher: Option<&'static str>,
    /// What it does.
    pub(crate) action: Action,
}

/// How entries lie below their event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// Groups of a matcher and a `hooks` array.
    Groups,
    /// Entries, each with its own matcher.
    Flat,
}

/// A harness's hook file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookFormat {
    /// The name of the harness in our commands.
    pub(crate) harness: &'static str,
    /// How entries lie below their event.
    pub(crate) nesting: Nesting,
    /// Whether the file begins with `"version": 1`.
    pub(crate) is_versioned: bool,
    /// Whether `hooks` has settings beside the events, so that only our events can be held to their shape.
    pub(crate) is_mixed: bool,
    /// Whether entries say `"type": "command"`.
    pub(crate) is_typed: bool,
    /// The time limit to write into an entry: key and number, in the unit of the harness.
    pub(crate) timeout: Option<(&'static str, u32)>,
    /// The entries to have.
    pub(crate) entries: &'static [HookEntry],
}

/// The file's new text and what the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Installed {
    /// The text.
    pub(crate) text: String,
    /// A remark, or none.
    pub(crate) note: Option<String>,
}

impl HookFormat {
    /// The file with our entries, each started by `launchers[0]`; an entry that uses any of `launchers` is kept.
    ///
    /// The error says what is wrong with the file; it is to be left alone then.
    pub(crate) fn install(&self, text: Option<&str>, launchers: &[String]) -> Result<Installed, String> {
        let Some(original) = text else {
            return Ok(Installed { text: self.new_file(&launchers[0]), note: None });
        };
        let mut text = self.with_current_commands(original, launchers)?;
        let mut note = None;
        for entry in self.entries {
            let readable = json_text::readable(&text);
            let json = JsonText::parse(&readable)?;
            let view = View::read(self, &json)?;
            if view.ours.iter().any(|ours| ours.covers(entry)) {
                continue;
            }
            let has_hooks = view.hooks.is_some();
            let has_version = view.root.get("version").is_some();
            let splices = self.insert(&json, &view, entry, &launchers[0]);
            text = json_text::apply(&text, splices);
            if self.is_versioned && !has_version {
                if has_hooks {
                    note = Some("the file has no `\"version\": 1`, which its harness asks for".to_owned());
                } else {
                    let readable = json_text::readable(&text);
                    let json = JsonText::parse(&readable)?;
                    let view = View::read(self, &json)?;
                    let members = json_text::member_ranges(view.root);
                    let splices = json.insert_last(view.root.range, &members, Some("version"), &json!(1));
                    text = json_text::apply(&text, splices);
                }
            }
        }
        self.check_nothing_else_changed(original, &text)?;
        Ok(Installed { text, note })
    }

    /// The file without our entries and without the groups and lists that were made for them.
    pub(crate) fn remove(&self, original: &str) -> Result<String, String> {
        let mut text = original.to_owned();
        loop {
            let readable = json_text::readable(&text);
            let json = JsonText::parse(&readable)?;
            let view = View::read(self, &json)?;
            // Last in, first out: that is what makes removal the exact opposite of insertion.
            let Some(ours) = view.ours.last() else { break };
            let is_version_ours = self.is_versioned && view.has_version_behind_hooks();
            let shorter = json_text::apply(&text, view.removal(&json, ours));
            let readable = json_text::readable(&shorter);
            let json = JsonText::parse(&readable)?;
            let is_hooks_gone = View::read(self, &json)?.hooks.is_none();
            // The version came after the hooks, so it goes before them.
            text = if is_version_ours && is_hooks_gone { Self::without_last_member(&text)? } else { shorter };
        }
        self.check_nothing_else_changed(original, &text)?;
        Ok(text)
    }

    /// Whether the file has nothing but what an installation writes into an empty place.
    pub(crate) fn is_bare(text: &str) -> bool {
        let readable = json_text::readable(text);
        let Ok(json) = JsonText::parse(&readable) else { return false };
        let Value::Object(root) = json.root() else { return false };
        root.properties.iter().all(|member| match member.name.as_str() {
            "version" => member.value.as_number_lit().is_some_and(|number| number.value == "1"),
            "hooks" => member.value.as_object().is_some_and(|hooks| hooks.properties.is_empty()),
            _ => false,
        })
    }

    /// Whether an installation made the whole file `text`, and nothing else has come into it. A file that was there empty
    /// has its first member directly behind the bracket.
    pub(crate) fn is_whole(&self, text: &str) -> bool {
        let readable = json_text::readable(text);
        let Ok(json) = JsonText::parse(&readable) else { return false };
        let Value::Object(root) = json.root() else { return false };
        let is_made = |first: usize| json_text::was_made_for(root.range, first);
        root.properties.first().is_some_and(|first| is_made(first.range.start))
            && self.remove(text).is_ok_and(|rest| rest.trim_end() == "{}")
    }

    /// Whether any entry of ours, started by one of `launchers`, is in the file.
    pub(crate) fn is_started_with(&self, text: &str, launchers: &[String]) -> bool {
        let readable = json_text::readable(text);
        let Ok(json) = JsonText::parse(&readable) else { return false };
        let Ok(view) = View::read(self, &json) else { return false };
        view.ours.iter().any(|ours| self.is_started_by(ours, launchers))
    }

    /// Whether any entry of ours is in the file, current or not.
    pub(crate) fn has_ours(&self, text: &str) -> bool {
        JsonText::parse(&json_text::readable(text))
            .is_ok_and(|json| View::read(self, &json).is_ok_and(|view| !view.ours.is_empty()))
    }

    fn new_file(&self, launcher: &str) -> String {
        let mut events = serde_json::Map::new();
        for entry in self.entries {
            let list = events.entry(entry.event).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(self.item(entry, launcher));
            }
        }
        let file = if self.is_versioned {
            // In this order, which nobody writes by hand, both go again when the hooks do.
            json!({ "hooks": events, "version": 1 })
        } else {
            json!({ "hooks": events })
        };
        json_text::new_file(&file)
    }

    /// The element of an event's list that holds `entry`.
    fn item(&self, entry: &HookEntry, launcher: &str) -> serde_json::Value {
        let mut hook = serde_json::Map::new();
        if self.is_typed {
            hook.insert("type".into(), json!("command"));
        }
        hook.insert("command".into(), json!(self.command(entry.action, launcher)));
        if self.nesting == Nesting::Flat
            && let Some(matcher) = entry.matcher
        {
            hook.insert("matcher".into(), json!(matcher));
        }
        if let Some((key, limit)) = self.timeout {
            hook.insert(key.into(), json!(limit));
        }
        match (self.nesting, entry.matcher) {
            (Nesting::Flat, _) => hook.into(),
            (Nesting::Groups, Some(matcher)) => json!({ "matcher": matcher, "hooks": [hook] }),
            (Nesting::Groups, None) => json!({ "hooks": [hook] }),
        }
    }

    fn command(&self, action: Action, launcher: &str) -> String {
        format!("{launcher} hook {} {}", self.harness, action.as_str())
    }

    fn is_started_by(&self, ours: &Ours<'_>, launchers: &[String]) -> bool {
        launchers.iter().any(|launcher| self.command(ours.action, launcher) == ours.command.value)
    }

    /// The action of a command of ours: one that ends in `hook <harness> <event>`.
    pub(super) fn action_of(&self, command: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|action| {
            let suffix = format!("hook {} {}", self.harness, action.as_str());
            command
                .trim_end()
                .strip_suffix(&suffix)
                .is_some_and(|launcher| launcher.ends_with(char::is_whitespace))
        })
    }

    fn with_current_commands(&self, text: &str, launchers: &[String]) -> Result<String, String> {
        let readable = json_text::readable(text);
        let json = JsonText::parse(&readable)?;
        let view = View::read(self, &json)?;
        let mut splices = Vec::new();
        for ours in &view.ours {
            if !self.is_started_by(ours, launchers) {
                let command = serde_json::Value::from(self.command(ours.action, &launchers[0]));
                splices.push(Splice::replace(ours.command.range, command.to_string()));
            }
        }
        Ok(json_text::apply(text, splices))
    }

    fn insert(&self, json: &JsonText<'_>, view: &View<'_>, entry: &HookEntry, launcher: &str) -> Vec<Splice> {
        let item = self.item(entry, launcher);
        let Some(hooks) = view.hooks else {
            let members = json_text::member_ranges(view.root);
            return json.insert_last(
                view.root.range,
                &members,
                Some("hooks"),
                &json!({ entry.event: [item] }),
            );
        };
        match hooks.get_array(entry.event) {
            None => {
                let members = json_text::member_ranges(hooks);
                json.insert_last(hooks.range, &members, Some(entry.event), &json!([item]))
            }
            Some(list) => json.insert_last(list.range, &element_ranges(list), None, &item),
        }
    }

    /// Takes out the last member: the `version` an installation wrote behind its `hooks`.
    fn without_last_member(text: &str) -> Result<String, String> {
        let readable = json_text::readable(text);
        let json = JsonText::parse(&readable)?;
        let Value::Object(root) = json.root() else { return Ok(text.to_owned()) };
        let members = json_text::member_ranges(root);
        let splices = json.remove(root.range, &members, members.len() - 1);
        Ok(json_text::apply(text, splices))
    }

    /// The guard behind every edit: apart from our entries both texts must mean the same.
    fn check_nothing_else_changed(&self, before: &str, after: &str) -> Result<(), String> {
        if self.foreign(before)? == self.foreign(after)? {
            return Ok(());
        }
        Err("its layout is one this edit would damage".into())
    }

    /// What the file says apart from our entries, their empty remains and the version.
    fn foreign(&self, text: &str) -> Result<serde_json::Value, String> {
        let readable = json_text::readable(text);
        let json = JsonText::parse(&readable)?;
        let mut value: serde_json::Value = json.root().clone().into();
        let Some(root) = value.as_object_mut() else { return Ok(value) };
        if self.is_versioned && root.get("version") == Some(&json!(1)) {
            root.shift_remove("version");
        }
        if let Some(hooks) = root.get_mut("hooks").and_then(|hooks| hooks.as_object_mut()) {
            for list in hooks.values_mut().filter_map(|list| list.as_array_mut()) {
                for group in list.iter_mut() {
                    if let Some(entries) = group.get_mut("hooks").and_then(|entries| entries.as_array_mut()) {
                        entries.retain(|entry| !self.is_ours(entry));
                    }
                }
                list.retain(|item| !self.is_ours(item) && item.get("hooks") != Some(&json!([])));
            }
            hooks.retain(|_, list| *list != json!([]));
        }
        if root.get("hooks") == Some(&json!({})) {
            root.shift_remove("hooks");
        }
        Ok(value)
    }

    fn is_ours(&self, entry: &serde_json::Value) -> bool {
        entry.get("command").and_then(|command| command.as_str()).and_then(|c| self.action_of(c)).is_some()
    }
}
