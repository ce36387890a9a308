//! The type checker's pass: what its answers become, when they fall, and what happens when TypeScript fails. A stand-in
//! answers; that real versions of TypeScript say what the stand-in says is tested in `tests/checker`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use mast_core::checker::{CheckLimits, CheckReport, CheckRequest};
use mast_core::index::RunRequest;
use mast_core::{CallContext, Cancel, Engine, Error, OpenOptions};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

const STAND_IN: &str = include_str!("../checker/fake-tsserver.js");

/// A project with a stand-in for TypeScript installed.
struct Project {
    dir: TempDir,
    engine: Engine,
}

/// Two classes with a method of one name, a value that linking knows nothing of, and four mentions of the method.
const FILES: [(&str, &str); 4] = [
    ("tsconfig.json", "{}\n"),
    ("package.json", "{ \"name\": \"app\" }\n"),
    ("lib.ts", "export class A { save(x: number) {} }\nexport class B { save(x: number) {} }\n"),
    (
        "use.ts",
        "declare const make: any;\nexport function run(a = make(), b = make()) {\na.save(1);\nb.save(2);\n[1].map(a.save);\nmake().save(3);\n}\n",
    ),
];

/// Line 3 calls `A.save`, line 4 `B.save`, line 5 mentions `A.save`, and line 6 cannot be told.
fn plan() -> Value {
    json!({"called": {
        "use.ts:3:3": ["lib.ts:1:18"],
        "use.ts:4:3": ["lib.ts:2:18"],
        "use.ts:5:11": ["lib.ts:1:18"],
    }})
}

impl Project {
    fn new(plan: &Value) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options =
            OpenOptions { root: Some(dir.path().to_owned()), state_dir: Some(dir.path().join(".mast")) };
        let project = Self { engine: Engine::open(options).unwrap(), dir };
        for (path, text) in FILES {
            project.write(path, text);
        }
        project
            .write("node_modules/typescript/package.json", r#"{"name": "typescript", "version": "5.9.3"}"#);
        project.write("node_modules/typescript/lib/tsserver.js", STAND_IN);
        project.plan(plan);
        project.index(false);
        project
    }

    fn checked() -> Self {
        let project = Self::new(&plan());
        project.check().unwrap();
        project
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn plan(&self, plan: &Value) {
        self.write("node_modules/typescript/plan.json", &plan.to_string());
    }

    fn index(&self, full: bool) {
        let patience = Duration::from_secs(5);
        let request = RunRequest { full, operation: "test", patience, link_budget: None };
        self.engine.index(&request, &CallContext::default()).unwrap();
    }

    fn check(&self) -> Result<CheckReport, Error> {
        self.engine.check(&CheckRequest::default(), &CallContext::default())
    }

    fn check_within(&self, answer: Duration, whole: Duration) -> Result<CheckReport, Error> {
        let request = CheckRequest { typescript: None, limits: CheckLimits { answer, whole } };
        self.engine.check(&request, &CallContext::default())
    }

    fn ask(&self, tool: &str, symbol: &str) -> Value {
        let reply = self.engine.call(tool, json!({"symbol": symbol}), &CallContext::default()).unwrap();
        serde_json::from_str(&reply.json).unwrap()
    }

    /// Lines of `use.ts` among the callers and the potential matches of a symbol, and the two counts of the checker.
    fn callers(&self, symbol: &str) -> String {
        shown(&self.ask("mast_callers", symbol))
    }

    /// Rows about mentions that are kept.
    fn kept(&self) -> i64 {
        let database = Connection::open(self.root().join(".mast/graph.db")).unwrap();
        let count = |table: &str| -> i64 {
            database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        if count("verdicts") == 0 {
            assert_eq!((count("verdict_targets"), count("verdict_inputs")), (0, 0), "all fall together");
        }
        count("verdicts")
    }
}

fn shown(answer: &Value) -> String {
    let lines = |list: &str| -> Vec<String> {
        let entries = answer[list].as_array().unwrap();
        entries.iter().map(|entry| entry["line"].to_string()).collect()
    };
    let count = |name: &str| answer["summary"][format!("checker_classified_{name}")].to_string();
    format!(
        "verified {}; potential {}; non-calls {}, others {}",
        lines("verified_callers").join(" "),
        lines("potential_matches").join(" "),
        count("non_call_site"),
        count("different_declaration"),
    )
}

const UNCHECKED: &str = "verified ; potential 3 4 5 6; non-calls 0, others 0";
const CHECKED: &str = "verified 3; potential 6; non-calls 1, others 1";

#[test]
fn answers_become_callers_or_leave_the_list_and_are_counted() {
    let project = Project::new(&plan());
    assert_eq!(project.callers("A.save"), UNCHECKED);
    let report = project.check().unwrap();
    assert_eq!((report.asked, report.proven_calls, report.non_calls), (4, 2, 1));
    assert_eq!((report.unresolved, report.outside_calls, report.outside_files), (1, 0, 0));
    assert_eq!((report.projects, report.versions), (1, vec!["5.9.3".to_owned()]));
    assert_eq!(project.callers("A.save"), CHECKED);
    assert_eq!(project.callers("B.save"), "verified 4; potential 6; non-calls 1, others 1");
    let caller = &project.ask("mast_callers", "A.save")["verified_callers"][0];
    assert_eq!((&caller["resolution"], &caller["column"]), (&json!("checker"), &json!(3)));
    assert_eq!(caller["context"], "a.save(1);");
}

#[test]
fn a_rename_keeps_the_mentions_that_mean_the_declaration() {
    let project = Project::checked();
    let of_a = project.ask("mast_rename_impact", "A.save");
    assert_eq!(shown(&of_a), "verified 3; potential 5 6; non-calls 0, others 1");
    let of_b = project.ask("mast_rename_impact", "B.save");
    assert_eq!(shown(&of_b), "verified 4; potential 6; non-calls 1, others 1");
}

#[test]
fn both_names_answer_for_all_declarations_of_the_name() {
    let project = Project::checked();
    assert_eq!(project.callers("save"), "verified 3 4; potential 6; non-calls 1, others 0");
}

#[test]
fn a_signature_elsewhere_is_no_proof_and_excludes_nothing() {
    let mut plan = plan();
    // `a` holds something typed as `{ save: A["save"] }`, `b` is of the type `A | B`.
    plan["called"]["use.ts:3:3"] = json!(["use.ts:2:21", "lib.ts:1:18"]);
    plan["called"]["use.ts:4:3"] = json!(["lib.ts:1:18"]);
    plan["named"] = json!({"use.ts:3:3": ["use.ts:2:21"], "use.ts:4:3": ["lib.ts:1:18", "lib.ts:2:18"]});
    let project = Project::new(&plan);
    project.check().unwrap();
    assert_eq!(project.callers("A.save"), "verified 4; potential 3 6; non-calls 1, others 0");
    assert_eq!(project.callers("B.save"), "verified ; potential 3 4 6; non-calls 1, others 0");
}

#[test]
fn what_lies_in_installed_packages_is_elsewhere_and_what_the_project_builds_is_not_known() {
    let mut plan = plan();
    plan["called"]["use.ts:3:3"] = json!(["node_modules/db/index.d.ts:1:1"]);
    plan["called"]["use.ts:4:3"] = json!(["dist/lib.d.ts:1:1"]);
    plan["called"]["use.ts:6:8"] = json!(["node_modules/app/lib.d.ts:1:1"]);
    let project = Project::new(&plan);
    let report = project.check().unwrap();
    assert_eq!((report.outside_calls, report.unresolved), (1, 2));
    assert_eq!(project.callers("A.save"), "verified ; potential 4 6; non-calls 1, others 1");
}

#[test]
fn files_outside_every_project_are_counted_and_not_asked_about() {
    let mut plan = plan();
    plan["project"] = Value::Null;
    let project = Project::new(&plan);
    let report = project.check().unwrap();
    assert_eq!((report.asked, report.outside_files, report.projects), (0, 1, 0));
    assert_eq!(project.callers("A.save"), UNCHECKED);
    fs::remove_file(project.root().join("tsconfig.json")).unwrap();
    project.index(false);
    assert_eq!(project.check().unwrap().outside_files, 1, "no configuration at all");
}

#[test]
fn an_edit_that_makes_a_struck_mention_a_call_is_seen_at_once() {
    let project = Project::checked();
    let text = FILES[3].1.replace("b.save(2);", "new A().save(2);");
    project.write("use.ts", &format!("import {{ A }} from './lib'; {text}"));
    let answer = project.callers("A.save");
    assert_eq!(answer, "verified 4; potential 3 5 6; non-calls 0, others 0");
    assert_eq!(project.kept(), 0, "the refresh changed facts");
}

#[test]
fn a_change_of_a_file_no_answer_cites_distrusts_all_verdicts() {
    let project = Project::checked();
    project.write("other.ts", "export const other = 1;\n");
    project.index(false);
    assert_eq!(project.kept(), 0, "a run that writes a file");
    project.check().unwrap();
    assert_eq!(project.callers("A.save"), CHECKED);
    project.write("other.ts", "export const other = 2;\n");
    assert_eq!(project.callers("A.save"), UNCHECKED, "its type may have decided what a receiver is");
    assert_eq!(project.kept(), 3, "nothing was written");
    project.write("other.ts", "export const other = 1;\n");
    assert_eq!(project.callers("A.save"), CHECKED, "the text TypeScript saw is back");
    fs::remove_file(project.root().join("other.ts")).unwrap();
    assert_eq!(project.callers("A.save"), UNCHECKED);
    project.index(false);
    assert_eq!(project.kept(), 0);
}

#[test]
fn verdicts_outlive_runs_that_write_nothing_and_no_full_run() {
    let project = Project::checked();
    project.index(false);
    assert_eq!((project.kept(), project.callers("A.save")), (3, CHECKED.to_owned()));
    let lib = project.root().join("lib.ts");
    fs::write(&lib, fs::read(&lib).unwrap()).unwrap();
    assert_eq!(project.callers("A.save"), CHECKED, "written again with the same text");
    project.index(false);
    assert_eq!(project.kept(), 3);
    project.index(true);
    assert_eq!((project.kept(), project.callers("A.save")), (0, UNCHECKED.to_owned()));
}

#[test]
fn verdicts_fall_with_the_configurations_they_rest_on() {
    for path in
        ["tsconfig.json", "package.json", "node_modules/.package-lock.json", "base/tsconfig.strict.json"]
    {
        let project = Project::new(&plan());
        project.write("base/tsconfig.strict.json", "{}\n");
        project.write("tsconfig.json", "{ \"extends\": \"./base/tsconfig.strict.json\" }\n");
        project.index(false);
        project.check().unwrap();
        assert_eq!(project.callers("A.save"), CHECKED);
        let before = fs::read_to_string(project.root().join(path)).unwrap_or_default();
        project.write(path, &format!("{before}\n"));
        assert_eq!(project.callers("A.save"), UNCHECKED, "{path}: before any run");
        project.index(false);
        assert_eq!(project.kept(), 0, "{path}: a run notices");
    }
}

#[test]
fn verdicts_fall_with_every_file_of_the_program() {
    let outside = tempfile::tempdir().unwrap();
    let above = outside.path().canonicalize().unwrap().join("above.d.ts");
    for path in ["gen/types.d.ts", "mid.mts", "node_modules/dep/index.d.ts", above.to_str().unwrap()] {
        let mut plan = plan();
        plan["files"] = json!(["lib.ts", "use.ts", path]);
        let project = Project::new(&plan);
        project.write(".gitignore", "gen\n");
        project.write("mast.config.json", r#"{ "file_extensions": ["ts"] }"#);
        project.write(path, "export type R = 1;\n");
        project.index(false);
        // A file that is as old as the question may have been another one when it was read.
        std::thread::sleep(Duration::from_millis(50));
        project.check().unwrap();
        assert_eq!(project.callers("A.save"), CHECKED, "{path}");
        project.write(path, "export type R = 2;\n");
        assert_eq!(project.callers("A.save"), UNCHECKED, "{path}: before any run");
        project.write(path, "export type R = 1;\n");
        assert_eq!(project.callers("A.save"), CHECKED, "{path}: as TypeScript saw it");
        fs::remove_file(project.root().join(path)).unwrap();
        assert_eq!(project.callers("A.save"), UNCHECKED, "{path}: gone");
        project.index(false);
        assert_eq!(project.kept(), 0, "{path}: a run notices");
    }
}

#[test]
fn what_comes_into_being_suspends_verdicts_before_any_run() {
    for path in [
        "new.ts",
        "sub/new.d.ts",
        "sub/new.mts",
        "sub/tsconfig.json",
        "sub/jsconfig.json",
        "sub/package.json",
        "gen/new.d.ts",
        "node_modules/@types/new/index.d.ts",
        "mast.config.json",
        "dir/new.txt",
    ] {
        let project = Project::new(&plan());
        project.write(".gitignore", "gen\nnode_modules\n");
        project.write("sub/a.ts", "export {};\n");
        project.write("gen/a.js", "");
        project.index(false);
        project.check().unwrap();
        project.write("sub/notes.txt", "");
        project.write("gen/chunk-1.js", "");
        assert_eq!(project.callers("A.save"), CHECKED, "what TypeScript does not read is nothing to it");
        project.write(path, "{}\n");
        let answer = project.ask("mast_callers", "A.save");
        assert_eq!(shown(&answer), UNCHECKED, "{path}");
        assert_eq!(answer["summary"]["checker_suspended"], true);
        if path != "dir/new.txt" {
            project.index(false);
            assert_eq!(project.kept(), 0, "{path}: a run notices");
        }
    }
}

#[test]
fn a_name_in_an_expression_that_is_called_stays_possible() {
    let project = Project::new(&plan());
    let text = "declare const a: any, c: any;\n(c ? a.save : c)();\n[a.save][0](1);\n(a.save || c)`x`;\nnew (c ? a.save : c)();\n[1].map(a.save);\n";
    project.write("use.ts", text);
    project.index(false);
    let mut plan = plan();
    plan["called"] = json!({});
    for place in ["2:8", "3:4", "4:4", "5:12", "6:11"] {
        plan["called"][format!("use.ts:{place}")] = json!(["lib.ts:1:18"]);
    }
    project.plan(&plan);
    let report = project.check().unwrap();
    // The last line: `a`, which nothing is known of, and what is passed.
    assert_eq!((report.asked, report.non_calls), (2, 1));
    assert_eq!(project.callers("A.save"), "verified ; potential 2 3 4 5; non-calls 1, others 0");
    assert_eq!(project.callers("B.save"), "verified ; potential 2 3 4 5; non-calls 1, others 0");
}

#[cfg(unix)]
#[test]
fn a_definition_behind_a_link_is_the_one_it_leads_to() {
    let mut plan = plan();
    plan["called"]["use.ts:3:3"] = json!(["node_modules/alias/lib.ts:1:18"]);
    plan["called"]["use.ts:4:3"] = json!(["node_modules/alias/dist/lib.d.ts:1:1"]);
    let project = Project::new(&plan);
    project.write("dist/lib.d.ts", "");
    project.write(".gitignore", "dist\nnode_modules\n");
    std::os::unix::fs::symlink(project.root(), project.root().join("node_modules/alias")).unwrap();
    project.index(false);
    project.check().unwrap();
    assert_eq!(project.callers("A.save"), "verified 3; potential 4 6; non-calls 1, others 0");
}

#[test]
fn a_project_that_cannot_be_used_is_left_out_and_the_others_are_asked() {
    let project = Project::new(&plan());
    project.write("base.json", "{ \"extends\": \"./loop.json\" }\n");
    project.write("loop.json", "{ \"extends\": [\"./base.json\"] }\n");
    for (directory, text) in [("a", "{ \"extends\": \"../base\" }"), ("b", "{ nonsense"), ("c", "{ }")] {
        project.write(&format!("{directory}/tsconfig.json"), text);
        project.write(&format!("{directory}/use.ts"), "declare const it: any; it.save();\n");
    }
    project.index(false);
    let report = project.check().unwrap();
    assert_eq!(
        report.left_out_projects,
        ["a/tsconfig.json leads to loop.json, which extends itself", "b/tsconfig.json is no JSON object",]
    );
    assert_eq!((report.asked, report.projects), (6, 1));
    let answer = project.ask("mast_callers", "A.save");
    assert_eq!(shown(&answer), "verified 3; potential 1 1 1 6; non-calls 1, others 1");
}

#[test]
fn a_project_of_unknown_files_is_left_out() {
    let mut plan = plan();
    plan["files"] = json!([]);
    let project = Project::new(&plan);
    let report = project.check().unwrap();
    assert_eq!((report.asked, report.left_out_projects.len()), (0, 1));
    assert!(report.left_out_projects[0].ends_with("tsconfig.json does not say what it consists of"));
    assert_eq!(project.callers("A.save"), UNCHECKED);
}

#[test]
fn files_whose_lines_are_counted_in_two_ways_are_counted() {
    let project = Project::new(&plan());
    project.write("use.ts", &format!("// a\u{2029}b\n{}", FILES[3].1));
    project.write("other.ts", "// a\u{2028}b, with nothing to ask about\n");
    project.index(false);
    let report = project.check().unwrap();
    assert_eq!((report.asked, report.unreadable_files), (0, 1));
}

#[test]
fn what_changes_while_typescript_is_asked_leaves_no_verdict() {
    let mut plan = plan();
    plan["misbehave"] = json!("edit");
    plan["edit"] = json!("lib.ts");
    let project = Project::new(&plan);
    let error = project.check().unwrap_err();
    assert!(matches!(error, Error::Busy(_)), "{error}");
    assert!(error.to_string().starts_with("files changed while TypeScript was asked"), "{error}");
    assert_eq!(project.kept(), 0);
}

#[test]
fn an_index_run_during_the_pass_leaves_no_verdict() {
    let project = Project::new(&plan());
    let progress = |_| {
        project.write("other.ts", "export const other = 1;\n");
        project.index(false);
    };
    let context = CallContext { progress: Some(&progress), ..CallContext::default() };
    let error = project.engine.check(&CheckRequest::default(), &context).unwrap_err();
    assert!(error.to_string().starts_with("the index changed while TypeScript was asked"), "{error}");
    assert_eq!(project.kept(), 0);
}

#[test]
fn a_file_that_differs_from_the_index_is_not_asked_about() {
    let project = Project::new(&plan());
    project.write("use.ts", &FILES[3].1.replace("save(1)", "save(9)"));
    let report = project.check().unwrap();
    assert_eq!((report.asked, report.changed_files), (0, 1));
}

#[test]
fn typescript_that_fails_is_one_line_and_leaves_everything_as_it_was() {
    for (misbehave, what) in [
        (
            "crash",
            "TypeScript 5.9.3 ended unexpectedly (exit status: 3: Error: Cannot find module for example); ",
        ),
        (
            "crash midway",
            "TypeScript 5.9.3 ended unexpectedly (exit status: 7: RangeError: out of memory, for example); ",
        ),
        (
            "garbage",
            "TypeScript 5.9.3 sent what is no message of its protocol (\"Welcome to TypeScript!\"); ",
        ),
        (
            "garbage midway",
            "TypeScript 5.9.3 sent what is no message of its protocol (\"Segmentation fault\"); ",
        ),
        ("half a message", "TypeScript 5.9.3 ended unexpectedly (exit status: 0); "),
        ("hang", "TypeScript 5.9.3 did not answer within 1.5 seconds; "),
        ("hang midway", "TypeScript 5.9.3 did not answer within 1.5 seconds; "),
        ("hang, chatting", "TypeScript 5.9.3 did not answer within 1.5 seconds; "),
    ] {
        let project = Project::checked();
        let mut plan = plan();
        plan["misbehave"] = json!(misbehave);
        project.plan(&plan);
        // A slow machine must not be taken for a process that hangs.
        let answer = Duration::from_millis(if misbehave.starts_with("hang") { 1500 } else { 60_000 });
        let error = project.check_within(answer, Duration::from_secs(120)).unwrap_err();
        // How Windows calls it.
        let line = error.to_string().replace("exit code: ", "exit status: ");
        assert!(matches!(error, Error::Checker(_)) && line.starts_with(what), "{misbehave}: {line}");
        assert!(line.ends_with("name another TypeScript with --typescript <dir>"), "{line}");
        assert_eq!(project.callers("A.save"), CHECKED, "{misbehave}: what an earlier pass found still holds");
    }
}

#[test]
fn single_refusals_leave_mentions_open() {
    let mut plan = plan();
    plan["misbehave"] = json!("refuse");
    let project = Project::new(&plan);
    let report = project.check().unwrap();
    assert_eq!((report.asked, report.unresolved), (4, 4));
    assert_eq!(project.callers("A.save"), UNCHECKED);
}

#[test]
fn when_the_time_is_over_what_is_left_is_counted() {
    // One answers too slowly, one says something all the time.
    for misbehave in ["slow", "hang, chatting"] {
        let mut plan = plan();
        plan["misbehave"] = json!(misbehave);
        let project = Project::new(&plan);
        let report = project.check_within(Duration::from_secs(60), Duration::from_millis(800)).unwrap();
        assert_eq!((report.asked, report.out_of_time), (0, 4), "{misbehave}");
        assert_eq!(project.callers("A.save"), UNCHECKED);
    }
}

#[test]
fn a_pass_can_be_cancelled() {
    let mut plan = plan();
    plan["misbehave"] = json!("hang");
    let project = Project::new(&plan);
    let cancel = Cancel::default();
    let context = CallContext { cancel: cancel.clone(), progress: None };
    std::thread::scope(|threads| {
        let pass = threads.spawn(|| project.engine.check(&CheckRequest::default(), &context));
        std::thread::sleep(Duration::from_millis(300));
        cancel.cancel();
        assert!(matches!(pass.join().unwrap(), Err(Error::Cancelled)));
    });
    assert_eq!(project.kept(), 0);
}
