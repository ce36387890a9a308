//! Call sites → the declarations they call.

use crate::model::{
    BindingIx, BindingValue, CallKind, CallSite, ClassIx, Expr, ExprIx, FileId, FunctionIx, ImportedName,
    MemberKind, Resolution,
};

use super::Target;
use super::builtins;
use super::linker::{Linker, add, target};
use super::types::{At, Declaration, Type};

/// A chain of aliases longer than this is not followed.
const ALIASES: u32 = 8;

type Proven = Vec<(Declaration, Resolution)>;

impl Linker<'_> {
    /// The symbols a call site proves to call.
    pub(super) fn call_targets(&mut self, file: FileId, call: &CallSite) -> Vec<(Target, Resolution)> {
        let mut targets = Vec::new();
        if let Expr::Super { class, .. } = self.expression(file, call.callee) {
            self.super_call(file, class, &mut targets);
            return targets;
        }
        for (declaration, resolution) in self.named_declarations(file, call.callee) {
            let resolution = match call.kind {
                CallKind::New => Resolution::NewExpression,
                CallKind::Jsx => Resolution::Jsx,
                CallKind::Decorator => Resolution::Decorator,
                CallKind::Call | CallKind::TaggedTemplate => resolution,
            };
            let symbols = self.value_symbols(&declaration);
            for &symbol in &symbols {
                add(&mut targets, (symbol, resolution));
            }
            if call.kind == CallKind::New
                && let Type::Class(class) = self.declaration_type(&declaration)
                && let Some(module) = self.module(class.file)
                // A value that only is of the class's type may hold another class.
                && target(class.file, module.facts.classes[class.ix.at()].symbol).is_some_and(|own| symbols.contains(&own))
                && let Some((_, Some(constructor))) = self.constructor(&class)
            {
                add(&mut targets, (constructor, resolution));
            }
        }
        targets
    }

    /// `super(…)` calls the base class and the constructor that runs.
    fn super_call(&mut self, file: FileId, class: ClassIx, targets: &mut Vec<(Target, Resolution)>) {
        let Some(module) = self.module(file) else { return };
        let class = At { file, ix: class, env: None };
        let Some(Type::Class(base)) = self.base_class(&class, &module) else { return };
        let Some(base_module) = self.module(base.file) else { return };
        if let Some(symbol) = target(base.file, base_module.facts.classes[base.ix.at()].symbol) {
            add(targets, (symbol, Resolution::SuperMethod));
        }
        if let Some((_, Some(constructor))) = self.constructor(&base) {
            add(targets, (constructor, Resolution::SuperMethod));
        }
    }

    /// The constructor that runs for a class, its own or an inherited one.
    pub(super) fn constructor(&mut self, class: &At<ClassIx>) -> Option<(At<FunctionIx>, Option<Target>)> {
        let mut class = class.clone();
        for _ in 0..ALIASES * 4 {
            let module = self.module(class.file)?;
            let members = &module.facts.classes[class.ix.at()].members;
            let own = members.iter().find(|member| member.kind == MemberKind::Constructor);
            if let Some(member) = own {
                let function = At::new(class.file, member.function?, &class.env);
                return Some((function, target(class.file, member.symbol)));
            }
            let Some(Type::Class(base)) = self.base_class(&class, &module) else { return None };
            class = base;
        }
        None
    }

    /// The declarations a callee names, with the reason: those its name means, and where one of these is no more than
    /// another name for something, that, too. Longer chains are left to the names on the way.
    pub(super) fn named_declarations(&mut self, file: FileId, callee: ExprIx) -> Proven {
        let mut callee = callee;
        // A cast changes what the compiler thinks of the value, not the value.
        for _ in 0..ALIASES {
            match self.expression(file, callee) {
                Expr::Cast { value, .. } => callee = value,
                _ => break,
            }
        }
        let mut proven = self.meant(file, callee);
        if let [(Declaration::Binding(file, binding), _)] = proven[..] {
            for member in self.taken_apart(file, binding) {
                add(&mut proven, (member, Resolution::Alias));
            }
        }
        for (declaration, _) in proven.clone() {
            for (aliased, _) in self.aliased(&declaration) {
                if !proven.iter().any(|(known, _)| *known == aliased) {
                    proven.push((aliased, Resolution::Alias));
                }
            }
        }
        proven
    }

    /// What a name or a member means.
    fn meant(&mut self, file: FileId, callee: ExprIx) -> Proven {
        match self.expression(file, callee) {
            Expr::Binding(binding) => {
                let Some(module) = self.module(file) else { return Vec::new() };
                let Some(declaration) = self.followed(file, &module, binding) else { return Vec::new() };
                let is_here = declaration == Declaration::Binding(file, binding);
                let resolution = if is_here { Resolution::SameFile } else { Resolution::Import };
                vec![(declaration, resolution)]
            }
            Expr::Member { object, name } => {
                let Some(module) = self.module(file) else { return Vec::new() };
                let name = &module.facts.names[name.0 as usize];
                let Some(receiver) = self.receiver_type(&At { file, ix: object, env: None }, name) else {
                    return Vec::new();
                };
                if builtins::is_builtin(&receiver) {
                    return Vec::new();
                }
                let Some(declarations) = self.members(&receiver, name) else { return Vec::new() };
                let resolution = self.receiver_resolution(file, object, &receiver);
                declarations.into_iter().map(|declaration| (declaration, resolution)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The members a destructured name was taken from.
    fn taken_apart(&mut self, file: FileId, binding: BindingIx) -> Vec<Declaration> {
        let Some(binding) = self.binding(file, binding).filter(|binding| !binding.is_reassigned) else {
            return Vec::new();
        };
        let taken = binding.values.into_iter().find_map(|value| match value {
            BindingValue::Destructured { source, path, default: None, .. } => Some((source, path)),
            _ => None,
        });
        taken.map(|(source, path)| self.destructured_members(file, source, &path)).unwrap_or_default()
    }

    /// What a declaration that is no more than another name stands for.
    fn aliased(&mut self, declaration: &Declaration) -> Proven {
        let (file, value) = match declaration {
            Declaration::Binding(file, binding) => {
                let Some(binding) = self.binding(*file, *binding).filter(|binding| !binding.is_reassigned)
                else {
                    return Vec::new();
                };
                let initializer = binding.values.into_iter().find_map(|value| match value {
                    BindingValue::Variable { initializer, annotation: None, .. } => initializer,
                    _ => None,
                });
                let Some(initializer) = initializer else { return Vec::new() };
                (*file, initializer)
            }
            // A property can be assigned by anyone who holds the object: what it held at first proves nothing. Only what
            // a CommonJS module exports is as good as a declaration.
            Declaration::ObjectMember(object, at) => {
                let Some(module) = self.module(object.file) else { return Vec::new() };
                let exported = module.facts.export_equals.map(|value| &module.facts.expressions[value.at()]);
                if exported != Some(&Expr::Object(object.ix)) {
                    return Vec::new();
                }
                (object.file, module.facts.objects[object.ix.at()].members[*at].value)
            }
            Declaration::Expression(file, value) => (*file, *value),
            _ => return Vec::new(),
        };
        if let Expr::Require(import) = self.expression(file, value) {
            let Some(module) = self.module(file) else { return Vec::new() };
            let whole = self.import(file, &module, import, &ImportedName::Namespace);
            return whole.map(|declaration| (declaration, Resolution::Alias)).into_iter().collect();
        }
        self.meant(file, value)
    }

    /// How a receiver's type was known.
    fn receiver_resolution(&mut self, file: FileId, object: ExprIx, receiver: &Type) -> Resolution {
        let expression = self.expression(file, object);
        match (&expression, receiver) {
            (Expr::This(_), _) => return Resolution::ThisMethod,
            (Expr::Super { .. }, _) => return Resolution::SuperMethod,
            (_, Type::Class(_)) => return Resolution::StaticMember,
            (_, Type::Module(_)) => return Resolution::Import,
            (_, Type::Namespace(namespace, _)) if *namespace == file => return Resolution::SameFile,
            (_, Type::Namespace(..)) => return Resolution::Import,
            (_, Type::Object(_)) => return Resolution::ObjectLiteral,
            // A function or class with the namespace that merges with it.
            (_, Type::Intersection(parts)) => {
                if let Some(&Type::Namespace(namespace, _)) =
                    parts.iter().find(|part| matches!(part, Type::Namespace(..)))
                {
                    return if namespace == file { Resolution::SameFile } else { Resolution::Import };
                }
            }
            _ => {}
        }
        self.origin(file, &expression, 0)
    }

    fn origin(&mut self, file: FileId, expression: &Expr, depth: u32) -> Resolution {
        match expression {
            Expr::New { .. } => Resolution::NewExpression,
            Expr::Call { .. } => Resolution::ReturnType,
            Expr::Member { .. } | Expr::Element(_) => Resolution::FieldType,
            Expr::Await(value) if depth < ALIASES => {
                let value = self.expression(file, *value);
                self.origin(file, &value, depth + 1)
            }
            Expr::Binding(binding) if depth < ALIASES => {
                let initializer = self.binding(file, *binding).and_then(|binding| {
                    binding.values.into_iter().find_map(|value| match value {
                        BindingValue::Variable { annotation: None, initializer, .. } => initializer,
                        _ => None,
                    })
                });
                match initializer.map(|ix| self.expression(file, ix)) {
                    Some(value @ (Expr::New { .. } | Expr::Call { .. } | Expr::Await(_))) => {
                        self.origin(file, &value, depth + 1)
                    }
                    _ => Resolution::ParameterType,
                }
            }
            _ => Resolution::ParameterType,
        }
    }
}
