//! Reading the hand-edited files of a project: JSON with comments, YAML. What cannot be read becomes a named warning
//! and is treated as absent, so that one broken file never breaks the imports of another.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

/// Deeper nesting than any real configuration has; the JSON parser recurses, so it is checked before it runs.
const MAX_DEPTH: usize = 100;

/// The configuration files of a project, parsed once each.
pub(super) struct Configs<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    parsed: HashMap<String, Option<Rc<Value>>>,
    /// What could not be used, each text naming its file.
    pub(super) warnings: BTreeSet<String>,
    /// Every file that was there to read, parsable or not.
    present: BTreeSet<String>,
}

impl<'a> Configs<'a> {
    pub(super) fn new(read: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { read, parsed: HashMap::new(), warnings: BTreeSet::new(), present: BTreeSet::new() }
    }

    /// The object in the JSON file at `path`, comments and trailing commas allowed; `None` when there is no such
    /// file or it holds no object.
    pub(super) fn json(&mut self, path: &str) -> Option<Rc<Value>> {
        self.parse(path, |text| {
            let options = jsonc_parser::ParseOptions::default();
            match jsonc_parser::parse_to_serde_value(text, &options) {
                Ok(Some(value)) => Ok(value),
                // An empty tsconfig.json is a valid one.
                Ok(None) => Ok(Value::Object(serde_json::Map::new())),
                Err(problem) => Err(problem.to_string()),
            }
        })
    }

    /// The list of strings under `key` of the YAML file at `path`.
    pub(super) fn yaml_strings(&mut self, path: &str, key: &str) -> Option<Vec<String>> {
        let value = self.parse(path, |text| {
            let items = yaml_list(text, key).map_err(|problem| problem.to_string())?;
            Ok(serde_json::json!({ key: items }))
        })?;
        Some(strings(value.get(key)))
    }

    fn parse(&mut self, path: &str, parse: impl FnOnce(&str) -> Result<Value, String>) -> Option<Rc<Value>> {
        if let Some(known) = self.parsed.get(path) {
            return known.clone();
        }
        let value = (self.read)(path).and_then(|text| {
            self.present.insert(path.to_owned());
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let parsed = if is_too_deep(text) { Err("nested too deeply".to_owned()) } else { parse(text) };
            match parsed {
                Ok(value) if value.is_object() => Some(Rc::new(value)),
                Ok(_) => {
                    self.warn(path, "is not an object; the file is not used");
                    None
                }
                Err(problem) => {
                    self.warn(path, &format!("{problem}; the file is not used"));
                    None
                }
            }
        });
        self.parsed.insert(path.to_owned(), value.clone());
        value
    }

    /// Whether the file is there, usable or not.
    pub(super) fn exists(&mut self, path: &str) -> bool {
        self.json(path).is_some() || self.present.contains(path)
    }

    /// Records a problem with the file at `path`.
    pub(super) fn warn(&mut self, path: &str, problem: &str) {
        self.warnings.insert(format!("{path}: {problem}"));
    }
}

/// The plain strings of the list under top-level `key`. Works on the event stream, so that aliases are never written
/// out and nesting costs nothing.
fn yaml_list(text: &str, key: &str) -> Result<Vec<String>, saphyr_parser::ScanError> {
    use saphyr_parser::Event;
    let mut items = Vec::new();
    let mut depth = 0_usize;
    // At depth 1 scalars alternate between keys and values; `current` is the key whose value comes next.
    let mut current: Option<String> = None;
    for event in saphyr_parser::Parser::new_from_str(text) {
        match event?.0 {
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    current = None;
                }
            }
            Event::Scalar(text, ..) if depth == 1 => {
                current = if current.is_some() { None } else { Some(text.into_owned()) };
            }
            Event::Alias(_) if depth == 1 => current = None,
            Event::Scalar(text, ..) if depth == 2 && current.as_deref() == Some(key) => {
                items.push(text.into_owned());
            }
            Event::DocumentEnd => break,
            _ => {}
        }
    }
    Ok(items)
}

/// Whether brackets nest beyond what the parser may recurse into. Strings are not told apart: a configuration with a
/// hundred unclosed brackets in strings does not exist.
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// The strings of a JSON array; other items are left out.
pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The string under `key`.
pub(super) fn string<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}
