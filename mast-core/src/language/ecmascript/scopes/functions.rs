//! Functions of every form and their parameters.

use tree_sitter::Node;

use crate::model::{
    Asserted, BindingIx, BindingValue, Context, Declarer, ExprIx, FunctionFacts, FunctionIx, Parameter,
    SymbolIx, TypeParameter,
};

use super::bindings::ScopeIx;
use super::grammar::{Field, Kind, Token};
use super::{Analysis, Task, Tested, Want, child_in, index};

/// What `this` is inside a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum This {
    /// That of the code around it.
    Inherited,
    /// Depends on the caller.
    Unknown,
    /// A member of the class.
    Is(Declarer),
    /// What the function itself or its context says.
    Own,
}

/// What is known about a function from where it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) this: This,
    pub(super) symbol: Option<SymbolIx>,
    pub(super) context: Option<Context>,
}

impl<'t> Analysis<'t> {
    /// Records a function and visits its parts.
    pub(super) fn function(&mut self, node: Node<'t>, scope: ScopeIx, form: Form) -> FunctionIx {
        let function = FunctionIx(index(self.facts.functions.len()));
        let kind = self.kind(node);
        self.facts.functions.push(FunctionFacts {
            symbol: form.symbol,
            context: form.context,
            is_generator: matches!(kind, Kind::GeneratorFunction | Kind::GeneratorFunctionDeclaration),
            ..FunctionFacts::default()
        });
        let children = self.children(node);
        let body = child_in(&children, Field::Body);
        self.has_body.push(body.is_some());
        let mut outer = scope;
        if matches!(kind, Kind::FunctionExpression | Kind::GeneratorFunction)
            && let Some(name) = child_in(&children, Field::Name)
        {
            outer = self.inner_scope(scope);
            let name = self.name_of(name);
            self.declare(outer, name, BindingValue::Function(function));
        }
        let parameters_scope = self.inner_scope(outer);
        {
            let caller = self.caller_within(form.symbol, parameters_scope);
            let inner = &mut self.scopes[parameters_scope.at()];
            inner.function = Some(function);
            inner.namespace = None;
            inner.caller = caller;
            match form.this {
                This::Inherited => {}
                This::Unknown => (inner.this, inner.home) = (None, None),
                This::Is(declarer) => inner.this = Some(declarer),
                This::Own => (inner.this, inner.home) = (Some(Declarer::Function(function)), None),
            }
        }
        let mut return_type = None;
        self.parameter_names.clear();
        for &(field, child) in &children {
            match (field, self.token(child)) {
                (_, Token::Async) => self.facts.functions[function.at()].is_async = true,
                (_, Token::Star) => self.facts.functions[function.at()].is_generator = true,
                (Field::TypeParameters, _) => {
                    let parameters = self.type_parameters(child, parameters_scope);
                    self.facts.functions[function.at()].type_parameters = parameters;
                }
                (Field::Parameters, _) => self.parameters(child, function, parameters_scope, body.is_some()),
                (Field::Parameter, _) => {
                    self.parameter_pattern(child, None, None, false, function, parameters_scope);
                }
                (Field::ReturnType, _) => return_type = Some(child),
                // `construct_signature` names its return type so.
                (Field::Type, _) => return_type = Some(child),
                (Field::Decorator, _) => self.push(child, scope, Want::Effects),
                _ => {}
            }
        }
        self.done(children);
        if let Some(written) = return_type {
            self.return_type(written, function, parameters_scope);
        } else if body.is_none() {
            // A signature without a return type returns `any`.
            let any = self.type_slot();
            self.facts.functions[function.at()].return_type = Some(any);
        }
        if let Some(body) = body {
            self.body(body, function, parameters_scope, return_type.is_none());
        }
        function
    }

    fn body(&mut self, body: Node<'t>, function: FunctionIx, scope: ScopeIx, is_inferred: bool) {
        let inner = self.inner_scope(scope);
        self.scopes[inner.at()].hoists = true;
        if self.kind(body) == Kind::StatementBlock {
            // The block's own children: the body scope is the block's scope.
            let children = self.children(body);
            self.push_all(&children, inner, Tested::No);
            self.done(children);
            return;
        }
        let context = Some(Context::Returned(function));
        let want = if is_inferred {
            let slot = self.expression_slot();
            self.facts.functions[function.at()].returns.push(slot);
            Want::Value(slot)
        } else {
            Want::Effects
        };
        self.tasks.push(Task { node: body, scope: inner, want, context, tested: Tested::No });
    }

    /// `return …` or `yield …`.
    pub(super) fn returned(&mut self, node: Node<'t>, scope: ScopeIx, is_yield: bool) {
        let children = self.children(node);
        let value = children.iter().map(|child| child.1).find(Node::is_named);
        let delegates = children.iter().any(|child| self.token(child.1) == Token::Star);
        self.done(children);
        let function = self.scope(scope).function;
        let Some(value) = value else {
            if let (Some(function), false) = (function, is_yield) {
                self.returns_nothing(function);
            }
            return;
        };
        let Some(function) = function else {
            self.push(value, scope, Want::Effects);
            return;
        };
        let facts = &self.facts.functions[function.at()];
        let context = Some(Context::Returned(function));
        let is_wanted = facts.return_type.is_none() && facts.is_generator == is_yield;
        let mut want = Want::Effects;
        if is_wanted {
            let slot = self.expression_slot();
            self.facts.functions[function.at()].returns.push(slot);
            want = Want::Value(slot);
            if delegates {
                let source = self.expression_slot();
                self.set(Some(slot), crate::model::Expr::Element(source));
                want = Want::Value(source);
            }
        }
        self.tasks.push(Task { node: value, scope, want, context, tested: Tested::No });
    }

    fn returns_nothing(&mut self, function: FunctionIx) {
        if self.facts.functions[function.at()].return_type.is_none() {
            let slot = self.expression_slot();
            self.set(Some(slot), crate::model::Expr::Literal(crate::model::Literal::Nullish));
            self.facts.functions[function.at()].returns.push(slot);
        }
    }

    pub(super) fn return_type(&mut self, node: Node<'t>, function: FunctionIx, scope: ScopeIx) {
        let mut node = node;
        loop {
            match self.kind(node) {
                Kind::TypePredicateAnnotation | Kind::AssertsAnnotation | Kind::Asserts => {
                    let unknown = self.type_slot();
                    self.facts.functions[function.at()].return_type = Some(unknown);
                    let Some(inner) = self.first_named(node) else { return };
                    node = inner;
                }
                Kind::TypePredicate => {
                    let unknown = self.type_slot();
                    self.facts.functions[function.at()].return_type = Some(unknown);
                    let children = self.children(node);
                    let (name, asserted) =
                        (child_in(&children, Field::Name), child_in(&children, Field::Type));
                    self.done(children);
                    let (Some(name), Some(asserted)) = (name, asserted) else { return };
                    let asserted = self.type_of(asserted, scope);
                    let name = self.text_of(name);
                    let about = match self.parameter_names.iter().position(|known| *known == name) {
                        Some(position) => Asserted::Parameter(index(position)),
                        None => Asserted::This,
                    };
                    self.facts.functions[function.at()].predicate = Some((about, asserted));
                    return;
                }
                // `asserts x` names no type.
                Kind::Identifier | Kind::This => return,
                _ => {
                    let written = self.type_of(node, scope);
                    self.facts.functions[function.at()].return_type = Some(written);
                    return;
                }
            }
        }
    }

    fn parameters(&mut self, node: Node<'t>, function: FunctionIx, scope: ScopeIx, declares: bool) {
        let children = self.children(node);
        let parameters: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        for parameter in parameters {
            match self.kind(parameter) {
                Kind::RequiredParameter | Kind::OptionalParameter => {
                    let children = self.children(parameter);
                    let pattern =
                        child_in(&children, Field::Pattern).or_else(|| child_in(&children, Field::Name));
                    let annotation = child_in(&children, Field::Type);
                    let default = child_in(&children, Field::Value);
                    for &(_, child) in &children {
                        if self.kind(child) == Kind::Decorator {
                            self.push(child, scope, Want::Effects);
                        }
                    }
                    self.done(children);
                    let Some(pattern) = pattern else { continue };
                    let is_optional = self.kind(parameter) == Kind::OptionalParameter;
                    if self.kind(pattern) == Kind::This {
                        let written = annotation.map(|annotation| self.type_of(annotation, scope));
                        self.facts.functions[function.at()].this_type = written;
                        self.scopes[scope.at()].this = Some(Declarer::Function(function));
                    } else if declares {
                        self.parameter_pattern(pattern, annotation, default, is_optional, function, scope);
                    } else {
                        let annotation = annotation.map(|annotation| self.type_of(annotation, scope));
                        let is_rest = self.kind(pattern) == Kind::RestPattern;
                        self.parameter_names.push(self.text_of(pattern));
                        let parameter =
                            Parameter { binding: None, annotation, default: None, is_rest, is_optional };
                        self.facts.functions[function.at()].parameters.push(parameter);
                    }
                }
                Kind::Error => self.opaque_names(parameter, scope),
                _ => self.parameter_pattern(parameter, None, None, false, function, scope),
            }
        }
    }

    /// Declares what one parameter brings into scope.
    fn parameter_pattern(
        &mut self,
        pattern: Node<'t>,
        annotation: Option<Node<'t>>,
        default: Option<Node<'t>>,
        is_optional: bool,
        function: FunctionIx,
        scope: ScopeIx,
    ) {
        let (mut pattern, mut default, mut is_rest) = (pattern, default, false);
        loop {
            match self.kind(pattern) {
                Kind::AssignmentPattern => {
                    let children = self.children(pattern);
                    let (left, right) = (child_in(&children, Field::Left), child_in(&children, Field::Right));
                    self.done(children);
                    default = default.or(right);
                    let Some(left) = left else { return };
                    pattern = left;
                }
                Kind::RestPattern => {
                    is_rest = true;
                    let Some(inner) = self.first_named(pattern) else { return };
                    pattern = inner;
                }
                _ => break,
            }
        }
        let annotation = annotation.map(|annotation| self.type_of(annotation, scope));
        let context = annotation.map(Context::Type);
        let default = default.map(|default| self.value_in(default, scope, context));
        let position = index(self.facts.functions[function.at()].parameters.len());
        self.parameter_names.push(self.text_of(pattern));
        let value = BindingValue::Parameter { function, position };
        let binding = if self.kind(pattern) == Kind::Identifier {
            let name = self.name_of(pattern);
            self.declare(scope, name, value)
        } else {
            let nameless = self.name("");
            self.add_binding(nameless, value)
        };
        let parameter = Parameter {
            binding: Some(binding),
            annotation,
            default,
            is_rest,
            is_optional: is_optional || default.is_some(),
        };
        self.facts.functions[function.at()].parameters.push(parameter);
        if self.kind(pattern) != Kind::Identifier {
            let source = self.binding_value(binding);
            self.destructure(pattern, source, scope, scope);
        }
    }

    pub(super) fn binding_value(&mut self, binding: BindingIx) -> ExprIx {
        let slot = self.expression_slot();
        self.set(Some(slot), crate::model::Expr::Binding(binding));
        slot
    }

    /// Declares the type parameters of a function, class, interface or alias.
    pub(super) fn type_parameters(&mut self, node: Node<'t>, scope: ScopeIx) -> Vec<TypeParameter> {
        let children = self.children(node);
        let nodes: Vec<Node<'t>> = children.iter().map(|child| child.1).collect();
        self.done(children);
        let mut parameters = Vec::new();
        for node in nodes {
            if self.kind(node) != Kind::TypeParameter {
                continue;
            }
            let children = self.children(node);
            let name = child_in(&children, Field::Name);
            let constraint = child_in(&children, Field::Constraint);
            let default = child_in(&children, Field::Value);
            self.done(children);
            let Some(name) = name else { continue };
            let name = self.name_of(name);
            let constraint = constraint.map(|node| self.type_of(node, scope));
            let default = default.map(|node| self.type_of(node, scope));
            let binding = self.declare(scope, name, BindingValue::TypeParameter { constraint, default });
            parameters.push(TypeParameter { binding });
        }
        parameters
    }

    /// Names that a broken piece of source may declare: whatever else they mean here is not certain any more.
    pub(super) fn opaque_names(&mut self, node: Node<'t>, scope: ScopeIx) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match self.kind(node) {
                Kind::Identifier | Kind::ShorthandPropertyPattern | Kind::TypeIdentifier => {
                    let name = self.name_of(node);
                    let binding = self.declare(scope, name, BindingValue::Opaque);
                    self.facts.bindings[binding.at()].is_reassigned = true;
                }
                Kind::Error
                | Kind::FormalParameters
                | Kind::RequiredParameter
                | Kind::OptionalParameter
                | Kind::ObjectPattern
                | Kind::ArrayPattern
                | Kind::PairPattern
                | Kind::RestPattern
                | Kind::AssignmentPattern
                | Kind::ObjectAssignmentPattern => {
                    let children = self.children(node);
                    open.extend(children.iter().map(|child| child.1).filter(Node::is_named));
                    self.done(children);
                }
                _ => {}
            }
        }
    }
}
