//! The one-way rule: which room may use which. `ARCHITECTURE.md` has the same table for people.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms and the rooms they may use besides `error`.
const MAY_USE: [(&str, &[&str]); 18] = [
    ("model", &[]),
    ("task", &[]),
    ("glob", &[]),
    ("panic", &[]),
    ("config", &["model", "glob"]),
    ("source", &["model", "config", "glob"]),
    ("language", &["model"]),
    ("link", &["model"]),
    ("rank", &["model", "store"]),
    ("store", &["model", "telemetry"]),
    ("telemetry", &["store", "model", "task"]),
    ("index", &["source", "language", "link", "store", "telemetry", "config", "model", "task"]),
    ("search", &["store", "rank", "model", "glob"]),
    ("graph", &["store", "model", "glob", "task"]),
    ("checker", &["graph", "store", "source", "model", "task"]),
    (
        "engine",
        &["checker", "index", "store", "source", "config", "model", "task", "telemetry", "tools", "glob"],
    ),
    ("watch", &["source", "config", "model"]),
    (
        "tools",
        &[
            "engine",
            "search",
            "graph",
            "store",
            "model",
            "config",
            "task",
            "telemetry",
            "language",
            "index",
            "source",
            "glob",
        ],
    ),
];

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            out.push(path);
        }
    }
}

fn core() -> (PathBuf, Vec<PathBuf>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    (root, files)
}

/// The code of a file before its first inline test module.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].to_owned()
}

fn is_test_file(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy();
    name.contains("tests")
        || name == "properties"
        || path.components().any(|part| part.as_os_str() == "tests")
}

#[test]
fn rooms_use_only_the_rooms_below_them() {
    let (root, files) = core();
    let rooms: BTreeSet<&str> = MAY_USE.iter().map(|(room, _)| *room).collect();
    let mut broken = Vec::new();
    for path in files.iter().filter(|path| !is_test_file(path)) {
        let relative = path.strip_prefix(&root).unwrap();
        let room = relative.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == room) else { continue };
        for (number, line) in code(path).lines().enumerate() {
            let line = line.split("//").next().unwrap_or("");
            for (at, _) in line.match_indices("crate::") {
                let used: String =
                    line[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if rooms.contains(used.as_str()) && used != room && !allowed.contains(&used.as_str()) {
                    broken.push(format!("{}:{}: {room} may not use {used}", relative.display(), number + 1));
                }
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn the_architecture_names_every_room() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md")).unwrap();
    for (room, _) in MAY_USE {
        assert!(page.contains(&format!("`{room}`")), "ARCHITECTURE.md does not name the room `{room}`");
    }
}

/// Files above the cap, each with the reason it is in one piece.
const LONG: [(&str, &str); 3] = [
    ("link/signatures.rs", "overload choice and type arguments decide each other"),
    ("model/facts.rs", "one intermediate form, two thirds of it documentation"),
    ("language/ecmascript/scopes/declarations.rs", "one walk over the statements that declare"),
];

const CAP: usize = 560;

#[test]
fn every_file_says_what_it_holds_and_can_be_read_in_one_sitting() {
    let (root, files) = core();
    let mut broken = Vec::new();
    for path in &files {
        let relative = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(path).unwrap();
        if !text.starts_with("//!") {
            broken.push(format!("{relative}: does not begin with a module doc"));
        }
        let lines = code(path).lines().count();
        if lines > CAP && !is_test_file(path) && !LONG.iter().any(|(name, _)| *name == relative) {
            broken.push(format!("{relative}: {lines} lines of code; split it by idea"));
        }
        let is_room = relative.matches('/').count() == 1 && relative.ends_with("/mod.rs");
        if is_room
            && !["**Holds**", "**Takes / gives**", "**Never**", "**Next**"]
                .iter()
                .all(|sign| text.contains(sign))
        {
            broken.push(format!("{relative}: the door sign is not complete"));
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}
