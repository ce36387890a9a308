//! Where a name stands in code: whole identifiers only, comments and the text of strings left out.

use std::cell::OnceCell;

use crate::model::{ByteRange, is_identifier_char};

/// A text and which parts of it are no code.
#[derive(Debug)]
pub(crate) struct Code<'t> {
    /// The whole text.
    pub(crate) text: &'t str,
    hidden: OnceCell<Vec<(usize, usize)>>,
}

impl<'t> Code<'t> {
    /// Reads nothing yet.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, hidden: OnceCell::new() }
    }

    /// Byte offsets of the identifier `name` in the code, in order.
    pub(super) fn mentions(&self, name: &str) -> Vec<usize> {
        let mut found: Vec<usize> = memchr::memmem::find_iter(self.text.as_bytes(), name.as_bytes())
            .filter(|&at| is_whole(self.text, at, at + name.len(), name))
            .collect();
        found.retain(|&at| self.hidden_around(at).is_none());
        found
    }

    /// The code in front of byte `at`, white space and comments at its end left out, and whether a line ends between.
    pub(crate) fn before(&self, at: usize) -> (&'t str, bool) {
        let mut head = &self.text[..at];
        loop {
            let trimmed = head.trim_end();
            match self.hidden_until(trimmed.len().saturating_sub(1)) {
                Some(start) if is_comment(&self.text[start..]) => head = &self.text[..start],
                _ => return (trimmed, self.text[trimmed.len()..at].contains('\n')),
            }
        }
    }

    /// The code from byte `at` on, white space and comments at its beginning left out.
    pub(crate) fn after(&self, at: usize) -> &'t str {
        let mut tail = &self.text[at..];
        loop {
            tail = tail.trim_start();
            match self.hidden_from(self.text.len() - tail.len()) {
                Some(end) if is_comment(tail) => tail = &self.text[end..],
                _ => return tail,
            }
        }
    }

    /// The end of what is no code and begins at byte `at`.
    pub(crate) fn hidden_from(&self, at: usize) -> Option<usize> {
        self.hidden_around(at).filter(|&(start, _)| start == at).map(|(_, end)| end)
    }

    /// The beginning of what is no code and whose last byte is `at`.
    pub(super) fn hidden_until(&self, at: usize) -> Option<usize> {
        self.hidden_around(at).filter(|&(_, end)| end == at + 1).map(|(start, _)| start)
    }

    fn hidden_around(&self, at: usize) -> Option<(usize, usize)> {
        let hidden = self.hidden.get_or_init(|| hidden(self.text));
        let next = hidden.partition_point(|&(start, _)| start <= at);
        hidden.get(next.checked_sub(1)?).copied().filter(|&(_, end)| at < end)
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

/// The first of `places` in a signature, whose name it is.
pub(super) fn declared_in(places: &[usize], signature: ByteRange) -> Option<usize> {
    let first = places.partition_point(|&at| at < signature.start as usize);
    places.get(first).copied().filter(|&at| at < signature.end as usize)
}

/// Every identifier in the code of `text` for which `wanted` holds, with the byte it begins at, in order. `#name` is one with
/// its sign.
pub(crate) fn identifiers(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<(usize, &str)> {
    let hidden = hidden(text);
    let mut hidden = hidden.iter().peekable();
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if !is_identifier_char(c) && c != '#' {
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, c)) = chars.next_if(|&(_, c)| is_identifier_char(c)) {
            end = at + c.len_utf8();
        }
        while hidden.next_if(|(_, end)| *end <= start).is_some() {}
        let is_hidden = hidden.peek().is_some_and(|(from, _)| *from <= start);
        if !is_hidden && wanted(&text[start..end]) {
            found.push((start, &text[start..end]));
        }
    }
    found
}

fn is_whole(text: &str, start: usize, end: usize, name: &str) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    // `#name` is another name than `name`.
    let is_private = before == Some('#') && !name.starts_with('#');
    !is_private && !before.is_some_and(is_identifier_char) && !after.is_some_and(is_identifier_char)
}

/// The identifier or keyword `text` ends with, or nothing.
pub(crate) fn last_identifier(text: &str) -> &str {
    let length: usize = text.chars().rev().take_while(|&c| is_identifier_char(c)).map(char::len_utf8).sum();
    &text[text.len() - length..]
}

/// Byte ranges of comments, of what stands between quotes, of the literal parts of templates and of regular expressions.
///
/// A light reading of the text, made for showing possible mentions: where it cannot tell (an apostrophe in JSX text, a slash
/// after a brace) it takes the text for code, so that nothing is hidden by mistake.
fn hidden(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut ranges = Vec::new();
    // For every open template the number of braces open inside its current substitution.
    let mut templates: Vec<u32> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = match bytes[at] {
            b'/' if rest.starts_with(b"//") => at + memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            b'/' if rest.starts_with(b"/*") => {
                at + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
            }
            b'/' if expects_value(&bytes[..at]) => closing_slash(bytes, at).unwrap_or(at),
            quote @ (b'"' | b'\'') => closing_quote(bytes, at, quote).unwrap_or(at),
            b'`' => template_text(bytes, at + 1, &mut templates),
            b'{' => {
                if let Some(open) = templates.last_mut() {
                    *open += 1;
                }
                at
            }
            b'}' => match templates.last_mut() {
                Some(0) => {
                    templates.pop();
                    template_text(bytes, at + 1, &mut templates)
                }
                Some(open) => {
                    *open -= 1;
                    at
                }
                None => at,
            },
            _ => at,
        };
        if end > at {
            ranges.push((at, end));
        }
        at = end.max(at + 1);
    }
    ranges
}

/// The end of template text that begins at `at`: behind the closing quote, or behind a `${`, which is then open.
fn template_text(bytes: &[u8], mut at: usize, templates: &mut Vec<u32>) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'`' => return at + 1,
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                templates.push(0);
                return at + 2;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Just behind the quote that closes the one at `at`, on the same line.
fn closing_quote(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let mut next = at + 1;
    while let Some(&byte) = bytes.get(next) {
        match byte {
            b'\\' => next += 1,
            b'\n' => return None,
            _ if byte == quote => return Some(next + 1),
            _ => {}
        }
        next += 1;
    }
    None
}

/// Just behind the slash that closes the regular expression at `at`, on the same line.
fn closing_slash(bytes: &[u8], at: usize) -> Option<usize> {
    let mut next = at + 1;
    let mut in_class = false;
    while let Some(&byte) = bytes.get(next) {
        match byte {
            b'\\' => next += 1,
            b'\n' => return None,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(next + 1),
            _ => {}
        }
        next += 1;
    }
    None
}

/// Whether a slash behind `before` begins a regular expression rather than divides.
fn expects_value(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let Some(last) = before.last() else { return true };
    if b"(,=:[!&|?;+-*%^~{".contains(last) {
        return true;
    }
    let start =
        before.iter().rposition(|b| !b.is_ascii_alphanumeric() && !b"_$".contains(b)).map_or(0, |at| at + 1);
    matches!(
        &before[start..],
        b"return" | b"typeof" | b"case" | b"in" | b"of" | b"void" | b"throw" | b"await" | b"yield"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with every mention of `x` turned into `@`.
    fn marked(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for at in Code::new(text).mentions("x") {
            bytes[at] = b'@';
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn all_identifiers_of_a_text_are_those_found_one_by_one() {
        let text = "x #x xs `x ${x + größe}` x // x\n$x.x = 'x' + #größe.x1 /x/ größe";
        for name in ["x", "#x", "xs", "größe", "#größe", "$x", "x1"] {
            let found: Vec<usize> =
                identifiers(text, |word| word == name).into_iter().map(|(at, _)| at).collect();
            assert_eq!(found, Code::new(text).mentions(name), "{name}");
        }
    }

    #[test]
    fn only_whole_identifiers_in_code_count() {
        for (text, expected) in [
            ("x xs x1 $x x.x a.#x", "@ xs x1 $x @.@ a.#x"),
            ("x // x\nx /* x\nx */ x", "@ // x\n@ /* x\nx */ @"),
            (r#""x" 'x\'x' x"#, r#""x" 'x\'x' @"#),
            ("`x ${x + `x ${x}`} x` x", "`x ${@ + `x ${@}`} x` @"),
            ("`${{ a: x }} x` x", "`${{ a: @ }} x` @"),
            ("a = /x[/]x/.test(x) / x / x", "a = /x[/]x/.test(@) / @ / @"),
            ("<p>don't x</p>\nx", "<p>don't @</p>\n@"),
            ("<a b={x} /> <x/>", "<a b={@} /> <@/>"),
            ("return /x/g; x", "return /x/g; @"),
            ("x\u{301} x", "x\u{301} @"),
        ] {
            assert_eq!(marked(text), expected);
        }
    }
}
