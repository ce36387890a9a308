//! `mast search` as text and as JSON.

use std::fmt::Write;
use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Project, Ran};

const SOURCE: &str = "/** Semver compare, prerelease-aware. */\n\
                      export function compareVersions(a: string, b: string): number {\n  \
                      return a < b ? -1 : 1;\n\
                      }\n";

/// The answer without its last line, and that line.
fn split(stdout: &str) -> (&str, &str) {
    let at = stdout.trim_end().rfind('\n').unwrap();
    (&stdout[..=at], stdout[at + 1..].trim_end())
}

#[test]
fn a_hit_is_the_declaration() {
    let project = Project::indexed(&[("src/upgrade.ts", SOURCE)]);
    let ran = project.mast(&["search", "compareVersions", "-n", "1"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let (text, savings) = split(&ran.stdout);
    assert_eq!(
        text,
        "src/upgrade.ts:2 compareVersions function (exported)\n  \
         /** Semver compare, prerelease-aware. */\n  \
         export function compareVersions(a: string, b: string): number {\n    \
         return a < b ? -1 : 1;\n  \
         }\n\n"
    );
    // One small file: the answer's JSON is longer than the file, and the line says so.
    let numbers: Vec<u64> =
        savings.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    let [returned, whole, percent] = numbers[..] else { panic!("{savings}") };
    assert!(returned > whole, "{savings}");
    let expected = format!("{returned} tokens returned vs {whole} to read the files whole — {percent}% more");
    assert_eq!(savings, expected);
}

#[test]
fn a_changed_file_is_marked() {
    let project = Project::indexed(&[("src/a.ts", "export function alphaFunction() {}\n")]);
    project.write("src/a.ts", "// moved\nexport function alphaFunction() {}\n");
    let ran = project.mast(&["search", "alphaFunction"]);
    let expected = "! 1 of 1 results is from files that changed since indexing —\n  \
                    the code shown below may be out of date. Run `mast index` to refresh.\n\n\
                    src/a.ts:1 alphaFunction function (exported) [STALE]\n  \
                    export function alphaFunction() {}\n\n";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);

    let ran = project.mast(&["search", "alphaFunction", "--reindex"]);
    assert!(ran.stdout.starts_with("src/a.ts:2 alphaFunction function (exported)\n"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("mast: reindexed: 1 file indexed, 0 unchanged, "), "{}", ran.stderr);
}

#[test]
fn nothing_found_is_not_nothing_there() {
    let project = Project::indexed(&[("src/user.ts", "export function resolveUserName() { return 1; }\n")]);
    project.mast(&["search", "zzzzqqqq"]).printed(
        "no matches (mast indexes TypeScript, JavaScript, and Markdown only, and skips dot\n\
         directories unless include_dot_dirs names them — a symbol anywhere else is\n\
         invisible to it, not absent from the repo)\n\
         exclude_patterns (test files, unless configured) and git's ignore rules keep files\n\
         out as well; `mast walk` shows what is left.\n",
    );
    let near = project.mast(&["search", "resolveUsrName"]).stdout;
    assert!(near.contains("\ndid you mean resolveUserName (src/user.ts)?\n"), "{near}");
}

#[test]
fn nothing_indexed_says_so() {
    let project = Project::new(&[("a.ts", "export const a = 1;\n")]);
    let ran = project.mast(&["search", "anything"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.stdout,
        "nothing is indexed at this path — this is not evidence the symbol is absent.\n\
         run `mast index` first, or check `mast status` for the path being used.\n"
    );
    let ran = project.mast(&["search", "anything", "--json"]);
    ran.refused(1, "no index in {ROOT}/.mast; run `mast index` first");
}

#[test]
fn a_second_word_that_is_a_directory_may_be_part_of_the_query() {
    let project = Project::indexed(&[("src/a.ts", "export const a = 1;\n")]);
    let ran = project.mast(&["search", "create", "src"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("nothing is indexed at this path — "), "{}", ran.stdout);
    let hint = "if `src` is part of the query, use quotes: mast search \"create src\"";
    assert_eq!(ran.stderr, format!("mast: {hint}\n"));
    project
        .mast(&["search", "create", "src", "--json"])
        .refused(1, &format!("no index in {{ROOT}}/src/.mast; run `mast index` first; {hint}"));
    for path in [".", "../src"] {
        let ran = project.mast_in("src", &["search", "create", path], &[]);
        assert_eq!((ran.code, &*ran.stderr), (1, ""), "a path and no word");
    }
}

#[test]
fn a_first_build_that_died_before_it_wrote_is_no_index() {
    let project = Project::indexed(&[]);
    project.mast(&["search", "anything"]).printed(
        "nothing is indexed at this path — this is not evidence the symbol is absent.\n\
         run `mast index` first, or check `mast status` for the path being used.\n",
    );
    fs::remove_file(project.root().join(".mast/index.json")).unwrap();
    for command in [&["search", "x", "--json"][..], &["query", "mast_callers", r#"{"symbol":"x"}"#]] {
        project.mast(command).refused(1, "no index in {ROOT}/.mast; run `mast index` first");
    }
    assert_eq!(project.mast(&["search", "x"]).code, 1);
    assert_eq!(project.mast(&["status"]).code, 1);
}

#[test]
fn a_blank_query_is_no_query() {
    let project = Project::indexed(&[("a.ts", "export const a = 1;\n")]);
    for query in ["", "   ", "\n"] {
        let shown = if query == "\n" { " " } else { query };
        project
            .mast(&["search", query])
            .refused(2, &format!("invalid value '{shown}' for '<query>': must not be empty; try --help"));
    }
}

#[test]
fn a_score_of_nothing_has_no_sign() {
    let project = Project::indexed(&[("a.ts", "export const only = 1;\n")]);
    let answer = project.mast(&["search", "only", "--json"]).stdout;
    assert!(answer.contains("\"match_score\":0.0,"), "{answer}");
}

#[test]
fn a_file_that_is_not_indexed_yet_is_announced() {
    let project = Project::indexed(&[("a.ts", "export function known() {}\n")]);
    project.write("b.ts", "export function unknown() {}\n");
    let ran = project.mast(&["search", "known"]);
    assert!(
        ran.stdout
            .starts_with("! 1 file on disk not indexed yet — run `mast index` to find what is in there.\n\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn filters_narrow_the_answer() {
    let project = Project::indexed(&[
        ("src/a.ts", "export class Greeter { greet() { return 1; } }\nfunction greet() {}\n"),
        ("lib/b.js", "function greet() {}\n"),
    ]);
    let heads = |arguments: &[&str]| -> Vec<String> {
        let ran = project.mast(&[&["search", "greet"], arguments].concat());
        ran.stdout.lines().filter(|line| line.starts_with(['s', 'l'])).map(str::to_owned).collect()
    };
    assert_eq!(heads(&["--file", "lib/**"]), ["lib/b.js:1 greet function"]);
    assert_eq!(heads(&["-t", "method", "-e"]), ["src/a.ts:1 Greeter.greet method (exported)"]);
    assert_eq!(heads(&["-l", "javascript"]), ["lib/b.js:1 greet function"]);
}

#[test]
fn json_is_what_query_gives() {
    let project = Project::indexed(&[("src/upgrade.ts", SOURCE)]);
    let stable = |ran: Ran| -> serde_json::Value {
        assert_eq!(ran.stdout.lines().count(), 1);
        let mut value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        value["_stats"]["duration_ms"] = 0.into();
        value
    };
    let search = stable(project.mast(&["search", "compareVersions", "--json"]));
    let query = stable(project.mast(&["query", "mast_search", r#"{"query":"compareVersions"}"#, "--json"]));
    assert_eq!(search, query);
    assert_eq!(search["results"][0]["symbol_name"], "compareVersions");
}

#[test]
fn a_root_that_was_found_is_named() {
    let project = Project::indexed(&[("src/upgrade.ts", SOURCE), ("mast.config.json", "{}")]);
    let ran = project.mast_in("src", &["search", "compareVersions"], &[]);
    assert!(ran.stdout.starts_with("src/upgrade.ts:2 compareVersions"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "mast: using project root {ROOT} (it holds mast.config.json)\n");
    let ran = project.mast_in("src", &["search", "compareVersions", ".."], &[]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut many = String::new();
    for i in 0..2_000 {
        writeln!(many, "export function thing{i}() {{ return {i}; }}").unwrap();
    }
    let project = Project::indexed(&[("a.ts", &many)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_mast"))
        .args(["search", "thing", "-n", "50"])
        .current_dir(project.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn another_state_directory() {
    let project = Project::new(&[("src/upgrade.ts", SOURCE)]);
    let elsewhere = project.root().join("../state").to_str().unwrap().to_owned();
    assert_eq!(project.mast(&["index", "--state-dir", &elsewhere]).code, 0);
    assert!(!project.exists(".mast"));
    assert!(fs::exists(project.root().join("../state/graph.db")).unwrap());
    let ran = project.mast_in(".", &["search", "compareVersions"], &[("MAST_STATE_DIR", &elsewhere)]);
    assert!(ran.stdout.starts_with("src/upgrade.ts:2 compareVersions"), "{}", ran.stdout);
}

#[test]
fn a_reindex_that_finds_the_index_busy_is_a_warning() {
    let project = Project::indexed(&[("src/upgrade.ts", SOURCE)]);
    let lock = fs::File::options().write(true).open(project.root().join(".mast/structure.lock")).unwrap();
    lock.lock().unwrap();
    let ran = project.mast(&["search", "compareVersions", "--reindex"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("src/upgrade.ts:2 compareVersions"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("mast: warning: not reindexed: "), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("; answering from the index there is\n"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);

    let ran = project.mast(&["index"]);
    assert_eq!((ran.code, &*ran.stdout, ran.stderr.lines().count()), (1, "", 1), "{}", ran.stderr);
}
