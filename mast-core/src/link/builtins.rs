//! The library types that pass other types through: arrays, promises, maps, sets, iterables.
//!
//! Their methods are never symbols of the repository; what they give and hand to callbacks is what matters.

use std::rc::Rc;

use crate::model::{Expr, ExprIx, FileId, GuardSubject, GuardTest, Literal};

use super::annotations::awaited_type;
use super::linker::Linker;
use super::types::{At, Builtin, Type, TypeAt};

/// Whether the type is one of the library's, whose members are no symbols.
pub(super) fn is_builtin(value: &Type) -> bool {
    matches!(value, Type::Builtin(..) | Type::Tuple(_) | Type::Primitive(_))
}

const NUMBER: Type = Type::Primitive(Literal::Number);
const STRING: Type = Type::Primitive(Literal::String);
const BOOLEAN: Type = Type::Primitive(Literal::Boolean);

impl Linker<'_> {
    /// Arguments of a call expression.
    pub(super) fn arguments(&mut self, call: &At<ExprIx>) -> Vec<ExprIx> {
        match self.expression(call.file, call.ix) {
            Expr::Call { arguments, .. } | Expr::New { arguments, .. } => arguments,
            _ => Vec::new(),
        }
    }

    fn argument_type(&mut self, call: &At<ExprIx>, position: usize) -> Option<Type> {
        let argument = self.arguments(call).get(position).copied()?;
        Some(self.evaluate(&At::new(call.file, argument, &call.env)))
    }

    /// What the callback at `position` returns.
    fn callback_result(&mut self, call: &At<ExprIx>, position: usize) -> Type {
        match self.argument_type(call, position) {
            Some(function @ Type::Function(_)) => self.call_type(&function, None),
            _ => Type::Unknown,
        }
    }

    /// Type argument written at the call.
    fn written_argument(&mut self, call: &At<ExprIx>) -> Option<Type> {
        match self.expression(call.file, call.ix) {
            Expr::Call { type_arguments, .. } => {
                let first = type_arguments.first().copied()?;
                Some(self.written_type(&At::new(call.file, first, &call.env)))
            }
            _ => None,
        }
    }

    /// Result of calling a method of a library type.
    pub(super) fn call_builtin(&mut self, receiver: &Type, name: &str, call: &At<ExprIx>) -> Type {
        match receiver {
            Type::Tuple(_) => {
                let element = self.element_type(receiver);
                self.call_array(&element, name, call)
            }
            Type::Builtin(kind, arguments) => {
                let argument = |at: usize| arguments.get(at).cloned().unwrap_or(Type::Unknown);
                match kind {
                    Builtin::Array => self.call_array(&argument(0), name, call),
                    Builtin::Promise => match name {
                        "then" => {
                            let result = self.callback_result(call, 0);
                            Type::builtin(Builtin::Promise, [awaited_type(&result)])
                        }
                        "catch" => {
                            let result = awaited_type(&self.callback_result(call, 0));
                            Type::builtin(Builtin::Promise, [Type::union([argument(0), result])])
                        }
                        "finally" => receiver.clone(),
                        _ => Type::Unknown,
                    },
                    Builtin::Map => match name {
                        "get" => argument(1),
                        "set" => receiver.clone(),
                        "keys" => Type::builtin(Builtin::Iterable, [argument(0)]),
                        "values" => Type::builtin(Builtin::Iterable, [argument(1)]),
                        "entries" => Type::builtin(Builtin::Iterable, [Type::Tuple(Rc::clone(arguments))]),
                        _ => Type::Unknown,
                    },
                    Builtin::Set => match name {
                        "add" => receiver.clone(),
                        "keys" | "values" => Type::builtin(Builtin::Iterable, [argument(0)]),
                        _ => Type::Unknown,
                    },
                    Builtin::Iterable => match name {
                        "next" => receiver.clone(),
                        "toArray" => Type::array(argument(0)),
                        "filter" | "take" | "drop" => receiver.clone(),
                        _ => Type::Unknown,
                    },
                    Builtin::Record => {
                        let value = argument(1);
                        self.call_type(&value, Some(call))
                    }
                }
            }
            Type::Primitive(Literal::String) if name == "split" => Type::array(STRING),
            _ => Type::Unknown,
        }
    }

    fn call_array(&mut self, element: &Type, name: &str, call: &At<ExprIx>) -> Type {
        match name {
            "at" | "pop" | "shift" => element.clone(),
            "find" | "findLast" => self.filtered(element, call),
            "filter" => Type::array(self.filtered(element, call)),
            "slice" | "reverse" | "sort" | "splice" | "toSorted" | "toReversed" | "toSpliced" | "with"
            | "fill" | "copyWithin" => Type::array(element.clone()),
            "concat" => {
                let mut parts = vec![element.clone()];
                for position in 0..self.arguments(call).len() {
                    let part = self.argument_type(call, position).unwrap_or(Type::Unknown);
                    parts.push(match part {
                        Type::Builtin(Builtin::Array, _) | Type::Tuple(_) => self.element_type(&part),
                        other => other,
                    });
                }
                Type::array(Type::union(parts))
            }
            "map" => Type::array(self.callback_result(call, 0)),
            "flatMap" => {
                let result = self.callback_result(call, 0);
                match result {
                    Type::Builtin(Builtin::Array, _) => result,
                    other => Type::array(other),
                }
            }
            "flat" => match element {
                Type::Builtin(Builtin::Array, _) => element.clone(),
                Type::Union(_) => Type::array(Type::Unknown),
                other => Type::array(other.clone()),
            },
            "reduce" | "reduceRight" => match self.written_argument(call) {
                Some(written) => written,
                None => match self.argument_type(call, 1) {
                    Some(initial) => initial,
                    None => element.clone(),
                },
            },
            "keys" => Type::builtin(Builtin::Iterable, [NUMBER]),
            "values" => Type::builtin(Builtin::Iterable, [element.clone()]),
            "entries" => Type::builtin(Builtin::Iterable, [Type::Tuple([NUMBER, element.clone()].into())]),
            "some" | "every" | "includes" => BOOLEAN,
            "indexOf" | "findIndex" | "push" | "unshift" => NUMBER,
            "join" => STRING,
            _ => Type::Unknown,
        }
    }

    /// An element that passed a test: the test may have narrowed its type.
    fn filtered(&mut self, element: &Type, call: &At<ExprIx>) -> Type {
        let Some(&test) = self.arguments(call).first() else { return Type::Unknown };
        let Some(Type::Function(function)) = self.argument_type(call, 0) else { return Type::Unknown };
        if !matches!(self.expression(call.file, test), Expr::Function(_)) {
            // A predicate by name.
            let Some(module) = self.module(function.file) else { return Type::Unknown };
            return match module.facts.functions[function.ix.at()].predicate {
                Some((_, ix)) => self.written_type(&At { file: function.file, ix, env: function.env }),
                None if matches!(element, Type::Union(_)) => Type::Unknown,
                None => element.clone(),
            };
        }
        let Some(module) = self.module(function.file) else { return Type::Unknown };
        let facts = &module.facts.functions[function.ix.at()];
        if let Some((_, ix)) = facts.predicate {
            return self.written_type(&At { file: function.file, ix, env: function.env });
        }
        let is_tested =
            facts.parameters.first().and_then(|parameter| parameter.binding).is_some_and(|binding| {
                module.facts.guards.iter().any(|guard| {
                    guard.subject == GuardSubject::Binding(binding)
                        && !matches!(guard.test, GuardTest::Discriminant)
                })
            });
        if is_tested || matches!(element, Type::Union(_)) { Type::Unknown } else { element.clone() }
    }

    /// Types a library method hands to the callback at `position`; `None` when it hands none.
    pub(super) fn callback_parameters(
        &mut self,
        receiver: &Type,
        name: &str,
        position: usize,
        call: &At<ExprIx>,
    ) -> Option<Vec<Type>> {
        let argument = |at: usize| match receiver {
            Type::Builtin(_, arguments) => arguments.get(at).cloned().unwrap_or(Type::Unknown),
            _ => Type::Unknown,
        };
        match receiver {
            Type::Builtin(Builtin::Array | Builtin::Iterable, _) | Type::Tuple(_) => {
                let element = self.element_type(receiver);
                match (name, position) {
                    (
                        "map" | "filter" | "forEach" | "find" | "findIndex" | "findLast" | "findLastIndex"
                        | "some" | "every" | "flatMap",
                        0,
                    ) => Some(vec![element, NUMBER, receiver.clone()]),
                    ("sort" | "toSorted", 0) => Some(vec![element.clone(), element]),
                    ("reduce" | "reduceRight", 0) => {
                        let accumulator = match self.written_argument(call) {
                            Some(written) => written,
                            None => self.argument_type(call, 1).unwrap_or_else(|| element.clone()),
                        };
                        Some(vec![accumulator, element, NUMBER, receiver.clone()])
                    }
                    _ => None,
                }
            }
            Type::Builtin(Builtin::Promise, _) if name == "then" && position == 0 => Some(vec![argument(0)]),
            Type::Builtin(Builtin::Map, _) if name == "forEach" => {
                Some(vec![argument(1), argument(0), receiver.clone()])
            }
            Type::Builtin(Builtin::Set, _) if name == "forEach" => {
                Some(vec![argument(0), argument(0), receiver.clone()])
            }
            _ => None,
        }
    }

    /// Callback of `Array.from(xs, callback)`.
    pub(super) fn global_callback(
        &mut self,
        global: &str,
        name: &str,
        position: usize,
        call: &At<ExprIx>,
    ) -> Option<Vec<Type>> {
        match (global, name, position) {
            ("Array", "from", 1) => {
                let source = self.argument_type(call, 0)?;
                Some(vec![self.element_type(&source), NUMBER])
            }
            _ => None,
        }
    }

    /// Result of `Global.name(…)`.
    pub(super) fn call_global(&mut self, global: &str, name: &str, call: &At<ExprIx>) -> Type {
        let first = |linker: &mut Self| linker.argument_type(call, 0).unwrap_or(Type::Unknown);
        match (global, name) {
            ("Object", "freeze" | "seal") => first(self),
            ("Object", "keys") => Type::array(STRING),
            ("Object", "values") => {
                let source = first(self);
                Type::array(self.value_type(&source))
            }
            ("Object", "entries") => {
                let source = first(self);
                let value = self.value_type(&source);
                Type::array(Type::Tuple([STRING, value].into()))
            }
            ("Array", "from") => match self.arguments(call).len() {
                1 => {
                    let source = first(self);
                    Type::array(self.element_type(&source))
                }
                _ => Type::array(self.callback_result(call, 1)),
            },
            ("Promise", "resolve") => Type::builtin(Builtin::Promise, [awaited_type(&first(self))]),
            ("Promise", "all") => {
                let values = match self.arguments(call).first() {
                    Some(&list) => self.expression(call.file, list),
                    None => return Type::Unknown,
                };
                let all = if let Expr::Array(elements) = values {
                    let elements = elements
                        .into_iter()
                        .map(|element| awaited_type(&self.evaluate(&At::new(call.file, element, &call.env))));
                    Type::Tuple(elements.collect())
                } else {
                    let list = first(self);
                    Type::array(self.awaited_element(&list))
                };
                Type::builtin(Builtin::Promise, [all])
            }
            _ => Type::Unknown,
        }
    }

    /// Values of an object used as a dictionary.
    fn value_type(&mut self, source: &Type) -> Type {
        match source {
            Type::Builtin(Builtin::Record, _) => self.element_type(source),
            Type::Builtin(Builtin::Array, _) => self.element_type(source),
            _ => Type::Unknown,
        }
    }

    /// `new Map(…)` and its kin.
    pub(super) fn new_builtin(&mut self, name: &str, written: &[TypeAt], call: &At<ExprIx>) -> Type {
        let written: Vec<Type> = written.iter().map(|argument| self.written_type(argument)).collect();
        let kind = match name {
            "Map" | "WeakMap" => Builtin::Map,
            "Set" | "WeakSet" => Builtin::Set,
            "Array" => Builtin::Array,
            "Promise" => Builtin::Promise,
            _ => return Type::Unknown,
        };
        if !written.is_empty() {
            return Type::builtin(kind, written);
        }
        let source = self.argument_type(call, 0);
        match (kind, source) {
            (Builtin::Set, Some(source)) => Type::builtin(Builtin::Set, [self.element_type(&source)]),
            (Builtin::Map, Some(source)) => match self.element_type(&source) {
                Type::Tuple(pair) if pair.len() == 2 => Type::Builtin(Builtin::Map, pair),
                _ => Type::builtin(Builtin::Map, [Type::Unknown, Type::Unknown]),
            },
            (Builtin::Map, None) => Type::builtin(Builtin::Map, [Type::Unknown, Type::Unknown]),
            (kind, _) => Type::builtin(kind, [Type::Unknown]),
        }
    }

    /// The global a call's receiver names, when it is one.
    pub(super) fn global_receiver(&mut self, file: FileId, object: ExprIx) -> Option<String> {
        let Expr::Global(name) = self.expression(file, object) else { return None };
        let module = self.module(file)?;
        module.facts.names.get(name.0 as usize).cloned()
    }
}
