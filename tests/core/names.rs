//! What a name may mean beside the declaration of that name: aliases, members, what is left of a deleted one; and which mentions of
//! it belong to an answer.

use serde_json::{Value, json};

use crate::project::{Project, rows};

const BASE: (&str, &str) = (
    "base.ts",
    "class App {\n  run() {}\n  fork() { return new App(); }\n}\nexport { App as Base };\nexport type Kind = App;\n",
);

const DERIVED: (&str, &str) = (
    "derived.ts",
    "import { Base } from \"./base\";\n\
     export class App extends Base {\n  constructor() { super(); }\n}\n\
     export const made = (x: Base) => new Base();\n\
     export const list = [Base];\n",
);

fn at(answer: &Value, list: &str) -> Vec<String> {
    rows(answer, list, &["file_path", "line"])
}

#[test]
fn a_rename_leaves_what_only_carries_the_alias() {
    let project = Project::new(&[BASE, DERIVED]);
    let answer = project.ask("mast_rename_impact", json!({"symbol": "App", "file_path": "base.ts"}));
    assert_eq!(at(&answer, "verified_callers"), ["base.ts 3"]);
    assert_eq!(at(&answer, "type_references"), ["base.ts 6"]);
    assert_eq!(rows(&answer, "barrel_exports", &["file_path", "line", "exported_as"]), ["base.ts 5 Base"]);
    assert_eq!((&answer["import_sites"], &answer["potential_matches"]), (&json!([]), &json!([])));
    assert_eq!(answer["summary"]["verified_count"], 1);
    assert_eq!(answer["summary"]["other_name_count"], 2, "`super()` and `new Base()`");
    assert_eq!(
        answer["summary"]["checklist"],
        "Edit 1 declaration, 1 call, 0 import specifiers, 1 re-export and 1 line with a type reference; \
         2 calls use another name or `super` and stay as they are; no unproven mention of the name is left to review."
    );
    let callers = project.ask("mast_callers", json!({"symbol": "App", "file_path": "base.ts"}));
    assert_eq!(
        at(&callers, "verified_callers"),
        ["base.ts 3", "derived.ts 3", "derived.ts 5"],
        "they are calls all the same"
    );
}

#[test]
fn a_rename_lists_the_import_of_a_default_that_keeps_its_name() {
    let project = Project::new(&[
        ("a.ts", "export default class Box {}\n"),
        ("b.ts", "import Box from \"./a\";\nnew Box();\n"),
        ("c.ts", "import Other from \"./a\";\nnew Other();\n"),
    ]);
    let answer = project.ask("mast_rename_impact", json!({"symbol": "Box"}));
    assert_eq!(at(&answer, "verified_callers"), ["b.ts 2"]);
    assert_eq!(at(&answer, "import_sites"), ["b.ts 1"]);
}

#[test]
fn a_rename_touches_every_overload() {
    let project = Project::new(&[(
        "a.ts",
        "export class A {\n  get(a: string): void;\n  get(a: number): void;\n  get(a: any) {}\n}\n\
         export function f(a: string): void;\nexport function f(a: any) {}\n",
    )]);
    let of = |symbol: &str| {
        let answer = project.ask("mast_rename_impact", json!({"symbol": symbol}));
        (at(&answer, "declaration_sites"), answer["potential_matches"].clone())
    };
    assert_eq!(of("A.get"), (vec!["a.ts 2".to_owned(), "a.ts 3".to_owned(), "a.ts 4".to_owned()], json!([])));
    assert_eq!(of("f"), (vec!["a.ts 6".to_owned(), "a.ts 7".to_owned()], json!([])));
}

#[test]
fn the_name_of_an_export_leads_to_what_it_exports() {
    let project = Project::new(&[
        BASE,
        DERIVED,
        ("index.ts", "export { Base as Top } from \"./base\";\nexport * as ns from \"./base\";\n"),
        ("ns.ts", "import * as all from \"./base\";\nexport { all as z };\nexport default all;\n"),
    ]);
    let meant = |symbol: &str, file: Option<&str>| {
        let answer = project.ask("mast_callers", json!({"symbol": symbol, "file_path": file}));
        rows(&answer, "declaration_sites", &["symbol", "file_path", "line"])
    };
    for name in ["Base", "Top", "ns.Base", "z.Base"] {
        assert_eq!(meant(name, None), ["App base.ts 1"], "{name}");
    }
    assert_eq!(meant("Base.run", None), ["App.run base.ts 2"]);
    assert_eq!(meant("z.Base.run", None), ["App.run base.ts 2"]);
    assert_eq!(meant("Base", Some("derived.ts")), ["App base.ts 1"], "an import of the file");
    assert_eq!(meant("Top", Some("index.ts")), ["App base.ts 1"]);
    assert_eq!(meant("default.Base", Some("ns.ts")), ["App base.ts 1"]);
    let callers = project.ask("mast_callers", json!({"symbol": "Base"}));
    assert_eq!(callers["alias_of"], json!(["App"]));
    assert_eq!(callers.get("symbol_not_found"), None);
    assert_eq!(at(&callers, "verified_callers"), ["base.ts 3", "derived.ts 3", "derived.ts 5"]);
    let signature = project.ask("mast_signature", json!({"symbol": "Top"}));
    assert_eq!(rows(&signature, "results", &["symbol", "file_path"]), ["App base.ts"]);
    let below = project.ask("mast_implementors", json!({"interface_name": "Base"}));
    assert_eq!(rows(&below, "results", &["class_name", "file_path"]), ["App derived.ts"]);
    for nothing in ["ns.Kind.x", "ns", "Base.none", "nowhere.Base", "default", "ns.ns.Base"] {
        let answer = project.ask("mast_callers", json!({"symbol": nothing}));
        assert_eq!(answer["symbol_not_found"], true, "{nothing}");
    }
}

#[test]
fn an_alias_is_renamed_where_it_stands() {
    let project = Project::new(&[BASE, DERIVED]);
    let answer = project.ask("mast_rename_impact", json!({"symbol": "Base"}));
    assert_eq!(rows(&answer, "declaration_sites", &["symbol", "file_path", "line"]), ["App base.ts 1"]);
    assert_eq!(at(&answer, "verified_callers"), ["derived.ts 5"]);
    assert_eq!(at(&answer, "import_sites"), ["derived.ts 1"]);
    assert_eq!(at(&answer, "type_references"), ["derived.ts 2", "derived.ts 5"]);
    assert_eq!(rows(&answer, "barrel_exports", &["file_path", "line", "exported_as"]), ["base.ts 5 Base"]);
    assert_eq!(at(&answer, "potential_matches"), ["derived.ts 6"]);
    assert_eq!(
        answer["summary"]["checklist"],
        "Edit 1 call, 1 import specifier, 1 re-export and 2 lines with type references; the name is an alias, so the \
         declaration keeps its own; 2 calls use another name or `super` and stay as they are; review 1 unproven mention by hand."
    );
}

#[test]
fn what_is_left_of_a_deleted_name_is_listed() {
    let project = Project::new(&[
        ("lib.ts", "export function gone() {}\nexport class Store { drop() {} }\n"),
        (
            "use.ts",
            "import { gone, Store } from \"./lib\";\ngone();\n[1].map(gone);\nexport const o = { gone: 1 };\n\
             new Store().drop();\n// gone\n",
        ),
        ("other.ts", "function gone() {}\ngone();\n"),
    ]);
    project.write("lib.ts", "export class Store {}\n");
    project.write("other.ts", "export {};\n");
    project.index();
    let answer = project.ask("mast_callers", json!({"symbol": "gone"}));
    assert_eq!(answer["symbol_not_found"], true);
    assert_eq!(
        rows(&answer, "potential_matches", &["file_path", "line", "reason"]),
        [
            "use.ts 1 an import or export of the name",
            "use.ts 2 a call whose target is not proven",
            "use.ts 3 a mention of the name that is no call",
        ]
    );
    assert_eq!(
        (&answer["summary"]["potential_count"], &answer["summary"]["verified_count"]),
        (&json!(3), &json!(0))
    );
    let member = project.ask("mast_callers", json!({"symbol": "Store.drop"}));
    assert_eq!(
        (&member["symbol_not_found"], at(&member, "potential_matches")),
        (&json!(true), vec!["use.ts 5".to_owned()])
    );
    let rename = project.ask("mast_rename_impact", json!({"symbol": "gone"}));
    assert_eq!(at(&rename, "potential_matches"), ["use.ts 1", "use.ts 2", "use.ts 3"]);
    assert_eq!(
        rename["summary"]["checklist"],
        "No declaration of this name is in the index; review the 3 mentions of it by hand."
    );
    let file = project.ask("mast_callers", json!({"symbol": "gone", "file_path": "none.ts"}));
    assert_eq!((&file["file_not_indexed"], &file["potential_matches"]), (&json!(true), &json!([])));
}

#[test]
fn a_function_deleted_since_the_index_was_made_is_not_found() {
    let project = Project::new(&[
        ("lib.ts", "export function gone() {}\n"),
        ("use.ts", "import { gone } from \"./lib\";\ngone();\n"),
    ]);
    project.write("lib.ts", "export function fresh() {}\n");
    let answer = project.ask("mast_callers", json!({"symbol": "gone"}));
    assert_eq!(
        (&answer["symbol_not_found"], at(&answer, "potential_matches")),
        (&json!(true), vec!["use.ts 1".to_owned(), "use.ts 2".to_owned()])
    );
    let fresh = project.ask("mast_signature", json!({"symbol": "fresh"}));
    assert_eq!(rows(&fresh, "results", &["file_path"]), ["lib.ts"]);
}

#[test]
fn a_file_that_is_asked_about_is_read_again_even_when_the_name_is_new_in_it() {
    let project = Project::new(&[("lib.ts", "export function old() {}\n")]);
    project.write("lib.ts", "export function old() {}\nexport function fresh() {}\n");
    let answer = project.ask("mast_signature", json!({"symbol": "fresh", "file_path": "lib.ts"}));
    assert_eq!(rows(&answer, "results", &["line"]), ["2"]);
}

#[test]
fn declarations_and_keys_are_no_possible_calls() {
    let project = Project::new(&[
        (
            "a.ts",
            "export class Store {\n  get(a: string): void;\n  get(a: any) {}\n}\nexport interface Like { get(a: string): void }\n",
        ),
        (
            "b.ts",
            "declare const x: any;\nx.get(1);\nconst get = 1;\nx.y = get;\nexport const o = { get: 2 };\n\
             const { get: taken } = x;\nx.z = { get() {} };\nconst f = x.get;\nx.w = { get };\n",
        ),
    ]);
    let answer = project.ask("mast_callers", json!({"symbol": "Store.get"}));
    assert_eq!(at(&answer, "potential_matches"), ["b.ts 2", "b.ts 6", "b.ts 8", "b.ts 9"]);
    assert_eq!(rows(&answer, "declaration_sites", &["line"]), ["3"]);
    let rename = project.ask("mast_rename_impact", json!({"symbol": "Store.get"}));
    assert_eq!(
        at(&rename, "potential_matches"),
        ["b.ts 2", "b.ts 5", "b.ts 6", "b.ts 7", "b.ts 8", "b.ts 9"],
        "an object that stands for a store has a member of that name"
    );
}

#[test]
fn a_bare_identifier_means_what_its_file_can_see() {
    let project = Project::new(&[
        ("lib.ts", "export function file() {}\nexport default () => 1;\n"),
        ("local.ts", "export const size = (file: any) => file.size + [file];\n"),
        ("unresolved.ts", "import { file } from \"@/lib\";\nexport const a = [file];\n"),
        ("taken.ts", "export const go = (x: any) => {\n  const { file } = x;\n  file();\n};\n"),
        ("script.ts", "function shared() {}\n"),
        ("uses.ts", "const b = [shared];\n"),
        ("named.ts", "export const lib = 1;\nexport const c = [lib];\n"),
    ]);
    let potential = |symbol: &str, file: &str| {
        at(&project.ask("mast_callers", json!({"symbol": symbol, "file_path": file})), "potential_matches")
    };
    assert_eq!(potential("file", "lib.ts"), ["taken.ts 2", "taken.ts 3", "unresolved.ts 2"]);
    assert_eq!(potential("shared", "script.ts"), ["uses.ts 1"], "scripts share their names");
    assert_eq!(potential("default", "lib.ts"), [] as [&str; 0], "nothing spells the name of the file");
}

#[test]
fn a_mention_on_the_line_of_an_exported_declaration_counts() {
    let project = Project::new(&[("a.ts", "export function f() { [1].map(f); }\n")]);
    let answer = project.ask("mast_callers", json!({"symbol": "f"}));
    assert_eq!(at(&answer, "potential_matches"), ["a.ts 1"]);
}

#[test]
fn accents_composed_or_apart_are_one_name() {
    let project = Project::new(&[
        ("a.ts", "export function cafe\u{301}() {}\ncafe\u{301}();\nexport const cafe = 1;\n"),
        ("b.ts", "/** Brews a thé. */\nexport function brew() {}\n"),
    ]);
    for spelling in ["café", "cafe\u{301}"] {
        let callers = project.ask("mast_callers", json!({"symbol": spelling}));
        assert_eq!(
            (at(&callers, "verified_callers"), &callers["potential_matches"]),
            (vec!["a.ts 2".to_owned()], &json!([]))
        );
        let found = project.ask("mast_search", json!({"query": spelling}));
        assert_eq!(rows(&found, "results", &["file_path", "start_line"])[0], "a.ts 1");
    }
    let plain = project.ask("mast_callers", json!({"symbol": "cafe"}));
    assert_eq!(plain["potential_matches"], json!([]), "an accent makes another name");
    for spelling in ["thé", "the\u{301}"] {
        let found = project.ask("mast_search", json!({"query": spelling}));
        assert_eq!(rows(&found, "results", &["file_path", "symbol_name"]), ["b.ts brew"]);
        assert_eq!(found["results"][0]["match_snippet"], "/** Brews a **thé**. */");
    }
}

#[test]
fn a_file_in_another_case_is_suggested() {
    let project = Project::new(&[
        ("src/Button.ts", "export const a = 1;\n"),
        ("lib/Button.ts", "export const b = 1;\n"),
    ]);
    for (tool, arguments) in [
        ("mast_exports", json!({"file_path": "src/button.ts"})),
        ("mast_dependencies", json!({"file_path": "src/button.ts"})),
        ("mast_signature", json!({"symbol": "a", "file_path": "SRC/Button.ts"})),
        ("mast_callers", json!({"symbol": "a", "file_path": "src/BUTTON.TS"})),
    ] {
        let answer = project.ask(tool, arguments);
        assert_eq!(
            (&answer["file_not_indexed"], &answer["near_files"]),
            (&json!(true), &json!(["src/Button.ts"])),
            "{tool}"
        );
    }
    let elsewhere = project.ask("mast_exports", json!({"file_path": "components/button.ts"}));
    assert_eq!(elsewhere["near_files"], json!(["lib/Button.ts", "src/Button.ts"]));
    let nowhere = project.ask("mast_exports", json!({"file_path": "none.ts"}));
    assert_eq!((nowhere["file_not_indexed"].clone(), nowhere.get("near_files")), (json!(true), None));
}

#[test]
fn a_cut_list_keeps_the_calls() {
    let mentions = "x.y = f;\n".repeat(60) + "x.f();\n";
    let project = Project::new(&[("a.ts", &format!("declare const x: any;\nfunction f() {{}}\n{mentions}"))]);
    let answer = project.ask("mast_callers", json!({"symbol": "f"}));
    assert_eq!(
        (&answer["potential_truncated"], &answer["summary"]["potential_count"]),
        (&json!(61), &json!(61))
    );
    assert_eq!(at(&answer, "potential_matches").last().unwrap(), "a.ts 63");
}

#[test]
fn declarations_that_are_left_out_are_named() {
    let project = Project::new(&[
        (
            "a.ts",
            "export function get() {}\nexport class Store { get() {} }\nfunction f() { function get() {} }\n",
        ),
        ("b.ts", "declare function get(): void;\nget();\n"),
    ]);
    let answer = project.ask("mast_callers", json!({"symbol": "get"}));
    assert_eq!(rows(&answer, "declaration_sites", &["symbol", "file_path"]), ["get a.ts"]);
    assert_eq!(
        rows(&answer, "other_declarations", &["symbol", "file_path", "line"]),
        ["Store.get a.ts 2", "get b.ts 1", "f.get a.ts 3"]
    );
    let only = project.ask("mast_callers", json!({"symbol": "Store.get"}));
    assert_eq!(only.get("other_declarations"), None);
    let many: String = (0..12).map(|n| format!("export class C{n} {{ get() {{}} }}\n")).collect();
    project.write("many.ts", &many);
    project.index();
    let cut = project.ask("mast_signature", json!({"symbol": "get"}));
    assert_eq!(cut["other_declarations"].as_array().unwrap().len(), 10);
    assert_eq!(cut["other_declarations_truncated"], 15);
}

#[test]
fn a_script_names_the_declaration_file_its_callers_are_told_at() {
    let project = Project::new(&[
        ("x.js", "exports.go = function () {};\n"),
        ("x.d.ts", "export declare function go(): void;\n"),
        ("use.js", "const { go } = require('./x.js');\ngo();\n"),
    ]);
    let answer = project.ask("mast_callers", json!({"symbol": "go", "file_path": "x.js"}));
    assert_eq!(answer["summary"]["verified_count"], 0);
    assert_eq!(answer["other_declarations"][0]["file_path"], "x.d.ts", "{answer}");
    let described = project.ask("mast_callers", json!({"symbol": "go", "file_path": "x.d.ts"}));
    assert_eq!(described["verified_callers"][0]["line"], 2);
    assert_eq!(described.get("other_declarations"), None);
}

#[test]
fn closing_tags_of_proven_elements_are_told_as_such() {
    let panel = "export function Panel(props: { children: unknown }) {\n  return props.children;\n}\n";
    let project = Project::new(&[
        ("panel.tsx", panel),
        (
            "page.tsx",
            "import { Panel } from './panel';\n\nexport const page = (\n  <Panel>\n    <p />\n  </Panel>\n);\n",
        ),
        (
            "mixed.tsx",
            "import { Panel } from './panel';\n\nexport const one = (\n  <Panel>\n    <p />\n  </Panel>\n);\n\n\
             export function two(Panel: any) {\n  return (\n    <Panel>\n      <p />\n    </Panel>\n  );\n}\n",
        ),
    ]);
    let answer = project.ask("mast_rename_impact", json!({"symbol": "Panel"}));
    let (other, call) = ("a mention of the name that is no call", "a call whose target is not proven");
    let closing = "the closing tag of an element that is proven: rename it with the opening one";
    assert_eq!(
        rows(&answer, "potential_matches", &["file_path", "line", "reason"]),
        [
            format!("mixed.tsx 6 {other}"),
            format!("mixed.tsx 11 {call}"),
            format!("mixed.tsx 13 {other}"),
            format!("page.tsx 6 {closing}"),
        ]
    );
    let calls = project.ask("mast_callers", json!({"symbol": "Panel"}));
    assert_eq!(at(&calls, "potential_matches"), ["mixed.tsx 11"], "a closing tag is no call");
}

#[test]
fn the_way_told_of_does_not_depend_on_when_a_file_was_indexed() {
    let leaf = ("leaf.ts", "export function leaf() {}\n");
    let middle = |name: &str| {
        format!("import {{ leaf }} from './leaf';\n\nexport function {name}() {{\n  leaf();\n}}\n")
    };
    let top = "import { one } from './a';\nimport { two } from './z';\n\nexport function top() {\n  two();\n  one();\n}\n\n\
               export function over() {\n  top();\n}\n";
    let ways = |project: &Project| {
        let answer = project.ask("mast_callers", json!({"symbol": "leaf", "transitive": true}));
        rows(&answer, "verified_callers", &["file_path", "line", "depth", "via"])
    };
    let (one, two) = (middle("one"), middle("two"));
    let at_once = Project::new(&[leaf, ("a.ts", &one), ("z.ts", &two), ("top.ts", top)]);
    let in_turn = Project::new(&[leaf, ("z.ts", &two)]);
    in_turn.write("top.ts", top);
    in_turn.index();
    in_turn.write("a.ts", &one);
    in_turn.index();
    assert_eq!(ways(&at_once), ways(&in_turn));
}
