//! From a name to the declarations it may mean.

use std::rc::Rc;

use super::Sources;
use crate::error::Result;
use crate::model::{ExportKind, FileId, RepoPath, SymbolKind};
use crate::store::SymbolRow;

/// A declaration and the name of its file.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// The symbol.
    pub symbol: Rc<SymbolRow>,
    /// Its file.
    pub path: RepoPath,
}

/// The declarations that `name`, alone or qualified, means, by path and line. Declarations of exactly this qualified name
/// are meant, else those it is the end of; declarations inside function bodies only when there is no other. A `declare` in a
/// source file says of a name that it exists elsewhere, so that is meant only when nothing else is. `default` of a file that
/// declares no such name is what it exports as its default. Case counts.
pub fn find(sources: &mut Sources<'_>, name: &str, file: Option<FileId>) -> Result<Vec<Declaration>> {
    let name = name.trim().trim_end_matches("()");
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    let mut rows = sources.reader.symbols_named(last)?;
    rows.retain(|row| row.name == last && file.is_none_or(|file| row.file == file));
    if let (true, "default", Some(file)) = (rows.is_empty(), name, file) {
        rows = default_export(sources, file)?;
        return declarations(sources, rows);
    }
    let is_exact = |row: &SymbolRow| row.qualified_name() == name;
    let is_end = |row: &SymbolRow| {
        let qualified = row.qualified_name();
        qualified == name || qualified.strip_suffix(name).is_some_and(|head| head.ends_with('.'))
    };
    let tiers: [&dyn Fn(&SymbolRow) -> bool; 4] = [
        &|row| !row.is_local && is_exact(row),
        &|row| !row.is_local && is_end(row),
        &|row| is_exact(row),
        &|row| is_end(row),
    ];
    let Some(tier) = tiers.into_iter().find(|tier| rows.iter().any(tier)) else { return Ok(Vec::new()) };
    rows.retain(|row| tier(row));
    if rows.len() > 1 {
        let ambient = rows.iter().map(|row| is_ambient(sources, row)).collect::<Result<Vec<_>>>()?;
        if ambient.contains(&false) {
            let mut ambient = ambient.into_iter();
            rows.retain(|_| ambient.next() == Some(false));
        }
    }
    declarations(sources, rows)
}

/// What a file exports as its default.
fn default_export(sources: &Sources<'_>, file: FileId) -> Result<Vec<SymbolRow>> {
    let mut symbols = Vec::new();
    for export in sources.reader.exports_of(file)?.into_iter().filter(|export| export.name == "default") {
        if let ExportKind::Local(local) = export.kind {
            symbols.extend(local.symbols);
        }
    }
    let mut rows = sources.reader.symbols_of(file)?;
    rows.retain(|row| symbols.contains(&row.ix));
    Ok(rows)
}

fn declarations(sources: &mut Sources<'_>, rows: Vec<SymbolRow>) -> Result<Vec<Declaration>> {
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let path = sources.path(row.file)?;
        found.push(Declaration { symbol: Rc::new(row), path });
    }
    found.sort_by(|a, b| (&a.path, a.symbol.ix).cmp(&(&b.path, b.symbol.ix)));
    Ok(found)
}

/// Whether the symbol is a value that a source file only declares to exist. In a declaration file that is how everything is
/// declared, and calls that were resolved to it are calls of what it describes.
fn is_ambient(sources: &mut Sources<'_>, symbol: &SymbolRow) -> Result<bool> {
    let can_be = symbol.container.is_none()
        && matches!(symbol.kind, SymbolKind::Function | SymbolKind::Class | SymbolKind::Const);
    if !can_be || sources.path(symbol.file)?.is_declaration() {
        return Ok(false);
    }
    let source = sources.source(symbol.file)?;
    let start = (symbol.span.start as usize).min(source.text.len());
    let line = source.text[..start].rfind('\n').map_or(0, |at| at + 1);
    // The span of one of several variables of a statement begins behind the keyword.
    let text = source.text.get(line..symbol.name_span.start as usize).unwrap_or("").trim_start();
    let text = text.strip_prefix("export").map_or(text, str::trim_start);
    Ok(text.strip_prefix("declare").is_some_and(|rest| rest.starts_with(char::is_whitespace)))
}
