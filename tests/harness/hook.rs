//! `mast hook`: the envelopes of each host, and silence for everything else. Payloads follow the hosts' documentation.

use serde_json::{Value, json};

use crate::sandbox::{Run, Sandbox};

fn hook(sandbox: &Sandbox, harness: &str, event: &str, payload: &Value) -> Run {
    let run =
        sandbox.run(&sandbox.bin.join("mast"), &["hook", harness, event], payload.to_string().as_bytes());
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// A project with an index.
fn indexed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.fake_index();
    sandbox.write("src/a.ts", "");
    sandbox.write("tools/x.py", "");
    sandbox
}

fn claude(sandbox: &Sandbox, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "abc", "transcript_path": "/tmp/t.jsonl", "cwd": sandbox.root, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
    })
}

fn cursor(sandbox: &Sandbox, event: &str, more: &Value) -> Value {
    let mut payload = json!({
        "conversation_id": "c", "generation_id": "g", "model": "m", "hook_event_name": event,
        "cursor_version": "3.17.21", "workspace_roots": [sandbox.root], "user_email": null, "transcript_path": null,
    });
    for (key, value) in more.as_object().unwrap() {
        payload[key] = value.clone();
    }
    payload
}

#[test]
fn claude_is_reminded_before_a_search_mast_could_answer() {
    let sandbox = indexed();
    let speaks = |tool: &str, input: Value| {
        let run = hook(&sandbox, "claude", "search", &claude(&sandbox, tool, &input));
        if run.out.is_empty() {
            assert_eq!(run.err, "", "{run:?}");
            return false;
        }
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "PreToolUse");
        let text = output["additionalContext"].as_str().unwrap();
        assert!(text.contains("mast_search") && text.lines().count() == 1, "{text}");
        assert_eq!(output.as_object().unwrap().len(), 2, "no decision: {output}");
        assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
        true
    };
    for (tool, input) in [
        ("Grep", json!({"pattern": "createUser"})),
        (
            "Grep",
            json!({"pattern": "x", "path": "src", "glob": "*.{ts,tsx}", "type": "ts", "output_mode": "content", "-i": true, "multiline": false, "head_limit": 5, "offset": 0}),
        ),
        ("Grep", json!({"pattern": "x", "path": sandbox.root.join("src/a.ts")})),
        ("Grep", json!({"pattern": "x", "type": "md"})),
        ("Glob", json!({"pattern": "**/*.ts"})),
        ("Glob", json!({"pattern": "src/**"})),
        ("Bash", json!({"command": "rg -n createUser src | head", "description": "look"})),
        ("PowerShell", json!({"command": "Select-String -Path src/*.ts -Pattern createUser"})),
    ] {
        assert!(speaks(tool, input.clone()), "{tool} {input}");
    }
    for (tool, input) in [
        ("Grep", json!({"pattern": "x", "type": "py"})),
        ("Grep", json!({"pattern": "x", "glob": "*.py"})),
        ("Grep", json!({"pattern": "x", "path": "tools/x.py"})),
        ("Grep", json!({"pattern": "x", "path": "/somewhere/else"})),
        ("Grep", json!({"pattern": "x", "path": "node_modules/zod"})),
        ("Glob", json!({"pattern": "**/*.py"})),
        ("Bash", json!({"command": "npm test"})),
        ("Bash", json!({"command": "cat x | grep foo"})),
        ("Bash", json!({"command": "grep -rn foo --include='*.py' ."})),
        ("Read", json!({"file_path": "src/a.ts"})),
        ("Bash", json!({"command": 7})),
        ("Grep", json!(null)),
    ] {
        // Without any limit a search of unknown arguments is still a search.
        let is_silent = !speaks(tool, input.clone());
        assert_eq!(is_silent, input != json!(null), "{tool} {input}");
    }
}

/// A project that was really indexed, with files beside those of the index.
fn indexed_for_real() -> Sandbox {
    let sandbox = Sandbox::new();
    for path in [
        "src/a.ts",
        "src/a.test.ts",
        "src/gen/b.ts",
        "lib/Upper.ts",
        "dist/c.ts",
        ".dot/d.ts",
        ".github/e.md",
        "app/[id]/page.tsx",
        "docs/f.py",
    ] {
        sandbox.write(path, "export const x = 1;\n");
    }
    sandbox.write(".gitignore", "gen/\n.mast/\n");
    sandbox.write("mast.config.json", "{\"include_dot_dirs\": [\".github\"]}");
    let run = sandbox.mast(&["init"]);
    assert_eq!(run.code, 0, "{run:?}");
    sandbox
}

#[test]
fn a_search_that_finds_nothing_indexed_is_passed_over() {
    let sandbox = indexed_for_real();
    let speaks = |tool: &str, input: Value| {
        let run = hook(&sandbox, "claude", "search", &claude(&sandbox, tool, &input));
        assert_eq!(run.err, "");
        !run.out.is_empty()
    };
    for (tool, key, values) in [
        ("Grep", "path", &["", ".", "src", "./src/a.ts", "lib/..", "..", ".github", "app/[id]/page.tsx"][..]),
        ("Grep", "glob", &["*.ts", "src/**", "*.{py,tsx}", "!*.test.ts", "UPPER.*"]),
        (
            "Glob",
            "pattern",
            &["**/*", "src/*.ts", "lib/**/*.ts", "**/*[a-z].ts", "app/*/page.tsx", "**/e.md"],
        ),
        (
            "Bash",
            "command",
            &[
                "rg x",
                "rg x src lib",
                "grep -rn x .",
                "cd lib && rg x",
                "rg x \"$PWD/src\"",
                "cd dist; cd ../src; rg x",
                "rg x 'app/[id]'",
                "git grep x -- '*.ts'",
                "find . -name '*.ts'",
                "find . -path '*/lib/*'",
            ],
        ),
    ] {
        for value in values {
            assert!(speaks(tool, json!({"pattern": "x", key: value})), "{tool} {value}");
        }
    }
    for (tool, key, values) in [
        (
            "Grep",
            "path",
            &[
                "src/a.test.ts",
                "src/gen",
                "src/gen/b.ts",
                "dist",
                ".dot",
                ".dot/d.ts",
                ".mast",
                "docs",
                "docs/f.py",
                "src/new.ts",
                "/",
                "node_modules/x",
                "../home",
            ][..],
        ),
        ("Grep", "glob", &["*.test.ts", "*.py", "dist/**", "**/gen/*.ts"]),
        ("Grep", "type", &["py", "rust"]),
        ("Glob", "pattern", &["**/*.test.ts", "src/gen/**", ".dot/*", "*.py", "/elsewhere/**/*.ts"]),
        (
            "Bash",
            "command",
            &[
                "rg x dist/",
                "cd dist && rg x",
                "grep -rn x src/gen .dot",
                "rg -g '*.test.ts' x",
                "rg x /usr/include",
                "rg x ~/notes",
                "find . -name '*.test.ts'",
                "find . -name a.ts -delete",
                "cat > f <<'E'\nrg x\nE",
                "git -C dist grep x",
            ],
        ),
    ] {
        for value in values {
            // The root of the file system holds the project.
            assert_eq!(
                speaks(tool, json!({"pattern": "x", key: value})),
                *value == "/",
                "{tool} {key} {value}"
            );
        }
    }
    // Without a path the search is made where the session stands.
    for (directory, is_spoken_for) in [("lib", true), ("dist", false), ("src/gen", false)] {
        let mut payload = claude(&sandbox, "Grep", &json!({"pattern": "x"}));
        payload["cwd"] = json!(sandbox.root.join(directory));
        let run = hook(&sandbox, "claude", "search", &payload);
        assert_eq!(!run.out.is_empty(), is_spoken_for, "{directory}");
    }
}

#[test]
fn while_a_run_is_writing_the_configuration_decides() {
    let sandbox = indexed_for_real();
    std::fs::remove_file(sandbox.root.join(".mast/file_manifest.json")).unwrap();
    let speaks = |path: &str| {
        let payload = claude(&sandbox, "Grep", &json!({"pattern": "x", "path": path}));
        !hook(&sandbox, "claude", "search", &payload).out.is_empty()
    };
    for path in ["src", "src/a.ts", "src/new.ts", "src/gen", "new", ".github", ".github/e.md", "app/[id]"] {
        assert!(speaks(path), "{path}");
    }
    for path in ["src/a.test.ts", "dist", "dist/c.ts", ".dot", ".mast", "docs/f.py", "a/node_modules/b"] {
        assert!(!speaks(path), "{path}");
    }
}

#[test]
fn the_projects_own_extensions_decide() {
    let sandbox = indexed();
    sandbox.write("mast.config.json", "{ // ours\n  \"file_extensions\": [\".mjs\", \".md\"],\n}\n");
    let out = |glob: &str| {
        hook(&sandbox, "claude", "search", &claude(&sandbox, "Grep", &json!({"pattern": "x", "glob": glob})))
            .out
    };
    assert!(out("*.mjs").contains("mast_search"));
    assert!(out("*.{md,css}").contains("mast_search"));
    assert_eq!(out("*.ts"), "");
    sandbox.write("mast.config.json", "{ \"file_extensions\": 3 }");
    assert_eq!(out("*.ts"), "", "every tool would answer with the configuration's error");
}

#[test]
fn without_an_index_there_is_no_reminder() {
    let sandbox = Sandbox::new();
    let payload = claude(&sandbox, "Grep", &json!({"pattern": "x"}));
    assert_eq!(hook(&sandbox, "claude", "search", &payload).out, "");
    sandbox.write(".mast/index.json", "{\"schema_version\": \"2.2.0\", \"file_count\": 0}");
    sandbox.write(".mast/graph.db", "");
    assert_eq!(hook(&sandbox, "claude", "search", &payload).out, "", "nothing indexed");
    sandbox.write(".mast/index.json", "{ broken");
    assert_eq!(hook(&sandbox, "claude", "search", &payload).out, "");
}

#[test]
fn the_index_is_looked_for_upward_from_the_hooks_directory() {
    let sandbox = indexed();
    sandbox.write("packages/a/src/b.ts", "");
    let mut payload = claude(&sandbox, "Grep", &json!({"pattern": "x"}));
    payload["cwd"] = json!(sandbox.root.join("packages/a/src"));
    assert!(hook(&sandbox, "claude", "search", &payload).out.contains("mast_search"));
}

#[test]
fn session_start_gives_the_primer_in_every_state() {
    let sandbox = Sandbox::new();
    for source in ["startup", "resume", "clear", "compact", "fork", "unheard-of"] {
        let payload = json!({
            "session_id": "abc", "transcript_path": "/t", "cwd": sandbox.root, "hook_event_name": "SessionStart",
            "source": source, "model": "m",
        });
        let run = hook(&sandbox, "claude", "session-start", &payload);
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
        let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert_eq!(format!("{text}\n"), sandbox.mast(&["prime", sandbox.root.to_str().unwrap()]).out);
        assert!(!sandbox.exists(".mast"), "nothing is created");
    }
    let subagent = json!({"cwd": sandbox.root, "hook_event_name": "SubagentStart", "agent_type": "Explore", "agent_id": "1"});
    let run = hook(&sandbox, "claude", "session-start", &subagent);
    let answer: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SubagentStart", "the event is the caller's");
}

#[test]
fn cursor_reads_its_own_key() {
    let sandbox = indexed();
    let start = cursor(&sandbox, "sessionStart", &json!({"session_id": "c", "is_background_agent": false}));
    let run = hook(&sandbox, "cursor", "session-start", &start);
    let answer: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer.as_object().unwrap().len(), 1);
    assert!(answer["additional_context"].as_str().unwrap().contains("mast"));

    // `cwd` may be empty, `tool_output` is a string, an id may hold a line break.
    let more = json!({
        "tool_name": "Grep", "tool_input": {"pattern": "createUser"}, "tool_output": "{\"a\":1}", "cwd": "",
        "tool_use_id": "a\nb", "duration": 12,
    });
    let run = hook(&sandbox, "cursor", "search", &cursor(&sandbox, "postToolUse", &more));
    let answer: Value = serde_json::from_str(&run.out).unwrap();
    assert!(answer["additional_context"].as_str().unwrap().contains("mast_search"));
    for input in [json!({"command": "ls"}), json!({"command": "rg -t py x"})] {
        let more = json!({"tool_name": "Shell", "tool_input": input, "cwd": sandbox.root});
        assert_eq!(hook(&sandbox, "cursor", "search", &cursor(&sandbox, "postToolUse", &more)).out, "");
    }
}

#[test]
fn vscode_and_copilot_each_find_their_spelling() {
    let sandbox = indexed();
    for payload in [
        json!({"timestamp": "2026-07-01T10:00:00Z", "cwd": sandbox.root, "sessionId": "s", "hookEventName": "SessionStart", "transcript_path": "/t", "source": "new"}),
        json!({"timestamp": "2026-07-01T10:00:00Z", "cwd": sandbox.root, "session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}),
    ] {
        let run = hook(&sandbox, "vscode", "session-start", &payload);
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
        assert_eq!(answer["additionalContext"], answer["hookSpecificOutput"]["additionalContext"]);
    }
}

#[test]
fn codex_and_gemini_get_the_primer_and_no_key_they_do_not_know() {
    let sandbox = indexed();
    for harness in ["codex", "gemini"] {
        let payload = json!({
            "session_id": "s", "cwd": sandbox.root, "hook_event_name": "SessionStart", "source": "startup",
            "timestamp": "2026-07-01T10:00:00Z",
        });
        let run = hook(&sandbox, harness, "session-start", &payload);
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
        assert_eq!(answer["hookSpecificOutput"].as_object().unwrap().len(), 2, "{answer}");
        assert_eq!(hook(&sandbox, harness, "search", &payload).out, "");
    }
}

#[test]
fn a_stranger_that_runs_claudes_hooks_is_answered_in_its_own_way_once() {
    let sandbox = indexed();
    let start = cursor(&sandbox, "sessionStart", &json!({}));
    let run = hook(&sandbox, "claude", "session-start", &start);
    assert!(run.out.starts_with("{\"additional_context\":"), "{}", run.out);
    let vscode =
        json!({"timestamp": "2026-07-01T10:00:00Z", "cwd": sandbox.root, "hookEventName": "SessionStart"});
    assert!(hook(&sandbox, "claude", "session-start", &vscode).out.contains("\"additionalContext\""));

    // Not before a tool, and not where its own hook says it already.
    let tool = cursor(&sandbox, "preToolUse", &json!({"tool_name": "Grep", "tool_input": {"pattern": "x"}}));
    assert_eq!(hook(&sandbox, "claude", "search", &tool).out, "");
    let copilot =
        json!({"timestamp": 1, "cwd": sandbox.root, "toolName": "Grep", "toolArgs": {"pattern": "x"}});
    assert_eq!(hook(&sandbox, "claude", "search", &copilot).out, "");
    sandbox.mast(&["setup", "cursor"]);
    sandbox.mast(&["setup", "vscode"]);
    assert_eq!(hook(&sandbox, "claude", "session-start", &start).out, "");
    assert_eq!(hook(&sandbox, "claude", "session-start", &vscode).out, "");
    assert_ne!(hook(&sandbox, "cursor", "session-start", &start).out, "");
}

#[test]
fn unusable_input_is_silence_and_one_line_on_stderr() {
    let sandbox = indexed();
    let mast = sandbox.bin.join("mast");
    let nested = [vec![b'['; 200_000], vec![b']'; 200_000]].concat();
    let deep = [b"{\"tool_input\":".as_slice(), &nested, b"}"].concat();
    for input in
        [&b""[..], b"   \n", b"not json", b"[]", b"7", b"null", b"{\"cwd\":", b"\xff\xfe\x00", b"{}{}", &deep]
    {
        for (harness, event) in [
            ("claude", "search"),
            ("claude", "session-start"),
            ("cursor", "search"),
            ("vscode", "session-start"),
        ] {
            let run = sandbox.run(&mast, &["hook", harness, event], input);
            let what = format!("{harness} {event} {:?}", &input[..input.len().min(20)]);
            assert_eq!((run.code, run.out.as_str()), (0, ""), "{what}: {run:?}");
            assert_eq!(run.err.lines().count(), 1, "{what}: {}", run.err);
        }
    }
    for arguments in [
        &["hook"][..],
        &["hook", "claude"],
        &["hook", "emacs", "search"],
        &["hook", "claude", "dance"],
        &["hook", "windsurf", "search"],
        &["hook", "claude", "search", "--bogus"],
    ] {
        let run = sandbox.run(&mast, arguments, b"{}");
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{arguments:?}: {run:?}");
    }
}

#[test]
fn large_input_is_read_and_endless_input_is_cut() {
    let sandbox = indexed();
    let mast = sandbox.bin.join("mast");
    let mut payload = claude(&sandbox, "Grep", &json!({"pattern": "x"}));
    payload["tool_output"] = json!("y".repeat(5_000_000));
    let run = sandbox.run(&mast, &["hook", "claude", "search"], payload.to_string().as_bytes());
    assert!(run.out.contains("mast_search"), "{}", run.err);
    payload["tool_output"] = json!("y".repeat(20_000_000));
    let run = sandbox.run(&mast, &["hook", "claude", "search"], payload.to_string().as_bytes());
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
}

#[test]
fn a_byte_order_mark_and_crlf_are_accepted() {
    let sandbox = indexed();
    let payload = claude(&sandbox, "Grep", &json!({"pattern": "x"}));
    let text =
        format!("\u{feff}{}\r\n", serde_json::to_string_pretty(&payload).unwrap().replace('\n', "\r\n"));
    let run = sandbox.run(&sandbox.bin.join("mast"), &["hook", "claude", "search"], text.as_bytes());
    assert!(run.out.contains("mast_search"), "{run:?}");
}

#[test]
fn a_host_that_leaves_the_input_open_gets_its_answer() {
    use std::io::Write;
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let sandbox = indexed();
    let payload = claude(&sandbox, "Grep", &json!({"pattern": "x"}));
    let begun = Instant::now();
    let mut child = sandbox
        .command(&sandbox.bin.join("mast"))
        .args(["hook", "claude", "search"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(payload.to_string().as_bytes()).unwrap();
    input.flush().unwrap();
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert!(String::from_utf8_lossy(&output.stdout).contains("mast_search"));
    assert!(begun.elapsed() < Duration::from_secs(30));
}
