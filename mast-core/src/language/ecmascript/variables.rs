//! Variables: one symbol for each name, with what its value makes of it.

use tree_sitter::Node;

use super::comments::Item;
use super::declarations::{Outer, range};
use super::syntax::{Field, Kind};
use super::values::Value;
use super::walk::{Declarator, Declared, Level, ScopeIx, Task, Walk};
use crate::language::lines::offset;
use crate::model::{ByteRange, ChunkKind, ImportedName, SymbolDetail, SymbolKind};

impl<'t> Walk<'_, 't> {
    /// The variables of one statement.
    pub(super) fn variables(&mut self, node: Node<'t>, item: &Item<'t>, outer: Outer, scope: ScopeIx) {
        if self.scopes[scope].is_local && !self.holds_keyword(node) {
            return;
        }
        let declarators: Vec<Node<'t>> = {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .filter(|child| self.syntax.kind(*child) == Kind::VariableDeclarator)
                .collect()
        };
        let keyword = self.keyword(item);
        let from = self.stack.len();
        let count = declarators.len();
        let mut start = item.lead;
        for (at, declarator) in declarators.into_iter().enumerate() {
            let is_last = at + 1 == count;
            let end = if is_last { item.trail } else { offset(declarator.end_byte()) };
            let span = if count == 1 {
                ByteRange { start: item.start, end: offset(item.node.end_byte()) }
            } else {
                range(declarator)
            };
            self.stack.push(Task::Declarator(
                Declarator {
                    node: declarator,
                    range: ByteRange { start, end },
                    span,
                    keyword: if count == 1 { keyword } else { declarator.start_byte() },
                    doc: item.doc,
                    is_exported: outer.is_exported,
                },
                scope,
            ));
            start = end;
        }
        self.stack[from..].reverse();
    }

    /// One variable.
    pub(super) fn declarator(&mut self, declarator: &Declarator<'t>, scope: ScopeIx) {
        let node = declarator.node;
        let Some(name) = self.syntax.child(node, Field::Name) else { return };
        let value = self.syntax.child(node, Field::Value);
        if let Some(value) = value
            && self.bind_call(name, value)
            && !declarator.is_exported
        {
            self.push_children(node, scope, false);
            return;
        }
        if self.syntax.kind(name) != Kind::Identifier {
            self.destructured(declarator, name, scope);
            self.push_children(node, scope, false);
            return;
        }
        let outer = Outer { is_exported: declarator.is_exported, ..Outer::default() };
        let is_local = self.scopes[scope].level == Level::Local;
        let inner = value.map(|value| if is_local { value } else { self.assigned_value(name, value) });
        let class = inner.map_or(Value::Other, |value| self.classify(value));
        if is_local && matches!(class, Value::Other | Value::Object(_)) {
            self.push_children(node, scope, false);
            return;
        }
        let new = Declared {
            name: self.text_of(name).to_owned(),
            kind: SymbolKind::Const,
            span: declarator.span,
            keyword: declarator.keyword,
            name_span: range(name),
            access: self.stated(outer, scope),
            is_static: false,
            detail: SymbolDetail { doc: declarator.doc, ..SymbolDetail::default() },
        };
        let symbol =
            self.valued(new, value, class, declarator.range, self.syntax.child(node, Field::Type), scope);
        self.export_declared(outer, symbol, scope);
    }

    fn destructured(&mut self, declarator: &Declarator<'t>, pattern: Node<'t>, scope: ScopeIx) {
        if self.scopes[scope].level == Level::Local {
            return;
        }
        let outer = Outer { is_exported: declarator.is_exported, ..Outer::default() };
        let names = self.pattern_names(pattern);
        let mut only = None;
        for (_, name) in &names {
            let detail = SymbolDetail {
                doc: declarator.doc,
                signatures: vec![self.trimmed(declarator.keyword, declarator.node.end_byte())],
                ..SymbolDetail::default()
            };
            let symbol = self.declare(
                Declared {
                    name: self.text_of(*name).to_owned(),
                    kind: SymbolKind::Const,
                    span: declarator.span,
                    keyword: declarator.keyword,
                    name_span: range(*name),
                    access: self.stated(outer, scope),
                    is_static: false,
                    detail,
                },
                scope,
            );
            self.export_declared(outer, symbol, scope);
            only = Some(symbol);
        }
        if let (Some(symbol), 1) = (only, names.len()) {
            let head_end = pattern.end_byte();
            self.region(ChunkKind::Block, symbol, declarator.range, head_end, scope);
        }
    }

    /// The names a pattern binds, each with the property of the whole value that it is, where it is one.
    pub(super) fn pattern_names(&self, pattern: Node<'t>) -> Vec<(Option<ImportedName>, Node<'t>)> {
        /// What of the whole value a part of the pattern takes apart.
        enum Of {
            Whole,
            Property(ImportedName),
            Inner,
        }
        let mut found = Vec::new();
        let mut stack = vec![(pattern, Of::Whole)];
        while let Some((node, of)) = stack.pop() {
            match self.syntax.kind(node) {
                Kind::Identifier => {
                    let property = if let Of::Property(name) = of { Some(name) } else { None };
                    found.push((property, node));
                }
                Kind::ShorthandPattern => {
                    let name = || ImportedName::Named(self.text_of(node).to_owned());
                    found.push((matches!(of, Of::Whole).then(name), node));
                }
                Kind::PairPattern => {
                    let key =
                        self.syntax.child(node, Field::Key).map(|key| self.property_name(key).to_owned());
                    let of = match (of, key) {
                        (Of::Whole, Some(key)) => Of::Property(ImportedName::Named(key)),
                        _ => Of::Inner,
                    };
                    if let Some(value) = self.syntax.child(node, Field::Value) {
                        stack.push((value, of));
                    }
                }
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    if let Some(left) = self.syntax.child(node, Field::Left) {
                        stack.push((left, of));
                    }
                }
                kind @ (Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern) => {
                    let from = stack.len();
                    let is_whole = matches!(of, Of::Whole) && kind == Kind::ObjectPattern;
                    let mut cursor = node.walk();
                    stack.extend(
                        node.named_children(&mut cursor)
                            .map(|child| (child, if is_whole { Of::Whole } else { Of::Inner })),
                    );
                    stack[from..].reverse();
                }
                _ => {}
            }
        }
        found
    }
}
