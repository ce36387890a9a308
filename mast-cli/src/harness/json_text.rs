//! Edits a JSON file as text: what is not asked to change keeps every byte, comments and trailing commas included.
//!
//! The file is parsed into a tree with byte ranges, and each edit is a splice at a place the tree names. Insertion
//! and removal are exact opposites: removing what was inserted last restores the file byte for byte. One bit has to
//! survive between the two, whether an emptied container was there before; the layout carries it. A container that
//! existed empty gets its first child directly behind its bracket; in a container made for the child, a blank or a
//! line break comes first.

use std::borrow::Cow;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

/// Nesting beyond this is refused before parsing, which recurses.
const MAX_DEPTH: usize = 200;

/// A parsed file.
pub(crate) struct JsonText<'a> {
    text: &'a str,
    root: Value<'a>,
    commas: Vec<usize>,
}

/// Where to splice: replace `range` by `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    range: (usize, usize),
    text: String,
}

/// How the file is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    /// One level of indentation.
    pub(crate) indent: String,
    /// `\n` or `\r\n`.
    pub(crate) newline: &'static str,
}

impl Default for Style {
    fn default() -> Self {
        Self { indent: "  ".into(), newline: "\n" }
    }
}

impl<'a> JsonText<'a> {
    /// Parses `text`, which is [`readable`]; comments and trailing commas are accepted. The error is one line without a final full stop.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        refuse_deep_nesting(text)?;
        let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
        };
        let parsed = parse_to_ast(text, &collect, &options).map_err(|error| error.to_string())?;
        let tokens = parsed.tokens.unwrap_or_default();
        for pair in tokens.windows(2) {
            if ends_value(&pair[0].token) && starts_value(&pair[1].token) {
                return Err(format!("expected a comma at byte {}", pair[1].range.start));
            }
        }
        let commas = tokens.iter().filter(|t| t.token == Token::Comma).map(|t| t.range.start).collect();
        let root = parsed.value.ok_or("the file is empty")?;
        Ok(Self { text, root, commas })
    }

    /// The top-level value.
    pub(crate) fn root(&self) -> &Value<'a> {
        &self.root
    }

    /// How the file is indented and how its lines end.
    pub(crate) fn style(&self) -> Style {
        let newline = match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let first_child = match &self.root {
            Value::Object(object) => object.properties.first().map(|p| p.range.start),
            Value::Array(array) => array.elements.first().map(Ranged::start),
            _ => None,
        };
        let indent = first_child
            .and_then(|start| self.own_line_indent(start))
            .filter(|indent| !indent.is_empty())
            .unwrap_or("  ")
            .to_owned();
        Style { indent, newline }
    }

    /// Adds the last child of a container that may be empty; `key` when it is an object.
    ///
    /// `siblings` are the ranges of its children, in order.
    pub(crate) fn insert_last(
        &self,
        container: Range,
        siblings: &[Range],
        key: Option<&str>,
        value: &serde_json::Value,
    ) -> Vec<Splice> {
        let style = self.style();
        let write = |layout: Layout<'_>| {
            let mut out = key.map(|key| format!("{}: ", serde_json::Value::from(key))).unwrap_or_default();
            write_value(&mut out, value, layout);
            out
        };
        let Some(last) = siblings.last() else {
            let outer_indent = self.line_indent(container.start);
            let item = write(Layout::Lines { indent: outer_indent, style: &style });
            return vec![Splice::insert(container.start + 1, item)];
        };
        let comma = self.comma_after(last.end);
        let (separator, item) = match self.own_line_indent(last.start) {
            Some(indent) => {
                (format!("{}{indent}", style.newline), write(Layout::Lines { indent, style: &style }))
            }
            None if self.text[last.start..last.end].contains('\n') => {
                let indent = self.line_indent(last.start);
                (" ".to_owned(), write(Layout::Lines { indent, style: &style }))
            }
            None => (" ".to_owned(), write(Layout::OneLine)),
        };
        // On a line of its own it comes behind the comments of the line before; on the same line it comes before them.
        let is_new_line = separator.starts_with(['\r', '\n']);
        let place = |end: usize| if is_new_line { self.end_of_line_comments(end) } else { end };
        if let Some(comma) = comma {
            let at = place(comma + 1);
            return vec![Splice::insert(at, format!("{separator}{item},"))];
        }
        let at = place(last.end);
        if at == last.end {
            return vec![Splice::insert(at, format!(",{separator}{item}"))];
        }
        vec![Splice::insert(last.end, ",".into()), Splice::insert(at, format!("{separator}{item}"))]
    }

    /// Takes out child `at` of a container whose children are `siblings`. Leaves the container empty if it is the only
    /// one; [`was_made_for`] tells whether the container should go too.
    pub(crate) fn remove(&self, container: Range, siblings: &[Range], at: usize) -> Vec<Splice> {
        let child = siblings[at];
        let start = self.whitespace_before(child.start);
        if siblings.len() == 1 {
            let end = self.comma_after(child.end).map_or(child.end, |comma| comma + 1);
            if start == container.start + 1 && start < child.start {
                let rest = &self.text[end..container.end - 1];
                if rest.trim().is_empty() {
                    return vec![Splice::delete(start, container.end - 1)];
                }
            }
            return vec![Splice::delete(child.start, end)];
        }
        if let Some(comma) = self.comma_after(child.end) {
            return vec![Splice::delete(start, comma + 1)];
        }
        // The last of several, without a trailing comma: the comma of the one before goes with it.
        let mut splices = Vec::new();
        if let Some(comma) = self.comma_after(siblings[at - 1].end) {
            splices.push(Splice::delete(comma, comma + 1));
        }
        splices.push(Splice::delete(start, child.end));
        splices
    }

    /// The position of the comma that follows `end`, with nothing but blanks and comments between.
    fn comma_after(&self, end: usize) -> Option<usize> {
        let index = self.commas.partition_point(|&comma| comma < end);
        let comma = *self.commas.get(index)?;
        (skip_trivia(self.text, end) == comma).then_some(comma)
    }

    /// The blanks before `at` when nothing else precedes it on its line.
    fn own_line_indent(&self, at: usize) -> Option<&'a str> {
        let line = self.text[..at].rfind('\n')? + 1;
        let indent = &self.text[line..at];
        indent.bytes().all(|b| matches!(b, b' ' | b'\t')).then_some(indent)
    }

    /// The blanks the line of `at` begins with.
    fn line_indent(&self, at: usize) -> &'a str {
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &self.text[line..at];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// Where the blanks that end at `at` begin.
    fn whitespace_before(&self, at: usize) -> usize {
        self.text[..at].trim_end_matches([' ', '\t', '\r', '\n']).len()
    }

    /// The end of the last comment that begins on the line of `at`, with only blanks before it; else `at`.
    fn end_of_line_comments(&self, at: usize) -> usize {
        let mut end = at;
        loop {
            let rest = &self.text[end..];
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            match comment_length(&rest[blanks..]) {
                Some(length) if !rest[blanks..blanks + length].contains('\n') => end += blanks + length,
                _ => return end,
            }
        }
    }
}

impl Splice {
    /// Replaces `range`.
    pub(crate) fn replace(range: Range, text: String) -> Self {
        Self { range: (range.start, range.end), text }
    }

    fn insert(at: usize, text: String) -> Self {
        Self { range: (at, at), text }
    }

    fn delete(start: usize, end: usize) -> Self {
        Self { range: (start, end), text: String::new() }
    }
}

/// `text` with the halves of surrogate pairs that stand alone, which are valid in JSON and no Unicode text, replaced by
/// escapes of the same length: what is found in the result is found at the same place in `text`.
pub(crate) fn readable(text: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?;
        u16::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()
    };
    let mut out = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.to_mut().replace_range(at..at + 6, "\\uFFFD");
                at += 6;
            }
            (Some(_), _) => at += 6,
            // The escaped character may be a backslash.
            (None, _) => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    out
}

/// Carries out splices that do not overlap.
pub(crate) fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.range);
    let mut out = String::with_capacity(text.len() + 256);
    let mut done = 0;
    for splice in splices {
        out.push_str(&text[done..splice.range.0]);
        out.push_str(&splice.text);
        done = splice.range.1;
    }
    out.push_str(&text[done..]);
    out
}

/// The ranges of an object's members.
pub(crate) fn member_ranges(object: &Object<'_>) -> Vec<Range> {
    object.properties.iter().map(|property| property.range).collect()
}

/// Whether `container`, whose first child starts at `first_child`, was made together with that child.
pub(crate) fn was_made_for(container: Range, first_child: usize) -> bool {
    first_child > container.start + 1
}

/// Writes a new file that holds `value`.
pub(crate) fn new_file(value: &serde_json::Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, Layout::Lines { indent: "", style: &Style::default() });
    out.push('\n');
    out
}

/// How a value is laid out.
#[derive(Clone, Copy)]
enum Layout<'a> {
    /// All on one line.
    OneLine,
    /// One member a line; the line the value starts on has this indentation.
    Lines { indent: &'a str, style: &'a Style },
}

/// Writes `value`; only the shallow values of this crate's own entries come here.
fn write_value(out: &mut String, value: &serde_json::Value, layout: Layout<'_>) {
    let (open, close, children): (char, char, Vec<(Option<&str>, &serde_json::Value)>) = match value {
        serde_json::Value::Object(map) => {
            ('{', '}', map.iter().map(|(key, value)| (Some(key.as_str()), value)).collect())
        }
        serde_json::Value::Array(list) => ('[', ']', list.iter().map(|value| (None, value)).collect()),
        scalar => {
            out.push_str(&scalar.to_string());
            return;
        }
    };
    out.push(open);
    let inner_indent = match layout {
        Layout::Lines { indent, style } => format!("{indent}{}", style.indent),
        Layout::OneLine => String::new(),
    };
    for (index, (key, child)) in children.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let inner = match layout {
            Layout::Lines { style, .. } => {
                out.push_str(style.newline);
                out.push_str(&inner_indent);
                Layout::Lines { indent: &inner_indent, style }
            }
            Layout::OneLine => {
                out.push(' ');
                Layout::OneLine
            }
        };
        if let Some(key) = key {
            out.push_str(&serde_json::Value::from(*key).to_string());
            out.push_str(": ");
        }
        write_value(out, child, inner);
    }
    if !children.is_empty() {
        match layout {
            Layout::Lines { indent, style } => {
                out.push_str(style.newline);
                out.push_str(indent);
            }
            Layout::OneLine => out.push(' '),
        }
    }
    out.push(close);
}

/// The first position at or after `at` that is neither blank nor inside a comment.
fn skip_trivia(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        at += blanks;
        match comment_length(&text[at..]) {
            Some(length) => at += length,
            None => return at,
        }
    }
}

/// The length of the comment `text` begins with; a line comment ends before its line break.
fn comment_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find(['\n', '\r']).unwrap_or(text.len()));
    }
    let body = text.strip_prefix("/*")?;
    Some(body.find("*/").map_or(text.len(), |end| end + 4))
}

fn ends_value(token: &Token<'_>) -> bool {
    !matches!(token, Token::OpenBrace | Token::OpenBracket | Token::Comma | Token::Colon)
}

fn starts_value(token: &Token<'_>) -> bool {
    !matches!(token, Token::CloseBrace | Token::CloseBracket | Token::Comma | Token::Colon)
}

fn refuse_deep_nesting(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut in_string) = (0_usize, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'/' => at += comment_length(&text[at..]).map_or(0, |length| length - 1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        at += 1;
    }
    Ok(())
}
