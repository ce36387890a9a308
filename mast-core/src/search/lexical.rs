//! The lexical ranker's half of a search: chunks that hold words of the query, with what each of them holds.
//!
//! Every word is looked up by itself, rarest first, so that it is known which words a chunk holds and not only their
//! sum. Reading every match is the cost of a search; once a budget of matches is spent, the remaining, common words are
//! looked up only in chunks that hold a rare one.

use super::query::{Parsed, Term};
use crate::error::Result;
use crate::model::FileId;
use crate::store::Reader;
use crate::store::fts::{Expression, Match, Scope};

/// Matches that are read without regard to the other words.
const BUDGET: u64 = 6_000;

/// A single word that more chunks hold than this is looked for in names, documentation and paths first.
const COMMON: u64 = 8_000;

/// Terms that are looked up: the rarest.
const MAX_TERMS: usize = 24;

/// Words of the vocabulary that stand in for one word of the query.
const MAX_STAND_INS: usize = 8;

/// Shortest word that is looked for inside other words.
const MIN_PART: usize = 3;

/// Words of a query that are looked for inside other words; each look reads the whole vocabulary.
const MAX_PARTS: usize = 4;

/// What a word that stands in for another one counts, compared with the word itself.
const STAND_IN_WEIGHT: f64 = 0.6;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The terms that were looked up, rarest first.
    pub terms: Vec<Sought>,
    /// Chunks that hold at least one of them, in row order.
    pub chunks: Vec<Candidate>,
}

/// A term that was looked up.
#[derive(Debug)]
pub(super) struct Sought {
    /// The words of the vocabulary that were looked for: the term itself, or what stands in for it.
    pub words: Vec<Vec<String>>,
    /// Weight in shares of the query: more for a rarer term; nothing for a whole identifier, which its words stand for.
    pub share: f64,
    is_whole: bool,
    weight: f64,
    frequency: u64,
}

impl Found {
    /// Share of the query that is among `words`.
    pub(super) fn share_in(&self, words: &[String]) -> f64 {
        let whole: f64 = self.terms.iter().map(|term| term.share).sum();
        let is_held =
            |term: &&Sought| term.words.iter().any(|phrase| phrase.iter().all(|word| words.contains(word)));
        let held: f64 = self.terms.iter().filter(is_held).map(|term| term.share).sum();
        if whole > 0.0 { held / whole } else { 0.0 }
    }
}

/// A chunk that holds at least one term.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// Row number.
    pub chunk: i64,
    /// BM25, positive, higher is better.
    pub score: f64,
    /// Share of the query it holds.
    pub coverage: f64,
    /// Sum over the terms of the best score a chunk of the same file has.
    pub file_score: f64,
    /// Share of the query its file holds.
    pub file_coverage: f64,
}

/// Looks the words of a query up.
pub(super) fn find(reader: &Reader, parsed: &Parsed, scope: &Scope) -> Result<Found> {
    let must_hold_all = parsed.is_single();
    let Some(terms) = sought(reader, parsed, must_hold_all)? else { return Ok(Found::default()) };
    let mut hits: Vec<Held> = Vec::new();
    let mut listed: Vec<Expression> = Vec::new();
    let mut spent = 0;
    for (at, term) in terms.iter().enumerate() {
        let expression = term.expression();
        let matches = if listed.is_empty() && term.frequency > COMMON && !must_hold_all_others(&terms) {
            let heading = reader.matches(&term.heading(), scope)?;
            if heading.is_empty() { reader.matches(&expression, scope)? } else { heading }
        } else if listed.is_empty() || spent + term.frequency <= BUDGET {
            reader.matches(&expression, scope)?
        } else {
            let both = Expression::All(vec![expression.clone(), Expression::Any(listed.clone())]);
            let before = Sums::of(&hits, listed.len());
            let both = reader.matches(&both, scope)?;
            hits.extend(
                both.iter().map(|m| Held::new(at, m.chunk, m.score.abs() - before.get(m.chunk), term)),
            );
            continue;
        };
        spent += term.frequency;
        listed.push(expression);
        hits.extend(matches.iter().map(|m: &Match| Held::new(at, m.chunk, m.score.abs(), term)));
    }
    hits.sort_unstable_by(|a, b| a.chunk.cmp(&b.chunk).then(a.term.cmp(&b.term)));
    let mut chunks = gather(&hits, &terms);
    if must_hold_all {
        chunks.retain(|candidate| candidate.coverage > 0.999);
    }
    Ok(Found { terms, chunks })
}

fn must_hold_all_others(terms: &[Sought]) -> bool {
    terms.iter().filter(|term| !term.is_whole).count() > 1
}

/// One term in one chunk.
#[derive(Debug)]
struct Held {
    term: usize,
    chunk: i64,
    raw: f64,
    score: f64,
}

impl Held {
    fn new(at: usize, chunk: i64, raw: f64, term: &Sought) -> Self {
        let raw = raw.max(0.0);
        Self { term: at, chunk, raw, score: raw * term.weight }
    }
}

/// What the fully listed terms contribute to each chunk's score: the rest of the score of a combined match is that of the
/// term it was combined with, because BM25 is a sum over words.
struct Sums(Vec<(i64, f64)>);

impl Sums {
    fn of(hits: &[Held], listed: usize) -> Self {
        let mut parts: Vec<(i64, f64)> =
            hits.iter().filter(|held| held.term < listed).map(|held| (held.chunk, held.raw)).collect();
        parts.sort_unstable_by_key(|(chunk, _)| *chunk);
        let mut sums: Vec<(i64, f64)> = Vec::new();
        for (chunk, raw) in parts {
            match sums.last_mut() {
                Some((last, sum)) if *last == chunk => *sum += raw,
                _ => sums.push((chunk, raw)),
            }
        }
        Self(sums)
    }

    fn get(&self, chunk: i64) -> f64 {
        self.0.binary_search_by_key(&chunk, |(chunk, _)| *chunk).map_or(0.0, |at| self.0[at].1)
    }
}

/// Sums what each chunk and each file holds. `hits` are in row order, so those of a file are neighbours.
fn gather(hits: &[Held], terms: &[Sought]) -> Vec<Candidate> {
    let whole: f64 = terms.iter().map(|term| term.share).sum();
    let share = |held: f64| if whole > 0.0 { held / whole } else { 1.0 };
    let mut out = Vec::new();
    for of_file in hits.chunk_by(|a, b| file(a.chunk) == file(b.chunk)) {
        let mut best = vec![0.0_f64; terms.len()];
        for held in of_file {
            best[held.term] = best[held.term].max(held.score);
        }
        let file_score: f64 = best.iter().sum();
        let file_coverage = share(
            terms.iter().zip(&best).filter(|(_, score)| **score > 0.0).map(|(term, _)| term.share).sum(),
        );
        for of_chunk in of_file.chunk_by(|a, b| a.chunk == b.chunk) {
            out.push(Candidate {
                chunk: of_chunk[0].chunk,
                score: of_chunk.iter().map(|held| held.score).sum(),
                coverage: share(of_chunk.iter().map(|held| terms[held.term].share).sum()),
                file_score,
                file_coverage,
            });
        }
    }
    out
}

fn file(chunk: i64) -> FileId {
    crate::store::fts::file_of_chunk(chunk)
}

impl Sought {
    fn expression(&self) -> Expression {
        match &self.words[..] {
            [words] => Expression::Phrase(words.clone()),
            many => Expression::Any(many.iter().map(|words| Expression::Phrase(words.clone())).collect()),
        }
    }

    fn heading(&self) -> Expression {
        Expression::Any(self.words.iter().map(|words| Expression::Heading(words.clone())).collect())
    }
}

/// What to look up for the terms of a query, rarest first; `None` when a word that must be held is nowhere.
fn sought(reader: &Reader, parsed: &Parsed, must_hold_all: bool) -> Result<Option<Vec<Sought>>> {
    let mut out = Vec::new();
    let mut looks = MAX_PARTS;
    for term in &parsed.terms {
        match look_up(reader, term, &mut looks)? {
            Some(sought) => out.push(sought),
            None if must_hold_all && !term.is_whole => return Ok(None),
            // A word that occurs nowhere is a part of the query no chunk holds.
            None => {}
        }
    }
    out.sort_by_key(|sought: &Sought| sought.frequency);
    if !must_hold_all {
        out.truncate(MAX_TERMS);
    }
    Ok(Some(out))
}

fn look_up(reader: &Reader, term: &Term, looks: &mut usize) -> Result<Option<Sought>> {
    let mut frequency = u64::MAX;
    for word in &term.words {
        frequency = frequency.min(reader.word_frequency(word)?);
    }
    if frequency > 0 {
        return Ok(Some(Sought::new(vec![term.words.clone()], term.is_whole, 1.0, frequency)));
    }
    let [word] = &term.words[..] else { return Ok(None) };
    if term.is_whole {
        return Ok(None);
    }
    let found = stand_ins(reader, word, looks)?;
    if found.is_empty() {
        return Ok(None);
    }
    let frequency = found.iter().map(|(_, count)| count).sum();
    let words = found.into_iter().map(|(word, _)| vec![word]).collect();
    Ok(Some(Sought::new(words, false, STAND_IN_WEIGHT, frequency)))
}

/// Words of the vocabulary that a word of the query begins, else those that contain it; the closest in length.
fn stand_ins(reader: &Reader, word: &str, looks: &mut usize) -> Result<Vec<(String, u64)>> {
    let mut found = reader.words_with_prefix(word, 500)?;
    found.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then_with(|| a.0.cmp(&b.0)));
    found.truncate(MAX_STAND_INS);
    if found.is_empty() && *looks > 0 && word.chars().count() >= MIN_PART {
        *looks -= 1;
        found = reader.words_containing(word, MAX_STAND_INS)?;
    }
    Ok(found)
}

impl Sought {
    fn new(words: Vec<Vec<String>>, is_whole: bool, weight: f64, frequency: u64) -> Self {
        // The shape of an inverse document frequency without the number of documents: a word a thousand times as common
        // counts a third.
        #[expect(clippy::cast_precision_loss, reason = "a weight")]
        let share = if is_whole { 0.0 } else { 1.0 / (1.0 + (frequency as f64 + 1.0).ln() / 3.5) };
        Self { words, share, is_whole, weight, frequency }
    }
}
