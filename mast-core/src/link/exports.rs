//! From an imported or exported name to what declares it, through barrels and renames.

use crate::model::{BindingIx, BindingValue, ExportKind, Expr, FileId, ImportedName, NameIx};

use super::linker::{Linker, Step, add, target};
use super::types::Declaration;
use super::{Module, Target};

/// What is known of an exported name.
#[derive(Debug)]
pub(super) enum Lookup {
    /// Being looked for.
    Open,
    /// Looked for.
    Done(Option<Declaration>),
}

impl Linker<'_> {
    /// What `name` of a file's exports leads to; `None` when it is not exported, leads out of the repository, or is
    /// ambiguous.
    pub(super) fn export(&mut self, file: FileId, name: &str) -> Option<Declaration> {
        let key = (file, name.to_owned());
        match self.exported.get(&key) {
            Some(Lookup::Done(found)) => return found.clone(),
            // Barrels may import each other in a circle; a name still being looked for is not found there.
            Some(Lookup::Open) => {
                self.circles += 1;
                return None;
            }
            None => {}
        }
        self.exported.insert(key.clone(), Lookup::Open);
        let (circles, cuts, is_outermost) = (self.circles, self.cuts(), self.open_exports == 0);
        self.open_exports += 1;
        let found = self.deeper(|linker| linker.find_export(file, name)).flatten();
        self.open_exports -= 1;
        // Inside a circle the answer is only part of the truth; at its entrance it is all of it.
        if self.cuts() == cuts && (is_outermost || self.circles == circles) {
            self.exported.insert(key, Lookup::Done(found.clone()));
        } else {
            self.exported.remove(&key);
        }
        found
    }

    fn find_export(&mut self, file: FileId, name: &str) -> Option<Declaration> {
        let module = self.module(file)?;
        let mut named: Vec<_> = module.exports.iter().filter(|export| export.name == name).collect();
        if named.iter().any(|export| !export.is_type_only) {
            named.retain(|export| !export.is_type_only);
        }
        let mut found = Vec::new();
        for export in &named {
            let leads_to = match &export.kind {
                ExportKind::Local(local) => {
                    self.local_export(file, &module, name, local.local_name.as_deref())
                }
                ExportKind::From { import, imported } => self.import(file, &module, *import, imported),
                ExportKind::Star { .. } => None,
            };
            add(&mut found, leads_to?);
        }
        if !named.is_empty() {
            return single(found);
        }
        let commonjs: Vec<_> = module
            .facts
            .commonjs_exports
            .iter()
            .filter(|(export, _)| module.facts.names[export.0 as usize] == name)
            .map(|(_, value)| *value)
            .collect();
        match commonjs[..] {
            [] => {}
            [value] => return Some(self.exported_value(file, &module, value)),
            _ => return None,
        }
        if name == "default" {
            return module.facts.default_export.map(|value| self.exported_value(file, &module, value));
        }
        for export in &module.exports {
            if let ExportKind::Star { import } = export.kind
                && let Some(Some(source)) = module.resolved.get(import as usize).copied()
                && let Some(declaration) = self.export(source, name)
            {
                add(&mut found, declaration);
            }
        }
        single(found)
    }

    /// Whether a file certainly does not export `name`.
    pub(super) fn lacks_export(&mut self, file: FileId, name: &str) -> bool {
        let mut open = vec![file];
        let mut seen = Vec::new();
        while let Some(file) = open.pop() {
            if seen.contains(&file) {
                continue;
            }
            seen.push(file);
            let Some(module) = self.module(file) else { return false };
            if module.facts.export_equals.is_some() || module.exports.iter().any(|export| export.name == name)
            {
                return false;
            }
            for export in &module.exports {
                if let ExportKind::Star { import } = export.kind {
                    match module.resolved.get(import as usize).copied().flatten() {
                        Some(source) => open.push(source),
                        None => return false,
                    }
                }
            }
        }
        true
    }

    fn local_export(
        &mut self,
        file: FileId,
        module: &Module,
        name: &str,
        local: Option<&str>,
    ) -> Option<Declaration> {
        if let Some(binding) = local.and_then(|local| top_level(module, local)) {
            return self.followed(file, module, binding);
        }
        let value = match name {
            "default" => module.facts.default_export,
            "export=" => module.facts.export_equals,
            _ => module
                .facts
                .commonjs_exports
                .iter()
                .find(|(export, _)| module.facts.names[export.0 as usize] == name)
                .map(|(_, value)| *value),
        };
        value.map(|value| self.exported_value(file, module, value))
    }

    /// An exported expression; a plain name is what the name leads to.
    fn exported_value(&mut self, file: FileId, module: &Module, value: crate::model::ExprIx) -> Declaration {
        if let Some(Expr::Binding(binding)) = module.facts.expressions.get(value.at())
            && let Some(declaration) = self.followed(file, module, *binding)
        {
            return declaration;
        }
        Declaration::Expression(file, value)
    }

    /// A binding, or what it imports.
    pub(super) fn followed(
        &mut self,
        file: FileId,
        module: &Module,
        binding: BindingIx,
    ) -> Option<Declaration> {
        let import = module.facts.bindings.get(binding.at())?.values.iter().find_map(|value| match value {
            BindingValue::Import { import, name } => Some((*import, *name)),
            _ => None,
        });
        let Some((import, name)) = import else { return Some(Declaration::Binding(file, binding)) };
        let imported = &module.imports.get(import as usize)?.names.get(name as usize)?.0;
        self.step(Step::Export(file, binding.0), |linker| linker.import(file, module, import, imported))
            .flatten()
    }

    /// What an import takes out of the module it names.
    pub(super) fn import(
        &mut self,
        _file: FileId,
        module: &Module,
        import: u32,
        imported: &ImportedName,
    ) -> Option<Declaration> {
        let source = module.resolved.get(import as usize).copied().flatten()?;
        match imported {
            ImportedName::Namespace => self.whole_module(source),
            ImportedName::Named(name) => match self.export(source, name) {
                Some(declaration) => Some(declaration),
                // A default import of a module that only has `export =` or `module.exports` is that value.
                None if name == "default" => match self.whole_module(source)? {
                    Declaration::Module(_) => None,
                    value => Some(value),
                },
                None => self.member_of_whole(source, name),
            },
        }
    }

    /// The namespace of a file, or the value of its `export =`.
    pub(super) fn whole_module(&mut self, file: FileId) -> Option<Declaration> {
        let module = self.module(file)?;
        match module.facts.export_equals {
            Some(value) => Some(self.exported_value(file, &module, value)),
            None => Some(Declaration::Module(file)),
        }
    }

    /// `import { name }` from a module whose exports are the members of one object.
    fn member_of_whole(&mut self, file: FileId, name: &str) -> Option<Declaration> {
        let whole = self.whole_module(file)?;
        if whole == Declaration::Module(file) {
            return None;
        }
        let whole = self.declaration_type(&whole);
        match self.members(&whole, name)?.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The symbols behind an exported name, for types and values alike.
    pub(super) fn exported_symbol(&mut self, file: FileId, name: &str) -> Vec<Target> {
        self.export(file, name).map(|declaration| self.all_symbols(&declaration)).unwrap_or_default()
    }

    /// The symbols behind a top-level name of a file.
    pub(super) fn named_symbol(&mut self, file: FileId, name: &str) -> Vec<Target> {
        let Some(module) = self.module(file) else { return Vec::new() };
        let Some(binding) = top_level(&module, name) else { return Vec::new() };
        self.followed(file, &module, binding).map(|found| self.all_symbols(&found)).unwrap_or_default()
    }

    /// Every symbol a declaration is, whatever its meaning.
    fn all_symbols(&mut self, declaration: &Declaration) -> Vec<Target> {
        let mut symbols = self.type_symbols(declaration);
        for symbol in self.value_symbols(declaration) {
            add(&mut symbols, symbol);
        }
        if let Declaration::Binding(file, binding) = declaration
            && let Some(module) = self.module(*file)
        {
            for value in &module.facts.bindings[binding.at()].values {
                if let BindingValue::Namespace(ix) = value
                    && let Some(symbol) = target(*file, module.facts.namespaces[ix.at()].symbol)
                {
                    add(&mut symbols, symbol);
                }
            }
        }
        symbols
    }

    /// Symbols a declaration is when used as a type.
    pub(super) fn type_symbols(&mut self, declaration: &Declaration) -> Vec<Target> {
        let Declaration::Binding(file, binding) = declaration else {
            return match self.declaration_type(declaration) {
                super::types::Type::Class(at) => self
                    .module(at.file)
                    .and_then(|module| target(at.file, module.facts.classes[at.ix.at()].symbol))
                    .into_iter()
                    .collect(),
                _ => Vec::new(),
            };
        };
        let Some(module) = self.module(*file) else { return Vec::new() };
        let facts = &module.facts;
        let symbols = facts.bindings[binding.at()].values.iter().filter_map(|value| match value {
            BindingValue::Class(ix) => facts.classes[ix.at()].symbol,
            BindingValue::Interface(ix) => facts.interfaces[ix.at()].symbol,
            BindingValue::TypeAlias(ix) => facts.aliases[ix.at()].symbol,
            BindingValue::Namespace(ix) if facts.namespaces[ix.at()].is_enum => {
                facts.namespaces[ix.at()].symbol
            }
            _ => None,
        });
        let mut targets = Vec::new();
        for symbol in symbols {
            add(&mut targets, Target { file: *file, symbol });
        }
        targets
    }
}

/// The binding of a top-level name.
pub(super) fn top_level(module: &Module, name: &str) -> Option<BindingIx> {
    let names = &module.facts.names;
    let is_named = |ix: NameIx| names.get(ix.0 as usize).is_some_and(|text| text == name);
    module.facts.top_level.iter().find(|(ix, _)| is_named(*ix)).map(|(_, binding)| *binding)
}

/// The only one; several ways to the same declaration are one.
fn single(found: Vec<Declaration>) -> Option<Declaration> {
    match found.len() {
        1 => found.into_iter().next(),
        _ => None,
    }
}
