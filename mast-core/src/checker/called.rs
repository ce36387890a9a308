//! Which parts of a text are expressions that are called as a whole: `(c ? f : g)()`, `[f][0]()`, `{ f }.f()`, `new (c ? A : B)`.
//!
//! A name in there is no call site, and is called all the same. A light reading of brackets: where it cannot tell, the name may be
//! called.

use crate::graph::mentions::{Code, last_identifier};
use crate::model::is_identifier_char;

/// Keywords in front of an expression; a bracket behind them is no argument list and no index.
const BEFORE_EXPRESSION: [&str; 19] = [
    "return",
    "await",
    "yield",
    "typeof",
    "void",
    "delete",
    "in",
    "of",
    "instanceof",
    "new",
    "throw",
    "case",
    "do",
    "else",
    "default",
    "extends",
    "satisfies",
    "as",
    "async",
];

/// Keywords in front of the head of a statement.
const BEFORE_HEAD: [&str; 6] = ["if", "while", "for", "switch", "with", "catch"];

/// Where a text may be called as part of a larger expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Called {
    /// Bytes from which on it is so or not, in order.
    turns: Vec<(usize, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// A value passes out of it: a parenthesised expression, an array, an object.
    Group,
    /// The head of a statement, in parentheses.
    Head,
    /// Nothing in it is the value: arguments, parameters, an index, a block.
    Closed,
}

#[derive(Debug)]
struct Pair {
    start: usize,
    end: usize,
    kind: Bracket,
    parent: Option<usize>,
}

impl Called {
    /// Reads a text; `None` when its brackets do not match as far as they can be told.
    pub(super) fn of(text: &str) -> Option<Self> {
        let code = Code::new(text);
        let pairs = pairs(&code)?;
        let mut is_called = Vec::with_capacity(pairs.len());
        let mut turns = Vec::with_capacity(2 * pairs.len());
        for pair in &pairs {
            let around = pair.parent.is_some_and(|parent| is_called[parent]);
            let is_group = pair.kind == Bracket::Group;
            let called = is_group
                && (around || begins_call(&code, pair.start) || ends_call(&code, &pairs, pair.end + 1));
            is_called.push(called);
            turns.extend([(pair.start, called), (pair.end, around)]);
        }
        turns.sort_unstable_by_key(|turn| turn.0);
        Some(Self { turns })
    }

    /// Whether what stands at a byte may be called with what is around it.
    pub(super) fn holds(&self, at: usize) -> bool {
        let next = self.turns.partition_point(|turn| turn.0 <= at);
        next.checked_sub(1).is_some_and(|turn| self.turns[turn].1)
    }
}

/// The brackets of a text that match, outer ones before those in them.
fn pairs(code: &Code<'_>) -> Option<Vec<Pair>> {
    let bytes = code.text.as_bytes();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    // The pair that was closed last.
    let mut closed: Option<usize> = None;
    let mut at = 0;
    while at < bytes.len() {
        if let Some(end) = code.hidden_from(at) {
            at = end.max(at + 1);
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => {
                let head = closed.map(|pair| &pairs[pair]).filter(|pair| pair.kind == Bracket::Head);
                let kind = kind(code, at, head.map(|pair| pair.end));
                pairs.push(Pair { start: at, end: at, kind, parent: open.last().copied() });
                open.push(pairs.len() - 1);
            }
            close @ (b')' | b']' | b'}') => {
                let pair = open.pop()?;
                let wanted = match bytes[pairs[pair].start] {
                    b'(' => b')',
                    b'[' => b']',
                    _ => b'}',
                };
                if close != wanted {
                    return None;
                }
                pairs[pair].end = at;
                closed = Some(pair);
            }
            _ => {}
        }
        at += 1;
    }
    open.is_empty().then_some(pairs)
}

/// What the bracket at byte `at` opens. `head` is where the head of a statement ended last.
fn kind(code: &Code<'_>, at: usize, head: Option<usize>) -> Bracket {
    let (before, _) = code.before(at);
    let is_behind_head = head.is_some_and(|end| end + 1 == before.len());
    let word = last_identifier(before);
    let is_member = before[..before.len() - word.len()].trim_end().ends_with('.');
    let is_word = !word.is_empty() && (is_member || !BEFORE_EXPRESSION.contains(&word));
    match code.text.as_bytes()[at] {
        b'{' => {
            let is_arrow = before.ends_with("=>");
            let is_value = before.ends_with(['(', '[', ',', ':', '=', '?', '|', '&', '+', '!']) && !is_arrow;
            let is_behind_keyword = !word.is_empty() && !is_word && !matches!(word, "do" | "else" | "async");
            if is_value || is_behind_keyword { Bracket::Group } else { Bracket::Closed }
        }
        b'(' if !is_member && BEFORE_HEAD.contains(&word) => Bracket::Head,
        _ if is_behind_head => Bracket::Group,
        _ if is_word || before.ends_with([')', ']']) || before.ends_with("?.") => Bracket::Closed,
        _ => Bracket::Group,
    }
}

/// Whether what stands in front of an expression calls it.
fn begins_call(code: &Code<'_>, start: usize) -> bool {
    let (before, _) = code.before(start);
    before.ends_with('@') || last_identifier(before) == "new"
}

/// Whether an expression that ends in front of byte `at` is called there, or a member or element of it is.
fn ends_call(code: &Code<'_>, pairs: &[Pair], mut at: usize) -> bool {
    loop {
        let rest = code.after(at);
        at = code.text.len() - rest.len();
        let after_dot =
            rest.strip_prefix("?.").or_else(|| rest.strip_prefix('.').filter(|rest| !rest.starts_with('.')));
        if let Some(member) = after_dot {
            at = code.text.len() - member.len();
            let name = code.after(at);
            let length: usize =
                name.chars().take_while(|&c| is_identifier_char(c) || c == '#').map(char::len_utf8).sum();
            if length > 0 {
                at = code.text.len() - name.len() + length;
            } else if !name.starts_with(['(', '[', '`', '<']) {
                return false;
            }
        } else if rest.starts_with(['(', '`', '<']) {
            // Type arguments, unless it is a comparison.
            return true;
        } else if rest.starts_with('[') {
            let Ok(pair) = pairs.binary_search_by_key(&at, |pair| pair.start) else { return true };
            at = pairs[pair].end + 1;
        } else if rest.starts_with('!') && !rest.starts_with("!=") {
            at += 1;
        } else {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_an_expression_that_is_called_may_be_called() {
        for (text, expected) in [
            ("(c ? f : () => 3)()", true),
            ("(o ?? f)()", true),
            ("(a.f || noop) /* all */ (1)", true),
            ("(await a.f)(1)", true),
            ("(a.f satisfies Function)(1)", true),
            ("(<any>a.f)(1)", true),
            ("[a.f][0](1)", true),
            ("({ f: a.f }).f(1)", true),
            ("return { f }.f()", true),
            ("(c && (f ?? g))()", true),
            ("(c ? f : g)`text`", true),
            ("(c ? f : g)?.(1)", true),
            ("(c ? f : g)!(1)", true),
            ("(c ? f : g)<T>(1)", true),
            ("(c ? f : g).call(x)", true),
            ("(c ? f : g)?.[0].b!(1)", true),
            ("new (c ? f : B)()", true),
            ("new (c ? f : B)", true),
            ("@(c ? f : g) class A {}", true),
            ("if (c) (o ?? f)()", true),
            ("() => (o ?? f)()", true),
            ("await (c ? f : g)()", true),
            ("x = y\n;[f, g][0]()", true),
            // Passed, not called.
            ("g(f)()", false),
            ("list.map(f).forEach(g)", false),
            ("(list.map(f))()", false),
            ("a.new(f)()", false),
            ("g(c ? f : h)", false),
            ("g([f])()", false),
            ("o[f]()", false),
            ("(c ? f : g)", false),
            ("x = (c ? f : g);\ny.z()", false),
            ("(c ? f : g) != (1)", false),
            ("[f, g]", false),
            ("run({ f })", false),
            ("(() => { g(f) })()", false),
            ("(function (cb = f) {})()", false),
            ("(function () { const x = f; })()", false),
            ("class A { m() { return [f] } }\n(x)()", false),
            ("if (f) (x)()", false),
            ("'(' + [f] + '()'", false),
            ("x = `${f}` + (1)", false),
            ("(...[f], 1)", false),
        ] {
            assert_eq!(Called::of(text).unwrap().holds(place(text)), expected, "{text}");
        }
    }

    /// Where the name `f` stands last that is no key.
    fn place(text: &str) -> usize {
        let is_name = |at: &usize| {
            let end = text[at + 1..].chars().next().unwrap_or(' ');
            let start = text[..*at].chars().next_back().unwrap_or(' ');
            let is_member_call = start == '.' && end == '(';
            !is_identifier_char(start) && !is_identifier_char(end) && end != ':' && !is_member_call
        };
        text.match_indices('f').map(|(at, _)| at).rfind(is_name).unwrap()
    }

    #[test]
    fn brackets_that_do_not_match_tell_nothing() {
        for text in ["<p>:)</p>", "f(", "(f]", "}"] {
            assert_eq!(Called::of(text), None, "{text}");
        }
        assert!(Called::of("f(')', /\\)/, `)`) // )").is_some());
    }
}
