//! `mast docs`, and the claims the documents make about themselves.

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

#[test]
fn completions_know_the_commands() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = sandbox.mast(&["completions", shell]);
        assert_eq!(run.code, 0, "{shell}");
        assert!(run.out.contains("install-hooks"), "{shell}");
    }
}
