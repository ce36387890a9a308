//! A server keeps its index up to date by itself, and of several servers on one index exactly one does.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, FILES, PATIENCE, Project};

pub(crate) fn watching(project: &Project) -> Client {
    let mut client = project.spawn(&["serve"], &[]);
    client.initialize("2025-06-18");
    client
}

pub(crate) fn answer(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    serde_json::from_str(&client.text(tool, arguments)).unwrap()
}

/// Asks until the answer is as wanted.
pub(crate) fn until(
    client: &mut Client,
    tool: &str,
    arguments: &Value,
    is_wanted: impl Fn(&Value) -> bool,
) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = answer(client, tool, arguments);
        if is_wanted(&answer) {
            return answer;
        }
        assert!(Instant::now() < deadline, "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn finds(symbol: &'static str) -> impl Fn(&Value) -> bool {
    move |answer| {
        answer["results"].as_array().is_some_and(|all| all.iter().any(|r| r["symbol_name"] == symbol))
    }
}

fn is_writer(answer: &Value) -> bool {
    answer["writer"]["is_this_server"] == true
}

#[test]
fn files_that_come_change_and_go_are_followed() {
    let project = Project::indexed(FILES);
    let mut client = watching(&project);
    until(&mut client, "mast_status", &json!({}), |status| {
        is_writer(status) && status["index_fresh"] == true
    });

    project.write("src/deep/fresh/new.ts", "export function brandNew() {}\n");
    until(&mut client, "mast_search", &json!({"query": "brandNew"}), finds("brandNew"));

    project.write("src/deep/fresh/new.ts", "export function renamedNow() {}\n");
    until(&mut client, "mast_search", &json!({"query": "renamedNow"}), finds("renamedNow"));

    std::fs::remove_dir_all(project.root().join("src/deep")).unwrap();
    until(&mut client, "mast_search", &json!({"query": "renamedNow"}), |answer| !finds("renamedNow")(answer));
    assert!(client.end().status.success());
}

#[test]
fn one_server_writes_and_the_next_takes_over() {
    let project = Project::indexed(FILES);
    let mut first = watching(&project);
    until(&mut first, "mast_status", &json!({}), is_writer);
    let mut second = watching(&project);
    let status = answer(&mut second, "mast_status", &json!({}));
    assert_eq!(status["writer"]["pid"], first.pid());
    assert_eq!(status["writer"]["is_this_server"], false);
    assert!(finds("openStore")(&answer(&mut second, "mast_search", &json!({"query": "openStore"}))));

    assert!(first.end().status.success());
    until(&mut second, "mast_status", &json!({}), is_writer);
    project.write("src/late.ts", "export function lateComer() {}\n");
    until(&mut second, "mast_search", &json!({"query": "lateComer"}), finds("lateComer"));
    assert!(second.end().status.success());
    let status: Value = serde_json::from_slice(
        &project.command(&["query", "mast_status", "{}", "--json"]).output().unwrap().stdout,
    )
    .unwrap();
    assert_eq!(status["writer"], Value::Null, "nobody writes any more");
}

#[test]
fn a_watching_server_leaves_the_database_whole() {
    let project = Project::indexed(FILES);
    let mut server = watching(&project);
    until(&mut server, "mast_status", &json!({}), is_writer);
    project.write("src/late.ts", "export function lateComer() {}\n");
    until(&mut server, "mast_search", &json!({"query": "lateComer"}), finds("lateComer"));
    assert!(server.end().status.success());
    for file in ["graph.db-wal", "graph.db-shm"] {
        assert!(!project.state_dir().join(file).exists(), "{file}");
    }
}

/// Where files in use cannot be removed, neither can the state directory.
#[cfg(unix)]
#[test]
fn a_removed_state_directory_is_made_again_by_one_server() {
    let project = Project::indexed(FILES);
    let mut first = watching(&project);
    until(&mut first, "mast_status", &json!({}), |status| is_writer(status) && status["index_fresh"] == true);
    let mut servers = [first, watching(&project)];

    // A server may put a file there while the directory is emptied.
    let deadline = Instant::now() + PATIENCE;
    while std::fs::remove_dir_all(project.state_dir()).is_err() {
        assert!(Instant::now() < deadline);
    }
    for server in &mut servers {
        until(server, "mast_search", &json!({"query": "openStore"}), finds("openStore"));
    }
    // Those who led before and those who waited have both looked again by now, or do so while this is asked.
    std::thread::sleep(Duration::from_secs(3));
    let writers: Vec<_> = servers
        .iter_mut()
        .map(|server| answer(server, "mast_status", &json!({}))["writer"].clone())
        .collect();
    assert_eq!(writers.iter().filter(|writer| writer["is_this_server"] == true).count(), 1, "{writers:?}");
    assert_eq!(writers[0]["pid"], writers[1]["pid"]);

    project.write("src/late.ts", "export function lateComer() {}\n");
    for server in &mut servers {
        until(server, "mast_search", &json!({"query": "lateComer"}), finds("lateComer"));
    }
    for server in servers {
        assert!(server.end().status.success());
    }
    assert!(!project.state_dir().join("serve.json").exists(), "nobody writes any more");
}

#[test]
fn a_linked_worktree_is_indexed_but_not_watched() {
    let project = Project::new(FILES);
    project.write(".git", "gitdir: /somewhere/else/.git/worktrees/fix\n");
    let mut client = watching(&project);
    until(&mut client, "mast_search", &json!({"query": "openStore"}), finds("openStore"));
    let status = answer(&mut client, "mast_status", &json!({}));
    assert_eq!(status["writer"], Value::Null);
    assert!(status["warnings"][0].as_str().unwrap().contains("worktree"), "{status}");
}

#[test]
fn a_call_added_just_before_the_question_is_listed_or_its_file_counted() {
    let callers = json!({"symbol": "openStore"});
    for arguments in [&["serve"][..], &["serve", "--no-watch"]] {
        let project = Project::indexed(FILES);
        let mut client = project.spawn(arguments, &[]);
        client.initialize("2025-06-18");
        until(&mut client, "mast_status", &json!({}), |status| status["index_fresh"] == true);
        let before = answer(&mut client, "mast_callers", &callers);
        assert_eq!(before.get("unindexed_files"), None, "{before}");
        let known = before["summary"]["verified_count"].as_u64().unwrap();
        // Longer than a measurement serves the questions of a burst.
        std::thread::sleep(Duration::from_millis(300));

        project
            .write("src/new.ts", "import { openStore } from './store'\nexport const fresh = openStore()\n");
        let after = answer(&mut client, "mast_callers", &callers);
        let is_listed = after["summary"]["verified_count"] == known + 1;
        assert!(is_listed || after["unindexed_files"] == 1, "{arguments:?}: {after}");
    }
}
