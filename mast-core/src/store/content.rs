//! What is written of one file: its rows, what is derived from its text, and what becomes of both when it changes.

use std::collections::HashMap;

use rusqlite::params;

use super::fts;
use super::pack::encode;
use super::records::{CHUNKS_PER_FILE, chunk_row_range};
use super::rows::{Numbered, symbol_flags};
use super::{FileRecord, IndexWriter, SymbolId};
use crate::error::{Error, Result};
use crate::model::{FileId, Symbol};

impl IndexWriter<'_> {
    pub(super) fn put_file_row(&mut self, existing: Option<FileId>, record: &FileRecord) -> Result<FileId> {
        self.reader.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO files (id, path, language, size, mtime_ns, hash, is_skipped, lines, tokens) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                existing.map(|id| id.0),
                record.path.as_str(),
                record.language.number(),
                signed(record.stamp.size),
                record.stamp.mtime_ns,
                record.stamp.hash.to_be_bytes(),
                record.is_skipped,
                record.lines,
                record.tokens,
            ])?;
        let id = match existing {
            Some(id) => id,
            None => FileId(u32::try_from(self.reader.connection.last_insert_rowid()).unwrap_or(u32::MAX)),
        };
        for (table, packed) in [("texts", &record.text), ("facts", &record.facts)] {
            self.reader
                .connection
                .prepare_cached(&format!("INSERT INTO {table} (file_id, length, body) VALUES (?1, ?2, ?3)"))?
                .execute(params![id.0, signed(packed.length as u64), packed.body])?;
        }
        Ok(id)
    }

    pub(super) fn put_symbols(
        &mut self,
        file: FileId,
        symbols: &[Symbol],
        mut kept: HashMap<SymbolKey, SymbolId>,
    ) -> Result<Vec<SymbolId>> {
        let reused: Vec<Option<SymbolId>> = symbols
            .iter()
            .map(|symbol| {
                let key = (
                    symbol.name.clone(),
                    symbol.container.clone(),
                    symbol.kind.number(),
                    i64::from(symbol.ordinal),
                );
                kept.remove(&key)
            })
            .collect();
        let mut ids = vec![SymbolId(0); symbols.len()];
        {
            let mut insert = self.reader.connection.prepare_cached(
                "INSERT INTO symbols (id, file_id, ix, name, container, kind, flags, ordinal, parent, start_line, \
                 end_line, name_line, span, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?;
            // Rows that keep their number come first: SQLite numbers a new row after the greatest there is.
            let (old, new): (Vec<usize>, Vec<usize>) =
                (0..symbols.len()).partition(|&ix| reused[ix].is_some());
            for ix in old.into_iter().chain(new) {
                let symbol = &symbols[ix];
                insert.execute(params![
                    reused[ix].map(|id| id.0),
                    file.0,
                    signed(ix as u64),
                    symbol.name,
                    symbol.container,
                    symbol.kind.number(),
                    flags(symbol),
                    symbol.ordinal,
                    symbol.parent.map(|p| p.0),
                    symbol.lines.start,
                    symbol.lines.end,
                    symbol.name_line,
                    encode(&(symbol.span, symbol.name_span))?,
                    encode(&symbol.detail)?,
                ])?;
                ids[ix] = reused[ix].unwrap_or_else(|| SymbolId(self.reader.connection.last_insert_rowid()));
            }
        }
        let mut gone: Vec<_> = kept.into_values().collect();
        gone.sort_unstable();
        for symbol in gone {
            self.forget_symbol(symbol)?;
        }
        Ok(ids)
    }

    pub(super) fn put_chunks(
        &mut self,
        file: FileId,
        record: &FileRecord,
        symbol_ids: &[SymbolId],
    ) -> Result<()> {
        let mut insert = self.reader.connection.prepare_cached(
            "INSERT INTO chunks (id, symbol_id, name, kind, is_exported, start_line, end_line, part, segments) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        let first = chunk_row_range(file).start;
        if record.chunks.len() > CHUNKS_PER_FILE {
            return Err(Error::Store(format!("more than {CHUNKS_PER_FILE} chunks")));
        }
        for (id, chunk) in (first..).zip(&record.chunks) {
            insert.execute(params![
                id,
                chunk.symbol.and_then(|ix| symbol_ids.get(ix.0 as usize)).map(|id| id.0),
                chunk.name,
                chunk.kind.number(),
                chunk.is_exported,
                chunk.lines.start,
                chunk.lines.end,
                chunk.part,
                encode(&chunk.segments)?,
            ])?;
        }
        drop(insert);
        self.words_of(file).terms.clone_from(&record.terms);
        Ok(())
    }

    /// The full-text changes of a file in the open batch.
    pub(super) fn words_of(&mut self, file: FileId) -> &mut fts::FileWords {
        let since = self.words_at_savepoint.min(self.words.len());
        let known = self.words[since..].iter().position(|words| words.file == file);
        let at = known.map_or(self.words.len(), |at| since + at);
        if at == self.words.len() {
            self.words.push(fts::FileWords { file, removed: Vec::new(), terms: Vec::new() });
        }
        &mut self.words[at]
    }

    pub(super) fn put_words(&mut self) -> Result<()> {
        let words = std::mem::take(&mut self.words);
        self.words_at_savepoint = 0;
        fts::apply(&self.reader.connection, words)
    }

    pub(super) fn put_modules(&mut self, file: FileId, record: &FileRecord) -> Result<()> {
        let mut insert = self.reader.connection.prepare_cached(
            "INSERT INTO imports (file_id, ix, kind, specifier, line, names, is_external) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
        )?;
        for (ix, import) in record.imports.iter().enumerate() {
            insert.execute(params![
                file.0,
                signed(ix as u64),
                import.kind.number(),
                import.specifier,
                import.line,
                encode(&import.names)?,
            ])?;
        }
        let mut insert = self.reader.connection.prepare_cached(
            "INSERT INTO exports (file_id, ix, name, is_type_only, line, source) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (ix, export) in record.exports.iter().enumerate() {
            insert.execute(params![
                file.0,
                signed(ix as u64),
                export.name,
                export.is_type_only,
                export.line,
                encode(&export.kind)?,
            ])?;
        }
        Ok(())
    }

    /// Deletes what is made from a file's text, edges out of it included; keeps its row and what points at it.
    pub(super) fn delete_content(&mut self, id: FileId) -> Result<()> {
        let rows_of = chunk_row_range(id);
        let chunks: Vec<i64> = {
            let mut statement =
                self.reader.connection.prepare_cached("SELECT id FROM chunks WHERE id >= ?1 AND id < ?2")?;
            let rows = statement.query_map([rows_of.start, rows_of.end], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        self.words_of(id).removed.extend(chunks);
        self.reader
            .connection
            .prepare_cached("DELETE FROM chunks WHERE id >= ?1 AND id < ?2")?
            .execute([rows_of.start, rows_of.end])?;
        for table in ["symbols", "imports", "exports", "texts", "facts", "calls", "heritage", "type_uses"] {
            self.reader
                .connection
                .prepare_cached(&format!("DELETE FROM {table} WHERE file_id = ?1"))?
                .execute([id.0])?;
        }
        Ok(())
    }

    /// Drops the edges that point at a symbol that is gone.
    pub(super) fn forget_symbol(&mut self, symbol: SymbolId) -> Result<()> {
        for sql in [
            "DELETE FROM calls WHERE target = ?1",
            "DELETE FROM heritage WHERE parent = ?1",
            "DELETE FROM type_uses WHERE target = ?1",
        ] {
            self.reader.connection.prepare_cached(sql)?.execute([symbol.0])?;
        }
        Ok(())
    }

    pub(super) fn mark_pending(&mut self, id: FileId) -> Result<()> {
        self.reader
            .connection
            .prepare_cached(
                "INSERT OR IGNORE INTO pending_links (file_id) \
                 SELECT ?1 UNION SELECT file_id FROM consulted WHERE other = ?1 \
                 UNION SELECT file_id FROM imports WHERE resolved = ?1",
            )?
            .execute([id.0])?;
        Ok(())
    }

    pub(super) fn symbol_keys(&self, file: FileId) -> Result<HashMap<SymbolKey, SymbolId>> {
        let mut statement = self
            .reader
            .connection
            .prepare_cached("SELECT name, container, kind, ordinal, id FROM symbols WHERE file_id = ?1")?;
        let rows = statement.query_map([file.0], |row| {
            Ok(((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?), SymbolId(row.get(4)?)))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Name, container, kind, ordinal: what a symbol is recognised by after its file changed.
pub(super) type SymbolKey = (String, Option<String>, i64, i64);

fn flags(symbol: &Symbol) -> i64 {
    let bit = |set: bool, flag: i64| if set { flag } else { 0 };
    bit(symbol.is_exported, symbol_flags::EXPORTED)
        | bit(symbol.is_local, symbol_flags::LOCAL)
        | bit(symbol.is_static, symbol_flags::STATIC)
}

pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
