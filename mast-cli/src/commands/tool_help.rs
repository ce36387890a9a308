//! `mast query --help` and `mast query <tool> --help`: the arguments of the tools, told from the schemas that are enforced.

use std::fmt::Write as _;

use mast_core::tools::{TOOLS, ToolSpec};
use serde_json::{Map, Value, json};

/// What to print when `arguments` ask for help about `query`, whose own help is `help`; `None` when they ask for another.
pub(crate) fn help_about_query(arguments: &[String], help: &str) -> Option<String> {
    let words = arguments.iter().filter(|argument| !argument.starts_with('-'));
    // `mast help query` is `mast query --help`.
    let mut words = words.skip_while(|word| *word == "help");
    if words.next()? != "query" {
        return None;
    }
    let tool = words.next().and_then(|name| TOOLS.iter().find(|tool| tool.name == name));
    Some(match tool {
        Some(tool) => about(tool),
        None => format!("{}\n\n{}", help.trim_end(), list()),
    })
}

/// Every tool with the names of its arguments.
fn list() -> String {
    let mut text =
        "Tools and their arguments, those in [] optional; `mast query <tool> --help` explains them:\n"
            .to_owned();
    for tool in TOOLS {
        let names: Vec<String> = arguments(tool)
            .map(|(name, _, is_required)| if is_required { name.to_owned() } else { format!("[{name}]") })
            .collect();
        let _ = writeln!(text, "  {:<22} {}", tool.name, names.join(" "));
    }
    text
}

/// One tool with all that its schema says of its arguments.
fn about(tool: &ToolSpec) -> String {
    let mut text = format!("{}: {}\n\n{}\n\n", tool.name, tool.title, tool.description);
    let mut example = Map::new();
    for (at, (name, schema, is_required)) in arguments(tool).enumerate() {
        if at == 0 {
            text.push_str("Arguments:\n");
        }
        let mut facts = vec![kind(schema)];
        facts.extend(bounds(schema));
        if is_required {
            facts.push("required".to_owned());
            example.insert(name.to_owned(), example_of(name));
        } else if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            facts.push(format!("default {default}"));
        }
        let _ = writeln!(text, "  {name} ({})", facts.join(", "));
        if let Some(description) = schema.get("description").and_then(Value::as_str) {
            let _ = writeln!(text, "      {description}");
        }
    }
    let _ = writeln!(text, "\nExample:\n  mast query {} '{}'", tool.name, Value::Object(example));
    text
}

/// Something to ask with. Names are as in the other examples; what a new argument may be is for its author to say here.
fn example_of(argument: &str) -> Value {
    match argument {
        "interface_name" => json!("UserStore"),
        "file_path" => json!("src/users.ts"),
        "paths" => json!(["README.md"]),
        "sections" => json!([{ "file_path": "README.md", "heading": "Install" }]),
        _ => json!("createUser"),
    }
}

fn arguments(tool: &ToolSpec) -> impl Iterator<Item = (&str, &Value, bool)> {
    let schema = tool.input_schema();
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.map(move |(name, property)| {
        let is_required = required.is_some_and(|required| required.iter().any(|one| one == name));
        (name.as_str(), property, is_required)
    })
}

/// The type, or the texts that are allowed.
fn kind(schema: &Value) -> String {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return allowed.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ");
    }
    let named = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        other => other.and_then(Value::as_str),
    };
    match (named, schema.get("items")) {
        (Some("array"), Some(items)) => {
            let names: Vec<&str> = items
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(|(name, _)| name.as_str())
                .collect();
            if names.is_empty() {
                format!("list of {}s", kind(items))
            } else {
                format!("list of {{ {} }}", names.join(", "))
            }
        }
        (Some(kind), _) => kind.to_owned(),
        (None, _) => "any".to_owned(),
    }
}

fn bounds(schema: &Value) -> Option<String> {
    let bound =
        |names: [&str; 2]| names.into_iter().find_map(|name| schema.get(name).and_then(Value::as_u64));
    match (bound(["minimum", "minItems"]), bound(["maximum", "maxItems"])) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        _ => None,
    }
}
