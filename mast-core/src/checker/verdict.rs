//! What the answers about one mention prove, and what they exclude.

use std::collections::BTreeSet;

use super::meaning::{Declared, Meaning};
use crate::model::{CallKind, SymbolKind};
use crate::store::SymbolId;

/// What is known of a mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judgement {
    /// Every declaration the name can mean is among `targets` or no symbol of the index.
    pub(super) is_complete: bool,
    /// Symbols, each with whether the name is proven to mean it; by row.
    pub(super) targets: Vec<(SymbolId, bool)>,
}

/// Judges a mention that is no call, from its definitions.
pub(super) fn of_value(definitions: &[Meaning]) -> Option<Judgement> {
    if definitions.is_empty() {
        return None;
    }
    let proven = symbols(definitions).into_iter().map(|symbol| (symbol.id, true)).collect();
    Some(Judgement { is_complete: definitions.iter().all(is_settled), targets: proven })
}

/// Judges a call, from the definitions of the called name as it stands and of the name alone.
pub(super) fn of_call(kind: CallKind, called: &[Meaning], named: &[Meaning]) -> Option<Judgement> {
    if called.is_empty() || named.is_empty() {
        return None;
    }
    let (called, named_symbols) = (symbols(called), symbols(named));
    let mut proven: BTreeSet<Declared> =
        called.intersection(&named_symbols).copied().filter(can_be_called).collect();
    if kind == CallKind::New && proven.iter().any(|symbol| symbol.kind == SymbolKind::Class) {
        proven.extend(called.iter().filter(|symbol| symbol.is_constructor));
    }
    let targets = called.union(&named_symbols).map(|symbol| (symbol.id, proven.contains(symbol))).collect();
    judged(Judgement { is_complete: named.iter().all(is_settled), targets })
}

/// Judges a JSX element or a decorator, whose name cannot be asked about alone. The definition of a plain name is one
/// declaration, with the constructor where that is a class; anything more is not taken for proof.
pub(super) fn of_mark(is_bare: bool, definitions: &[Meaning]) -> Option<Judgement> {
    let named: BTreeSet<Meaning> = definitions
        .iter()
        .filter(|meaning| !matches!(meaning, Meaning::Symbol(symbol) if symbol.is_constructor))
        .copied()
        .collect();
    let is_one = is_bare && named.len() == 1;
    let found = symbols(definitions);
    let targets = found
        .iter()
        .map(|symbol| (symbol.id, is_one && !symbol.is_constructor && can_be_called(symbol)))
        .collect();
    judged(Judgement { is_complete: is_one && named.iter().all(is_settled), targets })
}

/// A judgement that says something.
fn judged(judgement: Judgement) -> Option<Judgement> {
    (judgement.is_complete || !judgement.targets.is_empty()).then_some(judgement)
}

fn symbols(meanings: &[Meaning]) -> BTreeSet<Declared> {
    let symbols = meanings.iter().filter_map(|meaning| match meaning {
        Meaning::Symbol(symbol) => Some(*symbol),
        Meaning::Elsewhere | Meaning::Unknown => None,
    });
    symbols.collect()
}

/// Whether a declaration means itself and nothing else. A variable may hold what another declaration made, and so may what
/// is not known.
fn is_settled(meaning: &Meaning) -> bool {
    match meaning {
        Meaning::Symbol(symbol) => symbol.kind != SymbolKind::Const,
        Meaning::Elsewhere => true,
        Meaning::Unknown => false,
    }
}

fn can_be_called(symbol: &Declared) -> bool {
    use SymbolKind::{Class, Const, Function, Method};
    matches!(symbol.kind, Function | Method | Class | Const)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(text: &str) -> Meaning {
        use SymbolKind::{Class, Const, Function, Interface, Method};
        let symbol = |kind| {
            let id = SymbolId(text[1..].parse().unwrap());
            Meaning::Symbol(Declared { id, kind, is_constructor: text.starts_with('n') })
        };
        match text.as_bytes()[0] {
            b'f' => symbol(Function),
            b'm' | b'n' => symbol(Method),
            b'c' => symbol(Class),
            b'v' => symbol(Const),
            b'i' => symbol(Interface),
            b'o' => Meaning::Elsewhere,
            _ => Meaning::Unknown,
        }
    }

    fn meanings(text: &str) -> Vec<Meaning> {
        text.split_whitespace().map(meaning).collect()
    }

    /// Proven targets plain, others in brackets, `…` when there may be more, `?` for no judgement.
    fn shown(judgement: Option<Judgement>) -> String {
        let Some(Judgement { is_complete, targets }) = judgement else { return "?".into() };
        let mut words: Vec<String> = targets
            .iter()
            .map(|(id, is_proven)| if *is_proven { id.0.to_string() } else { format!("({})", id.0) })
            .collect();
        if !is_complete {
            words.push("…".into());
        }
        words.join(" ")
    }

    #[test]
    fn a_call_is_of_what_both_answers_contain() {
        for (called, named, expected) in [
            ("m1", "m1", "1"),
            // A union: the first member answers for all, the name alone is declared twice.
            ("m1", "m1 m2", "1 (2)"),
            // A value of the type of a function, in a property and in a mapped type.
            ("? f1", "?", "(1) …"),
            ("f1", "", "?"),
            // A constant whose type is that of a function: the constant is called; what it holds is not known.
            ("v1 f2", "v1", "1 (2) …"),
            ("o", "o", ""),
            ("m1", "o", "(1)"),
            ("", "m1", "?"),
            // An interface merged with the function of its name.
            ("f1", "f1 i2", "1 (2)"),
            ("?", "?", "?"),
        ] {
            let judgement = of_call(CallKind::Call, &meanings(called), &meanings(named));
            assert_eq!(shown(judgement), expected, "{called} / {named}");
        }
    }

    #[test]
    fn new_calls_the_class_and_the_constructor_that_runs() {
        let new = |called, named| shown(of_call(CallKind::New, &meanings(called), &meanings(named)));
        assert_eq!(new("c1 n2", "c1"), "1 2");
        assert_eq!(new("v1 c2 n3", "v1"), "1 (2) (3) …");
        assert_eq!(new("c1", "c1"), "1");
    }

    #[test]
    fn elements_and_decorators_need_a_plain_name() {
        let mark = |is_bare, definitions| shown(of_mark(is_bare, &meanings(definitions)));
        assert_eq!(mark(true, "f1"), "1");
        assert_eq!(mark(true, "c1 n2"), "1 (2)");
        assert_eq!(mark(true, "v1 f2"), "(1) (2) …");
        assert_eq!(mark(false, "f1"), "(1) …");
        assert_eq!(mark(true, "v1"), "1 …");
        assert_eq!(mark(true, ""), "?");
        assert_eq!(mark(true, "o"), "");
    }

    #[test]
    fn a_value_means_all_its_definitions() {
        assert_eq!(shown(of_value(&meanings("f1 m2"))), "1 2");
        assert_eq!(shown(of_value(&meanings("?"))), "…");
        assert_eq!(shown(of_value(&[])), "?");
        assert_eq!(shown(of_value(&meanings("o"))), "");
    }
}
