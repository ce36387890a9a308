//! Searches over small projects, from files to hits.

use std::fs;

use super::*;
use crate::engine::{Engine, OpenOptions};
use crate::glob::Globs;
use crate::index::RunRequest;
use crate::task::CallContext;

const SETTINGS: Settings = Settings { rrf_k: 60, declaration_exact_ranker: true, context_lines: 3 };

struct Project {
    _dir: tempfile::TempDir,
    engine: Engine,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let state_dir = Some(dir.path().join("state"));
        let engine = Engine::open(OpenOptions { root: Some(root), state_dir }).unwrap();
        let request = RunRequest {
            full: true,
            operation: "index",
            patience: std::time::Duration::ZERO,
            link_budget: None,
        };
        engine.index(&request, &CallContext::default()).unwrap();
        Self { _dir: dir, engine }
    }

    fn ask(&self, query: &Query) -> Hits {
        run(&self.engine.snapshot().unwrap(), &SETTINGS, query).unwrap()
    }

    /// `path name` of each hit.
    fn search(&self, text: &str) -> Vec<String> {
        shown(&self.ask(&query(text)))
    }
}

fn query(text: &str) -> Query {
    Query { text: text.to_owned(), limit: 50, ..Query::default() }
}

fn shown(hits: &Hits) -> Vec<String> {
    let name = |hit: &Hit| hit.symbol_name.clone().unwrap_or_default();
    hits.hits.iter().map(|hit| format!("{} {}", hit.path, name(hit)).trim_end().to_owned()).collect()
}

#[test]
fn nothing_in_a_query_is_syntax() {
    let project = Project::new(&[
        (
            "src/find-user.ts",
            "/** Looks up a user-account by e-mail AND id. */\nexport function findUser(id: string) { return id; }\n\
             // NEAR(the \"edge\") of a*b:c and ^d -e\nexport const q1 = \"don't panic\";\n",
        ),
        (
            "src/other.ts",
            "export const AND = 1;\nexport function NEAR() { return AND; }\nexport const $store = { a: 1 };\n",
        ),
    ]);
    for text in [
        "user-account",
        "e-mail AND id",
        "NEAR(",
        "\"edge\"",
        "a*b:c",
        "don't panic",
        "^d -e",
        "body:findUser",
    ] {
        let found = project.search(text);
        assert!(found.iter().any(|hit| hit.starts_with("src/find-user.ts")), "{text}: {found:?}");
    }
    assert_eq!(project.search("AND")[0], "src/other.ts AND");
    assert_eq!(project.search("$store")[0], "src/other.ts $store");
    for text in ["\"unbalanced", "(((((((", "~", " \n", "'\"`"] {
        assert_eq!(project.search(text), [""; 0], "{text}");
    }
    assert_eq!(project.search(" ^ ").len(), 1, "read from the texts, which hold one");
}

#[test]
fn short_words_count() {
    let project = Project::new(&[
        (
            "src/id.ts",
            "export const id = (x: number) => x;\nexport function $(s: string) { return s; }\n\
             export function ok() { return id(1); }\n",
        ),
        (
            "src/q.ts",
            "export function quickSort() { return \"quick sort algorithm zz\"; }\n\
             export function quickPick() { return \"quick pick algorithm\"; }\n",
        ),
    ]);
    assert_eq!(project.search("id")[0], "src/id.ts id");
    assert_eq!(project.search("$")[0], "src/id.ts $");
    assert_eq!(project.search("ok")[0], "src/id.ts ok");
    assert_eq!(project.search("quick zz")[0], "src/q.ts quickSort");
}

#[test]
fn scripts_without_spaces() {
    let project = Project::new(&[
        (
            "src/部署.ts",
            "// 部署方案：先重跑gen-itgc后上线\nexport function 部署サーバー() { return \"修复已验证\"; }\nexport const größe = 1;\n",
        ),
        ("README.md", "# 概要\n\nこのツールは検索します。\n\n## 使い方\n\n部署手順を見る。\n"),
    ]);
    for text in ["部署サーバー", "已验证"] {
        assert_eq!(project.search(text)[0], "src/部署.ts 部署サーバー", "{text}");
    }
    assert!(project.search("itgc")[0].starts_with("src/部署.ts"));
    assert!(project.search("größe")[0].starts_with("src/部署.ts"));
    assert!(project.search("検索します")[0].starts_with("README.md"));
    assert_eq!(project.search("署部"), [""; 0], "neighbours in this order only");
}

#[test]
fn names_come_first() {
    let project = Project::new(&[
        ("docs/compose.md", "# compose\n\ncompose compose compose compose\n"),
        ("src/a.ts", "export function uses() { compose(); compose(); return compose; }\n"),
        ("src/compose.ts", "export const compose = () => 1;\nexport function compareVersions() {}\n"),
        ("src/table.ts", "export class Table { compose() { return 1; } }\n"),
        ("src/case.ts", "export const MAX_RETRY_COUNT = 3;\n"),
    ]);
    assert_eq!(project.search("compose")[0], "src/compose.ts compose");
    assert_eq!(project.search("COMPOSE")[0], "src/compose.ts compose");
    assert_eq!(project.search("Table.compose")[0], "src/table.ts Table.compose");
    assert_eq!(project.search("Table#compose")[0], "src/table.ts Table.compose");
    for text in ["compare versions", "compareVersions", "compare-versions", "compare_versions", "compareVer"]
    {
        assert_eq!(project.search(text)[0], "src/compose.ts compareVersions", "{text}");
    }
    for text in ["max retry count", "maxRetryCount", "MAX_RETRY"] {
        assert_eq!(project.search(text)[0], "src/case.ts MAX_RETRY_COUNT", "{text}");
    }
}

#[test]
fn the_name_ranker_can_be_switched_off() {
    let project = Project::new(&[("a.ts", "export function alpha() { return 1; }\n")]);
    let settings = Settings { declaration_exact_ranker: false, ..SETTINGS };
    let hits = run(&project.engine.snapshot().unwrap(), &settings, &query("alpha")).unwrap();
    assert_eq!(shown(&hits), ["a.ts alpha"]);
    assert!(hits.hits[0].score.is_some_and(|score| score < 0.0));
}

#[test]
fn scope_holds_for_both_rankers() {
    let files: Vec<(String, String)> = [
        "alpha/a.ts",
        "beta/b.ts",
        "beta/nested/c.ts",
        "beta/my_file.ts",
        "beta/myXfile.ts",
        "beta/plain.js",
    ]
    .iter()
    .map(|path| ((*path).to_owned(), "export function target() { return 1; }\n".to_owned()))
    .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&files);
    let paths = |pattern: Option<&str>, language| {
        let files = pattern.map(|pattern| Globs::new([pattern]).unwrap());
        let hits = project.ask(&Query { language, files, ..query("target") });
        let mut paths: Vec<String> = hits.hits.iter().map(|hit| hit.path.to_string()).collect();
        paths.sort();
        paths.join(" ")
    };
    assert_eq!(paths(Some("alpha/**"), None), "alpha/a.ts");
    assert_eq!(paths(Some("beta/*.ts"), None), "beta/b.ts beta/myXfile.ts beta/my_file.ts");
    assert_eq!(paths(Some("beta/my_file.ts"), None), "beta/my_file.ts");
    assert_eq!(paths(Some("ALPHA/**"), None), "");
    assert_eq!(paths(None, Some("javascript")), "beta/plain.js");
    assert_eq!(paths(Some("beta/**"), Some("markdown")), "");
}

#[test]
fn filters_and_what_is_left_out() {
    let project = Project::new(&[(
        "src/x.ts",
        "export class Svc { private secretRun() { return 1; } publicRun() { return this.secretRun(); } }\n\
         class Local { localRun() { return 1; } }\nvoid Local;\n",
    )]);
    let run = query("Run");
    let methods =
        shown(&project.ask(&Query { kind: Some(ChunkKind::Method), only_exported: true, ..run.clone() }));
    assert_eq!(methods, ["src/x.ts Svc.publicRun"]);
    let hits = project.ask(&query("publicRun"));
    assert_eq!(shown(&hits)[0], "src/x.ts Svc.publicRun");
    let related = hits.hits[0].related.as_ref().unwrap();
    assert_eq!(
        (related.symbol_name.as_str(), related.kind, related.start_line),
        ("Svc", ChunkKind::ClassShell, 1)
    );
    assert!(!shown(&hits).contains(&"src/x.ts Svc".to_owned()));
}

#[test]
fn one_part_of_a_long_declaration() {
    let mut text = String::from("export function longOne() {\n");
    for line in 0..250 {
        text.push_str(&format!("  const v{line} = \"zqline{line}\";\n"));
    }
    text.push_str("}\n");
    let project = Project::new(&[("src/long.ts", &text)]);
    for (word, line) in [("zqline0", 2), ("zqline125", 127), ("zqline249", 251)] {
        let hits = project.ask(&query(word));
        assert_eq!(shown(&hits), ["src/long.ts longOne"], "{word}");
        assert!(hits.hits[0].lines.contains(line), "{word}: {:?}", hits.hits[0].lines);
        assert!(hits.hits[0].snippet.contains(&format!("**{word}**")), "{}", hits.hits[0].snippet);
    }
    assert_eq!(project.search("const"), ["src/long.ts longOne"], "however many parts match");
}

#[test]
fn an_empty_answer_says_what_is_near() {
    let project = Project::new(&[("src/user.ts", "export function resolveUserName() { return 1; }\n")]);
    let typo = project.ask(&query("resolveUsrName"));
    assert_eq!(typo.hits, []);
    let near = typo.suggestions.unwrap();
    assert_eq!(
        (near[0].name.as_str(), near[0].path.as_str(), near[0].line),
        ("resolveUserName", "src/user.ts", 1)
    );
    assert_eq!(project.ask(&query("zzzzqqqq")).suggestions, Some(Vec::new()));
    assert_eq!(project.ask(&query("resolveUserName")).suggestions, None);
}

#[test]
fn parts_of_words_stand_in() {
    let project = Project::new(&[
        ("a.ts", "export function deserialize(serverless: string) { return serverless; }\n"),
        ("b.ts", "export function other() { return 1; }\n"),
    ]);
    assert_eq!(project.search("serial"), ["a.ts deserialize"]);
    assert_eq!(project.search("verles"), ["a.ts deserialize"]);
    assert_eq!(project.search("server quux"), ["a.ts deserialize"]);
}

#[test]
fn equal_matches_are_in_order_of_path() {
    let files: Vec<(String, String)> = (0..24)
        .map(|n| {
            (format!("src/m{:02}.ts", (n * 7) % 24), "export function common() { return 1; }\n".to_owned())
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = Project::new(&files).search("common");
    let expected: Vec<String> = (0..24).map(|n| format!("src/m{n:02}.ts common")).collect();
    assert_eq!(found, expected);
}

#[test]
fn long_queries_are_answered() {
    let project = Project::new(&[("a.ts", "export function needleFn() { return \"term1 term59\"; }\n")]);
    let long: String = (0..600).map(|n| format!("term{n} ")).collect();
    assert_eq!(project.search(&long), ["a.ts needleFn"]);
    assert_eq!(project.search(&"x".repeat(50_000)), [""; 0]);
    assert_eq!(project.search("needleFn\nneedleFn\tneedleFn"), ["a.ts needleFn"]);
}

#[test]
fn what_an_identifier_begins_comes_before_what_holds_its_words() {
    let project = Project::new(&[
        (
            "a.ts",
            "/** Read event: how to read an event. */\nexport function readEventStream() {}\n\
             /** Read the event, read event. */\nexport function event(read: number) { return read; }\n",
        ),
        ("z.ts", "export function readEventLine() {}\n"),
    ]);
    assert_eq!(project.search("readEvent"), ["z.ts readEventLine", "a.ts readEventStream", "a.ts event"]);
}

#[test]
fn a_name_in_a_sentence_does_not_displace_what_the_sentence_is_about() {
    let project = Project::new(&[(
        "a.ts",
        "export class UrlParser { parse() {} }\n\n\
         /** Rejects a port that UrlParser cannot express, before the guard runs. */\nexport function checkPort() {}\n\n\
         export const unrelated = () => new UrlParser();\n",
    )]);
    let about = project.search("rejects a port that UrlParser cannot express before the guard runs");
    assert_eq!(about[..2], ["a.ts checkPort", "a.ts UrlParser"]);
    assert_eq!(project.search("how does UrlParser work")[0], "a.ts UrlParser");
    assert_eq!(project.search("UrlParser")[0], "a.ts UrlParser");
}

#[test]
fn a_query_of_signs_says_what_was_not_read() {
    let project = Project::new(&[
        ("a.ts", "const a = () => 1;\n"),
        ("b.ts", "const b = 2;\n"),
        ("c.ts", "const c = () => 3;\n"),
    ]);
    let snapshot = project.engine.snapshot().unwrap();
    let found = |budget| {
        let (chunks, unread) = literal::find(&snapshot, "=>", &Scope::Everything, 9, budget).unwrap();
        (chunks.len(), unread)
    };
    assert_eq!(found(literal::MAX_BYTES), (2, 0));
    assert_eq!(found(20), (1, 1), "19 and 13 bytes are read");
    assert_eq!(project.ask(&query("=>")).unread_files, 0);
    assert_eq!(project.search("=>"), ["a.ts a", "c.ts c"]);
}
