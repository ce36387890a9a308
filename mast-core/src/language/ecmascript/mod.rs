//! **Holds** the extractor for TypeScript, TSX and JavaScript.
//! **Takes / gives** a syntax tree and its text; symbols, chunks, imports, exports and linking facts.
//! **Never** resolves a module specifier: `link` does.
//! **Next** `declarations` for symbols, `scopes` for what names mean.

mod scopes;

use crate::model::{Import, Language, Symbol, SymbolIx};

/// What a file declares and imports, with the way from a syntax node to it: what scope analysis builds on.
#[derive(Debug)]
pub(super) struct Declared<'a> {
    /// Language of the file.
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
