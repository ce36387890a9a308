//! `mast docs`, and the claims the documents make about themselves.

use std::collections::BTreeSet;

use mast_core::tools::TOOLS;
use serde_json::Value;

use crate::sandbox::Sandbox;

#[test]
fn every_topic_is_listed_and_printed() {
    let sandbox = Sandbox::new();
    let list = sandbox.mast(&["docs"]);
    assert_eq!(list.code, 0);
    assert!(list.out.contains(env!("CARGO_PKG_VERSION")), "{}", list.out);
    for (topic, heading) in [
        ("readme", "# "),
        ("spec", "# MAST specification"),
        ("skill", "# Finding code"),
        ("signals", "# Reading the signals"),
        ("errors", "# Errors"),
        ("harnesses", "# What `mast setup` writes"),
    ] {
        assert!(list.out.contains(&format!("mast docs {topic}")), "{}", list.out);
        let run = sandbox.mast(&["docs", topic]);
        assert_eq!(run.code, 0);
        assert!(run.out.starts_with(heading), "{topic}: {:.80}", run.out);
    }
    assert_eq!(sandbox.mast(&["docs", "skill"]).out, sandbox.mast(&["skill"]).out);
}

#[test]
fn prime_exits_zero_and_withholds_the_rules_without_an_index() {
    let sandbox = Sandbox::new();
    let run = sandbox.mast(&["prime"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.out.contains("mast_rename_impact"), "no rules: {}", run.out);
    assert!(!sandbox.exists(".mast"), "nothing is created");
}

#[cfg(target_os = "linux")]
#[test]
fn prime_exits_zero_where_nothing_can_be_written() {
    let sandbox = Sandbox::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = sandbox.command(&sandbox.bin.join("mast")).arg("prime").stdout(full).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), line.lines().count()), (Some(0), 1), "{line}");
}

#[test]
fn completions_know_the_commands() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = sandbox.mast(&["completions", shell]);
        assert_eq!(run.code, 0, "{shell}");
        assert!(run.out.contains("install-hooks"), "{shell}");
    }
    let zsh = sandbox.mast(&["completions", "zsh"]).out;
    for words in ["(readme spec skill signals errors harnesses)", "mast_rename_impact", "windsurf"] {
        assert!(zsh.contains(words), "{words}");
    }
    // After `mast hook` and `mast setup`.
    let script = sandbox.mast(&["completions", "bash"]).out;
    for (command, values) in [
        ("hook", "claude cursor vscode codex gemini session-start search"),
        ("setup", "claude cursor vscode windsurf zed desktop codex gemini"),
    ] {
        let (_, after) =
            script.split_once(&format!("mast__subcmd__{command})\n")).unwrap_or_else(|| panic!("{script}"));
        let options = after.lines().find(|line| line.contains("opts=")).unwrap();
        assert!(options.contains(values), "{command}: {options}");
    }
}

#[test]
fn bash_offers_what_can_follow() {
    let sandbox = Sandbox::new();
    let script = sandbox.mast(&["completions", "bash"]).out;
    let offered = |words: &[&str]| {
        let line = format!(
            "{script}\nCOMP_WORDS=({}); COMP_CWORD={}; _mast mast '{}' '{}'; echo \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        sandbox.run("/bin/bash".as_ref(), &["-c", &line], b"").out
    };
    assert_eq!(offered(&["mast", "docs", "si"]), "signals\n");
    assert_eq!(offered(&["mast", "query", "mast_st"]), "mast_status\n");
    assert_eq!(offered(&["mast", "setup", "win"]), "windsurf\n");
}

/// The names of all properties in a schema.
fn properties<'a>(schema: &'a Value, names: &mut BTreeSet<&'a str>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                names.extend(properties.keys().map(String::as_str));
            }
            map.values().for_each(|value| properties(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| properties(value, names)),
        _ => {}
    }
}

#[test]
fn every_signal_of_every_tool_is_explained() {
    let sandbox = Sandbox::new();
    let guide = sandbox.mast(&["docs", "signals"]).out;
    let mut names = BTreeSet::new();
    for tool in TOOLS {
        properties(tool.output_schema(), &mut names);
    }
    let is_signal = |name: &&str| {
        name.ends_with("truncated")
            || [
                "stale",
                "index_empty",
                "index_building",
                "unindexed_files",
                "changed_files",
                "excluded_files",
            ]
            .contains(name)
            || ["not_found", "not_indexed", "pending_edge", "returning_stale", "freshness_cause"]
                .iter()
                .any(|part| name.contains(part))
    };
    let signals: Vec<&str> = names.into_iter().filter(is_signal).collect();
    assert!(signals.len() > 5, "the schemas were read: {signals:?}");
    for signal in signals {
        assert!(guide.contains(&format!("`{signal}")), "{signal}");
    }
}

#[test]
fn the_specification_names_every_tool_and_every_command() {
    let sandbox = Sandbox::new();
    let spec = sandbox.mast(&["docs", "spec"]).out;
    for tool in TOOLS {
        assert!(spec.contains(&format!(" `{}`\n", tool.name)), "{}", tool.name);
    }
    let help = sandbox.mast(&["--help"]).out;
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names =
        commands.filter(|line| !line.starts_with("    ")).filter_map(|line| line.split_whitespace().next());
    for name in names {
        assert!(spec.contains(&format!("`mast {name}")), "{name}");
    }
}

#[test]
fn prime_follows_the_index() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.ts", "export function foo() {}\n");
    assert_eq!(sandbox.mast(&["init"]).code, 0);
    let fresh = sandbox.mast(&["prime"]).out;
    assert!(fresh.contains("mast_rename_impact"), "{fresh}");
    assert!(
        fresh
            .ends_with("Index: 1 file, last indexed less than a minute ago; it matches the files on disk.\n"),
        "{fresh}"
    );
    sandbox.write("src/b.ts", "export function bar() {}\n");
    let stale = sandbox.mast(&["prime"]).out;
    assert!(stale.contains("stale: 0 changed, 1 unindexed, 0 deleted. Calling mast_reindex"), "{stale}");
    sandbox.write(".mast/index.json", "{\"schema_version\": \"99.0.0\", \"file_count\": 1}");
    let newer = sandbox.mast(&["prime"]);
    assert!(
        newer.code == 0 && newer.out.contains("99.0.0") && !newer.out.contains("mast_rename_impact"),
        "{newer:?}"
    );
}
