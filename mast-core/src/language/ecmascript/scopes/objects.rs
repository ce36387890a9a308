//! Object literals.

use tree_sitter::Node;

use crate::model::{Context, Expr, ExprIx, MemberKind, ObjectFacts, ObjectIx, ObjectMember, SymbolIx};

use super::bindings::{ScopeIx, Use};
use super::functions::{Form, This};
use super::grammar::{Field, Kind, Token};
use super::{Analysis, Task, Tested, Want, child_in, index};

impl<'t> Analysis<'t> {
    /// Whether functions stand in an object literal, at most three levels down.
    pub(super) fn has_functions(&mut self, object: Node<'t>) -> bool {
        let mut open = vec![(object, 1)];
        while let Some((object, depth)) = open.pop() {
            let children = self.children(object);
            let members: Vec<Node<'t>> = children.iter().map(|child| child.1).collect();
            self.done(children);
            for member in members {
                match self.kind(member) {
                    Kind::MethodDefinition => return true,
                    Kind::Pair => {
                        let Some(value) = self.field(member, Field::Value) else { continue };
                        match self.kind(value) {
                            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                                return true;
                            }
                            Kind::Object if depth < 3 => open.push((value, depth + 1)),
                            _ => {}
                        }
                    }
                    _ => {}
                }
            }
        }
        false
    }

    pub(super) fn object(
        &mut self,
        node: Node<'t>,
        scope: ScopeIx,
        slot: Option<ExprIx>,
        context: Option<Context>,
    ) {
        let children = self.children(node);
        let members: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        if slot.is_none() && !self.has_functions(node) {
            for &member in members.iter().rev() {
                self.push_member(member, scope);
            }
            return;
        }
        let object = ObjectIx(index(self.facts.objects.len()));
        self.facts.objects.push(ObjectFacts { context, ..ObjectFacts::default() });
        self.set(slot, Expr::Object(object));
        // Tasks run last in, first out; the members' own order is kept by filling their slots now.
        let mut tasks = Vec::new();
        for member in members {
            self.object_member(member, object, scope, &mut tasks);
        }
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// A member of an object that is not recorded.
    fn push_member(&mut self, member: Node<'t>, scope: ScopeIx) {
        if self.kind(member) != Kind::Pair {
            self.push(member, scope, Want::Effects);
            return;
        }
        let children = self.children(member);
        self.push_all(&children, scope, Tested::No);
        self.done(children);
    }

    fn object_member(&mut self, node: Node<'t>, object: ObjectIx, scope: ScopeIx, tasks: &mut Vec<Task<'t>>) {
        match self.kind(node) {
            Kind::Pair => {
                let children = self.children(node);
                let (key, value) = (child_in(&children, Field::Key), child_in(&children, Field::Value));
                self.done(children);
                let (Some(key), Some(value)) = (key, value) else { return };
                let Some(text) = self.property_text(key) else {
                    self.facts.objects[object.at()].has_computed = true;
                    tasks.push(Task {
                        node: key,
                        scope,
                        want: Want::Effects,
                        context: None,
                        tested: Tested::No,
                    });
                    tasks.push(Task {
                        node: value,
                        scope,
                        want: Want::Effects,
                        context: None,
                        tested: Tested::No,
                    });
                    return;
                };
                let name = self.name(text);
                let symbol = self.declared.symbol_at(key.start_byte());
                let slot = self.expression_slot();
                self.facts.objects[object.at()].members.push(ObjectMember {
                    name,
                    symbol,
                    value: slot,
                    kind: MemberKind::Property,
                });
                let context = Some(Context::Property { object, name });
                let inner = self.inner_scope(scope);
                self.scopes[inner.at()].caller = self.caller_within(symbol, scope);
                if matches!(self.kind(value), Kind::FunctionExpression | Kind::GeneratorFunction) {
                    let this = This::Own;
                    let function = self.function(value, inner, Form { this, symbol, context });
                    self.set(Some(slot), Expr::Function(function));
                } else if self.kind(value) == Kind::ArrowFunction {
                    let form = Form { this: This::Inherited, symbol, context };
                    let function = self.function(value, inner, form);
                    self.set(Some(slot), Expr::Function(function));
                } else {
                    tasks.push(Task {
                        node: value,
                        scope: inner,
                        want: Want::Value(slot),
                        context,
                        tested: Tested::No,
                    });
                }
            }
            Kind::MethodDefinition => self.object_method(node, object, scope, tasks),
            Kind::ShorthandProperty => {
                let name = self.name_of(node);
                let value = self.expression_slot();
                self.uses.push(Use::Value { slot: value, scope, name });
                let symbol = self.declared.symbol_at(node.start_byte());
                let member = ObjectMember { name, symbol, value, kind: MemberKind::Property };
                self.facts.objects[object.at()].members.push(member);
            }
            Kind::SpreadElement => {
                let Some(source) = self.first_named(node) else { return };
                let slot = self.expression_slot();
                let before = index(self.facts.objects[object.at()].members.len());
                self.facts.objects[object.at()].spreads.push((before, slot));
                tasks.push(Task {
                    node: source,
                    scope,
                    want: Want::Value(slot),
                    context: None,
                    tested: Tested::No,
                });
            }
            _ => tasks.push(Task { node, scope, want: Want::Effects, context: None, tested: Tested::No }),
        }
    }

    fn object_method(&mut self, node: Node<'t>, object: ObjectIx, scope: ScopeIx, tasks: &mut Vec<Task<'t>>) {
        let children = self.children(node);
        let key = child_in(&children, Field::Name);
        let tokens: Vec<Token> = children.iter().map(|child| self.token(child.1)).collect();
        self.done(children);
        let Some(key) = key else { return };
        let text = self.property_text(key);
        if text.is_none() {
            self.facts.objects[object.at()].has_computed = true;
            tasks.push(Task { node: key, scope, want: Want::Effects, context: None, tested: Tested::No });
        }
        let name = text.map(|text| self.name(text));
        let symbol = self.declared.symbol_at(key.start_byte());
        let context = name.map(|name| Context::Property { object, name });
        let this = This::Own;
        let function = self.function(node, scope, Form { this, symbol, context });
        let value = self.expression_slot();
        self.set(Some(value), Expr::Function(function));
        let kind = if tokens.contains(&Token::Get) {
            MemberKind::Getter
        } else if tokens.contains(&Token::Set) {
            MemberKind::Setter
        } else {
            MemberKind::Method
        };
        if let Some(name) = name {
            self.facts.objects[object.at()].members.push(ObjectMember { name, symbol, value, kind });
        }
    }

    /// The name a property key gives; `None` when it is computed.
    pub(super) fn property_text(&self, key: Node<'t>) -> Option<&'t str> {
        match self.kind(key) {
            Kind::String => self.string_literal(key),
            Kind::ComputedPropertyName => {
                let inner = key.named_child(0)?;
                (key.named_child_count() == 1).then(|| self.string_literal(inner)).flatten()
            }
            _ => Some(self.text_of(key)),
        }
    }

    fn is_local(&self, symbol: SymbolIx) -> bool {
        self.declared.symbols.get(symbol.0 as usize).is_none_or(|symbol| symbol.is_local)
    }

    /// What calls the calls inside `symbol`, a declaration in `outer`. A declaration with a name that is seen from outside
    /// its function goes before one that is local to it: the chain of callers must not end at a local function that is
    /// only ever passed on. Where there is no such declaration, as in a test's callback, the nearest local one is told.
    pub(super) fn caller_within(&self, symbol: Option<SymbolIx>, outer: ScopeIx) -> Option<SymbolIx> {
        let around = self.scope(outer).caller;
        let is_named = |symbol: SymbolIx| {
            self.declared
                .symbols
                .get(symbol.0 as usize)
                .is_some_and(|symbol| symbol.name_span.end > symbol.name_span.start)
        };
        let stands = around.filter(|&around| !self.is_local(around) && is_named(around));
        match symbol {
            Some(symbol) if stands.is_none() || !self.is_local(symbol) => Some(symbol),
            _ => around,
        }
    }
}
