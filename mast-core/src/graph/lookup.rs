//! From a name to the declarations it may mean.

use std::rc::Rc;

use super::Sources;
use crate::error::Result;
use crate::model::{FileId, RepoPath};
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
/// are meant, else those it is the end of; declarations inside function bodies only when there is no other. Case counts.
pub fn find(sources: &mut Sources<'_>, name: &str, file: Option<FileId>) -> Result<Vec<Declaration>> {
    let name = name.trim().trim_end_matches("()");
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    let mut rows = sources.reader.symbols_named(last)?;
    rows.retain(|row| row.name == last && file.is_none_or(|file| row.file == file));
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
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let path = sources.path(row.file)?;
        found.push(Declaration { symbol: Rc::new(row), path });
    }
    found.sort_by(|a, b| (&a.path, a.symbol.ix).cmp(&(&b.path, b.symbol.ix)));
    Ok(found)
}
