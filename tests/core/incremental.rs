//! After any sequence of edits the index holds what a fresh run over the same tree would have put there.
//!
//! Random edit scripts over a small workspace. A failing script is shrunk by leaving out steps as long as it still
//! fails. `MAST_EDIT_SCRIPTS` sets how many scripts run, `MAST_EDIT_SEED` where they begin, `MAST_EDIT_SECONDS` after
//! how many seconds no further one begins.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use mast_core::index::RunRequest;
use mast_core::model::RepoPath;
use mast_core::{CallContext, Engine, OpenOptions};

use crate::dump::{difference, dump};
use crate::edges::broken;
use crate::random::Random;

impl Random {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, String),
    Delete(&'static str),
    /// A file or a directory gets another name.
    Rename(&'static str, &'static str),
    /// Leaves the tree for another one, as `git checkout` does; a branch that is new is a copy of the tree.
    Switch(usize),
    /// A run, while files are edited and refreshed beside it.
    Race(Vec<(&'static str, String)>),
    /// Refresh these files as a question about them would, without a run.
    Refresh(Vec<&'static str>),
    Index,
}

const SOURCES: [&str; 14] = [
    "packages/core/src/index.ts",
    "packages/core/src/store.ts",
    "packages/core/src/util.ts",
    "packages/core/src/util/index.ts",
    "packages/core/src/Util.ts",
    "packages/core/src/base.js",
    "packages/app/src/main.ts",
    "packages/app/src/view.tsx",
    "packages/app/src/lib/helper.ts",
    "packages/app/src/other/helper.ts",
    "packages/app/src/types.d.ts",
    "tools/run.js",
    "docs/guide.md",
    "empty.ts",
];

/// Directories that move between packages.
const DIRECTORIES: [&str; 4] =
    ["packages/app/src/lib", "packages/app/src/other", "packages/core/src/lib", "packages/core/src/util"];

/// Names that differ in case only.
const CASES: [(&str, &str); 2] = [
    ("packages/core/src/util.ts", "packages/core/src/Util.ts"),
    ("packages/core/src/Util.ts", "packages/core/src/util.ts"),
];

const CONFIGS: [(&str, &[&str]); 7] = [
    (
        "tsconfig.json",
        &[
            r#"{ "compilerOptions": { "paths": { "@/*": ["./packages/app/src/lib/*"] } } }"#,
            r#"{ "compilerOptions": { "paths": { "@/*": ["./packages/app/src/other/*", "./packages/app/src/lib/*"] } } }"#,
            r#"{ "extends": "./missing.json", "compilerOptions": { "baseUrl": "packages/app/src" } }"#,
            "{ broken",
        ],
    ),
    (
        "packages/app/tsconfig.json",
        &[
            r#"{ "extends": "../../tsconfig.json" }"#,
            r#"{ "compilerOptions": { "paths": { "@/*": ["./src/other/*"] } } }"#,
        ],
    ),
    ("package.json", &[r#"{ "private": true, "workspaces": ["packages/*"] }"#, r#"{ "private": true }"#]),
    (
        "packages/core/package.json",
        &[
            r#"{ "name": "@acme/core", "main": "./dist/index.js" }"#,
            r#"{ "name": "@acme/core", "exports": { ".": "./src/index.ts", "./util": "./src/util.ts" } }"#,
            r#"{ "name": "@acme/renamed" }"#,
        ],
    ),
    (".gitignore", &["tools/\n", "*.js\n", "\n"]),
    (
        "pnpm-workspace.yaml",
        &["packages:\n  - 'packages/*'\n", "packages:\n  - 'packages/app'\n", "packages: [\n"],
    ),
    (
        "mast.config.json",
        &[
            r#"{ "exclude_patterns": ["docs/**", "**/other/**"] }"#,
            r#"{ "file_extensions": [".ts", ".tsx"], "respect_gitignore": false }"#,
            r#"{ "chunk_split_threshold": 10, "markdown_heading_depth": 1, "context_lines": 1 }"#,
            r#"{ "file_extensions": "none" }"#,
        ],
    ),
];

const IMPORTS: [&str; 12] = [
    "import { Store } from './store';\n",
    "import { help, other as alias } from './util';\n",
    "import * as ns from '../../core/src/index';\n",
    "import { Store, help } from '@acme/core';\n",
    "import { help as h } from '@acme/core/util';\n",
    "import def from './base.js';\n",
    "import { helper } from '@/helper';\n",
    "import type { Shape } from './types';\n",
    "import { View } from './view';\n",
    "const legacy = require('../packages/core/src/base');\n",
    "import { helper as viaBase } from 'lib/helper';\n",
    "import './side-effect';\n",
];

const BODIES: [&str; 16] = [
    "export class Store extends Base { get(k: string) { return help(k); } static of() { return new Store(); } }\n",
    "export class Base { close() { return 1; } get(k: string) { return k; } }\n",
    "export function help(x: string): string { return x; }\n",
    "export const other = (n: number) => help(String(n));\n",
    "export * from './store';\nexport * from './util';\n",
    "export { help as assist } from './util';\nexport { default as base } from './base.js';\n",
    "export default function main() { const s = new Store(); s.close(); return s.get('a'); }\n",
    "export function helper() { return alias?.(1) ?? ns.help('x'); }\n",
    "export function View() { return <Inner a={helper()} />; }\nfunction Inner() { return null; }\n",
    "export interface Shape { area(): number }\nexport class Round implements Shape { area() { return 3; } }\n",
    "module.exports = { run() { return legacy.help('q'); } };\nexports.more = () => 2;\n",
    "const s: Store = Store.of();\nexport const got = s.get('b');\nns.Store.of().close();\n",
    "export function broken( { return 1;\n",
    "export const data = { run: () => help('c'), nested: { deep() { return h('d'); } } };\ndata.run(); data.nested.deep();\n",
    "// nothing but words\n",
    "# Title\n\nhelp text\n\n## Part\n\nmore\n",
];

fn content(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(4) {
        text.push_str(random.pick(&IMPORTS));
    }
    for _ in 0..random.below(4) {
        text.push_str(random.pick(&BODIES));
    }
    text
}

fn script(random: &mut Random) -> Vec<Step> {
    let mut steps: Vec<Step> =
        SOURCES.iter().filter(|_| random.below(4) > 0).map(|path| Step::Write(path, String::new())).collect();
    for step in &mut steps {
        if let Step::Write(_, text) = step {
            *text = content(random);
        }
    }
    for (path, variants) in CONFIGS {
        if random.below(3) > 0 {
            steps.push(Step::Write(path, random.pick(variants).to_owned()));
        }
    }
    steps.push(Step::Index);
    for _ in 0..4 + random.below(12) {
        steps.push(match random.below(14) {
            0..=4 => Step::Write(random.pick(&SOURCES), content(random)),
            5 => Step::Delete(random.pick(&SOURCES)),
            6 => Step::Rename(random.pick(&SOURCES), random.pick(&SOURCES)),
            7 => {
                let (path, variants) = random.pick(&CONFIGS);
                if random.below(4) == 0 {
                    Step::Delete(path)
                } else {
                    Step::Write(path, random.pick(variants).to_owned())
                }
            }
            8 => Step::Refresh((0..=random.below(3)).map(|_| random.pick(&SOURCES)).collect()),
            9 => {
                let (from, to) = random.pick(&CASES);
                Step::Rename(from, to)
            }
            10 => Step::Rename(random.pick(&DIRECTORIES), random.pick(&DIRECTORIES)),
            11 => Step::Switch(random.below(3)),
            12 => {
                Step::Race((0..=random.below(3)).map(|_| (random.pick(&SOURCES), content(random))).collect())
            }
            _ => Step::Index,
        });
    }
    steps
}

fn open(root: &Path, state: &Path) -> Engine {
    Engine::open(OpenOptions { root: Some(root.into()), state_dir: Some(state.into()) }).unwrap()
}

/// Brings the index up to date; gives what the run could not do.
fn index(engine: &Engine) -> Option<String> {
    let request =
        RunRequest { full: false, operation: "test", patience: Duration::from_secs(5), link_budget: None };
    match engine.index(&request, &CallContext::default()) {
        Ok(report) if (report.write_errors, report.pending_links) == (0, 0) => None,
        Ok(report) => Some(format!("{:?}, {} links pending", report.troubles, report.pending_links)),
        Err(error) => Some(error.to_string()),
    }
}

/// Brings files up to date as a question about them would.
fn refresh(engine: &Engine, paths: &[&str]) {
    let paths: Vec<_> = paths.iter().filter_map(|path| RepoPath::new(path)).collect();
    // Before the first run there is nothing to refresh.
    let _ = engine.refresh(&paths, &CallContext::default());
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The files below `directory`, as paths from `root`, with their texts.
fn tree(root: &Path, directory: &Path, into: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tree(root, &path, into);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            into.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// Replaces the tree by that of `branch`, and keeps the present one under the name it has.
fn switch(
    root: &Path,
    branches: &mut [Option<BTreeMap<String, String>>; 3],
    current: &mut usize,
    branch: usize,
) {
    let mut here = BTreeMap::new();
    tree(root, root, &mut here);
    let there = branches[branch].clone().unwrap_or_else(|| here.clone());
    for path in here.keys().filter(|path| !there.contains_key(*path)) {
        fs::remove_file(root.join(path)).unwrap();
    }
    for (path, text) in there.iter().filter(|(path, text)| here.get(*path) != Some(text)) {
        let _ = fs::remove_dir_all(root.join(path));
        write(root, path, text);
    }
    branches[*current] = Some(here);
    *current = branch;
}

/// Runs a script; gives what went wrong, or what differs from a fresh index at the end.
fn run(steps: &[Step]) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    fs::create_dir(&root).unwrap();
    let (state, fresh) = (dir.path().join("state"), dir.path().join("fresh"));
    let engine = open(&root, &state);
    let (mut branches, mut current) = ([None, None, None], 0);
    for step in steps {
        match step {
            Step::Write(path, text) => write(&root, path, text),
            Step::Delete(path) => {
                let _ = fs::remove_file(root.join(path));
            }
            Step::Rename(from, to) => {
                if root.join(from).exists() {
                    fs::create_dir_all(root.join(to).parent().unwrap()).unwrap();
                    // A directory does not take the place of a full one.
                    let _ = fs::rename(root.join(from), root.join(to));
                }
            }
            Step::Switch(branch) => switch(&root, &mut branches, &mut current, *branch),
            Step::Refresh(paths) => refresh(&engine, paths),
            Step::Race(edits) => {
                let failed = std::thread::scope(|threads| {
                    let run = threads.spawn(|| index(&engine));
                    for (path, text) in edits {
                        write(&root, path, text);
                        refresh(&engine, &[path]);
                    }
                    run.join().unwrap()
                });
                if failed.is_some() {
                    return failed;
                }
            }
            Step::Index => {
                let failed = index(&engine);
                if failed.is_some() {
                    return failed;
                }
            }
        }
    }
    // A project whose configuration cannot be used has no fresh index to compare with.
    if fs::read_to_string(root.join("mast.config.json")).is_ok_and(|text| text.contains("none")) {
        fs::remove_file(root.join("mast.config.json")).unwrap();
    }
    let failed = index(&engine).or_else(|| index(&open(&root, &fresh)));
    failed.or_else(|| difference(&dump(&state), &dump(&fresh))).or_else(|| {
        broken(&root, &state, &engine, &["Store", "Base", "get", "close", "help", "helper", "run", "View"])
    })
}

/// Leaves out steps as long as the script still fails.
fn shrink(mut steps: Vec<Step>) -> Vec<Step> {
    loop {
        let shorter = (0..steps.len()).find_map(|at| {
            let mut candidate = steps.clone();
            candidate.remove(at);
            run(&candidate).map(|_| candidate)
        });
        match shorter {
            Some(candidate) => steps = candidate,
            None => return steps,
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn incremental_runs_and_refreshes_end_where_a_fresh_run_ends() {
    let (scripts, first) = (setting("MAST_EDIT_SCRIPTS", 40), setting("MAST_EDIT_SEED", 1));
    let (begin, limit) = (Instant::now(), Duration::from_secs(setting("MAST_EDIT_SECONDS", 3600)));
    for seed in first..first + scripts {
        if begin.elapsed() > limit {
            println!("{} scripts, seeds {first} to {}", seed - first, seed - 1);
            return;
        }
        let steps = script(&mut Random(seed));
        if run(&steps).is_some() {
            let least = shrink(steps);
            panic!("seed {seed}:\n{least:#?}\n{}", run(&least).unwrap_or_default());
        }
    }
}

fn write_step(path: &'static str, text: &str) -> Step {
    Step::Write(path, text.to_owned())
}

#[test]
fn declarations_before_others_in_the_last_file_are_numbered_apart() {
    let path = "packages/app/src/main.ts";
    let steps = [
        write_step(path, "export function a() {}\nexport function b() {}\n"),
        Step::Index,
        write_step(path, "export function first() {}\nexport function a() {}\nexport function b() {}\n"),
        Step::Refresh(vec![path]),
        write_step(path, "export function c() {}\nexport function b() {}\nexport function a() {}\n"),
    ];
    assert_eq!(run(&steps), None);
}

#[test]
fn a_refresh_after_a_configuration_changed_resolves_by_the_new_one() {
    let (tsconfig, variants) = CONFIGS[0];
    let main = "packages/app/src/main.ts";
    let import = "import { helper } from '@/helper';\nexport const got = helper();\n";
    let steps = [
        write_step("packages/app/src/lib/helper.ts", "export function helper() {}\n"),
        write_step("packages/app/src/other/helper.ts", "export function helper() {}\n"),
        write_step("empty.ts", import),
        write_step(main, import),
        write_step(tsconfig, variants[0]),
        Step::Index,
        write_step(main, &format!("{import}// one\n")),
        Step::Refresh(vec![main]),
        write_step(tsconfig, variants[1]),
        write_step(main, &format!("{import}// two\n")),
        Step::Refresh(vec![main]),
    ];
    assert_eq!(run(&steps), None);
}

#[cfg(unix)]
#[test]
fn problems_of_a_file_that_was_never_read_go_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let (root, state) = (dir.path().join("project"), dir.path().join("state"));
    write(&root, "a.ts", "export const a = 1;\n");
    let engine = open(&root, &state);
    assert_eq!(index(&engine), None);
    let with_problem = |sql: &str| {
        let connection = rusqlite::Connection::open(state.join("graph.db")).unwrap();
        connection.execute(sql, []).unwrap()
    };
    // As a run leaves it that could not read a new file.
    assert_eq!(with_problem("INSERT INTO problems VALUES ('gone.ts', 0, 'permission denied', x'00')"), 1);
    assert_eq!(index(&engine), None);
    assert_eq!(with_problem("DELETE FROM problems"), 0, "the run cleared it up");
}
