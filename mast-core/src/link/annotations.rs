//! Written types → types.

use std::rc::Rc;

use crate::model::{
    BindingIx, BindingValue, FileId, Literal, ModuleFacts, NameIx, TypeExpr, TypeHead, TypeIx, TypeParameter,
};

use super::Module;
use super::linker::{Linker, Step};
use super::signatures::agreed;
use super::types::{At, Builtin, Declaration, Env, Environment, Type, TypeAt};

impl Linker<'_> {
    /// The type an annotation stands for.
    pub(super) fn written_type(&mut self, at: &TypeAt) -> Type {
        self.deeper(|linker| linker.read_type(at)).unwrap_or(Type::Unknown)
    }

    fn read_type(&mut self, at: &TypeAt) -> Type {
        let Some(module) = self.module(at.file) else { return Type::Unknown };
        let (file, env) = (at.file, &at.env);
        let part = |ix: TypeIx| At::new(file, ix, env);
        match module.facts.types.get(at.ix.at()) {
            None | Some(TypeExpr::Unknown) => Type::Unknown,
            Some(TypeExpr::Primitive(literal) | TypeExpr::Constant(literal)) => Type::Primitive(*literal),
            Some(TypeExpr::Nothing) => Type::Nothing,
            Some(TypeExpr::Named { head, path, arguments }) => {
                self.named_type(at, &module, head, path, arguments)
            }
            Some(TypeExpr::TypeOf(value)) => self.evaluate(&At::new(file, *value, env)),
            Some(TypeExpr::Array(element)) => Type::array(self.written_type(&part(*element))),
            Some(TypeExpr::Tuple(elements)) => {
                Type::Tuple(elements.iter().map(|&element| self.written_type(&part(element))).collect())
            }
            Some(TypeExpr::OpenTuple { first, rest }) => {
                let mut elements: Vec<Type> =
                    first.iter().map(|&element| self.written_type(&part(element))).collect();
                let rest = self.written_type(&part(*rest));
                elements.push(self.element_type(&rest));
                Type::array(Type::union(elements))
            }
            Some(TypeExpr::Union(members)) => {
                let members: Vec<Type> =
                    members.iter().map(|&member| self.written_type(&part(member))).collect();
                Type::union(members)
            }
            Some(TypeExpr::Intersection(members)) => {
                let read = |linker: &mut Self, ix: TypeIx| match module.facts.types.get(ix.at()) {
                    // Leaves members out that another part may then declare.
                    Some(TypeExpr::Named { head: TypeHead::Global(name), path, .. })
                        if path.is_empty()
                            && matches!(module.facts.names[name.0 as usize].as_str(), "Omit" | "Pick") =>
                    {
                        Type::Unknown
                    }
                    _ => linker.written_type(&part(ix)),
                };
                Type::Intersection(members.iter().map(|&member| read(self, member)).collect())
            }
            Some(TypeExpr::Function(function)) => Type::Function(At::new(file, *function, env)),
            Some(TypeExpr::Constructor(function)) => Type::Constructor(At::new(file, *function, env)),
            Some(TypeExpr::Literal(interface)) => Type::Interface(At::new(file, *interface, env)),
            Some(TypeExpr::This) => env.as_ref().and_then(|env| env.this.clone()).unwrap_or(Type::Unknown),
            Some(TypeExpr::Indexed { object, name }) => {
                let object = self.written_type(&part(*object));
                let name = &module.facts.names[name.0 as usize];
                self.member_type(&object, name)
            }
            Some(TypeExpr::Element(object)) => {
                let object = self.written_type(&part(*object));
                self.element_type(&object)
            }
            Some(TypeExpr::IndexedBy { object, key }) => match self.written_type(&part(*key)) {
                Type::Key(name) => {
                    let object = self.written_type(&part(*object));
                    self.member_type(&object, &name)
                }
                _ => Type::Unknown,
            },
            Some(TypeExpr::Mapped { source, key, value }) => {
                if is_identity(&module.facts, *source, *key, *value) {
                    return self.written_type(&part(*source));
                }
                Type::Mapped(at.clone())
            }
            Some(TypeExpr::Conditional { consequence, alternative }) => {
                // The condition is not evaluated; where one branch is `never`, a value can only be of the other.
                let (left, right) =
                    (self.written_type(&part(*consequence)), self.written_type(&part(*alternative)));
                match (left, right) {
                    (Type::Nothing, Type::Union(_)) | (Type::Union(_), Type::Nothing) => Type::Unknown,
                    (Type::Nothing, only) | (only, Type::Nothing) => only,
                    (left, right) => agreed(vec![left, right]),
                }
            }
        }
    }

    fn named_type(
        &mut self,
        at: &TypeAt,
        module: &Module,
        head: &TypeHead,
        path: &[NameIx],
        arguments: &[TypeIx],
    ) -> Type {
        let arguments: Vec<TypeAt> = arguments.iter().map(|&ix| At::new(at.file, ix, &at.env)).collect();
        if let (TypeHead::Global(name), []) = (head, path) {
            let name = &module.facts.names[name.0 as usize];
            return self.global_type(name, &arguments);
        }
        if let (TypeHead::Binding(binding), [], Some(env)) = (head, path, &at.env)
            && let Some(bound) = lookup(env, at.file, *binding)
        {
            return bound;
        }
        match self.named_declaration(at.file, module, head, path) {
            Some(declaration) => self.instance_of(&declaration, &arguments),
            None => Type::Unknown,
        }
    }

    /// The declaration a (dotted) type name leads to.
    pub(super) fn named_declaration(
        &mut self,
        file: FileId,
        module: &Module,
        head: &TypeHead,
        path: &[NameIx],
    ) -> Option<Declaration> {
        let mut declaration = match head {
            TypeHead::Global(_) => return None,
            TypeHead::Binding(binding) => self.followed(file, module, *binding)?,
            TypeHead::Import(import) => {
                self.whole_module(module.resolved.get(*import as usize).copied().flatten()?)?
            }
        };
        for name in path {
            let name = &module.facts.names[name.0 as usize];
            declaration = self.type_member(&declaration, name)?;
        }
        Some(declaration)
    }

    /// `declaration.name` where the declaration is a namespace or module.
    fn type_member(&mut self, declaration: &Declaration, name: &str) -> Option<Declaration> {
        match declaration {
            Declaration::Module(file) => self.export(*file, name),
            Declaration::Binding(file, binding) => {
                let module = self.module(*file)?;
                let mut found = None;
                for value in &module.facts.bindings[binding.at()].values {
                    let BindingValue::Namespace(namespace) = value else { continue };
                    let exports = &module.facts.namespaces[namespace.at()].exports;
                    found =
                        found.or(exports.iter().find(|(ix, _)| module.facts.names[ix.0 as usize] == name));
                }
                let (_, member) = found?;
                self.followed(*file, &module, *member)
            }
            _ => None,
        }
    }

    /// The type a declaration means with these type arguments.
    fn instance_of(&mut self, declaration: &Declaration, arguments: &[TypeAt]) -> Type {
        let Declaration::Binding(file, binding) = declaration else {
            // An exported class expression.
            return match self.declaration_type(declaration) {
                Type::Class(class) => Type::Instance(class),
                _ => Type::Unknown,
            };
        };
        let Some(module) = self.module(*file) else { return Type::Unknown };
        let facts = &module.facts;
        for value in &facts.bindings[binding.at()].values {
            match value {
                BindingValue::Class(ix) => {
                    let env = self.environment(*file, &facts.classes[ix.at()].type_parameters, arguments);
                    return Type::Instance(At { file: *file, ix: *ix, env });
                }
                BindingValue::Interface(ix) => {
                    let env = self.environment(*file, &facts.interfaces[ix.at()].type_parameters, arguments);
                    return Type::Interface(At { file: *file, ix: *ix, env });
                }
                BindingValue::TypeAlias(ix) => {
                    let alias = &facts.aliases[ix.at()];
                    let env = self.environment(*file, &alias.type_parameters, arguments);
                    // An alias that needs itself to be read is a computation; its result is not known here.
                    let target = At { file: *file, ix: alias.target, env };
                    return self
                        .step(Step::Alias(*file, ix.0), |linker| linker.written_type(&target))
                        .unwrap_or(Type::Unknown);
                }
                BindingValue::TypeParameter { .. } => return Type::Parameter(*file, *binding),
                BindingValue::Namespace(ix) if facts.namespaces[ix.at()].is_enum => {
                    return Type::Primitive(Literal::Number);
                }
                // `import A = B.C` means what it names.
                BindingValue::Variable { annotation: None, initializer: Some(value), .. } => {
                    return match self.evaluate(&At { file: *file, ix: *value, env: None }) {
                        Type::Class(class) => Type::Instance(class),
                        _ => Type::Unknown,
                    };
                }
                _ => {}
            }
        }
        Type::Unknown
    }

    /// Binds type parameters to arguments, defaults filling the rest.
    pub(super) fn environment(
        &mut self,
        file: FileId,
        parameters: &[TypeParameter],
        arguments: &[TypeAt],
    ) -> Env {
        if parameters.is_empty() {
            return None;
        }
        let arguments: Vec<Type> = arguments.iter().map(|argument| self.written_type(argument)).collect();
        self.bind(file, parameters, &arguments)
    }

    /// Binds type parameters to types, defaults filling the rest.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "an environment is optional everywhere; one shape keeps callers plain"
    )]
    pub(super) fn bind(&mut self, file: FileId, parameters: &[TypeParameter], arguments: &[Type]) -> Env {
        let mut environment = Environment::default();
        for (at, parameter) in parameters.iter().enumerate() {
            let bound = match arguments.get(at) {
                Some(argument) => argument.clone(),
                None => {
                    let so_far: Env = Some(Rc::new(environment.clone()));
                    match self.parameter_default(file, parameter.binding) {
                        Some(default) => self.written_type(&At { file, ix: default, env: so_far }),
                        None => Type::Unknown,
                    }
                }
            };
            environment.bound.push((file, parameter.binding, bound));
        }
        Some(Rc::new(environment))
    }

    pub(super) fn parameter_default(&mut self, file: FileId, binding: BindingIx) -> Option<TypeIx> {
        self.binding(file, binding)?.values.iter().find_map(|value| match value {
            BindingValue::TypeParameter { default, .. } => *default,
            _ => None,
        })
    }

    /// What a type parameter must at least be.
    pub(super) fn constraint(&mut self, file: FileId, binding: BindingIx) -> Type {
        match self.constraint_of(file, binding) {
            Some(constraint) => self.written_type(&At { file, ix: constraint, env: None }),
            None => Type::Unknown,
        }
    }

    pub(super) fn constraint_of(&mut self, file: FileId, binding: BindingIx) -> Option<TypeIx> {
        self.binding(file, binding)?.values.iter().find_map(|value| match value {
            BindingValue::TypeParameter { constraint, .. } => *constraint,
            _ => None,
        })
    }

    /// A type of the language's library.
    fn global_type(&mut self, name: &str, arguments: &[TypeAt]) -> Type {
        let mut argument = |at: usize| match arguments.get(at) {
            Some(argument) => self.written_type(argument),
            None => Type::Unknown,
        };
        match name {
            "Array" | "ReadonlyArray" => Type::array(argument(0)),
            "Promise" | "PromiseLike" => Type::builtin(Builtin::Promise, [argument(0)]),
            "Map" | "ReadonlyMap" | "WeakMap" => Type::builtin(Builtin::Map, [argument(0), argument(1)]),
            "Set" | "ReadonlySet" | "WeakSet" => Type::builtin(Builtin::Set, [argument(0)]),
            "Iterable"
            | "Iterator"
            | "IterableIterator"
            | "Generator"
            | "AsyncIterable"
            | "AsyncIterator"
            | "AsyncIterableIterator"
            | "AsyncGenerator"
            | "IteratorObject"
            | "AsyncIteratorObject" => Type::builtin(Builtin::Iterable, [argument(0)]),
            "Record" => Type::builtin(Builtin::Record, [argument(0), argument(1)]),
            // Members keep their declarations through these.
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Pick" | "Omit" | "NoInfer" => argument(0),
            "Awaited" => {
                let awaited = argument(0);
                awaited_type(&awaited)
            }
            "ReturnType" => match argument(0) {
                function @ Type::Function(_) => self.call_type(&function, None),
                _ => Type::Unknown,
            },
            "InstanceType" => match argument(0) {
                Type::Class(class) => Type::Instance(class),
                _ => Type::Unknown,
            },
            "String" | "Number" | "Boolean" | "Date" | "RegExp" | "Error" => Type::Primitive(Literal::RegExp),
            _ => Type::Unknown,
        }
    }
}

/// What `await` makes of a value.
pub(super) fn awaited_type(value: &Type) -> Type {
    match value {
        Type::Builtin(Builtin::Promise, arguments) => arguments.first().map_or(Type::Unknown, awaited_type),
        Type::Union(members) => Type::union(members.iter().map(awaited_type)),
        other => other.clone(),
    }
}

/// `{ [K in keyof T]: T[K] }`, whatever the modifiers.
fn is_identity(facts: &ModuleFacts, source: TypeIx, key: BindingIx, value: TypeIx) -> bool {
    let named = |ix: TypeIx| match &facts.types[ix.at()] {
        TypeExpr::Named { head: TypeHead::Binding(binding), path, .. } if path.is_empty() => Some(*binding),
        _ => None,
    };
    match &facts.types[value.at()] {
        TypeExpr::IndexedBy { object, key: by } => {
            named(*by) == Some(key) && named(*object).is_some() && named(*object) == named(source)
        }
        _ => false,
    }
}

/// What stands for a type parameter.
pub(super) fn lookup(env: &Environment, file: FileId, binding: BindingIx) -> Option<Type> {
    env.bound.iter().rev().find(|(f, b, _)| (*f, *b) == (file, binding)).map(|(_, _, bound)| bound.clone())
}

/// `env` with further bindings.
pub(super) fn extended(env: &Env, more: &[(FileId, BindingIx, Type)]) -> Env {
    if more.is_empty() {
        return env.clone();
    }
    let mut environment = env.as_deref().cloned().unwrap_or_default();
    environment.bound.extend_from_slice(more);
    Some(Rc::new(environment))
}

/// `env` with a receiver.
#[expect(
    clippy::unnecessary_wraps,
    reason = "an environment is optional everywhere; one shape keeps callers plain"
)]
pub(super) fn with_this(env: &Env, this: &Type) -> Env {
    let mut environment = env.as_deref().cloned().unwrap_or_default();
    environment.this = Some(this.clone());
    Some(Rc::new(environment))
}
