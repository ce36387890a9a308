//! After any sequence of edits the index holds what a fresh run over the same tree would have put there.
//!
//! Random edit scripts over a small workspace. A failing script is shrunk by leaving out steps as long as it still
//! fails. `MAST_EDIT_SCRIPTS` sets how many scripts run, `MAST_EDIT_SEED` where they begin.

use std::fs;
use std::path::Path;
use std::time::Duration;

use mast_core::index::RunRequest;
use mast_core::model::RepoPath;
use mast_core::{CallContext, Engine, OpenOptions};

use crate::dump::{difference, dump};

/// A small generator of pseudo-random numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, String),
    Delete(&'static str),
    Rename(&'static str, &'static str),
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

const CONFIGS: [(&str, &[&str]); 5] = [
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
        steps.push(match random.below(10) {
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
            _ => Step::Index,
        });
    }
    steps
}

fn open(root: &Path, state: &Path) -> Engine {
    Engine::open(OpenOptions { root: Some(root.into()), state_dir: Some(state.into()) }).unwrap()
}

fn index(engine: &Engine) {
    let request =
        RunRequest { full: false, operation: "test", patience: Duration::from_secs(5), link_budget: None };
    let report = engine.index(&request, &CallContext::default()).unwrap();
    assert_eq!((report.write_errors, report.pending_links), (0, 0));
}

/// Runs a script; gives what differs from a fresh index at the end.
fn run(steps: &[Step]) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    fs::create_dir(&root).unwrap();
    let (state, fresh) = (dir.path().join("state"), dir.path().join("fresh"));
    let engine = open(&root, &state);
    for step in steps {
        match step {
            Step::Write(path, text) => {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Step::Delete(path) => {
                let _ = fs::remove_file(root.join(path));
            }
            Step::Rename(from, to) => {
                if root.join(from).exists() {
                    fs::create_dir_all(root.join(to).parent().unwrap()).unwrap();
                    fs::rename(root.join(from), root.join(to)).unwrap();
                }
            }
            Step::Refresh(paths) => {
                let paths: Vec<_> = paths.iter().filter_map(|path| RepoPath::new(path)).collect();
                // Before the first run there is nothing to refresh.
                let _ = engine.refresh(&paths, &CallContext::default());
            }
            Step::Index => index(&engine),
        }
    }
    index(&engine);
    index(&open(&root, &fresh));
    difference(&dump(&state), &dump(&fresh))
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
    for seed in first..first + scripts {
        let steps = script(&mut Random(seed));
        if run(&steps).is_some() {
            let least = shrink(steps);
            panic!("seed {seed}:\n{least:#?}\n{}", run(&least).unwrap_or_default());
        }
    }
}
