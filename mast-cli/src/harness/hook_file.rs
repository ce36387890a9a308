//! Our entries in a harness's hook file: add them, bring them up to date, take them out, and leave the rest alone.

use jsonc_parser::ast::{Array, Object, StringLit, Value};
use jsonc_parser::common::{Range, Ranged};
use serde_json::json;

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
    /// Whether entries say `"type": "command"`.
    pub(crate) is_typed: bool,
    /// The time limit to write into an entry: key and seconds.
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
            let json = JsonText::parse(&text)?;
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
                    let json = JsonText::parse(&text)?;
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
            let json = JsonText::parse(&text)?;
            let view = View::read(self, &json)?;
            // Last in, first out: that is what makes removal the exact opposite of insertion.
            let Some(ours) = view.ours.last() else { break };
            let is_version_ours = self.is_versioned && view.has_version_behind_hooks();
            let shorter = json_text::apply(&text, view.removal(&json, ours));
            let json = JsonText::parse(&shorter)?;
            let is_hooks_gone = View::read(self, &json)?.hooks.is_none();
            // The version came after the hooks, so it goes before them.
            text = if is_version_ours && is_hooks_gone { Self::without_last_member(&text)? } else { shorter };
        }
        self.check_nothing_else_changed(original, &text)?;
        Ok(text)
    }

    /// Whether the file has nothing but what an installation writes into an empty place.
    pub(crate) fn is_bare(text: &str) -> bool {
        let Ok(json) = JsonText::parse(text) else { return false };
        let Value::Object(root) = json.root() else { return false };
        root.properties.iter().all(|member| match member.name.as_str() {
            "version" => true,
            "hooks" => member.value.as_object().is_some_and(|hooks| hooks.properties.is_empty()),
            _ => false,
        })
    }

    /// Whether any entry of ours is in the file, current or not.
    pub(crate) fn has_ours(&self, text: &str) -> bool {
        JsonText::parse(text)
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
            json!({ "version": 1, "hooks": events })
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
        if let Some((key, seconds)) = self.timeout {
            hook.insert(key.into(), json!(seconds));
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

    /// The action of a command of ours: one that ends in `hook <harness> <event>`.
    fn action_of(&self, command: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|action| {
            let suffix = format!("hook {} {}", self.harness, action.as_str());
            command
                .trim_end()
                .strip_suffix(&suffix)
                .is_some_and(|launcher| launcher.ends_with(char::is_whitespace))
        })
    }

    fn with_current_commands(&self, text: &str, launchers: &[String]) -> Result<String, String> {
        let json = JsonText::parse(text)?;
        let view = View::read(self, &json)?;
        let mut splices = Vec::new();
        for ours in &view.ours {
            let is_current =
                launchers.iter().any(|launcher| self.command(ours.action, launcher) == ours.command.value);
            if !is_current {
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
        let json = JsonText::parse(text)?;
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
        let json = JsonText::parse(text)?;
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

/// The parts of a hook file an edit needs.
struct View<'a> {
    root: &'a Object<'a>,
    hooks: Option<&'a Object<'a>>,
    ours: Vec<Ours<'a>>,
}

/// One entry of ours.
struct Ours<'a> {
    event: &'a str,
    /// The position of the event among the members of `hooks`.
    event_at: usize,
    list: &'a Array<'a>,
    /// The position in the event's list.
    item_at: usize,
    /// The group's entries and the position among them.
    group: Option<(&'a Array<'a>, usize)>,
    matcher: Option<&'a str>,
    action: Action,
    command: &'a StringLit<'a>,
}

impl<'a> View<'a> {
    /// Reads the whole file; any shape other than the documented one is an error.
    fn read(format: &HookFormat, json: &'a JsonText<'a>) -> Result<Self, String> {
        let Value::Object(root) = json.root() else { return Err("its top level is not an object".into()) };
        let mut view = Self { root, hooks: None, ours: Vec::new() };
        let mut members = root.properties.iter().filter(|member| member.name.as_str() == "hooks");
        let Some(member) = members.next() else { return Ok(view) };
        if members.next().is_some() {
            return Err("it has `hooks` twice".into());
        }
        let Value::Object(hooks) = &member.value else { return Err("`hooks` is not an object".into()) };
        view.hooks = Some(hooks);
        for (event_at, member) in hooks.properties.iter().enumerate() {
            let event = member.name.as_str();
            if hooks.properties[..event_at].iter().any(|earlier| earlier.name.as_str() == event) {
                return Err(format!("`hooks` has `{event}` twice"));
            }
            let Value::Array(list) = &member.value else {
                return Err(format!("`hooks.{event}` is not an array"));
            };
            for (item_at, item) in list.elements.iter().enumerate() {
                let Value::Object(item) = item else {
                    return Err(format!("`hooks.{event}[{item_at}]` is not an object"));
                };
                let matcher = item.get_string("matcher").map(|matcher| matcher.value.as_ref());
                let mut push = |entry: &'a Object<'a>, group| {
                    let command = entry.get_string("command");
                    if let Some((command, action)) =
                        command.and_then(|c| Some((c, format.action_of(&c.value)?)))
                    {
                        view.ours.push(Ours {
                            event,
                            event_at,
                            list,
                            item_at,
                            group,
                            matcher,
                            action,
                            command,
                        });
                    }
                };
                match (format.nesting, item.get("hooks").map(|member| &member.value)) {
                    (Nesting::Flat, _) => push(item, None),
                    (Nesting::Groups, None) => {}
                    (Nesting::Groups, Some(Value::Array(entries))) => {
                        for (at, entry) in entries.elements.iter().enumerate() {
                            let Value::Object(entry) = entry else {
                                return Err(format!(
                                    "`hooks.{event}[{item_at}].hooks[{at}]` is not an object"
                                ));
                            };
                            push(entry, Some((entries, at)));
                        }
                    }
                    (Nesting::Groups, Some(_)) => {
                        return Err(format!("`hooks.{event}[{item_at}].hooks` is not an array"));
                    }
                }
            }
        }
        Ok(view)
    }

    /// Whether `"version": 1` is the last member and `hooks` the one before, the order an installation leaves in a file
    /// that had neither.
    fn has_version_behind_hooks(&self) -> bool {
        let [.., hooks, version] = self.root.properties.as_slice() else { return false };
        hooks.name.as_str() == "hooks"
            && version.name.as_str() == "version"
            && version.value.as_number_lit().is_some_and(|number| number.value == "1")
    }

    /// How to take `ours` out together with what was made for it.
    fn removal(&self, json: &JsonText<'_>, ours: &Ours<'_>) -> Vec<Splice> {
        if let Some((entries, at)) = ours.group
            && entries.elements.len() > 1
        {
            return json.remove(entries.range, &element_ranges(entries), at);
        }
        let list = ours.list;
        let is_made_for = |container: Range, first: usize| json_text::was_made_for(container, first);
        if list.elements.len() > 1 || !is_made_for(list.range, list.elements[0].start()) {
            return json.remove(list.range, &element_ranges(list), ours.item_at);
        }
        let Some(hooks) = self.hooks else { return Vec::new() };
        if hooks.properties.len() > 1 || !is_made_for(hooks.range, hooks.properties[0].range.start) {
            return json.remove(hooks.range, &json_text::member_ranges(hooks), ours.event_at);
        }
        let at = self.root.properties.iter().position(|member| member.name.as_str() == "hooks").unwrap_or(0);
        json.remove(self.root.range, &json_text::member_ranges(self.root), at)
    }
}

impl Ours<'_> {
    /// Whether this entry does what `wanted` asks for. A matcher the user wrote anew counts as covering.
    fn covers(&self, wanted: &HookEntry) -> bool {
        if self.event != wanted.event || self.action != wanted.action {
            return false;
        }
        let (Some(matcher), Some(tools)) = (self.matcher, wanted.matcher) else { return true };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ',' | '|' | ' ');
        if matcher.is_empty() || !matcher.chars().all(is_name) {
            return true;
        }
        let mut names = matcher.split(['|', ',']).map(str::trim);
        names.any(|name| tools.split('|').any(|tool| tool == name))
    }
}

fn element_ranges(array: &Array<'_>) -> Vec<Range> {
    array.elements.iter().map(Ranged::range).collect()
}
