//! A state directory that cannot be written: the disk is full, or nobody may write there. The old index stays whole and
//! answers; what cannot be brought up to date says so.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::Project;

/// Enough to outgrow every limit of these tests.
const FILES: usize = 40;

fn text(at: usize, round: usize) -> String {
    let body = format!("  total += value * {round}; // part {at} of the sum\n").repeat(200);
    format!(
        "export function sum{at}(value: Round{round}): number {{\n  let total = 0;\n{body}  return total;\n}}\n"
    )
}

fn write_files(project: &Project, round: usize) {
    for at in 0..FILES {
        project.write(&format!("src/f{at}.ts"), &text(at, round));
    }
}

/// Runs `mast` where no file may grow beyond `blocks` of 512 bytes: what a full disk does to those who write.
fn with_small_disk(project: &Project, blocks: u32, arguments: &str) -> Output {
    let mast = env!("CARGO_BIN_EXE_mast");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{mast}' {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(project.root());
    command.env("HOME", project.root().parent().unwrap().join("home")).env_remove("MAST_STATE_DIR");
    command.output().unwrap()
}

/// Exit code 1, nothing on standard output, one line on standard error.
#[track_caller]
fn check_refused(output: &Output, part: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{stderr}");
    assert!(stderr.starts_with("mast: ") && stderr.contains(part), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

fn answer(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_full_disk_during_a_run_leaves_the_old_index() {
    let project = Project::new(&[]);
    write_files(&project, 1);
    assert_eq!(project.mast(&["index"]).code, 0);
    write_files(&project, 2);
    for arguments in ["index --incremental", "index"] {
        check_refused(&with_small_disk(&project, 100, arguments), "the index cannot be written: ");
    }
    let found = project.mast(&["query", "mast_search", r#"{"query":"sum7"}"#, "--json"]);
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["results"][0]["symbol_name"], "sum7");
    assert!(found["results"][0]["content"].as_str().unwrap().contains("Round1"), "the old text");
    assert_eq!(found["results"][0]["stale"], true, "which is marked");
    assert_eq!(project.mast(&["index", "--incremental"]).code, 0, "space again, and the run goes through");
    assert_eq!(project.mast(&["status"]).code, 0);
}

#[test]
fn a_full_disk_during_the_first_run_is_one_line() {
    let project = Project::new(&[]);
    write_files(&project, 1);
    for blocks in [0, 1, 40, 200] {
        let output = with_small_disk(&project, blocks, "index");
        assert_eq!(output.status.code(), Some(1), "{blocks}: {output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with("mast: ") && stderr.lines().count() == 1, "{blocks}: {stderr}");
    }
    let ran = project.mast(&["index"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert!(!project.exists(".mast/graph.db.damaged"), "nothing was taken for damaged");
}

#[test]
fn a_full_disk_during_a_question_gives_the_old_answer_flagged() {
    let project = Project::new(&[]);
    write_files(&project, 1);
    assert_eq!(project.mast(&["index"]).code, 0);
    project.write("src/f7.ts", &text(7, 2));
    for blocks in [0, 64] {
        let output = with_small_disk(&project, blocks, r#"query mast_signature '{"symbol":"sum7"}' --json"#);
        let answer = answer(&output);
        assert_eq!(answer["file_busy_returning_stale_cache"], true, "{blocks}: {answer}");
        assert!(answer["results"][0]["signature"].as_str().unwrap().contains("Round1"), "{answer}");
    }
    let output = with_small_disk(&project, 1 << 20, r#"query mast_signature '{"symbol":"sum7"}' --json"#);
    assert!(answer(&output)["results"][0]["signature"].as_str().unwrap().contains("Round2"));
}

/// A project whose state directory may be read and not written by who asks.
struct ReadOnly {
    project: Project,
    mast: PathBuf,
    is_root: bool,
}

impl ReadOnly {
    fn new() -> Self {
        Self::of(Project::indexed(&[("src/a.ts", "export function before(): void {}\n")]))
    }

    fn of(project: Project) -> Self {
        let outer = project.root().parent().unwrap().to_path_buf();
        // The superuser may write anywhere, so the questions are asked by somebody else, who must get at everything.
        let is_root = fs::metadata(&outer).unwrap().uid() == 0;
        let mast = outer.join("mast");
        fs::hard_link(env!("CARGO_BIN_EXE_mast"), &mast)
            .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_mast"), &mast).map(drop))
            .unwrap();
        fs::set_permissions(&outer, Permissions::from_mode(0o755)).unwrap();
        let read_only = Self { project, mast, is_root };
        read_only.permit(0o555, 0o444);
        read_only
    }

    fn permit(&self, directory: u32, file: u32) {
        let state = self.project.root().join(".mast");
        for entry in fs::read_dir(&state).unwrap() {
            fs::set_permissions(entry.unwrap().path(), Permissions::from_mode(file)).unwrap();
        }
        fs::set_permissions(&state, Permissions::from_mode(directory)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.mast);
        command.args(arguments).current_dir(self.project.root()).env_remove("MAST_STATE_DIR");
        command.env("HOME", Path::new("/nowhere"));
        if self.is_root {
            command.uid(65_534).gid(65_534);
        }
        command
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        self.permit(0o755, 0o644);
    }
}

#[test]
fn a_read_only_state_directory_answers_and_says_what_is_stale() {
    let read_only = ReadOnly::new();
    let ask = |tool: &str, arguments: &str| {
        answer(&read_only.command(&["query", tool, arguments, "--json"]).output().unwrap())
    };
    let fresh = ask("mast_signature", r#"{"symbol":"before"}"#);
    assert_eq!(fresh["results"][0]["signature"], "export function before(): void");
    assert_eq!(fresh.get("file_busy_returning_stale_cache"), None);

    // Written again as it was: there is a stamp to be kept, which cannot be, and nothing that is out of date.
    read_only.project.write("src/a.ts", "export function before(): void {}\n");
    let same = ask("mast_signature", r#"{"symbol":"before"}"#);
    assert_eq!(same.get("file_busy_returning_stale_cache"), None);

    read_only.project.write("src/a.ts", "export function before(after: boolean): void {}\n");
    let stale = ask("mast_signature", r#"{"symbol":"before"}"#);
    assert_eq!(stale["results"][0]["signature"], "export function before(): void");
    assert_eq!(stale["file_busy_returning_stale_cache"], true);
    assert_eq!(ask("mast_search", r#"{"query":"before"}"#)["results"][0]["stale"], true);
    for arguments in [&["index"][..], &["index", "--incremental"]] {
        check_refused(&read_only.command(arguments).output().unwrap(), "ermission denied");
        check_refused(&read_only.command(arguments).output().unwrap(), "MAST_STATE_DIR");
    }
}

#[test]
fn a_read_only_state_directory_gives_its_metrics_and_keeps_them() {
    let read_only = ReadOnly::new();
    read_only.permit(0o755, 0o644);
    // One call in the database, one in the journal.
    let ask = || assert_eq!(read_only.project.mast(&["search", "before"]).code, 0);
    let calls = |output: &Output| answer(output)["tools"][0]["calls"].clone();
    ask();
    assert_eq!(read_only.project.mast(&["metrics"]).code, 0);
    ask();
    read_only.permit(0o555, 0o444);
    for _ in 0..2 {
        assert_eq!(calls(&read_only.command(&["metrics", "--json"]).output().unwrap()), 2);
    }
    check_refused(&read_only.command(&["metrics", "--rollup"]).output().unwrap(), "MAST_STATE_DIR");
    read_only.permit(0o755, 0o644);
    let report = read_only.project.mast(&["metrics", "--json"]);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["tools"][0]["calls"], 2, "none was lost, none counted twice");
}

#[test]
fn a_server_over_a_read_only_state_directory_answers() {
    let read_only = ReadOnly::new();
    let mut server = read_only
        .command(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let frames = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
        }}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "mast_search", "arguments": {"query": "before"}
        }}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "mast_reindex"}}),
    ];
    for frame in frames {
        writeln!(stdin, "{frame}").unwrap();
    }
    drop(stdin);
    let output = server.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let response = |id: u64| {
        let found = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        found.into_iter().find(|frame| frame["id"] == id).unwrap()
    };
    assert_eq!(response(2)["result"]["structuredContent"]["results"][0]["symbol_name"], "before");
    let refused = response(3)["result"].clone();
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("ermission denied"), "{refused}");
    assert!(stderr.contains("the index is not kept up to date"), "{stderr}");
}

#[test]
fn what_lies_in_a_directory_that_cannot_be_read_is_kept_and_counted_as_changed() {
    let project = Project::indexed(&[
        ("src/a.ts", "export function a(): void {}\n"),
        ("src/fill/b.ts", "import { a } from \"../a\";\n\na();\n"),
    ]);
    let read_only = ReadOnly::of(project);
    let hidden = read_only.project.root().join("src/fill");
    read_only.permit(0o777, 0o666);
    fs::set_permissions(&hidden, Permissions::from_mode(0o000)).unwrap();
    let run = |arguments: &[&str]| read_only.command(arguments).output().unwrap();
    let ran = run(&["index", "--incremental"]);
    let status = answer(&run(&["status", "--json"]));
    let callers = answer(&run(&["query", "mast_callers", r#"{"symbol":"a"}"#, "--json"]));
    fs::set_permissions(&hidden, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!((&status["indexed_files"], &status["index_fresh"]), (&json!(2), &json!(false)));
    assert_eq!(status["parse_error_files"][0]["file_path"], "src/fill");
    assert_eq!(callers["changed_files"], 1);
    assert_eq!(callers["verified_callers"][0]["file_path"], "src/fill/b.ts");
    assert_eq!(run(&["index", "--incremental"]).status.code(), Some(0));
    let status = answer(&run(&["status", "--json"]));
    assert_eq!((&status["index_fresh"], &status["parse_errors"]), (&json!(true), &json!(0)));
}
