//! What a file exports: its own declarations, and what it passes on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::Sources;
use crate::error::Result;
use crate::model::{Export, ExportKind, FileId, ImportKind, ImportedName, SymbolKind};
use crate::store::{ImportRow, Reader, SymbolRow};

/// One exported name.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The name others import; `*` for `export *` from a module that is not indexed.
    pub name: String,
    /// 1-based line, in the exporting file.
    pub line: u32,
    /// The declaration, where it is known.
    pub declaration: Option<Rc<SymbolRow>>,
    /// The module a re-export comes from, as written.
    pub from: Option<String>,
}

/// Where an exported or imported name leads.
#[derive(Debug)]
pub(super) enum Lead {
    /// To declarations.
    Symbols(Vec<Rc<SymbolRow>>),
    /// To a module as a whole.
    Module(FileId),
    /// Out of the index.
    Nothing,
}

/// Longest chain of re-exports that is followed.
const MAX_CHAIN: usize = 64;

/// Imports and exports of files, each read once.
#[derive(Debug)]
pub struct Modules<'r> {
    reader: &'r Reader,
    files: BTreeMap<FileId, Rc<Module>>,
}

/// The imports are read only where an export needs them.
#[derive(Debug)]
struct Module {
    exports: Vec<Export>,
    imports: Vec<ImportRow>,
}

impl Module {
    fn import(&self, ix: u32) -> Option<&ImportRow> {
        self.imports.iter().find(|row| row.ix == ix)
    }
}

impl<'r> Modules<'r> {
    /// Nothing read yet.
    #[must_use]
    pub fn new(reader: &'r Reader) -> Self {
        Self { reader, files: BTreeMap::new() }
    }

    fn module(&mut self, file: FileId) -> Result<Rc<Module>> {
        if let Some(known) = self.files.get(&file) {
            return Ok(Rc::clone(known));
        }
        let exports = self.reader.exports_of(file)?;
        let is_own =
            |export: &Export| matches!(&export.kind, ExportKind::Local(local) if !local.symbols.is_empty());
        let imports = if exports.iter().all(is_own) { Vec::new() } else { self.reader.imports_of(file)? };
        let module = Rc::new(Module { exports, imports });
        self.files.insert(file, Rc::clone(&module));
        Ok(module)
    }

    /// The names a file exports with what its stars bring, each with the file that states it: a name found in fewer steps wins,
    /// as own names win over those of stars; `default` is never brought.
    fn all_names(&mut self, file: FileId) -> Result<BTreeMap<String, FileId>> {
        let mut names = BTreeMap::new();
        let mut entered = BTreeSet::from([file]);
        let mut queue = VecDeque::from([file]);
        while let Some(next) = queue.pop_front() {
            let module = self.module(next)?;
            for export in &module.exports {
                if let ExportKind::Star { import } = export.kind {
                    let from = module.import(import).and_then(|row| row.resolved);
                    queue.extend(from.filter(|from| entered.insert(*from)));
                } else if export.name != "default" || next == file {
                    names.entry(export.name.clone()).or_insert(next);
                }
            }
        }
        Ok(names)
    }

    /// The declarations that `name` of a file's exports leads to.
    fn declarations(&mut self, file: FileId, name: &str) -> Result<Vec<Rc<SymbolRow>>> {
        match self.exported_as(file, name)? {
            Lead::Symbols(symbols) => Ok(symbols),
            Lead::Module(_) | Lead::Nothing => Ok(Vec::new()),
        }
    }

    /// What `name` of a file's exports leads to.
    pub(super) fn exported_as(&mut self, file: FileId, name: &str) -> Result<Lead> {
        let (mut file, mut name) = (file, name.to_owned());
        for _ in 0..MAX_CHAIN {
            let module = self.module(file)?;
            let own = module.exports.iter().find(|export| export.name == name);
            let next = match own.map(|export| &export.kind) {
                Some(ExportKind::Local(local)) if local.symbols.is_empty() => {
                    local.local_name.as_deref().and_then(|local| imported(&module.imports, local))
                }
                Some(ExportKind::Local(local)) => {
                    return Ok(Lead::Symbols(self.symbols(file, &local.symbols)?));
                }
                Some(ExportKind::From { import, imported }) => {
                    module.import(*import).and_then(|row| Some((row.resolved?, imported.clone())))
                }
                Some(ExportKind::Star { .. }) => None,
                None => {
                    let from = self.all_names(file)?.get(&name).copied();
                    let from = from.filter(|from| *from != file && name != "default");
                    from.map(|from| (from, ImportedName::Named(name.clone())))
                }
            };
            match next {
                Some((from, ImportedName::Named(imported))) => (file, name) = (from, imported),
                Some((from, ImportedName::Namespace)) => return Ok(Lead::Module(from)),
                None => return Ok(Lead::Nothing),
            }
        }
        Ok(Lead::Nothing)
    }

    /// What the local name `name` of an import of a file leads to.
    pub(super) fn imported_as(&mut self, file: FileId, name: &str) -> Result<Lead> {
        match imported(&self.reader.imports_of(file)?, name) {
            Some((from, ImportedName::Named(imported))) => self.exported_as(from, &imported),
            Some((from, ImportedName::Namespace)) => Ok(Lead::Module(from)),
            None => Ok(Lead::Nothing),
        }
    }

    fn symbols(&self, file: FileId, wanted: &[crate::model::SymbolIx]) -> Result<Vec<Rc<SymbolRow>>> {
        let rows = self.reader.symbols_of(file)?;
        Ok(rows.into_iter().filter(|row| wanted.contains(&row.ix)).map(Rc::new).collect())
    }

    /// What a file exports, in file order, methods left out; a star stands where its statement does.
    pub fn exported(&mut self, file: FileId) -> Result<Vec<Exported>> {
        let module = self.module(file)?;
        let mut found = Vec::new();
        let own: BTreeSet<&str> = module.exports.iter().map(|export| export.name.as_str()).collect();
        for export in &module.exports {
            let from = match &export.kind {
                ExportKind::From { import, .. } | ExportKind::Star { import } => module.import(*import),
                ExportKind::Local(_) => None,
            };
            if let ExportKind::Star { .. } = export.kind {
                found.extend(self.brought(export, from, &own)?);
                continue;
            }
            let declarations = self.declarations(file, &export.name)?;
            let members = if export.name == "export=" { self.members(&declarations)? } else { Vec::new() };
            let mut declarations: Vec<_> = declarations
                .into_iter()
                .filter(|symbol| symbol.kind != SymbolKind::Method || symbol.container.is_none())
                .map(Some)
                .collect();
            if declarations.is_empty() {
                declarations.push(None);
            }
            found.extend(declarations.into_iter().map(|declaration| Exported {
                name: export.name.clone(),
                line: match &declaration {
                    Some(symbol) if symbol.file == file && from.is_none() => symbol.lines.start,
                    _ => export.line,
                },
                declaration,
                from: from.map(|row| row.import.specifier.clone()),
            }));
            found.extend(members);
        }
        Ok(found)
    }

    /// What `export =` of a namespace offers by name: `import { member }` finds what the namespace exports.
    fn members(&self, declarations: &[Rc<SymbolRow>]) -> Result<Vec<Exported>> {
        let Some(namespace) = declarations.iter().find(|symbol| symbol.kind == SymbolKind::Namespace) else {
            return Ok(Vec::new());
        };
        let container = match &namespace.container {
            Some(around) => format!("{around}.{}", namespace.name),
            None => namespace.name.clone(),
        };
        let is_member = |symbol: &SymbolRow| {
            symbol.is_exported
                && symbol.container.as_deref() == Some(container.as_str())
                && symbol.kind != SymbolKind::Method
        };
        let members = self.reader.symbols_of(namespace.file)?.into_iter().filter(is_member);
        Ok(members
            .map(|symbol| Exported {
                name: symbol.name.clone(),
                line: symbol.lines.start,
                declaration: Some(Rc::new(symbol)),
                from: None,
            })
            .collect())
    }

    /// What one `export *` brings.
    fn brought(
        &mut self,
        star: &Export,
        from: Option<&ImportRow>,
        own: &BTreeSet<&str>,
    ) -> Result<Vec<Exported>> {
        let specifier = from.map(|row| row.import.specifier.clone());
        let Some(source) = from.and_then(|row| row.resolved) else {
            return Ok(vec![Exported {
                name: "*".to_owned(),
                line: star.line,
                declaration: None,
                from: specifier,
            }]);
        };
        let mut found = Vec::new();
        for (name, origin) in self.all_names(source)? {
            if own.contains(name.as_str()) || name == "default" {
                continue;
            }
            let declaration = self.declarations(origin, &name)?.into_iter().next();
            found.push(Exported { name, line: star.line, declaration, from: specifier.clone() });
        }
        Ok(found)
    }

    /// The names a file exports, in file order, each once.
    pub fn names(&mut self, file: FileId) -> Result<Vec<String>> {
        let module = self.module(file)?;
        let mut seen = BTreeSet::new();
        let mut names = Vec::new();
        let mut add = |name: String| {
            if seen.insert(name.clone()) {
                names.push(name);
            }
        };
        for export in &module.exports {
            let ExportKind::Star { import } = export.kind else {
                add(export.name.clone());
                continue;
            };
            match module.import(import).and_then(|row| row.resolved) {
                Some(source) => {
                    let brought = self.all_names(source)?.into_keys().filter(|name| name != "default");
                    brought.for_each(&mut add);
                }
                None => add("*".to_owned()),
            }
        }
        Ok(names)
    }
}

/// File and name behind a local name that is an import.
fn imported(imports: &[ImportRow], local: &str) -> Option<(FileId, ImportedName)> {
    imports.iter().filter(|row| row.import.kind != ImportKind::ReExport).find_map(|row| {
        let (imported, ..) = row.import.names.iter().find(|(_, name, _)| name == local)?;
        Some((row.resolved?, imported.clone()))
    })
}

/// The exports of a file with what the answer shows of them.
pub fn exports(sources: &mut Sources<'_>, file: FileId) -> Result<Vec<Exported>> {
    Modules::new(sources.reader).exported(file)
}
