//! Exports of every form but those of `CommonJS`.

use std::collections::HashSet;

use tree_sitter::Node;

use super::chunks::Region;
use super::comments::Item;
use super::declarations::{Outer, item_range, range};
use super::syntax::{Field, Kind};
use super::values::Value;
use super::walk::{Access, Declared, Level, ScopeIx, Walk};
use crate::language::lines::offset;
use crate::model::{
    ByteRange, ChunkKind, Export, ExportKind, Import, ImportKind, ImportedName, LocalExport, SymbolDetail,
    SymbolIx, SymbolKind,
};

impl<'t> Walk<'_, 't> {
    /// `export` without a declaration.
    pub(super) fn export_statement(&mut self, node: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let is_module = self.scopes[scope].level == Level::Module;
        let is_clause = |child: Node<'t>| self.syntax.kind(child) == Kind::ExportClause;
        let mut cursor = node.walk();
        self.lists_exports |= is_module
            && (self.syntax.child(node, Field::Source).is_some()
                || self.exported_value(node).is_some()
                || node.named_children(&mut cursor).any(is_clause));
        if let Some(source) = self.syntax.child(node, Field::Source) {
            self.export_from(node, source, item, scope);
        } else if let Some(value) = self.exported_value(node) {
            if !is_module {
                self.push_children(node, scope, false);
            } else if self.has_child(node, Kind::EqualsToken) {
                self.export_value("export=", value, node, item, scope);
            } else {
                self.export_value("default", value, node, item, scope);
            }
        } else {
            let is_type = self.says_type(node);
            let mut cursor = node.walk();
            for clause in node.named_children(&mut cursor) {
                if self.syntax.kind(clause) != Kind::ExportClause {
                    continue;
                }
                let mut inner = clause.walk();
                for specifier in clause.named_children(&mut inner) {
                    let Some((name, alias)) = self.specifier(specifier, Kind::ExportSpecifier) else {
                        continue;
                    };
                    let local = self.property_name(name).to_owned();
                    if is_module {
                        let is_type = is_type || self.has_child(specifier, Kind::TypeToken);
                        let exported = self.property_name(alias).to_owned();
                        self.add_local_export(exported, Some(local), None, is_type, alias);
                    } else {
                        self.namespace_exports.push((scope, local));
                    }
                }
            }
        }
    }

    /// `export type …`; read from the text, since repair may hide the word from the tree.
    fn says_type(&self, node: Node<'t>) -> bool {
        let rest = self.text_of(node).strip_prefix("export").unwrap_or("").trim_start();
        rest.strip_prefix("type").is_some_and(|rest| rest.starts_with([' ', '\t', '\n', '\r', '*', '{']))
    }

    /// The expression of `export default` or `export =`.
    fn exported_value(&self, node: Node<'t>) -> Option<Node<'t>> {
        if let Some(value) = self.syntax.child(node, Field::Value) {
            return Some(value);
        }
        let is_value = self.has_child(node, Kind::DefaultToken) || self.has_child(node, Kind::EqualsToken);
        self.last_named(node).filter(|_| is_value)
    }

    fn export_from(&mut self, node: Node<'t>, source: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let is_type = self.says_type(node);
        let mut names = Vec::new();
        let mut types = Vec::new();
        let mut is_star = true;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match self.syntax.kind(child) {
                Kind::ExportClause => {
                    is_star = false;
                    let mut inner = child.walk();
                    for specifier in child.named_children(&mut inner) {
                        let Some((name, alias)) = self.specifier(specifier, Kind::ExportSpecifier) else {
                            continue;
                        };
                        let imported = ImportedName::Named(self.property_name(name).to_owned());
                        names.push((imported, self.property_name(alias).to_owned(), self.line(alias)));
                        types.push(is_type || self.has_child(specifier, Kind::TypeToken));
                    }
                }
                Kind::NamespaceExport => {
                    is_star = false;
                    if let Some(name) = self.last_named(child) {
                        names.push((
                            ImportedName::Namespace,
                            self.property_name(name).to_owned(),
                            self.line(name),
                        ));
                        types.push(is_type);
                    }
                }
                _ => {}
            }
        }
        let import = offset(self.imports.len());
        let line = self.lines.line(node.start_byte());
        if is_star {
            let kind = ExportKind::Star { import };
            self.exports.push(Export { name: String::new(), kind, is_type_only: is_type, line });
        }
        for ((imported, name, line), is_type_only) in names.iter().zip(types) {
            let kind = ExportKind::From { import, imported: imported.clone() };
            self.exports.push(Export { name: name.clone(), kind, is_type_only, line: *line });
        }
        let specifier = self.unquoted(source).to_owned();
        self.add_import(node, ImportKind::ReExport, specifier, names);
        self.export_region(node, item, None, scope);
    }

    /// `export default value` and `export = value`.
    fn export_value(&mut self, name: &str, value: Node<'t>, node: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let inner = self.unwrapped(value);
        if self.syntax.kind(inner) == Kind::Identifier {
            let local = self.text_of(inner).to_owned();
            self.add_local_export(name.to_owned(), Some(local), None, false, node);
            self.export_region(node, item, None, scope);
            return;
        }
        let symbol = self.anonymous(value, node, item, scope);
        self.add_local_export(name.to_owned(), None, Some(symbol), false, node);
    }

    /// Declares an exported value that has no name under the name of the file.
    pub(super) fn anonymous(
        &mut self,
        value: Node<'t>,
        node: Node<'t>,
        item: &Item<'t>,
        scope: ScopeIx,
    ) -> SymbolIx {
        let class = self.classify(value);
        let named = match class {
            Value::Function(inner) | Value::Class(inner) => self.syntax.child(inner, Field::Name),
            _ => None,
        };
        let new = Declared {
            name: named.map_or(self.stem, |name| self.text_of(name)).to_owned(),
            kind: SymbolKind::Const,
            span: ByteRange { start: item.start, end: offset(node.end_byte()) },
            keyword: self.keyword(item),
            name_span: named.map_or(ByteRange::new(value.start_byte(), value.start_byte()), range),
            access: Access::Stated(true),
            is_static: false,
            detail: SymbolDetail { doc: item.doc, ..SymbolDetail::default() },
        };
        let regions = self.regions.len();
        let symbol = self.valued(new, Some(value), class, item_range(item), None, scope);
        if self.symbols[symbol.0 as usize].kind == SymbolKind::Const
            && let Some(region) = self.regions.get_mut(regions)
        {
            region.kind = ChunkKind::Export;
        }
        let inner = self.unwrapped(value);
        self.symbol_starts.push((offset(inner.start_byte()), symbol));
        symbol
    }

    fn export_region(&mut self, node: Node<'t>, item: &Item<'t>, name: Option<String>, scope: ScopeIx) {
        let lines = self.line_range(node.start_byte(), node.end_byte());
        let region = Region {
            parent: None,
            kind: ChunkKind::Export,
            symbol: None,
            name,
            range: item_range(item),
            declaration: item.start,
            head_end: item.start,
            lines,
            is_exported: true,
        };
        self.push_region(region, scope);
    }

    /// In a declaration file that is a module, every declaration is exported unless a statement lists what is.
    pub(super) fn export_ambient_declarations(&mut self) {
        let imports = |import: &Import| match import.kind {
            ImportKind::Static | ImportKind::ImportEquals => true,
            // `import("m")` in a type makes no module of a file.
            ImportKind::Type => !import.names.is_empty(),
            ImportKind::Dynamic | ImportKind::Require | ImportKind::ReExport => false,
        };
        let is_module = !self.exports.is_empty() || self.imports.iter().any(imports);
        if !self.scopes[0].is_ambient || self.lists_exports || !is_module {
            return;
        }
        let mut names = HashSet::new();
        for (symbol, access) in self.symbols.iter().zip(&self.access) {
            let is_own = symbol.parent.is_none() && symbol.container.is_none() && !symbol.is_local;
            // `declare module "m"` has a name that is quoted, and what `declare global` holds counts as exported already.
            let is_quoted = symbol.name_span.of(self.text).starts_with(['"', '\'']);
            if is_own && !is_quoted && *access == Access::Stated(false) && names.insert(symbol.name.as_str())
            {
                let local = LocalExport { local_name: Some(symbol.name.clone()), symbols: Vec::new() };
                self.exports.push(Export {
                    name: symbol.name.clone(),
                    kind: ExportKind::Local(local),
                    is_type_only: false,
                    line: symbol.name_line,
                });
            }
        }
        self.exports.sort_by_key(|export| export.line);
    }

    /// Records the export of a declaration that says `export` itself.
    pub(super) fn export_declared(&mut self, outer: Outer, symbol: SymbolIx, scope: ScopeIx) {
        if !outer.is_exported || self.scopes[scope].level != Level::Module {
            return;
        }
        let declared = &self.symbols[symbol.0 as usize];
        let local = declared.name.clone();
        let line = declared.name_line;
        let name = if outer.is_default { "default".to_owned() } else { local.clone() };
        let export = LocalExport { local_name: Some(local), symbols: vec![symbol] };
        self.exports.push(Export { name, kind: ExportKind::Local(export), is_type_only: false, line });
    }

    /// Records an export of something declared elsewhere in the file.
    pub(super) fn add_local_export(
        &mut self,
        name: String,
        local_name: Option<String>,
        symbol: Option<SymbolIx>,
        is_type_only: bool,
        at: Node<'t>,
    ) {
        let export = LocalExport { local_name, symbols: symbol.into_iter().collect() };
        let line = self.line(at);
        self.exports.push(Export { name, kind: ExportKind::Local(export), is_type_only, line });
    }
}
