//! From a file on disk to rows ready to be written: the parallel half of a run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::plan::PlannedFile;
use crate::language::{self, ExtractOptions};
use crate::model::{FileFacts, FileStamp, Language, Problem, ProblemKind, SourceFile, Symbol};
use crate::source::{self, Unread};
use crate::store::{FileRecord, fts, pack};
use crate::telemetry::tokens::count_tokens;

/// What became of a planned file.
#[derive(Debug)]
pub(super) enum Extracted {
    /// New content.
    Record(Box<FileRecord>),
    /// Its bytes are what the shelf holds; only the stamp differs.
    Touched(FileStamp),
    /// It could not be read: what the shelf holds stays, and the next run tries again.
    Unreadable(Problem),
    /// It went after the walk had met it.
    Gone,
}

/// Reads and extracts one file.
pub(super) fn extract(root: &Path, planned: &PlannedFile, options: &ExtractOptions) -> Extracted {
    // A name with a listed extension of no known language is text to the TypeScript parser.
    let language = Language::of(planned.path.file_name()).unwrap_or(Language::TypeScript);
    let source = match source::read(root, &planned.path, language) {
        Ok(source) => source,
        Err(Unread { stamp, problem }) if problem.kind == ProblemKind::Skipped => {
            return Extracted::Record(Box::new(skipped(planned, language, stamp, problem)));
        }
        Err(Unread { problem, .. }) => {
            let now = std::fs::symlink_metadata(planned.path.to_disk(root));
            let is_gone = now.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
            return if is_gone { Extracted::Gone } else { Extracted::Unreadable(problem) };
        }
    };
    let is_known = planned.known.as_ref().is_some_and(|row| row.stamp.hash == source.stamp.hash);
    if is_known && !planned.force {
        return Extracted::Touched(source.stamp);
    }
    // Extraction promises not to panic; a promise broken on one file must not take the run with it.
    let facts = catch_unwind(AssertUnwindSafe(|| language::extract(&source, options))).unwrap_or_else(|_| {
        let message = "the extractor failed on this file".to_owned();
        FileFacts {
            problems: vec![Problem { kind: ProblemKind::ParseFailed, message, lines: Vec::new() }],
            ..FileFacts::default()
        }
    });
    Extracted::Record(Box::new(record(source, facts)))
}

fn record(source: SourceFile, facts: FileFacts) -> FileRecord {
    let is_skipped = facts.problems.iter().any(|p| p.kind == ProblemKind::Skipped);
    let terms = facts
        .chunks
        .iter()
        .map(|chunk| {
            let symbol = chunk.symbol.and_then(|ix| facts.symbols.get(ix.0 as usize));
            let name = symbol.map(Symbol::qualified_name).or_else(|| chunk.name.clone());
            let doc = symbol.and_then(|symbol| symbol.detail.doc);
            fts::ChunkTerms::of(&source.path, name.as_deref(), &source.text, &chunk.segments, doc)
        })
        .collect();
    let encoded = if facts.module == crate::model::ModuleFacts::default() {
        Vec::new()
    } else {
        // The facts are plain data: encoding them into memory cannot fail.
        pack::encode(&facts.module).unwrap_or_default()
    };
    FileRecord {
        language: source.language,
        stamp: source.stamp,
        is_skipped,
        lines: u32::try_from(memchr::memchr_iter(b'\n', source.text.as_bytes()).count() + 1)
            .unwrap_or(u32::MAX),
        tokens: count_tokens(&source.text),
        text: pack::pack(source.text.as_bytes()),
        facts: pack::pack(&encoded),
        symbols: facts.symbols,
        chunks: facts.chunks,
        terms,
        imports: facts.imports,
        exports: facts.exports,
        problems: facts.problems,
        path: source.path,
    }
}

/// The row of a file left out on purpose: known, so that it is neither stale nor new, and empty.
fn skipped(planned: &PlannedFile, language: Language, stamp: FileStamp, problem: Problem) -> FileRecord {
    FileRecord {
        path: planned.path.clone(),
        language,
        stamp,
        is_skipped: true,
        lines: 0,
        tokens: 0,
        text: pack::pack(b""),
        facts: pack::pack(b""),
        symbols: Vec::new(),
        chunks: Vec::new(),
        terms: Vec::new(),
        imports: Vec::new(),
        exports: Vec::new(),
        problems: vec![problem],
    }
}
