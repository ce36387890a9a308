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

/// Every file of the state directory with its bytes.
fn state(project: &Project) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let entries = fs::read_dir(project.root().join(".mast")).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn an_index_of_a_newer_mast_is_not_touched() {
    let project = Project::indexed(&[("a.ts", "export const a = 1;\n")]);
    let stamp = fs::read_to_string(project.root().join(".mast/index.json")).unwrap();
    project.write(".mast/index.json", &stamp.replace("2.2.0", "9.0.0"));
    let before = state(&project);
    let commands: [&[&str]; 10] = [
        &["init", "--extensions", "ts"],
        &["init", "--no-index"],
        &["index"],
        &["index", "--incremental"],
        &["search", "a"],
        &["query", "mast_search", r#"{"query":5}"#],
        &["query", "mast_reindex", "{}"],
        &["metrics"],
        &["metrics", "--rollup"],
        &["metrics", "--vacuum"],
    ];
    for arguments in commands {
        let ran = project.mast(arguments);
        assert_ne!(ran.code, 0, "{arguments:?}: {}", ran.stdout);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    assert_eq!(project.mast(&["status"]).code, 1);
    assert_eq!(project.mast(&["prime"]).code, 0);
    assert_eq!(project.mast(&["serve"]).code, 0, "standard input is closed");
    let mut after = state(&project);
    after.retain(|path, _| !path.ends_with("serve.lock"));
    assert_eq!(after, before);
}

#[test]
fn what_cannot_be_read_is_named() {
    let damages: [(&str, &[u8], &str); 3] = [
        ("index.json", b"{", "index.json cannot be read: EOF"),
        (
            "graph.db",
            b"this is no database at all, whatever it was",
            "the database graph.db cannot be used (file is not a",
        ),
        ("graph.db", b"", "the database graph.db cannot be used (the database is missing)"),
    ];
    for (file, bytes, expected) in damages {
        let project = Project::indexed(&[("a.ts", "export const a = 1;\n")]);
        fs::write(project.root().join(".mast").join(file), bytes).unwrap();
        let (code, value) = status(&project);
        assert_eq!((code, &value["freshness_cause"]), (1, &json!("stamp_unreadable")));
        assert!(value["warnings"][0].as_str().unwrap().contains(expected), "{value}");
        assert!(project.mast(&["prime"]).stdout.contains(expected), "{expected}");
    }
}

#[test]
fn an_index_that_no_run_completed_is_there_and_not_fresh() {
    let project = Project::indexed(&[("a.ts", "export const a = 1;\n")]);
    fs::remove_file(project.root().join(".mast/index.json")).unwrap();
    let (code, value) = status(&project);
    assert_eq!((code, &value["index_fresh"], &value["last_indexed"]), (0, &json!(false), &Value::Null));
    assert!(project.mast(&["prime"]).stdout.contains("no run has completed (1 file)"));
    assert_eq!(project.mast(&["index", "--incremental"]).code, 0);
    assert_eq!(status(&project).1["index_fresh"], json!(true));
}
