//! Statements that declare: functions, classes, interfaces, types, enums, namespaces, variables.

use tree_sitter::Node;

use super::chunks::Region;
use super::comments::Item;
use super::signature::{collect_type_names, describe_function, drop_type_parameters};
use super::syntax::{Field, Kind};
use super::walk::{Access, Declared, Level, ScopeIx, Walk};
use crate::language::lines::offset;
use crate::model::{ByteRange, ChunkKind, SymbolDetail, SymbolIx, SymbolKind};

/// Modifiers in front of a declaration.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Outer {
    pub(super) is_exported: bool,
    pub(super) is_default: bool,
    pub(super) is_ambient: bool,
}

impl<'t> Walk<'_, 't> {
    /// A statement of a module, namespace or block.
    pub(super) fn statement(&mut self, item: &Item<'t>, scope: ScopeIx) {
        let mut node = item.node;
        let mut outer = Outer::default();
        loop {
            match self.syntax.kind(node) {
                Kind::ExportStatement => {
                    outer.is_exported = true;
                    // `export default function (): void;` is repaired by giving it a name.
                    outer.is_default = self.has_child(node, Kind::DefaultToken)
                        || self.text_of(node)[6..].trim_start().starts_with("default ");
                    let Some(inner) = self.syntax.child(node, Field::Declaration) else {
                        self.export_statement(node, item, scope);
                        return;
                    };
                    node = inner;
                }
                Kind::AmbientDeclaration => {
                    outer.is_ambient = true;
                    let Some(inner) = self.last_named(node) else { return };
                    node = inner;
                }
                Kind::ExpressionStatement => match node.named_child(0) {
                    Some(inner)
                        if matches!(
                            self.syntax.kind(inner),
                            Kind::InternalModule | Kind::AssignmentExpression
                        ) =>
                    {
                        node = inner;
                    }
                    _ => {
                        self.push_children(node, scope, false);
                        return;
                    }
                },
                _ => break,
            }
        }
        match self.syntax.kind(node) {
            Kind::FunctionDeclaration | Kind::GeneratorDeclaration | Kind::FunctionSignature => {
                self.function(node, item, outer, scope);
            }
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration => {
                self.class(node, item, outer, scope);
            }
            Kind::InterfaceDeclaration | Kind::TypeAliasDeclaration | Kind::EnumDeclaration => {
                self.type_declaration(node, item, outer, scope);
            }
            Kind::Module | Kind::InternalModule => self.namespace(node, item, outer, scope),
            Kind::StatementBlock if outer.is_ambient || self.is_global_block(node, scope) => {
                self.declare_global(node, item, scope);
            }
            Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
                self.variables(node, item, outer, scope);
            }
            Kind::AssignmentExpression => self.assignment(node, item, scope),
            Kind::ImportStatement => self.import_statement(node),
            Kind::ImportAlias => self.import_alias(node, outer, scope),
            Kind::Error | Kind::Program => self.push_list(node, scope),
            Kind::StatementBlock => {
                let local = self.local_of(scope);
                self.push_list(node, local);
            }
            _ => self.push_children(node, scope, false),
        }
    }

    fn function(&mut self, node: Node<'t>, item: &Item<'t>, outer: Outer, scope: ScopeIx) {
        let Some(name) = self.syntax.child(node, Field::Name) else {
            self.push_children(node, scope, false);
            return;
        };
        let mut detail = SymbolDetail { doc: item.doc, ..SymbolDetail::default() };
        self.overload_signatures(item, &mut detail);
        let keyword = self.keyword(item);
        let own_start = if item.overloads.is_empty() { keyword } else { self.first_token(item.node) };
        let body = self.syntax.child(node, Field::Body);
        let head_end = body.map_or(item.node.end_byte(), |body| body.start_byte());
        detail.signatures.push(self.trimmed(own_start, head_end));
        describe_function(node, self.syntax, self.text, &mut detail);
        let is_anonymous = outer.is_default && self.text_of(node).starts_with("default");
        let name_text = if is_anonymous { self.stem } else { self.text_of(name) };
        let symbol = self.declare(
            Declared {
                name: name_text.to_owned(),
                kind: SymbolKind::Function,
                span: ByteRange { start: item.start, end: offset(item.node.end_byte()) },
                keyword,
                name_span: range(name),
                access: self.stated(outer, scope),
                is_static: false,
                detail,
            },
            scope,
        );
        self.overload_starts(item, symbol);
        self.export_declared(outer, symbol, scope);
        self.region(ChunkKind::Function, symbol, item_range(item), head_end, scope);
        let inner = self.scope_in(symbol, Level::Local, scope, None);
        self.push_children(node, inner, false);
    }

    /// Adds the signatures of the overloads before `item`.
    pub(super) fn overload_signatures(&mut self, item: &Item<'t>, detail: &mut SymbolDetail) {
        for overload in &item.overloads {
            let start = self.first_token(*overload);
            detail.signatures.push(self.trimmed(start, overload.end_byte()));
            collect_type_names(*overload, self.syntax, self.text, &mut detail.type_names);
        }
    }

    /// Lets the name of every overload lead to `symbol`.
    pub(super) fn overload_starts(&mut self, item: &Item<'t>, symbol: SymbolIx) {
        for overload in &item.overloads {
            let mut node = *overload;
            while matches!(self.syntax.kind(node), Kind::ExportStatement | Kind::AmbientDeclaration) {
                let Some(inner) = self.last_named(node) else { break };
                node = inner;
            }
            if let Some(name) = self.syntax.child(node, Field::Name) {
                self.symbol_starts.push((offset(name.start_byte()), symbol));
            }
        }
    }

    fn type_declaration(&mut self, node: Node<'t>, item: &Item<'t>, outer: Outer, scope: ScopeIx) {
        let Some(name) = self.syntax.child(node, Field::Name) else { return };
        let (kind, chunk) = match self.syntax.kind(node) {
            Kind::InterfaceDeclaration => (SymbolKind::Interface, ChunkKind::Interface),
            Kind::EnumDeclaration => (SymbolKind::Enum, ChunkKind::Type),
            _ => (SymbolKind::Type, ChunkKind::Type),
        };
        let keyword = self.keyword(item);
        let mut detail = SymbolDetail { doc: item.doc, ..SymbolDetail::default() };
        detail.signatures.push(self.trimmed(keyword, item.node.end_byte()));
        if kind != SymbolKind::Enum {
            self.type_names_but(node, name, &mut detail);
        }
        let body = self.syntax.child(node, Field::Body).or_else(|| self.syntax.child(node, Field::Value));
        let symbol = self.declare(
            Declared {
                name: self.text_of(name).to_owned(),
                kind,
                span: ByteRange { start: item.start, end: offset(item.node.end_byte()) },
                keyword,
                name_span: range(name),
                access: self.stated(outer, scope),
                is_static: false,
                detail,
            },
            scope,
        );
        self.export_declared(outer, symbol, scope);
        let head_end = body.map_or(item.node.end_byte(), |body| body.start_byte());
        self.region(chunk, symbol, item_range(item), head_end, scope);
        match body.map(|body| (self.syntax.kind(body), body)) {
            Some((Kind::InterfaceBody | Kind::ObjectType, body)) if kind != SymbolKind::Enum => {
                let inner = self.scope_in(symbol, Level::Interface, scope, None);
                self.push_list(body, inner);
            }
            _ => self.push_children(node, scope, true),
        }
    }

    fn namespace(&mut self, node: Node<'t>, item: &Item<'t>, outer: Outer, scope: ScopeIx) {
        let Some(name) = self.syntax.child(node, Field::Name) else { return };
        let keyword = self.keyword(item);
        let body = self.syntax.child(node, Field::Body);
        let head_end = body.map_or(item.node.end_byte(), |body| body.start_byte());
        let segments = self.namespace_names(name);
        let mut around = scope;
        // A module with a quoted name is seen by every file.
        let is_quoted = self.syntax.kind(name) == Kind::String;
        let mut access = if is_quoted { Access::Stated(true) } else { self.stated(outer, scope) };
        let mut symbol = None;
        for (segment, name_span) in segments {
            let detail = SymbolDetail {
                doc: item.doc,
                signatures: vec![self.trimmed(keyword, head_end)],
                ..SymbolDetail::default()
            };
            let declared = self.declare(
                Declared {
                    name: segment,
                    kind: SymbolKind::Namespace,
                    span: ByteRange { start: item.start, end: offset(item.node.end_byte()) },
                    keyword,
                    name_span,
                    access,
                    is_static: false,
                    detail,
                },
                around,
            );
            if symbol.is_none() {
                self.export_declared(outer, declared, scope);
            }
            access = Access::Inherited;
            around = self.scope_in(declared, Level::Namespace, around, None);
            symbol = Some(declared);
        }
        let Some(symbol) = symbol else { return };
        let region = self.region(ChunkKind::Block, symbol, item_range(item), head_end, scope);
        let inner = &mut self.scopes[around];
        inner.region = region;
        inner.is_ambient |= outer.is_ambient;
        if let Some(body) = body {
            self.push_list(body, around);
        }
    }

    /// The names `namespace A.B` or `module "m"` declares, outermost first.
    fn namespace_names(&self, name: Node<'t>) -> Vec<(String, ByteRange)> {
        if self.syntax.kind(name) == Kind::String {
            return vec![(self.unquoted(name).to_owned(), range(name))];
        }
        let mut start = name.start_byte();
        self.text_of(name)
            .split('.')
            .map(|segment| {
                let trimmed = segment.trim();
                let at = start + (segment.len() - segment.trim_start().len());
                start += segment.len() + 1;
                (trimmed.to_owned(), ByteRange::new(at, at + trimmed.len()))
            })
            .collect()
    }

    /// `global { … }` without `declare` in an ambient module: the grammar reads an error and a block, which no ambient
    /// module can hold otherwise.
    fn is_global_block(&self, node: Node<'t>, scope: ScopeIx) -> bool {
        let around = &self.scopes[scope];
        around.level == Level::Namespace
            && around.is_ambient
            && self.text[..node.start_byte()].trim_end().ends_with("global")
    }

    fn declare_global(&mut self, body: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let lines = self.line_range(item.start as usize, item.node.end_byte());
        let region = Region {
            parent: None,
            kind: ChunkKind::Block,
            symbol: None,
            name: None,
            range: item_range(item),
            declaration: item.start,
            head_end: offset(body.start_byte()),
            lines,
            is_exported: false,
        };
        let region = self.push_region(region, scope);
        let mut inner = self.scopes[scope].clone();
        inner.level = Level::Namespace;
        inner.is_ambient = true;
        inner.region = region;
        self.scopes.push(inner);
        let inner = self.scopes.len() - 1;
        self.push_list(body, inner);
    }

    /// Type names of a whole declaration, its own name left out.
    fn type_names_but(&self, node: Node<'t>, name: Node<'t>, detail: &mut SymbolDetail) {
        collect_type_names(node, self.syntax, self.text, &mut detail.type_names);
        drop_type_parameters(node, self.syntax, self.text, &mut detail.type_names);
        let own = self.text_of(name);
        detail.type_names.retain(|range| range.of(self.text) != own);
    }

    /// Whether the declaration is visible outside its list.
    pub(super) fn stated(&self, outer: Outer, scope: ScopeIx) -> Access {
        let around = &self.scopes[scope];
        match around.level {
            Level::Module => Access::Stated(outer.is_exported),
            Level::Namespace => Access::Stated(outer.is_exported || around.is_ambient),
            Level::Local => Access::Private,
            Level::Class | Level::Interface | Level::Object => Access::Inherited,
        }
    }

    /// First token of the declaration of `item` that is no decorator.
    pub(super) fn keyword(&self, item: &Item<'t>) -> usize {
        self.first_token(item.overloads.first().copied().unwrap_or(item.node))
    }

    /// First token of `node` that is no decorator or comment.
    pub(super) fn first_token(&self, node: Node<'t>) -> usize {
        let mut cursor = node.walk();
        let first = node.children(&mut cursor).find(|child| {
            !matches!(self.syntax.kind(*child), Kind::Decorator | Kind::Comment | Kind::HtmlComment)
        });
        first.map_or(node.start_byte(), |child| child.start_byte())
    }

    /// `start..end` without white space and a closing semicolon at its end.
    pub(super) fn trimmed(&self, start: usize, end: usize) -> ByteRange {
        let text = self.text.get(start..end).unwrap_or("");
        let kept = text.trim_end().trim_end_matches(';').trim_end();
        ByteRange::new(start, start + kept.len())
    }

    pub(super) fn has_child(&self, node: Node<'t>, kind: Kind) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| self.syntax.kind(child) == kind)
    }

    /// Last named child that is no comment.
    pub(super) fn last_named(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| !matches!(self.syntax.kind(*child), Kind::Comment | Kind::HtmlComment))
            .last()
    }
}

/// The bytes of `node`.
pub(super) fn range(node: Node<'_>) -> ByteRange {
    ByteRange::new(node.start_byte(), node.end_byte())
}

/// The bytes of `item` with everything that belongs to it.
pub(super) fn item_range(item: &Item<'_>) -> ByteRange {
    ByteRange { start: item.lead, end: item.trail }
}
