//! From a name to the declarations it may mean.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Sources, alias};
use crate::error::Result;
use crate::model::{FileId, RepoPath, SymbolKind, words};
use crate::store::SymbolRow;

/// A declaration and the name of its file.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// The symbol.
    pub symbol: Rc<SymbolRow>,
    /// Its file.
    pub path: RepoPath,
}

/// What a name means.
#[derive(Debug, Default)]
pub struct Meaning {
    /// The declarations, by path and line.
    pub declarations: Vec<Declaration>,
    /// The name is one under which they are exported or imported, and not one they are declared under.
    pub is_alias: bool,
    /// Declarations that the name can mean as well and that are not among the others: members when a declaration has exactly this
    /// name, declarations inside function bodies, `declare`d ones; by path and line.
    pub others: Vec<Declaration>,
}

impl Meaning {
    /// How the declarations are spelled under the `name` that was asked.
    #[must_use]
    pub fn names(&self, name: &str) -> BTreeSet<String> {
        match split(name).1 {
            last if self.is_alias && last != "default" => BTreeSet::from([last.to_owned()]),
            _ => self.declarations.iter().map(|declaration| declaration.symbol.name.clone()).collect(),
        }
    }
}

/// A name as people write it, in what stands before its last dot and the rest.
pub(super) fn split(name: &str) -> (Option<&str>, &str) {
    let name = name.trim().trim_end_matches("()");
    name.rsplit_once('.').map_or((None, name), |(head, last)| (Some(head), last))
}

/// The export that `module.exports` and `exports.name` are, as `CommonJS` writes them.
fn commonjs_export(name: &str) -> Option<&str> {
    match name.strip_prefix("module.").unwrap_or(name).strip_prefix("exports")? {
        "" => Some("export="),
        rest => rest.strip_prefix('.'),
    }
}

/// The declarations that `name`, alone or qualified, means, by path and line. Declarations of exactly this qualified name
/// are meant, else those it is the end of; declarations inside function bodies only when there is no other. A `declare` in a
/// source file says of a name that it exists elsewhere, so that is meant only when nothing else is. What nothing declares may be
/// the name of an export, or in `file` of an import, and means what is behind that. Case counts.
pub fn find(sources: &mut Sources<'_>, name: &str, file: Option<FileId>) -> Result<Meaning> {
    let name = name.trim().trim_end_matches("()");
    // To the language, names with accents composed or apart are two; to people they are one.
    for spelling in words::spellings(name) {
        let meaning = find_spelled(sources, &spelling, file)?;
        if !meaning.declarations.is_empty() {
            return Ok(meaning);
        }
    }
    Ok(Meaning::default())
}

fn find_spelled(sources: &mut Sources<'_>, name: &str, file: Option<FileId>) -> Result<Meaning> {
    let last = split(name).1;
    let mut rows = sources.reader.symbols_named(last)?;
    rows.retain(|row| row.name == last);
    // What imports a script with a declaration file beside it is resolved to that file: its callers are told there.
    let twin = file.map_or(Ok(None), |file| declaration_file(sources, file))?;
    let described: Vec<_> =
        rows.iter().filter(|row| twin == Some(row.file) && row.qualified_name() == name).cloned().collect();
    rows.retain(|row| file.is_none_or(|file| row.file == file));
    let is_exact = |row: &SymbolRow| row.qualified_name() == name;
    let is_end = |row: &SymbolRow| {
        let qualified = row.qualified_name();
        qualified == name || qualified.strip_suffix(name).is_some_and(|head| head.ends_with('.'))
    };
    rows.retain(is_end);
    let tiers: [&dyn Fn(&SymbolRow) -> bool; 4] =
        [&|row| !row.is_local && is_exact(row), &|row| !row.is_local, &|row| is_exact(row), &|_| true];
    let Some(tier) = tiers.into_iter().find(|tier| rows.iter().any(tier)) else {
        let export = commonjs_export(name);
        let rows = alias::behind(sources, export.unwrap_or(name), file)?;
        return Ok(Meaning {
            declarations: declarations(sources, rows)?,
            is_alias: export.is_none(),
            ..Meaning::default()
        });
    };
    let (mut rows, mut others): (Vec<_>, Vec<_>) = rows.into_iter().partition(tier);
    others.extend(described);
    if rows.len() > 1 {
        let ambient = rows.iter().map(|row| is_ambient(sources, row)).collect::<Result<Vec<_>>>()?;
        if ambient.contains(&false) {
            let mut ambient = ambient.into_iter();
            let (existing, declared) = rows.into_iter().partition(|_| ambient.next() == Some(false));
            rows = existing;
            others.extend::<Vec<_>>(declared);
        }
    }
    Ok(Meaning {
        declarations: declarations(sources, rows)?,
        is_alias: false,
        others: declarations(sources, others)?,
    })
}

/// The declaration file that describes a script: `x.d.ts` beside `x.js`.
fn declaration_file(sources: &mut Sources<'_>, file: FileId) -> Result<Option<FileId>> {
    let path = sources.path(file)?;
    let twins = [(".js", ".d.ts"), (".jsx", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts")];
    let twin = twins.iter().find_map(|(script, declarations)| {
        RepoPath::new(&format!("{}{declarations}", path.as_str().strip_suffix(script)?))
    });
    twin.map_or(Ok(None), |twin| sources.reader.file_id(&twin))
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
