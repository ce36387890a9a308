//! Source text in, compact rendering out.

use std::fmt::Write as _;

use crate::language::{ExtractOptions, extract};
use crate::model::{ExportKind, FileFacts, FileStamp, ImportedName, Language, RepoPath, SourceFile};

pub(in crate::language) fn file(path: &str, text: &str) -> SourceFile {
    SourceFile {
        path: RepoPath::new(path).unwrap(),
        language: Language::of(path).unwrap(),
        stamp: FileStamp::default(),
        text: text.to_owned(),
    }
}

pub(in crate::language) fn facts_of(path: &str, text: &str) -> FileFacts {
    extract(&file(path, text), &ExtractOptions::default())
}

/// `function Repo.find 3-5 +export`, one symbol a line.
fn symbols(facts: &FileFacts) -> String {
    let mut out = String::new();
    for symbol in &facts.symbols {
        let flags = [
            (symbol.is_exported, " exported"),
            (symbol.is_local, " local"),
            (symbol.is_static, " static"),
            (symbol.ordinal > 0, " again"),
        ];
        let flags: String = flags.iter().filter(|flag| flag.0).map(|flag| flag.1).collect();
        let lines = symbol.lines;
        let name = symbol.qualified_name();
        writeln!(out, "{} {name} {}-{}{flags}", symbol.kind.as_str(), lines.start, lines.end).unwrap();
    }
    out
}

/// `method Repo.find 3-5: text⋯text`, one chunk a line; line breaks are `⏎`.
fn chunks(facts: &FileFacts, text: &str) -> String {
    let mut out = String::new();
    for chunk in &facts.chunks {
        let symbol = chunk.symbol.map(|at| facts.symbols[at.0 as usize].qualified_name());
        let name = symbol.or(chunk.name.clone()).unwrap_or("-".to_owned());
        let texts: Vec<_> =
            chunk.segments.iter().map(|segment| segment.of(text).replace('\n', "⏎")).collect();
        let lines = chunk.lines;
        let kind = chunk.kind.as_str();
        writeln!(out, "{kind} {name} {}-{}: {}", lines.start, lines.end, texts.join("⋯")).unwrap();
    }
    out
}

fn exports(facts: &FileFacts) -> String {
    let mut out = String::new();
    for export in &facts.exports {
        let from = match &export.kind {
            ExportKind::Local(local) => {
                let kinds: Vec<_> =
                    local.symbols.iter().map(|at| facts.symbols[at.0 as usize].qualified_name()).collect();
                format!("{} [{}]", local.local_name.as_deref().unwrap_or("-"), kinds.join(" "))
            }
            ExportKind::From { import, imported } => format!(
                "{} of {}",
                match imported {
                    ImportedName::Named(name) => name,
                    ImportedName::Namespace => "*",
                },
                facts.imports[*import as usize].specifier
            ),
            ExportKind::Star { import } => format!("* of {}", facts.imports[*import as usize].specifier),
        };
        let types = if export.is_type_only { " type" } else { "" };
        let name = if export.name.is_empty() { "(all)" } else { &export.name };
        writeln!(out, "{name} = {from}{types} {}", export.line).unwrap();
    }
    out
}

fn imports(facts: &FileFacts) -> String {
    let mut out = String::new();
    for import in &facts.imports {
        let names: Vec<_> = import
            .names
            .iter()
            .map(|(imported, local, _)| match imported {
                ImportedName::Named(name) if name == local => name.clone(),
                ImportedName::Named(name) => format!("{name} as {local}"),
                ImportedName::Namespace => format!("* as {local}"),
            })
            .collect();
        writeln!(out, "{:?} {} {{{}}} {}", import.kind, import.specifier, names.join(", "), import.line)
            .unwrap();
    }
    out
}

/// Compares the rendering of `what` for `text`.
#[track_caller]
fn check(path: &str, text: &str, what: fn(&FileFacts, &str) -> String, expected: &str) {
    let facts = facts_of(path, text);
    assert_eq!(facts.problems, []);
    let found = what(&facts, text);
    let expected: Vec<_> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "\n{found}");
}

#[test]
fn symbols_of_every_kind() {
    check(
        "a.ts",
        "export function f() { function inner() {} const go = () => 1; const n = 1; }\n\
         function* gen() {}\n\
         export class C<T> extends D {\n  constructor() { super(); }\n  private hid() {}\n  #priv() {}\n  static make() {}\n  \
         get v() { return 1; }\n  set v(x) {}\n  arrow = () => 1;\n  plain = 1;\n  \"quoted name\"() {}\n  [Symbol.iterator]() {}\n}\n\
         abstract class Abs { abstract area(): number; }\n\
         export interface Store { get(id: string): T; on: (x: T) => void; size: number; }\n\
         type Api = { call(): void };\n\
         enum E { A }\nconst enum Fast { B }\n\
         export namespace Ns { export function m() {} const hidden = 1; }\n\
         namespace A.B { export const x = 1; }\n",
        |facts, _| symbols(facts),
        "function f 1-1 exported
         function f.inner 1-1 local
         function f.go 1-1 local
         function gen 2-2
         class C 3-14 exported
         method C.constructor 4-4 exported
         method C.hid 5-5
         method C.#priv 6-6
         method C.make 7-7 exported static
         method C.v 8-8 exported
         method C.v 9-9 exported again
         method C.arrow 10-10 exported
         method C.quoted name 12-12 exported
         method C.[Symbol.iterator] 13-13 exported
         class Abs 15-15
         method Abs.area 15-15
         interface Store 16-16 exported
         method Store.get 16-16 exported
         method Store.on 16-16 exported
         type Api 17-17
         method Api.call 17-17
         enum E 18-18
         enum Fast 19-19
         namespace Ns 20-20 exported
         function Ns.m 20-20 exported
         const Ns.hidden 20-20
         namespace A 21-21
         namespace A.B 21-21
         const A.B.x 21-21",
    );
}

#[test]
fn values_decide_what_a_variable_is() {
    check(
        "a.tsx",
        "const a = () => 1;\nconst b = function () {};\nconst c = memo(forwardRef((p, r) => null));\nconst d = xs.map((x) => x);\n\
         const E = class { m() {} };\nconst api = { m() {}, n: () => 1, sub: { deep() {} }, p: 1 } as const;\n\
         const g = Object.freeze({ k() {} });\nlet [h, { i: j }] = q;\nconst w = (function () {}) as F;\n\
         describe(\"x\", () => { const helper = () => 1; class Fake { run() {} } });\n",
        |facts, _| symbols(facts),
        "function a 1-1
         function b 2-2
         function c 3-3
         const d 4-4
         class E 5-5
         method E.m 5-5
         const api 6-6
         method api.m 6-6
         method api.n 6-6
         method api.sub.deep 6-6
         const g 7-7
         method g.k 7-7
         const h 8-8
         const j 8-8
         function w 9-9
         function helper 10-10 local
         class Fake 10-10 local
         method Fake.run 10-10 local",
    );
}

#[test]
fn overloads_are_one_symbol_and_merged_declarations_several() {
    check(
        "a.ts",
        "export function parse(a: string): string;\nexport function parse(a: number): number;\n\
         export function parse(a: any): any { return a; }\nexport namespace parse { export const strict = true; }\n\
         export interface Conf { a: string }\nexport interface Conf { b: number }\n\
         class K { over(a: string): void; over(a: any) {} }\n",
        |facts, _| symbols(facts),
        "function parse 1-3 exported
         namespace parse 4-4 exported
         const parse.strict 4-4 exported
         interface Conf 5-5 exported
         interface Conf 6-6 exported again
         class K 7-7
         method K.over 7-7",
    );
}

#[test]
fn anonymous_defaults_are_named_by_the_file() {
    let check = |text, expected| check("src/user.entity.ts", text, |facts, _| symbols(facts), expected);
    check("export default function () {}\n", "function user.entity 1-1 exported");
    check("export default () => 1;\n", "function user.entity 1-1 exported");
    check(
        "export default class { m() {} }\n",
        "class user.entity 1-1 exported\nmethod user.entity.m 1-1 exported",
    );
    check(
        "export default { m() {} };\n",
        "const user.entity 1-1 exported\nmethod user.entity.m 1-1 exported",
    );
    check("export default 42;\n", "const user.entity 1-1 exported");
    check("export default function named() {}\n", "function named 1-1 exported");
    check("function a() {}\nexport default a;\n", "function a 1-1 exported");
}

#[test]
fn commonjs() {
    let text = "const fs = require(\"fs\"), { join: j } = require(\"path\");\nfunction Foo() {}\nFoo.prototype.run = function () {};\n\
                Foo.make = () => new Foo();\nexports.x = function () {};\nexports.y = Foo;\nexports.p = exports.q = void 0;\n\
                var app = exports = module.exports = {};\napp.init = function init() {};\n";
    check(
        "a.js",
        text,
        |facts, _| symbols(facts),
        "function Foo 2-2 exported
         method Foo.run 3-3 exported
         method Foo.make 4-4 exported static
         function x 5-5 exported
         const app 8-8 exported
         method app.init 9-9 exported",
    );
    check("a.js", text, |facts, _| exports(facts), "x = - [x] 5\ny = Foo [Foo] 6\nexport= = app [app] 8");
    check("a.js", text, |facts, _| imports(facts), "Require fs {* as fs} 1\nRequire path {join as j} 1");
    check(
        "a.js",
        "module.exports = { a, b() {}, c: a, d: () => 1, MAX: 10 };\nfunction a() {}\n",
        |facts, _| format!("{}{}", symbols(facts), exports(facts)),
        "function b 1-1 exported
         function d 1-1 exported
         function a 2-2 exported
         export= = - [] 1
         a = a [a] 1
         c = a [a] 1
         MAX = - [] 1
         b = - [b] 1
         d = - [d] 1",
    );
    check(
        "a.js",
        "module.exports = class Foo { m() {} };\n",
        |facts, _| exports(facts),
        "export= = - [Foo] 1",
    );
}

#[test]
fn a_required_name_is_a_declaration_where_it_is_exported_or_taken_from_deeper() {
    let text = "export const version: string = require(\"./p.json\").version;\nexport const { a, b: c } = require(\"./m\");\n\
                const { d: { e } } = require(\"./m\");\nconst [f] = require(\"./m\"), { ...g } = require(\"./m\");\n\
                const { h } = require(\"./m\").inner;\nconst { i: { j } } = await import(\"./m\");\n";
    check(
        "a.ts",
        text,
        |facts, _| symbols(facts),
        "const version 1-1 exported
         const a 2-2 exported
         const c 2-2 exported
         const e 3-3
         const f 4-4
         const g 4-4
         const h 5-5
         const j 6-6",
    );
    check("a.ts", text, |facts, _| exports(facts), "version = version [version] 1\na = a [a] 2\nc = c [c] 2");
    check(
        "a.ts",
        text,
        |facts, _| imports(facts),
        "Require ./p.json {version} 1
         Require ./m {a, b as c} 2
         Require ./m {} 3
         Require ./m {} 4
         Require ./m {} 4
         Require ./m {} 5
         Dynamic ./m {} 6",
    );
}

#[test]
fn every_form_of_import() {
    check(
        "a.ts",
        "import d, { a, b as c, type T } from \"m\";\nimport * as ns from \"n\";\nimport \"side\";\nimport type { U } from \"t\";\n\
         import x = require(\"r\");\nimport { default as q, \"str name\" as s } from \"q\";\n\
         const lazy = async () => await import(\"l\");\nconst { e } = await import(`k`);\nlet t: import(\"ty\").Foo;\n\
         export * from \"s\";\nimport data from \"./d.json\" with { type: \"json\" };\n",
        |facts, _| imports(facts),
        "Static m {default as d, a, b as c, T} 1
         Static n {* as ns} 2
         Static side {} 3
         Type t {U} 4
         ImportEquals r {* as x} 5
         Static q {default as q, str name as s} 6
         Dynamic l {} 7
         Dynamic k {e} 8
         Type ty {} 9
         ReExport s {} 10
         Static ./d.json {default as data} 11",
    );
}

#[test]
fn every_form_of_export() {
    check(
        "a.ts",
        "export const a = 1, b = 2;\nfunction f() {}\nexport { f as g, f as default };\nexport type { T } from \"t\";\n\
         export { default as h, i } from \"h\";\nexport * as ns from \"n\";\nexport * from \"s\";\nexport interface I {}\n\
         import { z } from \"z\";\nexport { z };\nexport const { p, q: [r] } = o;\n",
        |facts, _| exports(facts),
        "a = a [a] 1
         b = b [b] 1
         g = f [f] 3
         default = f [f] 3
         T = T of t type 4
         h = default of h 5
         i = i of h 5
         ns = * of n 6
         (all) = * of s 7
         I = I [I] 8
         z = z [] 10
         p = p [p] 11
         r = r [r] 11",
    );
    check("a.ts", "class K {}\nexport = K;\n", |facts, _| exports(facts), "export= = K [K] 2");
}

#[test]
fn chunks_of_a_class_and_what_is_around() {
    check(
        "a.ts",
        "// license\n\nimport a from \"a\";\nif (a) { a(); }\n/** Doc. */\n@Dec()\nexport class C extends B {\n  size = 1;\n  /** m */\n  \
         m() { return 1; }\n  over(a: string): void;\n  over(a: any) { }\n  static { x(); }\n}\nconst MAX = 1; // most\n\
         export * from \"z\";\n// end\n",
        chunks,
        "block - 1-4: // license⏎⏎import a from \"a\";⏎if (a) { a(); }
         class_shell C 7-14: /** Doc. */⏎@Dec()⏎export class C extends B {⏎  size = 1;⏎  /** m */⏎  m() ⋯⏎  over(a: string): void;⏎  over(a: any) ⋯⏎  static ⋯⏎}
         method C.m 10-10: /** m */⏎  m() { return 1; }
         method C.over 11-12: over(a: string): void;⏎  over(a: any) { }
         method C.static 13-13: static { x(); }
         block MAX 15-15: const MAX = 1; // most
         export - 16-16: export * from \"z\";
         block - 17-17: // end",
    );
}

#[test]
fn chunks_of_objects_and_namespaces() {
    check(
        "a.ts",
        "export const api = {\n  m() { return 1; }, // one\n  n: () => 2,\n  k: 3,\n};\nnamespace N {\n  export const x = { y: 1 };\n  \
         export function f() { return 1; }\n}\nexport default { a: 1 };\n",
        chunks,
        "block api 1-5: export const api = {⏎  m() ⋯⏎  n: () => ⋯⏎  k: 3,⏎};
         method api.m 2-2: m() { return 1; }, // one
         method api.n 3-3: n: () => 2,
         block N 6-9: namespace N {⏎  export const x = ⋯⏎  export function f() ⋯⏎}
         block N.x 7-7: export const x = { y: 1 };
         function N.f 8-8: export function f() { return 1; }
         export a 10-10: export default { a: 1 };",
    );
}

#[test]
fn details_name_the_parts_of_a_signature() {
    let text = "/**\n * Finds.\n */\nexport async function find<T extends Base>(id: Id<Key>, { a, b }: Opts = {}, flag?: boolean, ...rest: Item[]): Promise<T | typeof Other> {\n  const x: Hidden = 1;\n}\n";
    let facts = facts_of("a.ts", text);
    let detail = &facts.symbols[0].detail;
    let all =
        |ranges: &[crate::model::ByteRange]| ranges.iter().map(|r| r.of(text)).collect::<Vec<_>>().join(" ");
    assert_eq!(
        all(&detail.signatures),
        "export async function find<T extends Base>(id: Id<Key>, { a, b }: Opts = {}, flag?: boolean, ...rest: Item[]): Promise<T | typeof Other>"
    );
    assert_eq!(detail.doc.map(|doc| doc.of(text)), Some("/**\n * Finds.\n */"));
    assert_eq!(detail.return_type.map(|r| r.of(text)), Some("Promise<T | typeof Other>"));
    assert_eq!(all(&detail.type_names), "Base Id Key Opts Item Promise Other");
    let parameters: Vec<_> = detail
        .parameters
        .iter()
        .map(|p| {
            let part = |range: Option<crate::model::ByteRange>| range.map_or("-", |range| range.of(text));
            let flags = (p.is_optional, p.is_rest);
            format!("{} {} {} {flags:?}", p.name.of(text), part(p.type_annotation), part(p.default))
        })
        .collect();
    assert_eq!(
        parameters,
        [
            "id Id<Key> - (false, false)",
            "{ a, b } Opts {} (true, false)",
            "flag boolean - (true, false)",
            "rest Item[] - (false, true)",
        ]
    );
}

#[test]
fn documentation_is_what_stands_directly_above() {
    let doc = |text: &str| {
        let facts = facts_of("a.ts", text);
        facts.symbols[0].detail.doc.map(|doc| doc.of(text).to_owned())
    };
    assert_eq!(doc("// one\n// two\nfunction f() {}\n").as_deref(), Some("// one\n// two"));
    assert_eq!(doc("/** d */\n@Dec()\nclass A {}\n").as_deref(), Some("/** d */"));
    assert_eq!(doc("// license\n\nfunction f() {}\n"), None);
    assert_eq!(doc("go(); // trails\nfunction f() {}\n"), None);
}

#[test]
fn a_declaration_file_exports_all_it_declares_unless_it_lists_what() {
    let declarations = "declare module \"z\" { interface Q {} }\ndeclare global { interface W {} }\n\
                        declare namespace NS { interface T {} }\ntype A = 1;\ndeclare function f(): void;\n\
                        declare function f(a: A): void;\nexport const k: 1;\n";
    let implicit = "NS = NS [NS] 3\nA = A [A] 4\nf = f [f] 6\nk = k [k] 7";
    check("m.d.ts", declarations, |facts, _| exports(facts), implicit);
    check("m.d.ts", &format!("{declarations}export {{}};\n"), |facts, _| exports(facts), "k = k [k] 7");
    check(
        "m.d.ts",
        &format!("{declarations}export * from \"./other\";\n"),
        |facts, _| exports(facts),
        "k = k [k] 7\n(all) = * of ./other 8",
    );
    check("m.ts", declarations, |facts, _| exports(facts), "k = k [k] 7");
    check(
        "script.d.ts",
        "type A = 1;\ndeclare function f(): import(\"m\").T;\n",
        |facts, _| exports(facts),
        "",
    );
    check(
        "m.d.ts",
        "import type { T } from \"t\";\ninterface I extends T {}\nexport as namespace Lib;\n",
        |facts, _| exports(facts),
        "I = I [I] 2",
    );
}

/// `name <- caller`, one call a line.
fn callers(facts: &FileFacts, _: &str) -> String {
    let mut out = String::new();
    for call in &facts.module.calls {
        let name = call.name.map_or("?", |name| facts.module.names[name.0 as usize].as_str());
        let caller = call.caller.map(|at| facts.symbols[at.0 as usize].qualified_name());
        writeln!(out, "{name} <- {}", caller.as_deref().unwrap_or("-")).unwrap();
    }
    out
}

#[test]
fn a_call_belongs_to_the_declaration_that_is_seen_from_outside_or_else_to_the_local_one() {
    check(
        "a.ts",
        "function outer() { const inner = () => a(); class Local { m() { b() } } }\n\
         it(\"x\", () => { c(); const App = () => { d(); function deep() { e() } }; class K { m() { f() } } })\n",
        callers,
        "a <- outer
         b <- outer
         it <- -
         c <- -
         d <- App
         e <- App.deep
         f <- K.m",
    );
    check(
        "proto.js",
        "function Foo() {}\nFoo.prototype.run = function () { a(); };\nFoo.make = () => b();\nexports.x = function () { c(); };\n\
         module.exports = function whole() { d(); };\n",
        callers,
        "a <- Foo.run
         b <- Foo.make
         c <- x
         d <- whole",
    );
    check(
        "rule.ts",
        "export default make({ create() { function check() { a() } b() } })\n",
        callers,
        "make <- rule
         a <- check
         b <- rule",
    );
}
