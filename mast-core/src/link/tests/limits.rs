//! Source nested deeper, or chained longer, than evaluation goes: nothing overflows, nothing is wrong.

use super::Sources;

const DEEP: usize = 10_000;

#[track_caller]
fn links(text: &str) -> usize {
    let sources = Sources::new(&format!("//- a.ts\nfunction f(x?: any) {{ return x }}\n{text}\n"));
    sources.link("a.ts").calls.len()
}

#[test]
fn nested_calls_and_functions() {
    assert_eq!(links(&format!("{}1{}", "f(".repeat(DEEP), ")".repeat(DEEP))), DEEP);
    assert_eq!(links(&format!("const g = {}f(){}", "(() => ".repeat(DEEP), ")".repeat(DEEP))), 1);
    assert_eq!(links(&format!("{}f(){}", "{ ".repeat(DEEP), " }".repeat(DEEP))), 1);
}

#[test]
fn nested_values_and_types() {
    assert_eq!(links(&format!("const o = {}f(){}", "{ a: ".repeat(DEEP), " }".repeat(DEEP))), 1);
    assert_eq!(links(&format!("const a = {}f(){}", "[".repeat(DEEP), "]".repeat(DEEP))), 1);
    assert_eq!(links(&format!("let t: {}string{}; f()", "Array<".repeat(DEEP), ">".repeat(DEEP))), 1);
}

#[test]
fn long_chains() {
    assert_eq!(links(&format!("const c = f(){}", ".a".repeat(DEEP))), 1);
    assert_eq!(links(&format!("const c = f(){}", ".a()".repeat(DEEP))), 1);
    assert_eq!(links(&format!("const c = {}f()", "true ? 1 : ".repeat(1_000))), 1);
}
