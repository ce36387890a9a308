//! Calls side by side: nobody waits for a slow one, a cancelled one is silent, a long one tells how far it is.

use std::time::{Duration, Instant};

use mast_core::store::RunLock;
use serde_json::{Value, json};

use crate::client::{FILES, PATIENCE, Project};

#[test]
fn many_calls_at_once_are_all_answered_alike() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let searches: Vec<_> =
        (0..20).map(|_| client.call("mast_search", &json!({"query": "openStore"}))).collect();
    let callers: Vec<_> =
        (0..20).map(|_| client.call("mast_callers", &json!({"symbol": "openStore"}))).collect();
    for ids in [searches, callers] {
        let mut answers: Vec<Value> =
            ids.into_iter().map(|id| client.response(id)["result"].clone()).collect();
        for answer in &mut answers {
            assert_eq!(answer["isError"], false, "{answer}");
            answer["structuredContent"]["_stats"]["duration_ms"] = json!(0);
        }
        let structured: Vec<_> = answers.iter().map(|answer| &answer["structuredContent"]).collect();
        assert!(structured.iter().all(|one| *one == structured[0]));
    }
}

#[test]
fn a_slow_call_does_not_hold_up_a_quick_one() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    wait_until_idle(&project);
    let held = RunLock::acquire(&project.state_dir(), "test", Duration::from_secs(20)).unwrap();
    let slow = client.call("mast_reindex", &json!({}));
    assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
    assert!(!client.received.iter().any(|m| m["id"] == slow), "the reindex waits for the lock");
    drop(held);
    assert_eq!(client.response(slow)["result"]["isError"], false);
}

#[test]
fn searches_do_not_wait_for_a_run() {
    let project = Project::indexed(FILES);
    let body = "  total += [1, 2, 3].map((n) => n * total).length;\n".repeat(200);
    for at in 0..300 {
        let text = format!("export function many{at}() {{\n  let total = 0;\n{body}  return total;\n}}\n");
        project.write(&format!("src/many/f{at}.ts"), &text);
    }
    let mut client = project.spawn(&["serve", "--no-watch", "--no-startup-reindex"], &[]);
    client.initialize("2025-06-18");
    let params = json!({"name": "mast_reindex", "arguments": {}, "_meta": {"progressToken": 1}});
    let run = client.request("tools/call", &params);
    while !client.received.iter().any(|m| m["method"] == "notifications/progress") {
        assert!(client.receive(Instant::now() + PATIENCE));
    }
    let (begun, mut times) = (Instant::now(), Vec::new());
    while !client.received.iter().any(|m| m["id"] == run) {
        let asked = Instant::now();
        assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
        times.push(asked.elapsed());
    }
    times.sort();
    // One that waited for the run would take as long as it; the machines of tests are too busy for a closer bound.
    let middle = times[times.len() / 2];
    assert!(times.len() >= 5 && middle < begun.elapsed() / 4, "{} searches, {middle:?}", times.len());
}

#[test]
fn a_lock_that_is_not_given_back_is_an_error_that_names_the_holder() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    wait_until_idle(&project);
    let _held = RunLock::acquire(&project.state_dir(), "holding on", Duration::from_secs(20)).unwrap();
    let id = client.call("mast_reindex", &json!({}));
    let result = client.response(id)["result"].clone();
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("holding on"), "{result}");
}

#[test]
fn a_cancelled_call_is_never_answered() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    wait_until_idle(&project);
    let held = RunLock::acquire(&project.state_dir(), "test", Duration::from_secs(20)).unwrap();
    let slow = client.call("mast_reindex", &json!({}));
    client.notify("notifications/cancelled", &json!({"requestId": slow, "reason": "test"}));
    assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
    drop(held);
    assert!(client.text("mast_status", &json!({})).contains("indexed_files"));
    let ended = client.end();
    assert!(ended.status.success());
    assert!(!ended.received.iter().any(|message| message["id"] == slow));
}

#[test]
fn progress_is_told_to_who_asked_and_ends_before_the_result() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let id = client.request(
        "tools/call",
        &json!({"name": "mast_reindex", "arguments": {"full": true}, "_meta": {"progressToken": "p"}}),
    );
    client.response(id);
    let of_call: Vec<_> =
        client.received.iter().filter(|m| m["id"] == id || m["method"] == "notifications/progress").collect();
    let (result, progress) = of_call.split_last().unwrap();
    assert_eq!(result["id"], id, "the result comes last");
    assert!(!progress.is_empty());
    let done: Vec<_> = progress.iter().map(|m| m["params"]["progress"].as_f64().unwrap()).collect();
    assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{done:?}");
    assert!(progress.iter().all(|m| m["params"]["progressToken"] == "p" && m["params"]["total"].is_number()));

    let id = client.call("mast_reindex", &json!({"full": true}));
    let before = client.received.len();
    client.response(id);
    assert!(client.received[before..].iter().all(|m| m.get("method").is_none()), "nobody asked");
}

/// Waits until the index run the server begins with is over.
fn wait_until_idle(project: &Project) {
    let deadline = Instant::now() + Duration::from_secs(30);
    std::thread::sleep(Duration::from_millis(200));
    while RunLock::acquire(&project.state_dir(), "test", Duration::from_secs(1)).is_err() {
        assert!(Instant::now() < deadline);
    }
}
