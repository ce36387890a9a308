//! Which signatures of an overloaded function a call may mean.

use crate::model::{Expr, ExprIx, FileId, FunctionIx, Literal, TypeExpr, TypeHead, TypeIx};

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
        let has_rest = facts.parameters.last().is_some_and(|last| last.is_rest);
        let required =
            facts.parameters.iter().filter(|parameter| !parameter.is_optional && !parameter.is_rest);
        if arguments.len() < required.count() || (arguments.len() > facts.parameters.len() && !has_rest) {
            return Some(false);
        }
        let mut certain = true;
        for (at, &argument) in arguments.iter().enumerate() {
            let parameter = facts.parameters.get(at).or_else(|| facts.parameters.last())?;
            let Some(annotation) = parameter.annotation else { continue };
            let annotation = match &module.facts.types[annotation.at()] {
                TypeExpr::Array(element) if parameter.is_rest => *element,
                _ if parameter.is_rest => {
                    certain = false;
                    continue;
                }
                _ => annotation,
            };
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
        let is_plain = |given: &Type| match given {
            Type::Primitive(_) => Some(false),
            _ => None,
        };
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
            (TypeExpr::Array(_) | TypeExpr::Tuple(_), given) => match given {
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
            (TypeExpr::Named { head: TypeHead::Binding(_), .. } | TypeExpr::Literal(_), Some(given)) => {
                match self.written_type(&At { file, ix: annotation, env: None }) {
                    Type::Instance(_) | Type::Interface(_) => is_plain(given),
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
