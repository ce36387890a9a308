//! Imports and exports of ECMAScript modules and TypeScript.

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
    /// `import … from "m"`, `import "m"`, `import x = require("m")`.
    pub(super) fn import_statement(&mut self, node: Node<'t>) {
        let mut names = Vec::new();
        let mut kind = ImportKind::Static;
        let mut source = self.syntax.child(node, Field::Source);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match self.syntax.kind(child) {
                Kind::TypeToken | Kind::TypeofToken => kind = ImportKind::Type,
                Kind::ImportClause => self.import_clause(child, &mut names),
                Kind::ImportRequireClause => {
                    kind = ImportKind::ImportEquals;
                    source = self.syntax.child(child, Field::Source);
                    if let Some(name) = child.named_child(0) {
                        names.push((ImportedName::Namespace, self.text_of(name).to_owned(), self.line(name)));
                    }
                }
                _ => {}
            }
        }
        if let Some(source) = source {
            let specifier = self.unquoted(source).to_owned();
            self.add_import(node, kind, specifier, names);
        }
    }

    fn import_clause(&self, clause: Node<'t>, names: &mut Vec<(ImportedName, String, u32)>) {
        let mut cursor = clause.walk();
        for child in clause.named_children(&mut cursor) {
            match self.syntax.kind(child) {
                Kind::Identifier => {
                    let default = ImportedName::Named("default".to_owned());
                    names.push((default, self.text_of(child).to_owned(), self.line(child)));
                }
                Kind::NamespaceImport => {
                    if let Some(name) = self.last_named(child) {
                        names.push((ImportedName::Namespace, self.text_of(name).to_owned(), self.line(name)));
                    }
                }
                Kind::NamedImports => {
                    let mut inner = child.walk();
                    for specifier in child.named_children(&mut inner) {
                        if let Some((name, alias)) = self.specifier(specifier, Kind::ImportSpecifier) {
                            let imported = ImportedName::Named(self.property_name(name).to_owned());
                            names.push((
                                imported,
                                self.property_name(alias).to_owned(),
                                self.line(specifier),
                            ));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Name and alias (the name itself without one) of an import or export specifier.
    fn specifier(&self, node: Node<'t>, kind: Kind) -> Option<(Node<'t>, Node<'t>)> {
        if self.syntax.kind(node) != kind {
            return None;
        }
        let name = self.syntax.child(node, Field::Name)?;
        Some((name, self.syntax.child(node, Field::Alias).unwrap_or(name)))
    }

    /// `import a = Ns.b`: an alias inside the program, no import of a file.
    pub(super) fn import_alias(&mut self, node: Node<'t>, outer: Outer, scope: ScopeIx) {
        if let Some(name) = node.named_child(0)
            && outer.is_exported
            && self.scopes[scope].level == Level::Module
        {
            let local = self.text_of(name).to_owned();
            self.add_local_export(local.clone(), Some(local), None, false, name);
        }
    }

    /// `import("m")` and `require("m")` with a literal, in expressions and types.
    pub(super) fn import_call(&mut self, node: Node<'t>, in_type: bool) {
        let Some(function) = self.syntax.child(node, Field::Function) else { return };
        let kind = match self.syntax.kind(function) {
            Kind::ImportKeyword if in_type => ImportKind::Type,
            Kind::ImportKeyword => ImportKind::Dynamic,
            Kind::Identifier if self.text_of(function) == "require" => ImportKind::Require,
            Kind::MemberExpression if self.text_of(function).starts_with("import.") => ImportKind::Dynamic,
            _ => return,
        };
        let Some(argument) = self.syntax.child(node, Field::Arguments).and_then(|list| list.named_child(0))
        else {
            return;
        };
        let is_literal = match self.syntax.kind(argument) {
            Kind::String => true,
            Kind::TemplateString => !self.text_of(argument).contains("${"),
            _ => false,
        };
        if is_literal {
            let names = match self.bound_names.take() {
                Some((start, names)) if start == node.start_byte() => names,
                other => {
                    self.bound_names = other;
                    Vec::new()
                }
            };
            let specifier = self.unquoted(argument).to_owned();
            self.add_import(node, kind, specifier, names);
        }
    }

    /// A type that was written `import("m").T<A>` and reads as one long name after repair.
    pub(super) fn masked_import_type(&mut self, node: Node<'t>) {
        let text = self.text_of(node);
        let Some(rest) = text.strip_prefix("import") else { return };
        let Some(rest) = rest.trim_start().strip_prefix('(') else { return };
        let rest = rest.trim_start();
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else { return };
        if let Some((specifier, _)) = rest[1..].split_once(quote) {
            self.add_import(node, ImportKind::Type, specifier.to_owned(), Vec::new());
        }
    }

    /// Remembers the names that `const name = require("m")` or `await import("m")` binds. Whether `value` is a
    /// `require` call, whose names are imports and no declarations.
    pub(super) fn bind_call(&mut self, name: Node<'t>, value: Node<'t>) -> bool {
        let mut node = self.unwrapped(value);
        if self.syntax.kind(node) == Kind::AwaitExpression
            && let Some(inner) = node.named_child(0)
        {
            node = self.unwrapped(inner);
        }
        let mut member = None;
        if self.syntax.kind(node) == Kind::MemberExpression
            && let (Some(object), Some(property)) =
                (self.syntax.child(node, Field::Object), self.syntax.child(node, Field::Property))
        {
            member = Some(property);
            node = object;
        }
        if self.syntax.kind(node) != Kind::CallExpression {
            return false;
        }
        let Some(function) = self.syntax.child(node, Field::Function) else { return false };
        let is_require =
            self.syntax.kind(function) == Kind::Identifier && self.text_of(function) == "require";
        let is_import = self.syntax.kind(function) == Kind::ImportKeyword;
        if !is_require && !is_import {
            return false;
        }
        let mut names = Vec::new();
        if self.syntax.kind(name) == Kind::Identifier {
            let imported = member.map_or(ImportedName::Namespace, |property| {
                ImportedName::Named(self.text_of(property).to_owned())
            });
            names.push((imported, self.text_of(name).to_owned(), self.line(name)));
        } else if member.is_none() {
            for (imported, local) in self.pattern_names(name) {
                if let Some(imported) = imported {
                    names.push((imported, self.text_of(local).to_owned(), self.line(local)));
                }
            }
        }
        self.bound_names = Some((node.start_byte(), names));
        is_require
    }

    /// `export` without a declaration.
    pub(super) fn export_statement(&mut self, node: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let is_module = self.scopes[scope].level == Level::Module;
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

    pub(super) fn add_import(
        &mut self,
        node: Node<'t>,
        kind: ImportKind,
        specifier: String,
        names: Vec<(ImportedName, String, u32)>,
    ) {
        self.import_starts.push((offset(node.start_byte()), offset(self.imports.len())));
        self.imports.push(Import { kind, specifier, line: self.line(node), names });
    }

    fn line(&self, node: Node<'t>) -> u32 {
        self.lines.line(node.start_byte())
    }
}
