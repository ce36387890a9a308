//! Reads a hook file: where its hooks are, which entries are ours, and how to take one out with what was made for it.

use jsonc_parser::ast::{Array, Object, StringLit, Value};
use jsonc_parser::common::{Range, Ranged};

use super::hook_file::{Action, HookEntry, HookFormat, Nesting};
use super::json_text::{self, JsonText, Splice};

/// The parts of a hook file an edit needs.
pub(super) struct View<'a> {
    /// The top level.
    pub(super) root: &'a Object<'a>,
    /// Its `hooks`.
    pub(super) hooks: Option<&'a Object<'a>>,
    /// Our entries, in the order of the file.
    pub(super) ours: Vec<Ours<'a>>,
}

/// One entry of ours.
pub(super) struct Ours<'a> {
    event: &'a str,
    /// The position of the event among the members of `hooks`.
    event_at: usize,
    list: &'a Array<'a>,
    /// The position in the event's list.
    item_at: usize,
    /// The group's entries and the position among them.
    group: Option<(&'a Array<'a>, usize)>,
    matcher: Option<&'a str>,
    pub(super) action: Action,
    pub(super) command: &'a StringLit<'a>,
}

impl<'a> View<'a> {
    /// Reads the whole file; any shape other than the documented one is an error.
    pub(super) fn read(format: &HookFormat, json: &'a JsonText<'a>) -> Result<Self, String> {
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
            if format.is_mixed && format.entries.iter().all(|entry| entry.event != event) {
                continue;
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
    pub(super) fn has_version_behind_hooks(&self) -> bool {
        let [.., hooks, version] = self.root.properties.as_slice() else { return false };
        hooks.name.as_str() == "hooks"
            && version.name.as_str() == "version"
            && version.value.as_number_lit().is_some_and(|number| number.value == "1")
    }

    /// How to take `ours` out together with what was made for it.
    pub(super) fn removal(&self, json: &JsonText<'_>, ours: &Ours<'_>) -> Vec<Splice> {
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
    pub(super) fn covers(&self, wanted: &HookEntry) -> bool {
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

/// The ranges of an array's elements.
pub(super) fn element_ranges(array: &Array<'_>) -> Vec<Range> {
    array.elements.iter().map(Ranged::range).collect()
}
