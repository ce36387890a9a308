//! Full text: the words of chunks in, matching chunks with their raw scores out.
//!
//! `chunk_words` holds the words of every chunk (see `model::words`), `words` every word once, so that
//! parts of words are looked up in the vocabulary and not in the text. The layout and what it was measured against:
//! `docs/decisions/0001-full-text-layout.md`.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::Reader;
use super::records::chunk_row_range;
pub use super::records::file_of_chunk;
use crate::error::Result;
use crate::model::{ByteRange, FileId, RepoPath, words};

/// Full-text tables.
pub(super) const TABLES: &str = "
CREATE VIRTUAL TABLE chunk_words USING fts5(
  name, doc, path, body, identifiers,
  content='', contentless_delete=1, tokenize='ascii'
);
INSERT INTO chunk_words (chunk_words, rank) VALUES ('pgsz', 16000);
CREATE VIRTUAL TABLE chunk_vocabulary USING fts5vocab(chunk_words, row);
CREATE TABLE words (
  text TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
";

/// Weights of the columns of `chunk_words` in BM25: a word of the name says most, then whole identifiers and the
/// documentation, then the path.
const SCORE: &str = "bm25(chunk_words, 5.0, 1.5, 2.0, 1.0, 1.5)";

/// Index words of one chunk, lower case, separated by spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkTerms {
    /// Words of the declaration's name or of the heading path; the whole last name besides, when it has several.
    pub name: String,
    /// Words of the documentation comment.
    pub doc: String,
    /// Words of the path.
    pub path: String,
    /// Words of the rest of the text.
    pub body: String,
    /// Identifiers of several words as one word each, each once.
    pub identifiers: String,
}

impl ChunkTerms {
    /// The words of a chunk of `text`: `segments` of it, of which `doc` (if it lies in them) is documentation.
    #[must_use]
    pub fn of(
        path: &RepoPath,
        name: Option<&str>,
        text: &str,
        segments: &[ByteRange],
        doc: Option<ByteRange>,
    ) -> Self {
        let mut terms = Self::default();
        let mut identifiers = BTreeSet::new();
        if let Some(name) = name {
            let mut whole = BTreeSet::new();
            push_words(name, &mut terms.name, &mut whole);
            push_identifiers(&whole, &mut terms.name);
        }
        push_words(path.as_str(), &mut terms.path, &mut BTreeSet::new());
        for segment in segments {
            let Some(doc) = doc.filter(|doc| segment.contains(*doc)) else {
                push_words(segment.of(text), &mut terms.body, &mut identifiers);
                continue;
            };
            push_words(doc.of(text), &mut terms.doc, &mut identifiers);
            for rest in [
                ByteRange { start: segment.start, end: doc.start },
                ByteRange { start: doc.end, end: segment.end },
            ] {
                push_words(rest.of(text), &mut terms.body, &mut identifiers);
            }
        }
        push_identifiers(&identifiers, &mut terms.identifiers);
        terms
    }

    fn columns(&self) -> [&str; 5] {
        [&self.name, &self.doc, &self.path, &self.body, &self.identifiers]
    }
}

fn push_words<'t>(text: &'t str, out: &mut String, identifiers: &mut BTreeSet<&'t str>) {
    for (_, run) in words::runs(text) {
        let mut count = 0;
        for word in words::words(run) {
            words::push_lower(word, out);
            out.push(' ');
            count += 1;
        }
        if count > 1 && !run.contains(words::is_unspaced) {
            identifiers.insert(run);
        }
    }
}

fn push_identifiers(identifiers: &BTreeSet<&str>, out: &mut String) {
    let joined: BTreeSet<String> = identifiers.iter().map(|run| words::joined(run)).collect();
    for identifier in joined {
        out.push_str(&identifier);
        out.push(' ');
    }
}

/// Creates the full-text tables.
pub(super) fn create(connection: &Connection) -> Result<()> {
    connection.execute_batch(TABLES)?;
    Ok(())
}

/// Prepares for many insertions: segments are left unmerged, and the vocabulary waits for [`finish_bulk`].
pub(super) fn begin_bulk(connection: &Connection) -> Result<()> {
    connection.execute_batch(
        "INSERT INTO chunk_words (chunk_words, rank) VALUES ('automerge', 0);
         INSERT INTO chunk_words (chunk_words, rank) VALUES ('crisismerge', 256);",
    )?;
    connection.execute("DELETE FROM words WHERE text = ?1", [COMPLETE])?;
    Ok(())
}

/// Ends a bulk load: ordinary merging from now on, and the vocabulary made anew.
pub(super) fn finish_bulk(connection: &Connection) -> Result<()> {
    // A savepoint stands inside a batch as well as alone.
    connection.execute_batch("SAVEPOINT vocabulary")?;
    match make_vocabulary(connection) {
        Ok(()) => connection.execute_batch("RELEASE vocabulary")?,
        Err(error) => {
            connection.execute_batch("ROLLBACK TO vocabulary; RELEASE vocabulary")?;
            return Err(error);
        }
    }
    Ok(())
}

fn make_vocabulary(connection: &Connection) -> Result<()> {
    connection.execute_batch(
        "INSERT INTO chunk_words (chunk_words, rank) VALUES ('automerge', 4);
         INSERT INTO chunk_words (chunk_words, rank) VALUES ('crisismerge', 16);
         DELETE FROM words;",
    )?;
    connection.execute("INSERT INTO words (text) SELECT term FROM chunk_vocabulary", [])?;
    connection.execute("INSERT INTO words (text) VALUES (?1)", [COMPLETE])?;
    Ok(())
}

/// Row of `words`, itself no word, that says the table holds every word; it is away during a bulk load, and after one
/// that was cut off.
const COMPLETE: &str = "";

/// Whether no bulk load is under way or was cut off.
pub(super) fn is_vocabulary_complete(connection: &Connection) -> Result<bool> {
    let mut statement = connection.prepare_cached("SELECT count(*) FROM words WHERE text = ?1")?;
    Ok(statement.query_row([COMPLETE], |row| row.get::<_, i64>(0))? > 0)
}

/// What changes for a file: rows that go, then the words of its chunks.
#[derive(Debug)]
pub(super) struct FileWords {
    /// The file.
    pub(super) file: FileId,
    /// Rows of chunks that are gone.
    pub(super) removed: Vec<i64>,
    /// Words of the chunks there are now, in order.
    pub(super) terms: Vec<ChunkTerms>,
}

/// Makes the changes of a batch, in ascending order of rows: FTS5 starts a new segment at each step back. Of several changes
/// of one file the last one's chunks count.
pub(super) fn apply(connection: &Connection, mut batch: Vec<FileWords>) -> Result<()> {
    batch.sort_by_key(|words| words.file);
    let mut batch = batch.into_iter().peekable();
    while let Some(mut words) = batch.next() {
        while let Some(later) = batch.next_if(|later| later.file == words.file) {
            words.removed.extend(later.removed);
            words.terms = later.terms;
        }
        words.removed.sort_unstable();
        words.removed.dedup();
        let mut removed = words.removed.into_iter().peekable();
        for (row, terms) in (chunk_row_range(words.file).start..).zip(&words.terms) {
            while let Some(gone) = removed.next_if(|gone| *gone <= row) {
                delete(connection, gone)?;
            }
            insert(connection, row, terms)?;
        }
        for gone in removed {
            delete(connection, gone)?;
        }
        learn(connection, &words.terms)?;
    }
    Ok(())
}

fn insert(connection: &Connection, chunk: i64, terms: &ChunkTerms) -> Result<()> {
    let [name, doc, path, body, identifiers] = terms.columns();
    connection
        .prepare_cached(
            "INSERT INTO chunk_words (rowid, name, doc, path, body, identifiers) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![chunk, name, doc, path, body, identifiers])?;
    Ok(())
}

fn delete(connection: &Connection, chunk: i64) -> Result<()> {
    connection.prepare_cached("DELETE FROM chunk_words WHERE rowid = ?1")?.execute([chunk])?;
    Ok(())
}

/// Adds the words of the chunks of a file to the vocabulary, unless a bulk load will do so for all files at its end.
fn learn(connection: &Connection, terms: &[ChunkTerms]) -> Result<()> {
    if !is_vocabulary_complete(connection)? {
        return Ok(());
    }
    let distinct: BTreeSet<&str> =
        terms.iter().flat_map(ChunkTerms::columns).flat_map(|column| column.split(' ')).collect();
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO words (text) VALUES (?1)")?;
    for text in distinct.into_iter().filter(|text| !text.is_empty()) {
        insert.execute([text])?;
    }
    Ok(())
}

/// Which files may answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everything,
    /// These, in ascending order.
    Files(Vec<FileId>),
}

impl Scope {
    /// Whether `file` may answer.
    #[must_use]
    pub fn contains(&self, file: FileId) -> bool {
        match self {
            Self::Everything => true,
            Self::Files(files) => files.binary_search(&file).is_ok(),
        }
    }
}

/// A chunk that matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The chunk's row number.
    pub chunk: i64,
    /// BM25 as SQLite gives it: negative, lower is better.
    pub score: f64,
}

/// What a chunk must hold to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// Words next to each other, in any column.
    Phrase(Vec<String>),
    /// Words next to each other in name, documentation or path.
    Heading(Vec<String>),
    /// Any of these.
    Any(Vec<Expression>),
    /// All of these.
    All(Vec<Expression>),
}

impl Expression {
    /// One word.
    #[must_use]
    pub fn word(word: &str) -> Self {
        Self::Phrase(vec![word.to_owned()])
    }

    /// FTS5's spelling. Only letters, digits and spaces come from the caller's words, all inside quotation marks, so no
    /// text of a query is ever read as syntax.
    fn spell(&self, out: &mut String) {
        match self {
            Self::Phrase(words) => spell_phrase(words, out),
            Self::Heading(words) => {
                out.push_str("{name doc path}: ");
                spell_phrase(words, out);
            }
            Self::Any(parts) => spell_list(parts, " OR ", out),
            Self::All(parts) => spell_list(parts, " AND ", out),
        }
    }
}

fn spell_phrase(words: &[String], out: &mut String) {
    out.push('"');
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| c.is_ascii_alphanumeric() || !c.is_ascii()));
    }
    out.push('"');
}

fn spell_list(parts: &[Expression], operator: &str, out: &mut String) {
    out.push('(');
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(operator);
        }
        part.spell(out);
    }
    out.push(')');
}

impl Reader {
    /// Every chunk of `scope` that matches, in row order, with its BM25 score. The score of [`Expression::Any`] is the sum
    /// of the scores of the parts that match.
    pub fn matches(&self, expression: &Expression, scope: &Scope) -> Result<Vec<Match>> {
        let mut spelled = String::new();
        expression.spell(&mut spelled);
        let mut statement = self
            .connection
            .prepare_cached(&format!("SELECT rowid, {SCORE} FROM chunk_words WHERE chunk_words MATCH ?1"))?;
        let mut rows = statement.query([spelled])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let chunk = row.get(0)?;
            if scope.contains(file_of_chunk(chunk)) {
                out.push(Match { chunk, score: row.get(1)? });
            }
        }
        Ok(out)
    }

    /// Number of chunks that hold `word`.
    pub fn word_frequency(&self, word: &str) -> Result<u64> {
        let found = self.vocabulary("SELECT term, doc FROM chunk_vocabulary WHERE term = ?1", [word])?;
        Ok(found.first().map_or(0, |(_, count)| *count))
    }

    /// Up to `limit` indexed words that begin with `prefix`, in alphabetic order, with the number of chunks that hold each.
    pub fn words_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<(String, u64)>> {
        let mut end = prefix.to_owned();
        end.push(char::MAX);
        self.vocabulary(
            "SELECT term, doc FROM chunk_vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3",
            params![prefix, end, limit],
        )
    }

    /// Up to `limit` indexed words that contain `part`, shortest first, with the number of chunks that hold each. Reads the
    /// whole vocabulary: some milliseconds for tens of thousands of words.
    pub fn words_containing(&self, part: &str, limit: usize) -> Result<Vec<(String, u64)>> {
        let mut found = if is_vocabulary_complete(&self.connection)? {
            self.texts("SELECT text FROM words WHERE instr(text, ?1) > 0", [part])?
        } else {
            self.texts("SELECT term FROM chunk_vocabulary WHERE instr(term, ?1) > 0", [part])?
        };
        found.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let mut out = Vec::new();
        for word in found {
            if out.len() == limit {
                break;
            }
            // The vocabulary keeps words whose last chunk is gone.
            let count = self.word_frequency(&word)?;
            if count > 0 {
                out.push((word, count));
            }
        }
        Ok(out)
    }

    fn texts(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(values, |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn vocabulary(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<(String, u64)>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows =
            statement.query_map(values, |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(chunks: &[(&str, Option<&str>, &str)]) -> Reader {
        let connection = Connection::open_in_memory().unwrap();
        create(&connection).unwrap();
        begin_bulk(&connection).unwrap();
        for (file, (path, name, text)) in (1_i64..).zip(chunks) {
            let path = RepoPath::new(path).unwrap();
            let terms = ChunkTerms::of(&path, *name, text, &[ByteRange::new(0, text.len())], None);
            insert(&connection, file << 20, &terms).unwrap();
        }
        finish_bulk(&connection).unwrap();
        Reader::new(connection)
    }

    fn files(found: &[Match]) -> Vec<u32> {
        found.iter().map(|m| file_of_chunk(m.chunk).0).collect()
    }

    #[test]
    fn terms_of_a_chunk() {
        let text = "/** Compares versions. */\nfunction compareVersions(a_b) {}";
        let terms = ChunkTerms::of(
            &RepoPath::new("src/semVer.ts").unwrap(),
            Some("Ver.compareVersions"),
            text,
            &[ByteRange::new(0, text.len())],
            Some(ByteRange::new(0, 25)),
        );
        assert_eq!(terms.name, "ver compare versions compareversions ");
        assert_eq!(terms.doc, "compares versions ");
        assert_eq!(terms.path, "src sem ver ts ");
        assert_eq!(terms.body, "function compare versions a b ");
        assert_eq!(terms.identifiers, "ab compareversions ");
    }

    #[test]
    fn words_phrases_and_scope() {
        let reader = shelf(&[
            ("a.ts", Some("find"), "function find() { return table }"),
            ("b.ts", Some("other"), "const x = find(table)"),
            ("c.md", Some("C"), "部署方案 of the table"),
        ]);
        let everything = Scope::Everything;
        let table = reader.matches(&Expression::word("table"), &everything).unwrap();
        assert_eq!(files(&table), [1, 2, 3]);
        let find = reader.matches(&Expression::word("find"), &everything).unwrap();
        assert!(find[0].score < find[1].score, "the declaration's name weighs more: {find:?}");
        let scope = Scope::Files(vec![FileId(2), FileId(3)]);
        assert_eq!(files(&reader.matches(&Expression::word("table"), &scope).unwrap()), [2, 3]);
        let phrase = |words: &[&str]| {
            let words = words.iter().map(|w| (*w).to_owned()).collect();
            files(&reader.matches(&Expression::Phrase(words), &everything).unwrap())
        };
        assert_eq!(phrase(&["部", "署"]), [3]);
        assert_eq!(phrase(&["署", "部"]), [0; 0]);
        let all = Expression::All(vec![Expression::word("find"), Expression::word("x")]);
        assert_eq!(files(&reader.matches(&all, &everything).unwrap()), [2]);
        let heading = Expression::Heading(vec!["find".into()]);
        assert_eq!(files(&reader.matches(&heading, &everything).unwrap()), [1]);
    }

    #[test]
    fn parts_of_words_are_found_in_the_vocabulary() {
        let reader = shelf(&[("a.ts", None, "resolveUserName user names"), ("b.ts", None, "username")]);
        assert_eq!(reader.word_frequency("user").unwrap(), 1);
        assert_eq!(reader.word_frequency("nothing").unwrap(), 0);
        let texts = |found: Vec<(String, u64)>| found.into_iter().map(|(text, _)| text).collect::<Vec<_>>();
        assert_eq!(texts(reader.words_with_prefix("user", 9).unwrap()), ["user", "username"]);
        assert_eq!(
            texts(reader.words_containing("name", 9).unwrap()),
            ["name", "names", "username", "resolveusername"]
        );
        assert_eq!(texts(reader.words_containing("ernam", 1).unwrap()), ["username"]);
        assert_eq!(texts(reader.words_containing("rn", 9).unwrap()), ["username", "resolveusername"]);
    }

    #[test]
    fn a_change_after_the_bulk_load_is_learned_and_forgotten() {
        let reader = shelf(&[("a.ts", None, "alpha")]);
        let terms = [ChunkTerms { body: "zebra ".into(), ..ChunkTerms::default() }];
        insert(&reader.connection, 2 << 20, &terms[0]).unwrap();
        learn(&reader.connection, &terms).unwrap();
        learn(&reader.connection, &terms).unwrap();
        assert_eq!(reader.words_containing("ebr", 9).unwrap(), [("zebra".to_owned(), 1)]);
        delete(&reader.connection, 2 << 20).unwrap();
        assert_eq!(reader.words_containing("ebr", 9).unwrap(), []);
        begin_bulk(&reader.connection).unwrap();
        assert_eq!(reader.words_containing("lph", 9).unwrap(), [("alpha".to_owned(), 1)], "also without it");
    }

    #[test]
    fn a_batch_makes_one_segment() {
        let reader = shelf(&[("a.ts", None, "alpha"), ("b.ts", None, "beta"), ("c.ts", None, "gamma")]);
        let terms = |word: &str| ChunkTerms { body: word.into(), ..ChunkTerms::default() };
        let words = |file, removed, terms| FileWords { file: FileId(file), removed, terms };
        let segments = || -> i64 {
            let sql = "SELECT count(DISTINCT segid) FROM chunk_words_idx";
            reader.connection.query_row(sql, [], |row| row.get(0)).unwrap()
        };
        let before = segments();
        reader.connection.execute_batch("BEGIN").unwrap();
        let batch = vec![
            words(3, vec![3 << 20], vec![terms("delta"), terms("delta")]),
            words(1, vec![1 << 20], vec![terms("lost")]),
            words(2, vec![2 << 20], vec![]),
            words(1, vec![1 << 20], vec![terms("delta")]),
        ];
        apply(&reader.connection, batch).unwrap();
        reader.connection.execute_batch("COMMIT").unwrap();
        assert_eq!(segments(), before + 1);
        let found = |word: &str| files(&reader.matches(&Expression::word(word), &Scope::Everything).unwrap());
        assert_eq!(found("delta"), [1, 3, 3]);
        for gone in ["alpha", "beta", "gamma", "lost"] {
            assert_eq!(found(gone), [0; 0], "{gone}");
        }
    }

    #[test]
    fn no_text_is_read_as_syntax() {
        let reader = shelf(&[("a.ts", None, "alpha")]);
        for text in ["\"", "a\" OR \"b", "NEAR(", "*", "body:x", ""] {
            let expression = Expression::Any(vec![Expression::word(text), Expression::word("alpha")]);
            assert_eq!(files(&reader.matches(&expression, &Scope::Everything).unwrap()), [1], "{text}");
        }
    }
}
