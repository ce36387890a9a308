//! The published schemas are those the types give, and every schema keeps to the plain form clients understand.

use std::path::PathBuf;

use super::*;
use crate::tools::{
    callers, dependencies, efficiency, exports, implementors, outline, reindex, rename_impact, search,
    section, signature, skeleton, status,
};

fn published<T: Contract>() -> Value {
    json!({
        "name": T::NAME,
        "title": T::TITLE,
        "description": T::DESCRIPTION,
        "inputSchema": input_schema::<T>(),
        "outputSchema": output_schema::<T>(),
    })
}

fn all() -> Vec<Value> {
    vec![
        published::<search::Search>(),
        published::<skeleton::ProjectSkeleton>(),
        published::<exports::Exports>(),
        published::<signature::Signature>(),
        published::<callers::Callers>(),
        published::<dependencies::Dependencies>(),
        published::<implementors::Implementors>(),
        published::<rename_impact::RenameImpact>(),
        published::<outline::Outline>(),
        published::<section::Section>(),
        published::<reindex::Reindex>(),
        published::<status::Status>(),
        published::<efficiency::Efficiency>(),
    ]
}

/// `UPDATE_SCHEMAS=1 cargo test -p mast-core schemas_on_disk` writes the files anew.
#[test]
fn schemas_on_disk_are_those_of_the_types() {
    let directory = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schemas"));
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some();
    for tool in all() {
        let file = directory.join(format!("{}.json", tool["name"].as_str().unwrap()));
        let expected = serde_json::to_string_pretty(&tool).unwrap() + "\n";
        if update {
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(&file, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(found == expected, "{} is out of date: run with UPDATE_SCHEMAS=1", file.display());
    }
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 13, "one file a tool and nothing else");
}

fn visit(schema: &Value, see: &mut impl FnMut(&Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            see(object);
            object.values().for_each(|value| visit(value, see));
        }
        Value::Array(items) => items.iter().for_each(|item| visit(item, see)),
        _ => {}
    }
}

#[test]
fn schemas_are_plain() {
    for tool in all() {
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            let name = tool["name"].as_str().unwrap();
            assert_eq!(schema["type"], "object", "{name}");
            visit(schema, &mut |object| {
                for word in ["$ref", "$defs", "$schema", "oneOf", "anyOf", "format"] {
                    assert!(!object.contains_key(word), "{name}: {word} in {object:?}");
                }
            });
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(tool["description"].as_str().unwrap().len() < 2_000, "clients cut longer descriptions");
    }
}

#[test]
fn required_arguments_are_those_without_which_there_is_no_question() {
    let required = |name: &str| {
        let tool = all().into_iter().find(|tool| tool["name"] == name).unwrap();
        tool["inputSchema"].get("required").cloned().unwrap_or(json!([]))
    };
    assert_eq!(required("mast_search"), json!(["query"]));
    assert_eq!(required("mast_section"), json!(["sections"]));
    assert_eq!(required("mast_implementors"), json!(["interface_name"]));
    for none in ["mast_project_skeleton", "mast_status", "mast_reindex"] {
        assert_eq!(required(none), json!([]), "{none}");
    }
}

#[test]
fn signals_are_declared_where_they_can_occur() {
    let properties = |name: &str| {
        let tool = all().into_iter().find(|tool| tool["name"] == name).unwrap();
        let object = tool["outputSchema"]["properties"].as_object().unwrap().clone();
        object.keys().cloned().collect::<Vec<_>>()
    };
    let search = properties("mast_search");
    assert_eq!(search[..3], ["results", "results_truncated", "suggestions"]);
    assert_eq!(search.last().unwrap(), "_stats");
    assert!(search.contains(&"unindexed_files".into()) && search.contains(&"index_building".into()));
    assert!(
        !search.contains(&"file_busy_returning_stale_cache".into()),
        "search flags, it does not parse again"
    );
    assert!(properties("mast_callers").contains(&"pending_edge_repairs_hint".into()));
    assert!(!properties("mast_status").contains(&"_stats".into()));
}
