//! Which signatures of an overloaded function a call may mean.

use crate::model::{Expr, ExprIx, FileId, FunctionIx, Literal, ModuleFacts, TypeExpr, TypeHead, TypeIx};

use super::linker::Linker;
use super::types::{At, Builtin, Type};

/// Base classes looked through for an assignable one.
const BASES: u32 = 16;

impl Linker<'_> {
    /// The signatures of a function that a call may mean: one when that is certain.
    pub(super) fn signatures(
        &mut self,
        function: &At<FunctionIx>,
        call: Option<&At<ExprIx>>,
    ) -> Vec<At<FunctionIx>> {
        let Some(module) = self.module(function.file) else { return Vec::new() };
        let overloads = &module.facts.functions[function.ix.at()].overloads;
        if overloads.is_empty() {
            return vec![function.clone()];
        }
        let signatures = overloads.iter().map(|&ix| At { ix, ..function.clone() }).collect();
        self.chosen(signatures, call)
    }

    /// As the compiler does, the first signature that takes the arguments; while that is not certain of one, it and
    /// those behind it remain.
    pub(super) fn chosen(
        &mut self,
        signatures: Vec<At<FunctionIx>>,
        call: Option<&At<ExprIx>>,
    ) -> Vec<At<FunctionIx>> {
        let Some(call) = call.filter(|_| signatures.len() > 1) else { return signatures };
        let (written, arguments) = match self.expression(call.file, call.ix) {
            Expr::Call { type_arguments, arguments, .. } | Expr::New { type_arguments, arguments, .. } => {
                (type_arguments.len(), arguments)
            }
            _ => return signatures,
        };
        let mut possible = Vec::new();
        for signature in signatures {
            match self.takes(&signature, written, &arguments, call) {
                Some(false) => {}
                Some(true) => {
                    possible.push(signature);
                    break;
                }
                None => possible.push(signature),
            }
        }
        possible
    }

    /// Whether a signature takes these arguments, when that can be said.
    fn takes(
        &mut self,
        signature: &At<FunctionIx>,
        written: usize,
        arguments: &[ExprIx],
        call: &At<ExprIx>,
    ) -> Option<bool> {
        let module = self.module(signature.file)?;
        let facts = &module.facts.functions[signature.ix.at()];
        if written > facts.type_parameters.len() {
            return Some(false);
        }
        if arguments.len() < required(&module.facts, signature.ix) {
            return Some(false);
        }
        let mut certain = true;
        let Some(wanted) = parameter_types(&module.facts, signature.ix, arguments.len()) else {
            return Some(false);
        };
        for (wanted, &argument) in wanted.into_iter().zip(arguments) {
            let Some(annotation) = wanted else { continue };
            let is_function = matches!(self.expression(call.file, argument), Expr::Function(_));
            let given = if is_function {
                None
            } else {
                Some(self.evaluate(&At::new(call.file, argument, &call.env)))
            };
            match self.accepts(signature.file, annotation, given.as_ref()) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => certain = false,
            }
        }
        certain.then_some(true)
    }

    /// Whether a written type takes a value; a function written in place is no value here.
    fn accepts(&mut self, file: FileId, annotation: TypeIx, given: Option<&Type>) -> Option<bool> {
        self.deeper(|linker| linker.check(file, annotation, given)).flatten()
    }

    fn check(&mut self, file: FileId, annotation: TypeIx, given: Option<&Type>) -> Option<bool> {
        let module = self.module(file)?;
        match (&module.facts.types[annotation.at()], given) {
            (_, Some(Type::Unknown | Type::Nothing | Type::Parameter(..) | Type::Union(_))) => None,
            (TypeExpr::Primitive(_) | TypeExpr::Constant(_) | TypeExpr::Nothing, None) => Some(false),
            (TypeExpr::Primitive(literal), Some(given)) => match given {
                Type::Primitive(Literal::RegExp) => Some(*literal == Literal::RegExp),
                Type::Primitive(given) => Some(given == literal),
                Type::Intersection(_) => None,
                _ => Some(false),
            },
            (TypeExpr::Constant(literal), Some(given)) => match given {
                // Which constant it is, is not known.
                Type::Primitive(given) if given == literal => None,
                Type::Intersection(_) => None,
                _ => Some(false),
            },
            (TypeExpr::Nothing, Some(_)) => Some(false),
            (TypeExpr::Union(members), given) => {
                let members: Vec<Option<bool>> =
                    members.iter().map(|&member| self.accepts(file, member, given)).collect();
                if members.contains(&Some(true)) {
                    Some(true)
                } else if members.contains(&None) {
                    None
                } else {
                    Some(false)
                }
            }
            (TypeExpr::Array(_) | TypeExpr::Tuple(_) | TypeExpr::OpenTuple { .. }, given) => match given {
                None | Some(Type::Primitive(_) | Type::Instance(_) | Type::Object(_) | Type::Function(_)) => {
                    Some(false)
                }
                _ => None,
            },
            (TypeExpr::Function(_), Some(given)) => match given {
                Type::Primitive(_) | Type::Object(_) | Type::Instance(_) => Some(false),
                Type::Builtin(Builtin::Array | Builtin::Promise | Builtin::Map | Builtin::Set, _) => {
                    Some(false)
                }
                _ => None,
            },
            (TypeExpr::Named { head: TypeHead::Binding(_), .. }, Some(Type::Instance(class))) => {
                let wanted = self.written_type(&At { file, ix: annotation, env: None });
                let Type::Instance(wanted) = wanted else { return None };
                self.is_subclass(class, &wanted)
            }
            (TypeExpr::Intersection(members), given) => {
                let members: Vec<Option<bool>> =
                    members.iter().map(|&member| self.accepts(file, member, given)).collect();
                members.contains(&Some(false)).then_some(false)
            }
            (TypeExpr::Named { head: TypeHead::Binding(_), .. } | TypeExpr::Literal(_), given) => {
                let wanted = self.written_type(&At { file, ix: annotation, env: None });
                if let Type::Parameter(file, binding) = wanted {
                    return match self.constraint_of(file, binding) {
                        Some(constraint) => self.accepts(file, constraint, given),
                        None => Some(true),
                    };
                }
                match given {
                    Some(Type::Primitive(_)) if excludes(&wanted, &|part| !is_primitive(part)) => Some(false),
                    None if excludes(&wanted, &is_primitive) => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is_subclass(
        &mut self,
        class: &At<crate::model::ClassIx>,
        wanted: &At<crate::model::ClassIx>,
    ) -> Option<bool> {
        let mut class = class.clone();
        for _ in 0..BASES {
            if (class.file, class.ix) == (wanted.file, wanted.ix) {
                return Some(true);
            }
            let module = self.module(class.file)?;
            let Some(Type::Class(base)) = self.base_class(&class, &module) else { return None };
            class = base;
        }
        None
    }
}

/// How many arguments a function takes at least.
fn required(facts: &ModuleFacts, function: FunctionIx) -> usize {
    let parameters = &facts.functions[function.at()].parameters;
    let is_optional = |ix: &TypeIx| match &facts.types[ix.at()] {
        TypeExpr::Union(members) => {
            members.iter().any(|member| facts.types[member.at()] == TypeExpr::Nothing)
        }
        _ => false,
    };
    let rest = parameters.last().filter(|last| last.is_rest).and_then(|last| last.annotation);
    let in_tuple = match rest.map(|ix| &facts.types[ix.at()]) {
        Some(TypeExpr::Tuple(elements) | TypeExpr::OpenTuple { first: elements, .. }) => {
            elements.iter().filter(|element| !is_optional(element)).count()
        }
        _ => 0,
    };
    parameters.iter().filter(|parameter| !parameter.is_optional && !parameter.is_rest).count() + in_tuple
}

/// The written type each of so many arguments goes to; `None` when the function does not take that many.
fn parameter_types(facts: &ModuleFacts, function: FunctionIx, count: usize) -> Option<Vec<Option<TypeIx>>> {
    let parameters = &facts.functions[function.at()].parameters;
    let mut types = Vec::with_capacity(count);
    for at in 0..count {
        match parameters
            .get(at)
            .or_else(|| parameters.last())
            .filter(|last| at < parameters.len() || last.is_rest)
        {
            None => return None,
            Some(parameter) if !parameter.is_rest => types.push(parameter.annotation),
            Some(parameter) => match parameter.annotation.map(|ix| &facts.types[ix.at()]) {
                Some(TypeExpr::Array(element)) => types.push(Some(*element)),
                Some(TypeExpr::Tuple(elements)) => {
                    types.push(Some(*elements.get(at + 1 - parameters.len())?));
                }
                Some(TypeExpr::OpenTuple { first, rest }) => {
                    let element = match &facts.types[rest.at()] {
                        TypeExpr::Array(element) => Some(*element),
                        _ => None,
                    };
                    types.push(first.get(at + 1 - parameters.len()).copied().or(element));
                }
                _ => types.push(None),
            },
        }
    }
    Some(types)
}

fn is_primitive(value: &Type) -> bool {
    matches!(value, Type::Primitive(_) | Type::Nothing)
}

/// Whether every alternative of a type is of a kind that is ruled out.
fn excludes(wanted: &Type, is_other: &dyn Fn(&Type) -> bool) -> bool {
    match wanted {
        Type::Union(members) => members.iter().all(|member| excludes(member, is_other)),
        Type::Intersection(members) => members.iter().any(|member| excludes(member, is_other)),
        Type::Unknown | Type::Parameter(..) | Type::Mapped(_) | Type::Key(_) => false,
        known => is_other(known),
    }
}
