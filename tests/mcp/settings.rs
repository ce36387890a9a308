//! A server whose configuration changes under it: what is new comes into force, what cannot be used is said.

use serde_json::{Value, json};

use crate::client::{Client, FILES, Project};
use crate::watch::{answer, finds, until, watching};

const OTHER: &str = "export function otherKind() {}\n";

fn has_warning(status: &Value, part: &str) -> bool {
    status["warnings"].as_array().is_some_and(|all| all.iter().any(|w| w.as_str().unwrap().contains(part)))
}

fn status(client: &mut Client) -> Value {
    answer(client, "mast_status", &json!({}))
}

#[test]
fn a_watching_server_follows_its_configuration() {
    let project = Project::indexed(FILES);
    project.write("src/other.mts", OTHER);
    let mut client = watching(&project);
    until(&mut client, "mast_status", &json!({}), |status| status["index_fresh"] == true);
    let question = json!({ "query": "otherKind" });
    assert!(!finds("otherKind")(&answer(&mut client, "mast_search", &question)));

    project.write("mast.config.json", r#"{ "file_extensions": [".ts", ".mts"] }"#);
    until(&mut client, "mast_search", &question, finds("otherKind"));
    project.write("src/other.mts", "export function otherName() {}\n");
    until(&mut client, "mast_search", &json!({ "query": "otherName" }), finds("otherName"));

    project.write("mast.config.json", r#"{ "file_extensions": [".ts"], "include_dot_dirs": [".hidden"] }"#);
    until(&mut client, "mast_search", &question, |answer| !finds("otherName")(answer));
    project.write(".hidden/deep.ts", "export function deepDown() {}\n");
    until(&mut client, "mast_search", &json!({ "query": "deepDown" }), finds("deepDown"));
    let saved = std::fs::read_to_string(project.state_dir().join("config.json")).unwrap();
    assert!(saved.contains(".hidden"), "what is in force is saved: {saved}");
    assert!(client.end().status.success());
}

#[test]
fn without_a_watcher_the_next_call_notices() {
    let project = Project::indexed(FILES);
    project.write("src/other.mts", OTHER);
    let mut client = project.serve();
    until(&mut client, "mast_status", &json!({}), |status| status["index_fresh"] == true);

    project.write(
        "mast.config.json",
        r#"{ "file_extensions": [".ts", ".mts"], "exclude_patterns": ["**/main.ts"] }"#,
    );
    let found = status(&mut client);
    assert_eq!(found["stale_paths"]["unindexed"], json!(["src/other.mts"]));
    assert_eq!(found["stale_paths"]["deleted"], json!(["README.md", "src/main.ts"]));
    answer(&mut client, "mast_reindex", &json!({}));
    assert_eq!(status(&mut client)["index_fresh"], true);
    assert!(finds("otherKind")(&answer(&mut client, "mast_search", &json!({ "query": "otherKind" }))));
    assert!(!finds("start")(&answer(&mut client, "mast_search", &json!({ "query": "start" }))));

    // Another way to cut files into pieces makes every file one that is to be read again.
    project.write("mast.config.json", r#"{ "chunk_split_threshold": 20 }"#);
    let found = status(&mut client);
    assert_eq!(
        (&found["freshness_cause"], &found["stale_breakdown"]["changed"]),
        (&json!("phase1_stale"), &json!(3))
    );
    answer(&mut client, "mast_reindex", &json!({}));
    assert_eq!(status(&mut client)["index_fresh"], true);
}

#[test]
fn a_configuration_that_cannot_be_used_is_said_and_the_old_one_stays() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    for (text, part) in [
        ("{ \"rrf_k\": \"sixty\" }", "rrf_k: must be a whole number from 1 to 1000000, not a string"),
        ("{ half", "not valid JSON"),
        ("", "the file is empty"),
    ] {
        project.write("mast.config.json", text);
        let found = status(&mut client);
        assert!(has_warning(&found, part) && has_warning(&found, "stays in force"), "{found}");
        assert!(finds("openStore")(&answer(&mut client, "mast_search", &json!({ "query": "openStore" }))));
        answer(&mut client, "mast_reindex", &json!({}));
    }
    project.write("mast.config.json", "{}");
    assert_eq!(status(&mut client)["warnings"], Value::Null);
    let ended = client.end();
    assert!(ended.status.success());
    let lines: Vec<_> = ended.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "each is logged once: {}", ended.stderr);
    assert!(lines[0].contains("rrf_k") && lines[2].contains("the file is empty"), "{}", ended.stderr);
}

#[test]
fn a_project_file_that_decides_what_imports_mean_makes_the_index_stale() {
    let project = Project::new(&[
        ("tsconfig.json", r#"{ "compilerOptions": { "paths": { "@/*": ["./left/*"] } } }"#),
        ("left/help.ts", "export function help() {}\n"),
        ("right/help.ts", "export function help() {}\n"),
        ("src/main.ts", "import { help } from '@/help';\nexport function main() { help(); }\n"),
    ]);
    assert!(project.command(&["index"]).status().unwrap().success());
    let mut client = project.serve();
    let question = json!({ "symbol": "help", "file_path": "right/help.ts" });
    until(&mut client, "mast_status", &json!({}), |status| status["index_fresh"] == true);
    assert_eq!(answer(&mut client, "mast_callers", &question)["verified_callers"], json!([]));

    project.write("tsconfig.json", r#"{ "compilerOptions": { "paths": { "@/*": ["./right/*"] } } }"#);
    let found = status(&mut client);
    assert_eq!(
        (&found["index_fresh"], &found["freshness_cause"]),
        (&json!(false), &json!("edge_repair_pending"))
    );
    assert_eq!(found["pending_edge_repairs"], 1, "the one file that imports anything");
    assert_eq!(answer(&mut client, "mast_callers", &question)["pending_edge_repairs"], 1);

    answer(&mut client, "mast_reindex", &json!({}));
    assert_eq!(status(&mut client)["index_fresh"], true);
    let callers = answer(&mut client, "mast_callers", &question);
    assert_eq!(callers["verified_callers"][0]["file_path"], "src/main.ts");
    assert_eq!(callers.get("pending_edge_repairs"), None);

    // A configuration that was not there before counts as well.
    project.write("src/tsconfig.json", "{}");
    assert_eq!(status(&mut client)["freshness_cause"], "edge_repair_pending");
}
