//! Ranker D: declarations whose name is what the query says.

use std::cmp::Reverse;

use super::Role;
use crate::model::SymbolKind;

/// How a declaration's name meets the query, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameMatch {
    /// The query is the full name: a top-level declaration's, or a qualified one.
    Full,
    /// The query is the last segment of the name of a member.
    Segment,
    /// A name inside a longer query.
    Mentioned,
    /// The name begins with the query.
    Prefix,
}

/// A declaration that ranker D found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration<'a> {
    /// How its name meets the query.
    pub matched: NameMatch,
    /// How many declarations share the name.
    pub namesakes: usize,
    /// The query spells the name in the same case.
    pub is_exact_case: bool,
    /// Last segment of the name.
    pub name: &'a str,
    /// Kind.
    pub kind: SymbolKind,
    /// Reachable from outside the file.
    pub is_exported: bool,
    /// What the file is for.
    pub role: Role,
    /// File.
    pub path: &'a str,
    /// Line of the name.
    pub line: u32,
}

impl<'a> Declaration<'a> {
    /// The order of ranker D: full name before segment, rarer name first, exact case first, implementation before
    /// declaration files and tests, exported first, shorter of the names that begin with the query, what is called or
    /// made before what is only a type or a value, then by place.
    #[must_use]
    pub fn order(&self) -> impl Ord + use<'a> {
        let begun = if self.matched == NameMatch::Prefix { self.name.len() } else { 0 };
        let rarity = if self.matched == NameMatch::Mentioned { self.namesakes } else { 0 };
        (
            self.matched,
            rarity,
            Reverse(self.is_exact_case),
            self.role,
            Reverse(self.is_exported),
            begun,
            weight(self.kind),
            self.path,
            self.line,
        )
    }
}

fn weight(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Function | SymbolKind::Class => 0,
        SymbolKind::Interface | SymbolKind::Enum | SymbolKind::Namespace | SymbolKind::Type => 1,
        SymbolKind::Method => 2,
        SymbolKind::Const => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declaration(matched: NameMatch, path: &str) -> Declaration<'_> {
        Declaration {
            matched,
            namesakes: 1,
            is_exact_case: true,
            name: "run",
            kind: SymbolKind::Function,
            is_exported: true,
            role: Role::of(path),
            path,
            line: 1,
        }
    }

    #[test]
    fn order_of_ranker_d() {
        let full = declaration(NameMatch::Full, "z.ts");
        let in_test = declaration(NameMatch::Full, "a.test.ts");
        let in_types = declaration(NameMatch::Full, "a.d.ts");
        let other_case = Declaration { is_exact_case: false, ..declaration(NameMatch::Full, "a.ts") };
        let internal = Declaration { is_exported: false, ..declaration(NameMatch::Full, "a.ts") };
        let segment = declaration(NameMatch::Segment, "a.ts");
        let longer = Declaration { name: "runnable", ..declaration(NameMatch::Prefix, "a.ts") };
        let shorter = Declaration { name: "runner", ..declaration(NameMatch::Prefix, "z.ts") };
        let mut all = [&longer, &segment, &internal, &shorter, &other_case, &in_test, &in_types, &full];
        all.sort_by(|a, b| a.order().cmp(&b.order()));
        assert_eq!(all, [&full, &internal, &in_types, &in_test, &other_case, &segment, &shorter, &longer]);
    }
}
