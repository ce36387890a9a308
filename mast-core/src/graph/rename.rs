//! What else spells a declaration's name: re-exports, import specifiers, type references.

use std::collections::{BTreeSet, VecDeque};

use super::callers::{self, Caller};
use super::mentions::{Code, declared_in};
use super::sources::Source;
use super::{Declaration, Sources, lookup::split};
use crate::error::Result;
use crate::model::{Export, ExportKind, FileId, ImportKind, ImportedName, RepoPath, is_identifier_char};
use crate::store::ImportRow;

/// How a re-export passes a name on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// The statement spells the name.
    Named,
    /// The statement passes everything on.
    Star,
}

impl Via {
    /// The spelling in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Star => "star",
        }
    }
}

/// A re-export of the declaration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Barrel {
    /// The re-exporting file.
    pub path: RepoPath,
    /// 1-based line.
    pub line: u32,
    /// The name from there on.
    pub exported_as: String,
    /// How.
    pub via: Via,
}

/// An import specifier that spells the name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportSpecifier {
    /// The importing file.
    pub path: RepoPath,
    /// 1-based line.
    pub line: u32,
    /// The local name.
    pub local: String,
}

/// A proven mention outside calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeReference {
    /// The file.
    pub path: RepoPath,
    /// 1-based line.
    pub line: u32,
    /// The line.
    pub context: String,
}

/// Where the names of declarations leave their files and enter others.
#[derive(Debug, Default)]
pub struct Paths {
    /// Re-exports, by path and line.
    pub barrels: Vec<Barrel>,
    /// Import specifiers that spell one of the names, by path and line.
    pub imports: Vec<ImportSpecifier>,
    /// Further local names under which files import the declarations.
    pub aliases: BTreeSet<Alias>,
}

/// A local name for an imported declaration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alias {
    /// The importing file.
    pub file: FileId,
    /// The name there.
    pub local: String,
}

/// An exported name on its way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Route {
    file: FileId,
    exported: String,
}

/// Follows `targets` from their files through export and import statements, whatever they are called on the way. Listed are
/// the statements that spell one of `names`, and the stars that pass one of them on.
pub fn paths(sources: &mut Sources<'_>, targets: &[Declaration], names: &BTreeSet<String>) -> Result<Paths> {
    let mut barrels = BTreeSet::new();
    let mut imports = BTreeSet::new();
    let mut aliases = BTreeSet::new();
    let mut entered: BTreeSet<Route> = BTreeSet::new();
    let mut queue: VecDeque<Route> = VecDeque::new();
    for target in targets.iter().filter(|target| target.symbol.container.is_none() && !target.symbol.is_local)
    {
        for export in sources.reader.exports_of(target.symbol.file)? {
            let ExportKind::Local(local) = &export.kind else { continue };
            if !local.symbols.contains(&target.symbol.ix) {
                continue;
            }
            // `export { a as b }` apart from the declaration spells the name once more.
            let is_spelled = names.contains(&export.name)
                || local.local_name.as_ref().is_some_and(|name| names.contains(name));
            if is_spelled && is_apart(&export, target) {
                let (path, line, exported_as) = (target.path.clone(), export.line, export.name.clone());
                barrels.insert(Barrel { path, line, exported_as, via: Via::Named });
            }
            let route = Route { file: target.symbol.file, exported: export.name };
            if entered.insert(route.clone()) {
                queue.push_back(route);
            }
        }
    }
    while let Some(route) = queue.pop_front() {
        let rows = sources.reader.importers_of(route.file)?;
        for row in &rows {
            if row.import.kind == ImportKind::ReExport {
                continue;
            }
            let path = sources.path(row.file)?;
            let is_it = |imported: &ImportedName| matches!(imported, ImportedName::Named(text) if *text == route.exported);
            for (_, local, line) in row.import.names.iter().filter(|(imported, ..)| is_it(imported)) {
                if names.contains(&route.exported) || names.contains(local) {
                    imports.insert(ImportSpecifier { path: path.clone(), line: *line, local: local.clone() });
                }
                if !names.contains(local) {
                    aliases.insert(Alias { file: row.file, local: local.clone() });
                }
            }
        }
        let importing: BTreeSet<FileId> = rows.iter().map(|row| row.file).collect();
        for barrel in importing {
            let path = sources.path(barrel)?;
            let statements = sources.reader.imports_of(barrel)?;
            for export in sources.reader.exports_of(barrel)? {
                let Some((via, exported_as)) = passes_on(&export, &statements, &route) else { continue };
                let is_listed = match via {
                    Via::Named => names.contains(&route.exported) || names.contains(&exported_as),
                    Via::Star => names.contains(split(&route.exported).1),
                };
                if is_listed {
                    let (path, exported_as) = (path.clone(), exported_as.clone());
                    barrels.insert(Barrel { path, line: export.line, exported_as, via });
                }
                let next = Route { file: barrel, exported: exported_as };
                if entered.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
        }
    }
    Ok(Paths { barrels: barrels.into_iter().collect(), imports: imports.into_iter().collect(), aliases })
}

/// Whether the export is a statement of its own rather than a modifier of the declaration.
fn is_apart(export: &Export, target: &Declaration) -> bool {
    export.line != target.symbol.name_line && !target.symbol.lines.contains(export.line)
}

/// How `export`, of a file with these import and re-export `statements`, passes on the route's name, and under which name.
fn passes_on(export: &Export, statements: &[ImportRow], route: &Route) -> Option<(Via, String)> {
    let comes_from_there =
        |ix: u32| statements.iter().any(|row| row.ix == ix && row.resolved == Some(route.file));
    match &export.kind {
        ExportKind::From { import, imported: ImportedName::Named(imported) } if comes_from_there(*import) => {
            (*imported == route.exported).then(|| (Via::Named, export.name.clone()))
        }
        ExportKind::From { import, imported: ImportedName::Namespace } if comes_from_there(*import) => {
            Some((Via::Star, format!("{}.{}", export.name, route.exported)))
        }
        ExportKind::Star { import } if comes_from_there(*import) && route.exported != "default" => {
            Some((Via::Star, route.exported.clone()))
        }
        // `import { a } from "m"; export { a as b }`
        ExportKind::Local(local) if local.symbols.is_empty() => {
            let is_it = |(imported, own, _): &(ImportedName, String, u32)| {
                matches!(imported, ImportedName::Named(text) if *text == route.exported)
                    && Some(own) == local.local_name.as_ref()
            };
            let mut rows = statements.iter().filter(|row| row.resolved == Some(route.file));
            rows.any(|row| row.import.names.iter().any(is_it)).then(|| (Via::Named, export.name.clone()))
        }
        _ => None,
    }
}

/// The proven calls of `targets` that spell one of `names`, by path, line and column, and the number of those under another name:
/// an alias, `super(…)`, or a constant that holds the declaration.
pub fn calls(
    sources: &mut Sources<'_>,
    targets: &[Declaration],
    names: &BTreeSet<String>,
) -> Result<(Vec<Caller>, u64)> {
    let mut spelled = Vec::new();
    let mut others = 0;
    for caller in callers::direct(sources, targets)? {
        if spells(&*sources.source(caller.call.file)?, caller.call.line, caller.call.column, names) {
            spelled.push(caller);
        } else {
            others += 1;
        }
    }
    Ok((spelled, others))
}

/// The proven mentions of `targets` outside calls that spell one of `names`, by path and line, one a line.
pub fn type_references(
    sources: &mut Sources<'_>,
    targets: &[Declaration],
    names: &BTreeSet<String>,
) -> Result<Vec<TypeReference>> {
    let mut found = BTreeSet::new();
    for target in targets {
        for usage in sources.reader.type_uses_of(target.symbol.id)? {
            let source = sources.source(usage.file)?;
            if spells(&source, usage.line, usage.column, names) {
                let (path, line) = (sources.path(usage.file)?, usage.line);
                found.insert(TypeReference { path, line, context: source.line(line) });
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// The places where the declarations spell their names: every overload has one.
pub fn declared_at(sources: &mut Sources<'_>, target: &Declaration) -> Result<Vec<u32>> {
    let symbol = &target.symbol;
    let source = sources.source(symbol.file)?;
    let mut lines = BTreeSet::from([symbol.name_line]);
    if symbol.detail.signatures.len() > 1 {
        let code = Code::new(&source.text);
        let places = code.mentions(&symbol.name);
        let named = symbol.detail.signatures.iter().filter_map(|range| declared_in(&places, *range));
        lines.extend(named.map(|at| source.position(at).0));
    }
    Ok(lines.into_iter().collect())
}

/// Whether one of `names` stands at a place, as an identifier or as the text of a string.
fn spells(source: &Source, line: u32, column: u32, names: &BTreeSet<String>) -> bool {
    let text = source.from(line, column);
    let text = text.strip_prefix(['"', '\'', '`']).unwrap_or(text);
    names.iter().any(|name| {
        text.strip_prefix(name.as_str()).is_some_and(|rest| !rest.starts_with(is_identifier_char))
    })
}
