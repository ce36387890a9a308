//! How a server begins and ends.

use std::fs;
use std::time::{Duration, Instant};

use mast_core::store::RunLock;
use serde_json::{Value, json};

use crate::client::{FILES, PATIENCE, Project};

/// Within this time a server that is told to end is gone, whatever it does.
const END: Duration = Duration::from_secs(10);

#[test]
fn closing_standard_input_ends_the_server() {
    let project = Project::indexed(FILES);
    let ended = project.serve().end();
    assert!(ended.status.success());
    assert_eq!(ended.stderr, "");
    assert!(RunLock::acquire(&project.state_dir(), "test", Duration::ZERO).is_ok(), "no lock is left");
    assert!(!project.state_dir().join("graph.db-wal").exists(), "the database is whole");
}

#[test]
fn standard_input_that_is_closed_at_once_is_no_failure() {
    let project = Project::indexed(FILES);
    let mut client = project.spawn(&["serve"], &[]);
    client.close();
    let ended = client.ended_within(END);
    assert!(ended.status.success(), "{}", ended.stderr);
    assert!(ended.received.is_empty());
}

#[test]
fn questions_asked_before_the_end_are_answered() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let id = client.call("mast_search", &json!({"query": "openStore"}));
    client.close();
    let ended = client.ended_within(END);
    assert!(ended.received.iter().any(|m| m["id"] == id && m["result"]["isError"] == false));
}

#[test]
fn a_call_that_waits_does_not_keep_the_server_alive() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let _held = RunLock::acquire(&project.state_dir(), "test", PATIENCE).unwrap();
    client.call("mast_reindex", &json!({}));
    assert!(client.text("mast_status", &json!({})).contains("indexed_files"));
    client.close();
    assert!(client.ended_within(END).status.success());
}

#[cfg(unix)]
#[test]
fn signals_end_the_server() {
    for signal in ["-TERM", "-INT"] {
        let project = Project::indexed(FILES);
        let client = project.serve();
        let sent = std::process::Command::new("kill").args([signal, &client.pid().to_string()]).status();
        assert!(sent.unwrap().success());
        let ended = client.ended_within(END);
        assert!(ended.status.success(), "{signal}: {}", ended.status);
        assert!(RunLock::acquire(&project.state_dir(), "test", Duration::ZERO).is_ok(), "no lock is left");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_in_the_middle_of_a_run_leaves_a_whole_index() {
    let project = Project::indexed(FILES);
    let body = "  total += [1, 2, 3].map((n) => n * total).length;\n".repeat(300);
    for at in 0..300 {
        project.write(
            &format!("src/many/f{at}.ts"),
            &format!("export function many{at}() {{\n  let total = 0;\n{body}  return total;\n}}\n"),
        );
    }
    let mut client = project.spawn(&["serve", "--no-watch", "--no-startup-reindex"], &[]);
    client.initialize("2025-06-18");
    let params = json!({"name": "mast_reindex", "arguments": {}, "_meta": {"progressToken": 1}});
    let id = client.request("tools/call", &params);
    while !client.received.iter().any(|m| m["method"] == "notifications/progress") {
        assert!(client.receive(Instant::now() + PATIENCE));
    }
    let sent = std::process::Command::new("kill").args(["-TERM", &client.pid().to_string()]).status();
    assert!(sent.unwrap().success());
    let ended = client.ended_within(END);
    assert!(ended.status.success(), "{}", ended.stderr);
    assert!(
        !ended.received.iter().any(|m| m["id"] == id && m["result"]["isError"] == false),
        "it was stopped"
    );
    assert!(RunLock::acquire(&project.state_dir(), "test", Duration::ZERO).is_ok(), "no lock is left");
    assert!(project.command(&["index", "--incremental"]).status().unwrap().success());
    let status = project.command(&["query", "mast_status", "{}", "--json"]).output().unwrap();
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!((&status["index_fresh"], &status["indexed_files"]), (&json!(true), &json!(304)));
}

#[test]
fn a_project_that_was_never_indexed_is_indexed_in_the_background() {
    let project = Project::new(FILES);
    let mut client = project.serve();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer: Value =
            serde_json::from_str(&client.text("mast_search", &json!({"query": "openStore"}))).unwrap();
        if answer["results"].as_array().is_some_and(|results| !results.is_empty()) {
            assert_eq!(answer["results"][0]["symbol_name"], "openStore");
            break;
        }
        assert!(
            answer["index_empty"] == true || answer.get("index_building").is_some(),
            "an empty answer says why: {answer}"
        );
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(project.state_dir().join("config.json").is_file(), "the resolved configuration is saved");
}

#[test]
fn without_an_index_and_without_a_run_the_server_refuses() {
    let project = Project::new(FILES);
    let client = project.spawn(&["serve", "--no-startup-reindex"], &[]);
    let ended = client.ended_within(END);
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.stderr.contains("run `mast index` first"), "{}", ended.stderr);
    assert!(!project.state_dir().exists());
}

#[test]
fn without_a_run_the_server_answers_from_the_index_there_is() {
    let project = Project::indexed(FILES);
    project.write("src/new.ts", "export function brandNew() {}\n");
    let mut client = project.spawn(&["serve", "--no-startup-reindex", "--no-watch"], &[]);
    client.initialize("2025-06-18");
    let found = client.text("mast_search", &json!({"query": "openStore"}));
    assert!(found.contains("src/store.ts"));
    let missing: Value =
        serde_json::from_str(&client.text("mast_search", &json!({"query": "brandNew"}))).unwrap();
    assert!(
        missing["results"].as_array().unwrap().iter().all(|r| r["symbol_name"] != "brandNew"),
        "{missing}"
    );
}

#[test]
fn an_empty_state_directory_starts_from_a_seed() {
    let seeded = Project::indexed(FILES);
    let project = Project::new(FILES);
    let seed = seeded.state_dir();
    let mut client =
        project.spawn(&["serve", "--no-startup-reindex", "--no-watch"], &[("MAST_SEED_DIR", seed.as_path())]);
    client.initialize("2025-06-18");
    assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
    assert!(client.end().status.success());
    assert!(project.state_dir().join("graph.db").is_file());
}

#[test]
fn a_configuration_that_cannot_be_used_ends_the_server_with_one_line() {
    let project = Project::new(FILES);
    fs::write(project.root().join("mast.config.json"), "{ \"rrf_k\": \"sixty\" }").unwrap();
    let ended = project.spawn(&["serve"], &[]).ended_within(END);
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.stderr.starts_with("mast: ") && ended.stderr.contains("rrf_k"), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
}

#[test]
fn the_handshake_waits_for_nothing() {
    let project = Project::indexed(FILES);
    let best = (0..5)
        .map(|_| {
            let started = Instant::now();
            let mut client = project.spawn(&["serve", "--no-watch"], &[]);
            client.initialize("2025-06-18");
            started.elapsed()
        })
        .min();
    // 30 ms is the aim of a release build on a quiet machine; this only tells waiting from not waiting.
    assert!(best.unwrap() < Duration::from_secs(2), "{best:?}");
}
