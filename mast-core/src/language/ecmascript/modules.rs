//! Imports of every form.

use tree_sitter::Node;

use super::declarations::Outer;
use super::syntax::{Field, Kind};
use super::walk::{BoundName, Level, ScopeIx, Walk};
use crate::language::lines::offset;
use crate::model::{Import, ImportKind, ImportedName};

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

    fn import_clause(&self, clause: Node<'t>, names: &mut Vec<BoundName>) {
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
    pub(super) fn specifier(&self, node: Node<'t>, kind: Kind) -> Option<(Node<'t>, Node<'t>)> {
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
    /// `require` call that gives every name of the pattern: then they are imports and no declarations.
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
        let mut binds_all = true;
        if self.syntax.kind(name) == Kind::Identifier {
            let imported = member.map_or(ImportedName::Namespace, |property| {
                ImportedName::Named(self.text_of(property).to_owned())
            });
            names.push((imported, self.text_of(name).to_owned(), self.line(name)));
        } else {
            for (imported, local) in self.pattern_names(name) {
                match imported.filter(|_| member.is_none()) {
                    Some(imported) => {
                        names.push((imported, self.text_of(local).to_owned(), self.line(local)));
                    }
                    None => binds_all = false,
                }
            }
        }
        self.bound_names = Some((node.start_byte(), names));
        is_require && binds_all
    }

    /// Records an import that `node` makes.
    pub(super) fn add_import(
        &mut self,
        node: Node<'t>,
        kind: ImportKind,
        specifier: String,
        names: Vec<BoundName>,
    ) {
        self.import_starts.push((offset(node.start_byte()), offset(self.imports.len())));
        self.imports.push(Import { kind, specifier, line: self.line(node), names });
    }

    /// 1-based line on which `node` starts.
    pub(super) fn line(&self, node: Node<'t>) -> u32 {
        self.lines.line(node.start_byte())
    }
}
