//! Strict reading of a tool's arguments: checked against the tool's own schema, so that the error names the argument
//! and what is allowed, and the schema that clients see cannot say anything else. The doors that take JSON as text read
//! it here too.

use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::Contract;
use super::schema;
use crate::engine::OpenOptions;
use crate::error::{Error, Result};

/// Reads the text of a tool's arguments; [`Engine::call`](crate::Engine::call) decides whether they fit the tool.
///
/// # Errors
/// [`Error::InvalidInput`] when it is not JSON: `arguments: not valid JSON: …`.
pub fn from_text(text: &str) -> Result<Value> {
    json("arguments", text)
}

/// Reads the options of [`Engine::open`](crate::Engine::open) from a JSON object. `null` counts as absent.
///
/// # Errors
/// [`Error::InvalidInput`] with one line: `options.root: expected a string, got the number 7`.
pub fn options_from_text(text: &str) -> Result<OpenOptions> {
    static SCHEMA: LazyLock<Value> = LazyLock::new(schema::argument_schema::<OpenOptions>);
    let mut options = json("options", text)?;
    check("options", &mut options, &SCHEMA).map_err(Error::InvalidInput)?;
    serde_json::from_value(options).map_err(|error| Error::InvalidInput(format!("options: {error}")))
}

fn json(what: &str, text: &str) -> Result<Value> {
    let invalid = |error| Error::InvalidInput(format!("{what}: not valid JSON: {error}"));
    serde_json::from_str(text).map_err(invalid)
}

/// Reads the arguments of `T`. `null` counts as absent for every optional argument.
///
/// # Errors
/// [`Error::InvalidInput`] with one line: `mast_search: limit: 51 is out of range (1 to 50)`.
pub fn parse<T: Contract>(arguments: Value, input_schema: &Value) -> Result<T::Input> {
    let invalid = |message: String| Error::InvalidInput(format!("{}: {message}", T::NAME));
    let mut arguments = match arguments {
        Value::Null => Value::Object(Map::new()),
        other => other,
    };
    check("", &mut arguments, input_schema).map_err(invalid)?;
    serde_json::from_value(arguments).map_err(|error| invalid(error.to_string()))
}

/// Reads the arguments of `T` with a schema made on the spot.
///
/// # Errors
/// As [`parse`].
pub fn parse_once<T: Contract>(arguments: Value) -> Result<T::Input> {
    parse::<T>(arguments, &schema::input_schema::<T>())
}

type Check = std::result::Result<(), String>;

/// Checks `value` against the part of JSON Schema that our inputs use, and takes out nulls and whole numbers written
/// as `2.0`.
fn check(name: &str, value: &mut Value, schema: &Value) -> Check {
    let kinds = kinds(schema);
    let expected = || kinds.iter().filter(|kind| **kind != "null").copied().collect::<Vec<_>>().join(" or ");
    let label = if name.is_empty() { String::new() } else { format!("{name}: ") };
    if let Some(whole) = value.as_f64().filter(|n| value.is_f64() && n.fract() == 0.0 && n.abs() < 9e15) {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number well inside the range of i64")]
        let whole = whole as i64;
        *value = whole.into();
    }
    if !kinds.iter().any(|kind| is_of_kind(value, kind)) {
        return Err(format!("{label}expected {}, got {}", with_article(&expected()), describe(value)));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().filter_map(Value::as_str).collect();
        return Err(format!("{label}{value} is not one of {}", allowed.join(", ")));
    }
    match value {
        Value::Object(object) => check_object(name, object, schema),
        Value::Array(items) => {
            check_length(&label, items.len(), schema, ["minItems", "maxItems"], "entries")?;
            let Some(item_schema) = schema.get("items") else { return Ok(()) };
            let mut items = items.iter_mut().enumerate();
            items.try_for_each(|(at, item)| check(&format!("{name}[{at}]"), item, item_schema))
        }
        Value::String(text) => {
            // White space alone is no text.
            let length = if text.trim().is_empty() { 0 } else { text.chars().count() };
            check_length(&label, length, schema, ["minLength", "maxLength"], "characters")
        }
        Value::Number(number) => check_range(&label, number, schema),
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

fn check_object(name: &str, object: &mut Map<String, Value>, schema: &Value) -> Check {
    static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&NOTHING);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let path = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    if let Some(unknown) = object.keys().find(|key| !properties.contains_key(*key)) {
        return Err(unknown_argument(&path(unknown), unknown, properties));
    }
    object.retain(|_, value| !value.is_null());
    for key in required {
        if !object.contains_key(key) {
            let kind = properties.get(key).map(kinds).unwrap_or_default().join(" or ");
            return Err(format!("{}: missing; expected {}", path(key), with_article(&kind)));
        }
    }
    let mut members = object.iter_mut();
    members.try_for_each(|(key, value)| properties.get(key).map_or(Ok(()), |s| check(&path(key), value, s)))
}

fn unknown_argument(path: &str, key: &str, properties: &Map<String, Value>) -> String {
    let mut message = format!("{path}: unknown argument");
    if properties.is_empty() {
        message.push_str("; the tool takes none");
        return message;
    }
    let close = |known: &&String| {
        known.eq_ignore_ascii_case(key)
            || known.replace('_', "").eq_ignore_ascii_case(&key.replace(['_', '-'], ""))
            || known.starts_with(key)
            || key.starts_with(known.as_str())
    };
    if let Some(known) = properties.keys().find(close) {
        let _ = write!(message, " (did you mean {known}?)");
    }
    let names: Vec<_> = properties.keys().map(String::as_str).collect();
    let _ = write!(message, "; the arguments are {}", names.join(", "));
    message
}

fn check_length(label: &str, length: usize, schema: &Value, bounds: [&str; 2], unit: &str) -> Check {
    let [least, most] = bounds.map(|bound| schema.get(bound).and_then(Value::as_u64));
    let length = length as u64;
    if length >= least.unwrap_or(0) && length <= most.unwrap_or(u64::MAX) {
        return Ok(());
    }
    match (least, most) {
        (Some(1), None) => Err(format!("{label}must not be empty")),
        (Some(least), Some(most)) => {
            Err(format!("{label}{length} {unit} are out of range ({least} to {most})"))
        }
        (Some(least), None) => Err(format!("{label}{length} {unit} are too few (at least {least})")),
        (_, most) => {
            Err(format!("{label}{length} {unit} are too many (at most {})", most.unwrap_or(u64::MAX)))
        }
    }
}

fn check_range(label: &str, number: &serde_json::Number, schema: &Value) -> Check {
    let bound = |name| schema.get(name).and_then(Value::as_i64);
    let (least, most) = (bound("minimum").unwrap_or(0), bound("maximum").unwrap_or(i64::from(u32::MAX)));
    match number.as_i64() {
        Some(value) if (least..=most).contains(&value) => Ok(()),
        Some(value) if value < least && bound("maximum").is_none() => {
            Err(format!("{label}{number} is out of range (at least {least})"))
        }
        _ => Err(format!("{label}{number} is out of range ({least} to {most})")),
    }
}

fn kinds(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {kind}")
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "a boolean".into(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{efficiency, search, section, status};
    use super::*;

    fn complaint<T: Contract>(arguments: Value) -> String {
        parse_once::<T>(arguments).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_argument_and_what_is_allowed() {
        let search = complaint::<search::Search>;
        assert_eq!(search(json!({})), "mast_search: query: missing; expected a string");
        assert_eq!(search(json!({"query": 5})), "mast_search: query: expected a string, got the number 5");
        assert_eq!(search(json!({"query": ""})), "mast_search: query: must not be empty");
        assert_eq!(search(json!({"query": " \t\n"})), "mast_search: query: must not be empty");
        assert_eq!(search(json!([])), "mast_search: expected an object, got an array");
        let limit = |limit: Value| search(json!({"query": "x", "limit": limit}));
        assert_eq!(limit(json!(51)), "mast_search: limit: 51 is out of range (1 to 50)");
        assert_eq!(limit(json!(-1)), "mast_search: limit: -1 is out of range (1 to 50)");
        assert_eq!(
            complaint::<efficiency::Efficiency>(
                json!({"scope": "global", "since_minutes": 99_999_999_999_u64})
            ),
            "mast_efficiency: since_minutes: 99999999999 is out of range (1 to 52560000)"
        );
        assert_eq!(limit(json!(2.5)), "mast_search: limit: expected an integer, got the number 2.5");
        assert_eq!(limit(json!(1e300)), "mast_search: limit: expected an integer, got the number 1e+300");
        assert_eq!(
            search(json!({"query": "x", "language": "rust"})),
            "mast_search: language: \"rust\" is not one of typescript, javascript, markdown"
        );
        assert_eq!(
            search(json!({"query": "x", "filePattern": "a"})),
            "mast_search: filePattern: unknown argument (did you mean file_pattern?); the arguments are query, \
             limit, language, file_pattern, chunk_type, only_exported"
        );
        assert_eq!(search(json!({"query": null})), "mast_search: query: missing; expected a string");
        assert_eq!(
            complaint::<status::Status>(json!({"x": 1})),
            "mast_status: x: unknown argument; the tool takes none"
        );
    }

    #[test]
    fn errors_name_nested_arguments_by_their_path() {
        let section = complaint::<section::Section>;
        assert_eq!(
            section(json!({"sections": []})),
            "mast_section: sections: 0 entries are out of range (1 to 20)"
        );
        assert_eq!(
            section(json!({"sections": [{"heading": "x"}]})),
            "mast_section: sections[0].file_path: missing; expected a string"
        );
        assert_eq!(
            section(json!({"sections": [{"file_path": "a.md", "start_line": 0}]})),
            "mast_section: sections[0].start_line: 0 is out of range (at least 1)"
        );
        assert_eq!(
            section(json!({"sections": [{"file_path": "a.md", "start_line": 4_294_967_296_u64}]})),
            "mast_section: sections[0].start_line: 4294967296 is out of range (1 to 4294967295)"
        );
        assert_eq!(
            section(json!({"sections": [{"file_path": "a.md", "head": "x"}]})),
            "mast_section: sections[0].head: unknown argument (did you mean heading?); the arguments are file_path, \
             heading, start_line, end_line"
        );
    }

    #[test]
    fn options_are_an_object_of_known_paths() {
        let complaint = |text| options_from_text(text).unwrap_err().to_string();
        assert_eq!(complaint(r#"["/tmp"]"#), "options: expected an object, got an array");
        assert_eq!(complaint("[]"), "options: expected an object, got an array");
        assert_eq!(complaint("null"), "options: expected an object, got null");
        assert_eq!(complaint(r#""/tmp""#), "options: expected an object, got a string");
        assert_eq!(complaint(r#"{"root": 7}"#), "options.root: expected a string, got the number 7");
        assert_eq!(
            complaint(r#"{"state_dir": ["a"]}"#),
            "options.state_dir: expected a string, got an array"
        );
        assert_eq!(
            complaint(r#"{"rot": "/tmp"}"#),
            "options.rot: unknown argument; the arguments are root, state_dir"
        );
        assert_eq!(complaint("{"), "options: not valid JSON: EOF while parsing an object at line 1 column 1");
        assert_eq!(complaint(""), "options: not valid JSON: EOF while parsing a value at line 1 column 0");

        let options = options_from_text(r#"{"root": "/tmp", "state_dir": null}"#).unwrap();
        assert_eq!((options.root, options.state_dir), (Some("/tmp".into()), None));
        let options = options_from_text("{}").unwrap();
        assert_eq!((options.root, options.state_dir), (None, None));
    }

    #[test]
    fn text_of_arguments_is_json_of_any_kind() {
        assert_eq!(from_text(r#" {"query": "a"} "#).unwrap(), json!({"query": "a"}));
        assert_eq!(from_text("[]").unwrap(), json!([]));
        let error = from_text(r#"{"query": }"#).unwrap_err();
        assert_eq!(error.to_string(), "arguments: not valid JSON: expected value at line 1 column 11");
    }

    #[test]
    fn null_counts_as_absent_and_whole_numbers_may_have_a_point() {
        let read = |arguments| parse_once::<search::Search>(arguments).unwrap();
        let all_null = json!({"query": "x", "limit": null, "language": null, "file_pattern": null,
                              "chunk_type": null, "only_exported": null});
        assert_eq!(format!("{:?}", read(all_null)), format!("{:?}", read(json!({"query": "x"}))));
        assert_eq!(read(json!({"query": "x", "limit": 2.0})).limit, 2);
        assert_eq!(read(json!({"query": "x"})).limit, 10);
        assert!(parse_once::<status::Status>(Value::Null).is_ok(), "no arguments at all");
        let class_shell = read(json!({"query": "x", "chunk_type": "class_shell"}));
        assert_eq!(class_shell.chunk_type, Some(search::ChunkType::ClassShell));
    }
}
