//! `mast status` as text and as JSON.

use std::fs;

use serde_json::{Value, json};

use crate::support::Project;

fn status(project: &Project) -> (i32, Value) {
    let ran = project.mast(&["status", "--json"]);
    (ran.code, serde_json::from_str(&ran.stdout).unwrap())
}

#[test]
fn nothing_indexed() {
    let project = Project::new(&[("a.ts", "")]);
    let (code, value) = status(&project);
    assert_eq!((code, &value["last_indexed"], &value["index_fresh"]), (1, &Value::Null, &json!(false)));
    assert_eq!(value["state_dir"], "{ROOT}/.mast");
    let ran = project.mast(&["status"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.ends_with("\nnothing is indexed here that this version can read; run `mast index`\n"));
}

#[test]
fn fresh_and_stale() {
    let project =
        Project::indexed(&[("src/a.ts", "export const a = 1;\n"), ("src/b.ts", "export const b = 1;\n")]);
    let (code, value) = status(&project);
    assert_eq!((code, &value["index_fresh"], &value["freshness_cause"]), (0, &json!(true), &Value::Null));
    assert_eq!((&value["indexed_files"], &value["stale_files"]), (&json!(2), &json!(0)));

    project.write("src/new.ts", "export const n = 1;\n");
    project.write("src/a.ts", "export const a = 22222;\n");
    fs::remove_file(project.root().join("src/b.ts")).unwrap();
    let (code, value) = status(&project);
    assert_eq!((code, &value["index_fresh"], &value["stale_files"]), (0, &json!(false), &json!(3)));
    assert_eq!(value["freshness_cause"], "phase1_stale");
    assert_eq!(value["stale_breakdown"], json!({ "changed": 1, "unindexed": 1, "deleted": 1 }));
    assert_eq!(
        value["stale_paths"],
        json!({ "changed": ["src/a.ts"], "unindexed": ["src/new.ts"], "deleted": ["src/b.ts"] })
    );
    let text = project.mast(&["status"]).stdout;
    for line in
        ["index_fresh:           no (phase1_stale)\n", "changed:\n  src/a.ts\n", "deleted:\n  src/b.ts\n"]
    {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn the_tool_says_the_same() {
    let project = Project::indexed(&[("src/a.ts", "export const a = 1;\n")]);
    let tool = project.mast(&["query", "mast_status", "{}", "--json"]).stdout;
    assert_eq!(status(&project).1, serde_json::from_str::<Value>(&tool).unwrap());
}

#[test]
fn a_touched_file_is_fresh() {
    let project = Project::indexed(&[("a.ts", "export const a = 1;\n")]);
    let file = fs::File::options().append(true).open(project.root().join("a.ts")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(status(&project).1["index_fresh"], json!(true));
}

#[cfg(unix)]
#[test]
fn an_edit_behind_the_same_size_and_time_is_seen() {
    let project = Project::new(&[("a.ts", "export const a = 1;\n")]);
    let age = || {
        let file = fs::File::options().append(true).open(project.root().join("a.ts")).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    };
    age();
    assert_eq!(project.mast(&["index"]).code, 0);
    project.write("a.ts", "export const b = 1;\n");
    age();
    assert_eq!(status(&project).1["stale_breakdown"]["changed"], json!(1));
    let report = project.mast(&["index", "--incremental"]).stdout;
    assert!(report.starts_with("1 file indexed, 0 unchanged, "), "{report}");
    assert_eq!(status(&project).1["index_fresh"], json!(true));
}
