//! Arbitrary bytes as the input of hooks: exit code 0, and at most one line on standard error.

use crate::mutate::{Corpus, fuzz};
use crate::sandbox::Sandbox;

const SEEDS: [&str; 4] = [
    r#"{"hook_event_name":"PreToolUse","tool_name":"Grep","tool_input":{"pattern":"openStore","path":"src","glob":"*.ts","type":"ts"},"cwd":"."}"#,
    r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rg -n 'open Store' src | head"},"cwd":"."}"#,
    r#"{"hook_event_name":"SessionStart","source":"startup","cwd":".","workspace_roots":["."]}"#,
    r#"{"toolName":"grep_search","toolArgs":"{\"query\":\"x\"}","workspaceFolder":"."}"#,
];

const WORDS: [&str; 16] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "null",
    "$(",
    "`",
    "|",
    "\n",
    "\u{0}",
    "**/*.{ts,",
    "../..",
    "\\ud800",
];

#[test]
fn arbitrary_hook_input_ends_well() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root.join("a.ts"), "export function openStore() {}\n").unwrap();
    assert_eq!(sandbox.mast(&["index"]).code, 0);
    let program = sandbox.bin.join("mast");
    let harnesses = ["claude", "cursor", "vscode", "codex", "gemini"];
    let corpus = Corpus { seeds: &SEEDS, words: &WORDS };
    fuzz("hook", &corpus, &mut |input, random| {
        let event = ["search", "session-start"][random.below(2)];
        let run = sandbox.run(&program, &["hook", harnesses[random.below(5)], event], input);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.err.is_empty() || run.err.starts_with("mast: hook: "), "{run:?}");
        assert!(run.err.lines().count() <= 1, "{run:?}");
    });
}
