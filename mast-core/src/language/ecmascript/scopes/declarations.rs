//! Statements: what they declare and where.

use tree_sitter::Node;

use crate::model::{
    BindingValue, Context, Expr, ExprIx, ImportKind, NamespaceFacts, NamespaceIx, PathStep, SymbolIx,
    TypeAliasFacts, TypeAliasIx, TypeIx,
};

use super::bindings::ScopeIx;
use super::functions::{Form, This};
use super::grammar::{Field, Kind, Token};
use super::{Analysis, Child, Task, Tested, Want, child_in, index};

impl<'t> Analysis<'t> {
    pub(super) fn statement(&mut self, node: Node<'t>, scope: ScopeIx, tested: Tested) {
        match self.kind(node) {
            Kind::StatementBlock | Kind::SwitchBody | Kind::ForStatement | Kind::CatchClause => {
                let inner = self.inner_scope(scope);
                self.block(node, inner);
            }
            Kind::ClassStaticBlock => {
                let inner = self.inner_scope(scope);
                self.scopes[inner.at()].hoists = true;
                self.scopes[inner.at()].function = None;
                self.block(node, inner);
            }
            Kind::ForInStatement => self.for_in(node, scope),
            Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
                let target = match self.kind(node) {
                    Kind::VariableDeclaration => self.var_scope(scope),
                    _ => scope,
                };
                self.variables(node, target, scope);
            }
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::FunctionSignature => {
                let name = self.field(node, Field::Name);
                let symbol = self.declared.symbol_at(name.unwrap_or(node).start_byte());
                let form = Form { this: This::Unknown, symbol, context: None };
                let function = self.function(node, scope, form);
                if let Some(name) = name {
                    let name = self.name_of(name);
                    self.declare(scope, name, BindingValue::Function(function));
                }
            }
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration => {
                let name = self.field(node, Field::Name);
                let symbol = self.declared.symbol_at(name.unwrap_or(node).start_byte());
                let class = self.class(node, scope, symbol);
                if let Some(name) = name {
                    let name = self.name_of(name);
                    self.declare(scope, name, BindingValue::Class(class));
                }
            }
            Kind::InterfaceDeclaration => self.interface_declaration(node, scope),
            Kind::TypeAliasDeclaration => self.type_alias(node, scope),
            Kind::EnumDeclaration => self.enumeration(node, scope),
            Kind::InternalModule | Kind::Module => self.namespace(node, scope),
            Kind::AmbientDeclaration => self.ambient(node, scope),
            Kind::ImportStatement => self.import(node, scope),
            Kind::ImportAlias => self.import_alias(node, scope),
            Kind::ExportStatement => self.export(node, scope),
            Kind::Return => self.returned(node, scope, false),
            Kind::Yield => self.returned(node, scope, true),
            Kind::ExpressionStatement => {
                let children = self.children(node);
                // A call standing alone may be an assertion.
                self.push_all(&children, scope, Tested::Statement);
                self.done(children);
            }
            Kind::IfStatement | Kind::WhileStatement | Kind::DoStatement => {
                let children = self.children(node);
                for &(field, child) in children.iter().rev() {
                    if child.is_named() {
                        let tested = if field == Field::Condition { Tested::Condition } else { Tested::No };
                        self.tasks.push(Task {
                            node: child,
                            scope,
                            want: Want::Effects,
                            context: None,
                            tested,
                        });
                    }
                }
                self.done(children);
            }
            Kind::SwitchStatement => {
                let children = self.children(node);
                if let Some(mut value) = child_in(&children, Field::Value) {
                    while self.kind(value) == Kind::Parenthesized {
                        let Some(inner) = self.first_named(value) else { break };
                        value = inner;
                    }
                    self.discriminant_operand(value, scope);
                }
                self.push_all(&children, scope, Tested::No);
                self.done(children);
            }
            Kind::Error => {
                self.opaque_names(node, scope);
                let children = self.children(node);
                self.push_all(&children, scope, Tested::No);
                self.done(children);
            }
            Kind::ExportClause | Kind::MetaProperty => {}
            _ => {
                let children = self.children(node);
                self.push_all(&children, scope, tested);
                self.done(children);
            }
        }
    }

    /// Visits the children of a node that opens `scope`.
    fn block(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        if let Some(parameter) = child_in(&children, Field::Parameter) {
            self.opaque_pattern(parameter, scope);
        }
        for &(field, child) in children.iter().rev() {
            if !child.is_named() || field == Field::Parameter {
                continue;
            }
            if self.kind(node) == Kind::ClassStaticBlock && self.kind(child) == Kind::StatementBlock {
                let inner = self.children(child);
                self.push_all(&inner, scope, Tested::No);
                self.done(inner);
                continue;
            }
            let tested = if field == Field::Condition { Tested::Condition } else { Tested::No };
            self.tasks.push(Task { node: child, scope, want: Want::Effects, context: None, tested });
        }
        self.done(children);
    }

    fn for_in(&mut self, node: Node<'t>, outer: ScopeIx) {
        let scope = self.inner_scope(outer);
        let children = self.children(node);
        let left = child_in(&children, Field::Left);
        let right = child_in(&children, Field::Right);
        let body = child_in(&children, Field::Body);
        let is_of = child_in(&children, Field::Operator).is_some_and(|node| self.token(node) == Token::Of);
        let kind = child_in(&children, Field::KindOf).map(|node| self.token(node));
        self.done(children);
        if let Some(body) = body {
            self.push(body, scope, Want::Effects);
        }
        let (Some(left), Some(right)) = (left, right) else { return };
        if let Some(kind) = kind {
            let target = if kind == Token::Var { self.var_scope(scope) } else { scope };
            if is_of {
                let source = self.value(right, outer);
                self.destructure_with(left, target, scope, &|path| BindingValue::ElementOf { source, path });
                return;
            }
            self.opaque_pattern(left, target);
        } else {
            self.assign_to(left, outer);
        }
        self.push(right, outer, Want::Effects);
    }

    fn opaque_pattern(&mut self, pattern: Node<'t>, scope: ScopeIx) {
        self.destructure_with(pattern, scope, scope, &|_| BindingValue::Opaque);
    }

    fn variables(&mut self, node: Node<'t>, target: ScopeIx, scope: ScopeIx) {
        let is_stated = self.has_jsdoc_type(node);
        let children = self.children(node);
        let declarators: Vec<Node<'t>> =
            children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        // Initializers are visited last in, first out; declare in order, then let the stack run in order.
        let mark = self.tasks.len();
        for declarator in declarators {
            if self.kind(declarator) != Kind::VariableDeclarator {
                self.push(declarator, scope, Want::Effects);
                continue;
            }
            let children = self.children(declarator);
            let name = child_in(&children, Field::Name);
            let annotation = child_in(&children, Field::Type);
            let value = child_in(&children, Field::Value);
            self.done(children);
            if let Some(name) = name {
                let annotation = annotation.map(|node| self.type_of(node, scope));
                // What JSDoc says of a type is not read; that it says something is enough to know the value does not.
                let annotation = annotation.or_else(|| is_stated.then(|| self.type_slot()));
                self.declare_variable(name, annotation, value, target, scope);
            }
        }
        self.tasks[mark..].reverse();
    }

    /// Declares a variable in `target`; its initializer is read in `scope`.
    pub(super) fn declare_variable(
        &mut self,
        name: Node<'t>,
        annotation: Option<TypeIx>,
        value: Option<Node<'t>>,
        target: ScopeIx,
        scope: ScopeIx,
    ) {
        let is_name = self.kind(name) == Kind::Identifier;
        let symbol = if is_name { self.declared.symbol_at(name.start_byte()) } else { None };
        let initializer =
            value.map(|value| self.initializer(value, symbol, annotation.map(Context::Type), scope));
        if is_name {
            let name = self.name_of(name);
            self.declare(target, name, BindingValue::Variable { symbol, annotation, initializer });
            return;
        }
        // A nameless variable stands between the pattern and what is taken apart, to carry the annotation.
        let nameless = self.name("");
        let whole =
            self.add_binding(nameless, BindingValue::Variable { symbol: None, annotation, initializer });
        let source = self.binding_value(whole);
        self.destructure(name, source, target, scope);
    }

    /// Visits the initializer of a variable or property that is `symbol`.
    pub(super) fn initializer(
        &mut self,
        value: Node<'t>,
        symbol: Option<SymbolIx>,
        context: Option<Context>,
        scope: ScopeIx,
    ) -> ExprIx {
        let mut inner = scope;
        if symbol.is_some() {
            inner = self.inner_scope(scope);
            self.scopes[inner.at()].caller = self.caller_within(symbol, scope);
        }
        let slot = self.expression_slot();
        match self.kind(value) {
            Kind::ArrowFunction => {
                let function = self.function(value, inner, Form { this: This::Inherited, symbol, context });
                self.set(Some(slot), Expr::Function(function));
            }
            Kind::FunctionExpression | Kind::GeneratorFunction => {
                let function = self.function(value, inner, Form { this: This::Own, symbol, context });
                self.set(Some(slot), Expr::Function(function));
            }
            Kind::Class => {
                let class = self.class(value, inner, symbol);
                self.set(Some(slot), Expr::Class(class));
            }
            _ => self.tasks.push(Task {
                node: value,
                scope: inner,
                want: Want::Value(slot),
                context,
                tested: Tested::No,
            }),
        }
        slot
    }

    /// Declares the names of a pattern that takes `source` apart.
    pub(super) fn destructure(&mut self, pattern: Node<'t>, source: ExprIx, target: ScopeIx, scope: ScopeIx) {
        self.destructure_with(pattern, target, scope, &|path| BindingValue::Destructured {
            symbol: None,
            source,
            path,
            default: None,
        });
    }

    fn destructure_with(
        &mut self,
        pattern: Node<'t>,
        target: ScopeIx,
        scope: ScopeIx,
        make: &dyn Fn(Vec<PathStep>) -> BindingValue,
    ) {
        let mut open = vec![(pattern, Vec::new(), None)];
        while let Some((node, mut path, default)) = open.pop() {
            match self.kind(node) {
                Kind::Identifier | Kind::ShorthandPropertyPattern => {
                    let name = self.name_of(node);
                    if self.kind(node) == Kind::ShorthandPropertyPattern {
                        path.push(PathStep::Property(name));
                    }
                    let mut value = make(path);
                    if let BindingValue::Destructured { symbol, default: slot, .. } = &mut value {
                        *symbol = self.declared.symbol_at(node.start_byte());
                        *slot = default;
                    }
                    self.declare(target, name, value);
                }
                Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                    let children = self.children(node);
                    let (left, right) = (child_in(&children, Field::Left), child_in(&children, Field::Right));
                    self.done(children);
                    let default = right.map(|right| self.value(right, scope));
                    if let Some(left) = left {
                        open.push((left, path, default));
                    }
                }
                Kind::ArrayPattern => {
                    let children = self.children(node);
                    let mut position = 0;
                    for &(_, child) in &children {
                        if !child.is_named() {
                            position += u32::from(self.text_of(child) == ",");
                            continue;
                        }
                        let mut path = path.clone();
                        if self.kind(child) != Kind::RestPattern {
                            path.push(PathStep::Index(position));
                        }
                        open.push((child, path, None));
                    }
                    self.done(children);
                }
                Kind::ObjectPattern => {
                    let children = self.children(node);
                    for &(_, child) in children.iter().filter(|child| child.1.is_named()) {
                        open.push((child, path.clone(), None));
                    }
                    self.done(children);
                }
                Kind::PairPattern => {
                    let children = self.children(node);
                    let (key, value) = (child_in(&children, Field::Key), child_in(&children, Field::Value));
                    self.done(children);
                    let (Some(key), Some(value)) = (key, value) else { continue };
                    match self.property_text(key) {
                        Some(text) => {
                            let name = self.name(text);
                            path.push(PathStep::Property(name));
                            open.push((value, path, None));
                        }
                        None => {
                            self.push(key, scope, Want::Effects);
                            // Two rests lead nowhere, which is what is known under a computed key.
                            open.push((value, vec![PathStep::Rest, PathStep::Rest], None));
                        }
                    }
                }
                Kind::RestPattern => {
                    path.push(PathStep::Rest);
                    if let Some(inner) = self.first_named(node) {
                        open.push((inner, path, None));
                    }
                }
                Kind::Error => self.opaque_names(node, target),
                _ => {}
            }
        }
    }

    fn type_alias(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        let name = child_in(&children, Field::Name);
        let parameters = child_in(&children, Field::TypeParameters);
        let value = child_in(&children, Field::Value);
        self.done(children);
        let Some(name) = name else { return };
        let inner = self.inner_scope(scope);
        let type_parameters = parameters.map(|node| self.type_parameters(node, inner)).unwrap_or_default();
        let target = match value {
            Some(value) => self.type_of(value, inner),
            None => self.type_slot(),
        };
        let alias = TypeAliasIx(index(self.facts.aliases.len()));
        let symbol = self.declared.symbol_at(name.start_byte());
        self.facts.aliases.push(TypeAliasFacts { symbol, type_parameters, target });
        let name = self.name_of(name);
        self.declare(scope, name, BindingValue::TypeAlias(alias));
    }

    fn enumeration(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        let (name, body) = (child_in(&children, Field::Name), child_in(&children, Field::Body));
        self.done(children);
        let Some(name) = name else { return };
        let namespace = NamespaceIx(index(self.facts.namespaces.len()));
        let symbol = self.declared.symbol_at(name.start_byte());
        self.facts.namespaces.push(NamespaceFacts { symbol, exports: Vec::new(), is_enum: true });
        let name = self.name_of(name);
        self.declare(scope, name, BindingValue::Namespace(namespace));
        let Some(body) = body else { return };
        let inner = self.inner_scope(scope);
        let children = self.children(body);
        for &(field, child) in children.iter().rev() {
            let member = match self.kind(child) {
                Kind::EnumAssignment => {
                    if let Some(value) = self.field(child, Field::Value) {
                        self.push(value, inner, Want::Effects);
                    }
                    self.field(child, Field::Name)
                }
                _ if field == Field::Name => Some(child),
                _ => None,
            };
            if let Some(text) = member.and_then(|member| self.property_text(member)) {
                let name = self.name(text);
                self.declare(inner, name, BindingValue::Opaque);
            }
        }
        self.done(children);
    }

    fn namespace(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        let (name, body) = (child_in(&children, Field::Name), child_in(&children, Field::Body));
        self.done(children);
        let Some(name) = name else { return };
        if self.kind(name) == Kind::String {
            // `declare module "m"` describes another module.
            self.facts.augments_globals = true;
            if let Some(body) = body {
                let inner = self.inner_scope(scope);
                self.scopes[inner.at()].hoists = true;
                self.block(body, inner);
            }
            return;
        }
        // `namespace A.B` is a namespace in a namespace.
        let mut segments = vec![];
        let mut rest = name;
        while matches!(self.kind(rest), Kind::NestedIdentifier | Kind::Member) {
            let children = self.children(rest);
            segments.extend(child_in(&children, Field::Property));
            let object = child_in(&children, Field::Object);
            self.done(children);
            let Some(object) = object else { break };
            rest = object;
        }
        segments.push(rest);
        let (mut scope, mut outer) = (scope, None);
        while let Some(segment) = segments.pop() {
            let symbol = self.declared.symbol_at(segment.start_byte());
            let name = self.name_of(segment);
            let (namespace, inner) = self.open_namespace(name, symbol, scope);
            if let Some(outer) = outer {
                self.exports.push((outer, scope, name));
            }
            (scope, outer) = (inner, Some(namespace));
        }
        if let Some(body) = body {
            let children = self.children(body);
            if self.scope(scope).ambient
                && let Some(namespace) = outer
            {
                for &(_, child) in &children {
                    self.export_names(child, namespace, scope);
                }
            }
            self.push_all(&children, scope, Tested::No);
            self.done(children);
        }
    }

    /// The namespace of this name in this scope and the scope of its blocks, which all blocks share: an exported
    /// name of one is visible in the others.
    fn open_namespace(
        &mut self,
        name: crate::model::NameIx,
        symbol: Option<SymbolIx>,
        scope: ScopeIx,
    ) -> (NamespaceIx, ScopeIx) {
        let known = self.table.get(&(scope, name)).and_then(|binding| {
            self.facts.bindings[binding.at()].values.iter().find_map(|value| match value {
                BindingValue::Namespace(namespace) => Some(*namespace),
                _ => None,
            })
        });
        if let Some(namespace) = known
            && let Some(at) = self.scopes.iter().position(|scope| scope.namespace == Some(namespace))
        {
            return (namespace, ScopeIx(index(at)));
        }
        let namespace = NamespaceIx(index(self.facts.namespaces.len()));
        self.facts.namespaces.push(NamespaceFacts { symbol, exports: Vec::new(), is_enum: false });
        self.declare(scope, name, BindingValue::Namespace(namespace));
        let inner = self.inner_scope(scope);
        let caller = self.caller_within(symbol, inner);
        let block = &mut self.scopes[inner.at()];
        block.hoists = true;
        block.namespace = Some(namespace);
        block.this = None;
        block.caller = caller;
        (namespace, inner)
    }

    fn ambient(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        let is_global = children.iter().any(|child| self.token(child.1) == Token::Global);
        let was_ambient = self.scope(scope).ambient;
        let inner = if is_global {
            self.facts.augments_globals = true;
            self.inner_scope(scope)
        } else {
            scope
        };
        for &(_, child) in children.iter().rev() {
            if !child.is_named() {
                continue;
            }
            if matches!(self.kind(child), Kind::InternalModule | Kind::Module) {
                // Opened at once, while the scope is marked.
                self.scopes[inner.at()].ambient = true;
                self.namespace(child, inner);
                self.scopes[inner.at()].ambient = was_ambient;
            } else {
                self.push(child, inner, Want::Effects);
            }
        }
        self.done(children);
    }

    fn import(&mut self, node: Node<'t>, scope: ScopeIx) {
        let Some(import) = self.declared.import_at(node.start_byte()) else { return };
        let declared = self.declared;
        let Some(facts) = declared.imports.get(import as usize) else { return };
        if facts.kind == ImportKind::ReExport {
            return;
        }
        for (name, (_, local, _)) in facts.names.iter().enumerate() {
            let local = self.name(local);
            self.declare(scope, local, BindingValue::Import { import, name: index(name) });
        }
    }

    /// `import A = B.C`
    fn import_alias(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        let named: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        let [name, target] = named[..] else { return };
        let symbol = self.declared.symbol_at(name.start_byte());
        let initializer = Some(self.value(target, scope));
        let name = self.name_of(name);
        let binding =
            self.declare(scope, name, BindingValue::Variable { symbol, annotation: None, initializer });
        self.meanings[binding.at()] = super::Meaning::ALL;
        if let Some(namespace) = self.scope(scope).namespace {
            self.exports.push((namespace, scope, name));
        }
    }

    fn export(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children: Vec<Child<'t>> = self.children(node);
        if child_in(&children, Field::Source).is_some() {
            self.done(children);
            return;
        }
        let is_equals = children.iter().any(|child| self.token(child.1) == Token::Equals);
        let is_default = children.iter().any(|child| self.token(child.1) == Token::Default);
        let mut tasks = Vec::new();
        for &(field, child) in &children {
            if !child.is_named() || self.kind(child) == Kind::ExportClause {
                continue;
            }
            if field == Field::Declaration {
                if let Some(namespace) = self.scope(scope).namespace {
                    self.export_names(child, namespace, scope);
                }
                let is_class =
                    matches!(self.kind(child), Kind::ClassDeclaration | Kind::AbstractClassDeclaration);
                let is_nameless = is_default && self.field(child, Field::Name).is_none();
                if is_nameless && !is_class {
                    // `export default function () {}` may be read as a declaration without a name.
                    let value = self.default_value(child, scope);
                    self.facts.default_export = Some(value);
                } else {
                    tasks.push(Task {
                        node: child,
                        scope,
                        want: Want::Effects,
                        context: None,
                        tested: Tested::No,
                    });
                }
            } else if field == Field::Value || is_equals {
                let value = self.default_value(child, scope);
                if is_equals {
                    self.facts.export_equals = Some(value);
                } else {
                    self.facts.default_export = Some(value);
                }
            } else if self.kind(child) != Kind::Identifier {
                tasks.push(Task {
                    node: child,
                    scope,
                    want: Want::Effects,
                    context: None,
                    tested: Tested::No,
                });
            }
        }
        self.tasks.extend(tasks.into_iter().rev());
        self.done(children);
    }

    /// The value of a whole module; one that is anonymous is a symbol all the same.
    pub(super) fn default_value(&mut self, node: Node<'t>, scope: ScopeIx) -> ExprIx {
        let symbol = self.declared.symbol_at(node.start_byte()).or_else(|| {
            let name = self.field(node, Field::Name)?;
            self.declared.symbol_at(name.start_byte())
        });
        self.initializer(node, symbol, None, scope)
    }

    /// The names a declaration declares leave the namespace.
    fn export_names(&mut self, declaration: Node<'t>, namespace: NamespaceIx, scope: ScopeIx) {
        match self.kind(declaration) {
            Kind::LexicalDeclaration | Kind::VariableDeclaration => {
                let children = self.children(declaration);
                let declarators: Vec<Node<'t>> = children.iter().map(|child| child.1).collect();
                self.done(children);
                for declarator in declarators {
                    if let Some(name) = self.field(declarator, Field::Name)
                        && self.kind(name) == Kind::Identifier
                    {
                        let name = self.name_of(name);
                        self.exports.push((namespace, scope, name));
                    }
                }
            }
            Kind::AmbientDeclaration | Kind::ExpressionStatement | Kind::ExportStatement => {
                if let Some(inner) = self.first_named(declaration) {
                    // One level: these wrap a declaration, not each other.
                    if !matches!(self.kind(inner), Kind::AmbientDeclaration | Kind::ExpressionStatement) {
                        self.export_names(inner, namespace, scope);
                    }
                }
            }
            _ => {
                if let Some(name) = self.field(declaration, Field::Name) {
                    let mut name = name;
                    while matches!(self.kind(name), Kind::NestedIdentifier | Kind::Member) {
                        let Some(object) = self.field(name, Field::Object) else { return };
                        name = object;
                    }
                    let name = self.name_of(name);
                    self.exports.push((namespace, scope, name));
                }
            }
        }
    }
}
