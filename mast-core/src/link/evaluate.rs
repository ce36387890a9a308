//! Expressions and names → types.

use std::rc::Rc;

use crate::model::{
    BindingIx, BindingValue, Context, Declarer, Expr, ExprIx, FileId, FunctionIx, ImportedName, Literal,
    PathStep,
};

use super::annotations::awaited_type;
use super::builtins;
use super::linker::{Linker, Step};
use super::signatures::inferred;
use super::types::{At, Builtin, Declaration, Env, Type};

impl Linker<'_> {
    /// Type of the value of an expression.
    pub(super) fn evaluate(&mut self, at: &At<ExprIx>) -> Type {
        let key = (at.file, at.ix);
        if at.env.is_none()
            && let Some(known) = self.expressions.get(&key)
        {
            return known.clone();
        }
        let cuts = self.cuts();
        let step = Step::Expression(at.file, at.ix);
        let value = self.step(step, |linker| linker.expression_type(at)).unwrap_or(Type::Unknown);
        if at.env.is_none() && self.cuts() == cuts {
            self.expressions.insert(key, value.clone());
        }
        value
    }

    fn expression_type(&mut self, at: &At<ExprIx>) -> Type {
        let Some(module) = self.module(at.file) else { return Type::Unknown };
        let (file, env) = (at.file, &at.env);
        let part = |ix: ExprIx| At::new(file, ix, env);
        match module.facts.expressions.get(at.ix.at()) {
            None | Some(Expr::Unknown | Expr::Global(_)) => Type::Unknown,
            Some(Expr::Binding(binding)) => {
                let value = self.binding_type(file, *binding, env);
                self.narrowed_binding(file, *binding, value)
            }
            Some(Expr::This(declarer)) => self.this_type(file, *declarer, env),
            Some(Expr::Super { class, is_static }) => {
                let class = At::new(file, *class, env);
                match self.base_class(&class, &module) {
                    Some(Type::Class(base)) if !is_static => Type::Instance(base),
                    Some(base) => base,
                    None => Type::Unknown,
                }
            }
            Some(Expr::Member { object, name }) => {
                let name = &module.facts.names[name.0 as usize];
                self.property_type(file, *object, name, env)
            }
            Some(Expr::Element(object)) => {
                let object = self.evaluate(&part(*object));
                self.element_type(&object)
            }
            Some(Expr::Call { callee, .. }) => self.call_result(at, *callee),
            Some(Expr::New { callee, type_arguments, .. }) => {
                let callee_type = self.evaluate(&part(*callee));
                let written: Vec<_> = type_arguments.iter().map(|&ix| At::new(file, ix, env)).collect();
                if let Expr::Global(name) = module.facts.expressions[callee.at()] {
                    let name = &module.facts.names[name.0 as usize];
                    return self.new_builtin(name, &written, at);
                }
                let written: Vec<Type> = written.iter().map(|argument| self.written_type(argument)).collect();
                self.constructed(&callee_type, &written, Some(at))
            }
            Some(Expr::Await(value)) => awaited_type(&self.evaluate(&part(*value))),
            Some(Expr::Cast { to, .. }) => self.written_type(&At::new(file, *to, env)),
            Some(Expr::Function(function)) => Type::Function(At::new(file, *function, env)),
            Some(Expr::Class(class)) => Type::Class(At::new(file, *class, env)),
            Some(Expr::Object(object)) => Type::Object(At::new(file, *object, env)),
            Some(Expr::Array(elements)) => {
                let elements: Vec<Type> =
                    elements.iter().map(|&element| self.evaluate(&part(element))).collect();
                match elements.is_empty() {
                    true => Type::array(Type::Unknown),
                    false => Type::array(inferred(elements)),
                }
            }
            Some(Expr::OneOf(values)) => {
                let values: Vec<Type> = values.iter().map(|&value| self.evaluate(&part(value))).collect();
                inferred(values)
            }
            Some(Expr::Tested { value, test }) => self.tested_type(&part(*value), *test),
            Some(Expr::Literal(Literal::Nullish)) => Type::Nothing,
            Some(Expr::Literal(literal)) => Type::Primitive(*literal),
            Some(Expr::ImportCall(import)) => {
                match module.resolved.get(*import as usize).copied().flatten() {
                    Some(source) => Type::builtin(Builtin::Promise, [Type::Module(source)]),
                    None => Type::Unknown,
                }
            }
            Some(Expr::Require(import)) => {
                match self.import(file, &module, *import, &ImportedName::Namespace) {
                    Some(declaration) => self.declaration_type(&declaration),
                    None => Type::Unknown,
                }
            }
        }
    }

    fn this_type(&mut self, file: FileId, declarer: Option<Declarer>, env: &Env) -> Type {
        let receiver = env.as_ref().and_then(|env| env.this.clone());
        match declarer {
            None => Type::Unknown,
            Some(Declarer::Instance(class)) => {
                receiver.unwrap_or(Type::Instance(At { file, ix: class, env: None }))
            }
            Some(Declarer::Static(class)) => {
                receiver.unwrap_or(Type::Class(At { file, ix: class, env: None }))
            }
            Some(Declarer::Function(function)) => {
                self.function_this(file, function, env).unwrap_or(Type::Unknown)
            }
        }
    }

    /// `this` in a function that is no member of a class.
    fn function_this(&mut self, file: FileId, function: FunctionIx, env: &Env) -> Option<Type> {
        let module = self.module(file)?;
        let facts = &module.facts.functions[function.at()];
        if let Some(written) = facts.this_type {
            return Some(self.written_type(&At::new(file, written, env)));
        }
        let context = facts.context?;
        if let Some(expected) = self.context_type(file, context, env)
            && let Some(this) = self.expected_this(&expected)
        {
            return Some(this);
        }
        let Context::Property { object, .. } = context else { return None };
        // A literal written where a type is expected has that type's `this`.
        match module.facts.objects[object.at()].context {
            None => Some(Type::Object(At { file, ix: object, env: None })),
            Some(context) => self.context_type(file, context, env),
        }
    }

    /// The `this` parameter of a function type.
    fn expected_this(&mut self, expected: &Type) -> Option<Type> {
        let Type::Function(function) = expected else { return None };
        let module = self.module(function.file)?;
        let written = module.facts.functions[function.ix.at()].this_type?;
        Some(self.written_type(&At::new(function.file, written, &function.env)))
    }

    /// Type of what a name holds.
    pub(super) fn binding_type(&mut self, file: FileId, ix: BindingIx, env: &Env) -> Type {
        let key = (file, ix);
        if env.is_none()
            && let Some(known) = self.bindings.get(&key)
        {
            return known.clone();
        }
        let cuts = self.cuts();
        let step = Step::Binding(file, ix);
        let value =
            self.step(step, |linker| linker.find_binding_type(file, ix, env)).unwrap_or(Type::Unknown);
        if env.is_none() && self.cuts() == cuts {
            self.bindings.insert(key, value.clone());
        }
        value
    }

    fn find_binding_type(&mut self, file: FileId, ix: BindingIx, env: &Env) -> Type {
        let Some(module) = self.module(file) else { return Type::Unknown };
        let Some(binding) = module.facts.bindings.get(ix.at()) else { return Type::Unknown };
        let mut parts = Vec::new();
        for value in &binding.values {
            let part = match value {
                BindingValue::Import { .. } => match self.followed(file, &module, ix) {
                    Some(declaration) => self.declaration_type(&declaration),
                    None => Type::Unknown,
                },
                BindingValue::Function(_) | BindingValue::Class(_) if binding.is_reassigned => Type::Unknown,
                BindingValue::Function(function) => Type::Function(At::new(file, *function, env)),
                BindingValue::Class(class) => Type::Class(At::new(file, *class, env)),
                BindingValue::Namespace(namespace) => Type::Namespace(file, *namespace),
                BindingValue::Variable { annotation: Some(annotation), .. } => {
                    let written = self.written_type(&At::new(file, *annotation, env));
                    match written {
                        // A union is narrowed by what is assigned.
                        Type::Union(_) => Type::Unknown,
                        written => written,
                    }
                }
                _ if binding.is_reassigned && !matches!(value, BindingValue::Parameter { .. }) => {
                    Type::Unknown
                }
                BindingValue::Variable { initializer: Some(initializer), .. } => {
                    self.evaluate(&At::new(file, *initializer, env))
                }
                BindingValue::Variable { .. } | BindingValue::Opaque => Type::Unknown,
                BindingValue::Parameter { function, position } => {
                    let declared =
                        self.parameter_type(file, *function, *position, env, binding.is_reassigned);
                    match declared {
                        Type::Union(_) if binding.is_reassigned => Type::Unknown,
                        declared => declared,
                    }
                }
                BindingValue::Destructured { source, path, .. } => {
                    let source = self.evaluate(&At::new(file, *source, env));
                    match self.follow_path(&module, source, path) {
                        // Parts of one union value narrow each other.
                        Type::Union(_) => Type::Unknown,
                        part => part,
                    }
                }
                BindingValue::ElementOf { source, path } => {
                    let source = self.evaluate(&At::new(file, *source, env));
                    let element = self.awaited_element(&source);
                    self.follow_path(&module, element, path)
                }
                BindingValue::Interface(_)
                | BindingValue::TypeAlias(_)
                | BindingValue::TypeParameter { .. } => continue,
            };
            parts.push(part);
        }
        match parts.len() {
            0 => Type::Unknown,
            1 => parts.swap_remove(0),
            _ if parts.iter().any(Type::is_unknown) => Type::Unknown,
            // A function or class with the namespace that merges with it.
            _ => Type::Intersection(Rc::from(parts)),
        }
    }

    fn follow_path(&mut self, module: &super::Module, source: Type, path: &[PathStep]) -> Type {
        let mut value = source;
        for step in path {
            value = match step {
                PathStep::Property(name) => self.member_type(&value, &module.facts.names[name.0 as usize]),
                PathStep::Index(at) => match &value {
                    Type::Tuple(elements) => elements.get(*at as usize).cloned().unwrap_or(Type::Unknown),
                    other => self.element_type(&other.clone()),
                },
                PathStep::Rest => match value {
                    array @ Type::Builtin(Builtin::Array, _) => array,
                    _ => Type::Unknown,
                },
            };
        }
        value
    }

    /// The declaration a destructured name is taken from.
    pub(super) fn destructured_members(
        &mut self,
        file: FileId,
        source: ExprIx,
        path: &[PathStep],
    ) -> Vec<Declaration> {
        let Some(module) = self.module(file) else { return Vec::new() };
        let Some((PathStep::Property(last), before)) = path.split_last() else { return Vec::new() };
        let source = self.evaluate(&At { file, ix: source, env: None });
        let receiver = self.follow_path(&module, source, before);
        match receiver {
            Type::Union(_) => Vec::new(),
            receiver => self.members(&receiver, &module.facts.names[last.0 as usize]).unwrap_or_default(),
        }
    }

    /// Type of `object.name` as written in a file.
    fn property_type(&mut self, file: FileId, object: ExprIx, name: &str, env: &Env) -> Type {
        let receiver = self.receiver_type(&At::new(file, object, env), name);
        let value = match receiver {
            Some(receiver) => self.member_type(&receiver, name),
            None => Type::Unknown,
        };
        self.narrowed_member(file, name, value)
    }

    /// Result of a call.
    fn call_result(&mut self, call: &At<ExprIx>, callee: ExprIx) -> Type {
        let (file, env) = (call.file, &call.env);
        if let Expr::Member { object, name } = self.expression(file, callee) {
            let Some(module) = self.module(file) else { return Type::Unknown };
            let name = &module.facts.names[name.0 as usize];
            if let Expr::Global(global) = self.expression(file, object) {
                let global = &module.facts.names[global.0 as usize];
                return self.call_global(global, name, call);
            }
            let receiver = self.receiver_type(&At::new(file, object, env), name).unwrap_or(Type::Unknown);
            if builtins::is_builtin(&receiver) {
                return self.call_builtin(&receiver, name, call);
            }
        }
        let callee = self.evaluate(&At::new(file, callee, env));
        self.call_type(&callee, Some(call))
    }
}
