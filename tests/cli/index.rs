//! `mast init` and `mast index`.

use std::fs;

use crate::support::Project;

#[test]
fn init_saves_the_configuration_and_indexes() {
    let project = Project::new(&[("a.ts", "export const a = 1;\n"), ("b.js", "export const b = 1;\n")]);
    let ran = project.mast(&["init", "--extensions", "ts,.md", "--exclude", "**/x.{a,b}.ts,out"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let mut lines = ran.stdout.lines();
    assert_eq!(lines.next(), Some("initialised {ROOT} (index in {ROOT}/.mast)"));
    let report = lines.next().unwrap();
    assert!(report.starts_with("1 file indexed, 0 unchanged, "), "{report}");
    let saved = fs::read_to_string(project.root().join(".mast/config.json")).unwrap();
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved["file_extensions"], serde_json::json!([".ts", ".md"]));
    assert_eq!(saved["exclude_patterns"], serde_json::json!(["**/x.{a,b}.ts", "out"]));
    assert_eq!(saved["project_root"], project.root().to_str().unwrap());
}

#[test]
fn init_without_index() {
    let project = Project::new(&[("a.ts", "")]);
    project
        .mast(&["init", "--no-index"])
        .printed("initialised {ROOT} (index in {ROOT}/.mast)\nnothing is indexed yet; run `mast index`\n");
    assert!(project.exists(".mast/config.json"));
    assert_eq!(project.mast(&["status"]).code, 1);
}

#[test]
fn init_says_what_was_left_out() {
    let project = Project::new(&[
        ("a.ts", "export const a = 1;\n"),
        ("a.test.ts", ""),
        ("b.spec.ts", ""),
        ("dist/a.js", ""),
        (".gitignore", "/made.ts\n"),
        ("made.ts", ""),
    ]);
    let last = |ran: crate::support::Ran| {
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        ran.stdout.lines().last().unwrap().to_owned()
    };
    assert_eq!(
        last(project.mast(&["init"])),
        "left out: 2 files and 1 directory by exclude_patterns, 1 file by git's ignore rules; `mast walk` shows the rules"
    );
    let all = last(project.mast(&["init", "--exclude", ".mast/**", "--extensions", "js"]));
    assert!(all.starts_with("1 file indexed, "), "nothing is left out, nothing is said of it: {all}");
}

#[test]
fn init_advises_to_keep_the_index_out_of_git() {
    let project = Project::new(&[("app/a.ts", "")]);
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(project.root()).status();
    assert!(git.unwrap().success());
    let told = |arguments: &[&str]| project.mast_in("app", arguments, &[]).stderr;
    assert_eq!(
        told(&["init"]),
        "mast: git does not ignore the index: add the line `/.mast/` to .gitignore\n"
    );
    assert_eq!(
        told(&["init", "--state-dir", "cache/idx"]),
        "mast: git does not ignore the index: add the line `/cache/idx/` to .gitignore\n"
    );
    project.write("app/.gitignore", "/.mast/\n");
    assert_eq!(told(&["init"]), "");
    let outside = project.root().parent().unwrap().join("index");
    assert_eq!(told(&["init", "--state-dir", outside.to_str().unwrap()]), "");
}

#[test]
fn index_does_not_save_the_configuration() {
    let project = Project::indexed(&[("a.ts", "export const a = 1;\n")]);
    assert!(!project.exists(".mast/config.json"));
}

#[test]
fn incremental_runs_touch_what_changed() {
    let project = Project::indexed(&[("a.ts", "export const a = 1;\n"), ("b.ts", "export const b = 1;\n")]);
    let report = project.mast(&["index", "--incremental"]).stdout;
    assert!(report.starts_with("0 files indexed, 2 unchanged, "), "{report}");
    project.write("a.ts", "export const a = 22;\n");
    fs::remove_file(project.root().join("b.ts")).unwrap();
    let report = project.mast(&["index", "--incremental"]).stdout;
    assert!(report.starts_with("1 file indexed, 0 unchanged, 1 removed, "), "{report}");
}

#[test]
fn what_is_not_source_is_named_and_no_failure() {
    let qt = "<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS version=\"2.1\"></TS>\n";
    let project = Project::new(&[("i18n/fi.ts", qt), ("a.ts", "export const a = 1;\n")]);
    let ran = project.mast(&["index"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stderr, "mast: i18n/fi.ts: a Qt Linguist translation file, not source text\n");
}

#[test]
fn progress_lines_on_request() {
    let project = Project::new(&[("a.ts", "export const a = 1;\n")]);
    let ran = project.mast(&["index", "--show-progress"]);
    assert!(ran.stderr.contains("mast: indexing 1 of 1 files\n"), "{}", ran.stderr);
    assert_eq!(project.mast(&["index"]).stderr, "");
}

#[test]
fn a_subdirectory_indexes_its_project() {
    let project = Project::new(&[("mast.config.json", "{}"), ("src/a.ts", "export const a = 1;\n")]);
    let ran = project.mast_in("src", &["index"], &[]);
    assert_eq!(
        (ran.code, &*ran.stderr),
        (0, "mast: using project root {ROOT} (it holds mast.config.json)\n")
    );
    assert!(project.exists(".mast/graph.db") && !project.exists("src/.mast"));
}
