//! What calling or constructing something gives.

use std::rc::Rc;

use crate::model::{
    BindingIx, Expr, ExprIx, FileId, FunctionIx, MemberKind, ModuleFacts, TypeExpr, TypeHead, TypeIx,
};

use super::annotations::{awaited_type, extended, lookup};
use super::linker::Linker;
use super::types::{At, Builtin, Env, Environment, Type};

/// Type arguments found so far.
pub(super) type Found = Vec<(FileId, BindingIx, Type)>;

impl Linker<'_> {
    /// Result of calling `callee`; `call` is the call expression, when there is one.
    pub(super) fn call_type(&mut self, callee: &Type, call: Option<&At<ExprIx>>) -> Type {
        self.deeper(|linker| linker.find_call_type(callee, call)).unwrap_or(Type::Unknown)
    }

    fn find_call_type(&mut self, callee: &Type, call: Option<&At<ExprIx>>) -> Type {
        match callee {
            Type::Function(function) => self.function_result(function, call),
            Type::Interface(_) => self.unanimous(callee, MemberKind::Call, call),
            Type::Union(members) => {
                let results: Vec<Type> = members.iter().map(|member| self.call_type(member, call)).collect();
                inferred(results)
            }
            Type::Intersection(members) => {
                let mut results = Vec::new();
                for member in members.iter() {
                    match member {
                        Type::Function(_) | Type::Interface(_) => match self.call_type(member, call) {
                            Type::Unknown => {}
                            result => results.push(result),
                        },
                        Type::Unknown => return Type::Unknown,
                        _ => {}
                    }
                }
                agreed(results)
            }
            Type::Parameter(file, binding) => {
                let constraint = self.constraint(*file, *binding);
                self.call_type(&constraint, call)
            }
            _ => Type::Unknown,
        }
    }

    /// The result all call (or construct) signatures of an interface agree on.
    fn unanimous(&mut self, interface: &Type, kind: MemberKind, call: Option<&At<ExprIx>>) -> Type {
        let signatures = self.interface_signatures(interface, kind);
        let signatures = self.chosen(signatures, call);
        self.joint_result(&signatures, call)
    }

    /// Call or construct signatures of an interface.
    pub(super) fn interface_signatures(&mut self, interface: &Type, kind: MemberKind) -> Vec<At<FunctionIx>> {
        let Type::Interface(at) = interface else { return Vec::new() };
        let Some(module) = self.module(at.file) else { return Vec::new() };
        let facts = &module.facts.interfaces[at.ix.at()];
        let functions =
            facts.members.iter().filter(|member| member.kind == kind).filter_map(|member| member.function);
        let mut found: Vec<_> = functions.map(|ix| At::new(at.file, ix, &at.env)).collect();
        if found.is_empty() {
            for ix in facts.extends.clone() {
                let base = self.written_type(&At::new(at.file, ix, &at.env));
                found = self.deeper(|linker| linker.interface_signatures(&base, kind)).unwrap_or_default();
                if !found.is_empty() {
                    break;
                }
            }
        }
        found
    }

    fn function_result(&mut self, function: &At<FunctionIx>, call: Option<&At<ExprIx>>) -> Type {
        let signatures = self.signatures(function, call);
        self.joint_result(&signatures, call)
    }

    fn joint_result(&mut self, signatures: &[At<FunctionIx>], call: Option<&At<ExprIx>>) -> Type {
        let mut results = Vec::new();
        for signature in signatures {
            match self.signature_result(signature, call) {
                Type::Unknown => return Type::Unknown,
                result => results.push(result),
            }
        }
        agreed(results)
    }

    fn signature_result(&mut self, function: &At<FunctionIx>, call: Option<&At<ExprIx>>) -> Type {
        let Some(module) = self.module(function.file) else { return Type::Unknown };
        let facts = &module.facts.functions[function.ix.at()];
        let env = if facts.type_parameters.is_empty() {
            function.env.clone()
        } else {
            self.inferred_environment(function, call, true)
        };
        if let Some(written) = facts.return_type {
            return self.written_type(&At { file: function.file, ix: written, env });
        }
        let mut returned = Vec::new();
        for &value in &facts.returns {
            let value = self.evaluate(&At { file: function.file, ix: value, env: env.clone() });
            if value.is_unknown() {
                return Type::Unknown;
            }
            returned.push(value);
        }
        let result = inferred(returned);
        match (facts.is_generator, facts.is_async) {
            (true, _) => Type::builtin(Builtin::Iterable, [result]),
            (false, true) => Type::builtin(Builtin::Promise, [awaited_type(&result)]),
            (false, false) => result,
        }
    }

    /// The environment a generic function's signature is read in for one call: written type arguments, else what the
    /// arguments tell. Parameters nothing is known of are unknown.
    pub(super) fn inferred_environment(
        &mut self,
        function: &At<FunctionIx>,
        call: Option<&At<ExprIx>>,
        with_functions: bool,
    ) -> Env {
        let Some(module) = self.module(function.file) else { return function.env.clone() };
        let facts = &module.facts.functions[function.ix.at()];
        let (written, arguments) = match call.map(|call| self.expression(call.file, call.ix)) {
            Some(
                Expr::Call { type_arguments, arguments, .. } | Expr::New { type_arguments, arguments, .. },
            ) => (type_arguments, arguments),
            _ => (Vec::new(), Vec::new()),
        };
        let mut found: Found = Vec::new();
        if let (Some(call), false) = (call, written.is_empty()) {
            for (parameter, &ix) in facts.type_parameters.iter().zip(&written) {
                let argument = self.written_type(&At::new(call.file, ix, &call.env));
                found.push((function.file, parameter.binding, argument));
            }
        } else if let Some(call) = call {
            let open: Vec<BindingIx> =
                facts.type_parameters.iter().map(|parameter| parameter.binding).collect();
            for (at, parameter) in facts.parameters.iter().enumerate() {
                let Some(annotation) = parameter.annotation else { continue };
                let given: Vec<ExprIx> = match parameter.is_rest {
                    true => arguments.iter().skip(at).copied().collect(),
                    false => arguments.get(at).copied().into_iter().collect(),
                };
                for argument in given {
                    let is_function = matches!(self.expression(call.file, argument), Expr::Function(_));
                    if is_function && !with_functions {
                        continue;
                    }
                    let given = self.evaluate(&At::new(call.file, argument, &call.env));
                    let annotation = match (parameter.is_rest, module.facts.types.get(annotation.at())) {
                        (true, Some(TypeExpr::Array(element))) => *element,
                        (true, _) => continue,
                        (false, _) => annotation,
                    };
                    self.unify(function.file, annotation, &given, &open, &function.env, &mut found);
                }
            }
        }
        let known = found.len();
        if written.is_empty()
            && let Some(call) = call
            && let Some(result) = facts.return_type
            && let Some(expected) = self.call_context(call)
        {
            // What the surroundings expect tells what the arguments do not.
            let open: Vec<BindingIx> = facts
                .type_parameters
                .iter()
                .map(|parameter| parameter.binding)
                .filter(|open| !found.iter().any(|(_, binding, _)| binding == open))
                .collect();
            self.unify(function.file, result, &expected, &open, &function.env, &mut found);
            // From the surroundings, what is unknown tells nothing.
            let mut at = 0;
            found.retain(|(_, _, candidate)| {
                at += 1;
                at <= known || !candidate.is_unknown()
            });
        }
        let mut bound: Found = Vec::new();
        for parameter in &facts.type_parameters {
            let binding = parameter.binding;
            let candidates: Vec<Type> = found
                .iter()
                .filter(|(_, open, _)| *open == binding)
                .map(|(_, _, candidate)| candidate.clone())
                .collect();
            let value = if candidates.is_empty() {
                let told = written.is_empty()
                    && self.told_by_values(function, call, &arguments, binding, with_functions);
                match self.parameter_default(function.file, binding) {
                    _ if told => Type::Unknown,
                    Some(default) => {
                        let env = extended(&function.env, &bound);
                        self.written_type(&At { file: function.file, ix: default, env })
                    }
                    // While a callback's parameters are typed, what nothing tells is what it must at least be.
                    None if !with_functions => continue,
                    None => Type::Unknown,
                }
            } else {
                agreed(candidates)
            };
            bound.push((function.file, binding, value));
        }
        extended(&function.env, &bound)
    }

    /// The type expected of a call's result.
    fn call_context(&mut self, call: &At<ExprIx>) -> Option<Type> {
        let module = self.module(call.file)?;
        let contexts = &module.facts.call_contexts;
        let at = contexts.binary_search_by_key(&call.ix, |entry| entry.0).ok()?;
        self.context_type(call.file, contexts[at].1, &call.env)
    }

    /// Whether an argument could have told a type parameter and did not.
    fn told_by_values(
        &mut self,
        function: &At<FunctionIx>,
        call: Option<&At<ExprIx>>,
        arguments: &[ExprIx],
        binding: BindingIx,
        with_functions: bool,
    ) -> bool {
        let Some(module) = self.module(function.file) else { return true };
        let mut annotations = Vec::new();
        for (at, parameter) in module.facts.functions[function.ix.at()].parameters.iter().enumerate() {
            let given = match (call, arguments.get(at)) {
                (Some(call), Some(&argument)) => self.expression(call.file, argument),
                (Some(_), None) => continue,
                (None, _) => Expr::Unknown,
            };
            if with_functions || !matches!(given, Expr::Function(_)) {
                annotations.extend(parameter.annotation);
            }
        }
        mentions(&module.facts, annotations, binding)
    }

    /// Matches a written parameter type against the type of an argument.
    pub(super) fn unify(
        &mut self,
        file: FileId,
        pattern: TypeIx,
        given: &Type,
        open: &[BindingIx],
        env: &Env,
        found: &mut Found,
    ) {
        let _ = self.deeper(|linker| linker.match_type(file, pattern, given, open, env, found));
    }

    fn match_type(
        &mut self,
        file: FileId,
        pattern: TypeIx,
        given: &Type,
        open: &[BindingIx],
        env: &Env,
        found: &mut Found,
    ) {
        let Some(module) = self.module(file) else { return };
        match &module.facts.types[pattern.at()] {
            TypeExpr::Named { head: TypeHead::Binding(binding), path, .. }
                if path.is_empty() && open.contains(binding) =>
            {
                found.push((file, *binding, given.clone()));
            }
            TypeExpr::Named { head: TypeHead::Global(_), arguments, .. } => {
                if let Type::Builtin(_, given) = given {
                    for (&pattern, given) in arguments.iter().zip(given.iter()) {
                        self.unify(file, pattern, given, open, env, found);
                    }
                }
            }
            TypeExpr::Named { head, path, arguments } if !arguments.is_empty() => {
                // The same generic declaration on both sides: argument against argument.
                let Some(declaration) = self.named_declaration(file, &module, head, path) else { return };
                for (&pattern, given) in arguments.iter().zip(self.arguments_of(given, &declaration)) {
                    self.unify(file, pattern, &given, open, env, found);
                }
            }
            TypeExpr::Array(element) => {
                if let Type::Builtin(Builtin::Array, _) | Type::Tuple(_) = given {
                    let given = self.element_type(given);
                    self.unify(file, *element, &given, open, env, found);
                }
            }
            TypeExpr::Tuple(patterns) => {
                if let Type::Tuple(given) = given {
                    for (&pattern, given) in patterns.iter().zip(given.iter()) {
                        self.unify(file, pattern, given, open, env, found);
                    }
                }
            }
            TypeExpr::Union(patterns) => {
                // `T | undefined` and the like: one open member takes what is given.
                let is_open = |ix: &TypeIx| {
                    matches!(&module.facts.types[ix.at()],
                        TypeExpr::Named { head: TypeHead::Binding(binding), path, .. }
                            if path.is_empty() && open.contains(binding))
                };
                let others = patterns.iter().filter(|ix| !is_open(ix));
                let rest_is_nothing =
                    others.clone().all(|ix| matches!(module.facts.types[ix.at()], TypeExpr::Nothing));
                if rest_is_nothing {
                    for &pattern in patterns.iter().filter(|ix| is_open(ix)) {
                        self.unify(file, pattern, given, open, env, found);
                    }
                } else if patterns.iter().any(is_open) {
                    // Which member takes the argument is not certain.
                    for &pattern in patterns.iter().filter(|ix| is_open(ix)) {
                        self.unify(file, pattern, &Type::Unknown, open, env, found);
                    }
                } else {
                    for &pattern in patterns {
                        self.unify(file, pattern, given, open, env, found);
                    }
                }
            }
            TypeExpr::Function(pattern) => {
                let pattern = &module.facts.functions[pattern.at()];
                if let (Type::Function(_), Some(result)) = (given, pattern.return_type) {
                    let given = self.call_type(given, None);
                    self.unify(file, result, &given, open, env, found);
                }
            }
            TypeExpr::Constructor(pattern) => {
                let pattern = &module.facts.functions[pattern.at()];
                if let (Type::Class(class), Some(result)) = (given, pattern.return_type) {
                    let instance = Type::Instance(class.clone());
                    self.unify(file, result, &instance, open, env, found);
                }
            }
            _ => {}
        }
    }

    /// Type arguments of `given`, when it is of the declaration's type.
    fn arguments_of(&mut self, given: &Type, declaration: &super::types::Declaration) -> Vec<Type> {
        use crate::model::BindingValue;
        let super::types::Declaration::Binding(file, binding) = declaration else { return Vec::new() };
        let Some(module) = self.module(*file) else { return Vec::new() };
        let facts = &module.facts;
        let values = &facts.bindings[binding.at()].values;
        let (given_file, env, parameters) = match given {
            Type::Instance(at) if values.contains(&BindingValue::Class(at.ix)) => {
                (at.file, &at.env, &facts.classes[at.ix.at()].type_parameters)
            }
            Type::Interface(at) if values.contains(&BindingValue::Interface(at.ix)) => {
                (at.file, &at.env, &facts.interfaces[at.ix.at()].type_parameters)
            }
            _ => return Vec::new(),
        };
        match env {
            Some(env) if given_file == *file => parameters
                .iter()
                .map(|parameter| lookup(env, *file, parameter.binding).unwrap_or(Type::Unknown))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// What `new callee(…)` gives.
    pub(super) fn constructed(&mut self, callee: &Type, written: &[Type], call: Option<&At<ExprIx>>) -> Type {
        match callee {
            Type::Class(class) => {
                let Some(module) = self.module(class.file) else { return Type::Unknown };
                let facts = &module.facts.classes[class.ix.at()];
                if facts.type_parameters.is_empty() {
                    return Type::Instance(class.clone());
                }
                if !written.is_empty() {
                    let env = self.bind(class.file, &facts.type_parameters, written);
                    return Type::Instance(At { env, ..class.clone() });
                }
                let env = self.constructor_environment(class, call);
                Type::Instance(At { env, ..class.clone() })
            }
            Type::Constructor(function) => {
                let Some(module) = self.module(function.file) else { return Type::Unknown };
                let Some(result) = module.facts.functions[function.ix.at()].return_type else {
                    return Type::Unknown;
                };
                let env = self.inferred_environment(function, call, true);
                self.written_type(&At { file: function.file, ix: result, env })
            }
            Type::Interface(_) => {
                let signatures = self.interface_signatures(callee, MemberKind::Constructor);
                let signatures = self.chosen(signatures, call);
                self.joint_result(&signatures, call)
            }
            Type::Intersection(members) => {
                let constructed: Vec<Type> = members
                    .iter()
                    .filter(|member| matches!(member, Type::Class(_)))
                    .map(|member| self.constructed(member, written, call))
                    .collect();
                agreed(constructed)
            }
            Type::Parameter(file, binding) => match self.constraint(*file, *binding) {
                Type::Parameter(..) => Type::Unknown,
                constraint => self.constructed(&constraint, written, call),
            },
            _ => Type::Unknown,
        }
    }

    /// Type arguments of a class told by the arguments of its constructor.
    fn constructor_environment(
        &mut self,
        class: &At<crate::model::ClassIx>,
        call: Option<&At<ExprIx>>,
    ) -> Env {
        let module = self.module(class.file)?;
        let facts = &module.facts.classes[class.ix.at()];
        let open: Vec<BindingIx> = facts.type_parameters.iter().map(|parameter| parameter.binding).collect();
        let mut found: Found = Vec::new();
        let constructor = facts
            .members
            .iter()
            .find(|member| member.kind == MemberKind::Constructor)
            .and_then(|member| member.function);
        if let (Some(constructor), Some(call)) = (constructor, call)
            && let Expr::New { arguments, .. } = self.expression(call.file, call.ix)
        {
            let parameters = &module.facts.functions[constructor.at()].parameters;
            for (parameter, &argument) in parameters.iter().zip(&arguments) {
                let Some(annotation) = parameter.annotation.filter(|_| !parameter.is_rest) else { continue };
                let given = self.evaluate(&At::new(call.file, argument, &call.env));
                self.unify(class.file, annotation, &given, &open, &None, &mut found);
            }
        }
        let mut bound = Vec::new();
        for parameter in &facts.type_parameters {
            let candidates: Vec<Type> = found
                .iter()
                .filter(|(_, binding, _)| *binding == parameter.binding)
                .map(|(_, _, candidate)| candidate.clone())
                .collect();
            let value = match (candidates.is_empty(), constructor) {
                // Nothing could have told it: the default holds.
                (true, None) => match self.parameter_default(class.file, parameter.binding) {
                    Some(ix) => self.written_type(&At { file: class.file, ix, env: extended(&None, &bound) }),
                    None => Type::Unknown,
                },
                (true, Some(constructor)) => {
                    let function = At { file: class.file, ix: constructor, env: None };
                    match self.parameter_default(class.file, parameter.binding) {
                        Some(ix) if !self.told_by_values(&function, None, &[], parameter.binding, true) => {
                            self.written_type(&At { file: class.file, ix, env: extended(&None, &bound) })
                        }
                        _ => Type::Unknown,
                    }
                }
                (false, _) => agreed(candidates),
            };
            bound.push((class.file, parameter.binding, value));
        }
        extended(&class.env, &bound)
    }
}

/// Whether any of these types mentions a type parameter; unknown ones may.
fn mentions(facts: &ModuleFacts, types: Vec<TypeIx>, binding: BindingIx) -> bool {
    let mut open = types;
    let mut steps = 0;
    while let Some(ix) = open.pop() {
        steps += 1;
        if steps > 500 {
            return true;
        }
        match &facts.types[ix.at()] {
            TypeExpr::Named { head: TypeHead::Binding(named), .. } if *named == binding => return true,
            TypeExpr::Named { arguments, .. } => open.extend(arguments),
            TypeExpr::Array(inner) | TypeExpr::Element(inner) => open.push(*inner),
            TypeExpr::Tuple(inner) | TypeExpr::Union(inner) | TypeExpr::Intersection(inner) => {
                open.extend(inner);
            }
            TypeExpr::OpenTuple { first, rest } => {
                open.extend(first);
                open.push(*rest);
            }
            TypeExpr::Indexed { object, .. } => open.push(*object),
            TypeExpr::IndexedBy { object, key } => open.extend([*object, *key]),
            TypeExpr::Function(inner) | TypeExpr::Constructor(inner) => {
                let inner = &facts.functions[inner.at()];
                open.extend(inner.parameters.iter().filter_map(|parameter| parameter.annotation));
                open.extend(inner.return_type);
            }
            TypeExpr::Literal(inner) => {
                for member in &facts.interfaces[inner.at()].members {
                    open.extend(member.annotation);
                    if let Some(function) = member.function {
                        let function = &facts.functions[function.at()];
                        open.extend(function.parameters.iter().filter_map(|parameter| parameter.annotation));
                        open.extend(function.return_type);
                    }
                }
            }
            TypeExpr::Unknown | TypeExpr::Mapped { .. } | TypeExpr::Conditional { .. } => return true,
            TypeExpr::Primitive(_)
            | TypeExpr::Constant(_)
            | TypeExpr::Nothing
            | TypeExpr::TypeOf(_)
            | TypeExpr::This => {}
        }
    }
    false
}

/// The type the compiler infers for alternatives nobody wrote a type for. It leaves out what is a subtype of another, by
/// structure, so that only alternatives of one declaration are known.
pub(super) fn inferred(alternatives: Vec<Type>) -> Type {
    match Type::union(alternatives) {
        Type::Union(members) if !members.iter().all(|member| matches!(member, Type::Primitive(_))) => {
            agreed(members.to_vec())
        }
        known => known,
    }
}

/// The one type all agree on; where only type arguments differ, those are unknown.
pub(super) fn agreed(results: Vec<Type>) -> Type {
    let mut results = results.into_iter();
    let Some(mut first) = results.next() else { return Type::Unknown };
    for other in results {
        if other == first {
            continue;
        }
        first = match (first, other) {
            (Type::Instance(left), Type::Instance(right)) if same(&left, &right) => {
                Type::Instance(erased(left))
            }
            (Type::Interface(left), Type::Interface(right)) if same(&left, &right) => {
                Type::Interface(erased(left))
            }
            (Type::Builtin(left, left_of), Type::Builtin(right, right_of)) if left == right => {
                let pairs = left_of.iter().zip(right_of.iter());
                Type::builtin(left, pairs.map(|(left, right)| agreed(vec![left.clone(), right.clone()])))
            }
            _ => return Type::Unknown,
        };
    }
    first
}

fn same<I: PartialEq>(left: &At<I>, right: &At<I>) -> bool {
    (left.file, &left.ix) == (right.file, &right.ix)
}

/// The same declaration with unknown type arguments.
fn erased<I>(at: At<I>) -> At<I> {
    let env = at.env.map(|env| {
        let bound = env.bound.iter().map(|(file, binding, _)| (*file, *binding, Type::Unknown)).collect();
        Rc::new(Environment { this: None, bound })
    });
    At { env, ..at }
}
