//! The one thing that changes the shelf.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params};

use super::content::signed;
use super::fts::{self, ChunkTerms};
use super::open::Identity;
use super::pack::{Packed, encode};
use super::reader::{FACTS_VERSION, PATHS_VERSION, RESOLVED_VERSION};
use super::rows::Numbered;
use super::{Reader, Store, SymbolId};
use crate::error::Result;
use crate::model::{
    Chunk, Export, FileId, FileStamp, HeritageKind, Import, Language, Problem, RepoPath, Resolution, Symbol,
};

/// Everything the shelf keeps about one file, ready to be written.
#[derive(Debug)]
pub struct FileRecord {
    /// Name.
    pub path: RepoPath,
    /// Language.
    pub language: Language,
    /// Stamp taken before the bytes were read.
    pub stamp: FileStamp,
    /// Left out on purpose: known, never stale, without content.
    pub is_skipped: bool,
    /// Number of lines.
    pub lines: u32,
    /// Number of tokens of the whole text.
    pub tokens: u32,
    /// The decoded text.
    pub text: Packed,
    /// The encoded [`ModuleFacts`](crate::model::ModuleFacts).
    pub facts: Packed,
    /// Declarations.
    pub symbols: Vec<Symbol>,
    /// Retrievable pieces.
    pub chunks: Vec<Chunk>,
    /// Index terms, one entry a chunk.
    pub terms: Vec<ChunkTerms>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Exports.
    pub exports: Vec<Export>,
    /// What is wrong with the file.
    pub problems: Vec<Problem>,
}

/// What a module specifier was found to mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedImport {
    /// The indexed file.
    pub file: Option<FileId>,
    /// A package outside the repository.
    pub is_external: bool,
}

/// The edges of one file.
#[derive(Debug, Default)]
pub struct LinkRecord {
    /// Site number, target, caller, line, column, resolution.
    pub calls: Vec<(u32, SymbolId, Option<SymbolId>, u32, u32, Resolution)>,
    /// Child, parent, kind.
    pub heritage: Vec<(SymbolId, SymbolId, HeritageKind)>,
    /// Reference number, target, line, column.
    pub type_uses: Vec<(u32, SymbolId, u32, u32)>,
    /// Other files whose facts were read.
    pub consulted: BTreeSet<FileId>,
}

/// Name of the file with the stamps of the last run, made of [`FileRow`](super::FileRow)s by `index`.
pub(crate) const MANIFEST: &str = "file_manifest.json";

/// Writes in batches: [`begin`](Self::begin), any number of changes, [`commit`](Self::commit). A batch that is dropped
/// uncommitted is rolled back.
#[derive(Debug)]
pub struct IndexWriter<'s> {
    store: &'s Store,
    /// Which file was opened: the state directory may be removed while it is written.
    identity: Option<Identity>,
    pub(super) reader: Reader,
    /// The open batch changes facts, so links made from an earlier view must not be written.
    pub(super) changes_facts: bool,
    /// Files come or go with the open batch, so that imports may mean something else.
    changes_paths: bool,
    /// Full-text changes of the open batch. They wait for its end because every savepoint makes FTS5 write what it has
    /// gathered as a segment of its own, and a segment a file makes searching many times slower.
    pub(super) words: Vec<fts::FileWords>,
    /// How many of them there were at the savepoint.
    pub(super) words_at_savepoint: usize,
}

impl<'s> IndexWriter<'s> {
    pub(super) fn new(store: &'s Store, connection: Connection, identity: Option<Identity>) -> Self {
        Self {
            store,
            identity,
            reader: Reader::new(connection),
            changes_facts: false,
            changes_paths: false,
            words: Vec::new(),
            words_at_savepoint: 0,
        }
    }

    /// A view through the writer's own connection: inside a batch it sees the batch.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The store that is written.
    #[must_use]
    pub fn store(&self) -> &'s Store {
        self.store
    }

    /// Fails when what is written here is lost, because the database was removed or replaced. Files beside the database
    /// must not speak of it then.
    pub fn require_in_place(&self) -> Result<()> {
        self.store.require_in_place(self.identity)
    }

    /// Begins a batch by taking SQLite's write reservation.
    pub fn begin(&mut self) -> Result<()> {
        self.require_in_place()?;
        self.reader.connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(())
    }

    /// Makes the batch visible.
    pub fn commit(&mut self) -> Result<()> {
        if std::mem::take(&mut self.changes_facts) {
            // The manifest claims what the last run left; until it is written again it must claim nothing.
            super::open::remove_if_present(&self.store.dir().join(MANIFEST))?;
            // A verdict may rest on any file of the project, whichever these facts belong to.
            self.clear_verdicts()?;
            let version = self.reader.facts_version()? + 1;
            self.set_meta(FACTS_VERSION, &version.to_string())?;
        }
        if std::mem::take(&mut self.changes_paths) {
            let version = self.reader.paths_version()? + 1;
            self.set_meta(PATHS_VERSION, &version.to_string())?;
        }
        self.put_words()?;
        self.reader.connection.execute_batch("COMMIT")?;
        Ok(())
    }

    /// Forgets the batch.
    pub fn roll_back(&mut self) {
        self.changes_facts = false;
        self.changes_paths = false;
        self.words.clear();
        if !self.reader.connection.is_autocommit() {
            // Rolling back fails only when SQLite has already done so.
            let _ = self.reader.connection.execute_batch("ROLLBACK");
        }
    }

    /// Begins a part of the batch that can fail by itself.
    pub fn savepoint(&mut self) -> Result<()> {
        self.reader.connection.prepare_cached("SAVEPOINT file")?.execute([])?;
        self.words_at_savepoint = self.words.len();
        Ok(())
    }

    /// Keeps what was written since [`savepoint`](Self::savepoint).
    pub fn release(&mut self) -> Result<()> {
        self.reader.connection.prepare_cached("RELEASE file")?.execute([])?;
        Ok(())
    }

    /// Forgets what was written since [`savepoint`](Self::savepoint).
    pub fn roll_back_to_savepoint(&mut self) -> Result<()> {
        self.reader.connection.execute_batch("ROLLBACK TO file; RELEASE file")?;
        self.words.truncate(self.words_at_savepoint);
        Ok(())
    }

    /// Whether many insertions were begun and never ended, by a process that was killed.
    pub fn is_bulk_cut_off(&self) -> Result<bool> {
        Ok(!fts::is_vocabulary_complete(&self.reader.connection)?)
    }

    /// Prepares the full-text index for many insertions.
    pub fn begin_bulk(&mut self) -> Result<()> {
        fts::begin_bulk(&self.reader.connection)
    }

    /// Ends [`begin_bulk`](Self::begin_bulk), merging what was left unmerged.
    pub fn finish_bulk(&mut self) -> Result<()> {
        self.put_words()?;
        fts::finish_bulk(&self.reader.connection)
    }

    /// Writes a file, replacing what was there under its name. Symbols that are still declared keep their id. The file
    /// and every file that consulted it are marked as waiting to be linked again.
    pub fn put_file(&mut self, record: &FileRecord) -> Result<FileId> {
        self.changes_facts = true;
        let existing = self.reader.file_id(&record.path)?;
        let mut kept = HashMap::new();
        self.changes_paths |= existing.is_none();
        if let Some(id) = existing {
            kept = self.symbol_keys(id)?;
            self.delete_content(id)?;
        }
        let id = self.put_file_row(existing, record)?;
        self.put_problems(&record.path, &record.problems)?;
        let symbol_ids = self.put_symbols(id, &record.symbols, kept)?;
        self.put_chunks(id, record, &symbol_ids)?;
        self.put_modules(id, record)?;
        self.mark_pending(id)?;
        Ok(id)
    }

    /// Writes only a file's new stamp: its content is what is already on the shelf.
    pub fn touch(&mut self, id: FileId, stamp: FileStamp) -> Result<()> {
        let mut statement = self
            .reader
            .connection
            .prepare_cached("UPDATE files SET size = ?2, mtime_ns = ?3 WHERE id = ?1")?;
        statement.execute(params![id.0, signed(stamp.size), stamp.mtime_ns])?;
        Ok(())
    }

    /// Removes a file with everything derived from it.
    pub fn remove_file(&mut self, id: FileId) -> Result<()> {
        self.changes_facts = true;
        self.changes_paths = true;
        let gone = self.symbol_keys(id)?;
        self.mark_pending(id)?;
        self.delete_content(id)?;
        for symbol in gone.into_values() {
            self.forget_symbol(symbol)?;
        }
        for sql in [
            "DELETE FROM problems WHERE path = (SELECT path FROM files WHERE id = ?1)",
            "DELETE FROM consulted WHERE file_id = ?1",
            "DELETE FROM consulted WHERE other = ?1",
            "DELETE FROM pending_links WHERE file_id = ?1",
            "UPDATE imports SET resolved = NULL WHERE resolved = ?1",
            "DELETE FROM files WHERE id = ?1",
        ] {
            self.reader.connection.prepare_cached(sql)?.execute([id.0])?;
        }
        Ok(())
    }

    /// Replaces the problems of a file that has no content to write.
    pub fn put_problems(&mut self, path: &RepoPath, problems: &[Problem]) -> Result<()> {
        self.reader
            .connection
            .prepare_cached("DELETE FROM problems WHERE path = ?1")?
            .execute([path.as_str()])?;
        let mut insert = self
            .reader
            .connection
            .prepare_cached("INSERT INTO problems (path, kind, message, lines) VALUES (?1, ?2, ?3, ?4)")?;
        for problem in problems {
            insert.execute(params![
                path.as_str(),
                problem.kind.number(),
                problem.message,
                encode(&problem.lines)?
            ])?;
        }
        Ok(())
    }

    /// Forgets the problems of files that are gone.
    pub fn forget_problems(&mut self, is_gone: impl Fn(&RepoPath) -> bool) -> Result<()> {
        for problem in self.reader.problems()?.into_iter().filter(|problem| is_gone(&problem.path)) {
            self.put_problems(&problem.path, &[])?;
        }
        Ok(())
    }

    /// Records what an import means; true when that differs from what was recorded.
    pub fn set_resolution(&mut self, file: FileId, import: u32, resolved: ResolvedImport) -> Result<bool> {
        let target = resolved.file.map(|f| f.0);
        let changed = self
            .reader
            .connection
            .prepare_cached(
                "UPDATE imports SET resolved = ?3, is_external = ?4 \
                 WHERE file_id = ?1 AND ix = ?2 AND (resolved IS NOT ?3 OR is_external <> ?4)",
            )?
            .execute(params![file.0, import, target, resolved.is_external])?;
        self.changes_facts |= changed > 0;
        Ok(changed > 0)
    }

    /// Notes that every import was resolved over the files there were at `paths_version`.
    pub fn set_resolved(&mut self, paths_version: u64) -> Result<()> {
        self.set_meta(RESOLVED_VERSION, &paths_version.to_string())
    }

    /// Notes that it is not known what imports mean.
    pub fn set_unresolved(&mut self) -> Result<()> {
        self.clear_meta(RESOLVED_VERSION)
    }

    /// Marks a file whose imports mean something else now, and every file that consulted it, as waiting to be linked again.
    pub fn mark_relink(&mut self, file: FileId) -> Result<()> {
        self.mark_pending(file)
    }

    /// Replaces a file's edges and takes it off the list of files waiting to be linked.
    pub fn put_links(&mut self, file: FileId, links: &LinkRecord) -> Result<()> {
        for sql in [
            "DELETE FROM calls WHERE file_id = ?1",
            "DELETE FROM heritage WHERE file_id = ?1",
            "DELETE FROM type_uses WHERE file_id = ?1",
            "DELETE FROM consulted WHERE file_id = ?1",
            "DELETE FROM pending_links WHERE file_id = ?1",
        ] {
            self.reader.connection.prepare_cached(sql)?.execute([file.0])?;
        }
        let mut insert = self.reader.connection.prepare_cached(
            "INSERT OR IGNORE INTO calls (file_id, site, target, caller, line, column, resolution) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for (site, target, caller, line, column, resolution) in &links.calls {
            insert.execute(params![
                file.0,
                site,
                target.0,
                caller.map(|c| c.0),
                line,
                column,
                resolution.number()
            ])?;
        }
        let mut insert = self.reader.connection.prepare_cached(
            "INSERT OR IGNORE INTO heritage (file_id, child, parent, kind) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (child, parent, kind) in &links.heritage {
            insert.execute(params![file.0, child.0, parent.0, kind.number()])?;
        }
        let mut insert = self.reader.connection.prepare_cached(
            "INSERT OR IGNORE INTO type_uses (file_id, reference, target, line, column) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for (reference, target, line, column) in &links.type_uses {
            insert.execute(params![file.0, reference, target.0, line, column])?;
        }
        let mut insert = self
            .reader
            .connection
            .prepare_cached("INSERT OR IGNORE INTO consulted (file_id, other) VALUES (?1, ?2)")?;
        for other in &links.consulted {
            insert.execute([file.0, other.0])?;
        }
        Ok(())
    }

    /// Stores a named value.
    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<()> {
        self.reader
            .connection
            .prepare_cached(
                "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
            )?
            .execute([key, value])?;
        Ok(())
    }

    /// Removes a named value.
    pub fn clear_meta(&mut self, key: &str) -> Result<()> {
        self.reader.connection.prepare_cached("DELETE FROM meta WHERE key = ?1")?.execute([key])?;
        Ok(())
    }

    /// Moves what the write-ahead log holds into the database and truncates the log, unless a reader is in the way.
    pub fn checkpoint(&mut self) -> Result<()> {
        self.reader.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

impl Drop for IndexWriter<'_> {
    fn drop(&mut self) {
        self.roll_back();
    }
}
