//! Mentions of a name that nothing proves to mean the declaration, nor to mean another.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::mentions;
use super::sources::Source;
use super::{Declaration, Sources, rename};
use crate::error::Result;
use crate::model::{ExportKind, FileId, ImportedName, Language, RepoPath, words};
use crate::store::fts::{Expression, Scope, file_of_chunk};
use crate::store::{Reader, SymbolRow};
use crate::task::Cancel;

/// An unproven mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The file.
    pub path: RepoPath,
    /// 1-based line of the identifier.
    pub line: u32,
    /// 1-based column of the identifier, in UTF-16 code units.
    pub column: u32,
    /// Qualified name of the declaration it stands in; `None` at the top level of the file.
    pub symbol_name: Option<String>,
    /// The line.
    pub context: String,
    /// Whether it is called.
    pub is_call: bool,
}

/// The unproven mentions of `targets`, by path, line and column: the first `limit` of them, and how many there are. Looked for are
/// the last segment of their names, and in files that import them under another name that name. Proven calls and type
/// references of any declaration of the name, declarations, and import and export specifiers are left out.
pub fn potential(
    sources: &mut Sources<'_>,
    targets: &[Declaration],
    limit: usize,
    cancel: &Cancel,
) -> Result<(Vec<Mention>, u64)> {
    let names: BTreeSet<&str> = targets.iter().map(|target| target.symbol.name.as_str()).collect();
    let mut places = Places::default();
    let mut searched: BTreeSet<(RepoPath, FileId, String)> = BTreeSet::new();
    for name in names {
        places.prove(sources.reader, name)?;
        searched.extend(candidates(sources, name)?.into_iter().map(|(path, id)| (path, id, name.to_owned())));
    }
    for alias in rename::paths(sources, targets)?.aliases {
        searched.insert((sources.path(alias.file)?, alias.file, alias.local));
    }
    let mut found = Vec::new();
    let mut total = 0;
    for (path, id, name) in searched {
        cancel.check()?;
        let source = sources.source_once(id)?;
        let mut unproven = places.unproven(sources.reader, id, &source, &name)?;
        total += unproven.len() as u64;
        unproven.truncate(limit);
        if !unproven.is_empty() && found.len() < limit {
            let symbols = sources.reader.symbols_of(id)?;
            found.extend(unproven.into_iter().map(|at| mention(&path, &source, &symbols, at, &name)));
        }
    }
    found.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
    found.truncate(limit);
    Ok((found, total))
}

/// Code files whose words hold those of the name, by path.
fn candidates(sources: &mut Sources<'_>, name: &str) -> Result<BTreeMap<RepoPath, FileId>> {
    let joined = words::joined(name);
    let mut files = BTreeMap::new();
    if joined.is_empty() {
        // A name of signs alone, such as `$`, has no words.
        let rows = sources.reader.files()?;
        files.extend(
            rows.into_iter().filter(|row| row.language != Language::Markdown).map(|row| (row.path, row.id)),
        );
        return Ok(files);
    }
    let found = sources.reader.matches(&Expression::word(&joined), &Scope::Everything)?;
    let ids: BTreeSet<FileId> = found.into_iter().map(|found| file_of_chunk(found.chunk)).collect();
    for id in ids {
        let row = sources.file(id)?;
        if row.language != Language::Markdown {
            files.insert(row.path.clone(), id);
        }
    }
    Ok(files)
}

/// Places whose meaning is known.
#[derive(Debug, Default)]
struct Places {
    /// Proven calls and type references, whatever they mean, by line and column.
    proven: BTreeSet<(FileId, u32, u32)>,
    /// Declarations, by the byte their name begins at.
    declared: BTreeSet<(FileId, usize)>,
}

impl Places {
    /// Adds what is known of every declaration called `name`.
    fn prove(&mut self, reader: &Reader, name: &str) -> Result<()> {
        for symbol in reader.symbols_named(name)?.into_iter().filter(|symbol| symbol.name == name) {
            self.declared.insert((symbol.file, symbol.name_span.start as usize));
            self.proven
                .extend(reader.calls_to(symbol.id)?.iter().map(|call| (call.file, call.line, call.column)));
            let uses = reader.type_uses_of(symbol.id)?;
            self.proven.extend(uses.iter().map(|usage| (usage.file, usage.line, usage.column)));
        }
        Ok(())
    }

    /// Byte offsets of the unproven mentions of `name` in one file.
    fn unproven(&self, reader: &Reader, id: FileId, source: &Source, name: &str) -> Result<Vec<usize>> {
        let mut places = mentions(&source.text, name);
        places.retain(|&at| {
            let (line, column) = source.position(at);
            !self.declared.contains(&(id, at)) && !self.proven.contains(&(id, line, column))
        });
        if places.is_empty() {
            return Ok(places);
        }
        let mut specifiers = specifiers(reader, id, name)?;
        places.retain(|&at| match specifiers.get_mut(&source.position(at).0) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        Ok(places)
    }
}

/// How often import and export specifiers spell the name, by line.
fn specifiers(reader: &Reader, id: FileId, name: &str) -> Result<BTreeMap<u32, u32>> {
    let mut lines = BTreeMap::new();
    let mut add = |line: u32, count: u32| *lines.entry(line).or_insert(0) += count;
    for row in reader.imports_of(id)? {
        for (imported, local, line) in &row.import.names {
            let is_imported = matches!(imported, ImportedName::Named(text) if text == name);
            if is_imported || local == name {
                add(*line, 1);
            }
        }
    }
    for export in reader.exports_of(id)? {
        if let ExportKind::Local(local) = &export.kind
            && local.local_name.as_deref() == Some(name)
        {
            add(export.line, 1);
        }
    }
    Ok(lines)
}

fn mention(path: &RepoPath, source: &Source, symbols: &[SymbolRow], at: usize, name: &str) -> Mention {
    let (line, column) = source.position(at);
    let holds = |symbol: &&SymbolRow| {
        !symbol.is_local && symbol.span.start as usize <= at && at < symbol.span.end as usize
    };
    let innermost = symbols.iter().filter(holds).min_by_key(|symbol| symbol.span.len());
    Mention {
        path: path.clone(),
        line,
        column,
        symbol_name: innermost.map(SymbolRow::qualified_name),
        context: source.context(line, column),
        is_call: is_call(&source.text, at, at + name.len()),
    }
}

/// Whether the identifier is followed by an argument list or template, or opens a JSX element.
fn is_call(text: &str, start: usize, end: usize) -> bool {
    let after = text[end..].trim_start();
    after.starts_with(['(', '`']) || after.starts_with("?.(") || text[..start].ends_with('<')
}
