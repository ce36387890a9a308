//! Linking on annotated sources: small programs whose lines say what they call.
//!
//! A program is one text. `//- path` begins a file. A line that ends in `//: target how, target how` calls exactly
//! these, in any order; a line without the marker calls nothing that is proven. A target is `path#Qualified.name`,
//! the path left out when it is the same file.

mod classes;
mod inference;
mod limits;
mod modules;
mod narrowing;
mod negatives;
mod shadowing;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::{Links, Module, Program, Target, link};
use crate::language::{ExtractOptions, extract};
use crate::model::{FileFacts, FileId, FileStamp, HeritageKind, Language, RepoPath, SourceFile};

/// A program held in memory.
pub(super) struct Sources {
    modules: Vec<Arc<Module>>,
    facts: Vec<FileFacts>,
}

impl Program for Sources {
    fn module(&self, file: FileId) -> Option<Arc<Module>> {
        self.modules.get(file.0 as usize).cloned()
    }
}

impl Sources {
    pub(super) fn new(program: &str) -> Self {
        let mut files: Vec<(RepoPath, String)> = Vec::new();
        for line in program.lines() {
            if let Some(path) = line.trim().strip_prefix("//- ") {
                files.push((RepoPath::new(path).unwrap(), String::new()));
            } else if let Some((_, text)) = files.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        }
        let paths: Vec<RepoPath> = files.iter().map(|(path, _)| path.clone()).collect();
        let facts: Vec<FileFacts> = files
            .into_iter()
            .map(|(path, text)| {
                let language = Language::of(path.file_name()).unwrap();
                let file = SourceFile { path, language, stamp: FileStamp::default(), text };
                extract(&file, &ExtractOptions::default())
            })
            .collect();
        let modules = paths
            .iter()
            .zip(&facts)
            .map(|(path, facts)| {
                let resolved =
                    facts.imports.iter().map(|import| resolve(&paths, path, &import.specifier)).collect();
                Arc::new(Module {
                    path: path.clone(),
                    facts: facts.module.clone(),
                    imports: facts.imports.clone(),
                    exports: facts.exports.clone(),
                    resolved,
                })
            })
            .collect();
        Self { modules, facts }
    }

    pub(super) fn file(&self, path: &str) -> FileId {
        let at = self.modules.iter().position(|module| module.path.as_str() == path).unwrap();
        FileId(u32::try_from(at).unwrap())
    }

    pub(super) fn link(&self, path: &str) -> Links {
        link(self, self.file(path))
    }

    pub(super) fn name(&self, from: FileId, target: Target) -> String {
        let at = target.file.0 as usize;
        let name = self.facts[at].symbols[target.symbol.0 as usize].qualified_name();
        if target.file == from { name } else { format!("{}#{name}", self.modules[at].path) }
    }

    /// The call edges of a file by line.
    fn calls(&self, file: FileId) -> BTreeMap<u32, Vec<String>> {
        let mut lines: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for edge in link(self, file).calls {
            let site = &self.modules[file.0 as usize].facts.calls[edge.site as usize];
            let call = format!("{} {}", self.name(file, edge.target), edge.resolution.as_str());
            lines.entry(site.line).or_default().push(call);
        }
        lines
    }

    /// The heritage edges of a file, one a line.
    pub(super) fn heritage(&self, path: &str) -> String {
        let file = self.file(path);
        let mut text = String::new();
        for edge in self.link(path).heritage {
            let child = Target { file, symbol: edge.child };
            let verb = match edge.kind {
                HeritageKind::Extends => "extends",
                HeritageKind::Implements => "implements",
            };
            writeln!(text, "{} {verb} {}", self.name(file, child), self.name(file, edge.parent)).unwrap();
        }
        text
    }

    /// The type uses of a file, `line:column name`, one a line.
    pub(super) fn type_uses(&self, path: &str) -> String {
        let file = self.file(path);
        let references = &self.modules[file.0 as usize].facts.type_references;
        let mut text = String::new();
        for edge in self.link(path).type_uses {
            let at = &references[edge.reference as usize];
            writeln!(text, "{}:{} {}", at.line, at.column, self.name(file, edge.target)).unwrap();
        }
        text
    }

    pub(super) fn consulted(&self, path: &str) -> Vec<&str> {
        self.link(path).consulted.iter().map(|file| self.modules[file.0 as usize].path.as_str()).collect()
    }
}

/// Relative specifiers by the extensions that occur here.
fn resolve(paths: &[RepoPath], from: &RepoPath, specifier: &str) -> Option<FileId> {
    if !specifier.starts_with('.') {
        return None;
    }
    ["", ".ts", ".tsx", ".js", ".d.ts", "/index.ts"].iter().find_map(|extension| {
        let path = RepoPath::join(from.directory(), &format!("{specifier}{extension}"))?;
        let at = paths.iter().position(|known| *known == path)?;
        Some(FileId(u32::try_from(at).unwrap()))
    })
}

/// Links every file of a program and compares each line with its marker.
#[track_caller]
pub(super) fn check(program: &str) {
    let sources = Sources::new(program);
    let mut file = None;
    let (mut line_number, mut calls) = (0, BTreeMap::new());
    let (mut expected, mut found) = (String::new(), String::new());
    for line in program.lines() {
        if let Some(path) = line.trim().strip_prefix("//- ") {
            file = Some(path);
            line_number = 0;
            calls = sources.calls(sources.file(path));
            continue;
        }
        let Some(path) = file else { continue };
        line_number += 1;
        let (code, marker) = line.split_once("//:").unwrap_or((line, ""));
        let mut wanted: Vec<&str> =
            marker.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        let mut got = calls.remove(&line_number).unwrap_or_default();
        wanted.sort_unstable();
        got.sort_unstable();
        if got != wanted {
            let code = code.trim();
            writeln!(expected, "{path}:{line_number} {code} //: {}", wanted.join(", ")).unwrap();
            writeln!(found, "{path}:{line_number} {code} //: {}", got.join(", ")).unwrap();
        }
    }
    assert!(expected == found, "expected\n{expected}\nfound\n{found}");
}
