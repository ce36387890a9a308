//! Types that come from where an expression stands: parameters of callbacks, mostly.

use crate::model::{Context, Expr, ExprIx, FileId, FunctionIx, MemberKind};

use super::annotations::awaited_type;
use super::builtins;
use super::linker::Linker;
use super::signatures::agreed;
use super::types::{At, Env, Type};

impl Linker<'_> {
    /// Type of a function's parameter: as written, else from the context, else from its default.
    pub(super) fn parameter_type(
        &mut self,
        file: FileId,
        function: FunctionIx,
        position: u32,
        env: &Env,
        is_reassigned: bool,
    ) -> Type {
        let Some(module) = self.module(file) else { return Type::Unknown };
        let facts = &module.facts.functions[function.at()];
        let Some(parameter) = facts.parameters.get(position as usize) else { return Type::Unknown };
        if let Some(annotation) = parameter.annotation {
            return self.written_type(&At::new(file, annotation, env));
        }
        if let Some(context) = facts.context
            && !parameter.is_rest
            && let Some(expected) = self.expected_parameter(file, context, position as usize, env)
        {
            return expected;
        }
        match parameter.default {
            Some(default) if !is_reassigned && facts.context.is_none() => {
                self.evaluate(&At::new(file, default, env))
            }
            _ => Type::Unknown,
        }
    }

    /// Type of parameter `position` of the function expected in a context; `None` when the context expects none.
    fn expected_parameter(
        &mut self,
        file: FileId,
        context: Context,
        position: usize,
        env: &Env,
    ) -> Option<Type> {
        if let Context::Argument { call, position: argument } = context {
            let call = At::new(file, call, env);
            if let Some(parameters) = self.library_callback(&call, argument as usize) {
                return parameters.get(position).cloned();
            }
            // Overloads may expect different functions that are handed the same.
            let expected = self.expected_arguments(&call, argument as usize);
            let handed: Vec<Type> =
                expected.iter().filter_map(|expected| self.function_parameter(expected, position)).collect();
            return (!handed.is_empty()).then(|| agreed(handed));
        }
        let expected = self.context_type(file, context, env)?;
        self.function_parameter(&expected, position)
    }

    /// What a library method hands to its callback.
    fn library_callback(&mut self, call: &At<ExprIx>, argument: usize) -> Option<Vec<Type>> {
        let Expr::Call { callee, .. } = self.expression(call.file, call.ix) else { return None };
        let Expr::Member { object, name } = self.expression(call.file, callee) else { return None };
        let module = self.module(call.file)?;
        let name = &module.facts.names[name.0 as usize];
        if let Some(global) = self.global_receiver(call.file, object) {
            return self.global_callback(&global, name, argument, call);
        }
        let receiver = self.receiver_type(&At::new(call.file, object, &call.env), name)?;
        if builtins::is_builtin(&receiver) {
            return self.callback_parameters(&receiver, name, argument, call);
        }
        None
    }

    /// Type of a parameter of a function type.
    fn function_parameter(&mut self, function: &Type, position: usize) -> Option<Type> {
        match function {
            Type::Function(function) => {
                let types: Vec<Type> = self
                    .signatures(function, None)
                    .into_iter()
                    .filter_map(|signature| self.signature_parameter(&signature, position))
                    .collect();
                (!types.is_empty()).then(|| agreed(types))
            }
            Type::Interface(_) => {
                let types: Vec<Type> = self
                    .interface_signatures(function, MemberKind::Call)
                    .into_iter()
                    .filter_map(|signature| self.signature_parameter(&signature, position))
                    .collect();
                (!types.is_empty()).then(|| agreed(types))
            }
            Type::Union(members) | Type::Intersection(members) => {
                let types: Vec<Type> =
                    members.iter().filter_map(|member| self.function_parameter(member, position)).collect();
                (!types.is_empty()).then(|| agreed(types))
            }
            Type::Parameter(file, binding) => {
                let constraint = self.constraint(*file, *binding);
                self.deeper(|linker| linker.function_parameter(&constraint, position)).flatten()
            }
            _ => None,
        }
    }

    fn signature_parameter(&mut self, function: &At<FunctionIx>, position: usize) -> Option<Type> {
        let module = self.module(function.file)?;
        let facts = &module.facts.functions[function.ix.at()];
        let last = facts.parameters.len().checked_sub(1)?;
        let at = position.min(last);
        let parameter = &facts.parameters[at];
        if at < position && !parameter.is_rest {
            return None;
        }
        let written =
            self.parameter_type(function.file, function.ix, u32::try_from(at).ok()?, &function.env, false);
        Some(match written {
            Type::Tuple(elements) if parameter.is_rest => elements.get(position - at)?.clone(),
            written if parameter.is_rest => self.element_type(&written),
            written => written,
        })
    }

    /// The type expected of an expression in a context.
    pub(super) fn context_type(&mut self, file: FileId, context: Context, env: &Env) -> Option<Type> {
        self.deeper(|linker| linker.find_context_type(file, context, env)).flatten()
    }

    fn find_context_type(&mut self, file: FileId, context: Context, env: &Env) -> Option<Type> {
        let module = self.module(file)?;
        match context {
            Context::Type(ix) => Some(self.written_type(&At::new(file, ix, env))),
            Context::Property { object, name } => {
                let context = module.facts.objects[object.at()].context?;
                let expected = self.context_type(file, context, env)?;
                match self.member_type(&expected, &module.facts.names[name.0 as usize]) {
                    Type::Unknown => None,
                    expected => Some(expected),
                }
            }
            Context::Returned(function) => {
                let facts = &module.facts.functions[function.at()];
                let expected = if let Some(written) = facts.return_type {
                    self.written_type(&At::new(file, written, env))
                } else {
                    let expected = self.context_type(file, facts.context?, env)?;
                    self.call_type(&expected, None)
                };
                Some(if facts.is_async { awaited_type(&expected) } else { expected })
            }
            Context::Attribute { component, name } => {
                let component = self.evaluate(&At::new(file, component, env));
                let properties = match component {
                    Type::Function(_) | Type::Interface(_) => self.function_parameter(&component, 0)?,
                    _ => return None,
                };
                Some(self.member_type(&properties, &module.facts.names[name.0 as usize]))
            }
            Context::Argument { call, position } => {
                let expected = self.expected_arguments(&At::new(file, call, env), position as usize);
                (!expected.is_empty()).then(|| agreed(expected))
            }
        }
    }

    /// The parameter types an argument may be checked against, one for each possible signature; type parameters told by
    /// the other arguments.
    fn expected_arguments(&mut self, call: &At<ExprIx>, position: usize) -> Vec<Type> {
        self.deeper(|linker| linker.find_expected_arguments(call, position)).unwrap_or_default()
    }

    fn find_expected_arguments(&mut self, call: &At<ExprIx>, position: usize) -> Vec<Type> {
        let (callee, is_new) = match self.expression(call.file, call.ix) {
            Expr::Call { callee, .. } => (callee, false),
            Expr::New { callee, .. } => (callee, true),
            _ => return Vec::new(),
        };
        let callee = self.evaluate(&At::new(call.file, callee, &call.env));
        let functions = self.called_functions(&callee, is_new);
        let functions = self.chosen(functions, Some(call));
        let mut types = Vec::new();
        for function in functions {
            for signature in self.signatures(&function, Some(call)) {
                let env = self.inferred_environment(&signature, Some(call), false);
                let signature = At { env, ..signature };
                types.extend(self.signature_parameter(&signature, position));
            }
        }
        types
    }

    /// The functions that run when something is called or constructed.
    fn called_functions(&mut self, callee: &Type, is_new: bool) -> Vec<At<FunctionIx>> {
        match callee {
            Type::Function(function) if !is_new => vec![function.clone()],
            Type::Constructor(function) if is_new => vec![function.clone()],
            Type::Interface(_) => self.interface_signatures(
                callee,
                if is_new { MemberKind::Constructor } else { MemberKind::Call },
            ),
            Type::Class(class) if is_new => {
                self.constructor(class).into_iter().map(|(function, _)| function).collect()
            }
            Type::Intersection(members) => {
                let mut functions = Vec::new();
                for member in members.iter() {
                    functions.extend(
                        self.deeper(|linker| linker.called_functions(member, is_new)).unwrap_or_default(),
                    );
                }
                functions
            }
            _ => Vec::new(),
        }
    }
}
