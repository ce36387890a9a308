//! `mast upgrade` with package managers of our own making on `PATH`.

use crate::sandbox::{Run, Sandbox, place_program};

/// A package manager that prints `answer` and writes down how it was called.
fn manager(sandbox: &Sandbox, name: &str, answer: &str, code: u8) {
    let log = sandbox.home.join("asked");
    Sandbox::script(
        &sandbox.bin.join(name),
        &format!(
            "#!/bin/sh\necho \"{name} $*\" >> {}\ncat <<'END'\n{answer}\nEND\nexit {code}\n",
            log.display()
        ),
    );
}

fn asked(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.home.join("asked")).unwrap_or_default()
}

const NEWER: &str = r#"{"version": "99.1.0", "mast.schemaVersion": "9.0.0"}"#;

/// As a dependency of the project.
fn as_dependency(sandbox: &Sandbox) -> Run {
    let program = sandbox.root.join("node_modules/@spikedpunch/mast-linux-x64-gnu/mast");
    if !program.exists() {
        place_program(&program);
    }
    sandbox.run(&program, &["upgrade"], b"")
}

#[test]
fn a_newer_release_comes_with_its_command_and_its_cost() {
    let sandbox = Sandbox::new();
    manager(&sandbox, "npm", NEWER, 0);
    sandbox.fake_index();
    let run = sandbox.mast(&["upgrade"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert!(run.out.contains("newest:    99.1.0"), "{}", run.out);
    assert!(run.out.contains("\n  npm install -g @spikedpunch/mast@99.1.0\n"), "{}", run.out);
    assert!(
        run.out.contains("index schema: 2.2.0 -> 9.0.0; the index is emptied and rebuilt in full (3 files)"),
        "{}",
        run.out
    );
    assert!(!run.out.contains("After upgrading"), "nothing is installed: {}", run.out);
    assert_eq!(asked(&sandbox), "npm view @spikedpunch/mast version mast.schemaVersion --json\n");
}

#[test]
fn the_command_is_the_one_of_this_installation() {
    let cases = [
        (
            "package-lock.json",
            r#"{"devDependencies": {"@spikedpunch/mast": "1"}}"#,
            "npm",
            "npm install -D @spikedpunch/mast@99.1.0",
        ),
        (
            "package-lock.json",
            r#"{"dependencies": {"@spikedpunch/mast": "1"}}"#,
            "npm",
            "npm install @spikedpunch/mast@99.1.0",
        ),
        ("pnpm-lock.yaml", "{}", "pnpm", "pnpm add -D @spikedpunch/mast@99.1.0"),
        ("yarn.lock", "{}", "yarn", "yarn add -D @spikedpunch/mast@99.1.0"),
    ];
    for (lockfile, manifest, program, command) in cases {
        let sandbox = Sandbox::new();
        sandbox.write("package.json", manifest);
        sandbox.write(lockfile, "");
        let answer = if program == "yarn" {
            r#"{"type":"inspect","data":{"version":"99.1.0","mast":{"schemaVersion":"2.2.0"}}}"#
        } else {
            r#"{"version": "99.1.0", "mast.schemaVersion": "2.2.0"}"#
        };
        manager(&sandbox, program, answer, 0);
        let run = as_dependency(&sandbox);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.out.contains(&format!("\n  {command}\n")), "{lockfile}: {}", run.out);
        assert!(run.out.contains("2.2.0, as now; the index is kept"), "{}", run.out);
    }
    let sandbox = Sandbox::new();
    sandbox.write("package.json", "{}");
    sandbox.write("pnpm-lock.yaml", "");
    sandbox.write("pnpm-workspace.yaml", "");
    manager(&sandbox, "pnpm", NEWER, 0);
    assert!(as_dependency(&sandbox).out.contains("pnpm add -w -D @spikedpunch/mast@99.1.0"));
}

#[test]
fn nothing_newer_is_nothing_to_do() {
    let sandbox = Sandbox::new();
    manager(&sandbox, "npm", "\"1.0.0-rc.1\"", 0);
    let run = sandbox.mast(&["upgrade"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.ends_with("nothing to upgrade\n"), "{}", run.out);
}

#[test]
fn an_unreachable_registry_is_one_clear_line() {
    let sandbox = Sandbox::new();
    let output =
        sandbox.command(&sandbox.bin.join("mast")).arg("upgrade").env("PATH", &sandbox.bin).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{line}");
    assert!(line.contains("npm: not on PATH") && line.lines().count() == 1, "{line}");

    manager(&sandbox, "npm", r#"{"error": {"code": "ENOTFOUND", "summary": "getaddrinfo ENOTFOUND"}}"#, 1);
    let run = sandbox.mast(&["upgrade"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("getaddrinfo ENOTFOUND"), "{}", run.err);
    assert!(run.err.contains("npm install -g @spikedpunch/mast@latest"), "still says how: {}", run.err);
}

/// The one line that says why the newest version is not known.
fn reason(sandbox: &Sandbox) -> String {
    let run = sandbox.mast(&["upgrade"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    let line = run.err.strip_prefix("mast: cannot learn the newest version: npm: ").unwrap();
    let (reason, rest) = line.split_once("; this is ").unwrap();
    assert!(rest.ends_with("installed with: npm install -g @spikedpunch/mast@latest\n"), "{rest}");
    reason.to_owned()
}

#[test]
fn what_went_wrong_is_said_as_it_was() {
    let sandbox = Sandbox::new();
    for (script, expected) in [
        ("echo boom; exit 1", "ended with exit code 1: boom"),
        ("echo; echo 'npm error boom' >&2; echo more >&2; exit 7", "ended with exit code 7: npm error boom"),
        ("exit 3", "ended with exit code 3 without a word"),
        ("kill -9 $$", "ended by signal 9 without a word"),
        ("exit 0", "the answer is empty"),
        ("echo '<html>proxy</html>'", "the answer is not JSON: <html>proxy</html>"),
        ("printf '\\033[2J'; exit 1", "ended with exit code 1: \\u{1b}[2J"),
        (
            r#"printf '%s' '{"error": {"code": "E404", "summary": "Not\nFound"}}'; exit 1"#,
            "ended with exit code 1: Not Found",
        ),
    ] {
        Sandbox::script(&sandbox.bin.join("npm"), &format!("#!/bin/sh\n{script}\n"));
        assert_eq!(reason(&sandbox), expected, "{script}");
    }
}

#[test]
fn what_is_no_version_does_not_reach_the_command() {
    let sandbox = Sandbox::new();
    for (answer, expected) in [
        (r#"{"version": "99.1.0; rm -rf /"}"#, "the answer's version is no version: 99.1.0; rm -rf /"),
        (r#"{"version": "latest"}"#, "the answer's version is no version: latest"),
        (
            r#"{"version": "99.1.0", "mast.schemaVersion": "9.0.0\u001b[31m"}"#,
            "the answer's index schema is no version: 9.0.0\\u{1b}[31m",
        ),
    ] {
        manager(&sandbox, "npm", answer, 0);
        let run = sandbox.mast(&["upgrade"]);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        let start = format!("mast: cannot learn the newest version: npm: {expected}; this is ");
        assert!(run.err.starts_with(&start) && run.err.lines().count() == 1, "{}", run.err);
    }
}

#[test]
fn a_package_manager_that_is_not_there_is_not_recommended() {
    let sandbox = Sandbox::new();
    sandbox.write("pnpm-lock.yaml", "");
    manager(&sandbox, "npm", NEWER, 0);
    let run = sandbox.mast(&["upgrade"]);
    assert!(run.out.contains("\n  npm install -g @spikedpunch/mast@99.1.0\n"), "{}", run.out);
    manager(&sandbox, "pnpm", NEWER, 0);
    let run = sandbox.mast(&["upgrade"]);
    assert!(run.out.contains("\n  pnpm add -g @spikedpunch/mast@99.1.0\n"), "{}", run.out);
}

#[test]
fn an_interrupt_ends_the_package_manager_too() {
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    let (started, late) = (sandbox.home.join("started"), sandbox.home.join("late"));
    let script = format!("#!/bin/sh\ntouch {}\nsleep 2\ntouch {}\n", started.display(), late.display());
    Sandbox::script(&sandbox.bin.join("npm"), &script);
    let mut command = sandbox.command(&sandbox.bin.join("mast"));
    let child = command.arg("upgrade").stderr(Stdio::piped()).spawn().unwrap();
    while !started.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(line.starts_with("mast: cannot learn the newest version: interrupted; "), "{line}");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert!(!late.exists(), "it went on alone");
}

#[test]
fn npm_answers_where_the_projects_own_manager_is_missing() {
    let sandbox = Sandbox::new();
    sandbox.write("package.json", "{}");
    sandbox.write("pnpm-lock.yaml", "");
    manager(&sandbox, "npm", NEWER, 0);
    let run = as_dependency(&sandbox);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.contains("\n  pnpm add -D @spikedpunch/mast@99.1.0   (pnpm is not on PATH)\n"),
        "the command stays the project's: {}",
        run.out
    );
}

#[test]
fn what_is_installed_is_listed_for_afterwards() {
    let sandbox = Sandbox::new();
    manager(&sandbox, "npm", NEWER, 0);
    sandbox.write("AGENTS.md", "x\n");
    for arguments in [
        &["setup", "claude"][..],
        &["setup", "windsurf"],
        &["skill", "--install"],
        &["setup", "vscode", "--global"],
    ] {
        assert_eq!(sandbox.mast(arguments).code, 0);
    }
    let run = sandbox.mast(&["upgrade"]);
    let (_, steps) = run.out.split_once("After upgrading").unwrap_or_else(|| panic!("{}", run.out));
    let steps: Vec<&str> = steps.lines().skip(1).map(str::trim).collect();
    assert_eq!(
        steps,
        [
            "mast setup claude --check",
            "mast setup vscode --global --check",
            "mast setup windsurf --check",
            "mast skill --install",
        ]
    );
}
