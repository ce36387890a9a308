//! Every command and flag of the contract is there, by the help the program prints.

use crate::sandbox::Sandbox;

const COMMANDS: [(&str, &[&str]); 16] = [
    ("init", &["[path]", "--state-dir", "--extensions", "--exclude", "--no-index"]),
    (
        "search",
        &[
            "<query>",
            "[path]",
            "-n",
            "--limit",
            "-t",
            "--type",
            "-l",
            "--language",
            "-e",
            "--exported",
            "-f",
            "--file",
            "--state-dir",
            "--reindex",
            "--json",
        ],
    ),
    ("index", &["[path]", "--state-dir", "--incremental", "--show-progress", "--checker"]),
    ("serve", &["--state-dir", "--no-startup-reindex", "--no-watch", "--watch"]),
    ("status", &["[path]", "--state-dir", "--json"]),
    ("walk", &["[path]", "--depth", "--files", "--state-dir", "--json"]),
    ("metrics", &["[path]", "--since", "--rollup", "--vacuum", "--keep-days", "--state-dir"]),
    ("install-hooks", &["[path]", "--remove"]),
    ("query", &["<tool>", "[json", "[path]", "--state-dir", "--reindex", "--json"]),
    ("docs", &["[topic]"]),
    ("skill", &["[path]", "--install", "--remove", "--dry-run"]),
    ("prime", &["[path]", "--state-dir"]),
    (
        "hook",
        &["harness", "event", "claude", "cursor", "vscode", "codex", "gemini", "session-start", "search"],
    ),
    (
        "setup",
        &[
            "<harness>",
            "claude, cursor, vscode, windsurf, zed, desktop, codex",
            "gemini",
            "[path]",
            "--global",
            "--check",
            "--remove",
            "--dry-run",
        ],
    ),
    ("upgrade", &["[path]"]),
    ("completions", &["<shell>"]),
];

#[test]
fn every_command_and_flag_is_in_the_help() {
    let sandbox = Sandbox::new();
    let all = sandbox.mast(&["--help"]);
    assert_eq!(all.code, 0);
    for (command, flags) in COMMANDS {
        assert!(
            all.out.lines().any(|line| line.trim_start().starts_with(&format!("{command} "))),
            "{command}: {}",
            all.out
        );
        let help = sandbox.mast(&[command, "--help"]);
        assert_eq!(help.code, 0, "{command}");
        let lower = help.out.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| c.is_whitespace() || c == ',').collect();
        for flag in flags {
            let is_there = if flag.starts_with('-') { words.contains(flag) } else { lower.contains(flag) };
            assert!(is_there, "{command} {flag}: {}", help.out);
        }
    }
    let version = sandbox.mast(&["--version"]);
    assert_eq!(version.out.trim(), format!("mast {}", env!("CARGO_PKG_VERSION")));
}
