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

/// What help texts show to be typed, without the explanations behind it.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example"));
    let commands = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| line.starts_with("mast ")));
    commands.map(|line| line.split("   ").next().unwrap_or(line).trim_end().to_owned()).collect()
}

/// A project in which every example has something to work on.
fn example_project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "# Example\n\n## Install\n\nnpm install\n");
    sandbox.write(
        "src/users.ts",
        "export interface UserStore { get(): void }\nexport function createUser() {}\n",
    );
    sandbox.write("packages/app/a.ts", "export const a = 1;\n");
    sandbox.write("tsconfig.json", "{}\n");
    sandbox.write("AGENTS.md", "# Rules\n");
    let typescript = "node_modules/typescript";
    sandbox.write(&format!("{typescript}/package.json"), r#"{"name": "typescript", "version": "5.9.3"}"#);
    sandbox.write(&format!("{typescript}/plan.json"), r#"{"misbehave": "", "called": {}}"#);
    sandbox.write(&format!("{typescript}/lib/tsserver.js"), include_str!("../checker/fake-tsserver.js"));
    std::fs::create_dir(sandbox.home.join(".zfunc")).unwrap();
    for command in [&["index"][..], &["setup", "cursor"], &["setup", "zed"]] {
        assert_eq!(sandbox.mast(command).code, 0, "{command:?}");
    }
    sandbox
}

#[test]
fn every_example_of_the_help_runs() {
    let sandbox = example_project();
    let mut all = examples(&sandbox.mast(&["--help"]).out);
    assert_eq!(all.len(), 4, "{all:?}");
    for (command, _) in COMMANDS {
        all.extend(examples(&sandbox.mast(&[command, "--help"]).out));
    }
    for tool in mast_core::tools::TOOLS {
        let one = examples(&sandbox.mast(&["query", tool.name, "--help"]).out);
        assert_eq!(one.len(), 1, "{}: {one:?}", tool.name);
        all.extend(one);
    }
    for example in all {
        // The example names a place of its own on the reader's machine.
        let example = example.replace("/var/cache/mast", sandbox.home.to_str().unwrap());
        let run = sandbox.run("/bin/sh".as_ref(), &["-c", &example], b"");
        assert_eq!(run.code, 0, "{example}: {run:?}");
        assert!(!run.out.contains("\"errors\""), "{example}: {}", run.out);
    }
}

#[test]
fn lines_of_help_break_where_they_are_full() {
    let sandbox = Sandbox::new();
    for (command, _) in COMMANDS {
        let help = sandbox.mast(&[command, "--help"]).out;
        let lines: Vec<&str> = help.lines().collect();
        for pair in lines.windows(2) {
            let is_prose = |line: &str| line.starts_with(|c: char| !c.is_whitespace());
            if is_prose(pair[0]) && is_prose(pair[1]) {
                let next = pair[1].split(' ').next().unwrap_or_default();
                let joined = pair[0].chars().count() + 1 + next.chars().count();
                assert!(joined > 100, "{command}: {pair:?}");
            }
        }
    }
}
