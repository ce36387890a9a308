//! Scopes, what is declared in them, and the look-up of names once all is declared.

use std::hash::{BuildHasherDefault, Hasher};

use crate::model::{
    Binding, BindingIx, BindingValue, ClassIx, Declarer, Expr, ExprIx, FunctionFacts, FunctionIx, Guard,
    GuardSubject, ModuleFacts, NameIx, SymbolIx, TypeExpr, TypeHead, TypeIx,
};

use super::guards::Subject;
use super::{Analysis, Lines, index};

/// Position of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ScopeIx(pub(super) u32);

impl ScopeIx {
    pub(super) fn at(self) -> usize {
        self.0 as usize
    }
}

/// A scope and what its code is surrounded by.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) parent: Option<ScopeIx>,
    /// `var` declarations inside belong here.
    pub(super) hoists: bool,
    /// What `this` is.
    pub(super) this: Option<Declarer>,
    /// The class whose member this is, and whether a static one: what `super` means.
    pub(super) home: Option<(ClassIx, bool)>,
    /// The function that `return` leaves.
    pub(super) function: Option<FunctionIx>,
    /// The symbol calls are made from.
    pub(super) caller: Option<SymbolIx>,
    /// Inside `declare …`, where everything in a namespace is exported.
    pub(super) ambient: bool,
    /// The block of this namespace.
    pub(super) namespace: Option<crate::model::NamespaceIx>,
}

/// In which positions a name means a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning(u8);

impl Meaning {
    pub(super) const VALUE: Self = Self(1);
    pub(super) const TYPE: Self = Self(2);
    pub(super) const NAMESPACE: Self = Self(4);
    pub(super) const ALL: Self = Self(7);

    fn of(value: &BindingValue, facts: &ModuleFacts) -> Self {
        match value {
            BindingValue::Import { .. } | BindingValue::Opaque => Self::ALL,
            BindingValue::Class(_) => Self(1 | 2),
            BindingValue::Interface(_) | BindingValue::TypeAlias(_) | BindingValue::TypeParameter { .. } => {
                Self::TYPE
            }
            BindingValue::Namespace(ix) if facts.namespaces[ix.at()].is_enum => Self::ALL,
            BindingValue::Namespace(_) => Self(1 | 4),
            BindingValue::Function(_)
            | BindingValue::Variable { .. }
            | BindingValue::Parameter { .. }
            | BindingValue::Destructured { .. }
            | BindingValue::ElementOf { .. } => Self::VALUE,
        }
    }

    fn includes(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A name to look up, and where the answer goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    /// An identifier in an expression.
    Value { slot: ExprIx, scope: ScopeIx, name: NameIx },
    /// The first name of a type reference.
    Type { slot: TypeIx, scope: ScopeIx, name: NameIx },
}

impl Analysis<'_> {
    /// Declares `name`; declarations of one scope under one name share a binding.
    pub(super) fn declare(&mut self, scope: ScopeIx, name: NameIx, value: BindingValue) -> BindingIx {
        let meaning = Meaning::of(&value, &self.facts);
        let Some(&ix) = self.table.get(&(scope, name)) else {
            let ix = self.add_binding(name, value);
            self.table.insert((scope, name), ix);
            return ix;
        };
        if let BindingValue::Function(function) = value
            && self.merge_overload(ix, function)
        {
            return ix;
        }
        let binding = &mut self.facts.bindings[ix.at()];
        let is_variable = |value: &BindingValue| {
            !matches!(
                value,
                BindingValue::Class(_)
                    | BindingValue::Interface(_)
                    | BindingValue::TypeAlias(_)
                    | BindingValue::Namespace(_)
                    | BindingValue::TypeParameter { .. }
            )
        };
        // A function may merge with a namespace; two variables, or two functions with bodies, may not.
        if is_variable(&value) && binding.values.iter().any(is_variable) {
            binding.is_reassigned = true;
        }
        binding.values.push(value);
        self.meanings[ix.at()].0 |= meaning.0;
        ix
    }

    /// A binding that no name leads to.
    pub(super) fn add_binding(&mut self, name: NameIx, value: BindingValue) -> BindingIx {
        let ix = BindingIx(index(self.facts.bindings.len()));
        self.meanings.push(Meaning::of(&value, &self.facts));
        self.facts.bindings.push(Binding { name, values: vec![value], is_reassigned: false });
        ix
    }

    /// Makes overload signatures and their implementation one function.
    fn merge_overload(&mut self, binding: BindingIx, new: FunctionIx) -> bool {
        let find = |value: &BindingValue| match value {
            BindingValue::Function(function) => Some(*function),
            _ => None,
        };
        let values = &self.facts.bindings[binding.at()].values;
        let Some((at, known)) = values.iter().enumerate().find_map(|(at, value)| Some((at, find(value)?)))
        else {
            return false;
        };
        if self.has_body[known.at()] {
            return false;
        }
        let merged = merge_signatures(&mut self.facts, &mut self.has_body, known, new);
        self.facts.bindings[binding.at()].values[at] = BindingValue::Function(merged);
        true
    }

    /// The nearest scope `var` declarations belong to.
    pub(super) fn var_scope(&self, mut scope: ScopeIx) -> ScopeIx {
        while let (false, Some(parent)) = (self.scope(scope).hoists, self.scope(scope).parent) {
            scope = parent;
        }
        scope
    }

    pub(super) fn lookup(&self, scope: ScopeIx, name: NameIx, meaning: Meaning) -> Option<BindingIx> {
        let mut next = Some(scope);
        while let Some(scope) = next {
            if let Some(&binding) = self.table.get(&(scope, name))
                && self.meanings[binding.at()].includes(meaning)
            {
                return Some(binding);
            }
            next = self.scope(scope).parent;
        }
        None
    }

    /// Looks every name up and closes the facts.
    pub(super) fn finish(mut self, module: ScopeIx) -> ModuleFacts {
        for used in std::mem::take(&mut self.uses) {
            match used {
                Use::Value { slot, scope, name } => {
                    self.facts.expressions[slot.at()] = match self.lookup(scope, name, Meaning::VALUE) {
                        Some(binding) => Expr::Binding(binding),
                        None => Expr::Global(name),
                    };
                }
                Use::Type { slot, scope, name } => {
                    let TypeExpr::Named { path, .. } = &self.facts.types[slot.at()] else { continue };
                    let meaning = if path.is_empty() { Meaning::TYPE } else { Meaning::NAMESPACE };
                    let found = self.lookup(scope, name, meaning);
                    if let (Some(binding), TypeExpr::Named { head, .. }) =
                        (found, &mut self.facts.types[slot.at()])
                    {
                        *head = TypeHead::Binding(binding);
                    }
                }
            }
        }
        for (scope, name) in std::mem::take(&mut self.writes) {
            if let Some(binding) = self.lookup(scope, name, Meaning::VALUE) {
                self.facts.bindings[binding.at()].is_reassigned = true;
            }
        }
        for (namespace, scope, name) in std::mem::take(&mut self.exports) {
            if let Some(&binding) = self.table.get(&(scope, name)) {
                let exports = &mut self.facts.namespaces[namespace.at()].exports;
                if !exports.contains(&(name, binding)) {
                    exports.push((name, binding));
                }
            }
        }
        for (subject, test) in std::mem::take(&mut self.guards) {
            let subject = match subject {
                Subject::Member(name) => GuardSubject::Member(name),
                Subject::Name(scope, name) => match self.lookup(scope, name, Meaning::VALUE) {
                    Some(binding) => GuardSubject::Binding(binding),
                    None => continue,
                },
            };
            self.facts.guards.push(Guard { subject, test });
        }
        self.facts.guards.sort_by_key(|guard| guard.subject);
        self.facts.guards.dedup();
        self.facts.call_contexts.sort_unstable_by_key(|entry| entry.0);
        self.finish_sites();
        let mut top: Vec<_> = self
            .table
            .iter()
            .filter(|((scope, _), _)| *scope == module)
            .map(|(&(_, name), &ix)| (name, ix))
            .collect();
        top.sort_unstable();
        self.facts.top_level = top;
        self.facts
    }

    fn finish_sites(&mut self) {
        let lines = Lines::of(self.text);
        let mut calls = std::mem::take(&mut self.calls);
        calls.sort_by_key(|call| call.0);
        for (at, mut call) in calls {
            (call.line, call.column) = lines.position(at);
            self.facts.calls.push(call);
        }
        let mut references = std::mem::take(&mut self.references);
        references.sort_by_key(|reference| reference.0);
        for (at, mut reference) in references {
            // Built-in types and type parameters are no declarations anyone asks about.
            let names_symbol = match &self.facts.types[reference.to.at()] {
                TypeExpr::Named { head: TypeHead::Global(_), .. } | TypeExpr::Unknown => false,
                TypeExpr::Named { head: TypeHead::Binding(binding), .. } => self.facts.bindings[binding.at()]
                    .values
                    .iter()
                    .any(|value| !matches!(value, BindingValue::TypeParameter { .. })),
                _ => true,
            };
            if names_symbol {
                (reference.line, reference.column) = lines.position(at);
                self.facts.type_references.push(reference);
            }
        }
    }
}

/// Joins a signature with what follows it under the same name; gives the function that stands for both.
pub(super) fn merge_signatures(
    facts: &mut ModuleFacts,
    has_body: &mut Vec<bool>,
    known: FunctionIx,
    new: FunctionIx,
) -> FunctionIx {
    let mut overloads = std::mem::take(&mut facts.functions[known.at()].overloads);
    let is_group = !overloads.is_empty();
    if !is_group {
        overloads.push(known);
    }
    let symbol = facts.functions[new.at()].symbol.or(facts.functions[known.at()].symbol);
    if has_body[new.at()] {
        facts.functions[new.at()].overloads = overloads;
        facts.functions[new.at()].symbol = symbol;
        return new;
    }
    overloads.push(new);
    if is_group {
        facts.functions[known.at()].overloads = overloads;
        facts.functions[known.at()].symbol = symbol;
        return known;
    }
    // Signatures alone, as in a declaration file: a function that is nothing but its overloads.
    facts.functions.push(FunctionFacts { symbol, overloads, ..FunctionFacts::default() });
    has_body.push(false);
    FunctionIx(index(facts.functions.len() - 1))
}

/// Hashes the small integers and short names of one file; nothing here is exposed to chosen keys for long.
#[derive(Debug, Default)]
pub(super) struct FastHasher(u64);

pub(super) type FastHash = BuildHasherDefault<FastHasher>;

impl FastHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.add(value.into());
    }

    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}
