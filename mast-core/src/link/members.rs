//! Members of types: which declaration `receiver.name` means, and its type.

use std::rc::Rc;

use crate::model::{BindingValue, ClassIx, FileId, MemberKind, TypeExpr};

use super::annotations::{awaited_type, extended, lookup, with_this};
use super::linker::{Linker, add, target};
use super::types::{At, Builtin, Declaration, Env, Type};
use super::{Module, Target};

/// A chain of base classes longer than this is taken for a circle.
const BASES: u32 = 32;

impl Linker<'_> {
    /// The declarations `receiver.name` means; `None` when that is not proven.
    pub(super) fn members(&mut self, receiver: &Type, name: &str) -> Option<Vec<Declaration>> {
        self.deeper(|linker| linker.find_members(receiver, name)).flatten()
    }

    fn find_members(&mut self, receiver: &Type, name: &str) -> Option<Vec<Declaration>> {
        match receiver {
            Type::Unknown
            | Type::Nothing
            | Type::Primitive(_)
            | Type::Builtin(..)
            | Type::Tuple(_)
            | Type::Function(_)
            | Type::Key(_)
            | Type::Constructor(_) => None,
            // A mapped property keeps the declaration of the property it is made of.
            Type::Mapped(mapped) => {
                let module = self.module(mapped.file)?;
                let TypeExpr::Mapped { source, .. } = &module.facts.types[mapped.ix.at()] else {
                    return None;
                };
                let source = self.written_type(&At { ix: *source, ..mapped.clone() });
                self.members(&source, name)
            }
            Type::Instance(class) => self.class_members(class, false, name, receiver),
            Type::Class(class) => self.class_members(class, true, name, receiver),
            Type::Interface(interface) => self.interface_members(interface, name, receiver),
            Type::Object(object) => self.object_members(object, name),
            Type::Namespace(file, namespace) => {
                let module = self.module(*file)?;
                let exports = &module.facts.namespaces[namespace.at()].exports;
                let (_, binding) =
                    exports.iter().find(|(ix, _)| module.facts.names[ix.0 as usize] == name)?;
                Some(vec![self.followed(*file, &module, *binding)?])
            }
            Type::Module(file) => Some(vec![self.export(*file, name)?]),
            Type::Parameter(file, binding) => {
                let constraint = self.constraint(*file, *binding);
                self.members(&constraint, name)
            }
            Type::Union(members) => {
                let mut found = Vec::new();
                for member in members.iter() {
                    for declaration in self.members(member, name)? {
                        add(&mut found, declaration);
                    }
                }
                Some(found)
            }
            Type::Intersection(members) => {
                let mut found = Vec::new();
                for member in members.iter() {
                    if member.is_unknown() {
                        return None;
                    }
                    for declaration in self.members(member, name).unwrap_or_default() {
                        add(&mut found, declaration);
                    }
                }
                (!found.is_empty()).then_some(found)
            }
        }
    }

    fn class_members(
        &mut self,
        class: &At<ClassIx>,
        is_static: bool,
        name: &str,
        receiver: &Type,
    ) -> Option<Vec<Declaration>> {
        let mut class = class.clone();
        for _ in 0..BASES {
            let module = self.module(class.file)?;
            let facts = &module.facts.classes[class.ix.at()];
            let is_named = |ix: Option<crate::model::NameIx>| {
                ix.is_some_and(|ix| module.facts.names[ix.0 as usize] == name)
            };
            let seen = At { env: with_this(&class.env, receiver), ..class.clone() };
            let own: Vec<usize> = (0..facts.members.len())
                .filter(|&at| facts.members[at].is_static == is_static && is_named(facts.members[at].name))
                .collect();
            if !own.is_empty() {
                // Of a getter and its setter, reading means the getter.
                let is_getter = |&at: &usize| facts.members[at].kind == MemberKind::Getter;
                let getter = own.iter().copied().find(is_getter);
                let chosen = getter.map_or(own, |getter| vec![getter]);
                return Some(
                    chosen.into_iter().map(|at| Declaration::ClassMember(seen.clone(), at)).collect(),
                );
            }
            if !is_static && let Some(found) = self.merged_members(&class, name, receiver) {
                return Some(found);
            }
            let base = self.base_class(&class, &module)?;
            match base {
                Type::Class(base) => class = base,
                Type::Instance(_) | Type::Interface(_) | Type::Intersection(_) if !is_static => {
                    return self.members(&base, name);
                }
                _ => return None,
            }
        }
        None
    }

    /// Members of interfaces that merge with a class.
    fn merged_members(
        &mut self,
        class: &At<ClassIx>,
        name: &str,
        receiver: &Type,
    ) -> Option<Vec<Declaration>> {
        let merged = self.merged(class.file);
        let mut found = Vec::new();
        for &ix in merged.classes.get(&class.ix)? {
            let env = self.shared_environment(class, ix);
            let interface = At { file: class.file, ix, env };
            found.extend(self.own_interface_members(&interface, name, receiver)?);
        }
        (!found.is_empty()).then_some(found)
    }

    /// Merged declarations each have type parameters of their own, alike by position.
    fn shared_environment(&mut self, class: &At<ClassIx>, interface: crate::model::InterfaceIx) -> Env {
        let module = self.module(class.file)?;
        let env = class.env.as_deref()?;
        let arguments: Vec<Type> = module.facts.classes[class.ix.at()]
            .type_parameters
            .iter()
            .filter_map(|parameter| lookup(env, class.file, parameter.binding))
            .collect();
        let parameters = module.facts.interfaces[interface.at()].type_parameters.clone();
        self.bind(class.file, &parameters, &arguments)
    }

    /// The class (seen with its type arguments) or instance type a class extends.
    pub(super) fn base_class(&mut self, class: &At<ClassIx>, module: &Module) -> Option<Type> {
        let (parent, arguments) = module.facts.classes[class.ix.at()].extends.as_ref()?;
        let env = class.env.clone();
        let parent = self.evaluate(&At { file: class.file, ix: *parent, env: env.clone() });
        match parent {
            Type::Class(base) => {
                let base_module = self.module(base.file)?;
                let parameters = base_module.facts.classes[base.ix.at()].type_parameters.clone();
                if parameters.is_empty() {
                    return Some(Type::Class(base));
                }
                let arguments: Vec<_> = arguments.iter().map(|&ix| At::new(class.file, ix, &env)).collect();
                let bound = self.environment(base.file, &parameters, &arguments);
                Some(Type::Class(At { env: bound, ..base }))
            }
            Type::Constructor(function) => {
                let module = self.module(function.file)?;
                let ix = module.facts.functions[function.ix.at()].return_type?;
                Some(self.written_type(&At { file: function.file, ix, env: function.env }))
            }
            Type::Interface(_) => {
                let arguments: Vec<_> = arguments.iter().map(|&ix| At::new(class.file, ix, &env)).collect();
                let arguments: Vec<Type> =
                    arguments.iter().map(|argument| self.written_type(argument)).collect();
                match self.constructed(&parent, &arguments, None) {
                    Type::Unknown => None,
                    instance => Some(instance),
                }
            }
            _ => None,
        }
    }

    fn interface_members(
        &mut self,
        interface: &At<crate::model::InterfaceIx>,
        name: &str,
        receiver: &Type,
    ) -> Option<Vec<Declaration>> {
        let merged = self.merged(interface.file);
        let siblings = merged.interfaces.get(&interface.ix).cloned().unwrap_or_else(|| vec![interface.ix]);
        let module = self.module(interface.file)?;
        let arguments: Vec<Type> = match interface.env.as_deref() {
            Some(env) => module.facts.interfaces[interface.ix.at()]
                .type_parameters
                .iter()
                .filter_map(|parameter| lookup(env, interface.file, parameter.binding))
                .collect(),
            None => Vec::new(),
        };
        let mut seen = Vec::new();
        for &ix in &siblings {
            let env = if ix == interface.ix {
                interface.env.clone()
            } else {
                let parameters = module.facts.interfaces[ix.at()].type_parameters.clone();
                self.bind(interface.file, &parameters, &arguments)
            };
            seen.push(At { file: interface.file, ix, env });
        }
        let mut found = Vec::new();
        for interface in &seen {
            found.extend(self.own_interface_members(interface, name, receiver).unwrap_or_default());
        }
        if !found.is_empty() {
            return Some(found);
        }
        for interface in &seen {
            for ix in module.facts.interfaces[interface.ix.at()].extends.clone() {
                let base = self.written_type(&At::new(interface.file, ix, &interface.env));
                // Behind a base that is not known, the name may be that one's.
                if base.is_unknown() {
                    return None;
                }
                if let Some(found) = self.members(&base, name) {
                    return Some(found);
                }
            }
        }
        None
    }

    fn own_interface_members(
        &mut self,
        interface: &At<crate::model::InterfaceIx>,
        name: &str,
        receiver: &Type,
    ) -> Option<Vec<Declaration>> {
        let module = self.module(interface.file)?;
        let members = &module.facts.interfaces[interface.ix.at()].members;
        let seen = At { env: with_this(&interface.env, receiver), ..interface.clone() };
        let is_named =
            |at: &usize| members[*at].name.is_some_and(|ix| module.facts.names[ix.0 as usize] == name);
        let found =
            (0..members.len()).filter(is_named).map(|at| Declaration::InterfaceMember(seen.clone(), at));
        Some(found.collect())
    }

    fn object_members(
        &mut self,
        object: &At<crate::model::ObjectIx>,
        name: &str,
    ) -> Option<Vec<Declaration>> {
        let module = self.module(object.file)?;
        let facts = &module.facts.objects[object.ix.at()];
        if facts.has_computed {
            return None;
        }
        // The last one written wins, whether it is a member or comes with a spread.
        let mut spreads = facts.spreads.iter().rev().peekable();
        for at in (0..=facts.members.len()).rev() {
            while let Some((before, source)) = spreads.peek().copied() {
                if (*before as usize) < at {
                    break;
                }
                spreads.next();
                let source = self.evaluate(&At { file: object.file, ix: *source, env: object.env.clone() });
                match source {
                    Type::Object(_) | Type::Interface(_) | Type::Module(_) => {
                        if let Some(found) = self.members(&source, name) {
                            return Some(found);
                        }
                        if self.may_have_more(&source, name) {
                            return None;
                        }
                    }
                    Type::Nothing => {}
                    _ => return None,
                }
            }
            let Some(member) = at.checked_sub(1).map(|at| &facts.members[at]) else { break };
            if module.facts.names[member.name.0 as usize] == name && member.kind != MemberKind::Setter {
                return Some(vec![Declaration::ObjectMember(object.clone(), at - 1)]);
            }
        }
        None
    }

    /// Whether a type may have members that are not seen.
    fn may_have_more(&mut self, value: &Type, name: &str) -> bool {
        match value {
            Type::Module(file) => !self.lacks_export(*file, name),
            Type::Object(object) => self.module(object.file).is_none_or(|module| {
                let facts = &module.facts.objects[object.ix.at()];
                facts.has_computed || !facts.spreads.is_empty()
            }),
            Type::Interface(interface) => self
                .module(interface.file)
                .is_none_or(|module| !module.facts.interfaces[interface.ix.at()].extends.is_empty()),
            _ => true,
        }
    }

    /// The symbols that are called when a declaration is called.
    pub(super) fn value_symbols(&mut self, declaration: &Declaration) -> Vec<Target> {
        match declaration {
            Declaration::Module(_) => Vec::new(),
            Declaration::Expression(file, value) => {
                let Some(module) = self.module(*file) else { return Vec::new() };
                let facts = &module.facts;
                let symbol = match &facts.expressions[value.at()] {
                    crate::model::Expr::Function(ix) => facts.functions[ix.at()].symbol,
                    crate::model::Expr::Class(ix) => facts.classes[ix.at()].symbol,
                    _ => None,
                };
                target(*file, symbol).into_iter().collect()
            }
            Declaration::Binding(file, binding) => self.binding_symbols(*file, *binding),
            Declaration::ClassMember(class, at) => {
                let Some(module) = self.module(class.file) else { return Vec::new() };
                let member = &module.facts.classes[class.ix.at()].members[*at];
                // Calling what a getter gives is not calling the getter.
                let symbol = if member.kind == MemberKind::Getter { None } else { member.symbol };
                target(class.file, symbol).into_iter().collect()
            }
            Declaration::InterfaceMember(interface, at) => {
                let Some(module) = self.module(interface.file) else { return Vec::new() };
                let member = &module.facts.interfaces[interface.ix.at()].members[*at];
                let symbol = if member.kind == MemberKind::Getter { None } else { member.symbol };
                target(interface.file, symbol).into_iter().collect()
            }
            Declaration::ObjectMember(object, at) => {
                let Some(module) = self.module(object.file) else { return Vec::new() };
                let member = &module.facts.objects[object.ix.at()].members[*at];
                let symbol = if member.kind == MemberKind::Getter { None } else { member.symbol };
                target(object.file, symbol).into_iter().collect()
            }
        }
    }

    fn binding_symbols(&mut self, file: FileId, binding: crate::model::BindingIx) -> Vec<Target> {
        let Some(module) = self.module(file) else { return Vec::new() };
        let facts = &module.facts;
        let Some(binding) = facts.bindings.get(binding.at()) else { return Vec::new() };
        if binding.is_reassigned {
            return Vec::new();
        }
        let symbol = binding.values.iter().find_map(|value| match value {
            BindingValue::Function(ix) => facts.functions[ix.at()].symbol,
            BindingValue::Class(ix) => facts.classes[ix.at()].symbol,
            BindingValue::Variable { symbol, .. } | BindingValue::Destructured { symbol, .. } => *symbol,
            _ => None,
        });
        target(file, symbol).into_iter().collect()
    }

    /// Type of the value a declaration holds.
    pub(super) fn declaration_type(&mut self, declaration: &Declaration) -> Type {
        match declaration {
            Declaration::Module(file) => Type::Module(*file),
            Declaration::Expression(file, value) => self.evaluate(&At { file: *file, ix: *value, env: None }),
            Declaration::Binding(file, binding) => self.binding_type(*file, *binding, &None),
            Declaration::ClassMember(class, at) => {
                let Some(module) = self.module(class.file) else { return Type::Unknown };
                let member = &module.facts.classes[class.ix.at()].members[*at];
                self.member_value(class.file, member, &class.env)
            }
            Declaration::InterfaceMember(interface, at) => {
                let Some(module) = self.module(interface.file) else { return Type::Unknown };
                let member = &module.facts.interfaces[interface.ix.at()].members[*at];
                self.member_value(interface.file, member, &interface.env)
            }
            Declaration::ObjectMember(object, at) => {
                let Some(module) = self.module(object.file) else { return Type::Unknown };
                let member = &module.facts.objects[object.ix.at()].members[*at];
                let value =
                    self.evaluate(&At { file: object.file, ix: member.value, env: object.env.clone() });
                match (member.kind, value) {
                    (MemberKind::Getter, function @ Type::Function(_)) => self.call_type(&function, None),
                    (_, value) => value,
                }
            }
        }
    }

    fn member_value(&mut self, file: FileId, member: &crate::model::Member, env: &Env) -> Type {
        match (member.kind, member.function) {
            (MemberKind::Method, Some(function)) => Type::Function(At::new(file, function, env)),
            (MemberKind::Getter, Some(function)) => {
                self.call_type(&Type::Function(At::new(file, function, env)), None)
            }
            (MemberKind::Property, _) => match (member.annotation, member.initializer) {
                (Some(annotation), _) => self.written_type(&At::new(file, annotation, env)),
                (None, Some(initializer)) => self.evaluate(&At::new(file, initializer, env)),
                (None, None) => Type::Unknown,
            },
            _ => Type::Unknown,
        }
    }

    /// Type of `receiver.name`.
    pub(super) fn member_type(&mut self, receiver: &Type, name: &str) -> Type {
        match receiver {
            Type::Builtin(kind, arguments) => match (kind, name) {
                (Builtin::Record, _) => arguments.get(1).cloned().unwrap_or(Type::Unknown),
                (Builtin::Iterable, "value") => arguments.first().cloned().unwrap_or(Type::Unknown),
                (_, "length" | "size") => Type::Primitive(crate::model::Literal::Number),
                _ => Type::Unknown,
            },
            Type::Union(members) => {
                let types: Vec<Type> = members.iter().map(|member| self.member_type(member, name)).collect();
                Type::union(types)
            }
            Type::Mapped(mapped) => {
                let Some(module) = self.module(mapped.file) else { return Type::Unknown };
                let TypeExpr::Mapped { key, value, .. } = &module.facts.types[mapped.ix.at()] else {
                    return Type::Unknown;
                };
                let env = extended(&mapped.env, &[(mapped.file, *key, Type::Key(name.into()))]);
                self.written_type(&At { file: mapped.file, ix: *value, env })
            }
            _ => match self.members(receiver, name) {
                Some(declarations) => {
                    let types: Vec<Type> =
                        declarations.iter().map(|declaration| self.declaration_type(declaration)).collect();
                    match (&types[..], receiver) {
                        ([], _) => Type::Unknown,
                        ([only], _) => only.clone(),
                        // Overloads, or the same member of several parts: all of them at once.
                        (several, _) if several.iter().all(|one| one == &several[0]) => several[0].clone(),
                        (several, _) => Type::Intersection(several.to_vec().into()),
                    }
                }
                None => Type::Unknown,
            },
        }
    }

    /// Type of one element of what is iterated or indexed.
    pub(super) fn element_type(&mut self, value: &Type) -> Type {
        match value {
            Type::Builtin(Builtin::Array | Builtin::Set | Builtin::Iterable, arguments) => {
                arguments.first().cloned().unwrap_or(Type::Unknown)
            }
            Type::Builtin(Builtin::Map, arguments) => Type::Tuple(Rc::clone(arguments)),
            Type::Builtin(Builtin::Record, arguments) => arguments.get(1).cloned().unwrap_or(Type::Unknown),
            Type::Tuple(elements) => Type::union(elements.iter().cloned()),
            Type::Union(members) => {
                let types: Vec<Type> = members.iter().map(|member| self.element_type(member)).collect();
                Type::union(types)
            }
            Type::Parameter(file, binding) => {
                let constraint = self.constraint(*file, *binding);
                self.element_type(&constraint)
            }
            _ => Type::Unknown,
        }
    }

    pub(super) fn awaited_element(&mut self, value: &Type) -> Type {
        let element = self.element_type(value);
        awaited_type(&element)
    }
}
