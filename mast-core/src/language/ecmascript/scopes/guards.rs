//! Tests and assignments after which a value may have a narrower type than it was declared with.

use tree_sitter::Node;

use crate::model::{Asserted, ExprIx, GuardTest, NameIx};

use super::bindings::ScopeIx;
use super::grammar::{Field, Kind, Token};
use super::{Analysis, Want, child_in};

/// What is narrowed, before names are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject {
    /// The name as seen from the scope.
    Name(ScopeIx, NameIx),
    /// Any `….name`.
    Member(NameIx),
}

impl<'t> Analysis<'t> {
    /// The name of what can be narrowed, if `node` is that.
    fn subject(&mut self, node: Node<'t>, scope: ScopeIx) -> Option<Subject> {
        let mut node = node;
        loop {
            match self.kind(node) {
                Kind::Parenthesized | Kind::NonNull => node = self.first_named(node)?,
                Kind::Identifier => return Some(Subject::Name(scope, self.name_of(node))),
                Kind::Member => {
                    let property = self.field(node, Field::Property)?;
                    return Some(Subject::Member(self.name_of(property)));
                }
                _ => return None,
            }
        }
    }

    /// `object` is told apart from the other members of its union.
    pub(super) fn discriminant(&mut self, object: Node<'t>, scope: ScopeIx) {
        if let Some(subject) = self.subject(object, scope) {
            self.guards.push((subject, GuardTest::Discriminant));
        }
    }

    /// An operand of a comparison: narrows itself and what it is a member of.
    pub(super) fn discriminant_operand(&mut self, operand: Node<'t>, scope: ScopeIx) {
        let mut operand = operand;
        while matches!(self.kind(operand), Kind::Parenthesized | Kind::NonNull) {
            let Some(inner) = self.first_named(operand) else { return };
            operand = inner;
        }
        self.discriminant(operand, scope);
        if self.kind(operand) == Kind::Member
            && let Some(object) = self.field(operand, Field::Object)
        {
            self.discriminant(object, scope);
        }
    }

    pub(super) fn instance_guard(&mut self, subject: Node<'t>, class: ExprIx, scope: ScopeIx) {
        if let Some(subject) = self.subject(subject, scope) {
            self.guards.push((subject, GuardTest::InstanceOf(class)));
        }
    }

    /// The receiver may be narrowed by a method that is a type predicate.
    pub(super) fn receiver_guard(&mut self, node: Node<'t>, callee: ExprIx, scope: ScopeIx) {
        if self.kind(node) == Kind::Member
            && let Some(object) = self.field(node, Field::Object)
            && let Some(subject) = self.subject(object, scope)
        {
            self.guards.push((subject, GuardTest::Call { callee, subject: Asserted::This }));
        }
    }

    /// Each argument may be narrowed by a callee that is a type predicate or an assertion.
    pub(super) fn argument_guards(&mut self, callee: ExprIx, arguments: &[Node<'t>], scope: ScopeIx) {
        for (position, &argument) in arguments.iter().enumerate() {
            if let Some(subject) = self.subject(argument, scope) {
                let asserted = Asserted::Parameter(super::index(position));
                self.guards.push((subject, GuardTest::Call { callee, subject: asserted }));
            }
        }
    }

    /// The test a condition makes of the very name that `value` is.
    pub(super) fn test_of(
        &mut self,
        condition: Node<'t>,
        value: Node<'t>,
        scope: ScopeIx,
    ) -> Option<GuardTest> {
        let mut condition = condition;
        while self.kind(condition) == Kind::Parenthesized {
            condition = self.first_named(condition)?;
        }
        if self.kind(value) != Kind::Identifier {
            return None;
        }
        let name = self.text_of(value);
        let is_value = |analysis: &Self, node: Node<'t>| {
            analysis.kind(node) == Kind::Identifier && analysis.text_of(node) == name
        };
        let children = self.children(condition);
        let field = |wanted| child_in(&children, wanted);
        let (left, right) = (field(Field::Left), field(Field::Right));
        let operator = field(Field::Operator).map(|node| self.token(node));
        let (function, arguments) = (field(Field::Function), field(Field::Arguments));
        self.done(children);
        match self.kind(condition) {
            Kind::Binary if operator == Some(Token::InstanceOf) && is_value(self, left?) => {
                Some(GuardTest::InstanceOf(self.value(right?, scope)))
            }
            Kind::Call => {
                let arguments = self.children(arguments?);
                let position = arguments
                    .iter()
                    .filter(|child| child.1.is_named())
                    .position(|child| is_value(self, child.1));
                self.done(arguments);
                let subject = Asserted::Parameter(super::index(position?));
                // Looked at for what it is; the call itself is recorded where the condition is visited.
                Some(GuardTest::Call { callee: self.name_only(function?, scope)?, subject })
            }
            _ => None,
        }
    }

    /// The value of a plain name or a member of one, with nothing recorded twice.
    fn name_only(&mut self, node: Node<'t>, scope: ScopeIx) -> Option<ExprIx> {
        match self.kind(node) {
            Kind::Identifier => Some(self.value(node, scope)),
            Kind::Member => {
                let children = self.children(node);
                let (object, property) =
                    (child_in(&children, Field::Object), child_in(&children, Field::Property));
                self.done(children);
                let (object, property) = (object?, property?);
                matches!(self.kind(object), Kind::Identifier | Kind::This)
                    .then(|| self.value(node, scope))
                    .filter(|_| self.kind(property) == Kind::PropertyIdentifier)
            }
            _ => None,
        }
    }

    /// Something is assigned to `target`, which may be a pattern.
    pub(super) fn assign_to(&mut self, target: Node<'t>, scope: ScopeIx) {
        let mut open = vec![target];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::Identifier | Kind::ShorthandPropertyPattern => {
                    let name = self.name_of(node);
                    self.writes.push((scope, name));
                }
                Kind::Member => {
                    self.discriminant(node, scope);
                    self.push(node, scope, Want::Effects);
                }
                Kind::Subscript => self.push(node, scope, Want::Effects),
                Kind::ArrayPattern | Kind::ObjectPattern | Kind::RestPattern => {
                    let children = self.children(node);
                    open.extend(children.iter().map(|child| child.1).filter(Node::is_named));
                    self.done(children);
                }
                Kind::PairPattern => {
                    let children = self.children(node);
                    open.extend(child_in(&children, Field::Value));
                    if let Some(key) = child_in(&children, Field::Key) {
                        self.push(key, scope, Want::Effects);
                    }
                    self.done(children);
                }
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    let children = self.children(node);
                    open.extend(child_in(&children, Field::Left));
                    if let Some(right) = child_in(&children, Field::Right) {
                        self.push(right, scope, Want::Effects);
                    }
                    self.done(children);
                }
                Kind::Parenthesized
                | Kind::NonNull
                | Kind::AsExpression
                | Kind::Satisfies
                | Kind::SpreadElement => {
                    open.extend(self.first_named(node));
                }
                // `[a, b] = …` may be read as an array, `({ a } = …)` as an object.
                Kind::Array => {
                    let children = self.children(node);
                    open.extend(children.iter().map(|child| child.1).filter(Node::is_named));
                    self.done(children);
                }
                _ => self.push(node, scope, Want::Effects),
            }
        }
    }
}
