//! Tests that narrow types: where one may have happened, the declared type proves less.

use crate::model::{Asserted, BindingIx, Expr, ExprIx, FileId, Guard, GuardSubject, GuardTest};

use super::linker::Linker;
use super::types::{At, Type};

/// What a called function says about what it is given.
#[derive(Debug, Clone)]
pub(super) enum Test {
    /// The function is not known.
    Unknown,
    /// Nothing.
    Plain,
    /// That something is of the type.
    Predicate(Asserted, Type),
}

impl Linker<'_> {
    fn guards(&mut self, file: FileId, subject: GuardSubject) -> Vec<Guard> {
        if self.in_test {
            return Vec::new();
        }
        let Some(module) = self.module(file) else { return Vec::new() };
        let guards = &module.facts.guards;
        let first = guards.partition_point(|guard| guard.subject < subject);
        guards[first..].iter().take_while(|guard| guard.subject == subject).copied().collect()
    }

    /// The type of a name's value, unless it may have been narrowed to something else.
    pub(super) fn narrowed_binding(&mut self, file: FileId, binding: BindingIx, value: Type) -> Type {
        let guards = self.guards(file, GuardSubject::Binding(binding));
        self.unless_narrowed(file, &guards, value)
    }

    pub(super) fn narrowed_member(&mut self, file: FileId, name: &str, value: Type) -> Type {
        let guards = self.member_guards(file, name);
        self.unless_narrowed(file, &guards, value)
    }

    fn member_guards(&mut self, file: FileId, name: &str) -> Vec<Guard> {
        let Some(module) = self.module(file) else { return Vec::new() };
        let Some(at) = module.facts.names.iter().position(|text| text == name) else { return Vec::new() };
        let name = crate::model::NameIx(u32::try_from(at).unwrap_or(u32::MAX));
        self.guards(file, GuardSubject::Member(name))
    }

    fn unless_narrowed(&mut self, file: FileId, guards: &[Guard], value: Type) -> Type {
        if guards.is_empty() {
            return value;
        }
        match value {
            Type::Union(_) if guards.iter().any(|guard| self.tells_apart(file, guard)) => Type::Unknown,
            value
            @ (Type::Instance(_) | Type::Interface(_) | Type::Parameter(..) | Type::Intersection(_)) => {
                let narrows = guards.iter().any(|guard| match self.guard_type(file, guard) {
                    None => false,
                    Some(to) => !same_declaration(&to, &value),
                });
                if narrows { Type::Unknown } else { value }
            }
            value => value,
        }
    }

    /// Whether a guard may take members away from a union.
    fn tells_apart(&mut self, file: FileId, guard: &Guard) -> bool {
        let GuardTest::Call { callee, subject } = guard.test else { return true };
        match self.test(file, callee) {
            Test::Predicate(about, _) => about == subject,
            Test::Plain => false,
            // An unknown function given the value may be a predicate; methods that are one are too rare to doubt all.
            Test::Unknown => subject != Asserted::This,
        }
    }

    /// What kind of test a call of `callee` is.
    fn test(&mut self, file: FileId, callee: ExprIx) -> Test {
        let key = (file, callee);
        if let Some(known) = self.tests.get(&key) {
            return known.clone();
        }
        if self.in_test {
            return Test::Unknown;
        }
        let test = self.apart(|linker| linker.find_test(file, callee));
        self.tests.insert(key, test.clone());
        test
    }

    fn find_test(&mut self, file: FileId, callee: ExprIx) -> Test {
        let Type::Function(function) = self.evaluate(&At { file, ix: callee, env: None }) else {
            return Test::Unknown;
        };
        let Some(module) = self.module(function.file) else { return Test::Unknown };
        let facts = &module.facts.functions[function.ix.at()];
        let overloads = facts.overloads.iter().map(|ix| &module.facts.functions[ix.at()]);
        let predicate = std::iter::once(facts).chain(overloads).find_map(|signature| signature.predicate);
        match predicate {
            None => Test::Plain,
            Some((about, ix)) => {
                let asserted = self.written_type(&At { file: function.file, ix, env: function.env });
                Test::Predicate(about, asserted)
            }
        }
    }

    /// What a guard narrows to; `None` when it only takes members away from unions.
    fn guard_type(&mut self, file: FileId, guard: &Guard) -> Option<Type> {
        match guard.test {
            GuardTest::Discriminant => None,
            GuardTest::InstanceOf(class) => match self.evaluate(&At { file, ix: class, env: None }) {
                Type::Class(class) => Some(Type::Instance(class)),
                _ => None,
            },
            GuardTest::Call { callee, subject } => match self.test(file, callee) {
                Test::Predicate(about, asserted) if about == subject => Some(asserted),
                _ => None,
            },
        }
    }

    /// Type of a name's value where a test of it holds: the one alternative of its type that the test asserts.
    pub(super) fn tested_type(&mut self, value: &At<ExprIx>, test: GuardTest) -> Type {
        let Expr::Binding(binding) = self.expression(value.file, value.ix) else { return Type::Unknown };
        let guard = Guard { subject: GuardSubject::Binding(binding), test };
        let declared = self.binding_type(value.file, binding, &value.env);
        let (Type::Union(members), Some(asserted)) = (declared, self.guard_type(value.file, &guard)) else {
            return Type::Unknown;
        };
        // A structural subtype elsewhere in the union would be left, too: all others must be of other kinds.
        let mut objects = members.iter().filter(|member| !matches!(member, Type::Primitive(_)));
        match (objects.next(), objects.next()) {
            (Some(only), None) if same_declaration(only, &asserted) => only.clone(),
            _ => Type::Unknown,
        }
    }

    /// Type of a receiver whose member `name` is asked for; `None` when a test may have narrowed it to a type where
    /// `name` is another declaration.
    pub(super) fn receiver_type(&mut self, at: &At<ExprIx>, name: &str) -> Option<Type> {
        let (value, guards) = match self.expression(at.file, at.ix) {
            Expr::Binding(binding) => {
                let guards = self.guards(at.file, GuardSubject::Binding(binding));
                if guards.is_empty() {
                    return Some(self.evaluate(at));
                }
                (self.binding_type(at.file, binding, &at.env), guards)
            }
            Expr::Member { object, name: property } => {
                let module = self.module(at.file)?;
                let property_name = &module.facts.names[property.0 as usize];
                let guards = self.guards(at.file, GuardSubject::Member(property));
                if guards.is_empty() {
                    return Some(self.evaluate(at));
                }
                let receiver = self.receiver_type(&At::new(at.file, object, &at.env), property_name)?;
                (self.member_type(&receiver, property_name), guards)
            }
            _ => return Some(self.evaluate(at)),
        };
        if matches!(value, Type::Unknown | Type::Builtin(..)) {
            return Some(value);
        }
        let declared = self.members(&value, name);
        if let Type::Union(_) = value {
            // Whatever is left of the union must mean the same.
            let mut symbols: Vec<_> =
                declared?.iter().flat_map(|declaration| self.value_symbols(declaration)).collect();
            symbols.dedup();
            let is_one = symbols.len() == 1;
            let is_whole = is_one || !guards.iter().any(|guard| self.tells_apart(at.file, guard));
            return is_whole.then_some(value);
        }
        for guard in &guards {
            if let Some(narrowed) = self.guard_type(at.file, guard) {
                let elsewhere = self.members(&narrowed, name);
                if elsewhere.is_some() && !self.same_symbols(declared.as_deref(), elsewhere.as_deref()) {
                    return None;
                }
                if elsewhere.is_none() && matches!(narrowed, Type::Unknown) {
                    return None;
                }
            }
        }
        Some(value)
    }

    fn same_symbols(
        &mut self,
        left: Option<&[super::types::Declaration]>,
        right: Option<&[super::types::Declaration]>,
    ) -> bool {
        let mut symbols = |declarations: Option<&[super::types::Declaration]>| {
            let mut symbols: Vec<_> = declarations
                .unwrap_or_default()
                .iter()
                .flat_map(|declaration| self.value_symbols(declaration))
                .collect();
            symbols.sort_unstable();
            symbols
        };
        symbols(left) == symbols(right)
    }
}

fn same_declaration(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::Instance(left), Type::Instance(right)) => (left.file, left.ix) == (right.file, right.ix),
        (Type::Interface(left), Type::Interface(right)) => (left.file, left.ix) == (right.file, right.ix),
        _ => left == right,
    }
}
