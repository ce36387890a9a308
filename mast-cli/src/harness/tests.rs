//! Hook files of every layout, combined: what an installation does, a removal undoes byte for byte.

use super::claude;
use super::cursor;
use super::gemini;
use super::hook_file::HookFormat;
use super::vscode;

fn formats() -> [HookFormat; 3] {
    // Every nesting, with and without a version; the others add nothing to these.
    [&claude::HARNESS, &cursor::HARNESS, &vscode::HARNESS]
        .map(|harness| harness.hooks.as_ref().unwrap().format)
}

fn check_round_trip(format: &HookFormat, before: &str) {
    let launchers = ["mast".to_owned()];
    let what = format!("{} {before:?}", format.harness);
    let installed = format.install(Some(before), &launchers).unwrap_or_else(|e| panic!("{what}: {e}")).text;
    assert!(format.has_ours(&installed), "{what}");
    let again = format.install(Some(&installed), &launchers).unwrap().text;
    assert_eq!(again, installed, "{what}: again");
    let removed = format.remove(&installed).unwrap_or_else(|e| panic!("{what}: {e}: {installed}"));
    assert_eq!(removed, before, "{what}: {installed}");
}

#[test]
fn removal_is_the_opposite_of_installation_in_every_layout() {
    let blanks = ["", " ", "\n", "\r\n  ", " // c\n", "/* c */"];
    let foreign = r#"{"command": "x", "hooks": [{"command": "y"}]}"#;
    for format in formats() {
        let event = format.entries[0].event;
        for outer in blanks {
            for inner in blanks {
                for comma in ["", ",", " ,", ", // c\n", "/* c */,"] {
                    // Nothing below `hooks`; no `hooks`; an empty list; a list with somebody's entry; two of them.
                    check_round_trip(
                        &format,
                        &format!("{{{outer}\"hooks\"{outer}: {{{inner}}}{comma}{outer}}}\n"),
                    );
                    check_round_trip(&format, &format!("{{{outer}\"version\": 1{inner}{comma}{outer}}}"));
                    check_round_trip(
                        &format,
                        &format!("{{{outer}\"a\": [1,{inner}2]{inner}{comma}{outer}}}"),
                    );
                    let list = format!("\"{event}\":{inner}[{inner}]{comma}");
                    check_round_trip(
                        &format,
                        &format!("{{{outer}\"hooks\": {{{outer}{list}{inner}}}{outer}}}"),
                    );
                    let list = format!("\"{event}\":{inner}[{inner}{foreign}{comma}{outer}]");
                    check_round_trip(
                        &format,
                        &format!("{{{outer}\"hooks\": {{{outer}{list}{comma}{inner}}}{outer}}}"),
                    );
                    let list = format!("\"{event}\": [{inner}{foreign},{inner}{foreign}{comma}{inner}]");
                    check_round_trip(
                        &format,
                        &format!("{{{outer}\"hooks\": {{{list}}},{inner}\"z\": 0{comma}{outer}}}"),
                    );
                }
            }
        }
        for text in ["{}", "{ }", "{\n}", "{\n}\n", "// c\n{}", "{ /* c */ }", "{\r\n}\r\n"] {
            check_round_trip(&format, text);
        }
    }
}

#[test]
fn settings_beside_the_events_are_no_obstacle_where_there_are_some() {
    let gemini = gemini::HARNESS.hooks.as_ref().unwrap().format;
    check_round_trip(
        &gemini,
        r#"{"hooks": {"enabled": true, "disabled": ["a", "b"], "AfterTool": []}, "x": 1}"#,
    );
    assert!(gemini.install(Some(r#"{"hooks": {"SessionStart": true}}"#), &["mast".to_owned()]).is_err());
    let [claude, ..] = formats();
    assert!(claude.install(Some(r#"{"hooks": {"enabled": true}}"#), &["mast".to_owned()]).is_err());
}

#[test]
fn entries_of_ours_among_others_go_alone() {
    let [claude, ..] = formats();
    let ours = r#"{"type": "command", "command": "mast hook claude search"}"#;
    let text = format!(
        "{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Grep\", \"hooks\": [{{\"command\": \"a\"}}, {ours}, {{\"command\": \"b\"}}]}}]}}}}"
    );
    let expected =
        r#"{"hooks": {"PreToolUse": [{"matcher": "Grep", "hooks": [{"command": "a"}, {"command": "b"}]}]}}"#;
    assert_eq!(claude.remove(&text).unwrap(), expected);
}

#[test]
fn commands_that_only_resemble_ours_are_not_ours() {
    let [claude, cursor, _] = formats();
    for command in [
        "mast hook claude search --verbose",
        "webhook claude search",
        "mast hook cursor search",
        "echo hook claude searching",
        "hook claude search",
    ] {
        let text = format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"command": "{command}"}}]}}]}}}}"#);
        assert!(!claude.has_ours(&text), "{command}");
        assert_eq!(claude.remove(&text).unwrap(), text);
    }
    assert!(cursor.has_ours(r#"{"hooks": {"x": [{"command": "node \"a b\" hook cursor search "}]}}"#));
}
