//! Types as written, and the declarations made of nothing but types.

use tree_sitter::Node;

use crate::model::{
    BindingValue, FunctionIx, ImportKind, InterfaceFacts, InterfaceIx, Literal, Member, MemberKind, TypeExpr,
    TypeHead, TypeIx, TypeReference,
};

use super::bindings::{ScopeIx, Use};
use super::functions::{Form, This};
use super::grammar::{Field, Kind, Token};
use super::{Analysis, Want, child_in, index};

impl<'t> Analysis<'t> {
    /// Fills `slot` with the type `node` is, or is an annotation of.
    pub(super) fn visit_type(&mut self, node: Node<'t>, scope: ScopeIx, slot: TypeIx) {
        let written = match self.kind(node) {
            Kind::TypeAnnotation
            | Kind::ParenthesizedType
            | Kind::ReadonlyType
            | Kind::OptionalType
            | Kind::RestType
            | Kind::Constraint
            | Kind::DefaultType => {
                if let Some(inner) = self.first_named(node) {
                    self.push(inner, scope, Want::Type(slot));
                }
                return;
            }
            Kind::PredefinedType => self.predefined(node),
            Kind::LiteralType => self.literal_type(node),
            Kind::ThisType => TypeExpr::This,
            Kind::TypeIdentifier | Kind::Identifier => {
                self.type_name(node, Vec::new(), scope, slot);
                return;
            }
            Kind::NestedTypeIdentifier | Kind::NestedIdentifier => {
                self.type_name(node, Vec::new(), scope, slot);
                return;
            }
            Kind::GenericType => {
                let children = self.children(node);
                let name = child_in(&children, Field::Name);
                let arguments = child_in(&children, Field::TypeArguments);
                self.done(children);
                let arguments = arguments.map(|node| self.type_list(node, scope)).unwrap_or_default();
                if let Some(name) = name {
                    self.type_name(name, arguments, scope, slot);
                }
                return;
            }
            Kind::UnionType => TypeExpr::Union(self.operands(node, Kind::UnionType, scope)),
            Kind::IntersectionType => {
                TypeExpr::Intersection(self.operands(node, Kind::IntersectionType, scope))
            }
            Kind::ArrayType => match self.first_named(node) {
                Some(element) => TypeExpr::Array(self.type_of(element, scope)),
                None => TypeExpr::Unknown,
            },
            Kind::TupleType => self.tuple(node, scope),
            Kind::FunctionType => TypeExpr::Function(self.signature(node, scope)),
            Kind::ConstructorType => TypeExpr::Constructor(self.signature(node, scope)),
            Kind::ObjectType => self.object_type(node, scope),
            Kind::TypeQuery => self.type_query(node, scope),
            Kind::LookupType => self.lookup_type(node, scope),
            Kind::Call | Kind::Member | Kind::String | Kind::StatementBlock => {
                // `import("m").T` and what broken source leaves in a type's place.
                self.import_type(node, scope)
            }
            Kind::InferType => {
                self.infer_type(node, scope, slot);
                return;
            }
            Kind::ConditionalType => self.conditional_type(node, scope),
            _ => {
                self.inner_types(node, scope);
                TypeExpr::Unknown
            }
        };
        self.facts.types[slot.at()] = written;
    }

    /// Types inside a form that is not modelled: only their names matter.
    fn inner_types(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        for &(_, child) in children.iter().rev() {
            if child.is_named() {
                self.type_of(child, scope);
            }
        }
        self.done(children);
    }

    /// `infer U`, `infer U extends V`: a type parameter of the conditional type around it.
    fn infer_type(&mut self, node: Node<'t>, scope: ScopeIx, slot: TypeIx) {
        let children = self.children(node);
        let mut named = children.iter().map(|child| child.1).filter(Node::is_named);
        let (name, constraint) = (named.next(), named.next());
        self.done(children);
        let Some(name) = name else { return };
        let name = self.name_of(name);
        let constraint = constraint.map(|constraint| self.type_of(constraint, scope));
        let binding = self.declare(scope, name, BindingValue::TypeParameter { constraint, default: None });
        let head = TypeHead::Binding(binding);
        self.facts.types[slot.at()] = TypeExpr::Named { head, path: Vec::new(), arguments: Vec::new() };
    }

    fn conditional_type(&mut self, node: Node<'t>, scope: ScopeIx) -> TypeExpr {
        let inner = self.inner_scope(scope);
        let children = self.children(node);
        let (mut consequence, mut alternative) = (None, None);
        for &(field, child) in children.iter().rev() {
            if child.is_named() {
                let part = self.type_of(child, inner);
                match field {
                    Field::Consequence => consequence = Some(part),
                    Field::Alternative => alternative = Some(part),
                    _ => {}
                }
            }
        }
        self.done(children);
        match (consequence, alternative) {
            (Some(consequence), Some(alternative)) => TypeExpr::Conditional { consequence, alternative },
            _ => TypeExpr::Unknown,
        }
    }

    /// `{ [K in keyof T]: … }`; any other mapped type is unknown.
    fn mapped_type(&mut self, node: Node<'t>, scope: ScopeIx) -> TypeExpr {
        let children = self.children(node);
        let clause =
            children.iter().map(|child| child.1).find(|&child| self.kind(child) == Kind::MappedTypeClause);
        let value = child_in(&children, Field::Type);
        self.done(children);
        let Some(clause) = clause else { return TypeExpr::Unknown };
        let children = self.children(clause);
        let name = child_in(&children, Field::Name);
        let keys = child_in(&children, Field::Type);
        let alias = children.iter().any(|child| child.0 == Field::Alias);
        for &(field, child) in &children {
            if field == Field::Alias {
                self.type_of(child, scope);
            }
        }
        self.done(children);
        let (Some(name), Some(keys)) = (name, keys) else { return TypeExpr::Unknown };
        let name = self.name_of(name);
        let key = self.declare(scope, name, BindingValue::TypeParameter { constraint: None, default: None });
        let value = value.map(|value| self.type_of(value, scope));
        let source = match self.kind(keys) {
            Kind::IndexTypeQuery => self.first_named(keys),
            _ => None,
        };
        match source {
            Some(source) => {
                let source = self.type_of(source, scope);
                match value {
                    // With `as`, properties have other names.
                    Some(value) if !alias => TypeExpr::Mapped { source, key, value },
                    _ => TypeExpr::Unknown,
                }
            }
            None => {
                self.type_of(keys, scope);
                TypeExpr::Unknown
            }
        }
    }

    fn predefined(&self, node: Node<'t>) -> TypeExpr {
        match self.text_of(node) {
            "string" => TypeExpr::Primitive(Literal::String),
            "number" | "bigint" => TypeExpr::Primitive(Literal::Number),
            "boolean" => TypeExpr::Primitive(Literal::Boolean),
            "void" | "undefined" | "null" | "never" => TypeExpr::Nothing,
            _ => TypeExpr::Unknown,
        }
    }

    fn literal_type(&mut self, node: Node<'t>) -> TypeExpr {
        let Some(inner) = self.first_named(node) else { return TypeExpr::Unknown };
        match self.kind(inner) {
            Kind::String => TypeExpr::Constant(Literal::String),
            Kind::Number | Kind::Unary => TypeExpr::Constant(Literal::Number),
            Kind::True | Kind::False => TypeExpr::Constant(Literal::Boolean),
            Kind::Null | Kind::Undefined => TypeExpr::Nothing,
            _ => TypeExpr::Unknown,
        }
    }

    /// `A`, `A.B.C`, with arguments.
    fn type_name(&mut self, node: Node<'t>, arguments: Vec<TypeIx>, scope: ScopeIx, slot: TypeIx) {
        let mut path = Vec::new();
        let mut head = node;
        let mut last = None;
        while matches!(self.kind(head), Kind::NestedTypeIdentifier | Kind::NestedIdentifier | Kind::Member) {
            let children = self.children(head);
            let name = child_in(&children, Field::Name).or_else(|| child_in(&children, Field::Property));
            let module = child_in(&children, Field::Module).or_else(|| child_in(&children, Field::Object));
            self.done(children);
            let (Some(name), Some(module)) = (name, module) else { return };
            last = last.or(Some(name));
            let name = self.name_of(name);
            path.push(name);
            head = module;
        }
        path.reverse();
        let name = self.name_of(head);
        let at = last.unwrap_or(head).start_byte();
        self.facts.types[slot.at()] = TypeExpr::Named { head: TypeHead::Global(name), path, arguments };
        self.uses.push(Use::Type { slot, scope, name });
        self.references.push((at, TypeReference { to: slot, line: 0, column: 0 }));
    }

    /// Type arguments, or any other list of types.
    pub(super) fn type_list(&mut self, node: Node<'t>, scope: ScopeIx) -> Vec<TypeIx> {
        let children = self.children(node);
        let nodes: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        nodes.into_iter().map(|node| self.type_of(node, scope)).collect()
    }

    /// Operands of a union or intersection, which the grammar nests to the left.
    fn operands(&mut self, node: Node<'t>, kind: Kind, scope: ScopeIx) -> Vec<TypeIx> {
        let mut open = vec![node];
        let mut operands = Vec::new();
        while let Some(node) = open.pop() {
            if self.kind(node) != kind {
                operands.push(self.type_of(node, scope));
                continue;
            }
            let children = self.children(node);
            open.extend(children.iter().rev().map(|child| child.1).filter(Node::is_named));
            self.done(children);
        }
        operands
    }

    fn tuple(&mut self, node: Node<'t>, scope: ScopeIx) -> TypeExpr {
        let children = self.children(node);
        let nodes: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        let (mut has_rest, mut rest_is_last) = (false, false);
        let mut elements = Vec::new();
        for node in nodes {
            rest_is_last = !has_rest && self.is_rest_element(node);
            has_rest |= self.is_rest_element(node);
            let is_optional = matches!(self.kind(node), Kind::OptionalType | Kind::OptionalParameter);
            // `[name: T]` is read as a parameter.
            let element = match self.kind(node) {
                Kind::RequiredParameter | Kind::OptionalParameter => self.field(node, Field::Type),
                _ => Some(node),
            };
            let Some(element) = element else { continue };
            let mut element = self.type_of(element, scope);
            if is_optional {
                let nothing = self.type_slot();
                self.facts.types[nothing.at()] = TypeExpr::Nothing;
                let either = self.type_slot();
                self.facts.types[either.at()] = TypeExpr::Union(vec![element, nothing]);
                element = either;
            }
            elements.push(element);
        }
        if !has_rest {
            return TypeExpr::Tuple(elements);
        }
        match elements.pop() {
            Some(rest) if rest_is_last => TypeExpr::OpenTuple { first: elements, rest },
            _ => TypeExpr::Unknown,
        }
    }

    /// `...T[]` or `...name: T[]` in a tuple.
    fn is_rest_element(&mut self, node: Node<'t>) -> bool {
        match self.kind(node) {
            Kind::RestType => true,
            Kind::RequiredParameter => {
                let pattern = self.field(node, Field::Pattern).or_else(|| self.field(node, Field::Name));
                pattern.is_some_and(|pattern| self.kind(pattern) == Kind::RestPattern)
            }
            _ => false,
        }
    }

    fn signature(&mut self, node: Node<'t>, scope: ScopeIx) -> FunctionIx {
        self.function(node, scope, Form { this: This::Unknown, symbol: None, context: None })
    }

    fn type_query(&mut self, node: Node<'t>, scope: ScopeIx) -> TypeExpr {
        let Some(inner) = self.first_named(node) else { return TypeExpr::Unknown };
        let last = match self.kind(inner) {
            Kind::Identifier => Some(inner),
            Kind::Member => self.field(inner, Field::Property),
            _ => None,
        };
        let value = self.value(inner, scope);
        if let Some(last) = last {
            let to = self.type_slot();
            self.facts.types[to.at()] = TypeExpr::TypeOf(value);
            self.references.push((last.start_byte(), TypeReference { to, line: 0, column: 0 }));
        }
        TypeExpr::TypeOf(value)
    }

    /// `T["name"]`, `T[number]`.
    fn lookup_type(&mut self, node: Node<'t>, scope: ScopeIx) -> TypeExpr {
        let children = self.children(node);
        let mut named = children.iter().map(|child| child.1).filter(Node::is_named);
        let (object, key) = (named.next(), named.next());
        self.done(children);
        let (Some(object), Some(key)) = (object, key) else { return TypeExpr::Unknown };
        let object = self.type_of(object, scope);
        let key_type = self.type_of(key, scope);
        let text = self.text_of(key);
        if text == "number" {
            return TypeExpr::Element(object);
        }
        match text.strip_prefix(['"', '\'']).and_then(|text| text.strip_suffix(['"', '\''])) {
            Some(name) if !name.contains(['\\', '"', '\'']) => {
                TypeExpr::Indexed { object, name: self.name(name) }
            }
            _ => TypeExpr::IndexedBy { object, key: key_type },
        }
    }

    /// `import("m")` and `import("m").A.B` in a type.
    fn import_type(&mut self, node: Node<'t>, _scope: ScopeIx) -> TypeExpr {
        let mut path = Vec::new();
        let mut head = node;
        while self.kind(head) == Kind::Member {
            let children = self.children(head);
            let (object, property) =
                (child_in(&children, Field::Object), child_in(&children, Field::Property));
            self.done(children);
            let (Some(object), Some(property)) = (object, property) else { return TypeExpr::Unknown };
            path.push(self.name_of(property));
            head = object;
        }
        path.reverse();
        match self.declared.import_at(head.start_byte()) {
            Some(import)
                if self
                    .declared
                    .imports
                    .get(import as usize)
                    .is_some_and(|import| matches!(import.kind, ImportKind::Type | ImportKind::Dynamic)) =>
            {
                TypeExpr::Named { head: TypeHead::Import(import), path, arguments: Vec::new() }
            }
            _ => TypeExpr::Unknown,
        }
    }

    pub(super) fn interface_declaration(&mut self, node: Node<'t>, outer: ScopeIx) {
        let children = self.children(node);
        let name = child_in(&children, Field::Name);
        let parameters = child_in(&children, Field::TypeParameters);
        let body = child_in(&children, Field::Body);
        let extends =
            children.iter().map(|child| child.1).find(|&child| self.kind(child) == Kind::ExtendsTypeClause);
        self.done(children);
        let Some(name) = name else { return };
        let interface = InterfaceIx(index(self.facts.interfaces.len()));
        let symbol = self.declared.symbol_at(name.start_byte());
        self.facts.interfaces.push(InterfaceFacts { symbol, ..InterfaceFacts::default() });
        let scope = self.inner_scope(outer);
        if let Some(parameters) = parameters {
            let parameters = self.type_parameters(parameters, scope);
            self.facts.interfaces[interface.at()].type_parameters = parameters;
        }
        if let Some(extends) = extends {
            let extends = self.type_list(extends, scope);
            self.facts.interfaces[interface.at()].extends = extends;
        }
        if let Some(body) = body {
            self.interface_members(body, interface, scope);
        }
        let name = self.name_of(name);
        self.declare(outer, name, BindingValue::Interface(interface));
    }

    fn object_type(&mut self, node: Node<'t>, scope: ScopeIx) -> TypeExpr {
        let interface = InterfaceIx(index(self.facts.interfaces.len()));
        self.facts.interfaces.push(InterfaceFacts::default());
        let inner = self.inner_scope(scope);
        match self.interface_members(node, interface, inner) {
            Some(mapped) => mapped,
            None => TypeExpr::Literal(interface),
        }
    }

    /// Members of an interface or type literal; the mapped type, if it is one instead.
    fn interface_members(
        &mut self,
        body: Node<'t>,
        interface: InterfaceIx,
        scope: ScopeIx,
    ) -> Option<TypeExpr> {
        let children = self.children(body);
        let nodes: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        let mut mapped = None;
        for node in nodes {
            let kind = match self.kind(node) {
                Kind::PropertySignature => MemberKind::Property,
                Kind::MethodSignature => MemberKind::Method,
                Kind::CallSignature => MemberKind::Call,
                Kind::ConstructSignature => MemberKind::Constructor,
                Kind::IndexSignature => {
                    let children = self.children(node);
                    let is_mapped = children.iter().any(|child| self.kind(child.1) == Kind::MappedTypeClause);
                    self.done(children);
                    if is_mapped {
                        mapped = Some(self.mapped_type(node, scope));
                    } else {
                        self.inner_types(node, scope);
                    }
                    continue;
                }
                _ => {
                    self.inner_types(node, scope);
                    continue;
                }
            };
            self.interface_member(node, kind, interface, scope);
        }
        mapped
    }

    fn interface_member(&mut self, node: Node<'t>, kind: MemberKind, interface: InterfaceIx, scope: ScopeIx) {
        let children = self.children(node);
        let key = child_in(&children, Field::Name);
        let annotation = child_in(&children, Field::Type);
        let tokens: Vec<Token> = children.iter().map(|child| self.token(child.1)).collect();
        self.done(children);
        let text = key.and_then(|key| self.property_text(key));
        let name = text.map(|text| self.name(text));
        let symbol = key.and_then(|key| self.declared.symbol_at(key.start_byte()));
        let (kind, annotation, function) = match kind {
            MemberKind::Property => (kind, annotation.map(|node| self.type_of(node, scope)), None),
            _ => {
                let function =
                    self.function(node, scope, Form { this: This::Unknown, symbol, context: None });
                let kind = match kind {
                    MemberKind::Method if tokens.contains(&Token::Get) => MemberKind::Getter,
                    MemberKind::Method if tokens.contains(&Token::Set) => MemberKind::Setter,
                    kind => kind,
                };
                (kind, None, Some(function))
            }
        };
        self.facts.interfaces[interface.at()].members.push(Member {
            name,
            kind,
            is_static: false,
            is_private: false,
            symbol,
            annotation,
            initializer: None,
            function,
        });
    }
}
