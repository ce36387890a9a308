//! What `mast setup` and its removal do to files and directories that are not ours, or not what they seem.

use std::fs;
use std::path::Path;

use crate::sandbox::Sandbox;

#[test]
fn a_rules_file_with_another_text_is_not_replaced_unsaid_and_never_deleted() {
    for (harness, path) in [("cursor", ".cursor/rules/mast.mdc"), ("windsurf", ".windsurf/rules/mast.md")] {
        let sandbox = Sandbox::new();
        let foreign = "---\ndescription: sails\n---\nThe mast carries the sails.\n";
        sandbox.write(path, foreign);
        let removal = sandbox.mast(&["setup", harness, "--remove"]);
        assert_eq!((removal.code, sandbox.read(path).as_str()), (0, foreign), "{removal:?}");
        assert!(removal.err.contains(path) && removal.err.contains("left as it is"), "{}", removal.err);
        let run = sandbox.mast(&["setup", harness]);
        assert_eq!((run.code, run.err.lines().count()), (0, 1), "{run:?}");
        assert!(run.err.contains(path) && run.err.contains("setup replaces it"), "{}", run.err);
        assert!(sandbox.read(path).contains("mast_search"));
    }
    // Nor when the file moves.
    let sandbox = Sandbox::new();
    sandbox.write(".windsurf/rules/mast.md", "sails\n");
    sandbox.write(".devin/other", "");
    assert_eq!(sandbox.mast(&["setup", "windsurf"]).code, 0);
    assert_eq!(sandbox.read(".windsurf/rules/mast.md"), "sails\n");
    assert!(sandbox.exists(".devin/rules/mast.md"));
}

#[test]
fn directories_that_hold_something_else_or_were_not_made_stay() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.root.join(".devin")).unwrap();
    for harness in ["windsurf", "claude", "vscode"] {
        assert_eq!(sandbox.mast(&["setup", harness]).code, 0);
    }
    sandbox.write(".github/other.yml", "");
    for harness in ["windsurf", "claude", "vscode"] {
        assert_eq!(sandbox.mast(&["setup", harness, "--remove"]).code, 0);
    }
    let mut left: Vec<String> = fs::read_dir(&sandbox.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, [".devin", ".github"]);
    assert_eq!(fs::read_dir(sandbox.root.join(".devin")).unwrap().count(), 0);
    assert!(!sandbox.exists(".github/hooks"));

    // With anything beside our entries the file stays.
    assert_eq!(sandbox.mast(&["setup", "claude"]).code, 0);
    let text = sandbox.read(".claude/settings.json").replacen('{', "{\n  \"model\": \"opus\",", 1);
    sandbox.write(".claude/settings.json", &text);
    assert_eq!(sandbox.mast(&["setup", "claude", "--remove"]).code, 0);
    assert_eq!(sandbox.read(".claude/settings.json"), "{\n  \"model\": \"opus\"\n}\n");
    sandbox.write(".github/hooks/mast.json", "{\"version\": 2}");
    assert_eq!(sandbox.mast(&["setup", "vscode"]).code, 0);
    assert_eq!(sandbox.mast(&["setup", "vscode", "--remove"]).code, 0);
    assert_eq!(sandbox.read(".github/hooks/mast.json"), "{\"version\": 2}", "a version we do not write");
}

#[test]
fn links_and_permissions_survive_and_read_only_files_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new();
    sandbox.write("dotfiles/settings.json", "{}\n");
    let real = sandbox.root.join("dotfiles/settings.json");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(sandbox.root.join(".claude")).unwrap();
    symlink("../dotfiles/settings.json", sandbox.root.join(".claude/settings.json")).unwrap();
    assert_eq!(sandbox.mast(&["setup", "claude"]).code, 0);
    assert!(fs::symlink_metadata(sandbox.root.join(".claude/settings.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("mast hook"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(sandbox.root.join("dotfiles")).unwrap().count(), 1, "no temporary file stays");

    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
    let before = fs::read_to_string(&real).unwrap();
    for flags in [&["--remove"][..], &["--remove", "--dry-run"]] {
        let run = sandbox.mast(&[&["setup", "claude"], flags].concat());
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        assert!(run.err.contains("read-only"), "{}", run.err);
        assert_eq!(fs::read_to_string(&real).unwrap(), before);
    }
    sandbox.write(".cursor/hooks.json", "{}");
    let real = sandbox.root.join(".cursor/hooks.json");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
    for flags in [&[][..], &["--dry-run"]] {
        let run = sandbox.mast(&[&["setup", "cursor"], flags].concat());
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        assert!(!sandbox.exists(".cursor/rules"), "nothing is done by halves");
    }
}

#[test]
fn a_link_to_a_file_that_is_not_there_is_followed_or_refused() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.root.join(".claude")).unwrap();
    let link = sandbox.root.join(".claude/settings.json");
    symlink("../second.json", &link).unwrap();
    symlink("nowhere.json", sandbox.root.join("second.json")).unwrap();
    assert_eq!(sandbox.mast(&["setup", "claude"]).code, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "it stays a link");
    assert!(sandbox.read("nowhere.json").contains("mast hook"));
    assert_eq!(sandbox.mast(&["setup", "claude", "--remove"]).code, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && !sandbox.exists("nowhere.json"));

    fs::remove_file(&link).unwrap();
    symlink("../missing/settings.json", &link).unwrap();
    for flags in [&[][..], &["--dry-run"]] {
        let run = sandbox.mast(&[&["setup", "claude"], flags].concat());
        assert_eq!((run.code, run.err.lines().count()), (1, 1), "{run:?}");
        assert!(run.err.contains("missing/settings.json, where there is no directory"), "{}", run.err);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && !sandbox.exists("missing"));
    }
    fs::remove_file(&link).unwrap();
    symlink("settings.json", &link).unwrap();
    assert_eq!(sandbox.mast(&["setup", "claude"]).code, 1, "a link to itself");
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let sandbox = Sandbox::new();
    for path in [".claude/settings.json", ".cursor/rules/mast.mdc", ".git/hooks/post-commit"] {
        let path = sandbox.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(sandbox.run(Path::new("/usr/bin/mkfifo"), &[path.to_str().unwrap()], b"").code, 0);
    }
    assert_eq!(sandbox.run(Path::new("/usr/bin/git"), &["init", "-q"], b"").code, 0);
    for arguments in [
        &["setup", "claude"][..],
        &["setup", "claude", "--check"],
        &["setup", "claude", "--remove"],
        &["setup", "cursor"],
        &["install-hooks"],
        &["install-hooks", "--remove"],
    ] {
        let run = sandbox.mast(arguments);
        assert_eq!((run.code, run.err.lines().count()), (1, 1), "{arguments:?}: {run:?}");
        assert!(run.err.contains("is not a regular file"), "{}", run.err);
    }
    // Where another program's hooks are only looked at.
    let payload = format!("{{\"cwd\": {:?}, \"cursor_version\": \"3\"}}", sandbox.root);
    sandbox.run(Path::new("/usr/bin/mkfifo"), &[".cursor/hooks.json"], b"");
    let run =
        sandbox.run(&sandbox.bin.join("mast"), &["hook", "claude", "session-start"], payload.as_bytes());
    assert!(run.out.contains("additional_context"), "{run:?}");
    fs::create_dir_all(sandbox.root.join(".devin/rules/mast.md")).unwrap();
    assert_eq!(sandbox.mast(&["setup", "windsurf"]).code, 1, "a directory");
}
