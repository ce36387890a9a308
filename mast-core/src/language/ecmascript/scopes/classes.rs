//! Classes and their members.

use tree_sitter::Node;

use crate::model::{
    BindingValue, ClassFacts, ClassIx, Context, Declarer, FunctionIx, Member, MemberKind, SymbolIx, TypeExpr,
    TypeReference,
};

use super::bindings::{ScopeIx, merge_signatures};
use super::functions::{Form, This};
use super::grammar::{Field, Kind, Token};
use super::{Analysis, Want, child_in, index};

/// Words before a member's name.
#[derive(Debug, Clone, Copy, Default)]
struct Modifiers {
    is_static: bool,
    is_private: bool,
    is_getter: bool,
    is_setter: bool,
}

impl<'t> Analysis<'t> {
    /// Records a class and visits its parts.
    pub(super) fn class(&mut self, node: Node<'t>, outer: ScopeIx, symbol: Option<SymbolIx>) -> ClassIx {
        let class = ClassIx(index(self.facts.classes.len()));
        self.facts.classes.push(ClassFacts { symbol, ..ClassFacts::default() });
        let scope = self.inner_scope(outer);
        self.scopes[scope.at()].caller = self.caller_within(symbol, outer);
        self.scopes[scope.at()].namespace = None;
        let children = self.children(node);
        if self.kind(node) == Kind::Class
            && let Some(name) = child_in(&children, Field::Name)
        {
            let name = self.name_of(name);
            self.declare(scope, name, BindingValue::Class(class));
        }
        for &(field, child) in &children {
            match self.kind(child) {
                Kind::TypeParameters if field == Field::TypeParameters => {
                    let parameters = self.type_parameters(child, scope);
                    self.facts.classes[class.at()].type_parameters = parameters;
                }
                Kind::ClassHeritage => self.heritage(child, class, scope),
                Kind::Decorator => self.push(child, scope, Want::Effects),
                Kind::ClassBody => self.class_body(child, class, scope),
                _ => {}
            }
        }
        self.done(children);
        class
    }

    fn heritage(&mut self, node: Node<'t>, class: ClassIx, scope: ScopeIx) {
        let children = self.children(node);
        let clauses: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        for clause in clauses {
            match self.kind(clause) {
                Kind::ExtendsClause => {
                    let children = self.children(clause);
                    let value = child_in(&children, Field::Value);
                    let arguments = child_in(&children, Field::TypeArguments);
                    self.done(children);
                    let arguments = arguments.map(|node| self.type_list(node, scope)).unwrap_or_default();
                    if let Some(value) = value {
                        self.extends(value, class, arguments, scope);
                    }
                }
                Kind::ImplementsClause => {
                    let children = self.children(clause);
                    let types: Vec<Node<'t>> =
                        children.iter().map(|child| child.1).filter(Node::is_named).collect();
                    self.done(children);
                    for node in types {
                        let implemented = self.type_of(node, scope);
                        self.facts.classes[class.at()].implements.push(implemented);
                    }
                }
                // JavaScript: the expression itself.
                _ => self.extends(clause, class, Vec::new(), scope),
            }
        }
    }

    fn extends(
        &mut self,
        value: Node<'t>,
        class: ClassIx,
        arguments: Vec<crate::model::TypeIx>,
        scope: ScopeIx,
    ) {
        let parent = self.value(value, scope);
        self.facts.classes[class.at()].extends = Some((parent, arguments));
        let last = match self.kind(value) {
            Kind::Identifier => Some(value),
            Kind::Member => self.field(value, Field::Property),
            _ => None,
        };
        if let Some(last) = last {
            let to = self.type_slot();
            self.facts.types[to.at()] = TypeExpr::TypeOf(parent);
            self.references.push((last.start_byte(), TypeReference { to, line: 0, column: 0 }));
        }
    }

    fn class_body(&mut self, node: Node<'t>, class: ClassIx, scope: ScopeIx) {
        let instance = self.member_scope(scope, class, false);
        let statics = self.member_scope(scope, class, true);
        let children = self.children(node);
        let members: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        for member in members {
            match self.kind(member) {
                Kind::MethodDefinition | Kind::MethodSignature | Kind::AbstractMethodSignature => {
                    self.method(member, class, instance, statics);
                }
                Kind::PublicFieldDefinition | Kind::FieldDefinition => {
                    self.property(member, class, instance, statics);
                }
                Kind::ClassStaticBlock => self.push(member, statics, Want::Effects),
                Kind::IndexSignature => {
                    self.type_of(member, scope);
                }
                // A decorator stands before its member; what it calls is looked up outside the members.
                _ => self.push(member, scope, Want::Effects),
            }
        }
    }

    fn member_scope(&mut self, scope: ScopeIx, class: ClassIx, is_static: bool) -> ScopeIx {
        let inner = self.inner_scope(scope);
        let this = if is_static { Declarer::Static(class) } else { Declarer::Instance(class) };
        let member = &mut self.scopes[inner.at()];
        (member.this, member.home, member.function) = (Some(this), Some((class, is_static)), None);
        inner
    }

    fn modifiers(&mut self, node: Node<'t>) -> Modifiers {
        let mut modifiers = Modifiers::default();
        let children = self.children(node);
        for &(_, child) in &children {
            match self.token(child) {
                Token::Static => modifiers.is_static = true,
                Token::Get => modifiers.is_getter = true,
                Token::Set => modifiers.is_setter = true,
                _ => {}
            }
            modifiers.is_private |= self.kind(child) == Kind::AccessibilityModifier
                && self.text_of(child) == "private"
                || self.kind(child) == Kind::PrivatePropertyIdentifier;
        }
        self.done(children);
        modifiers
    }

    fn method(&mut self, node: Node<'t>, class: ClassIx, instance: ScopeIx, statics: ScopeIx) {
        let Some(key) = self.field(node, Field::Name) else { return };
        let modifiers = self.modifiers(node);
        let scope = if modifiers.is_static { statics } else { instance };
        let text = self.property_text(key);
        if text.is_none() {
            self.push(key, self.scope(scope).parent.unwrap_or(scope), Want::Effects);
        }
        let is_constructor = !modifiers.is_static && text == Some("constructor");
        let symbol = self
            .declared
            .symbol_at(if is_constructor { node.start_byte() } else { key.start_byte() })
            .or_else(|| self.declared.symbol_at(key.start_byte()));
        let this = if modifiers.is_static { Declarer::Static(class) } else { Declarer::Instance(class) };
        let form = Form { this: This::Is(this), symbol, context: None };
        let function = self.function(node, scope, form);
        if is_constructor {
            self.parameter_properties(node, class, function);
        }
        let kind = if is_constructor {
            MemberKind::Constructor
        } else if modifiers.is_getter {
            MemberKind::Getter
        } else if modifiers.is_setter {
            MemberKind::Setter
        } else {
            MemberKind::Method
        };
        let name = if is_constructor { None } else { text.map(|text| self.name(text)) };
        // A signature before its implementation.
        let mergeable = is_constructor || (kind == MemberKind::Method && name.is_some());
        let known = self.facts.classes[class.at()].members.iter().position(|member| {
            mergeable && member.kind == kind && member.name == name && member.is_static == modifiers.is_static
        });
        if let Some(at) = known
            && let Some(known) = self.facts.classes[class.at()].members[at].function
            && !self.has_body[known.at()]
        {
            let merged = merge_signatures(&mut self.facts, &mut self.has_body, known, function);
            let symbol = self.facts.functions[merged.at()].symbol;
            let member = &mut self.facts.classes[class.at()].members[at];
            (member.function, member.symbol) = (Some(merged), symbol);
            return;
        }
        self.facts.classes[class.at()].members.push(Member {
            name,
            kind,
            is_static: modifiers.is_static,
            is_private: modifiers.is_private,
            symbol,
            annotation: None,
            initializer: None,
            function: Some(function),
        });
    }

    /// `constructor(private store: Store)` declares a property as well.
    fn parameter_properties(&mut self, constructor: Node<'t>, class: ClassIx, function: FunctionIx) {
        let Some(parameters) = self.field(constructor, Field::Parameters) else { return };
        let children = self.children(parameters);
        let nodes: Vec<Node<'t>> = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        let mut position = 0;
        for node in nodes {
            if !matches!(self.kind(node), Kind::RequiredParameter | Kind::OptionalParameter) {
                continue;
            }
            let children = self.children(node);
            let pattern = child_in(&children, Field::Pattern).or_else(|| child_in(&children, Field::Name));
            let modifier = children.iter().find(|child| {
                self.kind(child.1) == Kind::AccessibilityModifier
                    || matches!(self.text_of(child.1), "readonly")
            });
            let is_property = modifier.is_some();
            let is_private = modifier.is_some_and(|child| self.text_of(child.1) == "private");
            self.done(children);
            let parameter = self.facts.functions[function.at()].parameters.get(position).cloned();
            position += 1;
            let (Some(pattern), Some(parameter), true) = (pattern, parameter, is_property) else { continue };
            let name = self.name_of(pattern);
            self.facts.classes[class.at()].members.push(Member {
                name: Some(name),
                kind: MemberKind::Property,
                is_static: false,
                is_private,
                symbol: self.declared.symbol_at(pattern.start_byte()),
                annotation: parameter.annotation,
                initializer: parameter.default,
                function: None,
            });
        }
    }

    fn property(&mut self, node: Node<'t>, class: ClassIx, instance: ScopeIx, statics: ScopeIx) {
        let modifiers = self.modifiers(node);
        let scope = if modifiers.is_static { statics } else { instance };
        let children = self.children(node);
        let key = child_in(&children, Field::Name).or_else(|| child_in(&children, Field::Property));
        let annotation = child_in(&children, Field::Type);
        let value = child_in(&children, Field::Value);
        for &(_, child) in &children {
            if self.kind(child) == Kind::Decorator {
                self.push(child, self.scope(scope).parent.unwrap_or(scope), Want::Effects);
            }
        }
        self.done(children);
        let Some(key) = key else { return };
        let text = self.property_text(key);
        if text.is_none() {
            self.push(key, self.scope(scope).parent.unwrap_or(scope), Want::Effects);
        }
        let symbol = self.declared.symbol_at(key.start_byte());
        let annotation = annotation.map(|node| self.type_of(node, scope));
        let initializer =
            value.map(|value| self.initializer(value, symbol, annotation.map(Context::Type), scope));
        let name = text.map(|text| self.name(text));
        self.facts.classes[class.at()].members.push(Member {
            name,
            kind: MemberKind::Property,
            is_static: modifiers.is_static,
            is_private: modifiers.is_private,
            symbol,
            annotation,
            initializer,
            function: None,
        });
    }
}
