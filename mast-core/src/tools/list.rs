//! The registry as data, for doors whose users discover tools at run time.

use serde_json::{Value, json};

use super::{TOOLS, ToolSpec};

/// A JSON array with one object a tool, in MCP's words: `name`, `title`, `description`, `inputSchema`, `outputSchema`,
/// `annotations`.
#[must_use]
pub fn list_json() -> String {
    Value::Array(TOOLS.iter().map(row).collect()).to_string()
}

fn row(tool: &ToolSpec) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema(),
        "outputSchema": tool.output_schema(),
        "annotations": { "readOnlyHint": tool.is_read_only },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;

    #[test]
    fn lists_every_tool_in_order() {
        let list: Vec<BTreeMap<String, Value>> = serde_json::from_str(&list_json()).unwrap();
        let names: Vec<_> = list.iter().filter_map(|tool| tool["name"].as_str()).collect();
        let expected: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names, expected);
        assert!(list.iter().all(|tool| tool["inputSchema"]["type"] == "object"));
    }

    /// `docs/schemas` is what the types say; `UPDATE_SCHEMAS=1` rewrites it. The Node types are made from it.
    #[test]
    fn committed_schemas_are_current() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas");
        let expected: BTreeMap<String, String> =
            TOOLS.iter().map(|tool| (format!("{}.json", tool.name), format!("{:#}\n", row(tool)))).collect();
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).unwrap();
            for (name, text) in &expected {
                std::fs::write(folder.join(name), text).unwrap();
            }
        }
        let committed: BTreeMap<String, String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
            .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap().replace("\r\n", "\n")))
            .collect();
        assert!(
            committed == expected,
            "run UPDATE_SCHEMAS=1 cargo test -p mast-core tools::list, then commit docs/schemas"
        );
    }
}
