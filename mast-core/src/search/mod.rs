//! **Holds** the read pipeline of text: a query in plain words becomes ranked chunks.
//! **Takes / gives** a [`Query`] and a reader of the shelf in, [`Hits`] out.
//! **Never** writes, looks at the disk, or decides by anything that differs between two runs over one index.
//! **Next** `tools`, which puts the hits on the wire.
//!
//! Two rankers judge: the lexical one ([`relevance`](crate::rank::relevance)) over the words of chunks, and ranker D
//! ([`exact`](crate::rank::exact)) over names. Both draw from the query's scope only; their lists are fused. A query
//! that is a declaration's whole name gets that declaration first, whatever else matches.

mod content;
mod declarations;
mod evidence;
mod lexical;
mod literal;
mod query;
mod snippet;
mod suggest;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, btree_map};

pub use query::{Query, Settings};
pub use suggest::{Suggestion, suggest};

use self::declarations::Named;
use self::evidence::Surroundings;
use self::lexical::Found;
use self::query::Parsed;
use self::snippet::Marks;
use crate::error::Result;
use crate::model::{ChunkKind, FileId, LineRange, RepoPath};
use crate::rank::exact::{Declaration, NameMatch};
use crate::rank::{Role, fuse};
use crate::store::fts::Scope;
use crate::store::{ChunkRow, NameRow, Reader};

/// Chunks of the lexical ranker whose rows are read, in multiples of the pool.
const READ_FACTOR: usize = 4;

/// Results of either ranker that are fused, in multiples of the limit.
const POOL_FACTOR: usize = 4;

/// Least size of the pool when a filter after ranking will take results out of it.
const FILTERED_POOL: usize = 400;

/// A declaration that a sentence mentions counts for ranker D when its BM25 is at least this share of the best chunk's. Measured: commit
/// subjects and sentences of documentation lead to the right place more often the higher it is, up to 0.7 and hardly beyond.
const MENTIONED_SHARE: f64 = 0.7;

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Near names, when there is no hit.
    pub suggestions: Option<Vec<Suggestion>>,
    /// Files that a query without words was not looked for in, because too much text had been read.
    pub unread_files: u64,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// File.
    pub path: RepoPath,
    /// Lines of the declaration.
    pub lines: LineRange,
    /// Its text with context lines.
    pub content: String,
    /// Kind of chunk.
    pub kind: ChunkKind,
    /// Qualified name, or heading path.
    pub symbol_name: Option<String>,
    /// The enclosing declaration.
    pub parent_symbol: Option<String>,
    /// Reachable from outside the file.
    pub is_exported: bool,
    /// BM25 as SQLite gives it, negative; `None` when only the name matched.
    pub score: Option<f64>,
    /// The best matching line, matches between `**`.
    pub snippet: String,
    /// The class of a method, or a method of a class, that matched as well and is left out.
    pub related: Option<Related>,
}

/// A chunk left out in favour of a better one of the same class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Qualified name.
    pub symbol_name: String,
    /// Kind.
    pub kind: ChunkKind,
    /// First line.
    pub start_line: u32,
}

/// Answers a query.
pub fn run(reader: &Reader, settings: &Settings, query: &Query) -> Result<Hits> {
    let mut search = Search { reader, files: BTreeMap::new() };
    let scope = scope(reader, query)?;
    let parsed = Parsed::new(&query.text);
    let pool = search_pool(query);
    let named = if settings.declaration_exact_ranker {
        let named = declarations::find(reader, &query.text, &parsed, &scope)?;
        search.rank_names(named, pool)?
    } else {
        Vec::new()
    };
    let found = lexical::find(reader, &parsed, &scope)?;
    let mut ranked = search.rank_words(&found, &parsed, pool)?;
    let mut unread_files = 0;
    if parsed.terms.is_empty() {
        let (chunks, unread) = literal::find(reader, &query.text, &scope, pool, literal::MAX_BYTES)?;
        unread_files = unread;
        for chunk in chunks {
            ranked.extend(search.entry(chunk, None)?);
        }
    }
    let named = if parsed.runs.len() > 2 { about_all(named, &ranked) } else { named };
    let entries = search.fuse(named, ranked, parsed.is_name(), settings.rrf_k)?;
    let entries = select(entries, query);
    let marks = marks(&parsed, &found);
    let mut hits = Vec::with_capacity(entries.len());
    let mut texts: BTreeMap<FileId, String> = BTreeMap::new();
    for entry in entries {
        let text = match texts.entry(entry.row.file) {
            btree_map::Entry::Occupied(known) => known.into_mut(),
            btree_map::Entry::Vacant(new) => new.insert(reader.text(entry.row.file)?.unwrap_or_default()),
        };
        hits.push(entry.into_hit(text, &marks, settings.context_lines));
    }
    let suggestions = if hits.is_empty() { Some(suggest(reader, &query.text)?) } else { None };
    Ok(Hits { hits, suggestions, unread_files })
}

/// Without the declarations whose name a sentence mentions and that hold little of the rest of it: it is about something else, which
/// the lexical ranker knows better.
fn about_all(named: Vec<(i64, Named)>, ranked: &[Entry]) -> Vec<(i64, Named)> {
    let scores: BTreeMap<i64, f64> =
        ranked.iter().filter_map(|entry| Some((entry.row.id, entry.score?.abs()))).collect();
    let best = ranked.first().and_then(|entry| entry.score).map_or(0.0, f64::abs);
    let is_about_all = |chunk: &i64| scores.get(chunk).is_some_and(|score| *score >= MENTIONED_SHARE * best);
    let keeps = |(chunk, named): &(i64, Named)| named.matched != NameMatch::Mentioned || is_about_all(chunk);
    named.into_iter().filter(keeps).collect()
}

fn search_pool(query: &Query) -> usize {
    let pool = POOL_FACTOR * query.limit;
    if query.kind.is_some() || query.only_exported { pool.max(FILTERED_POOL) } else { pool }
}

fn scope(reader: &Reader, query: &Query) -> Result<Scope> {
    if query.language.is_none() && query.files.is_none() {
        return Ok(Scope::Everything);
    }
    let is_wanted = |path: &str, language: crate::model::Language| {
        query.language.is_none_or(|wanted| language.as_str() == wanted)
            && query.files.as_ref().is_none_or(|globs| globs.matches(path))
    };
    let files = reader.file_names()?.into_iter();
    Ok(Scope::Files(
        files.filter(|(_, path, language)| is_wanted(path, *language)).map(|(id, ..)| id).collect(),
    ))
}

/// The words to mark in results.
fn marks(parsed: &Parsed, found: &Found) -> Marks {
    let typed = parsed.runs.iter().flat_map(|run| &run.words);
    let stand_ins = found.terms.iter().flat_map(|term| term.words.iter().flatten());
    Marks::new(typed.chain(stand_ins).map(String::as_str))
}

/// A result in the making.
#[derive(Debug)]
struct Entry {
    row: ChunkRow,
    path: RepoPath,
    score: Option<f64>,
    /// The declaration ranker D found in it.
    name: Option<Named>,
    related: Option<Related>,
}

struct Search<'r> {
    reader: &'r Reader,
    files: BTreeMap<FileId, Option<RepoPath>>,
}

impl Search<'_> {
    fn path(&mut self, file: FileId) -> Result<Option<RepoPath>> {
        if let Some(known) = self.files.get(&file) {
            return Ok(known.clone());
        }
        let path = self.reader.file_by_id(file)?.map(|row| row.path);
        self.files.insert(file, path.clone());
        Ok(path)
    }

    fn entry(&mut self, chunk: i64, score: Option<f64>) -> Result<Option<Entry>> {
        let Some(row) = self.reader.chunk(chunk)? else { return Ok(None) };
        let Some(path) = self.path(row.file)? else { return Ok(None) };
        Ok(Some(Entry { row, path, score, name: None, related: None }))
    }

    /// Ranker D: the declarations in order, at most `pool`, each with its chunk.
    fn rank_names(&mut self, named: Vec<Named>, pool: usize) -> Result<Vec<(i64, Named)>> {
        let mut placed = Vec::with_capacity(named.len());
        for named in named {
            if let Some(path) = self.path(named.row.file)? {
                placed.push((named, path));
            }
        }
        placed.sort_by(|a, b| declaration(&a.0, &a.1).order().cmp(&declaration(&b.0, &b.1).order()));
        let mut out = Vec::new();
        let mut seen = BTreeSet::new();
        for (named, _) in placed.into_iter().take(pool) {
            if let Some(chunk) = self.reader.chunk_of(&named.row)?
                && seen.insert(chunk)
            {
                out.push((chunk, named));
            }
        }
        Ok(out)
    }

    /// The lexical ranker: the chunks in order, at most `pool`.
    fn rank_words(&mut self, found: &Found, parsed: &Parsed, pool: usize) -> Result<Vec<Entry>> {
        let rough = |candidate: &lexical::Candidate| candidate.score * (0.3 + 0.7 * candidate.coverage);
        let mut order: Vec<&lexical::Candidate> = found.chunks.iter().collect();
        order.sort_by(|a, b| rough(b).total_cmp(&rough(a)));
        // All that tie with the last one are read, so that no row number decides.
        if let Some(last) = order.get(READ_FACTOR * pool).map(|candidate| rough(candidate)) {
            order.retain(|candidate| rough(candidate) >= last);
        }
        let mut weighed = Vec::with_capacity(order.len());
        let mut surroundings = Surroundings::new(parsed, found);
        for candidate in order {
            let Some(entry) = self.entry(candidate.chunk, Some(-candidate.score))? else { continue };
            weighed.push((surroundings.evidence(candidate, &entry.row, &entry.path).weigh(), entry));
        }
        weighed.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.place().cmp(&b.1.place())));
        weighed.truncate(pool);
        Ok(weighed.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Fuses the two lists. What the query names in full comes first, in the order of ranker D; when it names members
    /// only, the first of them does; when it is nothing but the beginning of names, they all do: the words of half a name say
    /// little.
    fn fuse(
        &mut self,
        named: Vec<(i64, Named)>,
        ranked: Vec<Entry>,
        is_name_begun: bool,
        k: u32,
    ) -> Result<Vec<Entry>> {
        let by_name: Vec<i64> = named.iter().map(|(chunk, _)| *chunk).collect();
        let by_words: Vec<i64> = ranked.iter().map(|entry| entry.row.id).collect();
        let full = named.iter().filter(|(_, named)| named.matched == NameMatch::Full).count();
        let is_member = |named: &Named| named.matched == NameMatch::Segment;
        let is_begun = |named: &Named| named.matched == NameMatch::Prefix;
        let first = match named.first() {
            Some((_, best)) if is_member(best) => 1,
            Some((_, best)) if is_begun(best) && is_name_begun => named.len(),
            _ => full,
        };
        let mut entries: BTreeMap<i64, Entry> =
            ranked.into_iter().map(|entry| (entry.row.id, entry)).collect();
        for (chunk, named) in named {
            if !entries.contains_key(&chunk)
                && let Some(entry) = self.entry(chunk, None)?
            {
                entries.insert(chunk, entry);
            }
            if let Some(entry) = entries.get_mut(&chunk) {
                entry.name = Some(named);
            }
        }
        let mut items: Vec<Entry> = entries.into_values().collect();
        items.sort_by(|a, b| a.place().cmp(&b.place()));
        let number: BTreeMap<i64, usize> =
            items.iter().enumerate().map(|(at, entry)| (entry.row.id, at)).collect();
        let list = |chunks: &[i64]| -> Vec<usize> {
            chunks.iter().filter_map(|id| number.get(id).copied()).collect()
        };
        let (by_name, by_words) = (list(&by_name), list(&by_words));
        let mut order: Vec<usize> = by_name[..first.min(by_name.len())].to_vec();
        let fused = fuse::fuse(&[&by_name, &by_words], items.len(), k);
        let rest: Vec<usize> = fused.into_iter().filter(|item| !order.contains(item)).collect();
        order.extend(rest);
        let mut items: Vec<Option<Entry>> = items.into_iter().map(Some).collect();
        Ok(order.into_iter().filter_map(|item| items[item].take()).collect())
    }
}

fn declaration<'a>(named: &'a Named, path: &'a RepoPath) -> Declaration<'a> {
    Declaration {
        matched: named.matched,
        namesakes: named.namesakes,
        is_exact_case: named.is_exact_case,
        name: &named.row.name,
        kind: named.row.kind,
        is_exported: named.row.is_exported,
        role: Role::of(path.as_str()),
        path: path.as_str(),
        line: named.row.name_line,
    }
}

/// Takes what the filters allow, one part of each split declaration, and of a class and its methods what ranks
/// higher.
fn select(entries: Vec<Entry>, query: &Query) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for entry in entries {
        let is_wanted = query.kind.is_none_or(|kind| kind == entry.row.kind)
            && (!query.only_exported || entry.is_exported());
        let is_part =
            entry.row.symbol.is_some_and(|symbol| out.iter().any(|other| other.row.symbol == Some(symbol)));
        if !is_wanted || is_part {
            continue;
        }
        if let Some(better) = out.iter_mut().find(|other| other.is_class_and_method_with(&entry)) {
            better.related.get_or_insert_with(|| Related {
                symbol_name: entry.row.symbol_name.clone().unwrap_or_default(),
                kind: entry.row.kind,
                start_line: entry.row.lines.start,
            });
            continue;
        }
        out.push(entry);
    }
    out.truncate(query.limit);
    out
}

impl Entry {
    /// What breaks a tie.
    fn place(&self) -> impl Ord + '_ {
        (&self.path, self.row.lines.start, self.row.part, self.row.id)
    }

    /// The declaration ranker D found, when the chunk is not its own but one it shares with other statements.
    fn shared(&self) -> Option<&NameRow> {
        self.name.as_ref().map(|named| &named.row).filter(|row| Some(row.id) != self.row.symbol)
    }

    fn is_exported(&self) -> bool {
        self.shared().map_or(self.row.is_exported, |row| row.is_exported)
    }

    fn is_class_and_method_with(&self, other: &Self) -> bool {
        let (class, method) = match (self.row.kind, other.row.kind) {
            (ChunkKind::ClassShell, ChunkKind::Method) => (self, other),
            (ChunkKind::Method, ChunkKind::ClassShell) => (other, self),
            _ => return false,
        };
        let container =
            method.row.symbol_name.as_deref().and_then(|name| name.rsplit_once('.')).map(|(own, _)| own);
        class.row.file == method.row.file
            && class.row.symbol_name.is_some()
            && container == class.row.symbol_name.as_deref()
    }

    fn into_hit(self, text: &str, marks: &Marks, context_lines: u32) -> Hit {
        let (lines, symbol_name, content) = match self.shared() {
            Some(row) => {
                let range = content::lines(text, row.lines.start, row.lines.end);
                (
                    row.lines,
                    Some(row.qualified_name()),
                    content::around(text, range, context_lines).to_owned(),
                )
            }
            None => (
                self.row.lines,
                self.row.symbol_name.clone(),
                content::content(text, &self.row.segments, self.row.kind, context_lines),
            ),
        };
        let has_parent = self.row.kind != ChunkKind::Doc;
        let parent = symbol_name.as_deref().filter(|_| has_parent).and_then(|name| name.rsplit_once('.'));
        let matched: String = self.row.segments.iter().map(|segment| segment.of(text)).collect();
        Hit {
            lines,
            content,
            kind: self.row.kind,
            parent_symbol: parent.map(|(own, _)| own.to_owned()),
            is_exported: self.is_exported(),
            score: self.score,
            snippet: marks.snippet(if self.shared().is_some() {
                &text[range_of(text, lines)]
            } else {
                &matched
            }),
            related: self.related,
            symbol_name,
            path: self.path,
        }
    }
}

fn range_of(text: &str, lines: LineRange) -> std::ops::Range<usize> {
    let range = content::lines(text, lines.start, lines.end);
    range.start as usize..range.end as usize
}
