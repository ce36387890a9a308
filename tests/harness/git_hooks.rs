//! `mast install-hooks` in real repositories.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::sandbox::{Run, Sandbox};

fn git(sandbox: &Sandbox, arguments: &[&str]) -> Run {
    sandbox.run(Path::new("/usr/bin/git"), arguments, b"")
}

/// A repository whose `mast` is a script that writes down how it was called.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    assert_eq!(git(&sandbox, &["init", "-q"]).code, 0);
    sandbox.write("a.ts", "export const a = 1;\n");
    sandbox
}

/// From here on `mast` is a recorder; the program stays reachable as `real-mast`.
fn record_calls(sandbox: &Sandbox) {
    fs::rename(sandbox.bin.join("mast"), sandbox.bin.join("real-mast")).unwrap();
    let log = sandbox.home.join("calls");
    Sandbox::script(
        &sandbox.bin.join("mast"),
        &format!("#!/bin/sh\necho \"$PWD: $*\" >> {}\n", log.display()),
    );
}

fn calls(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.home.join("calls")).unwrap_or_default()
}

fn commit(sandbox: &Sandbox, message: &str) -> Run {
    git(sandbox, &["add", "-A"]);
    git(sandbox, &["commit", "-q", "--allow-empty", "-m", message])
}

#[test]
fn hooks_run_after_commit_and_checkout_and_installing_again_changes_nothing() {
    let sandbox = repository();
    let run = sandbox.mast(&["install-hooks"]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = sandbox.read(".git/hooks/post-commit");
    let mode = fs::metadata(sandbox.root.join(".git/hooks/post-commit")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    let again = sandbox.mast(&["install-hooks"]);
    assert_eq!((again.code, again.out.matches("unchanged").count()), (0, 2), "{again:?}");
    assert_eq!(sandbox.read(".git/hooks/post-commit"), text);

    record_calls(&sandbox);
    let committed = commit(&sandbox, "one");
    assert_eq!((committed.code, committed.err.as_str()), (0, ""), "{committed:?}");
    let root = sandbox.root.display();
    assert_eq!(calls(&sandbox), format!("{root}: index --incremental\n"));
    assert_eq!(git(&sandbox, &["checkout", "-q", "-b", "other"]).code, 0);
    assert_eq!(calls(&sandbox).lines().count(), 2, "after a checkout too");
}

#[test]
fn after_a_commit_the_index_is_fresh() {
    let sandbox = repository();
    assert_eq!(sandbox.mast(&["init"]).code, 0);
    sandbox.write(".gitignore", ".mast/\n");
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    sandbox.write("b.ts", "export const b = 2;\n");
    let is_fresh = || {
        let status = sandbox.mast(&["status", "--json"]).out;
        serde_json::from_str::<serde_json::Value>(&status).unwrap()["index_fresh"].as_bool().unwrap()
    };
    assert!(!is_fresh());
    assert_eq!(commit(&sandbox, "one").code, 0);
    assert!(is_fresh());
}

#[test]
fn a_foreign_hook_keeps_its_text_and_its_effect() {
    let sandbox = repository();
    let foreign = "#!/bin/sh\necho theirs > ran.txt";
    Sandbox::script(&sandbox.root.join(".git/hooks/post-commit"), foreign);
    let early = "#!/bin/sh\nif true; then\n  exit 0\nfi\necho early > early.txt\nexit 0\n";
    Sandbox::script(&sandbox.root.join(".git/hooks/post-checkout"), early);
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    assert!(sandbox.read(".git/hooks/post-commit").starts_with(&format!("{foreign}\n# >>> mast >>>\n")));
    let checkout = sandbox.read(".git/hooks/post-checkout");
    assert!(checkout.starts_with("#!/bin/sh\n# >>> mast >>>\n"), "reached before the exit: {checkout}");
    record_calls(&sandbox);
    assert_eq!(commit(&sandbox, "one").code, 0);
    assert_eq!(sandbox.read("ran.txt"), "theirs\n");
    assert_eq!(calls(&sandbox).lines().count(), 1);
    git(&sandbox, &["checkout", "-q", "-b", "other"]);
    assert_eq!(calls(&sandbox).lines().count(), 2);
}

#[test]
fn a_script_that_ends_before_its_end_still_indexes() {
    for script in [
        "if [ 1 = 1 ]; then exit 0; fi",
        "main(){ exit 0; }; main",
        "set -e\nfalse",
        "cat >/dev/null <<END\nnever closed",
        "exec true",
        ". ./leave.sh",
        "true || { exit 3; }\n[ -n \"$PATH\" ] && exit",
        "echo \"${NOT_SET:?}\"",
    ] {
        let sandbox = repository();
        sandbox.write("leave.sh", "exit 0\n");
        let foreign = format!("#!/bin/sh\necho theirs > ran.txt\n{script}\n");
        Sandbox::script(&sandbox.root.join(".git/hooks/post-commit"), &foreign);
        assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
        record_calls(&sandbox);
        assert_eq!(commit(&sandbox, "one").code, 0, "{script}");
        assert_eq!(
            (sandbox.read("ran.txt").as_str(), calls(&sandbox).lines().count()),
            ("theirs\n", 1),
            "{script}"
        );
        fs::rename(sandbox.bin.join("real-mast"), sandbox.bin.join("mast")).unwrap();
        assert_eq!(sandbox.mast(&["install-hooks", "--remove"]).code, 0);
        assert_eq!(sandbox.read(".git/hooks/post-commit"), foreign);
    }
}

#[test]
fn arguments_input_and_exit_status_of_a_hook_are_its_own() {
    let sandbox = repository();
    for (script, code) in [
        ("cat; echo $1; false", 1),
        ("set -e; cat; echo $1; false", 1),
        ("cat; echo $1; exit 3", 3),
        ("cat; echo $1", 0),
    ] {
        let hook = sandbox.root.join(".git/hooks/post-checkout");
        Sandbox::script(&hook, &format!("#!/bin/sh\n{script}\n"));
        assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
        let run = sandbox.run(&hook, &["argument"], b"input\n");
        assert_eq!((run.code, run.out.as_str()), (code, "input\nargument\n"), "{script}");
    }
}

#[test]
fn every_project_of_the_repository_has_its_entry() {
    let sandbox = repository();
    for project in ["packages/app", "packages/b"] {
        sandbox.write(&format!("{project}/mast.config.json"), "{}");
        assert_eq!(sandbox.mast(&["install-hooks", project]).code, 0);
    }
    let text = sandbox.read(".git/hooks/post-commit");
    let again = sandbox.mast(&["install-hooks", "packages/app"]);
    assert_eq!((again.code, again.out.matches("unchanged").count()), (0, 2), "{again:?}");
    assert_eq!(sandbox.read(".git/hooks/post-commit"), text);

    record_calls(&sandbox);
    assert_eq!(commit(&sandbox, "one").code, 0);
    let root = sandbox.root.display();
    let call = |project: &str| format!("{root}: index --incremental -- {project}\n");
    assert_eq!(calls(&sandbox), call("packages/app") + &call("packages/b"));
    fs::rename(sandbox.bin.join("real-mast"), sandbox.bin.join("mast")).unwrap();

    let other = sandbox.mast(&["install-hooks", "--remove"]);
    assert_eq!(
        (other.code, other.out.as_str()),
        (0, "nothing of this project's to remove; the hooks serve 'packages/app', 'packages/b'\n")
    );
    let run = sandbox.mast(&["install-hooks", "--remove", "packages/app"]);
    assert_eq!((run.code, run.out.matches("updated").count()), (0, 2), "{run:?}");
    let text = sandbox.read(".git/hooks/post-commit");
    assert!(text.contains("packages/b") && !text.contains("packages/app"), "{text}");
    let run = sandbox.mast(&["install-hooks", "--remove", "packages/b"]);
    assert_eq!((run.code, run.out.matches("deleted").count()), (0, 2), "{run:?}");
    assert!(!sandbox.exists(".git/hooks/post-commit") && sandbox.exists(".git/hooks"));
    let nothing = sandbox.mast(&["install-hooks", "--remove", "packages/b"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (0, "nothing of this project's to remove\n"));
}

#[test]
fn a_directory_made_for_hooks_goes_with_them() {
    let sandbox = repository();
    git(&sandbox, &["config", "core.hooksPath", "tools/hooks"]);
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    assert_eq!(sandbox.mast(&["install-hooks", "--remove"]).code, 0);
    assert!(!sandbox.exists("tools"));
}

#[test]
fn a_missing_or_failing_mast_never_reaches_git() {
    let sandbox = repository();
    Sandbox::script(&sandbox.root.join(".git/hooks/post-commit"), "#!/bin/sh\nset -eu\n");
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    Sandbox::script(&sandbox.bin.join("mast"), "#!/bin/sh\necho noise; echo noise >&2; exit 3\n");
    let run = commit(&sandbox, "failing");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    fs::remove_file(sandbox.bin.join("mast")).unwrap();
    let run = commit(&sandbox, "missing");
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    // The hooks themselves succeed as well, whatever git makes of them.
    for hook in ["post-commit", "post-checkout"] {
        assert_eq!(sandbox.run(&sandbox.root.join(".git/hooks").join(hook), &[], b"").code, 0);
    }
}

#[test]
fn core_hooks_path_and_linked_work_trees_are_honoured() {
    let sandbox = repository();
    git(&sandbox, &["config", "core.hooksPath", "tools/hooks"]);
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    assert!(sandbox.exists("tools/hooks/post-commit") && !sandbox.exists(".git/hooks/post-commit"));
    assert!(
        !sandbox.read("tools/hooks/post-commit").contains("status"),
        "inside the repository no guard is needed"
    );

    let sandbox = repository();
    commit(&sandbox, "one");
    let linked = sandbox.root.parent().unwrap().join("linked");
    assert_eq!(git(&sandbox, &["worktree", "add", "-q", linked.to_str().unwrap()]).code, 0);
    let run = sandbox.mast(&["install-hooks", linked.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(sandbox.exists(".git/hooks/post-commit"), "hooks belong to the repository");
    assert!(fs::metadata(linked.join(".git")).unwrap().is_file(), "untouched");
    record_calls(&sandbox);
    let another = sandbox.root.parent().unwrap().join("another");
    assert_eq!(git(&sandbox, &["worktree", "add", "-q", another.to_str().unwrap()]).code, 0);
    assert_eq!(calls(&sandbox), "", "a new work tree is not indexed behind the user's back");
}

#[test]
fn hooks_shared_by_repositories_only_serve_those_with_an_index() {
    let sandbox = repository();
    let shared = sandbox.home.join("hooks");
    git(&sandbox, &["config", "core.hooksPath", shared.to_str().unwrap()]);
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    let text = fs::read_to_string(shared.join("post-commit")).unwrap();
    assert!(text.contains("status"), "{text}");
    Sandbox::script(
        &sandbox.bin.join("mast"),
        &format!(
            "#!/bin/sh\necho \"$*\" >> {}\n[ \"$1\" != status ]\n",
            sandbox.home.join("calls").display()
        ),
    );
    assert_eq!(commit(&sandbox, "one").code, 0);
    assert_eq!(calls(&sandbox), "status\n");
}

#[test]
fn husky_gets_the_file_it_runs() {
    let sandbox = repository();
    git(&sandbox, &["config", "core.hooksPath", ".husky/_"]);
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    assert!(sandbox.exists(".husky/post-commit") && !sandbox.exists(".husky/_/post-commit"));
    // husky runs it with `sh -e`.
    sandbox.write(".husky/post-checkout", "lint\n");
    assert_eq!(sandbox.mast(&["install-hooks"]).code, 0);
    let text = sandbox.read(".husky/post-checkout");
    assert!(text.starts_with("# >>> mast >>>\n") && text.ends_with("\nlint\n"), "{text}");
}

#[test]
fn a_project_below_the_work_tree_is_indexed_there() {
    let sandbox = repository();
    sandbox.write("pack's/app/b.ts", "");
    assert_eq!(sandbox.mast(&["install-hooks", "pack's/app"]).code, 0);
    record_calls(&sandbox);
    assert_eq!(commit(&sandbox, "one").code, 0);
    assert!(calls(&sandbox).ends_with(": index --incremental -- pack's/app\n"), "{}", calls(&sandbox));
}

#[test]
fn what_cannot_be_done_safely_is_refused() {
    let sandbox = Sandbox::new();
    let run = sandbox.mast(&["install-hooks"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("not inside a git work tree"), "{}", run.err);

    let sandbox = repository();
    let foreign = "#!/usr/bin/env node\nconsole.log(1)\n";
    Sandbox::script(&sandbox.root.join(".git/hooks/post-checkout"), foreign);
    let run = sandbox.mast(&["install-hooks"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(sandbox.read(".git/hooks/post-checkout"), foreign);
    assert!(!sandbox.exists(".git/hooks/post-commit"), "nothing is done by halves");

    let program = "\u{7f}ELF\0\0";
    Sandbox::script(&sandbox.root.join(".git/hooks/post-checkout"), program);
    let run = sandbox.mast(&["install-hooks"]);
    assert_eq!((run.code, run.err.lines().count()), (1, 1), "{run:?}");
    assert!(run.err.contains("is not a shell script"), "{}", run.err);
    assert_eq!(sandbox.read(".git/hooks/post-checkout"), program);
}
