//! **Holds** the extractor for TypeScript, TSX and JavaScript.
//! **Takes / gives** a syntax tree and its text; symbols, chunks, imports, exports and linking facts.
//! **Never** resolves a module specifier: `link` does.
//! **Next** `walk` for the one pass over the tree, `scopes` for what names mean.

mod assignments;
mod chunks;
mod comments;
mod declarations;
mod exports;
mod members;
mod modules;
mod scopes;
mod signature;
mod syntax;
mod values;
mod variables;
mod walk;

use std::collections::HashMap;

use tree_sitter::Tree;

use super::lines::{Lines, offset};
use super::parser::Grammar;
use super::split::Limits;
use crate::model::{
    Export, ExportKind, FileFacts, Import, Language, SourceFile, Symbol, SymbolIx, SymbolKind,
};
use syntax::Syntax;
use walk::{Access, Walk};

/// What a file declares and imports, with the way from a syntax node to it: what scope analysis builds on.
#[derive(Debug)]
pub(super) struct Declared<'a> {
    /// Language of the file, whatever grammar read it.
    pub(super) language: Language,
    /// Declarations in file order.
    pub(super) symbols: &'a [Symbol],
    /// Imports in file order.
    pub(super) imports: &'a [Import],
    /// Sorted by byte offset.
    symbol_starts: &'a [(u32, SymbolIx)],
    /// Sorted by byte offset.
    import_starts: &'a [(u32, u32)],
}

impl Declared<'_> {
    /// The symbol whose declared name starts at byte `start`; every overload signature's name leads to the one symbol
    /// of the function. Constructors and anonymous declarations are found by the first byte of their declaration node.
    pub(super) fn symbol_at(&self, start: usize) -> Option<SymbolIx> {
        find(self.symbol_starts, start)
    }

    /// The position in `imports` of the import or export-from statement, `import(…)` call, `require(…)` call or
    /// type-position `import("m")` whose node starts at byte `start`.
    pub(super) fn import_at(&self, start: usize) -> Option<u32> {
        find(self.import_starts, start)
    }
}

fn find<T: Copy>(sorted: &[(u32, T)], start: usize) -> Option<T> {
    let start = u32::try_from(start).ok()?;
    sorted.binary_search_by_key(&start, |entry| entry.0).ok().map(|at| sorted[at].1)
}

/// Everything `file` says about itself, by the tree that `grammar` made of its text.
pub(super) fn extract(
    file: &SourceFile,
    tree: &Tree,
    grammar: Grammar,
    lines: &Lines,
    limits: Limits,
) -> FileFacts {
    let syntax = Syntax::of(grammar);
    let text = file.text.as_str();
    let mut walk = Walk::new(tree.root_node(), syntax, text, lines, file.language, &file.path);
    walk.run(tree.root_node());
    let Walk {
        mut symbols,
        mut access,
        mut regions,
        imports,
        mut exports,
        mut symbol_starts,
        mut import_starts,
        namespace_exports,
        scopes,
        ..
    } = walk;
    for (scope, name) in namespace_exports {
        let parent = scopes[scope].symbol;
        for (symbol, access) in symbols.iter().zip(&mut access) {
            if symbol.parent == parent && symbol.name == name && !symbol.is_local {
                *access = Access::Stated(true);
            }
        }
    }
    bind_exports(&symbols, &mut exports, &mut access);
    mark_exported(&mut symbols, &access);
    number_equal_names(&mut symbols);
    for region in &mut regions {
        if let Some(symbol) = region.symbol {
            region.is_exported = symbols[symbol.0 as usize].is_exported;
        }
    }
    let chunks = chunks::chunks(regions, text, lines, limits);
    symbol_starts.sort_unstable();
    symbol_starts.dedup_by_key(|entry| entry.0);
    import_starts.sort_unstable();
    let module = scopes::facts(
        tree,
        text,
        &Declared {
            language: file.language,
            symbols: &symbols,
            imports: &imports,
            symbol_starts: &symbol_starts,
            import_starts: &import_starts,
        },
    );
    FileFacts { symbols, chunks, imports, exports, module, problems: Vec::new() }
}

/// Finds the symbols of exports by name, and marks all exported ones.
fn bind_exports(symbols: &[Symbol], exports: &mut [Export], access: &mut [Access]) {
    let mut by_name: HashMap<&str, Vec<SymbolIx>> = HashMap::new();
    for (at, symbol) in symbols.iter().enumerate() {
        if symbol.parent.is_none() && symbol.container.is_none() && !symbol.is_local {
            by_name.entry(&symbol.name).or_default().push(SymbolIx(offset(at)));
        }
    }
    for export in exports {
        let ExportKind::Local(local) = &mut export.kind else { continue };
        if let Some(named) = local.local_name.as_deref().and_then(|name| by_name.get(name)) {
            local.symbols.clone_from(named);
        }
        for symbol in &local.symbols {
            access[symbol.0 as usize] = Access::Stated(true);
        }
    }
}

/// Settles the export flags; parents come before their members.
fn mark_exported(symbols: &mut [Symbol], access: &[Access]) {
    for at in 0..symbols.len() {
        let parent = symbols[at].parent.map(|parent| symbols[parent.0 as usize].is_exported);
        symbols[at].is_exported = !symbols[at].is_local
            && match access[at] {
                Access::Private => false,
                Access::Inherited => parent.unwrap_or(false),
                Access::Stated(stated) => stated && parent.unwrap_or(true),
            };
    }
}

/// Numbers symbols of equal qualified name and kind in file order.
fn number_equal_names(symbols: &mut [Symbol]) {
    let ordinals: Vec<u32> = {
        let mut seen: HashMap<(Option<&str>, &str, SymbolKind), u32> = HashMap::new();
        symbols
            .iter()
            .map(|symbol| {
                let key = (symbol.container.as_deref(), symbol.name.as_str(), symbol.kind);
                let count = seen.entry(key).or_insert(0);
                *count += 1;
                *count - 1
            })
            .collect()
    };
    for (symbol, ordinal) in symbols.iter_mut().zip(ordinals) {
        symbol.ordinal = ordinal;
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
pub(super) mod tests;
