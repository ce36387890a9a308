//! `mast skill`: printed, or put into the files an assistant reads.

use crate::sandbox::Sandbox;

#[test]
fn the_text_fits_a_rules_file_and_says_what_matters() {
    let sandbox = Sandbox::new();
    let run = sandbox.mast(&["skill"]);
    assert_eq!(run.code, 0);
    assert!(run.out.chars().count() < 4_000, "{}", run.out.chars().count());
    for part in ["mast_search", "mast_callers", "mast docs signals", "never \"does not exist\""] {
        assert!(run.out.contains(part), "{part}");
    }
}

#[test]
fn only_files_that_exist_get_the_block_once() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.mast(&["skill", "--install"]).code, 1, "no file to write into");
    let files = [
        ("CLAUDE.md", "# C\n"),
        (".cursorrules", "no final line break"),
        (".github/copilot-instructions.md", "a\r\nb\r\n"),
    ];
    for (path, text) in files {
        sandbox.write(path, text);
    }
    let dry = sandbox.mast(&["skill", "--install", "--dry-run"]);
    assert_eq!((dry.code, dry.out.matches("would update").count()), (0, 3), "{dry:?}");
    assert_eq!(sandbox.read("CLAUDE.md"), "# C\n");
    assert_eq!(sandbox.mast(&["skill", "--install"]).code, 0);
    for (path, text) in files {
        let now = sandbox.read(path);
        assert!(now.starts_with(text) && now.matches("mast:begin").count() == 1, "{path}: {now}");
    }
    let again = sandbox.mast(&["skill", "--install"]);
    assert_eq!(again.out.matches("unchanged").count(), 3, "{again:?}");
    for absent in ["AGENTS.md", ".windsurfrules"] {
        assert!(!sandbox.exists(absent), "{absent} is not created");
    }
    // An older block is replaced, not joined by a second one.
    sandbox.write("CLAUDE.md", "# C\n\n<!-- mast:begin -->\nolder\n<!-- mast:end -->\n\n# After\n");
    assert_eq!(sandbox.mast(&["skill", "--install"]).code, 0);
    let text = sandbox.read("CLAUDE.md");
    assert!(!text.contains("older") && text.ends_with("<!-- mast:end -->\n\n# After\n"), "{text}");
}

#[test]
fn a_text_that_would_reach_the_model_twice_is_written_once() {
    let sandbox = Sandbox::new();
    sandbox.write("AGENTS.md", "# A\n");
    sandbox.write("CLAUDE.md", "See @AGENTS.md\n");
    std::os::unix::fs::symlink("AGENTS.md", sandbox.root.join(".cursorrules")).unwrap();
    let run = sandbox.mast(&["skill", "--install"]);
    assert_eq!((run.code, run.out.matches("skipped").count()), (0, 2), "{run:?}");
    assert_eq!(sandbox.read("CLAUDE.md"), "See @AGENTS.md\n");
    assert_eq!(sandbox.read("AGENTS.md").matches("mast:begin").count(), 1);
}

#[test]
fn a_damaged_block_is_left_alone() {
    let sandbox = Sandbox::new();
    let text = "# C\n<!-- mast:begin -->\nrest\n";
    sandbox.write("CLAUDE.md", text);
    let run = sandbox.mast(&["skill", "--install"]);
    assert_eq!((run.code, run.err.lines().count()), (1, 1), "{run:?}");
    assert_eq!(sandbox.read("CLAUDE.md"), text);
}

#[test]
fn removal_undoes_the_installation() {
    let sandbox = Sandbox::new();
    let nothing = sandbox.mast(&["skill", "--remove"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (0, "nothing of mast's to remove\n"));
    let files =
        [("CLAUDE.md", "# C\n"), ("AGENTS.md", "no final line break"), (".windsurfrules", "a\r\nb\r\n")];
    for (path, text) in files {
        sandbox.write(path, text);
    }
    std::os::unix::fs::symlink("AGENTS.md", sandbox.root.join(".cursorrules")).unwrap();
    assert_eq!(sandbox.mast(&["skill", "--install"]).code, 0);
    let dry = sandbox.mast(&["skill", "--remove", "--dry-run"]);
    assert_eq!((dry.code, dry.out.matches("would update").count()), (0, 3), "{dry:?}");
    assert!(sandbox.read("CLAUDE.md").contains("mast:begin"));
    let run = sandbox.mast(&["skill", "--remove"]);
    assert_eq!((run.code, run.out.matches("updated").count()), (0, 3), "{run:?}");
    for (path, text) in files {
        assert_eq!(sandbox.read(path), text, "{path}");
    }
    assert_eq!(sandbox.mast(&["skill", "--remove"]).out, "nothing of mast's to remove\n");
    assert_eq!(sandbox.mast(&["skill", "--install", "--remove"]).code, 2);
}
