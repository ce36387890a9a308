//! From a place TypeScript names to what it is to the index: a symbol, something outside, or not known.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::rc::Rc;

use super::questions::has_plain_lines;
use super::server::{Place, Position};
use super::uri::{plain, slashes};
use crate::error::Result;
use crate::graph::mentions::identifiers;
use crate::graph::sources::Source;
use crate::model::{FileId, RepoPath, SymbolKind};
use crate::store::{Reader, SymbolId};

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    /// The name of a symbol of the index.
    Symbol(Declared),
    /// A declaration that is surely no symbol of the index: of TypeScript's own library or an installed package, or a property
    /// of an interface or type that only names the type of what it holds.
    Elsewhere,
    /// Anything else: a parameter, a field, a file the index leaves out.
    Unknown,
}

/// A symbol, as far as a verdict needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Declared {
    pub(super) id: SymbolId,
    pub(super) kind: SymbolKind,
    pub(super) is_constructor: bool,
}

/// What stands where in a file. Empty when its lines are not counted by all alike.
#[derive(Debug, Default)]
struct Names {
    /// The symbols by where their names stand.
    symbols: HashMap<Position, Declared>,
    /// Where interfaces and types begin and end.
    types: Vec<(Position, Position)>,
}

/// What is known of the files TypeScript may name.
#[derive(Debug)]
pub(super) struct Atlas<'f> {
    /// The project root with `/` at its end.
    root: String,
    files: &'f HashMap<RepoPath, FileId>,
    /// Names of the packages of the project. An installed copy of one is no other package.
    packages: &'f BTreeSet<String>,
    /// Files TypeScript has another text of than the index, unless it was given the indexed one.
    changed: BTreeSet<FileId>,
    names: HashMap<FileId, Rc<Names>>,
    /// Where paths that are no indexed file really lead.
    real: HashMap<String, String>,
}

impl<'f> Atlas<'f> {
    pub(super) fn new(
        root: &str,
        files: &'f HashMap<RepoPath, FileId>,
        packages: &'f BTreeSet<String>,
        changed: BTreeSet<FileId>,
    ) -> Self {
        let root = format!("{}/", root.trim_end_matches('/'));
        Self { root, files, packages, changed, names: HashMap::new(), real: HashMap::new() }
    }

    /// The indexed file of an absolute path.
    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        let is_below = path.get(..self.root.len()).is_some_and(|head| {
            if cfg!(windows) { head.eq_ignore_ascii_case(&self.root) } else { head == self.root }
        });
        let relative = is_below.then(|| RepoPath::new(&path[self.root.len()..])).flatten()?;
        self.files.get(&relative).copied()
    }

    /// What a place is. `library` is the directory of the TypeScript that was asked, with `/`.
    pub(super) fn meaning(&mut self, reader: &Reader, library: &str, place: &Place) -> Result<Meaning> {
        let file = match self.file(&place.file) {
            Some(file) => file,
            // With `preserveSymlinks` a file has the name of the link that leads to it.
            None => {
                let real = self.real(&place.file);
                match self.file(&real) {
                    Some(file) if self.changed.contains(&file) => return Ok(Meaning::Unknown),
                    Some(file) => file,
                    None if self.is_outside(library, &real) => return Ok(Meaning::Elsewhere),
                    None => return Ok(Meaning::Unknown),
                }
            }
        };
        let names = match self.names.get(&file) {
            Some(names) => Rc::clone(names),
            None => {
                let names = Rc::new(names_of(reader, file)?);
                self.names.insert(file, Rc::clone(&names));
                names
            }
        };
        if let Some(declared) = names.symbols.get(&place.start) {
            return Ok(Meaning::Symbol(*declared));
        }
        let is_in_type = names.types.iter().any(|(start, end)| *start <= place.start && place.start < *end);
        Ok(if is_in_type { Meaning::Elsewhere } else { Meaning::Unknown })
    }

    /// Where a path really leads, with `/`; itself when it is no path of a file that is there.
    fn real(&mut self, path: &str) -> String {
        if let Some(real) = self.real.get(path) {
            return real.clone();
        }
        let real =
            Path::new(path).canonicalize().map_or_else(|_| path.to_owned(), |real| slashes(&plain(real)));
        self.real.insert(path.to_owned(), real.clone());
        real
    }

    /// Whether a file that is not in the index can hold no declaration of the index under another path, as what the project
    /// itself builds or installs into its own packages would.
    fn is_outside(&self, library: &str, path: &str) -> bool {
        let is_file = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        if !is_file || path.strip_prefix(library).is_some_and(|rest| rest.starts_with('/')) {
            return true;
        }
        let Some((_, inside)) = path.rsplit_once("/node_modules/") else { return false };
        let parts = if inside.starts_with('@') { 2 } else { 1 };
        let package = inside.split('/').take(parts).collect::<Vec<_>>().join("/");
        !self.packages.contains(&package)
    }
}

fn names_of(reader: &Reader, file: FileId) -> Result<Names> {
    let text = reader.text(file)?.unwrap_or_default();
    if !has_plain_lines(&text) {
        return Ok(Names::default());
    }
    let source = Source::new(text);
    let mut names = Names::default();
    for symbol in reader.symbols_of(file)? {
        let declared = Declared {
            id: symbol.id,
            kind: symbol.kind,
            is_constructor: symbol.kind == SymbolKind::Method && symbol.name == "constructor",
        };
        let mut places = vec![symbol.name_span.start as usize];
        for signature in &symbol.detail.signatures {
            let head = signature.of(&source.text);
            let name = identifiers(head, |word| word == symbol.name).first().map(|(at, _)| *at);
            places.extend(name.map(|at| signature.start as usize + at));
            if declared.is_constructor {
                // A constructor has no name: its declaration begins with its modifiers.
                places.push(signature.start as usize);
            }
        }
        for place in places {
            names.symbols.entry(source.position(place)).or_insert(declared);
        }
        if matches!(symbol.kind, SymbolKind::Interface | SymbolKind::Type) {
            let place = |at: u32| source.position(at as usize);
            names.types.push((place(symbol.span.start), place(symbol.span.end)));
        }
    }
    Ok(names)
}
