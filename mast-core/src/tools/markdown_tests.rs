//! Outline and section over a directory without an index: both read the disk.

use std::fs;

use serde_json::{Value, json};

use crate::engine::{Engine, OpenOptions};
use crate::task::CallContext;

const GUIDE: &str = "# Guide\n\nintro\n\n## Install\n\nwith npm\n\n### Windows\n\nmore\n\n## Use\n\nrun\n\n# Other\n\n## Install\n\nby hand\n";

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    dir
}

fn ask(dir: &tempfile::TempDir, tool: &str, arguments: Value) -> Value {
    let engine = Engine::open(OpenOptions { root: Some(dir.path().to_path_buf()), state_dir: None }).unwrap();
    match engine.call(tool, arguments, &CallContext::default()) {
        Ok(reply) => serde_json::from_str(&reply.json).unwrap(),
        Err(error) => Value::String(error.to_string()),
    }
}

#[test]
fn outline_gives_a_line_for_each_heading_with_exact_lines() {
    let dir = project(&[("docs/guide.md", GUIDE), ("plain.md", "words\n")]);
    let answer = ask(&dir, "mast_outline", json!({"paths": ["docs/guide.md", "./plain.md"]}));
    assert_eq!(
        answer["outline"].as_str().unwrap().lines().collect::<Vec<_>>(),
        [
            "docs/guide.md (21 lines, 99c)",
            "1-16 70c # Guide",
            "5-12 41c ## Install",
            "9-12 19c ### Windows",
            "13-16 13c ## Use",
            "17-21 29c # Other",
            "19-21 20c ## Install",
            "plain.md (1 lines, 6c)",
            "no headings",
        ]
    );
    assert_eq!(answer["_stats"]["files_referenced"], json!(["docs/guide.md", "plain.md"]));
    assert!(answer["_stats"]["tokens_full_file_upper_bound"].as_u64().unwrap() > 20);
    assert!(answer.get("errors").is_none() && answer.get("files_truncated").is_none());
}

#[test]
fn outline_of_a_directory_lists_titles_and_status() {
    let dir = project(&[
        ("adr/001.md", "---\ntitle: \"Use SQLite\"\nstatus: accepted\n---\n\n# Heading\n"),
        ("adr/002.md", "# Second\n\n- **Status:** superseded\n"),
        ("adr/003.md", "no title\n"),
        ("node_modules/x/README.md", "# X\n"),
    ]);
    let answer = ask(&dir, "mast_outline", json!({"paths": ["adr/"], "limit": 2}));
    assert_eq!(
        answer["outline"],
        "adr/001.md 56c Use SQLite [status: accepted]\nadr/002.md 35c Second [status: superseded]"
    );
    assert_eq!(answer["files_truncated"], 3);
    let root = ask(&dir, "mast_outline", json!({"paths": ["."]}));
    assert_eq!(root["outline"].as_str().unwrap().lines().count(), 3, "node_modules is left out");
    let named = ask(&dir, "mast_outline", json!({"paths": ["node_modules/x/README.md", "node_modules"]}));
    assert!(named["outline"].as_str().unwrap().contains("# X"), "but can be named");
    assert_eq!(named["errors"][0]["file_path"], "node_modules");
}

#[test]
fn what_cannot_be_outlined_is_said_beside_the_rest() {
    let dir = project(&[("a.md", "# A\n"), ("a.ts", "")]);
    let answer =
        ask(&dir, "mast_outline", json!({"paths": ["a.ts", "../x.md", "/etc/passwd", "gone.md", "a.md"]}));
    let errors: Vec<_> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| format!("{}: {}", e["file_path"].as_str().unwrap(), e["message"].as_str().unwrap()))
        .collect();
    assert_eq!(errors[0], "a.ts: not a Markdown file (.md)");
    assert_eq!(errors[1], "../x.md: outside the project root");
    assert_eq!(errors[2], "/etc/passwd: outside the project root");
    assert!(errors[3].starts_with("gone.md: "));
    assert!(answer["outline"].as_str().unwrap().ends_with("# A"));
}

#[cfg(unix)]
#[test]
fn symbolic_links_lead_nowhere() {
    let outside = project(&[("secret.md", "# Secret\n")]);
    let dir = project(&[("a.md", "# A\n")]);
    std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), dir.path().join("link.md")).unwrap();
    let asked = json!({"sections": [
        {"file_path": "link/secret.md", "heading": "Secret"},
        {"file_path": "link.md", "start_line": 1, "end_line": 1},
    ]});
    let answer = ask(&dir, "mast_section", asked);
    assert_eq!(answer["sections"], json!([]));
    assert_eq!(answer["errors"].as_array().unwrap().len(), 2);
    let outlined = ask(&dir, "mast_outline", json!({"paths": ["link"]}));
    assert_eq!(outlined["outline"], "");
}

fn section(heading: &str) -> Value {
    let dir = project(&[("docs/guide.md", GUIDE)]);
    ask(&dir, "mast_section", json!({"sections": [{"file_path": "docs/guide.md", "heading": heading}]}))
}

#[test]
fn sections_by_heading_hold_their_subsections() {
    let answer = section("Use");
    assert_eq!(
        answer["sections"],
        json!([{"file_path": "docs/guide.md", "heading": "Guide > Use", "start_line": 13, "end_line": 16,
                "content": "## Use\n\nrun\n\n"}])
    );
    for spelling in ["Guide > Install", "guide.md > Guide > Install", "guide > install"] {
        let answer = section(spelling);
        assert_eq!(answer["sections"][0]["start_line"], 5, "{spelling}");
        assert!(answer["sections"][0]["content"].as_str().unwrap().contains("### Windows"));
    }
    assert_eq!(section("## Use")["sections"][0]["start_line"], 13);
}

#[test]
fn a_heading_that_could_be_several_is_not_guessed() {
    let answer = section("Install");
    assert_eq!(answer["sections"], json!([]));
    assert_eq!(answer["errors"][0]["message"], "2 sections have this heading; ask by path or by lines");
    assert_eq!(answer["errors"][0]["candidates"], json!(["5-12 Guide > Install", "19-21 Other > Install"]));
    let near = section("instal");
    assert_eq!(near["errors"][0]["message"], "no such heading");
    assert_eq!(near["errors"][0]["candidates"].as_array().unwrap().len(), 2);
}

#[test]
fn sections_by_lines_are_exact() {
    let dir = project(&[("a.md", "one\r\ntwo\r\nthree\r\n")]);
    let lines = |first: u32, last: u32| {
        let request = json!({"file_path": "a.md", "start_line": first, "end_line": last});
        ask(&dir, "mast_section", json!({"sections": [request]}))
    };
    let answer = lines(2, 9);
    assert_eq!(answer["sections"][0]["content"], "two\r\nthree\r\n");
    assert_eq!(
        (&answer["sections"][0]["start_line"], &answer["sections"][0]["end_line"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(lines(4, 9)["errors"][0]["message"], "the file has 3 lines");
    assert_eq!(lines(3, 2), "mast_section: sections[0]: start_line is behind end_line");
    let neither = ask(&dir, "mast_section", json!({"sections": [{"file_path": "a.md"}]}));
    assert_eq!(neither, "mast_section: sections[0]: give heading, or start_line and end_line");
}

#[test]
fn a_long_section_is_cut_and_says_so() {
    let body = "word word word word word word word\n".repeat(6_000);
    let dir = project(&[("a.md", &format!("# Long\n\n{body}"))]);
    let answer = ask(&dir, "mast_section", json!({"sections": [{"file_path": "a.md", "heading": "Long"}]}));
    assert_eq!(answer["sections"][0]["cut_from_end_line"], 6_002);
    let last = answer["sections"][0]["end_line"].as_u64().unwrap();
    assert_eq!(answer["sections"][0]["content"].as_str().unwrap().lines().count() as u64, last);
    assert!(answer["_stats"]["tokens_returned"].as_u64().unwrap() <= 24_000);
}
