//! `mast setup`: what it writes, and that it leaves the rest alone.
//!
//! The file after an installation is compared with `golden/<harness>-<case>.txt`; set `MAST_UPDATE_GOLDEN=1` to write
//! those files anew, and read the difference before committing it.

use std::path::Path;
use std::{env, fs};

use crate::sandbox::{Sandbox, place_program};

/// A harness with a hook file, and files that may be there before. `{event}` and `{other}` are filled in.
struct HookFile {
    harness: &'static str,
    path: &'static str,
    /// An entry of somebody else, as an element of an event's list.
    foreign: &'static str,
    /// An entry of ours by an older installation, as an element of an event's list.
    older: &'static str,
    session_event: &'static str,
    search_event: &'static str,
    head: &'static str,
}

const HOOK_FILES: [HookFile; 5] = [
    HookFile {
        harness: "claude",
        path: ".claude/settings.json",
        foreign: r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh", "timeout": 3}]}"#,
        older: r#"{"matcher": "Grep|Glob", "hooks": [{"type": "command", "command": "node \"/old place/index.js\" hook claude search", "timeout": 3}]}"#,
        session_event: "SessionStart",
        search_event: "PreToolUse",
        head: "",
    },
    HookFile {
        harness: "cursor",
        path: ".cursor/hooks.json",
        foreign: r#"{"command": "./lint.sh", "matcher": "Shell"}"#,
        older: r#"{"command": "node /old/index.js hook cursor search", "matcher": "Grep"}"#,
        session_event: "sessionStart",
        search_event: "postToolUse",
        head: "\"version\": 1, ",
    },
    HookFile {
        harness: "vscode",
        path: ".github/hooks/mast.json",
        foreign: r#"{"type": "command", "command": "./lint.sh"}"#,
        older: r#"{"type": "command", "command": "/old/mast hook vscode session-start", "timeout": 5}"#,
        session_event: "SessionStart",
        search_event: "SessionStart",
        head: "\"version\": 1, ",
    },
    HookFile {
        harness: "codex",
        path: ".codex/hooks.json",
        foreign: r#"{"hooks": [{"type": "command", "command": "lint.sh"}]}"#,
        older: r#"{"hooks": [{"type": "command", "command": "/old/mast hook codex session-start"}]}"#,
        session_event: "SessionStart",
        search_event: "SessionStart",
        head: "",
    },
    HookFile {
        harness: "gemini",
        path: ".gemini/settings.json",
        foreign: r#"{"hooks": [{"type": "command", "command": "lint.sh", "name": "lint"}]}"#,
        older: r#"{"hooks": [{"type": "command", "command": "/old/mast hook gemini session-start"}]}"#,
        session_event: "SessionStart",
        search_event: "SessionStart",
        head: "",
    },
];

impl HookFile {
    /// The files an installation may meet; `None` for no file.
    fn cases(&self) -> Vec<(&'static str, Option<String>)> {
        let Self { foreign, older, session_event, search_event, head, .. } = self;
        let version = if head.is_empty() { "" } else { "  \"version\": 1,\n" };
        let other_hooks = format!(
            "{{\n{version}  \"model\": \"opus\",\n  \"hooks\": {{\n    \"{search_event}\": [\n      {foreign}\n    ],\n    \"Stop\": []\n  }},\n  \"last\": [1, 2.50, 1e3]\n}}\n"
        );
        let older = format!(
            "{{\n{version}  \"hooks\": {{\n    \"{search_event}\": [\n      {older},\n      {foreign}\n    ]\n  }}\n}}\n"
        );
        let comments = format!(
            "// top\n{{\n{version}  // before\n  \"a\": 1, // after a\n  \"hooks\": {{\n    /* none yet */\n    \"{session_event}\": [\n      {foreign}, // theirs\n    ], // end of list\n  }}, /* end of hooks */\n  // last words\n}}\n"
        );
        vec![
            ("fresh", None),
            ("empty-object", Some("{}".into())),
            ("empty-object-line", Some("{}\n".into())),
            ("version-alone", Some(format!("{{\n{}\n}}\n", version.trim_end_matches(",\n")))),
            ("half-a-character", Some("{\"a\": \"x\\ud83d\", \"b\": [\"\\ude00\\uD83D\\uDE00\"]}\n".into())),
            ("empty-lists", Some(format!("{{\n{version}  \"hooks\": {{ \"{session_event}\": [] }}\n}}\n"))),
            ("other-keys", Some(format!("{{\n{version}  \"model\": \"opus\"\n}}\n"))),
            ("other-hooks", Some(other_hooks.clone())),
            ("older-entry", Some(older)),
            ("crlf", Some(other_hooks.replace('\n', "\r\n"))),
            ("tabs", Some(other_hooks.replace("  ", "\t"))),
            ("no-final-newline", Some(other_hooks.trim_end().to_owned())),
            ("byte-order-mark", Some(format!("\u{feff}{other_hooks}"))),
            ("comments", Some(comments)),
            (
                "one-line",
                Some(format!("{{{head}\"hooks\": {{\"{search_event}\": [{foreign}]}}, \"b\": {{}}}}\n")),
            ),
        ]
    }
}

/// Cases with nothing in the file but what MAST writes beside its hooks.
const HOLLOW: [&str; 3] = ["empty-object", "empty-object-line", "version-alone"];

fn check_golden(name: &str, text: &str) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/harness/golden").join(format!("{name}.txt"));
    if env::var_os("MAST_UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name}");
}

#[test]
fn hooks_are_installed_checked_and_removed_without_touching_the_rest() {
    for file in &HOOK_FILES {
        for (case, before) in file.cases() {
            let name = format!("{}-{case}", file.harness);
            let sandbox = Sandbox::new();
            if let Some(before) = &before {
                sandbox.write(file.path, before);
            }
            let setup = |flags: &[&str]| sandbox.mast(&[&["setup", file.harness], flags].concat());

            assert_eq!(setup(&["--check"]).code, 1, "{name}: not installed yet");
            let dry = setup(&["--dry-run"]);
            assert_eq!((dry.code, sandbox.exists(file.path)), (0, before.is_some()), "{name}: {dry:?}");
            if let Some(before) = &before {
                assert_eq!(&sandbox.read(file.path), before, "{name}: a dry run writes nothing");
            }

            let run = setup(&[]);
            assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}: {run:?}");
            let installed = sandbox.read(file.path);
            check_golden(&name, &installed);
            assert!(
                dry.out.contains(installed.trim_end()),
                "{name}: the dry run told the truth: {}",
                dry.out
            );

            let written = fs::metadata(sandbox.root.join(file.path)).unwrap().modified().unwrap();
            assert_eq!(setup(&["--check"]).code, 0, "{name}");
            let again = setup(&[]);
            assert_eq!(again.code, 0, "{name}");
            assert!(again.out.contains("unchanged"), "{name}: {again:?}");
            assert_eq!(sandbox.read(file.path), installed, "{name}: again changes nothing");
            let now = fs::metadata(sandbox.root.join(file.path)).unwrap().modified().unwrap();
            assert_eq!(now, written, "{name}: again does not write");

            assert_eq!(setup(&["--remove", "--dry-run"]).code, 0, "{name}");
            assert_eq!(sandbox.read(file.path), installed, "{name}: a dry removal writes nothing");
            assert_eq!(setup(&["--remove"]).code, 0, "{name}");
            match before {
                None => {
                    let left = fs::read_dir(&sandbox.root).unwrap().count();
                    assert_eq!(left, 0, "{name}: what was made goes with its directories");
                }
                // Our own entry was there before; the rest is what it was.
                Some(_) if case == "older-entry" => {
                    let rest = sandbox.read(file.path);
                    assert!(rest.contains(file.foreign) && !rest.contains("mast hook"), "{name}: {rest}");
                }
                // Ours by name, it goes when it is empty.
                Some(_) if file.harness == "vscode" && HOLLOW.contains(&case) => {
                    assert!(!sandbox.exists(file.path), "{name}");
                }
                Some(before) => {
                    assert_eq!(sandbox.read(file.path), before, "{name}: byte for byte as before");
                }
            }
            assert_eq!(setup(&["--check"]).code, 1, "{name}: no longer installed");
            let nothing = setup(&["--remove"]);
            assert_eq!((nothing.code, nothing.out.contains("nothing")), (0, true), "{name}: {nothing:?}");
        }
    }
}

#[test]
fn a_file_that_cannot_be_edited_safely_is_reported_and_left_alone() {
    let broken = [
        "",
        "{ not json",
        "{\"hooks\": {}",
        "{} {}",
        "{'a': 1}",
        "{\"a\": 1 \"b\": 2}",
        "[]",
        "null",
        "{\"hooks\": []}",
        "{\"hooks\": null}",
        "{\"hooks\": \"x\"}",
        "{\"hooks\": {\"Stop\": {}}}",
        "{\"hooks\": {\"Stop\": \"x\"}}",
        "{\"hooks\": {\"Stop\": [1]}}",
        "{\"hooks\": {\"Stop\": [{} {}]}}",
        "{\"hooks\": {}, \"hooks\": {}}",
        "{\"hooks\": {\"Stop\": [], \"Stop\": []}}",
    ];
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let groups =
        ["{\"hooks\": {\"Stop\": [{\"hooks\": {}}]}}", "{\"hooks\": {\"Stop\": [{\"hooks\": [1]}]}}"];
    for file in &HOOK_FILES {
        // Beside its events Gemini CLI has settings of other shapes.
        let broken = broken.iter().filter(|text| file.harness != "gemini" || !text.contains("Stop"));
        let nested = if ["claude", "codex"].contains(&file.harness) { &groups[..] } else { &[] };
        for text in broken.copied().chain(nested.iter().copied()).chain([deep.as_str()]) {
            for flags in [&[][..], &["--check"], &["--remove"], &["--dry-run"]] {
                let sandbox = Sandbox::new();
                sandbox.write(file.path, text);
                let run = sandbox.mast(&[&["setup", file.harness], flags].concat());
                let what = format!("{} {flags:?} {:.60}", file.harness, text);
                assert_eq!(run.code, 1, "{what}: {run:?}");
                assert_eq!(sandbox.read(file.path), text, "{what}");
                assert!(run.err.starts_with("mast: ") && run.err.lines().count() == 1, "{what}: {}", run.err);
                assert!(run.err.contains(file.path), "{what}: names the file: {}", run.err);
                assert!(!sandbox.exists(".cursor/rules/mast.mdc"), "{what}: nothing else is written either");
            }
        }
    }
}

#[test]
fn what_the_user_changed_in_our_entries_stays() {
    let sandbox = Sandbox::new();
    sandbox.write(
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Grep", "hooks": [
            {"type": "command", "command": "mast hook claude search", "timeout": 1, "statusMessage": "hi"}]}]}}"#,
    );
    assert_eq!(sandbox.mast(&["setup", "claude"]).code, 0);
    let text = sandbox.read(".claude/settings.json");
    assert!(text.contains(r#"{"matcher": "Grep", "hooks": ["#), "the narrower matcher stays: {text}");
    assert!(text.contains(r#""timeout": 1, "statusMessage": "hi"}"#), "{text}");
    assert_eq!(
        text.matches("hook claude search").count(),
        2,
        "Grep is covered, the shell tools are added: {text}"
    );
}

#[test]
fn the_users_own_file_is_written_with_global() {
    for (harness, path) in [
        ("claude", ".claude/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("vscode", ".copilot/hooks/mast.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
    ] {
        let sandbox = Sandbox::new();
        assert_eq!(sandbox.mast(&["setup", harness, "--global"]).code, 0);
        let text = fs::read_to_string(sandbox.home.join(path)).unwrap();
        assert!(text.contains(&format!("\"mast hook {harness} session-start\"")), "{text}");
        assert_eq!(fs::read_dir(&sandbox.root).unwrap().count(), 0, "{harness}: the project is not touched");
        assert_eq!(sandbox.mast(&["setup", harness, "--global", "--check"]).code, 0);
        assert_eq!(sandbox.mast(&["setup", harness, "--global", "--remove"]).code, 0);
    }
    for harness in ["windsurf", "zed"] {
        let run = Sandbox::new().mast(&["setup", harness, "--global"]);
        assert_eq!(run.code, 1, "{run:?}");
    }
}

#[test]
fn rules_files_are_ours_and_written_whole() {
    for (harness, path, head) in [
        ("cursor", ".cursor/rules/mast.mdc", "---\ndescription: "),
        ("windsurf", ".windsurf/rules/mast.md", "---\ntrigger: always_on\n---\n"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(path, "an older text about mast_search");
        assert_eq!(sandbox.mast(&["setup", harness, "--check"]).code, 1);
        let run = sandbox.mast(&["setup", harness]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        let text = sandbox.read(path);
        assert!(text.starts_with(head), "{text}");
        assert!(text.ends_with(&sandbox.mast(&["skill"]).out), "the text of mast skill");
        assert!(text.chars().count() < 6_000, "below every limit known for {harness}");
        assert_eq!(sandbox.mast(&["setup", harness, "--check"]).code, 0);
        sandbox.write(path, &text.replace('\n', "\r\n"));
        assert_eq!(
            sandbox.mast(&["setup", harness, "--check"]).code,
            0,
            "converted line ends are no difference"
        );
        assert_eq!(sandbox.mast(&["setup", harness, "--remove"]).code, 0);
        assert_eq!(fs::read_dir(&sandbox.root).unwrap().count(), 0, "its directories go with it");
    }
}

#[test]
fn advice_names_the_whole_command() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.root.join("a b")).unwrap();
    for (arguments, advice) in [
        (&["claude"][..], "mast setup claude"),
        (&["claude", "--global"], "mast setup claude --global"),
        (&["cursor", "--global"], "mast setup cursor --global"),
        (&["devin"], "mast setup devin"),
        (&["gemini", "a b"], "mast setup gemini \"a b\""),
        (&["codex", "--root", "."], "mast setup codex --root ."),
    ] {
        let run = sandbox.mast(&[&["setup"], arguments, &["--check"]].concat());
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.out.ends_with(&format!("run `{advice}` to bring it up to date\n")), "{}", run.out);
    }
    fs::create_dir(sandbox.home.join(".claude")).unwrap();
    fs::write(sandbox.home.join(".claude/settings.json"), "[]").unwrap();
    let run = sandbox.mast(&["setup", "claude", "--global", "--remove"]);
    assert!(run.err.contains("run `mast setup claude --global --remove` again"), "{}", run.err);
}

#[test]
fn cursor_is_current_only_with_both_files() {
    let sandbox = Sandbox::new();
    sandbox.mast(&["setup", "cursor"]);
    fs::remove_file(sandbox.root.join(".cursor/rules/mast.mdc")).unwrap();
    assert_eq!(sandbox.mast(&["setup", "cursor", "--check"]).code, 1);
}

#[test]
fn windsurf_follows_the_devin_directory() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.mast(&["setup", "windsurf"]).code, 0);
    fs::create_dir(sandbox.root.join(".devin")).unwrap();
    assert_eq!(sandbox.mast(&["setup", "windsurf", "--check"]).code, 1);
    let run = sandbox.mast(&["setup", "devin"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(sandbox.exists(".devin/rules/mast.md") && !sandbox.exists(".windsurf/rules/mast.md"));
    assert!(run.out.starts_with("Windsurf has no hook system mast can use"), "{}", run.out);
}

#[test]
fn zed_gets_a_block_in_the_first_file_it_reads() {
    let sandbox = Sandbox::new();
    let none = sandbox.mast(&["setup", "zed"]);
    assert_eq!(none.code, 1, "{none:?}");
    assert!(none.err.contains("create `.rules`"), "{}", none.err);
    assert_eq!(fs::read_dir(&sandbox.root).unwrap().count(), 0, "no file is created");

    sandbox.write("CLAUDE.md", "# Claude\n");
    sandbox.write("AGENTS.md", "# Rules\r\n\r\nBe kind.");
    assert_eq!(sandbox.mast(&["setup", "zed", "--check"]).code, 1);
    let dry = sandbox.mast(&["setup", "zed", "--dry-run"]);
    assert!(dry.out.contains("would update"), "{}", dry.out);
    assert_eq!(sandbox.mast(&["setup", "zed"]).code, 0);
    let text = sandbox.read("AGENTS.md");
    assert!(text.starts_with("# Rules\r\n\r\nBe kind.\r\n\r\n<!-- mast:begin -->\r\n"), "{text:?}");
    assert!(!text.replace("\r\n", "").contains('\n'), "the file's line ends");
    assert_eq!(sandbox.read("CLAUDE.md"), "# Claude\n");
    assert_eq!(sandbox.mast(&["setup", "zed", "--check"]).code, 0);
    // A file that comes earlier in Zed's order takes over; removal finds both.
    sandbox.write(".rules", "x\n");
    assert_eq!(sandbox.mast(&["setup", "zed", "--check"]).code, 1);
    assert_eq!(sandbox.mast(&["setup", "zed"]).code, 0);
    assert_eq!(sandbox.mast(&["setup", "zed", "--remove"]).code, 0);
    assert_eq!(sandbox.read("AGENTS.md"), "# Rules\r\n\r\nBe kind.");
    assert_eq!(sandbox.read(".rules"), "x\n");
}

#[test]
fn desktop_writes_nothing_and_says_so() {
    for flags in [&[][..], &["--global"], &["--check"], &["--remove"], &["--dry-run"]] {
        let sandbox = Sandbox::new();
        let run = sandbox.mast(&[&["setup", "desktop"], flags].concat());
        assert_eq!(run.code, 0, "{flags:?}");
        assert!(run.out.contains("no hook system"), "{}", run.out);
        assert_eq!(fs::read_dir(&sandbox.root).unwrap().count(), 0);
    }
}

#[test]
fn arguments_that_make_no_sense_are_usage_errors() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["setup"][..],
        &["setup", "emacs"],
        &["setup", "claude", "--check", "--remove"],
        &["setup", "claude", "--check", "--dry-run"],
        &["skill", "--dry-run"],
        &["docs", "nothing"],
        &["completions", "cmd.exe"],
    ] {
        let run = sandbox.mast(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}: {run:?}");
        assert_eq!(run.err.lines().count(), 1, "{arguments:?}: {}", run.err);
    }
    let run = sandbox.mast(&["setup", "claude", "no/such/place"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(fs::read_dir(&sandbox.root).unwrap().count(), 0);
}

#[test]
fn mcp_configuration_is_not_touched() {
    let sandbox = Sandbox::new();
    let files = [
        (".cursor/mcp.json", "{\n  // mine\n  \"mcpServers\": { \"other\": {} },\n}\n"),
        (".vscode/mcp.json", "{ \"servers\": { /* keep */ } }"),
        (".mcp.json", "{}"),
    ];
    for (path, text) in files {
        sandbox.write(path, text);
    }
    for harness in ["claude", "cursor", "vscode", "windsurf"] {
        assert_eq!(sandbox.mast(&["setup", harness]).code, 0);
        assert_eq!(sandbox.mast(&["setup", harness, "--remove"]).code, 0);
    }
    for (path, text) in files {
        assert_eq!(sandbox.read(path), text);
    }
}

#[test]
fn pnpms_links_lead_to_the_program_by_a_path_without_a_version() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    let store = sandbox.root.join("node_modules/.pnpm");
    let native =
        store.join("@spikedpunch+mast-linux-x64-gnu@1.0.0/node_modules/@spikedpunch/mast-linux-x64-gnu");
    place_program(&native.join("mast"));
    let scope = store.join("@spikedpunch+mast@1.0.0/node_modules/@spikedpunch");
    fs::create_dir_all(scope.join("mast")).unwrap();
    symlink(&native, scope.join("mast-linux-x64-gnu")).unwrap();
    fs::create_dir(sandbox.root.join("node_modules/@spikedpunch")).unwrap();
    symlink(scope.join("mast"), sandbox.root.join("node_modules/@spikedpunch/mast")).unwrap();

    assert_eq!(sandbox.run(&native.join("mast"), &["setup", "vscode"], b"").code, 0);
    let program = "node_modules/@spikedpunch/mast/../mast-linux-x64-gnu/mast";
    let text = sandbox.read(".github/hooks/mast.json");
    assert!(text.contains(&format!("\"{program} hook vscode session-start\"")), "{text}");
    let run = sandbox.run(&sandbox.root.join(program), &["hook", "vscode", "session-start"], b"{}");
    assert!(run.out.contains("additionalContext"), "the path leads to the program: {run:?}");
}

/// The one command of the session hook in a Claude settings file.
fn session_command(text: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(text).unwrap();
    json["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn a_source_checkout_names_its_program_and_warns() {
    let sandbox = Sandbox::new();
    let program = Path::new(env!("CARGO_BIN_EXE_mast"));
    let run = sandbox.run(program, &["setup", "claude"], b"");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("do not commit"), "{}", run.err);
    let command = session_command(&sandbox.read(".claude/settings.json"));
    assert_eq!(command, format!("{} hook claude session-start", program.display()));
    // Installed in another way later, the entry is replaced where it stands.
    assert_eq!(sandbox.mast(&["setup", "claude", "--check"]).code, 1);
    assert_eq!(sandbox.mast(&["setup", "claude"]).code, 0);
    let text = sandbox.read(".claude/settings.json");
    assert_eq!(session_command(&text), "mast hook claude session-start");
    assert_eq!(text.matches("hook claude").count(), 4, "{text}");
}

#[test]
fn a_project_dependency_is_called_through_node_modules() {
    let sandbox = Sandbox::new();
    sandbox.write("package.json", "{}");
    let native = "node_modules/@spikedpunch/mast-linux-x64-gnu/mast";
    place_program(&sandbox.root.join(native));
    let program = sandbox.root.join(native);
    let run = sandbox.run(&program, &["setup", "claude"], b"");
    assert_eq!(run.code, 0, "{run:?}");
    let command = session_command(&sandbox.read(".claude/settings.json"));
    assert_eq!(command, format!("\"${{CLAUDE_PROJECT_DIR:-.}}\"/{native} hook claude session-start"));

    // The start script is as good, and stays when somebody put it there for other platforms.
    Sandbox::script(&sandbox.root.join("node_modules/.bin/mast"), "#!/bin/sh\n");
    let shared = sandbox.read(".claude/settings.json").replace(native, "node_modules/.bin/mast");
    sandbox.write(".claude/settings.json", &shared);
    assert_eq!(sandbox.run(&program, &["setup", "claude", "--check"], b"").code, 0);
    assert!(run.err.contains("put node_modules/.bin/mast in its place"), "{}", run.err);
    let again = sandbox.run(&program, &["setup", "claude"], b"");
    assert_eq!((again.code, again.err.as_str()), (0, ""), "the advice was taken");

    let cursor = sandbox.run(&program, &["setup", "cursor"], b"");
    assert_eq!(cursor.code, 0, "{cursor:?}");
    assert!(sandbox.read(".cursor/hooks.json").contains(&format!("\"{native} hook cursor session-start\"")));

    let global = sandbox.run(&program, &["setup", "claude", "--global"], b"");
    assert_eq!(global.code, 1, "{global:?}");
    assert!(global.err.contains("install mast globally"), "{}", global.err);
    assert!(!sandbox.home.join(".claude").exists());
}

#[test]
fn a_dependency_of_a_subdirectory_is_called_there() {
    let sandbox = Sandbox::new();
    let store = "typescript/node_modules/.pnpm/mast@1.0.0/node_modules/@spikedpunch/mast-linux-x64-gnu/mast";
    place_program(&sandbox.root.join(store));
    Sandbox::script(&sandbox.root.join("typescript/node_modules/.bin/mast"), "#!/bin/sh\n");
    let run = sandbox.run(&sandbox.root.join(store), &["setup", "vscode"], b"");
    assert_eq!(run.code, 0, "{run:?}");
    let text = sandbox.read(".github/hooks/mast.json");
    assert!(text.contains("\"typescript/node_modules/.bin/mast hook vscode session-start\""), "{text}");
    // And one level above.
    fs::create_dir_all(sandbox.root.join("typescript/packages/a")).unwrap();
    let run = sandbox.run(&sandbox.root.join(store), &["setup", "vscode", "typescript/packages/a"], b"");
    assert_eq!(run.code, 0, "{run:?}");
    let text = sandbox.read("typescript/packages/a/.github/hooks/mast.json");
    assert!(text.contains("\"../../node_modules/.bin/mast hook vscode session-start\""), "{text}");
}
