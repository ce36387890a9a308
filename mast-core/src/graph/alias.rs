//! What stands behind a name that nothing declares: an export or import under another name.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Sources;
use super::exports::{Lead, Modules};
use crate::error::Result;
use crate::model::FileId;
use crate::store::{Reader, SymbolRow};

/// The declarations that `name` means as an export of some file, or as a name that `file` exports or imports. A qualified name is a
/// member of what its beginning means: `ns.find` with `export * as ns`, `Alias.find` with `export { Repo as Alias }`.
pub(super) fn behind(sources: &Sources<'_>, name: &str, file: Option<FileId>) -> Result<Vec<SymbolRow>> {
    let mut modules = Modules::new(sources.reader);
    let (head, rest) = first(name);
    let mut leads = Vec::new();
    match file {
        Some(file) => {
            leads.push(modules.exported_as(file, head)?);
            leads.push(modules.imported_as(file, head)?);
        }
        // Every module may have a default or be one value.
        None if matches!(head, "default" | "export=") => {}
        None => {
            for file in sources.reader.files_that_export(head)? {
                leads.push(modules.exported_as(file, head)?);
            }
        }
    }
    let mut found = BTreeMap::new();
    for lead in leads {
        let rows = follow(&mut modules, sources.reader, lead, rest)?;
        found.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(found.into_values().map(Rc::unwrap_or_clone).collect())
}

/// What the name `path` is in what `lead` leads to.
fn follow(
    modules: &mut Modules<'_>,
    reader: &Reader,
    mut lead: Lead,
    mut path: Option<&str>,
) -> Result<Vec<Rc<SymbolRow>>> {
    loop {
        match (lead, path) {
            (Lead::Module(file), Some(rest)) => {
                let (head, tail) = first(rest);
                lead = modules.exported_as(file, head)?;
                path = tail;
            }
            (Lead::Symbols(rows), None) => return Ok(rows),
            (Lead::Symbols(rows), Some(rest)) => return members(reader, &rows, rest),
            (Lead::Module(_), None) | (Lead::Nothing, _) => return Ok(Vec::new()),
        }
    }
}

/// The declarations called `path` within one of `rows`.
fn members(reader: &Reader, rows: &[Rc<SymbolRow>], path: &str) -> Result<Vec<Rc<SymbolRow>>> {
    let mut found = Vec::new();
    let last = super::lookup::split(path).1;
    for member in reader.symbols_named(last)?.into_iter().filter(|member| member.name == last) {
        let is_in = |row: &Rc<SymbolRow>| {
            row.file == member.file && member.qualified_name() == format!("{}.{path}", row.qualified_name())
        };
        if rows.iter().any(is_in) {
            found.push(Rc::new(member));
        }
    }
    Ok(found)
}

fn first(name: &str) -> (&str, Option<&str>) {
    name.split_once('.').map_or((name, None), |(head, rest)| (head, Some(rest)))
}
