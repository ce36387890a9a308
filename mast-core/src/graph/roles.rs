//! What an identifier is where it stands, read off the text around it.
//!
//! A light reading, as that of comments and strings in `mentions`: where it cannot tell, the identifier is taken for a use, so that
//! no possible call is hidden by mistake.

use super::mentions::{Code, last_identifier};

/// What an identifier is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// What is called: an argument list, a template or an opening JSX element belongs to it.
    Call,
    /// Behind a dot.
    Member,
    /// Taken out of an object by a pattern, or put into one under its own name.
    Braced,
    /// Any other use.
    Use,
    /// The name in a JSX closing tag.
    ClosingTag,
    /// A name that is introduced here by a keyword: a variable, function or type of its own.
    Binding,
    /// The head of a method or accessor.
    Method,
    /// A key of an object literal, a member of a type, or a parameter with its type.
    Key,
    /// No identifier: a keyword, a built-in type, an intrinsic JSX element.
    Word,
}

/// Keywords that are names behind a dot only.
const RESERVED: [&str; 36] = [
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// Built-in types, which are also possible names of functions.
const BUILT_IN_TYPES: [&str; 9] =
    ["any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "unknown"];

/// Keywords in front of the name they introduce.
const INTRODUCES: [&str; 10] =
    ["function", "class", "interface", "type", "enum", "const", "let", "var", "namespace", "module"];

/// Keywords in front of the name of a member.
const MODIFIERS: [&str; 11] = [
    "public",
    "private",
    "protected",
    "static",
    "readonly",
    "override",
    "abstract",
    "declare",
    "async",
    "get",
    "set",
];

/// How far around an identifier brackets are followed, in bytes.
const REACH: usize = 4000;

/// The role of the identifier `name` at byte `at`; `has_jsx` tells whether the file may hold JSX.
pub(super) fn role(code: &Code<'_>, at: usize, name: &str, has_jsx: bool) -> Role {
    let text = code.text;
    let end = at + name.len();
    let (before, is_new_line) = code.before(at);
    if before.ends_with('.') && !before.ends_with("...") {
        return if is_called(code, end) { Role::Call } else { Role::Member };
    }
    if has_jsx && let Some(role) = tag(text, at, end) {
        return role;
    }
    if RESERVED.contains(&name) {
        return Role::Word;
    }
    let last = last_word(before);
    if INTRODUCES.contains(&last)
        || before.ends_with('*') && last_word(before[..before.len() - 1].trim_end()) == "function"
    {
        return Role::Binding;
    }
    if is_method_head(code, end, before, last, is_new_line) {
        return Role::Method;
    }
    if last == "new" || before.ends_with('@') || is_called(code, end) {
        return Role::Call;
    }
    if BUILT_IN_TYPES.contains(&name) {
        return Role::Word;
    }
    let after = code.after(end);
    let is_first = before.ends_with(['{', ',', ';', '(']) || is_new_line || MODIFIERS.contains(&last);
    let is_keyed = after.starts_with(':') || after.starts_with("?:");
    if is_first && is_keyed && !before.ends_with('?') {
        return if is_taken_apart(code, end) { Role::Braced } else { Role::Key };
    }
    let is_listed = before.ends_with(['{', ',']) && after.starts_with([',', '}', '=']);
    // `<a b={name}>{name}</a>`
    let is_alone =
        before.strip_suffix('{').is_some_and(|head| head.ends_with(['=', '>'])) && after.starts_with('}');
    if has_jsx && is_alone {
        return Role::Use;
    }
    if is_listed && opening(code, at) == Some(b'{') { Role::Braced } else { Role::Use }
}

/// The role of a name right behind the `<` or `</` of a JSX tag.
fn tag(text: &str, at: usize, end: usize) -> Option<Role> {
    let head = &text[..at];
    let (open, is_closing) = match head.strip_suffix("</") {
        Some(open) => (open, true),
        None => (head.strip_suffix('<')?, false),
    };
    // `Promise<name>`, `a<name`
    if !is_closing
        && open.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']' | '<'))
    {
        return None;
    }
    let is_component = !text[at..].starts_with(char::is_lowercase) || text[end..].starts_with('.');
    Some(match (is_component, is_closing) {
        (false, _) => Role::Word,
        (true, true) => Role::ClosingTag,
        (true, false) => Role::Call,
    })
}

/// Whether an argument list or a template follows.
fn is_called(code: &Code<'_>, end: usize) -> bool {
    let after = code.after(end);
    let after = after.strip_prefix('!').unwrap_or(after);
    after.starts_with(['(', '`'])
        || after.starts_with("?.(")
        || behind_type_arguments(code, after).starts_with(['(', '`'])
}

/// What follows the type arguments or parameters that `after` begins with; empty when it begins with none.
fn behind_type_arguments<'t>(code: &Code<'t>, after: &'t str) -> &'t str {
    if !after.starts_with('<') {
        return "";
    }
    let start = code.text.len() - after.len();
    let bytes = code.text.as_bytes();
    let mut depth = 0_u32;
    for at in start..bytes.len().min(start + REACH) {
        match bytes[at] {
            b'<' => depth += 1,
            b'>' if bytes[at - 1] != b'=' => {
                depth -= 1;
                if depth == 0 {
                    return code.after(at + 1);
                }
            }
            _ => {}
        }
    }
    ""
}

/// Whether the name begins a method, accessor or method signature: parameters, then a body or a type.
fn is_method_head(code: &Code<'_>, end: usize, before: &str, last: &str, is_new_line: bool) -> bool {
    let is_separated = before.ends_with(['{', '}', ';', '*'])
        || before.ends_with(',') && opening(code, before.len()) == Some(b'{');
    // A class body needs no separators between its members.
    let ends = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']' | '>' | '"' | '\'' | '`');
    let is_below = is_new_line && before.ends_with(ends);
    if !(is_separated || is_below || MODIFIERS.contains(&last)) || matches!(last, "extends" | "new") {
        return false;
    }
    let mut after = code.after(end);
    if after.starts_with('<') {
        after = behind_type_arguments(code, after);
    }
    let is_optional = after.starts_with("?(") || after.starts_with("?<");
    let after = after.strip_prefix('?').unwrap_or(after);
    if !after.starts_with('(') {
        return is_optional;
    }
    let Some(close) = closing(code, code.text.len() - after.len()) else { return is_optional };
    let after = code.after(close + 1);
    is_optional || after.starts_with(['{', ':'])
}

/// Whether the braces around byte `at` are a pattern: what they are taken from follows.
fn is_taken_apart(code: &Code<'_>, at: usize) -> bool {
    closing(code, at).is_some_and(|close| {
        let after = code.after(close + 1);
        code.text.as_bytes()[close] == b'}'
            && (after.starts_with("of ")
                || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>"))
    })
}

/// The bracket that closes the one at `at`, or the ones around it.
fn closing(code: &Code<'_>, at: usize) -> Option<usize> {
    let bytes = code.text.as_bytes();
    let mut depth = i32::from(!matches!(bytes.get(at), Some(b'(' | b'[' | b'{')));
    let mut next = at;
    while next < bytes.len().min(at + REACH) {
        if let Some(end) = code.hidden_from(next) {
            next = end;
            continue;
        }
        match bytes[next] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(next);
                }
            }
            _ => {}
        }
        next += 1;
    }
    None
}

/// The bracket that is open at byte `at`.
fn opening(code: &Code<'_>, at: usize) -> Option<u8> {
    let bytes = code.text.as_bytes();
    let mut depth = 0;
    let mut next = at;
    while next > at.saturating_sub(REACH) {
        next -= 1;
        if let Some(start) = code.hidden_until(next) {
            next = start;
            continue;
        }
        match bytes[next] {
            b')' | b']' | b'}' => depth += 1,
            open @ (b'(' | b'[' | b'{') => {
                if depth == 0 {
                    return Some(open);
                }
                depth -= 1;
            }
            _ => {}
        }
    }
    None
}

/// The word `text` ends with that may be a keyword, or nothing: `a.type` has none.
fn last_word(text: &str) -> &str {
    let word = last_identifier(text);
    if text[..text.len() - word.len()].ends_with('.') { "" } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The roles of every `x` in the text.
    fn roles(text: &str) -> Vec<Role> {
        let code = Code::new(text);
        code.mentions("x").into_iter().map(|at| role(&code, at, "x", true)).collect()
    }

    #[test]
    fn calls_of_every_form() {
        for text in [
            "x(1)",
            "a.x(1)",
            "a?.x?.(1)",
            "x<string>(1)",
            "a.x<A<B>, (c: d) => e>(1)",
            "x`t`",
            "new x",
            "new x()",
            "@x class A {}",
            "x!(1)",
            "f(x(1))",
            "if (x(a)) { b }",
            "class A extends x(B) {}",
            "a ? x(1) : b",
            "case x(1): y",
            "<a>{x(1)}{b}</a>",
            "x(')') // {",
            "let a = b\nx(1)\n",
        ] {
            assert_eq!(roles(text), [Role::Call], "{text}");
        }
        assert_eq!(role(&Code::new("return <X a={1}>"), 8, "X", true), Role::Call);
    }

    #[test]
    fn declarations_are_no_uses() {
        for text in [
            "const x = 1",
            "function x() {}",
            "function* x() {}",
            "async function x() {}",
            "class x {}",
            "interface x {}",
            "type x = 1",
            "for (const x of y) {}",
        ] {
            assert_eq!(roles(text), [Role::Binding], "{text}");
        }
        for text in [
            "class A { x() {} }",
            "class A { get x() { return 1 } }",
            "class A {\n  a = 1\n  x<T>(b: c): d {}\n}",
            "interface A { x(a: b): c; }",
            "interface A { b: c\n x?(a: b): c }",
            "const a = { async x(b) {} }",
            "const a = { b, *x() {} }",
            "abstract class A { protected abstract x(): void }",
            "class A { x(a = ')') /* c */ {} }",
        ] {
            assert_eq!(roles(text), [Role::Method], "{text}");
        }
    }

    #[test]
    fn keys_are_told_from_what_patterns_take() {
        for text in [
            "const a = { x: 1 }",
            "f({ b, x: c })",
            "interface A { readonly x: B }",
            "interface A {\n  // c\n  x?: B\n}",
            "function f(a, x: B) {}",
            "class A { private x: B }",
        ] {
            assert_eq!(roles(text), [Role::Key], "{text}");
        }
        for text in [
            "const { x: a } = b",
            "const { b: { c }, x: a } = d",
            "for (const { x: a } of b) {}",
            "const { x } = b",
            "const { b, x = 1 } = c",
            "f({ x })",
            "({ a, x, b })",
        ] {
            assert_eq!(roles(text), [Role::Braced], "{text}");
        }
        for text in [
            "a ? x : b",
            "case x: y",
            "f(a, x, b)",
            "[x]",
            "f(x)",
            "a = x",
            "{ a: x }",
            "...x",
            "a < x",
            "p as P<x>",
        ] {
            assert_eq!(roles(text), [Role::Use], "{text}");
        }
        assert_eq!(roles("a.x; b?.x = 1"), [Role::Member, Role::Member]);
    }

    #[test]
    fn words_of_the_language_are_no_names() {
        let of = |text: &str, name: &str, has_jsx| {
            let code = Code::new(text);
            code.mentions(name).into_iter().map(|at| role(&code, at, name, has_jsx)).collect::<Vec<_>>()
        };
        assert_eq!(
            of("let a: string = z.string(); string(b)", "string", false),
            [Role::Word, Role::Call, Role::Call]
        );
        assert_eq!(of("export default a; b.default(c)", "default", false), [Role::Word, Role::Call]);
        assert_eq!(of("try {} catch (e) {}", "catch", false), [Role::Word]);
        assert_eq!(of("<form a>{form}</form>", "form", true), [Role::Word, Role::Use, Role::Word]);
        assert_eq!(of("<Form></Form>", "Form", true), [Role::Call, Role::ClosingTag]);
        assert_eq!(of("a as Map<form>", "form", true), [Role::Use]);
        assert_eq!(of("<form>a", "form", false), [Role::Use], "a cast in a file without JSX");
    }
}
