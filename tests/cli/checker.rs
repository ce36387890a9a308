//! `mast index --checker`: what it prints, what it refuses, and what it leaves behind then. A stand-in for TypeScript answers.

use serde_json::json;

use crate::support::{Project, Ran};

const STAND_IN: &str = include_str!("../checker/fake-tsserver.js");

const FILES: [(&str, &str); 3] = [
    ("tsconfig.json", "{}\n"),
    ("lib.ts", "export class A { save(x: number) {} }\n"),
    ("use.ts", "export function run(a: any) {\na.save(1);\n[1].map(a.save);\na.b.save(2);\n}\n"),
];

fn install(project: &Project, place: &str, version: &str, misbehave: &str) {
    let plan = json!({
        "misbehave": misbehave,
        "called": {"use.ts:2:3": ["lib.ts:1:18"], "use.ts:3:11": ["lib.ts:1:18"]},
    });
    let manifest = json!({"name": "typescript", "version": version});
    project.write(&format!("{place}/package.json"), &manifest.to_string());
    project.write(&format!("{place}/plan.json"), &plan.to_string());
    project.write(&format!("{place}/lib/tsserver.js"), STAND_IN);
}

/// The last line of what was printed, without the time at its end.
fn last_line(stdout: &str) -> &str {
    let line = stdout.trim_end().rsplit('\n').next().unwrap();
    line.rsplit_once(", ").unwrap().0
}

#[test]
fn the_pass_is_summed_up_in_one_line_behind_the_run() {
    let project = Project::new(&FILES);
    install(&project, "node_modules/typescript", "5.9.3", "");
    let ran = project.mast(&["index", "--checker"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert!(ran.stdout.starts_with("2 files indexed, 0 unchanged, "), "{}", ran.stdout);
    let summary = "3 mentions asked about by TypeScript 5.9.3 in 1 project, 1 call verified, 0 calls of other declarations, \
                   1 no calls, 1 unresolved";
    assert_eq!(last_line(&ran.stdout), summary);
    let callers = project.mast(&["query", "mast_callers", "{\"symbol\": \"A.save\"}"]);
    assert!(callers.stdout.contains("\"resolution\": \"checker\""), "{}", callers.stdout);
    let again = project.mast(&["index", "--incremental", "--checker", "--show-progress"]);
    assert_eq!(last_line(&again.stdout), summary);
    assert!(again.stderr.ends_with("mast: checking 2 of 2 files\n"), "{}", again.stderr);
}

#[test]
fn a_typescript_can_be_named() {
    let project = Project::new(&FILES);
    install(&project, "elsewhere/node_modules/typescript", "6.0.0", "");
    let ran = project.mast(&["index", "--checker", "--typescript", "elsewhere"]);
    assert!(ran.stdout.contains(" by TypeScript 6.0.0 in 1 project, "), "{ran:?}");
}

#[test]
fn without_a_usable_typescript_nothing_is_indexed() {
    let project = Project::new(&FILES);
    project.mast(&["index", "--checker"]).refused(
        1,
        "--checker found no TypeScript for {ROOT}; install the project's dependencies (or `npm install --save-dev typescript`), \
         or name one with --typescript <dir>",
    );
    project.mast(&["index", "--checker", "--typescript", "src"]).refused(
        1,
        "--typescript src: no TypeScript package there; name the package's directory, its node_modules, or the directory \
         that has it installed",
    );
    install(&project, "node_modules/typescript", "4.9.5", "");
    let old = project.mast(&["index", "--checker"]);
    Ran { stderr: old.stderr.replace('\\', "/"), ..old }.refused(
        1,
        "TypeScript 4.9.5 in {ROOT}/node_modules/typescript is too old for --checker; install version 5 or newer, or name one \
         with --typescript <dir>",
    );
    install(&project, "node_modules/typescript", "5.9.3", "");
    project.mast_in(".", &["index", "--checker"], &[("PATH", "")]).refused(
        1,
        "--checker needs Node for TypeScript 5.9.3, and there is no `node` on the PATH; install Node, or name a TypeScript 7 \
         with --typescript <dir>",
    );
    assert!(!project.exists(".mast"));
    assert_eq!(project.mast(&["index", "--typescript", "."]).code, 2, "only with --checker");
}

#[test]
fn when_typescript_fails_the_index_is_there_and_the_line_says_so() {
    let project = Project::new(&FILES);
    install(&project, "node_modules/typescript", "5.9.3", "crash");
    let ran = project.mast(&["index", "--checker"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("2 files indexed, 0 unchanged, "), "{}", ran.stdout);
    assert_eq!(
        ran.stderr.replace("exit code: ", "exit status: "), // how Windows calls it
        "mast: TypeScript 5.9.3 ended unexpectedly (exit status: 3: Error: Cannot find module for example); the index is as the \
         run before left it and no checker result was stored; try again, or name another TypeScript with --typescript <dir>\n"
    );
    let callers = project.mast(&["query", "mast_callers", "{\"symbol\": \"A.save\"}", "--json"]);
    assert!(callers.stdout.contains("\"potential_count\":3"), "{}", callers.stdout);
}
