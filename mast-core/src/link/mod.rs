//! **Holds** the step from facts to relations: which declaration a call, a heritage clause or a type mention names.
//! **Takes / gives** the linking facts of the files of a program; proven edges and the files they depend on.
//! **Never** touches disk or store, and never guesses: what is not proven is no edge.
//! **Next** `store`, which keeps the edges.
//!
//! A light type evaluator runs over the facts: it knows where a value comes from, not everything TypeScript knows
//! about it. Whatever it does not model is an unknown type, and nothing is called on an unknown type.

mod annotations;
mod builtins;
mod callees;
mod context;
mod evaluate;
mod exports;
mod heritage;
mod linker;
mod members;
pub mod modules;
mod narrowing;
mod overloads;
mod signatures;
mod types;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::{
    CallEdge, Export, FileId, HeritageEdge, Import, ModuleFacts, RepoPath, SymbolIx, TypeUse,
};

use self::linker::Linker;

/// What linking knows of a file.
#[derive(Debug, Clone)]
pub struct Module {
    /// Its name.
    pub path: RepoPath,
    /// Its linking facts.
    pub facts: ModuleFacts,
    /// Its imports.
    pub imports: Vec<Import>,
    /// Its exports.
    pub exports: Vec<Export>,
    /// The file each import resolves to, one entry per import.
    pub resolved: Vec<Option<FileId>>,
}

/// The files that can be asked about while linking.
pub trait Program {
    /// The file with this number, `None` when it is not indexed (any more).
    fn module(&self, file: FileId) -> Option<Arc<Module>>;
}

/// A symbol of some file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// Position of the symbol in it.
    pub symbol: SymbolIx,
}

/// The relations of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links {
    /// Proven calls, by call site; several for one site when each is proven.
    pub calls: Vec<CallEdge<Target>>,
    /// Proven inheritance, by child.
    pub heritage: Vec<HeritageEdge<Target>>,
    /// Proven mentions outside call position, by reference.
    pub type_uses: Vec<TypeUse<Target>>,
    /// Every other file whose facts, exports or resolved imports had a part in the result, negative answers included:
    /// as long as none of them changes, linking again gives the same.
    pub consulted: BTreeSet<FileId>,
}

/// Links one file. The result depends on nothing but the file and the modules in [`Links::consulted`].
#[must_use]
pub fn link(program: &dyn Program, file: FileId) -> Links {
    Linker::new(program, file).link()
}

/// The symbols behind the exported `name` of a file, through any chain of re-exports and renames: values and types of
/// that name. Empty when the name is not exported, leads out of the repository, or is ambiguous.
#[must_use]
pub fn exported_symbol(program: &dyn Program, file: FileId, name: &str) -> Vec<Target> {
    Linker::new(program, file).exported_symbol(file, name)
}

/// The symbols a top-level name of a file stands for: its own, or those behind an import.
#[must_use]
pub fn named_symbol(program: &dyn Program, file: FileId, name: &str) -> Vec<Target> {
    Linker::new(program, file).named_symbol(file, name)
}
