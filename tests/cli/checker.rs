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
        "mast: TypeScript 5.9.3 ended unexpectedly (exit status: 3: Error: Cannot find module for example); it was asked about \
         the project at the root; the index is as the run before left it and no checker result was stored; try again, or name \
         another TypeScript with --typescript <dir>\n"
    );
    let callers = project.mast(&["query", "mast_callers", "{\"symbol\": \"A.save\"}", "--json"]);
    assert!(callers.stdout.contains("\"potential_count\":3"), "{}", callers.stdout);
}

#[test]
fn what_was_left_out_and_whom_was_asked_instead_is_said() {
    let project = Project::new(&FILES);
    install(&project, "node_modules/typescript", "5.9.3", "");
    for (path, text) in [
        ("broken/tsconfig.json", "{ \"extends\": \"./tsconfig.json\" }\n"),
        ("broken/a.ts", "declare const it: any; it.save();\n"),
        ("lines/tsconfig.json", "{}\n"),
        ("lines/a.ts", "// a\u{2028}b\ndeclare const it: any; it.save();\n"),
    ] {
        project.write(path, text);
    }
    let ran = project.mast(&["index", "--checker"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("mast: left out: broken/tsconfig.json extends itself\n"), "{}", ran.stderr);
    assert!(
        last_line(&ran.stdout)
            .ends_with("1 unresolved, 1 project left out, 1 file with line ends that not all readers count"),
        "{}",
        ran.stdout
    );
    let above = "{ \"extends\": \"../above.json\" }";
    project.write("tsconfig.json", above);
    let ran = project.mast(&["index", "--incremental"]);
    let line = "mast: tsconfig.json: extends \"../above.json\", which is outside the project root and is not read; the rest of \
                the file is used\n";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
}

#[test]
fn a_project_without_a_typescript_above_it_is_asked_with_that_of_another_and_the_line_says_so() {
    let project = Project::new(&[]);
    for (path, text) in FILES {
        project.write(&format!("app/{path}"), text);
    }
    install(&project, "lib/node_modules/typescript", "5.9.3", "");
    project.write("lib/x.ts", "export {};\n");
    let ran = project.mast(&["index", "--checker"]);
    assert!(ran.stdout.contains(", 1 project asked with another's TypeScript, "), "{ran:?}");
    assert!(ran.stderr.contains("mast: where no TypeScript is installed above a project, "), "{ran:?}");
}

#[test]
fn the_status_says_what_the_checker_found_and_what_suspends_it() {
    let project = Project::new(&FILES);
    install(&project, "node_modules/typescript", "5.9.3", "");
    project.mast(&["index"]);
    assert!(!project.mast(&["status"]).stdout.contains("checker"), "it never ran");
    project.mast(&["index", "--incremental", "--checker"]);
    let line = || {
        let status = project.mast(&["status"]).stdout;
        let line = status.lines().find(|line| line.starts_with("checker:")).unwrap_or_default().to_owned();
        let (head, tail) = line.split_once(", 2").unwrap_or_default();
        format!("{head} … {}", tail.split_once("Z, ").unwrap_or_default().1)
    };
    let found = "checker:               TypeScript 5.9.3 … 3 asked about, 1 verified; ";
    assert_eq!(line(), format!("{found}in force"));
    let quiet = project.mast(&["query", "mast_callers", "{\"symbol\": \"A.save\"}", "--json"]).stdout;
    assert!(!quiet.contains("checker_suspended"), "{quiet}");
    project.write("new.mts", "export {};\n");
    assert_eq!(line(), format!("{found}suspended by ."));
    for tool in ["mast_callers", "mast_rename_impact"] {
        let answer = project.mast(&["query", tool, "{\"symbol\": \"A.save\"}"]).stdout;
        assert!(answer.contains("\"checker_suspended\": true"), "{answer}");
    }
    project.mast(&["index", "--incremental"]);
    assert_eq!(line(), format!("{found}deleted by a run that wrote files"));
    project.mast(&["index"]);
    assert_eq!(line(), " … ", "a full run begins anew");
}

#[cfg(unix)]
#[test]
fn a_typescript_that_hangs_does_not_outlive_a_command_that_is_told_to_end() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let project = Project::new(&FILES);
    install(&project, "node_modules/typescript", "5.9.3", "hang");
    let mut mast = Command::new(env!("CARGO_BIN_EXE_mast"));
    mast.args(["index", "--checker"]).current_dir(project.root());
    let mut mast = mast.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let pid_file = project.root().join("node_modules/typescript/pid");
    let pid = loop {
        match std::fs::read_to_string(&pid_file) {
            Ok(pid) if !pid.is_empty() => break pid,
            _ => assert!(Instant::now() < until, "TypeScript is started"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let signal = |signal: &str, pid: &str| {
        let kill = Command::new("kill").args([signal, pid]).stderr(Stdio::null()).status();
        kill.unwrap().success()
    };
    assert!(signal("-0", &pid));
    assert!(signal("-TERM", &mast.id().to_string()));
    assert!(!mast.wait().unwrap().success());
    assert!(!signal("-0", &pid), "it is gone with the command");
}
