//! The registry as data, for doors whose users discover tools at run time.

use serde_json::{Value, json};

use super::TOOLS;

/// A JSON array with one object a tool: `name`, `title`, `description` and `read_only`.
#[must_use]
pub fn list_json() -> String {
    let rows = TOOLS.iter().map(|tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "read_only": tool.is_read_only,
        })
    });
    Value::Array(rows.collect()).to_string()
}
