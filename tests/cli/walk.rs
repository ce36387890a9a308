//! `mast walk`.

use crate::support::Project;

const DEFAULT_EXCLUDES: &str = "**/node_modules/** **/dist/** **/build/** **/coverage/** **/.next/** **/.turbo/** \
                                .mast/** **/*.test.ts **/*.spec.ts";

#[test]
fn a_project_without_configuration() {
    let project =
        Project::new(&[("a.ts", ""), ("src/b.ts", ""), ("src/deep/c.ts", ""), ("src/b.test.ts", "")]);
    project.mast(&["walk"]).printed(&format!(
        "project_root: {{ROOT}}\n\
         config: none (no mast.config.json in the project root)\n\
         file_extensions: .ts .tsx .js .jsx .md\n\
         exclude_patterns: {DEFAULT_EXCLUDES}\n\
         include_dot_dirs: none\n\
         respect_gitignore: true\n\
         include_ignored: none\n\
         left out by git's ignore rules: 0 files, 0 directories not entered\n\
         left out by exclude_patterns: 1 file, 0 directories not entered\n\
         3 files in 3 directories\n\
         1 .\n\
         1 src\n\
         1 src/deep\n"
    ));
    assert!(!project.exists(".mast"), "walk writes nothing");
}

#[test]
fn configured_and_rolled_up() {
    let project = Project::new(&[
        (
            "mast.config.json",
            r#"{ "include_dot_dirs": [".agents", ".agnets"], "exclude_patterns": ["out"] }"#,
        ),
        (".mast/config.json", r#"{ "file_extensions": [".ts"] }"#),
        (".gitignore", "gen/\nx.ts\n"),
        (".agents/a.ts", ""),
        ("gen/b.ts", ""),
        ("out/c.ts", ""),
        ("src/x.ts", ""),
        ("src/d.md", ""),
        ("src/e/f.ts", ""),
        ("src/e/g/h.ts", ""),
    ]);
    project.mast(&["walk", "--depth", "1"]).printed(
        "project_root: {ROOT}\n\
         config: {ROOT}/mast.config.json\n\
         saved config: {ROOT}/.mast/config.json (supplies any key mast.config.json does not set)\n\
         file_extensions: .ts\n\
         exclude_patterns: out\n\
         include_dot_dirs: .agents .agnets\n\
         ! .agnets: no directory of exactly this name under the project root. Check the spelling in include_dot_dirs, \
         including upper and lower case.\n\
         respect_gitignore: true\n\
         include_ignored: none\n\
         left out by git's ignore rules: 1 file, 1 directory not entered\n\
         left out by exclude_patterns: 0 files, 1 directory not entered\n\
         3 files in 2 directories\n\
         1 .agents\n\
         2 src\n",
    );
    let files = project.mast(&["walk", "--files"]).stdout;
    assert!(files.ends_with("3 files in 3 directories\n.agents/a.ts\nsrc/e/f.ts\nsrc/e/g/h.ts\n"), "{files}");
}

#[test]
fn as_json() {
    let project =
        Project::new(&[("src/a.ts", ""), ("mast.config.json", r#"{ "include_dot_dirs": [".x"] }"#)]);
    let ran = project.mast(&["walk", "--json", "--files"]);
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(value["project_root"], "{ROOT}");
    assert_eq!(value["files"], serde_json::json!(["src/a.ts"]));
    assert_eq!(value["directories"], serde_json::json!([{ "path": "src", "files": 1 }]));
    assert_eq!(value["saved_config"], serde_json::Value::Null);
    let dot = &value["include_dot_dirs"][0];
    assert_eq!((&dot["path"], &dot["files"]), (&".x".into(), &0.into()));
    assert!(dot["problem"].as_str().unwrap().starts_with("no directory of exactly this name"));
}

#[test]
fn what_walk_lists_is_what_status_calls_unindexed() {
    let project = Project::new(&[("a.ts", "export {};\n"), ("b.md", "# B\n"), ("c.py", "")]);
    let status = project.mast(&["status", "--json"]).stdout;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["stale_paths"]["unindexed"], serde_json::json!(["a.ts", "b.md"]));
}

#[cfg(unix)]
#[test]
fn the_reasons_a_dot_directory_contributes_nothing() {
    let project = Project::new(&[
        ("mast.config.json", r#"{ "include_dot_dirs": [".link", ".file", ".empty"] }"#),
        (".file", ""),
        (".empty/readme.txt", ""),
        ("real/a.ts", ""),
    ]);
    std::os::unix::fs::symlink("real", project.root().join(".link")).unwrap();
    let text = project.mast(&["walk"]).stdout;
    for line in [
        "! .link: a symbolic link, which mast does not follow. Name the directory it points to.\n",
        "! .file: a file. include_dot_dirs names directories.\n",
        "! .empty: nothing is walked below it: it holds no file with an indexed extension, or exclude_patterns or git's \
         ignore rules leave them out. A dot directory inside it needs its own entry.\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
}
