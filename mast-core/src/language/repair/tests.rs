//! Every construct the grammars cannot read, and the declarations after it.

use crate::language::ecmascript::tests::facts_of;
use crate::model::Symbol;

/// Symbols that must be found in `text`, and that nothing stays broken.
fn check(path: &str, text: &str, expected: &[&str]) {
    let facts = facts_of(path, text);
    let names: Vec<_> = facts.symbols.iter().map(Symbol::qualified_name).collect();
    for name in expected {
        assert!(names.iter().any(|found| found == name), "{name} is missing from {names:?} in {text}");
    }
    assert_eq!(facts.problems, [], "{text}");
}

#[test]
fn jsx_ampersands() {
    for jsx in [
        "<p>Q & A, a && b</p>",
        "<p>Fish & Chips = 5;</p>",
        "<p>R&D and x&title=3;</p>",
        "<p>Q & A</p>",
        "<h2>Terms & Conditions</h2>",
        "<a href=\"/y?a=1&title=2\">x</a>",
        "<a href=\"#&copy=1\">x</a>",
    ] {
        for path in ["a.tsx", "a.jsx"] {
            let text =
                format!("export const First = () => {jsx};\nexport function after() {{ return 1; }}\n");
            check(path, &text, &["First", "after"]);
        }
    }
}

#[test]
fn using() {
    check(
        "a.ts",
        "export function f() { for (using x of xs) { x; } }\nexport function after() {}\nclass Pool { size() {} }\n",
        &["f", "after", "Pool", "Pool.size"],
    );
    check(
        "a.ts",
        "export async function f() { for (await using x of xs) { x; } }\nexport function after() {}\n",
        &["f", "after"],
    );
    for statement in ["using(1);", "using.x;", "using = 2;", "using[0];"] {
        for path in ["a.ts", "a.js"] {
            let text = format!(
                "let using = (x) => x;\n{statement}\nexport function after() {{ return using(2); }}\n"
            );
            check(path, &text, &["using", "after"]);
        }
    }
    check(
        "a.ts",
        "export function f(h: D) {\n  using x: D = h;\n  return x;\n}\nexport async function g(h: D) {\n  await using y: D = h;\n}\n",
        &["f", "g"],
    );
    check("a.ts", "using top = open();\nexport function after() {}\n", &["top", "after"]);
}

#[test]
fn module_forms() {
    let facts = facts_of(
        "a.ts",
        "export { a as d } from \"./d.json\" with { type: \"json\" };\nexport * from \"m\" with { type: \"json\" };\n\
         export type * from \"t\";\nexport type * as ns from \"u\";\nimport defer * as feat from \"./feat\";\n\
         import { type as } from \"v\";\nexport function after() {}\n",
    );
    assert_eq!(facts.problems, []);
    let specifiers: Vec<_> = facts.imports.iter().map(|import| import.specifier.as_str()).collect();
    assert_eq!(specifiers, ["./d.json", "m", "t", "u", "./feat", "v"]);
    let exports: Vec<_> =
        facts.exports.iter().map(|export| (export.name.as_str(), export.is_type_only)).collect();
    assert_eq!(exports, [("d", false), ("", false), ("", true), ("ns", true), ("after", false)]);
    check(
        "a.js",
        "export { a } from \"./d.json\" with { type: \"json\" };\nexport function after() {}\n",
        &["after"],
    );
    check("a.js", "const m = import.defer(\"m\");\nexport function after() {}\n", &["after"]);
    check("a.ts", "import source x from \"m\";\nexport function after() {}\n", &["after"]);
}

#[test]
fn import_types() {
    let text = "export const handler: import(\"./types\").Handler<string> = null!;\n\
                export function build(x: import(\"./types\").Opts<number>): import(\"./o\").Out { return x as any; }\n\
                let k: keyof import(\"./k\").Opts<1>;\nlet list: import(\"m\").T[];\n\
                type V = import(\"w\").T<A>[\"k\"];\nexport function after() { return k; }\n";
    check("h.ts", text, &["handler", "build", "k", "list", "V", "after"]);
    let facts = facts_of("h.ts", text);
    let specifiers: Vec<_> = facts.imports.iter().map(|import| import.specifier.as_str()).collect();
    assert_eq!(specifiers, ["./types", "./types", "./o", "./k", "m", "w"]);
}

#[test]
fn typed_tags() {
    check(
        "q.ts",
        "export async function rows(id: string) {\n  return sql<Row>`select ${id}`;\n}\n\
         export const one = (id: string) => sql<{ n: number }>`select ${id}`;\nexport function after() {}\n",
        &["rows", "one", "after"],
    );
}

#[test]
fn class_members() {
    check(
        "a.ts",
        "export class Store {\n  static accessor count: number = 0;\n  accessor name = \"s\";\n  accessor = 1;\n  load() {}\n}\n\
         export abstract class Base {\n  abstract accessor size: number;\n  area() {}\n}\n\
         class Sub extends Base { override accessor size = 1; more() {} }\nexport function after() {}\n",
        &["Store.load", "Base.area", "Sub.more", "after"],
    );
    check("a.js", "class A { accessor x = 1; m() {} }\nfunction after() {}\n", &["A.m", "after"]);
    check(
        "a.ts",
        "export class Opts {\n  abstract: string = \"\";\n  readonly: boolean = true;\n  declare = 4;\n  type = 1;\n  static = 2;\n  get: any;\n  set?: any;\n  check() {}\n}\nexport const after = 1;\n",
        &["Opts.check", "after"],
    );
    check(
        "a.ts",
        "class A { abstract() {} readonly() {} m() {} }\nfunction after() {}\n",
        &["A.m", "A.abstract", "A.readonly", "after"],
    );
    check(
        "a.ts",
        "class R {\n  static [key: string]: unknown;\n  static readonly [key: symbol]: unknown;\n  m() {}\n}\nfunction after() {}\n",
        &["R.m", "after"],
    );
}

#[test]
fn decorators() {
    for decorator in
        ["@(a[0])", "@(c ? a : b)", "@a.b!", "@((x) => x)", "@(a.b?.())", "@a.b`x`", "@(new D())", "@A.#p"]
    {
        let text = format!("{decorator} class User {{ save() {{ return 1; }} }}\nfunction after() {{}}\n");
        check("a.ts", &text, &["User", "User.save", "after"]);
        check("a.js", &text, &["User", "User.save", "after"]);
    }
}

#[test]
fn types() {
    check(
        "v.ts",
        "export interface Producer<out T> { make(): T }\nexport interface Both<in out T> { x: T }\n\
         export type Sink<in T> = (t: T) => void;\nexport class Box<out T> { get(): T { return null!; } }\nexport const after = 1;\n",
        &["Producer", "Both", "Sink", "Box.get", "after"],
    );
    check(
        "a.ts",
        "export function isText(asserts: any): asserts is string { return true; }\nfunction after() {}\n",
        &["isText", "after"],
    );
    check(
        "a.ts",
        "[o.a as any] = [1];\nfunction mid() {}\n({ a: o.b as any } = {});\nfunction after() {}\n",
        &["mid", "after"],
    );
    check(
        "lib.d.ts",
        "export default function (x: number): string;\nexport declare function named(a: string): void;\n",
        &["lib", "named"],
    );
    check("a.ts", "let as: any;\nfunction after() {}\n", &["as", "after"]);
    check("a.ts", "for (async of => {}; false;) {}\nfunction after() {}\n", &["after"]);
    check("a.ts", "f<T>?.(x);\nfunction after() {}\n", &["after"]);
    check("a.ts", "g<typeof import('x')>();\nfunction after() {}\n", &["after"]);
    check(
        "a.ts",
        "interface H {\n  a: string\n  <T>(x: T): void\n  (y: string): void\n}\nfunction after() {}\n",
        &["H", "after"],
    );
}

#[test]
fn global_blocks_in_ambient_modules() {
    check(
        "m.d.ts",
        "declare module \"m\" {\n  interface First {}\n  global {\n    namespace NodeJS { interface Module { a: 1 } }\n    var process: X;\n  }\n  function after(): void;\n}\n",
        &["m.NodeJS.Module", "m.process", "m.after"],
    );
    check(
        "m.d.ts",
        "declare module \"m\" {\n  type B = A;\n  global {\n    interface C { a: 1 }\n  }\n}\n",
        &["m.C"],
    );
}

#[test]
fn odd_bytes() {
    check(
        "n.ts",
        "export const sep = \"a\0b\";\n// comment \0 inside\nconst t = `x\0y`;\nexport function after() {}\n",
        &["sep", "t", "after"],
    );
    check(
        "raw.ts",
        "export const home = String.raw`C:\\users\\xyz\\u`;\nexport class Tex { draw() {} }\nexport const l = String.raw`\\unit{\\xi}`;\nfunction after() {}\n",
        &["home", "Tex.draw", "l", "after"],
    );
}

#[test]
fn flow_in_javascript() {
    check(
        "a.js",
        "// @flow\nexport function f(x: number): ?string { return null; }\nfunction after() {}\n",
        &["f", "after"],
    );
}

#[test]
fn escapes_in_template_literal_types() {
    check(
        "m.ts",
        "type M<U extends string> = `Missing \\`Self\\` of ${U} \\\\ \\n`\nexport const next = 1\nexport function after() {}\n",
        &["M", "next", "after"],
    );
}

#[test]
fn call_signatures_behind_long_comments() {
    let comment =
        format!("  /**\n{}   */\n", "   * a line of documentation with an example in it\n".repeat(20));
    let text = format!(
        "export const match: {{\n  <A, B>(options: {{ a: A }}): (value: boolean) => A | B\n{comment}  <A, B>(value: boolean): A | B\n}} = dual(2)\nexport function after() {{}}\n"
    );
    check("m.ts", &text, &["match", "after"]);
}

#[test]
fn call_signatures_behind_line_comments_and_arrows_that_go_on() {
    check(
        "m.ts",
        "export const product: {\n  <B>(that: Eq<B>): <A>(self: Eq<A>) => Eq<A> // the pair\n  <A, B>(self: Eq<A>, that: Eq<B>): Eq<A> // both\n} = dual(2)\nexport const pick = <A>(...keys: A[]) =>\n<R>(\n  self: Schema<A, R>\n): Schema<A, R> => make(self)\nexport function after() {}\n",
        &["product", "pick", "after"],
    );
}
