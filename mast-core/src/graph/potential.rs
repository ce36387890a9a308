//! Mentions of a name that nothing proves to mean the declaration, nor to mean another.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::mentions;
use super::sources::Source;
use super::{Declaration, Sources};
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

/// Places whose meaning is proven, whatever it is.
type Proven = BTreeSet<(FileId, u32, u32)>;

/// The unproven mentions of the last name segment of `targets`, by path, line and column: the first `limit` of them, and how
/// many there are. Proven calls and type references of any declaration of the name, declarations, and import and export
/// specifiers are left out.
pub fn potential(
    sources: &mut Sources<'_>,
    targets: &[Declaration],
    limit: usize,
    cancel: &Cancel,
) -> Result<(Vec<Mention>, u64)> {
    let mut found = Vec::new();
    let mut total = 0;
    let names: BTreeSet<&str> = targets.iter().map(|target| target.symbol.name.as_str()).collect();
    for name in names {
        let proven = proven(sources.reader, name)?;
        for (path, id) in candidates(sources, name)? {
            cancel.check()?;
            let source = sources.source_once(id)?;
            let mut places = unproven(sources.reader, id, &source, name, &proven)?;
            total += places.len() as u64;
            places.truncate(limit.saturating_sub(found.len()));
            if !places.is_empty() {
                let symbols = sources.reader.symbols_of(id)?;
                found.extend(places.into_iter().map(|place| mention(&path, &source, &symbols, place, name)));
            }
        }
    }
    found.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
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

fn proven(reader: &Reader, name: &str) -> Result<Proven> {
    let mut places = Proven::new();
    for symbol in reader.symbols_named(name)?.into_iter().filter(|symbol| symbol.name == name) {
        places
            .extend(reader.calls_to(symbol.id)?.into_iter().map(|call| (call.file, call.line, call.column)));
        places.extend(
            reader.type_uses_of(symbol.id)?.into_iter().map(|usage| (usage.file, usage.line, usage.column)),
        );
    }
    Ok(places)
}

/// Byte offsets of the unproven mentions in one file.
fn unproven(reader: &Reader, id: FileId, source: &Source, name: &str, proven: &Proven) -> Result<Vec<usize>> {
    let mut places = mentions(&source.text, name);
    if places.is_empty() {
        return Ok(places);
    }
    let declared: BTreeSet<usize> = reader
        .symbols_of(id)?
        .iter()
        .filter(|symbol| symbol.name == name)
        .map(|symbol| symbol.name_span.start as usize)
        .collect();
    let mut specifiers = specifiers(reader, id, name)?;
    places.retain(|&at| {
        let (line, column) = source.position(at);
        if declared.contains(&at) || proven.contains(&(id, line, column)) {
            return false;
        }
        match specifiers.get_mut(&line) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    });
    Ok(places)
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
