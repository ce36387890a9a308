//! Expressions: what value each stands for, as far as that can be said without types.

use tree_sitter::Node;

use crate::model::{Context, Expr, ExprIx, Literal};

use super::bindings::{ScopeIx, Use};
use super::functions::{Form, This};
use super::grammar::{Field, Kind, Token};
use super::{Analysis, Child, Task, Tested, Want, child_in};

impl<'t> Analysis<'t> {
    /// Visits a statement or an expression; the value of an expression goes to `slot`.
    pub(super) fn visit(&mut self, task: &Task<'t>, slot: Option<ExprIx>) {
        let Task { node, scope, context, tested, .. } = *task;
        match self.kind(node) {
            Kind::Identifier => {
                if let Some(slot) = slot {
                    let name = self.name_of(node);
                    self.uses.push(Use::Value { slot, scope, name });
                }
            }
            Kind::This => self.set(slot, Expr::This(self.scope(scope).this)),
            Kind::Super => {
                if let Some((class, is_static)) = self.scope(scope).home {
                    self.set(slot, Expr::Super { class, is_static });
                }
            }
            Kind::String => self.set(slot, Expr::Literal(Literal::String)),
            Kind::Number => self.set(slot, Expr::Literal(Literal::Number)),
            Kind::True | Kind::False => self.set(slot, Expr::Literal(Literal::Boolean)),
            Kind::Regex => self.set(slot, Expr::Literal(Literal::RegExp)),
            Kind::Null | Kind::Undefined => self.set(slot, Expr::Literal(Literal::Nullish)),
            Kind::Comment | Kind::PropertyIdentifier | Kind::JsxText | Kind::StringFragment => {}
            Kind::Member | Kind::NestedIdentifier => self.member(node, scope, slot, tested),
            Kind::Subscript => self.subscript(node, scope, slot),
            Kind::Call => self.call(task, slot),
            Kind::New => self.new_expression(task, slot),
            Kind::JsxOpeningElement | Kind::JsxSelfClosingElement => self.jsx(node, scope),
            Kind::JsxClosingElement => {}
            Kind::Decorator => self.decorator(node, scope),
            Kind::ArrowFunction => {
                let function =
                    self.function(node, scope, Form { this: This::Inherited, symbol: None, context });
                self.set(slot, Expr::Function(function));
            }
            Kind::FunctionExpression | Kind::GeneratorFunction => {
                let function = self.function(node, scope, Form { this: This::Own, symbol: None, context });
                self.set(slot, Expr::Function(function));
            }
            Kind::Class => {
                let class = self.class(node, scope, None);
                self.set(slot, Expr::Class(class));
            }
            Kind::Object => self.object(node, scope, slot, context),
            Kind::Array => self.array(node, scope, slot),
            Kind::Parenthesized | Kind::NonNull | Kind::Sequence | Kind::InstantiationExpression => {
                self.wrapped(node, task, slot);
            }
            Kind::AsExpression | Kind::Satisfies | Kind::TypeAssertion => {
                self.cast(node, scope, slot, context);
            }
            Kind::Await => {
                let Some(inner) = self.first_named(node) else { return };
                match slot {
                    Some(_) => {
                        let value = self.value(inner, scope);
                        self.set(slot, Expr::Await(value));
                    }
                    None => self.tasks.push(Task { node: inner, want: Want::Effects, ..*task }),
                }
            }
            Kind::Ternary => self.ternary(node, scope, slot, context),
            Kind::Binary => self.binary(node, task, slot),
            Kind::Unary => self.unary(node, scope, slot),
            Kind::TemplateString => {
                self.set(slot, Expr::Literal(Literal::String));
                let children = self.children(node);
                self.push_all(&children, scope, Tested::No);
                self.done(children);
            }
            Kind::AssignmentExpression => self.assignment(node, scope, slot),
            Kind::AugmentedAssignment | Kind::Update => self.update(node, scope),
            Kind::TypeAnnotation | Kind::TypeArguments | Kind::TypeParameters => {
                self.type_of(node, scope);
            }
            _ => self.statement(node, scope, tested),
        }
    }

    fn member(&mut self, node: Node<'t>, scope: ScopeIx, slot: Option<ExprIx>, tested: Tested) {
        let children = self.children(node);
        let (object, property) = (child_in(&children, Field::Object), child_in(&children, Field::Property));
        self.done(children);
        let (Some(object), Some(property)) = (object, property) else { return };
        if tested != Tested::No {
            // `if (result.ok)` tells the members of a union apart.
            self.discriminant(object, scope);
        }
        if slot.is_some() {
            let name = self.name_of(property);
            let object = self.value(object, scope);
            self.set(slot, Expr::Member { object, name });
        } else {
            self.push(object, scope, Want::Effects);
        }
    }

    fn subscript(&mut self, node: Node<'t>, scope: ScopeIx, slot: Option<ExprIx>) {
        let children = self.children(node);
        let (object, key) = (child_in(&children, Field::Object), child_in(&children, Field::Index));
        self.done(children);
        let (Some(object), Some(key)) = (object, key) else { return };
        self.push(key, scope, Want::Effects);
        if slot.is_none() {
            self.push(object, scope, Want::Effects);
            return;
        }
        let literal = self.string_literal(key);
        let object = self.value(object, scope);
        let expression = match literal {
            Some(text) => Expr::Member { object, name: self.name(text) },
            None => Expr::Element(object),
        };
        self.set(slot, expression);
    }

    /// The text of a string literal without escapes.
    pub(super) fn string_literal(&self, node: Node<'t>) -> Option<&'t str> {
        if self.kind(node) != Kind::String {
            return None;
        }
        let text = self.text_of(node);
        let inner = text.get(1..text.len().checked_sub(1)?)?;
        (!inner.contains('\\')).then_some(inner)
    }

    fn array(&mut self, node: Node<'t>, scope: ScopeIx, slot: Option<ExprIx>) {
        let children = self.children(node);
        if slot.is_none() {
            self.push_all(&children, scope, Tested::No);
            self.done(children);
            return;
        }
        let named: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        // With a spread, what the elements are is not known from the others.
        let has_spread = named.iter().any(|&element| self.kind(element) == Kind::SpreadElement);
        let mut elements = Vec::new();
        for element in named.into_iter().rev() {
            if has_spread {
                self.push(element, scope, Want::Effects);
            } else {
                elements.push(self.value(element, scope));
            }
        }
        elements.reverse();
        self.set(slot, if has_spread { Expr::Unknown } else { Expr::Array(elements) });
    }

    /// Nodes that pass the value of their last (or only) expression on.
    fn wrapped(&mut self, node: Node<'t>, task: &Task<'t>, slot: Option<ExprIx>) {
        let children = self.children(node);
        let expressions: Vec<Node<'t>> =
            children.iter().filter(|child| child.1.is_named()).map(|child| child.1).collect();
        self.done(children);
        let is_type = |kind| matches!(kind, Kind::TypeArguments | Kind::TypeAnnotation);
        let last = match self.kind(node) {
            Kind::Sequence => expressions.last().copied(),
            _ => expressions.first().copied(),
        };
        for &expression in expressions.iter().rev() {
            if Some(expression) == last {
                let want = slot.map_or(Want::Effects, Want::Value);
                self.tasks.push(Task { node: expression, want, ..*task });
            } else if is_type(self.kind(expression)) {
                self.type_of(expression, task.scope);
            } else {
                self.push(expression, task.scope, Want::Effects);
            }
        }
    }

    fn cast(&mut self, node: Node<'t>, scope: ScopeIx, slot: Option<ExprIx>, context: Option<Context>) {
        let is_assertion = self.kind(node) == Kind::TypeAssertion;
        let is_satisfies = self.kind(node) == Kind::Satisfies;
        let children = self.children(node);
        let mut named = children.iter().filter(|child| child.1.is_named()).map(|child| child.1);
        let (first, second) = (named.next(), named.next());
        self.done(children);
        let (value, to) = if is_assertion { (second, first) } else { (first, second) };
        let Some(value) = value else { return };
        let Some(to) = to else {
            // `as const`
            let want = slot.map_or(Want::Effects, Want::Value);
            self.tasks.push(Task { node: value, scope, want, context, tested: Tested::No });
            return;
        };
        // `<T>value` has its type in a list of one.
        let to = if is_assertion { self.first_named(to).unwrap_or(to) } else { to };
        let to = self.type_of(to, scope);
        let context = Some(Context::Type(to));
        if is_satisfies {
            let want = slot.map_or(Want::Effects, Want::Value);
            self.tasks.push(Task { node: value, scope, want, context, tested: Tested::No });
        } else {
            let value = self.value_in(value, scope, context);
            self.set(slot, Expr::Cast { value, to });
        }
    }

    fn ternary(&mut self, node: Node<'t>, scope: ScopeIx, slot: Option<ExprIx>, context: Option<Context>) {
        let children = self.children(node);
        let mut values = Vec::new();
        let mut tested = None;
        if let (Some(_), Some(condition), Some(value)) =
            (slot, child_in(&children, Field::Condition), child_in(&children, Field::Consequence))
        {
            tested = self.test_of(condition, value, scope);
        }
        for &(field, child) in children.iter().rev() {
            match field {
                Field::Consequence if tested.is_some() => {
                    let value = self.value(child, scope);
                    let slot = self.expression_slot();
                    if let Some(test) = tested {
                        self.set(Some(slot), Expr::Tested { value, test });
                    }
                    values.push(slot);
                }
                Field::Condition => {
                    let want = Want::Effects;
                    self.tasks.push(Task {
                        node: child,
                        scope,
                        want,
                        context: None,
                        tested: Tested::Condition,
                    });
                }
                Field::Consequence | Field::Alternative if slot.is_some() => {
                    values.push(self.value_in(child, scope, context));
                }
                _ if child.is_named() => {
                    self.tasks.push(Task {
                        node: child,
                        scope,
                        want: Want::Effects,
                        context,
                        tested: Tested::No,
                    });
                }
                _ => {}
            }
        }
        self.done(children);
        values.reverse();
        self.set(slot, Expr::OneOf(values));
    }

    fn binary(&mut self, node: Node<'t>, task: &Task<'t>, slot: Option<ExprIx>) {
        let Task { scope, context, tested, .. } = *task;
        let children = self.children(node);
        let (left, right) = (child_in(&children, Field::Left), child_in(&children, Field::Right));
        let operator = child_in(&children, Field::Operator).map_or(Token::Other, |node| self.token(node));
        self.done(children);
        let (Some(left), Some(right)) = (left, right) else { return };
        match operator {
            Token::And | Token::Or | Token::Nullish => {
                let right_want = match slot {
                    Some(_) => Want::Value(self.expression_slot()),
                    None => Want::Effects,
                };
                self.tasks.push(Task { node: right, scope, want: right_want, context, tested });
                // The left side is a value and a test at once.
                let left_want = match slot {
                    Some(_) if operator != Token::And => Want::Value(self.expression_slot()),
                    _ => Want::Effects,
                };
                self.tasks.push(Task {
                    node: left,
                    scope,
                    want: left_want,
                    context,
                    tested: Tested::Condition,
                });
                let values = [left_want, right_want].into_iter().filter_map(|want| match want {
                    Want::Value(slot) => Some(slot),
                    _ => None,
                });
                let values = values.collect();
                self.set(slot, Expr::OneOf(values));
                return;
            }
            Token::InstanceOf => {
                let class = self.value(right, scope);
                self.instance_guard(left, class, scope);
                self.push(left, scope, Want::Effects);
                self.set(slot, Expr::Literal(Literal::Boolean));
                return;
            }
            Token::In => {
                self.discriminant(right, scope);
                self.set(slot, Expr::Literal(Literal::Boolean));
            }
            Token::Identical | Token::NotIdentical | Token::Equal | Token::NotEqual => {
                self.discriminant_operand(left, scope);
                self.discriminant_operand(right, scope);
                self.set(slot, Expr::Literal(Literal::Boolean));
            }
            Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => {
                self.set(slot, Expr::Literal(Literal::Boolean));
            }
            Token::Plus => {
                let is_text = |node| matches!(self.kind(node), Kind::String | Kind::TemplateString);
                if is_text(left) || is_text(right) {
                    self.set(slot, Expr::Literal(Literal::String));
                }
            }
            _ => self.set(slot, Expr::Literal(Literal::Number)),
        }
        self.push(right, scope, Want::Effects);
        self.push(left, scope, Want::Effects);
    }

    fn unary(&mut self, node: Node<'t>, scope: ScopeIx, slot: Option<ExprIx>) {
        let children = self.children(node);
        let operator = children.first().map_or(Token::Other, |child| self.token(child.1));
        let operand = children.iter().map(|child| child.1).find(Node::is_named);
        self.done(children);
        let Some(operand) = operand else { return };
        let literal = match operator {
            Token::Bang => Some(Literal::Boolean),
            Token::TypeOf => {
                self.discriminant_operand(operand, scope);
                Some(Literal::String)
            }
            Token::Void => Some(Literal::Nullish),
            Token::Minus | Token::Plus | Token::Tilde => Some(Literal::Number),
            _ => None,
        };
        if let Some(literal) = literal {
            self.set(slot, Expr::Literal(literal));
        }
        let tested = if operator == Token::Bang { Tested::Condition } else { Tested::No };
        self.tasks.push(Task { node: operand, scope, want: Want::Effects, context: None, tested });
    }

    fn assignment(&mut self, node: Node<'t>, scope: ScopeIx, slot: Option<ExprIx>) {
        let children = self.children(node);
        let (left, right) = (child_in(&children, Field::Left), child_in(&children, Field::Right));
        let is_using = children.iter().any(|child| self.token(child.1) == Token::Using);
        self.done(children);
        let (Some(left), Some(right)) = (left, right) else { return };
        if is_using {
            // The grammars in use read `using x = e` as an assignment.
            self.declare_variable(left, None, Some(right), scope, scope);
            return;
        }
        self.assign_to(left, scope);
        if self.commonjs_export(left, right, scope) {
            return;
        }
        let assigned = if self.kind(left) == Kind::Member { self.field(left, Field::Property) } else { None };
        match assigned.and_then(|property| self.declared.symbol_at(property.start_byte())) {
            // `Type.prototype.method = function () {}`: what stands in the function is called by the method.
            Some(symbol) if slot.is_none() => {
                self.initializer(right, Some(symbol), None, scope);
            }
            _ => self.push(right, scope, slot.map_or(Want::Effects, Want::Value)),
        }
    }

    fn update(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children: Vec<Child<'t>> = self.children(node);
        for &(field, child) in &children {
            if matches!(field, Field::Left) || (field == Field::Other && child.is_named()) {
                self.assign_to(child, scope);
            }
            if field == Field::Right {
                self.push(child, scope, Want::Effects);
            }
        }
        // `argument` of `x++` is the only named child there.
        self.done(children);
    }

    /// `module.exports = …`, `exports.x = …` and `module.exports.x = …` at the top of a file.
    fn commonjs_export(&mut self, left: Node<'t>, right: Node<'t>, scope: ScopeIx) -> bool {
        if self.kind(left) != Kind::Member || self.scope(scope).function.is_some() {
            return false;
        }
        let text = self.text_of(left);
        let (root, rest) = text.split_once('.').unwrap_or((text, ""));
        let property = match (root, rest) {
            ("module", "exports") => None,
            ("module", rest) => match rest.strip_prefix("exports.") {
                Some(name) => Some(name),
                None => return false,
            },
            ("exports", name) => Some(name),
            _ => return false,
        };
        if property.is_some_and(|name| !crate::model::is_identifier(name)) {
            return false;
        }
        let root = self.name(root);
        if self.lookup(scope, root, super::Meaning::VALUE).is_some() {
            return false;
        }
        let is_callable = matches!(
            self.kind(right),
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction | Kind::Class
        );
        let value = if !is_callable && self.has_jsdoc_type(left) {
            self.push(right, scope, Want::Effects);
            self.expression_slot()
        } else {
            let assigned = self.field(left, Field::Property).filter(|_| property.is_some());
            match assigned.and_then(|property| self.declared.symbol_at(property.start_byte())) {
                Some(symbol) => self.initializer(right, Some(symbol), None, scope),
                None => self.default_value(right, scope),
            }
        };
        match property {
            Some(name) => {
                let name = self.name(name);
                self.facts.commonjs_exports.push((name, value));
            }
            None if self.facts.export_equals.is_some() => {
                // Assigned twice: which one others see is not known.
                self.facts.export_equals = Some(self.expression_slot());
            }
            None => self.facts.export_equals = Some(value),
        }
        true
    }
}
