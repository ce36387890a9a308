//! Which classes stand behind an interface.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use super::{Declaration, Sources};
use crate::error::Result;
use crate::model::{RepoPath, SymbolKind};
use crate::store::SymbolId;

/// A class that implements an interface, or extends a class.
#[derive(Debug, Clone)]
pub struct Implementor {
    /// The class.
    pub class: Declaration,
    /// Names of its own methods, in file order.
    pub methods: Vec<String>,
    /// File of the interface asked about.
    pub interface_file: RepoPath,
}

/// Of the declarations of a name, those that can be implemented or extended.
#[must_use]
pub fn interfaces(declarations: Vec<Declaration>) -> Vec<Declaration> {
    let is_type = |d: &Declaration| {
        matches!(d.symbol.kind, SymbolKind::Interface | SymbolKind::Class | SymbolKind::Type)
    };
    declarations.into_iter().filter(is_type).collect()
}

/// The classes that implement one of `interfaces` directly, through a base class, or through an interface that extends it,
/// by path and line.
pub fn implementors(sources: &mut Sources<'_>, interfaces: &[Declaration]) -> Result<Vec<Implementor>> {
    let mut found = Vec::new();
    let mut listed: BTreeSet<(SymbolId, RepoPath)> = BTreeSet::new();
    for interface in interfaces {
        let mut entered = BTreeSet::from([interface.symbol.id]);
        let mut queue = VecDeque::from([interface.symbol.id]);
        while let Some(parent) = queue.pop_front() {
            for (child, _) in sources.reader.children_of(parent)? {
                if !entered.insert(child) {
                    continue;
                }
                queue.push_back(child);
                let Some(symbol) = sources.reader.symbol(child)? else { continue };
                // Merged declarations of one interface name the same file once.
                if symbol.kind != SymbolKind::Class || !listed.insert((child, interface.path.clone())) {
                    continue;
                }
                let path = sources.path(symbol.file)?;
                let methods = methods(sources, &symbol)?;
                let class = Declaration { symbol: Rc::new(symbol), path };
                found.push(Implementor { class, methods, interface_file: interface.path.clone() });
            }
        }
    }
    found.sort_by(|a, b| order(a).cmp(&order(b)));
    Ok(found)
}

fn order(found: &Implementor) -> (&RepoPath, u32, SymbolId, &RepoPath) {
    let Implementor { class, interface_file, .. } = found;
    (&class.path, class.symbol.lines.start, class.symbol.id, interface_file)
}

fn methods(sources: &Sources<'_>, class: &crate::store::SymbolRow) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for symbol in sources.reader.symbols_of(class.file)? {
        let is_own = symbol.parent == Some(class.ix) && symbol.kind == SymbolKind::Method;
        if is_own && symbol.name != "constructor" && !names.contains(&symbol.name) {
            names.push(symbol.name);
        }
    }
    Ok(names)
}
