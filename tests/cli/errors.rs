//! Bad arguments and configurations: one line, the right exit code, nothing written.

use crate::support::Project;

/// Checks that every command that reads the configuration refuses this one in the same line.
#[track_caller]
fn check(config: &str, problem: &str) {
    let project = Project::new(&[("mast.config.json", config), ("a.ts", "")]);
    let commands: [&[&str]; 7] = [
        &["init"],
        &["index"],
        &["search", "x"],
        &["status"],
        &["walk"],
        &["query", "mast_status"],
        &["serve"],
    ];
    for command in commands {
        project.mast(command).refused(1, &format!("{{ROOT}}/mast.config.json: {problem}"));
    }
    assert!(!project.exists(".mast"), "nothing is written");
}

#[test]
fn a_configuration_that_cannot_be_used() {
    check(r#"{ "rrf_k": "many" }"#, "rrf_k: must be a whole number, not a string");
    check(
        r#"{ "include_dot_dirs": ["*"] }"#,
        "include_dot_dirs: \"*\" is a glob; name one directory, like \".github\"",
    );
    check(
        r#"{ "exclude_patterns": ["{a"] }"#,
        "exclude_patterns: `{a` has unbalanced `{` and `}` or too many alternatives",
    );
    check("[1]", "must hold one object, like { \"context_lines\": 5 }");
}

#[test]
fn invalid_json_names_the_place() {
    let project = Project::new(&[("mast.config.json", "{\n  \"rrf_k\": 60,\n  oops\n}\n")]);
    let ran = project.mast(&["index"]);
    assert_eq!((ran.code, &*ran.stdout), (1, ""));
    assert!(ran.stderr.starts_with("mast: {ROOT}/mast.config.json: not valid JSON: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("line 3"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);
}

#[test]
fn unknown_keys_warn_and_work_goes_on() {
    let project = Project::new(&[("mast.config.json", r#"{ "exclude": [] }"#), ("a.ts", "export {};\n")]);
    let ran = project.mast(&["walk"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.stderr,
        "mast: warning: {ROOT}/mast.config.json: exclude: unknown key, ignored (did you mean exclude_patterns?)\n"
    );
}

#[test]
fn paths_that_are_no_directory() {
    let project = Project::new(&[("a.ts", "")]);
    for command in [&["index", "gone"][..], &["init", "gone"], &["walk", "gone"]] {
        project.mast(command).refused(1, "gone does not exist");
    }
    project.mast(&["search", "parse", "cookie"]).refused(
        1,
        "cookie does not exist; if it is part of the query, use quotes: mast search \"parse cookie\"",
    );
    project
        .mast(&["search", "parse", "the", "cookie", "-n", "5"])
        .refused(2, "a query of several words needs quotes: mast search \"parse the cookie\"");
    project.mast(&["index", "a.ts"]).refused(1, "a.ts is not a directory");
    assert!(!project.exists("gone"));
}

#[test]
fn the_home_directory_is_refused_unless_named() {
    let project = Project::new(&[]);
    let home = project.root().parent().unwrap().join("home");
    let home = home.to_str().unwrap();
    let ran = project.mast_in("../home", &["index"], &[]);
    ran.refused(
        1,
        &format!("{home} is the home directory; to index it, name it as the project: `mast index {home}`"),
    );
    assert_eq!(project.mast(&["walk", home]).code, 0);
}

#[test]
fn bad_usage_is_one_line_and_exit_2() {
    let project = Project::new(&[]);
    for arguments in [
        &["frobnicate"][..],
        &["index", "--no-such-flag"],
        &["search"],
        &["search", "x", "-n", "0"],
        &["search", "x", "-n", "51"],
        &["search", "x", "--type", "klass"],
        &["search", "x", "--language", "rust"],
        &["walk", "--depth", "0"],
        &["walk", ".", "--root", "."],
        &["query"],
    ] {
        let ran = project.mast(arguments);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{arguments:?}");
        assert!(
            ran.stderr.starts_with("mast: ") && ran.stderr.lines().count() == 1,
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let project = Project::new(&[]);
    project.mast(&["--version"]).printed(&format!("mast {}\n", env!("CARGO_PKG_VERSION")));
    let help = project.mast(&["--help"]);
    assert!(help.code == 0 && help.stdout.contains("Examples:") && help.stderr.is_empty());
    let help = project.mast(&["search", "--help"]);
    assert!(help.code == 0 && help.stdout.contains("-n, --limit <n>"), "{}", help.stdout);
}

#[test]
fn the_help_of_query_tells_the_arguments_of_the_tools() {
    let project = Project::new(&[]);
    let all = project.mast(&["query", "--help"]);
    assert_eq!(all.code, 0);
    assert!(all.stdout.contains("--reindex"), "{}", all.stdout);
    for line in [
        "\n  mast_callers           symbol [file_path] [transitive] [include_potential] [limit]\n",
        "\n  mast_implementors      interface_name [file_path] [limit]\n",
        "\n  mast_status            \n",
    ] {
        assert!(all.stdout.contains(line), "{line}: {}", all.stdout);
    }
    let one = project.mast(&["query", "mast_search", "--help"]).stdout;
    for part in [
        "mast_search: Search code and docs\n\nFind code by name",
        "\n  query (string, required)\n      Words of natural language, or an identifier.\n",
        "\n  limit (integer, 1 to 50, default 10)\n",
        "\n  language (typescript | javascript | markdown)\n",
        "\n  only_exported (boolean, default false)\n",
        "\nExample:\n  mast query mast_search '{\"query\":\"…\"}'\n",
    ] {
        assert!(one.contains(part), "{part}: {one}");
    }
    let section = project.mast(&["query", "mast_section", "-h"]).stdout;
    assert!(
        section.contains(
            "\n  sections (list of { file_path, heading, start_line, end_line }, 1 to 20, required)\n"
        ),
        "{section}"
    );
}

#[test]
fn arguments_of_a_tool() {
    let project = Project::indexed(&[("a.ts", "export function er() { return 1; }\n")]);
    let refuse = |arguments: &[&str], code: i32, part: &str| {
        let ran = project.mast(arguments);
        assert_eq!((ran.code, &*ran.stdout), (code, ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("mast: ") && ran.stderr.contains(part), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1);
    };
    refuse(&["query", "mast_nope", "{}", "--json"], 1, "mast_callers");
    refuse(&["query", "mast_search", "{not json"], 2, "not valid JSON");
    refuse(&["query", "mast_search", "{\"query\":5}"], 2, "query");
    refuse(&["query", "mast_search", "{}"], 2, "query");
    refuse(&["query", "mast_search", "[]"], 2, "object");
    refuse(&["query", "mast_search", "{\"query\":\"x\",\"limt\":1}"], 2, "limt");
}

#[test]
fn commands_that_only_read_create_nothing() {
    let project = Project::new(&[("a.ts", "")]);
    for command in [&["search", "x"][..], &["status"], &["walk"], &["query", "mast_status"], &["metrics"]] {
        project.mast(command);
        assert!(!project.exists(".mast"), "{command:?}");
    }
}
