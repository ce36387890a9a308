//! Builds that are under way or cut off: answers say so, and the next run goes on where it ended.

use std::fs;
use std::time::Duration;

use mast_core::index::{IndexReport, RunRequest};
use mast_core::store::RunLock;
use mast_core::task::Progress;
use mast_core::{CallContext, Cancel, Engine, OpenOptions};
use rusqlite::Connection;

use serde_json::json;

use crate::dump::{difference, dump};
use crate::project::Project;

const FILES: u64 = 60;

fn request() -> RunRequest {
    RunRequest { full: false, operation: "test", patience: Duration::from_secs(5), link_budget: None }
}

#[test]
fn what_a_first_build_had_read_is_not_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let (root, state, fresh) =
        (dir.path().join("project"), dir.path().join("state"), dir.path().join("fresh"));
    fs::create_dir(&root).unwrap();
    for at in 0..FILES {
        let next = (at + 1) % FILES;
        let text = format!(
            "import {{ f{next} }} from './f{next}';\n\nexport function f{at}() {{\n  f{next}();\n}}\n"
        );
        fs::write(root.join(format!("f{at}.ts")), text).unwrap();
    }
    let open =
        |state| Engine::open(OpenOptions { root: Some(root.clone()), state_dir: Some(state) }).unwrap();

    // A run commits at least every second: the tenth file is put at once after the ninth and the pause, and then there is
    // a commit. What comes between it and the stop is rolled back.
    let cancel = Cancel::default();
    let stop = {
        let cancel = cancel.clone();
        move |progress: Progress| match progress.done {
            9 => std::thread::sleep(Duration::from_millis(1100)),
            20 => cancel.cancel(),
            _ => {}
        }
    };
    let context = CallContext { cancel, progress: Some(&stop) };
    assert!(open(state.clone()).index(&request(), &context).is_err());

    let IndexReport { files_indexed, files_skipped, pending_links, .. } =
        open(state.clone()).index(&request(), &CallContext::default()).unwrap();
    assert_eq!((files_indexed, files_skipped, pending_links), (FILES - 10, 10, 0));
    assert!(open(fresh.clone()).index(&request(), &CallContext::default()).is_ok());
    assert_eq!(difference(&dump(&state), &dump(&fresh)), None);

    // How the full-text index is kept from now on, and whether its list of words can be relied on.
    let settings = |state: &std::path::Path| {
        let connection = Connection::open(state.join("graph.db")).unwrap();
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        [
            number("SELECT v FROM chunk_words_config WHERE k = 'automerge'"),
            number("SELECT v FROM chunk_words_config WHERE k = 'crisismerge'"),
            number("SELECT count(*) FROM words"),
        ]
    };
    assert_eq!(settings(&state), settings(&fresh));
    assert_eq!(settings(&state)[..2], [4, 16]);
}

#[test]
fn every_answer_that_rests_on_more_than_one_file_says_that_a_build_is_under_way() {
    let project = Project::new(&[
        ("a.ts", "export function used(): void {}\n"),
        ("index.ts", "export * from './a';\n"),
        ("main.ts", "import { used } from './index';\n\nused();\n"),
    ]);
    let _run = RunLock::acquire(&project.state_dir(), "test", Duration::ZERO).unwrap();
    let connection = Connection::open(project.state_dir().join("graph.db")).unwrap();
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('building', '2 3')", []).unwrap();
    for (tool, arguments) in [
        ("mast_search", json!({"query": "used"})),
        ("mast_signature", json!({"symbol": "used"})),
        ("mast_callers", json!({"symbol": "used"})),
        ("mast_rename_impact", json!({"symbol": "used"})),
        ("mast_exports", json!({"file_path": "index.ts"})),
        ("mast_dependencies", json!({"file_path": "main.ts"})),
        ("mast_project_skeleton", json!({})),
    ] {
        assert_eq!(project.ask(tool, arguments)["index_building"], json!({"done": 2, "total": 3}), "{tool}");
    }
}

#[test]
fn what_a_barrel_and_an_import_rest_on_is_said_to_have_changed() {
    let project = Project::new(&[
        ("a.ts", "export function used(): void {}\n"),
        ("index.ts", "export * from './a';\n"),
        ("main.ts", "import { used } from './index';\n\nused();\n"),
    ]);
    project.write("a.ts", "export function renamed(): void {}\n");
    assert_eq!(project.ask("mast_exports", json!({"file_path": "index.ts"}))["changed_files"], 1);
    assert_eq!(project.ask("mast_dependencies", json!({"file_path": "main.ts"}))["changed_files"], 1);
    project.write("tsconfig.json", "{ \"compilerOptions\": { \"baseUrl\": \".\" } }\n");
    let dependencies = project.ask("mast_dependencies", json!({"file_path": "main.ts"}));
    assert_eq!(dependencies["pending_edge_repairs"], 2, "both files that import");
}
