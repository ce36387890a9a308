//! The lexical ranker: BM25 of the words, corrected by what BM25 cannot see.

use super::Role;
use crate::model::ChunkKind;

/// What is known about a chunk that holds words of the query. Shares are between 0 and 1, words weighted by rarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// BM25 of the chunk, positive, higher is better.
    pub score: f64,
    /// Share of the query the chunk holds.
    pub coverage: f64,
    /// BM25 of the best chunk of the file for each word, summed.
    pub file_score: f64,
    /// Share of the query the file holds.
    pub file_coverage: f64,
    /// Share of the query found in the name.
    pub query_in_name: f64,
    /// Share of the name found in the query.
    pub name_in_query: f64,
    /// Share of the query found in the path.
    pub query_in_path: f64,
    /// Share of what the file is called found in the query.
    pub file_in_query: f64,
    /// Kind of chunk.
    pub kind: ChunkKind,
    /// Has a declaration of its own.
    pub is_declaration: bool,
    /// Reachable from outside the file.
    pub is_exported: bool,
    /// What the file is for.
    pub role: Role,
}

impl Evidence {
    /// The ranker's score, higher is better; rounded, so that the order in which sums were made cannot matter.
    #[must_use]
    pub fn weigh(&self) -> i64 {
        // A chunk with all words of a query beats one with a single word very often.
        let own = self.score * (0.25 + 0.75 * self.coverage);
        // A word found elsewhere in the file says what the chunk is about, too.
        let file = self.file_score * self.file_coverage;
        let name = self.query_in_name * (0.3 + 0.7 * self.name_in_query);
        let prior = kind_prior(self.kind, self.is_declaration)
            * role_prior(self.role)
            * if self.is_exported { 1.05 } else { 1.0 };
        let total = (own + 0.25 * file)
            * (1.0 + 0.8 * name + 0.3 * self.query_in_path + 0.2 * self.file_in_query)
            * prior;
        rounded(total)
    }
}

/// Millionths.
#[expect(clippy::cast_possible_truncation, reason = "a score is far below the limit, and the cast saturates")]
fn rounded(score: f64) -> i64 {
    (score * 1e6).round() as i64
}

fn kind_prior(kind: ChunkKind, is_declaration: bool) -> f64 {
    match kind {
        ChunkKind::Function | ChunkKind::Method | ChunkKind::Interface | ChunkKind::Type => 1.0,
        ChunkKind::ClassShell => 0.95,
        ChunkKind::Block if is_declaration => 0.95,
        ChunkKind::Block => 0.8,
        ChunkKind::Doc => 0.7,
        ChunkKind::Export => 0.5,
    }
}

fn role_prior(role: Role) -> f64 {
    match role {
        Role::Source => 1.0,
        Role::Declaration => 0.9,
        Role::Example => 0.75,
        Role::Test => 0.7,
    }
}
