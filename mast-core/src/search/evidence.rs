//! What a chunk has around it that speaks for it: its name, its file's name, its file's role.

use std::collections::{BTreeMap, BTreeSet};

use super::lexical::{Candidate, Found};
use super::query::Parsed;
use crate::model::{FileId, RepoPath, words};
use crate::rank::Role;
use crate::rank::relevance::Evidence;
use crate::store::ChunkRow;

/// The words of a query against what is around a chunk, not in it.
pub(super) struct Surroundings<'q> {
    asked: BTreeSet<&'q str>,
    found: &'q Found,
    files: BTreeMap<FileId, OfFile>,
}

/// What is the same for all chunks of a file.
#[derive(Debug, Clone, Copy)]
struct OfFile {
    query_in_path: f64,
    file_in_query: f64,
    role: Role,
}

impl<'q> Surroundings<'q> {
    pub(super) fn new(parsed: &'q Parsed, found: &'q Found) -> Self {
        let asked = parsed.runs.iter().flat_map(|run| &run.words).map(String::as_str).collect();
        Self { asked, found, files: BTreeMap::new() }
    }

    pub(super) fn evidence(&mut self, candidate: &Candidate, row: &ChunkRow, path: &RepoPath) -> Evidence {
        let name = row.symbol_name.as_deref().unwrap_or("");
        let last = name.rsplit(['.', '>']).next().unwrap_or(name);
        let in_name: Vec<String> = words::words(last).map(words::lower).collect();
        let of_file = self.of_file(row.file, path);
        Evidence {
            score: candidate.score,
            coverage: candidate.coverage,
            file_score: candidate.file_score,
            file_coverage: candidate.file_coverage,
            query_in_name: self.found.share_in(&in_name),
            name_in_query: self.share_asked(&in_name),
            query_in_path: of_file.query_in_path,
            file_in_query: of_file.file_in_query,
            kind: row.kind,
            is_declaration: row.symbol_name.is_some(),
            is_exported: row.is_exported,
            role: of_file.role,
        }
    }

    fn of_file(&mut self, file: FileId, path: &RepoPath) -> OfFile {
        if let Some(known) = self.files.get(&file) {
            return *known;
        }
        let in_path: Vec<String> = words::words(path.as_str()).map(words::lower).collect();
        let of_file = OfFile {
            query_in_path: self.found.share_in(&in_path),
            file_in_query: self.share_asked(&file_words(path)),
            role: Role::of(path.as_str()),
        };
        self.files.insert(file, of_file);
        of_file
    }

    fn share_asked(&self, words: &[String]) -> f64 {
        share(words.iter().filter(|word| self.asked.contains(word.as_str())).count(), words.len())
    }
}

/// Words of what a file is called: its stem, and for one called `index` the directory's name.
fn file_words(path: &RepoPath) -> Vec<String> {
    let directory = path.directory().rsplit('/').next().unwrap_or("");
    let called = if path.stem() == "index" && !directory.is_empty() { directory } else { path.stem() };
    words::words(called).map(words::lower).collect()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is_called() {
        let of = |path| file_words(&RepoPath::new(path).unwrap()).join(" ");
        assert_eq!(of("src/hono-base.ts"), "hono base");
        assert_eq!(of("src/middleware/body-limit/index.ts"), "body limit");
        assert_eq!(of("index.ts"), "index");
    }
}
