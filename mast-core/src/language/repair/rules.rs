//! The constructs that are masked, and by what.

use super::scan::{
    before, closing, closing_angle, is_word, opening_angle, skip_blanks, word_before, word_end, words,
};
use crate::language::parser::Grammar;

/// Bytes to put over the text for the parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mask {
    /// Where.
    pub(super) at: usize,
    /// What.
    pub(super) with: Vec<u8>,
}

/// Finds one construct.
pub(super) struct Rule {
    applies: fn(Grammar) -> bool,
    find: fn(&str, &mut Vec<Mask>),
}

impl Rule {
    /// The masks of this rule for `text`.
    pub(super) fn masks(&self, text: &str, grammar: Grammar) -> Vec<Mask> {
        let mut masks = Vec::new();
        if (self.applies)(grammar) {
            (self.find)(text, &mut masks);
        }
        masks
    }
}

fn typescript(grammar: Grammar) -> bool {
    grammar != Grammar::JavaScript
}

fn markup(grammar: Grammar) -> bool {
    grammar != Grammar::TypeScript
}

fn javascript(grammar: Grammar) -> bool {
    grammar == Grammar::JavaScript
}

fn any(_: Grammar) -> bool {
    true
}

/// Constructs that are misread without an error, or that are certain.
pub(super) const ALWAYS: &[Rule] = &[
    Rule { applies: any, find: nul },
    Rule { applies: typescript, find: using_declaration },
    Rule { applies: typescript, find: typed_tag },
];

/// Constructs that are masked only near an error.
pub(super) const NEAR_ERRORS: &[Rule] = &[
    Rule { applies: any, find: using_name },
    Rule { applies: any, find: reexport_attributes },
    Rule { applies: typescript, find: export_type_star },
    Rule { applies: any, find: import_phase },
    Rule { applies: typescript, find: import_type },
    Rule { applies: typescript, find: variance },
    Rule { applies: typescript, find: accessor_modifier },
    Rule { applies: javascript, find: plain_accessor },
    Rule { applies: any, find: accessor_name },
    Rule { applies: any, find: decorator },
    Rule { applies: any, find: escape },
    Rule { applies: typescript, find: template_type_escape },
    Rule { applies: typescript, find: static_index },
    Rule { applies: typescript, find: keyword_member },
    Rule { applies: typescript, find: bracket_member },
    Rule { applies: typescript, find: assertion_target },
    Rule { applies: typescript, find: type_as },
    Rule { applies: typescript, find: asserts_name },
    Rule { applies: typescript, find: anonymous_signature },
    Rule { applies: any, find: contextual_names },
    Rule { applies: typescript, find: optional_call_arguments },
    Rule { applies: markup, find: ampersand },
];

fn blank(masks: &mut Vec<Mask>, from: usize, to: usize) {
    masks.push(Mask { at: from, with: vec![b' '; to - from] });
}

/// Renames the word at `at..end` to one that is no keyword.
fn rename(masks: &mut Vec<Mask>, end: usize) {
    masks.push(Mask { at: end - 1, with: vec![b'_'] });
}

/// Turns the text `from..to` into one identifier.
fn identifier(masks: &mut Vec<Mask>, text: &str, from: usize, to: usize) {
    let bytes = text.as_bytes();
    let with = bytes[from..to].iter().map(|b| if b.is_ascii_alphanumeric() { *b } else { b'_' }).collect();
    masks.push(Mask { at: from, with });
}

fn nul(text: &str, masks: &mut Vec<Mask>) {
    masks.extend(memchr::memchr_iter(0, text.as_bytes()).map(|at| Mask { at, with: vec![b' '] }));
}

/// `using x = …` is read as an assignment; `for (using x of …)` not at all.
fn using_declaration(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "using") {
        let name = skip_blanks(bytes, at + 5, false);
        let end = word_end(bytes, name);
        let next = skip_blanks(bytes, end, false);
        let is_binding = name > at + 5
            && end > name
            && !matches!(&bytes[name..end], b"in" | b"instanceof" | b"as" | b"satisfies")
            && (matches!(bytes.get(next), Some(b':' | b'=')) && bytes.get(next + 1) != Some(&b'=')
                || bytes[next..].starts_with(b"of ") && &bytes[name..end] != b"of");
        if !is_binding {
            continue;
        }
        match before(bytes, at) {
            None | Some((_, b';' | b'{' | b'}' | b'(' | b')' | b':' | b'/')) => {}
            Some((last, _)) if word_before(bytes, last + 1) == b"await" => blank(masks, last - 4, last + 1),
            Some((last, _)) if text[last + 1..at].contains('\n') => {}
            Some(_) => continue,
        }
        masks.push(Mask { at, with: b"const".to_vec() });
    }
}

/// `` tag<T>`…` `` is read as two comparisons.
fn typed_tag(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for close in memchr::memmem::find_iter(bytes, b">`") {
        if let Some(open) = opening_angle(bytes, close)
            && open > 0
            && is_word(bytes[open - 1])
        {
            blank(masks, open, close + 1);
        }
    }
}

/// A variable called `using`.
fn using_name(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "using") {
        let next = skip_blanks(bytes, at + 5, false);
        if matches!(
            bytes.get(next),
            Some(b'(' | b'.' | b'=' | b'[' | b';' | b',' | b')' | b'?' | b':' | b'+' | b'\n' | b'\r') | None
        ) {
            rename(masks, at + 5);
        }
    }
}

/// `export … from "m" with { … }`.
fn reexport_attributes(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for word in ["with", "assert"] {
        for at in words(text, word) {
            let open = skip_blanks(bytes, at + word.len(), true);
            if bytes.get(open) == Some(&b'{')
                && matches!(before(bytes, at), Some((_, b'"' | b'\'')))
                && let Some(end) = closing(bytes, open)
            {
                blank(masks, at, end);
            }
        }
    }
}

/// `export type * from "m"`.
fn export_type_star(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "type") {
        let star = skip_blanks(bytes, at + 4, true);
        if bytes.get(star) == Some(&b'*')
            && before(bytes, at).is_some_and(|(last, _)| word_before(bytes, last + 1) == b"export")
        {
            blank(masks, at, at + 4);
        }
    }
}

/// `import defer * as ns from "m"`, `import source x from "m"`, `import.defer("m")`.
fn import_phase(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for word in ["defer", "source"] {
        for at in words(text, word) {
            let Some((last, byte)) = before(bytes, at) else { continue };
            if byte == b'.' && word_before(bytes, last) == b"import" {
                blank(masks, last, at + word.len());
            } else if word_before(bytes, last + 1) == b"import" {
                let next = skip_blanks(bytes, at + word.len(), true);
                if bytes.get(next).is_some_and(|b| *b == b'*' || *b == b'{' || is_word(*b))
                    && !bytes[next..].starts_with(b"from")
                {
                    blank(masks, at, at + word.len());
                }
            }
        }
    }
}

/// `import("m").T<A>` in a type.
fn import_type(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "import") {
        let open = skip_blanks(bytes, at + 6, false);
        if bytes.get(open) != Some(&b'(') {
            continue;
        }
        let Some(mut end) = closing(bytes, open) else { continue };
        if bytes.get(end) == Some(&b'.') {
            end = word_end(bytes, end + 1);
        }
        let mut path = end;
        while bytes.get(path) == Some(&b'.') {
            path = word_end(bytes, path + 1);
        }
        let opens_type = before(bytes, at).is_some_and(|(last, byte)| {
            let is_arrow = byte == b'>' && last > 0 && bytes[last - 1] == b'=';
            matches!(byte, b':' | b'<' | b'|' | b'&' | b',')
                || matches!(
                    word_before(bytes, last + 1),
                    b"keyof" | b"typeof" | b"readonly" | b"extends" | b"is"
                )
                || (is_arrow || matches!(byte, b'(' | b'=')) && matches!(bytes.get(path), Some(b'<' | b'['))
        });
        if opens_type {
            identifier(masks, text, at, end);
        }
    }
}

/// `<in T>`, `<out T>`, `<in out T>`.
fn variance(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for word in ["in", "out"] {
        for at in words(text, word) {
            let opens = before(bytes, at).is_some_and(|(last, byte)| {
                matches!(byte, b'<' | b',') || matches!(word_before(bytes, last + 1), b"in" | b"const")
            });
            let next = skip_blanks(bytes, at + word.len(), true);
            if opens && bytes.get(next).is_some_and(|b| is_word(*b)) {
                blank(masks, at, at + word.len());
            }
        }
    }
}

fn is_member_name(byte: Option<&u8>) -> bool {
    byte.is_some_and(|b| is_word(*b) || matches!(b, b'#' | b'[' | b'"' | b'\''))
}

/// `static accessor x`, `abstract accessor x`, `override accessor x`.
fn accessor_modifier(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "accessor") {
        let next = skip_blanks(bytes, at + 8, false);
        let is_modified = before(bytes, at).is_some_and(|(last, _)| is_word(bytes[last]));
        if is_modified && is_member_name(bytes.get(next)) {
            blank(masks, at, at + 8);
        }
    }
}

/// `accessor x = 1` in JavaScript.
fn plain_accessor(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "accessor") {
        let next = skip_blanks(bytes, at + 8, false);
        if next > at + 8 && is_member_name(bytes.get(next)) {
            blank(masks, at, at + 8);
        }
    }
}

/// A field called `accessor`.
fn accessor_name(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "accessor") {
        let next = skip_blanks(bytes, at + 8, false);
        if matches!(bytes.get(next), Some(b'=' | b';' | b':' | b'?' | b'!' | b'(' | b'\n' | b'\r')) {
            rename(masks, at + 8);
        }
    }
}

/// Decorators beyond `@name`, `@a.b` and calls of them.
fn decorator(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'@', bytes) {
        let start = at + 1;
        if bytes.get(start) == Some(&b'(') {
            if let Some(end) = closing(bytes, start) {
                identifier(masks, text, start, end);
            }
            continue;
        }
        let mut end = word_end(bytes, start);
        while bytes.get(end) == Some(&b'.') {
            if bytes.get(end + 1) == Some(&b'#') {
                masks.push(Mask { at: end + 1, with: vec![b'_'] });
                end += 1;
            }
            end = word_end(bytes, end + 1);
        }
        match bytes.get(end) {
            Some(b'!') => blank(masks, end, end + 1),
            Some(b'`') => {
                if let Some(length) = memchr::memchr(b'`', &bytes[end + 1..]) {
                    blank(masks, end, end + length + 2);
                }
            }
            _ => {}
        }
    }
}

/// Escapes that only a tagged template may hold.
fn escape(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    let is_hex = |at: usize, count: usize| {
        bytes.get(at..at + count).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    for at in memchr::memchr_iter(b'\\', bytes) {
        let is_bad = match bytes.get(at + 1) {
            Some(b'u') => bytes.get(at + 2) != Some(&b'{') && !is_hex(at + 2, 4),
            Some(b'x') => !is_hex(at + 2, 2),
            _ => false,
        };
        if is_bad {
            masks.push(Mask { at, with: vec![b'_'] });
        }
    }
}

/// An escape in a template literal type, which the grammar reads without escapes.
fn template_type_escape(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[from..]) {
        let at = from + found;
        // Both bytes of a pair are looked at once, so that an escaped backslash escapes nothing.
        from = (at + 2).min(bytes.len());
        if bytes.get(at + 1).is_some_and(|next| next.is_ascii() && !next.is_ascii_whitespace()) {
            masks.push(Mask { at, with: b"__".to_vec() });
        }
    }
}

/// `static [k: string]: T`.
fn static_index(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "static") {
        let mut next = skip_blanks(bytes, at + 6, true);
        if bytes[next..].starts_with(b"readonly") {
            next = skip_blanks(bytes, next + 8, true);
        }
        if bytes.get(next) == Some(&b'[') {
            blank(masks, at, at + 6);
        }
    }
}

/// Members called like a keyword.
fn keyword_member(text: &str, masks: &mut Vec<Mask>) {
    const WORDS: [&str; 12] = [
        "abstract", "readonly", "declare", "static", "override", "in", "new", "out", "type", "async", "get",
        "set",
    ];
    let bytes = text.as_bytes();
    for word in WORDS {
        for at in words(text, word) {
            let mut next = skip_blanks(bytes, at + word.len(), false);
            if matches!(bytes.get(next), Some(b'?' | b'!')) {
                next += 1;
            }
            let opens = before(bytes, at).is_none_or(|(last, byte)| {
                matches!(byte, b'{' | b';' | b'}' | b',' | b'/')
                    || text[last + 1..at].contains('\n')
                    || matches!(
                        word_before(bytes, last + 1),
                        b"public" | b"private" | b"protected" | b"static"
                    )
            });
            if opens && matches!(bytes.get(next), Some(b':' | b'=' | b';' | b'(' | b'<' | b'\n' | b'\r')) {
                rename(masks, at + word.len());
            }
        }
    }
}

/// A call or index signature on the line after a member without semicolon.
fn bracket_member(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'\n', bytes) {
        let Some((end, last)) = before(bytes, at) else { continue };
        let is_first_break = memchr::memchr(b'\n', &bytes[end..at]).is_none();
        if !is_first_break || !is_word(last) && !matches!(last, b'>' | b')' | b']' | b'}' | b'"' | b'\'') {
            continue;
        }
        let next = skip_blanks(bytes, at + 1, true);
        let is_arrow_body = last == b'>' && end > 0 && bytes[end - 1] == b'=';
        if is_arrow_body || !matches!(bytes.get(next), Some(b'<' | b'(' | b'[')) {
            continue;
        }
        let parameters = match bytes[next] {
            b'<' => closing_angle(bytes, next).map(|end| skip_blanks(bytes, end, true)),
            _ => Some(next),
        };
        let is_signature = parameters
            .filter(|at| matches!(bytes.get(*at), Some(b'(' | b'[')))
            .and_then(|open| closing(bytes, open))
            .is_some_and(|end| bytes.get(skip_blanks(bytes, end, true)) == Some(&b':'));
        if is_signature {
            // Right before the signature: a long comment between the two keeps the line break far from the error.
            if bytes[next - 1].is_ascii_whitespace() {
                masks.push(Mask { at: next - 1, with: vec![b';'] });
            }
        }
    }
}

/// `[o.a as any] = …`, `({ a: o.b as any } = …)`.
fn assertion_target(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "as") {
        let start = skip_blanks(bytes, at + 2, true);
        let end = word_end(bytes, start);
        let next = skip_blanks(bytes, end, true);
        let is_member = before(bytes, at).is_some_and(|(last, _)| {
            let word = word_before(bytes, last + 1).len();
            last + 1 > word && bytes[last - word] == b'.'
        });
        if end > start && is_member && matches!(bytes.get(next), Some(b']' | b'}' | b',')) {
            blank(masks, at, end);
        }
    }
}

/// `import { type as }`.
fn type_as(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "type") {
        let next = skip_blanks(bytes, at + 4, true);
        if bytes[next..].starts_with(b"as") && matches!(before(bytes, at), Some((_, b'{' | b','))) {
            blank(masks, at, at + 4);
        }
    }
}

/// A parameter called `asserts`.
fn asserts_name(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "asserts") {
        let next = skip_blanks(bytes, at + 7, true);
        if matches!(bytes.get(next), Some(b':' | b',' | b')')) || bytes[next..].starts_with(b"is ") {
            rename(masks, at + 7);
        }
    }
}

/// `export default function (): void;` of a declaration file: `default function ` becomes `function default_`.
fn anonymous_signature(text: &str, masks: &mut Vec<Mask>) {
    const TEXT: &[u8] = b"default function ";
    let bytes = text.as_bytes();
    for at in memchr::memmem::find_iter(bytes, TEXT) {
        if matches!(bytes.get(at + TEXT.len()), Some(b'(' | b'<')) {
            masks.push(Mask { at, with: b"function default_".to_vec() });
        }
    }
}

/// `let as: any`, `for (async of => {}; …)`.
fn contextual_names(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for at in words(text, "as") {
        if before(bytes, at)
            .is_some_and(|(last, _)| matches!(word_before(bytes, last + 1), b"let" | b"const" | b"var"))
        {
            rename(masks, at + 2);
        }
    }
    for at in memchr::memmem::find_iter(bytes, b"async of =>") {
        rename(masks, at + 8);
    }
}

/// `f<T>?.(x)`.
fn optional_call_arguments(text: &str, masks: &mut Vec<Mask>) {
    let bytes = text.as_bytes();
    for close in memchr::memmem::find_iter(bytes, b">?.(") {
        if let Some(open) = opening_angle(bytes, close) {
            blank(masks, open, close + 1);
        }
    }
}

/// `&` in JSX text and in strings.
fn ampersand(text: &str, masks: &mut Vec<Mask>) {
    const REACH: usize = 2048;
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'&', bytes) {
        let line_start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |at| at + 1);
        let line = &bytes[line_start..at];
        let in_string = [b'"', b'\''].into_iter().any(|quote| {
            let count = memchr::memchr_iter(quote, line).count();
            count % 2 == 1 && bytes[at..].iter().take_while(|b| **b != b'\n').any(|b| *b == quote)
        });
        let back = bytes[..at].iter().rev().take(REACH).position(|b| matches!(b, b'<' | b'>' | b'{' | b'}'));
        let in_text = back.is_some_and(|back| {
            let edge = at - 1 - back;
            let is_arrow = edge > 0 && bytes[edge] == b'>' && bytes[edge - 1] == b'=';
            matches!(bytes[edge], b'>' | b'}') && !is_arrow
        }) && bytes[at..]
            .iter()
            .take(REACH)
            .find(|b| matches!(b, b'<' | b'>' | b'{' | b'}'))
            .is_some_and(|b| matches!(b, b'<' | b'{'));
        if in_string || in_text {
            masks.push(Mask { at, with: vec![b'_'] });
        }
    }
}
