//! What holds of every edge, whatever the project looks like.

use std::path::Path;

use mast_core::{CallContext, Engine};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::dump::dump;
use crate::project::Project;

/// Rows that must not exist.
const BROKEN: [(&str, &str); 5] = [
    ("a call of nothing", "SELECT * FROM calls WHERE target NOT IN (SELECT id FROM symbols)"),
    (
        "a call by a symbol of another file, or outside its lines",
        "SELECT * FROM calls c LEFT JOIN symbols s ON s.id = c.caller WHERE c.caller IS NOT NULL AND \
         (s.id IS NULL OR s.file_id <> c.file_id OR c.line NOT BETWEEN s.start_line AND s.end_line)",
    ),
    ("a child that is nothing", "SELECT * FROM heritage WHERE child NOT IN (SELECT id FROM symbols)"),
    ("a parent that is nothing", "SELECT * FROM heritage WHERE parent NOT IN (SELECT id FROM symbols)"),
    ("a use of nothing", "SELECT * FROM type_uses WHERE target NOT IN (SELECT id FROM symbols)"),
];

/// What is wrong with the edges of an index: an end that does not exist, a call outside its caller, a mention of one of `names` that is
/// verified and potential at once.
pub(crate) fn broken(root: &Path, state_dir: &Path, engine: &Engine, names: &[&str]) -> Option<String> {
    let connection = Connection::open(state_dir.join("graph.db")).unwrap();
    let rows = BROKEN.iter().find(|(_, sql)| connection.prepare(sql).unwrap().exists([]).unwrap());
    rows.map(|(what, _)| (*what).to_owned())
        .or_else(|| names.iter().find_map(|name| told_twice(root, engine, name)))
}

fn told_twice(root: &Path, engine: &Engine, name: &str) -> Option<String> {
    let reply = engine.call("mast_callers", json!({"symbol": name}), &CallContext::default()).ok()?;
    let answer: Value = serde_json::from_str(&reply.json).unwrap();
    let of = |entry: &Value, key: &str| usize::try_from(entry[key].as_u64().unwrap()).unwrap();
    let entries = |list: &str| answer[list].as_array().unwrap().clone();
    let verified = entries("verified_callers");
    entries("potential_matches").into_iter().find_map(|potential| {
        let text = std::fs::read_to_string(root.join(potential["file_path"].as_str().unwrap())).unwrap();
        let line = text.lines().nth(of(&potential, "line") - 1)?;
        // A line may hold a proven call and another mention, but no more of both than it has mentions. A call under an alias
        // is none when it is proven; when it is not, it is one more.
        let is_mention = |call: &&Value| {
            call["file_path"] == potential["file_path"]
                && call["line"] == potential["line"]
                && line[of(call, "column") - 1..].starts_with(name)
        };
        let proven = verified.iter().filter(is_mention).count();
        let mentions = line.matches(name).count() + calls_under_aliases(&text, line, name);
        (proven >= mentions).then(|| format!("{name} is verified and potential: {potential}"))
    })
}

/// How often `line` calls what its file imports as another name than `name`.
fn calls_under_aliases(text: &str, line: &str, name: &str) -> usize {
    let renaming = format!("{name} as ");
    let aliases = text.split(&renaming).skip(1).filter_map(|rest| rest.split_whitespace().next());
    aliases.map(|alias| line.matches(&format!("{alias}(")).count()).sum()
}

#[test]
fn renaming_a_local_changes_no_edge_of_another_file() {
    let a = |local: &str, inner: &str| {
        format!(
            "import {{ Store }} from './store'\nexport function run(): Store {{\n  const {local} = new Store()\n\
               function {inner}() {{ {local}.close() }}\n  {inner}()\n  return {local}\n}}\n"
        )
    };
    let project = Project::new(&[
        ("store.ts", "export class Store { close() {} }\nexport function help() {}\n"),
        ("a.ts", &a("value", "inner")),
        ("b.ts", "import { run } from './a'\nimport { help } from './store'\nrun().close()\nhelp()\n"),
    ]);
    let edges = || -> Vec<String> {
        let is_edge =
            |line: &String| ["call\t", "heritage\t", "type use\t"].iter().any(|kind| line.starts_with(kind));
        let own =
            |line: &String| line.split('\t').nth(1).is_some_and(|file| file == "Text([97, 46, 116, 115])");
        dump(&project.state_dir()).into_iter().filter(|line| is_edge(line) && !own(line)).collect()
    };
    let before = edges();
    assert_eq!(before.len(), 3, "{before:#?}");
    project.write("a.ts", &a("help", "close"));
    project.index();
    assert_eq!(edges(), before);
}
