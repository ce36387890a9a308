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
    check(r#"{ "rrf_k": "many" }"#, "rrf_k: must be a whole number from 1 to 1000000, not a string");
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
        "cookie does not exist; if `cookie` is part of the query, use quotes: mast search \"parse cookie\"",
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
        &["search", " "],
        &["docs", "nothing"],
        &["metrics", "--since", "--json"],
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
fn a_number_that_is_no_such_number_is_told_its_range() {
    let project = Project::new(&[]);
    for (arguments, name, range) in [
        (&["search", "x", "-n"][..], "--limit <n>", "1 to 50"),
        (&["search", "x", "--limit"], "--limit <n>", "1 to 50"),
        (&["walk", "--depth"], "--depth <n>", "1 to 10000"),
        (&["metrics", "--keep-days"], "--keep-days <n>", "0 to 36500"),
    ] {
        for number in ["abc", "99999999999999999999999", "-1", "1.5", ""] {
            let arguments = [arguments, &[number]].concat();
            project.mast(&arguments).refused(
                2,
                &format!(
                    "invalid value '{number}' for '{name}': must be a whole number from {range}; try --help"
                ),
            );
        }
    }
    for window in ["-1d", "0d", "36501d", "99999999999999d", "7", "--json"] {
        project.mast(&["metrics", "--since", window]).refused(
            2,
            &format!(
                "invalid value '{window}' for '--since <window>': must be days, hours or minutes, like 7d, 24h or 30m, at \
                 most 36500d; try --help"
            ),
        );
    }
}

#[test]
fn a_value_of_a_flag_is_an_argument() {
    let project = Project::new(&[("a.ts", "")]);
    let unbalanced = "`a{b` has unbalanced `{` and `}` or too many alternatives; try --help";
    for (arguments, line) in [
        (
            &["init", "--exclude", "dist,a{b"][..],
            format!("invalid value 'dist,a{{b' for '--exclude <pattern,...>': {unbalanced}"),
        ),
        (&["search", "x", "-f", "a{b"], format!("invalid value 'a{{b' for '--file <glob>': {unbalanced}")),
        (
            &["init", "--extensions", "ts,*.js"],
            "invalid value '*.js' for '--extensions <ext,...>': \"*.js\" is not a file extension like \".ts\"; try --help"
                .to_owned(),
        ),
        (
            &["init", "--extensions", "py"],
            "invalid value 'py' for '--extensions <ext,...>': \"py\" is not a language mast reads; known are .ts .tsx .mts \
             .cts .js .jsx .mjs .cjs .md; try --help"
                .to_owned(),
        ),
    ] {
        project.mast(arguments).refused(2, &line);
    }
    assert!(!project.exists(".mast"), "nothing is written");
}

#[test]
fn a_file_is_no_state_directory() {
    let project = Project::new(&[("G.md", ""), ("a.ts", "")]);
    let line =
        "--state-dir: {ROOT}/G.md is not a directory; move it away, or name another place for the index";
    for command in [&["init"][..], &["index"], &["search", "x"], &["status"], &["metrics"], &["serve"]] {
        for place in ["G.md", "G.md/below"] {
            project.mast(&[command, &["--state-dir", place]].concat()).refused(1, line);
        }
    }
}

#[test]
fn a_line_on_standard_error_holds_no_control_character() {
    let project = Project::new(&[]);
    project.mast(&["index", "\u{1b}[2Jx"]).refused(1, "\\u{1b}[2Jx does not exist");
    let ran = project.mast(&["\u{1b}[2J"]);
    assert!(ran.code == 2 && !ran.stderr.contains('\u{1b}'), "{ran:?}");
    let ran = project.mast(&["index", "--nosuch"]);
    ran.refused(
        2,
        "unexpected argument '--nosuch' found; tip: to pass '--nosuch' as a value, use '-- --nosuch'; Usage: mast index \
         [OPTIONS] [path]; try --help",
    );
}

#[test]
fn a_stamp_that_is_no_stamp_is_said_to_be_that() {
    let project = Project::indexed(&[("a.ts", "export const a = 1;\n")]);
    let list = r#"["2.1.0", null, 1, 1, 0, 0, null]"#;
    for text in ["[]", list, "3", "null", "\"2.1.0\""] {
        project.write(".mast/index.json", text);
        project.mast(&["search", "a"]).refused(
            1,
            "index database: {ROOT}/.mast/index.json cannot be read: it holds no JSON object; run `mast index` to rebuild \
             the index",
        );
    }
    assert_eq!(project.mast(&["index"]).code, 0);
    assert_eq!(project.mast(&["search", "a"]).code, 0);
}

#[test]
fn a_stray_index_in_the_home_directory_stops_nobody() {
    let project = Project::new(&[("a.ts", "export const a = 1;\n"), (".git/HEAD", "")]);
    let above = project.root().parent().unwrap().to_owned();
    let above = above.to_str().unwrap();
    let home = [("HOME", above)];
    assert_eq!(project.mast_in("..", &["init", above, "--no-index"], &home).code, 0);
    let warning = format!(
        "mast: warning: {above}/.mast is passed over: {above} is the home directory, which is a project only when it is \
         named (--root {above})\n"
    );
    let ran = project.mast_in(".", &["index"], &home);
    assert_eq!((ran.code, &*ran.stderr), (0, &*warning), "{}", ran.stdout);
    // Its own index is found first from now on.
    let ran = project.mast_in(".", &["search", "a"], &home);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.starts_with("a.ts:1 a "), "{}", ran.stdout);
    project.mast_in("..", &["search", "a"], &home).refused(
        1,
        &format!(
            "{above}/.mast was found, but {above} is the home directory, which is a project only when it is named: use \
             --root {above}, or go to the directory of a project"
        ),
    );
    assert_eq!(project.mast_in("..", &["walk", "--root", above], &home).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let project = Project::new(&[]);
    let commands =
        [&["--help"][..], &["search", "--help"], &["query", "--help"], &["--version"], &["docs", "spec"]];
    for arguments in commands {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_mast"))
            .args(arguments)
            .current_dir(project.root())
            .stdout(full)
            .output()
            .unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(line.starts_with("mast: cannot write the answer: "), "{arguments:?}: {line}");
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
    assert_eq!(project.mast(&["help"]), project.mast(&["--help"]));
    for command in ["search", "query", "docs"] {
        assert_eq!(project.mast(&["help", command]), project.mast(&[command, "--help"]), "{command}");
    }
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
        "\nExample:\n  mast query mast_search '{\"query\":\"createUser\"}'\n",
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
