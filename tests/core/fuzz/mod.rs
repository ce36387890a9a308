//! Arbitrary bytes wherever bytes come from outside: never a panic, a hang or an overflowing stack, always an error of one
//! line or a file that is counted.

pub(crate) mod mutate;

use std::fs;
use std::path::Path;

use mast_core::config::{Config, ConfigLayer, ConfigRequest, Environment, RootChoice};
use mast_core::index::RunRequest;
use mast_core::language::{ExtractOptions, extract};
use mast_core::model::{FileStamp, Language, RepoPath, SourceFile};
use mast_core::{CallContext, Engine, Error, ErrorCode, OpenOptions};
use mutate::{Corpus, fuzz};

const SOURCES: [&str; 6] = [
    "import { a as b, type C } from './m';\nexport * from 'x';\nexport default class D<T extends C = C> extends b(C) implements C {\n  \
     #p = 1; static { this.q = 2; }\n  get v(): T { return this.#p as unknown as T; }\n  constructor(private readonly x: number) { super(); }\n  \
     async *gen(...r: [string, ...number[]]) { for await (const y of r) yield* y; }\n}\n",
    "export const f = <T,>(x: T): x is NonNullable<T> => x != null;\nfunction over(a: string): void;\nfunction over(a: any) { return a?.b![0]`t${a}`; }\n\
     export namespace N.M { export enum E { A = 1 << 2, B = 'b' } declare module 'm' { let z: typeof f; } }\n",
    "type Deep<T> = T extends [infer H, ...infer R] ? { [K in keyof H as `get${K & string}`]-?: Deep<R> } : never;\n\
     abstract class Q { abstract m(): asserts this is Q; declare d: unique symbol; accessor z = 1; @dec() w(@p() i) {} }\nusing r = open();\n",
    "export const V = () => <A.B {...p} c={<>{x ? <d/> : 'e'}</>} f=\"g\">text &amp; {/* h */}</A.B>;\n",
    "module.exports = { a, b() {}, get c() { return require('./d'); }, [e]: async () => {} };\nlabel: for (;;) { break label; }\nvar g = /[/]\\/(?<n>x)/gu;\n",
    "---\nt: 1\n---\n# A\n\nSetext\n===\n\n```ts\n# no\n```\n\n- a\n  > b\n\n<div>\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n## C [d](e \"f\")\n",
];

const SOURCE_WORDS: [&str; 44] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "`",
    "${",
    "'",
    "\"",
    "/*",
    "*/",
    "//",
    "/",
    "=>",
    "?.",
    "!",
    "...",
    "class A {",
    "function f(",
    "export ",
    "import ",
    "type X = ",
    "<a>",
    "</a>",
    "@d ",
    "async ",
    "await ",
    "yield ",
    "#",
    "# ",
    "```\n",
    "> ",
    "- ",
    "\n",
    "\r\n",
    "\u{0}",
    "\u{feff}",
    "\u{2028}",
    "é",
    "😀",
    "x = y\n",
];

const SOURCE: Corpus<'_> = Corpus { seeds: &SOURCES, words: &SOURCE_WORDS };

const JSON_WORDS: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\u0000",
    "\\ud800",
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551616",
    "0.5",
    "//",
    "/*",
    "..",
    "../../etc/passwd",
    "**/",
    "{a,b}",
    "\u{0}",
    "é",
    "%_",
];

const CONFIGS: [&str; 4] = [
    r#"{ "file_extensions": [".ts", ".mts"], "exclude_patterns": ["**/dist/**", "{a,b}/*?"], "include_dot_dirs": [".github"] }"#,
    r#"{ "rrf_k": 60, "chunk_split_threshold": 100, "context_lines": 3, "markdown_heading_depth": 2, "declaration_exact_ranker": true }"#,
    "// words\n{ \"state_dir\": \".mast\", \"respect_gitignore\": false, \"include_ignored\": [\"gen/**\"], }\n",
    r#"{ "$schema": "x", "exclude": [] }"#,
];

/// One line that says something.
#[track_caller]
fn check_error(error: &Error) {
    let line = error.to_string();
    assert!(!line.is_empty() && !line.contains(char::is_control), "{line:?}");
    assert_ne!(error.code(), ErrorCode::Internal, "{line}");
}

fn config(root: &Path) -> Result<Config, Error> {
    let request = ConfigRequest {
        root: RootChoice::Explicit(root.into()),
        state_dir: Some(root.join(".mast")),
        layer: ConfigLayer::default(),
    };
    Config::load(&request, &Environment { working_directory: root.into(), ..Environment::default() })
}

fn open(root: &Path) -> Engine {
    Engine::open(OpenOptions { root: Some(root.into()), state_dir: Some(root.join(".mast")) }).unwrap()
}

fn index(engine: &Engine) -> Result<(), Error> {
    let request = RunRequest {
        full: false,
        operation: "test",
        patience: std::time::Duration::from_secs(5),
        link_budget: None,
    };
    let report = engine.index(&request, &CallContext::default())?;
    assert_eq!((report.write_errors, report.pending_links), (0, 0), "{:?}", report.troubles);
    Ok(())
}

/// Asks everything a tool can be asked about a small project.
fn ask(engine: &Engine) {
    let questions = [
        ("mast_search", r#"{"query":"D gen"}"#),
        ("mast_signature", r#"{"symbol":"D"}"#),
        ("mast_callers", r#"{"symbol":"f","transitive":true}"#),
        ("mast_exports", r#"{"file_path":"a.ts"}"#),
        ("mast_dependencies", r#"{"file_path":"a.ts"}"#),
        ("mast_implementors", r#"{"interface_name":"C"}"#),
        ("mast_rename_impact", r#"{"symbol":"f"}"#),
        ("mast_project_skeleton", "{}"),
        ("mast_status", "{}"),
        ("mast_efficiency", r#"{"scope":"global"}"#),
        ("mast_outline", r#"{"paths":["d.md"]}"#),
    ];
    for (tool, arguments) in questions {
        let arguments = serde_json::from_str(arguments).unwrap();
        if let Err(error) = engine.call(tool, arguments, &CallContext::default()) {
            check_error(&error);
        }
    }
}

fn write_sources(root: &Path) {
    for (name, at) in [("a.ts", 0), ("b.ts", 1), ("c.tsx", 3), ("e.js", 4), ("d.md", 5)] {
        fs::write(root.join(name), SOURCES[at]).unwrap();
    }
}

#[test]
fn arbitrary_sources_are_extracted() {
    let files = ["a.ts", "a.tsx", "a.js", "a.d.ts", "a.md"];
    fuzz("source", &SOURCE, &mut |input, random| {
        let name = files[random.below(files.len())];
        let text = String::from_utf8_lossy(input).into_owned();
        let length = text.len();
        let file = SourceFile {
            path: RepoPath::new(name).unwrap(),
            language: Language::of(name).unwrap(),
            stamp: FileStamp::default(),
            text,
        };
        let facts = extract(&file, &ExtractOptions::default());
        for symbol in &facts.symbols {
            assert!(symbol.span.end as usize <= length && symbol.lines.start >= 1, "{symbol:?}");
        }
        for chunk in &facts.chunks {
            assert!(chunk.lines.start >= 1 && chunk.lines.start <= chunk.lines.end, "{chunk:?}");
            assert!(chunk.segments.iter().all(|part| part.end as usize <= length), "{chunk:?}");
        }
    });
}

#[test]
fn arbitrary_sources_are_indexed_and_asked_about() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    let engine = open(dir.path());
    fuzz("project", &SOURCE, &mut |input, random| {
        let name = ["a.ts", "b.ts", "c.tsx", "e.js", "d.md", "package.json", "tsconfig.json", ".gitignore"];
        fs::write(dir.path().join(name[random.below(name.len())]), input).unwrap();
        index(&engine).unwrap();
        ask(&engine);
    });
}

#[test]
fn arbitrary_configurations_are_used_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Corpus { seeds: &CONFIGS, words: &JSON_WORDS };
    fuzz("config", &corpus, &mut |input, random| {
        let name = ["mast.config.json", ".mast/config.json"][random.below(2)];
        fs::create_dir_all(dir.path().join(".mast")).unwrap();
        fs::write(dir.path().join(name), input).unwrap();
        if let Err(error) = config(dir.path()) {
            check_error(&error);
        }
        fs::remove_file(dir.path().join(name)).unwrap();
    });
}

#[test]
fn arbitrary_arguments_are_answered_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    let engine = open(dir.path());
    index(&engine).unwrap();
    let seeds = [
        r#"{"query":"D gen","limit":5,"language":"typescript","file_pattern":"**/*.ts","chunk_type":"method","only_exported":true}"#,
        r#"{"symbol":"D.gen","file_path":"a.ts","transitive":true,"include_potential":false,"limit":50}"#,
        r#"{"file_path":"./a.ts","limit":1}"#,
        r#"{"interface_name":"C"}"#,
        r#"{"directory":"src","max_depth":2,"file_pattern":"*"}"#,
        r#"{"paths":["d.md","."]}"#,
        r#"{"sections":[{"file_path":"d.md","heading":"A > C"},{"file_path":"d.md","start_line":1,"end_line":3}]}"#,
        r#"{"scope":"global","since_minutes":5}"#,
    ];
    let corpus = Corpus { seeds: &seeds, words: &JSON_WORDS };
    fuzz("arguments", &corpus, &mut |input, random| {
        let Ok(arguments) = serde_json::from_slice::<serde_json::Value>(input) else { return };
        let tools = mast_core::tools::TOOLS;
        // Each seed belongs to some tool; the others refuse it.
        for _ in 0..3 {
            let tool = tools[random.below(tools.len())].name;
            match engine.call(tool, arguments.clone(), &CallContext::default()) {
                Ok(reply) => assert!(!reply.text().is_empty() || !reply.json.is_empty()),
                Err(error) => check_error(&error),
            }
        }
    });
}

#[test]
fn arbitrary_state_is_read_or_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    let (state, whole) = (dir.path().join(".mast"), dir.path().join("whole"));
    index(&open(dir.path())).unwrap();
    fs::rename(&state, &whole).unwrap();
    let files = ["graph.db", "index.json", "file_manifest.json"];
    let corpus = Corpus { seeds: &[""], words: &JSON_WORDS };
    fuzz("state", &corpus, &mut |_, random| {
        let _ = fs::remove_dir_all(&state);
        fs::create_dir(&state).unwrap();
        for entry in fs::read_dir(&whole).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, state.join(path.file_name().unwrap())).unwrap();
        }
        let broken = state.join(files[random.below(4).saturating_sub(1)]);
        let mut bytes = fs::read(&broken).unwrap();
        for _ in 0..=random.below(30) {
            let at = random.below(bytes.len());
            match random.below(12) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at..].fill(0),
                2 => {
                    // A page in the place of another.
                    let page = 16_384.min(bytes.len());
                    let (from, to) = (random.below(bytes.len() / page), random.below(bytes.len() / page));
                    bytes.copy_within(from * page..(from + 1) * page, to * page);
                }
                _ => bytes[at] ^= 1 << random.below(8),
            }
        }
        fs::write(&broken, &bytes).unwrap();
        let engine = open(dir.path());
        ask(&engine);
        if let Err(error) = index(&engine) {
            check_error(&error);
        }
        ask(&engine);
        // Whatever was broken, reading everything again mends it.
        let full = RunRequest {
            full: true,
            operation: "test",
            patience: std::time::Duration::ZERO,
            link_budget: None,
        };
        match engine.index(&full, &CallContext::default()) {
            Ok(report) => assert_eq!(report.write_errors, 0, "{:?}", report.troubles),
            // The version of a broken header can be one that is not ours to touch.
            Err(error) => assert_eq!(error.code(), ErrorCode::IndexVersion, "{error}"),
        }
    });
}
