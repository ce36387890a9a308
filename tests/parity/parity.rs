//! The questions of `questions.json` through the library, the command and the protocol give the same bytes. The other doors answer
//! them in `parity.test.mjs`.

use std::collections::BTreeMap;

use mast_core::{CallContext, Engine, OpenOptions};
use serde_json::{Value, json};

use crate::client::{Client, Project};

/// Path and text of every file of `project.json`, indexed.
fn project() -> Project {
    let files: BTreeMap<String, String> = serde_json::from_str(include_str!("project.json")).unwrap();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Project::indexed(&files)
}

#[test]
fn library_command_and_protocol_give_the_same_bytes() {
    let questions: Vec<(String, Value)> = serde_json::from_str(include_str!("questions.json")).unwrap();
    let project = project();
    let mut client = project.spawn(&["serve", "--no-watch", "--no-startup-reindex"], &[]);
    client.initialize("2025-11-25");
    for (tool, arguments) in questions {
        let asked = format!("{tool} {arguments}");
        let library = through_library(&project, &tool, &arguments);
        assert_eq!(through_command(&project, &tool, &arguments), library, "command: {asked}");
        assert_eq!(through_protocol(&mut client, &tool, &arguments), library, "protocol: {asked}");
    }
}

/// The server that holds the writer lease is the only one that can say of itself that it does.
#[test]
fn the_status_of_the_leading_server_differs_in_one_word() {
    let project = project();
    let mut client = project.spawn(&["serve"], &[]);
    client.initialize("2025-11-25");
    let mut leading = Value::Null;
    for _ in 0..200 {
        leading = client.result("tools/call", &json!({"name": "mast_status", "arguments": {}}))["structuredContent"].clone();
        if leading["writer"]["is_this_server"] == true && leading.get("index_building").is_none() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    assert_eq!(leading["writer"]["is_this_server"], true, "{leading}");
    let mut command: Value =
        serde_json::from_str(&through_command(&project, "mast_status", &json!({}))).unwrap();
    assert_eq!(command["writer"]["is_this_server"], false);
    command["writer"]["is_this_server"] = true.into();
    for answer in [&mut command, &mut leading] {
        answer.as_object_mut().unwrap().remove("last_indexed");
    }
    assert_eq!(command, leading);
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
