//! Files and their texts while one answer is made.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::model::{ByteRange, Columns, FileId, RepoPath};
use crate::store::{CallRow, FileRow, Reader, SymbolId};

/// Reads files and texts from the shelf, each once.
#[derive(Debug)]
pub struct Sources<'r> {
    /// The shelf.
    pub reader: &'r Reader,
    files: BTreeMap<FileId, Rc<FileRow>>,
    texts: BTreeMap<FileId, Rc<Source>>,
    /// Whether the type checker's verdicts may be used.
    pub(super) has_verdicts: bool,
}

/// The indexed text of a file.
#[derive(Debug)]
pub struct Source {
    /// The text.
    pub text: String,
    starts: Vec<usize>,
    columns: Columns,
}

impl<'r> Sources<'r> {
    /// Nothing read yet.
    pub fn new(reader: &'r Reader) -> Self {
        Self { reader, files: BTreeMap::new(), texts: BTreeMap::new(), has_verdicts: false }
    }

    /// With `trusted`, the type checker's verdicts on the shelf are used. Whether they still hold depends on the disk, which
    /// this room does not look at.
    #[must_use]
    pub fn with_verdicts(mut self, trusted: bool) -> Self {
        self.has_verdicts = trusted;
        self
    }

    /// Proven calls of a symbol, ordered by file row, line, column: by linking, and where that could not tell, by the type
    /// checker.
    pub(super) fn calls_to(&self, target: SymbolId) -> Result<Vec<CallRow>> {
        let mut calls = self.reader.calls_to(target)?;
        if self.has_verdicts {
            let place = |call: &CallRow| (call.file, call.line, call.column);
            let known: BTreeSet<_> = calls.iter().map(place).collect();
            let checked = self.reader.checked_calls_to(target)?;
            calls.extend(checked.into_iter().filter(|call| !known.contains(&place(call))));
            calls.sort_by_key(place);
        }
        Ok(calls)
    }

    /// The row of a file that other rows name.
    pub fn file(&mut self, id: FileId) -> Result<Rc<FileRow>> {
        if let Some(known) = self.files.get(&id) {
            return Ok(Rc::clone(known));
        }
        let row = self.reader.file_by_id(id)?;
        let row =
            Rc::new(row.ok_or_else(|| Error::Damaged(format!("file {} is named but not there", id.0)))?);
        self.files.insert(id, Rc::clone(&row));
        Ok(row)
    }

    /// The name of a file.
    pub fn path(&mut self, id: FileId) -> Result<RepoPath> {
        Ok(self.file(id)?.path.clone())
    }

    /// The text of a file; empty when none is kept.
    pub fn source(&mut self, id: FileId) -> Result<Rc<Source>> {
        if let Some(known) = self.texts.get(&id) {
            return Ok(Rc::clone(known));
        }
        let source = Rc::new(Source::new(self.reader.text(id)?.unwrap_or_default()));
        self.texts.insert(id, Rc::clone(&source));
        Ok(source)
    }

    /// The text of a file that is not worth keeping for a second question.
    pub(super) fn source_once(&self, id: FileId) -> Result<Rc<Source>> {
        match self.texts.get(&id) {
            Some(known) => Ok(Rc::clone(known)),
            None => Ok(Rc::new(Source::new(self.reader.text(id)?.unwrap_or_default()))),
        }
    }
}

impl Source {
    pub(crate) fn new(text: String) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        let columns = Columns::of(&text);
        Self { text, starts, columns }
    }

    /// 1-based line of a byte, and its 1-based column in UTF-16 code units: how call sites are recorded.
    #[must_use]
    pub fn position(&self, at: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= at);
        let start = self.starts[line.max(1) - 1];
        let column = self.columns.between(&self.text, start, at);
        (number(line), number(column + 1))
    }

    /// The text from a 1-based line and column on, columns counted as in [`position`](Self::position); empty when there is no such
    /// place.
    #[must_use]
    pub fn from(&self, line: u32, column: u32) -> &str {
        let Some(&start) = self.starts.get(line.max(1) as usize - 1) else { return "" };
        let units = column.max(1) as usize - 1;
        &self.text[self.columns.byte_after(&self.text, start, units)..]
    }

    /// The 1-based `line`, trimmed and cut to a length worth showing.
    #[must_use]
    pub fn line(&self, line: u32) -> String {
        const LONGEST: usize = 200;
        let at = line.max(1) as usize - 1;
        let Some(&start) = self.starts.get(at) else { return String::new() };
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        let text = self.text[start..end].trim();
        match text.char_indices().nth(LONGEST) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text.to_owned(),
        }
    }

    /// The line around a place, trimmed; of a very long line the part at the place.
    #[must_use]
    pub fn context(&self, line: u32, column: u32) -> String {
        const LONGEST: usize = 200;
        const BEFORE: usize = 60;
        let at = line.max(1) as usize - 1;
        let Some(&start) = self.starts.get(at) else { return String::new() };
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        let whole = &self.text[start..end];
        if whole.trim().chars().nth(LONGEST).is_none() {
            return whole.trim().to_owned();
        }
        let units = column.max(1) as usize - 1;
        let mut seen = 0;
        let place = whole
            .chars()
            .take_while(|c| {
                seen += c.len_utf16();
                seen <= units
            })
            .count();
        let first = place.saturating_sub(BEFORE);
        let part: String = whole.chars().skip(first).take(LONGEST).collect();
        let is_end = whole.chars().nth(first + LONGEST).is_none();
        let (head, tail) = (if first > 0 { "…" } else { "" }, if is_end { "" } else { "…" });
        format!("{head}{}{tail}", part.trim())
    }

    /// A declaration's text, continuation lines moved left by what all of them share.
    #[must_use]
    pub fn dedented(&self, range: ByteRange) -> String {
        let text = range.of(&self.text);
        let blank = |line: &&str| !line.trim().is_empty();
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let shared = text.lines().skip(1).filter(blank).map(indent).min().unwrap_or(0);
        let mut out = String::with_capacity(text.len());
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                out.push('\n');
            }
            let cut = if at == 0 { 0 } else { shared.min(indent(line)) };
            out.push_str(line[cut..].trim_end());
        }
        out
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The text of a documentation comment without its markers.
#[must_use]
pub fn comment_text(comment: &str) -> String {
    let mut lines = Vec::new();
    for line in comment.lines() {
        let mut line = line.trim();
        for opener in ["/**", "/*", "///", "//"] {
            if let Some(rest) = line.strip_prefix(opener) {
                line = rest;
                break;
            }
        }
        let line = line.strip_suffix("*/").unwrap_or(line).trim();
        let line =
            line.strip_prefix('*').filter(|rest| rest.is_empty() || rest.starts_with(' ')).unwrap_or(line);
        lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end());
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_units() {
        let source = Source::new("a\n  é😀 b()\n".to_owned());
        let at = source.text.find('b').unwrap();
        assert_eq!(source.position(at), (2, 7));
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.line(2), "é😀 b()");
        assert_eq!(source.line(9), "");
        assert_eq!(
            (source.from(2, 7), source.from(1, 1), source.from(4, 1)),
            ("b()\n", "a\n  é😀 b()\n", "")
        );
    }

    #[test]
    fn a_long_line_is_shown_at_the_place() {
        let source = Source::new(format!("{}target(){}", "x".repeat(500), "y".repeat(500)));
        let shown = source.context(1, 501);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("xtarget()y"), "{shown}");
        assert_eq!(source.line(1).chars().count(), 201);
    }

    #[test]
    fn comments_lose_their_markers() {
        assert_eq!(comment_text("/** One line. */"), "One line.");
        assert_eq!(
            comment_text("/**\n * First.\n *\n *  - item\n * @param a *b*\n */"),
            "First.\n\n - item\n@param a *b*"
        );
        assert_eq!(comment_text("/* plain\n   text */"), "plain\ntext");
        assert_eq!(comment_text("// a\n// b"), "a\nb");
    }

    #[test]
    fn continuation_lines_lose_their_shared_indent() {
        let source = Source::new("class A {\n    f(\n      a: A,\n    ): B {}".to_owned());
        let start = source.text.find("f(").unwrap();
        assert_eq!(source.dedented(ByteRange::new(start, source.text.len())), "f(\n  a: A,\n): B {}");
    }
}
