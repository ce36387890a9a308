//! Which mentions are asked about: those of names that something callable is declared under and that linking did not prove.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::called::Called;
use crate::error::Result;
use crate::graph::mentions::identifiers;
use crate::graph::sources::Source;
use crate::model::{CallKind, CallSite, FileId, ImportedName, RepoPath};
use crate::store::{FileRow, Reader, SymbolId};

/// A mention to ask about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Question {
    /// 1-based line of the name.
    pub(super) line: u32,
    /// 1-based column of the name, in UTF-16 code units.
    pub(super) column: u32,
    /// The same of what stands behind the name.
    pub(super) end_column: u32,
    /// The byte behind the name.
    pub(super) end: usize,
    /// How it is called; `None` when it is not.
    pub(super) call: Option<CallKind>,
    /// The name stands alone rather than behind a `.`.
    pub(super) is_bare: bool,
    /// The innermost enclosing symbol that is no local one.
    pub(super) caller: Option<SymbolId>,
}

impl Question {
    /// Whether a `!` can be put behind the name.
    pub(super) fn is_asked_twice(&self) -> bool {
        matches!(self.call, Some(CallKind::Call | CallKind::New | CallKind::TaggedTemplate))
    }
}

/// The mentions of one file.
#[derive(Debug)]
pub(super) struct FileQuestions {
    /// The file.
    pub(super) file: FileId,
    /// Its name.
    pub(super) path: RepoPath,
    /// Its text.
    pub(super) text: String,
    /// The mentions, in file order.
    pub(super) questions: Vec<Question>,
    /// There are mentions, and nobody can say where: see [`has_plain_lines`].
    pub(super) is_unreadable: bool,
}

/// The mentions to ask about in a file. `names` are those of callable symbols; with `is_partial` parts of the file were not
/// understood, so that what is no call there is not known.
pub(super) fn questions(
    reader: &Reader,
    row: &FileRow,
    names: &HashSet<String>,
    is_partial: bool,
) -> Result<FileQuestions> {
    let text = reader.text(row.id)?.unwrap_or_default();
    let mut found = FileQuestions {
        file: row.id,
        path: row.path.clone(),
        text: String::new(),
        questions: Vec::new(),
        is_unreadable: false,
    };
    let local = imported_names(reader, row.id, names)?;
    let mentions = identifiers(&text, |name| names.contains(name) || local.contains(name));
    if mentions.is_empty() {
        return Ok(found);
    }
    if !has_plain_lines(&text) {
        found.is_unreadable = true;
        return Ok(found);
    }
    let settled = Settled::of(reader, row.id)?;
    let facts = reader.facts(row.id)?.map(|(facts, _)| facts).unwrap_or_default();
    let calls: HashMap<(u32, u32), &CallSite> =
        facts.calls.iter().map(|site| ((site.line, site.column), site)).collect();
    let own = reader.symbol_ids(row.id)?;
    let called = Called::of(&text);
    let source = Source::new(text);
    for (at, name) in identifiers(&source.text, |name| names.contains(name) || local.contains(name)) {
        let (line, column) = source.position(at);
        let end = at + name.len();
        if settled.declared.contains(&at) || settled.proven.contains(&(line, column, name.to_owned())) {
            continue;
        }
        let site = calls.get(&(line, column));
        let is_called_within = || called.as_ref().is_none_or(|called| called.holds(at));
        if site.is_none() && (is_partial || may_be_called(&source.text, at, end) || is_called_within()) {
            continue;
        }
        found.questions.push(Question {
            line,
            column,
            end_column: source.position(end).1,
            end,
            call: site.map(|site| site.kind),
            is_bare: !source.text[..at].trim_end().ends_with('.'),
            caller: site.and_then(|site| site.caller).and_then(|ix| own.get(ix.0 as usize)).copied(),
        });
    }
    found.text = source.text;
    Ok(found)
}

/// Whether all who read a text agree on its lines: ours end at `\n` only.
pub(super) fn has_plain_lines(text: &str) -> bool {
    let has_lone_return =
        memchr::memchr_iter(b'\r', text.as_bytes()).any(|at| text.as_bytes().get(at + 1) != Some(&b'\n'));
    !has_lone_return && !text.contains(['\u{2028}', '\u{2029}'])
}

/// Names under which a file imports something of the project that may be called.
fn imported_names(reader: &Reader, file: FileId, names: &HashSet<String>) -> Result<HashSet<String>> {
    let mut local = HashSet::new();
    for row in reader.imports_of(file)?.into_iter().filter(|row| row.resolved.is_some()) {
        for (imported, own, _) in row.import.names {
            // What a default is called in its own file, its name does not say.
            if matches!(imported, ImportedName::Named(name) if name == "default" || names.contains(&name)) {
                local.insert(own);
            }
        }
    }
    Ok(local)
}

/// Mentions whose meaning is known already.
struct Settled {
    /// Bytes at which names of declarations begin.
    declared: HashSet<usize>,
    /// Line, column and name of what linking proved to mean a declaration of that name.
    proven: HashSet<(u32, u32, String)>,
}

impl Settled {
    fn of(reader: &Reader, file: FileId) -> Result<Self> {
        let declared =
            reader.symbols_of(file)?.iter().map(|symbol| symbol.name_span.start as usize).collect();
        let calls = reader.calls_in(file)?.into_iter().map(|call| (call.line, call.column, call.target));
        let uses =
            reader.type_uses_in(file)?.into_iter().map(|usage| (usage.line, usage.column, usage.target));
        let mut names: HashMap<SymbolId, String> = HashMap::new();
        let mut proven = HashSet::new();
        for (line, column, target) in calls.chain(uses) {
            let name = match names.entry(target) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    new.insert(reader.symbol(target)?.map(|symbol| symbol.name).unwrap_or_default())
                }
            };
            proven.insert((line, column, name.clone()));
        }
        Ok(Self { declared, proven })
    }
}

/// Whether a name that is no call site of the facts may be called all the same: in code that was not understood, or through
/// `f.call(…)`, which is a call of `f` to a reader.
fn may_be_called(text: &str, start: usize, end: usize) -> bool {
    let after = text[end..].trim_start();
    let before = text[..start].trim_end();
    let through = after.strip_prefix("?.").or_else(|| after.strip_prefix('.')).is_some_and(|rest| {
        ["call", "apply", "bind"].iter().any(|name| {
            rest.strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    });
    through
        || after.starts_with(['(', '`', '<', '!'])
        || after.starts_with("?.(")
        || after.starts_with("?.<")
        || before.ends_with(['<', '@'])
        || before.ends_with("new")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_reader_may_take_for_called_is_told_from_one_that_is_a_value() {
        for (text, expected) in [
            ("f(1)", true),
            ("f <T>(1)", true),
            ("f?.(1)", true),
            ("f`a`", true),
            ("f!(1)", true),
            ("f.call(x)", true),
            ("f?.apply(x)", true),
            ("f.bind", true),
            ("new f;", true),
            ("@f class A {}", true),
            ("f.callback", false),
            ("g(f)", false),
            ("{ f: 1 }", false),
            ("a = f;", false),
        ] {
            let at = text.find('f').unwrap();
            assert_eq!(may_be_called(text, at, at + 1), expected, "{text}");
        }
    }

    #[test]
    fn texts_whose_lines_are_read_in_two_ways_are_not_asked_about() {
        for (text, expected) in [("a\nb\r\n", true), ("a\rb", false), ("a\u{2028}b", false), ("a\r", false)] {
            assert_eq!(has_plain_lines(text), expected, "{text:?}");
        }
    }
}
