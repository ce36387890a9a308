//! Every schema keeps to the plain form clients understand.

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
    assert_eq!(search[..4], ["results", "results_truncated", "unread_files", "suggestions"]);
    assert_eq!(search.last().unwrap(), "_stats");
    assert!(search.contains(&"unindexed_files".into()) && search.contains(&"index_building".into()));
    assert!(
        !search.contains(&"file_busy_returning_stale_cache".into()),
        "search flags, it does not parse again"
    );
    assert!(properties("mast_callers").contains(&"pending_edge_repairs_hint".into()));
    assert!(!properties("mast_status").contains(&"_stats".into()));
}
