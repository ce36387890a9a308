//! What holds for every text: chunks cover it, stay inside it and do not repeat it.

use super::tests::file;
use crate::language::lines::char_boundary;
use crate::language::{ExtractOptions, extract};
use crate::model::{FileFacts, ProblemKind, SymbolIx};

/// Checks the invariants of `facts` for `text`.
fn check(path: &str, text: &str, facts: &FileFacts) {
    let line_count = text.split('\n').count();
    let mut covered = vec![false; text.len()];
    let mut total = 0;
    let in_text = |start: u32, end: u32| start <= end && text.get(start as usize..end as usize).is_some();
    for chunk in &facts.chunks {
        assert!(chunk.lines.start >= 1 && chunk.lines.start <= chunk.lines.end, "{path}: {chunk:?}");
        assert!(chunk.lines.end as usize <= line_count, "{path}: {chunk:?}");
        let mut last = 0;
        for segment in &chunk.segments {
            assert!(in_text(segment.start, segment.end) && segment.start >= last, "{path}: {chunk:?}");
            last = segment.end;
            total += segment.len();
            covered[segment.start as usize..segment.end as usize].fill(true);
        }
    }
    let is_skipped = facts.problems.iter().any(|problem| problem.kind == ProblemKind::Skipped);
    for (at, c) in text.char_indices().filter(|_| !is_skipped) {
        assert!(
            c.is_whitespace() || covered[at],
            "{path}: byte {at} is in no chunk: {:?}",
            context(text, at)
        );
    }
    let most = text.len() * 13 / 10 + 512;
    assert!(total <= most, "{path}: {total} bytes of chunks for {} bytes of text", text.len());
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let detail = &symbol.detail;
        let ranges = [symbol.span, symbol.name_span];
        for range in ranges.iter().chain(&detail.signatures).chain(&detail.doc).chain(&detail.type_names) {
            assert!(in_text(range.start, range.end), "{path}: {symbol:?}");
        }
        assert!(symbol.lines.start <= symbol.lines.end, "{path}: {symbol:?}");
        assert!(symbol.parent.is_none_or(|SymbolIx(parent)| (parent as usize) < at), "{path}: {symbol:?}");
        assert!(!symbol.name.is_empty(), "{path}: {symbol:?}");
    }
}

fn context(text: &str, at: usize) -> &str {
    let start = char_boundary(text, at.saturating_sub(30));
    &text[start..char_boundary(text, at + 30)]
}

const SNIPPETS: [&str; 26] = [
    "/** Doc. */\nexport class A<T> extends B implements C {\n  /** m */\n  m(x: T): void { return; }\n  get v() { return 1; }\n  f = () => 2;\n  static { x(); }\n}\n",
    "function f(a: string): void;\nfunction f(a: any) { function g() {} return () => { const h = () => 1; }; }\n",
    "namespace N { export const k = { m() {}, deep: { n: () => 1 } }; class Z { q() {} } }\n",
    "export const api = {\n  // one\n  one() { return 1; },\n  two: async () => 2, // trailing\n  three,\n};\n",
    "interface I { a: string; m(): void; (x: number): string }\n",
    "type T = { m(): A; k: (x: B) => C } | D;\n",
    "enum E { A, B = \"x\" }\n",
    "import a, { b as c } from \"m\";\nexport * from \"n\"; export { x as y } from \"o\";\n",
    "export default memo(() => { return <p>Q & A</p>; });\n",
    "// größe 部署 😀\nconst größe = \"😀\", x = 1, { y, z: [w] } = q;\n",
    "module.exports = { a, b() {} };\nA.prototype.z = function () {};\n",
    "declare module \"m\" { export function q(): void }\ndeclare global { interface W { x: 1 } }\n",
    "if (x) { function inner() {} } else { for (const k of ks) { k(); } }\n",
    "class {",
    "}",
    "{",
    "(",
    ")",
    "=> {",
    "export",
    "/*",
    "`${",
    "\0",
    "\r\n",
    "  \n\n\n",
    "@d.e()\n",
];

/// A small generator of numbers, the same in every run (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }
}

#[test]
fn any_mixture_of_snippets_is_covered_once() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..600 {
        let mut text = String::new();
        // Every second text is made of whole declarations only, so that most parse without error.
        let kinds = if round % 2 == 0 { 13 } else { SNIPPETS.len() };
        for _ in 0..=numbers.below(12) {
            text += SNIPPETS[numbers.below(kinds)];
        }
        for path in ["a.ts", "a.tsx", "a.js"] {
            let options = ExtractOptions {
                chunk_split_threshold: [100, 12, 40][round % 3],
                ..ExtractOptions::default()
            };
            check(path, &text, &extract(&file(path, &text), &options));
        }
    }
}

#[test]
fn cut_sources_are_covered() {
    let text = SNIPPETS[..13].concat();
    for end in (0..text.len()).step_by(7).filter(|end| text.is_char_boundary(*end)) {
        check("a.tsx", &text[..end], &extract(&file("a.tsx", &text[..end]), &ExtractOptions::default()));
    }
}

#[test]
fn nesting_does_not_multiply_text() {
    for depth in [3, 40, 400] {
        let classes = "const a = class { m() { return 1; } n = () => { ".repeat(depth);
        let namespaces: String = (0..depth).map(|_| "export namespace N { /** doc */ ").collect();
        let namespaces = format!("{namespaces} export function f() {{ return 1; }} {}", "}".repeat(depth));
        let objects = format!("export const o = {}1{};", "{ k() {}, a: ".repeat(depth), "}".repeat(depth));
        let members = format!("class A {{ {} }}", "/** documented at length */ m() {} ".repeat(depth));
        for text in [classes, namespaces, objects, members] {
            check("a.ts", &text, &extract(&file("a.ts", &text), &ExtractOptions::default()));
        }
    }
}

#[test]
fn long_lines_and_long_declarations_are_split() {
    let data = (0..60_000).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!("export const data = [{data}];\nexport function after() {{ return data.length; }}\n");
    let facts = extract(&file("data.ts", &text), &ExtractOptions::default());
    check("data.ts", &text, &facts);
    assert!(facts.chunks.len() > 20);
    assert!(
        facts.chunks.iter().all(|chunk| chunk.segments.iter().map(|s| s.len()).sum::<usize>() <= 16 * 1024)
    );
    let cut = facts.chunks[0].segments[0].of(&text);
    assert!(cut.ends_with([' ', ',']), "parts end between tokens: {:?}", &cut[cut.len() - 10..]);

    let body = "  const value = 1;\n".repeat(250);
    let text = format!("/** Long. */\nexport function long() {{\n{body}}}\n");
    let facts = extract(&file("long.ts", &text), &ExtractOptions::default());
    check("long.ts", &text, &facts);
    let parts: Vec<_> =
        facts.chunks.iter().map(|chunk| (chunk.part, chunk.lines.start, chunk.lines.end)).collect();
    assert_eq!(parts, [(0, 2, 100), (1, 91, 190), (2, 181, 253)], "ten lines are shared");
}

#[test]
fn a_long_file_is_extracted_whole() {
    let count = 20_000;
    let text: String = (0..count)
        .map(|n| format!("export function f{n}(a: number) {{ return go(a, {{ b: a }}); }}\n"))
        .collect();
    let facts = extract(&file("long.ts", &text), &ExtractOptions::default());
    assert_eq!((facts.symbols.len(), facts.chunks.len(), facts.problems.len()), (count, count, 0));
}

#[test]
fn deep_nesting_needs_no_stack() {
    let deep = format!(
        "export const v = {}{};\nexport function after() {{}}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let calls = format!("{}x{};\nfunction after() {{}}\n", "f(() => ".repeat(1_000), ")".repeat(1_000));
    let blocks = format!("{}{}\nfunction after() {{}}\n", "{".repeat(10_000), "}".repeat(10_000));
    let functions =
        format!("{}{}\nfunction after() {{}}\n", "function f(){".repeat(2_000), "}".repeat(2_000));
    for text in [deep, calls, blocks, functions] {
        let facts = extract(&file("deep.ts", &text), &ExtractOptions::default());
        check("deep.ts", &text, &facts);
        assert!(facts.symbols.iter().any(|symbol| symbol.qualified_name() == "after"));
    }
}
