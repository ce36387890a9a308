//! Members of classes, interfaces, type literals and object literals.

use tree_sitter::Node;

use super::chunks::Region;
use super::comments::{Item, is_static};
use super::declarations::{Outer, item_range, range};
use super::signature::{collect_type_names, describe_function, drop_type_parameters};
use super::syntax::{Field, Kind};
use super::values::Value;
use super::walk::{Access, Declared, Level, ScopeIx, Walk};
use crate::language::lines::offset;
use crate::model::{ByteRange, ChunkKind, SymbolDetail, SymbolIx, SymbolKind};

impl<'a, 't> Walk<'a, 't> {
    /// A class declaration.
    pub(super) fn class(&mut self, node: Node<'t>, item: &Item<'t>, outer: Outer, scope: ScopeIx) {
        let Some(name) = self.syntax.child(node, Field::Name) else {
            self.class_expression(node, scope);
            return;
        };
        let keyword = self.keyword(item);
        let keyword = if keyword == node.start_byte() { self.first_token(node) } else { keyword };
        let new = Declared {
            name: self.text_of(name).to_owned(),
            kind: SymbolKind::Class,
            span: ByteRange { start: item.start, end: offset(item.node.end_byte()) },
            keyword,
            name_span: range(name),
            access: self.stated(outer, scope),
            is_static: false,
            detail: SymbolDetail { doc: item.doc, ..SymbolDetail::default() },
        };
        let symbol = self.class_like(node, new, item_range(item), scope);
        self.export_declared(outer, symbol, scope);
    }

    /// A class expression that no variable names.
    pub(super) fn class_expression(&mut self, node: Node<'t>, scope: ScopeIx) {
        let scope = self.local_of(scope);
        let Some(name) = self.syntax.child(node, Field::Name) else {
            self.push_children(node, scope, false);
            return;
        };
        let new = Declared {
            name: self.text_of(name).to_owned(),
            kind: SymbolKind::Class,
            span: range(node),
            keyword: self.first_token(node),
            name_span: range(name),
            access: Access::Private,
            is_static: false,
            detail: SymbolDetail::default(),
        };
        self.class_like(node, new, range(node), scope);
    }

    /// Declares `new` as the class `node`, with its shell and members.
    pub(super) fn class_like(
        &mut self,
        node: Node<'t>,
        mut new: Declared,
        chunk: ByteRange,
        scope: ScopeIx,
    ) -> SymbolIx {
        new.kind = SymbolKind::Class;
        let body = self.syntax.child(node, Field::Body);
        let head_end = body.map_or(node.end_byte(), |body| body.start_byte());
        new.detail.signatures.push(self.trimmed(new.keyword, head_end));
        let mut cursor = node.walk();
        let heads: Vec<Node<'t>> = node
            .named_children(&mut cursor)
            .filter(|child| matches!(self.syntax.kind(*child), Kind::TypeParameters | Kind::ClassHeritage))
            .collect();
        for head in &heads {
            collect_type_names(*head, self.syntax, self.text, &mut new.detail.type_names);
        }
        drop_type_parameters(node, self.syntax, self.text, &mut new.detail.type_names);
        let symbol = self.declare(new, scope);
        let region = self.region(ChunkKind::ClassShell, symbol, chunk, head_end, scope);
        let inner = self.scope_in(symbol, Level::Class, scope, region);
        if let Some(body) = body {
            self.push_list(body, inner);
        }
        for head in heads.into_iter().rev() {
            self.push_node(head, scope);
        }
        symbol
    }

    /// An entry of a class body.
    pub(super) fn class_member(&mut self, item: &Item<'t>, scope: ScopeIx) {
        let node = item.node;
        match self.syntax.kind(node) {
            Kind::MethodDefinition | Kind::MethodSignature | Kind::AbstractMethodSignature => {
                self.method(node, item, scope);
            }
            Kind::FieldDefinition | Kind::PublicFieldDefinition => self.field(node, item, scope),
            Kind::ClassStaticBlock => {
                let name = self.scopes[scope].container.as_deref().map(|class| format!("{class}.static"));
                let lines = self.line_range(node.start_byte(), node.end_byte());
                let body = self.syntax.child(node, Field::Body);
                let region = Region {
                    parent: None,
                    kind: ChunkKind::Method,
                    symbol: None,
                    name,
                    range: item_range(item),
                    declaration: item.start,
                    head_end: offset(body.map_or(node.end_byte(), |body| body.start_byte())),
                    lines,
                    is_exported: false,
                };
                self.push_region(region, scope);
                let local = self.local_of(scope);
                self.push_children(node, local, false);
            }
            Kind::Error => self.push_list(node, scope),
            _ => {
                let local = self.local_of(scope);
                self.push_children(node, local, false);
            }
        }
    }

    fn method(&mut self, node: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let Some(name) = self.syntax.child(node, Field::Name) else { return };
        let body = self.syntax.child(node, Field::Body);
        let head_end = body.map_or(node.end_byte(), |body| body.start_byte());
        let is_object = self.scopes[scope].level == Level::Object;
        let new = Declared {
            name: self.property_name(name).to_owned(),
            kind: SymbolKind::Method,
            span: ByteRange { start: item.start, end: offset(node.end_byte()) },
            keyword: self.keyword(item),
            name_span: range(name),
            access: self.member_access(node, name),
            is_static: !is_object && is_static(node, self.syntax),
            detail: SymbolDetail::default(),
        };
        let symbol = self.member(new, node, item, head_end, scope);
        if body.is_some() {
            self.region(ChunkKind::Method, symbol, item_range(item), head_end, scope);
        }
        let inner = self.scope_in(symbol, Level::Local, scope, None);
        self.push_children(node, inner, false);
    }

    /// Declares a member whose signature is that of `function` and ends at `head_end`.
    fn member(
        &mut self,
        mut new: Declared,
        function: Node<'t>,
        item: &Item<'t>,
        head_end: usize,
        scope: ScopeIx,
    ) -> SymbolIx {
        new.detail.doc = item.doc;
        self.overload_signatures(item, &mut new.detail);
        let own_start = if item.overloads.is_empty() { new.keyword } else { self.first_token(item.node) };
        new.detail.signatures.push(self.trimmed(own_start, head_end));
        describe_function(function, self.syntax, self.text, &mut new.detail);
        let is_constructor = new.name == "constructor";
        let around = &self.scopes[scope];
        let is_export = around.level == Level::Object && around.container.is_none();
        if is_export {
            new.kind = SymbolKind::Function;
            new.access = Access::Stated(true);
        }
        let symbol = self.declare(new, scope);
        if is_export {
            let name = self.symbols[symbol.0 as usize].name.clone();
            self.add_local_export(name, None, Some(symbol), false, item.node);
        }
        self.overload_starts(item, symbol);
        if is_constructor {
            self.symbol_starts.push((offset(item.node.start_byte()), symbol));
        }
        symbol
    }

    fn field(&mut self, node: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let name = self.syntax.child(node, Field::Name).or_else(|| self.syntax.child(node, Field::Property));
        let value = self.syntax.child(node, Field::Value);
        let class = value.map_or(Value::Other, |value| self.classify(value));
        let local = self.local_of(scope);
        if let (Some(name), Value::Function(function), Some(value)) = (name, class, value) {
            let head_end = self.body_start(function);
            let new = Declared {
                name: self.property_name(name).to_owned(),
                kind: SymbolKind::Method,
                span: ByteRange { start: item.start, end: offset(node.end_byte()) },
                keyword: self.first_token(node),
                name_span: range(name),
                access: self.member_access(node, name),
                is_static: is_static(node, self.syntax),
                detail: SymbolDetail::default(),
            };
            let symbol = self.member(new, function, item, head_end, scope);
            self.region(ChunkKind::Method, symbol, item_range(item), head_end, scope);
            let inner = self.scope_in(symbol, Level::Local, scope, None);
            self.push_node(value, inner);
        } else {
            self.push_children(node, local, false);
        }
    }

    fn body_start(&self, function: Node<'t>) -> usize {
        self.syntax.child(function, Field::Body).map_or(function.end_byte(), |body| body.start_byte())
    }

    /// An entry of an interface body or type literal.
    pub(super) fn interface_member(&mut self, item: &Item<'t>, scope: ScopeIx) {
        let node = item.node;
        let name = self.syntax.child(node, Field::Name);
        let function = match self.syntax.kind(node) {
            Kind::MethodSignature => Some(node),
            Kind::PropertySignature => self.function_type(node),
            _ => None,
        };
        if let (Some(name), Some(function)) = (name, function) {
            let new = Declared {
                name: self.property_name(name).to_owned(),
                kind: SymbolKind::Method,
                span: ByteRange { start: item.start, end: offset(node.end_byte()) },
                keyword: self.keyword(item),
                name_span: range(name),
                access: Access::Inherited,
                is_static: false,
                detail: SymbolDetail::default(),
            };
            self.member(new, function, item, node.end_byte(), scope);
        }
        self.push_children(node, scope, true);
    }

    /// The function type a property signature is annotated with.
    fn function_type(&self, property: Node<'t>) -> Option<Node<'t>> {
        let mut node = self.last_named(self.syntax.child(property, Field::Type)?)?;
        loop {
            match self.syntax.kind(node) {
                Kind::FunctionType => return Some(node),
                Kind::ParenthesizedType => node = node.named_child(0)?,
                _ => return None,
            }
        }
    }

    /// An entry of an object literal.
    pub(super) fn object_member(&mut self, item: &Item<'t>, scope: ScopeIx) {
        let node = item.node;
        match self.syntax.kind(node) {
            Kind::MethodDefinition => self.method(node, item, scope),
            Kind::Pair => self.pair(node, item, scope),
            _ => {
                let local = self.local_of(scope);
                self.push_children(node, local, false);
            }
        }
    }

    fn pair(&mut self, node: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let key = self.syntax.child(node, Field::Key);
        let value = self.syntax.child(node, Field::Value);
        let (Some(key), Some(value)) = (key, value) else { return };
        let direct = self.unwrapped(value);
        match self.syntax.kind(direct) {
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                let head_end = self.body_start(direct);
                let new = Declared {
                    name: self.property_name(key).to_owned(),
                    kind: SymbolKind::Method,
                    span: ByteRange { start: item.start, end: offset(node.end_byte()) },
                    keyword: node.start_byte(),
                    name_span: range(key),
                    access: Access::Inherited,
                    is_static: false,
                    detail: SymbolDetail::default(),
                };
                let symbol = self.member(new, direct, item, head_end, scope);
                self.region(ChunkKind::Method, symbol, item_range(item), head_end, scope);
                let inner = self.scope_in(symbol, Level::Local, scope, None);
                self.push_node(value, inner);
            }
            Kind::Object => {
                let name = self.property_name(key);
                let mut inner = self.scopes[scope].clone();
                inner.container = Some(match inner.container.as_deref() {
                    Some(container) => format!("{container}.{name}").into(),
                    None => name.into(),
                });
                inner.forget_local();
                self.scopes.push(inner);
                let inner = self.scopes.len() - 1;
                self.push_list(direct, inner);
            }
            _ => {
                let local = self.local_of(scope);
                self.push_children(node, local, false);
            }
        }
    }

    fn member_access(&self, node: Node<'t>, name: Node<'t>) -> Access {
        if self.text_of(name).starts_with('#') {
            return Access::Private;
        }
        let mut cursor = node.walk();
        let is_private = node
            .named_children(&mut cursor)
            .take_while(|child| child.start_byte() < name.start_byte())
            .any(|child| {
                self.syntax.kind(child) == Kind::AccessibilityModifier && self.text_of(child) == "private"
            });
        if is_private { Access::Private } else { Access::Inherited }
    }

    /// A property's name: strings without quotes, all else as written.
    pub(super) fn property_name(&self, name: Node<'t>) -> &'a str {
        if self.syntax.kind(name) == Kind::String { self.unquoted(name) } else { self.text_of(name) }
    }

    /// The text between the quotes of a string.
    pub(super) fn unquoted(&self, string: Node<'t>) -> &'a str {
        let text = self.text_of(string);
        let inner = text.get(1..text.len().saturating_sub(1));
        if text.starts_with(['"', '\'', '`']) { inner.unwrap_or(text) } else { text }
    }
}
