//! The same question through the library, the command and the protocol gives the same bytes.

use mast_core::{CallContext, Engine, OpenOptions};
use serde_json::{Value, json};

use crate::client::{Client, FILES, Project};

/// Answers, empty answers and refusals of every tool whose answer does not depend on when it is asked.
fn questions() -> Vec<(&'static str, Value)> {
    vec![
        ("mast_search", json!({"query": "openStore"})),
        ("mast_search", json!({"query": "größe 😀", "language": "markdown"})),
        ("mast_search", json!({"query": "nothing like it anywhere"})),
        ("mast_search", json!({"query": "open", "file_pattern": "src/main.*", "limit": 2})),
        ("mast_search", json!({"query": 3})),
        ("mast_search", json!({"query": "a", "limt": 1})),
        ("mast_project_skeleton", json!({})),
        ("mast_exports", json!({"file_path": "src/store.ts"})),
        ("mast_exports", json!({"file_path": "src/gone.ts"})),
        ("mast_exports", json!({"file_path": "../outside.ts"})),
        ("mast_signature", json!({"symbol": "openStore"})),
        ("mast_signature", json!({"symbol": "unheardOf"})),
        ("mast_callers", json!({"symbol": "openStore"})),
        ("mast_callers", json!({"symbol": "Store.get", "transitive": true})),
        ("mast_callers", json!({"symbol": "unheardOf"})),
        ("mast_callers", json!({})),
        ("mast_dependencies", json!({"file_path": "src/main.ts"})),
        ("mast_implementors", json!({"interface_name": "Store"})),
        ("mast_rename_impact", json!({"symbol": "openStore"})),
        ("mast_outline", json!({"paths": ["README.md", "."]})),
        ("mast_section", json!({"sections": [{"file_path": "README.md", "heading": "Use"}]})),
        ("mast_section", json!({"sections": [{"file_path": "../outside.md", "heading": "Use"}]})),
        ("mast_section", json!({"sections": [{"file_path": "README.md"}]})),
        ("mast_status", json!({})),
    ]
}

#[test]
fn every_door_gives_the_same_bytes() {
    let project = Project::indexed(FILES);
    let mut client = project.spawn(&["serve", "--no-watch", "--no-startup-reindex"], &[]);
    client.initialize("2025-11-25");
    for (tool, arguments) in questions() {
        let asked = format!("{tool} {arguments}");
        let library = through_library(&project, tool, &arguments);
        assert_eq!(through_command(&project, tool, &arguments), library, "command: {asked}");
        assert_eq!(through_protocol(&mut client, tool, &arguments), library, "protocol: {asked}");
    }
}

fn through_library(project: &Project, tool: &str, arguments: &Value) -> String {
    let options = OpenOptions { root: Some(project.root()), state_dir: None };
    let engine = Engine::open(options).unwrap();
    match engine.call(tool, arguments.clone(), &CallContext::default()) {
        Ok(reply) => timeless(&reply.json),
        Err(error) => error.to_string(),
    }
}

fn through_command(project: &Project, tool: &str, arguments: &Value) -> String {
    let ran = project.command(&["query", tool, &arguments.to_string(), "--json"]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap());
    match ran.status.code() {
        Some(0) => timeless(stdout.strip_suffix('\n').unwrap()),
        _ => stderr.strip_prefix("mast: ").unwrap().trim_end().to_owned(),
    }
}

fn through_protocol(client: &mut Client, tool: &str, arguments: &Value) -> String {
    let id = client.call(tool, arguments);
    let result = client.response(id)["result"].clone();
    let text = result["content"][0]["text"].as_str().unwrap();
    if result["isError"] == false {
        let read: Value = serde_json::from_str(text).unwrap();
        assert_eq!(result["structuredContent"], read, "the structured answer is the text");
    }
    timeless(text)
}

/// `json` with the one number that may differ taken out, all other bytes as they are.
fn timeless(json: &str) -> String {
    let Some((before, after)) = json.rsplit_once("\"duration_ms\":") else { return json.to_owned() };
    format!("{before}\"duration_ms\":{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
}
