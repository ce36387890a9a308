//! Rows out. Every question the other rooms ask of the shelf is a method here (full text is in [`fts`](super::fts)).

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use super::pack::{decode, unpack, unpack_text};
use super::records::{
    CHUNK_COLUMNS, CallRow, ChunkRow, FILE_COLUMNS, FileRow, ImportRow, ProblemRow, SYMBOL_COLUMNS, SymbolId,
    SymbolRow, TypeUseRow, call_row, chunk_row, chunk_row_range, file_row, import_row, repo_path, symbol_row,
    type_use_row,
};
use super::rows::Numbered;
use crate::error::Result;
use crate::model::{Export, FileId, HeritageKind, ModuleFacts, ProblemKind, RepoPath};

/// Name of the value that counts the batches that changed facts.
pub(super) const FACTS_VERSION: &str = "facts_version";

/// Name of the value that counts the batches in which files came or went.
pub(super) const PATHS_VERSION: &str = "paths_version";

/// Name of the value that says for which count of those every import was resolved.
pub(super) const RESOLVED_VERSION: &str = "resolved_version";

/// A connection that answers questions. Outside a [`Snapshot`](super::Snapshot) each answer is of its own moment.
#[derive(Debug)]
pub struct Reader {
    pub(super) connection: Connection,
}

impl Reader {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// Every file, ordered by path bytes.
    pub fn files(&self) -> Result<Vec<FileRow>> {
        self.rows(&format!("SELECT {FILE_COLUMNS} FROM files ORDER BY path"), [], file_row)
    }

    /// A file by name.
    pub fn file(&self, path: &RepoPath) -> Result<Option<FileRow>> {
        self.row(&format!("SELECT {FILE_COLUMNS} FROM files WHERE path = ?1"), [path.as_str()], file_row)
    }

    /// A file by row number.
    pub fn file_by_id(&self, id: FileId) -> Result<Option<FileRow>> {
        self.row(&format!("SELECT {FILE_COLUMNS} FROM files WHERE id = ?1"), [id.0], file_row)
    }

    /// Row number of a file.
    pub fn file_id(&self, path: &RepoPath) -> Result<Option<FileId>> {
        self.row("SELECT id FROM files WHERE path = ?1", [path.as_str()], |row| Ok(FileId(row.get(0)?)))
    }

    /// Number of files with content, and of chunks.
    pub fn counts(&self) -> Result<(u64, u64)> {
        let files = self.count("SELECT count(*) FROM files WHERE NOT is_skipped")?;
        Ok((files, self.count("SELECT count(*) FROM chunks")?))
    }

    /// Number of chunks of a file.
    pub fn chunk_count(&self, path: &RepoPath) -> Result<u64> {
        let Some(file) = self.file_id(path)? else { return Ok(0) };
        let rows = chunk_row_range(file);
        let count: i64 = self
            .connection
            .prepare_cached("SELECT count(*) FROM chunks WHERE id >= ?1 AND id < ?2")?
            .query_row([rows.start, rows.end], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Number of files waiting to be linked again.
    pub fn pending_link_count(&self) -> Result<u64> {
        self.count("SELECT count(*) FROM pending_links")
    }

    /// Files whose edges may not be what they should be: those waiting to be linked again, or every file that imports
    /// anything while it is not known what imports mean among the files there are now.
    pub fn unrepaired_count(&self) -> Result<u64> {
        let pending = self.pending_link_count()?;
        if self.meta(RESOLVED_VERSION)?.and_then(|v| v.parse().ok()).unwrap_or(0) == self.paths_version()? {
            return Ok(pending);
        }
        Ok(pending.max(self.importing_file_count()?))
    }

    /// Counts the batches in which files came or went.
    pub fn paths_version(&self) -> Result<u64> {
        Ok(self.meta(PATHS_VERSION)?.and_then(|version| version.parse().ok()).unwrap_or(0))
    }

    /// Files waiting to be linked again, in row order.
    pub fn pending_links(&self) -> Result<Vec<FileId>> {
        self.rows("SELECT file_id FROM pending_links ORDER BY file_id", [], |row| Ok(FileId(row.get(0)?)))
    }

    /// The indexed text of a file.
    pub fn text(&self, file: FileId) -> Result<Option<String>> {
        let packed: Option<(i64, Vec<u8>)> = self
            .connection
            .prepare_cached("SELECT length, body FROM texts WHERE file_id = ?1")?
            .query_row([file.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        packed.map(|(length, body)| unpack_text(usize::try_from(length).unwrap_or(0), &body)).transpose()
    }

    /// The linking facts of a file, with the size of their encoded form in bytes.
    pub fn facts(&self, file: FileId) -> Result<Option<(ModuleFacts, usize)>> {
        let packed: Option<(i64, Vec<u8>)> = self
            .connection
            .prepare_cached("SELECT length, body FROM facts WHERE file_id = ?1")?
            .query_row([file.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((length, body)) = packed else { return Ok(None) };
        let length = usize::try_from(length).unwrap_or(0);
        if length == 0 {
            return Ok(Some((ModuleFacts::default(), 0)));
        }
        Ok(Some((decode(&unpack(length, &body)?)?, length)))
    }

    /// The symbols of a file, in file order.
    pub fn symbols_of(&self, file: FileId) -> Result<Vec<SymbolRow>> {
        self.rows(
            &format!("SELECT {SYMBOL_COLUMNS} FROM symbols WHERE file_id = ?1 ORDER BY ix"),
            [file.0],
            symbol_row,
        )
    }

    /// Row numbers of the symbols of a file, in file order.
    pub fn symbol_ids(&self, file: FileId) -> Result<Vec<SymbolId>> {
        self.rows("SELECT id FROM symbols WHERE file_id = ?1 ORDER BY ix", [file.0], |row| {
            Ok(SymbolId(row.get(0)?))
        })
    }

    /// A symbol by row number.
    pub fn symbol(&self, id: SymbolId) -> Result<Option<SymbolRow>> {
        self.row(&format!("SELECT {SYMBOL_COLUMNS} FROM symbols WHERE id = ?1"), [id.0], symbol_row)
    }

    /// Symbols whose last name segment is `name`, case folded as ASCII, ordered by row.
    pub fn symbols_named(&self, name: &str) -> Result<Vec<SymbolRow>> {
        self.rows(
            &format!("SELECT {SYMBOL_COLUMNS} FROM symbols WHERE name = ?1 ORDER BY id"),
            [name],
            symbol_row,
        )
    }

    /// The chunks of a file, in file order.
    pub fn chunks_of(&self, file: FileId) -> Result<Vec<ChunkRow>> {
        self.rows(
            &format!("SELECT {CHUNK_COLUMNS} WHERE c.id >= ?1 AND c.id < ?2 ORDER BY c.id"),
            [chunk_row_range(file).start, chunk_row_range(file).end],
            chunk_row,
        )
    }

    /// A chunk by row number.
    pub fn chunk(&self, id: i64) -> Result<Option<ChunkRow>> {
        self.row(&format!("SELECT {CHUNK_COLUMNS} WHERE c.id = ?1"), [id], chunk_row)
    }

    /// The chunks of a symbol, first part first.
    pub fn chunks_of_symbol(&self, symbol: SymbolId) -> Result<Vec<ChunkRow>> {
        self.rows(
            &format!("SELECT {CHUNK_COLUMNS} WHERE c.symbol_id = ?1 ORDER BY c.part, c.id"),
            [symbol.0],
            chunk_row,
        )
    }

    /// The imports of a file, in file order.
    pub fn imports_of(&self, file: FileId) -> Result<Vec<ImportRow>> {
        self.rows(
            "SELECT file_id, ix, kind, specifier, line, names, resolved, is_external FROM imports \
             WHERE file_id = ?1 ORDER BY ix",
            [file.0],
            import_row,
        )
    }

    /// Every import of the repository that means `file`, ordered by importing file and position.
    pub fn importers_of(&self, file: FileId) -> Result<Vec<ImportRow>> {
        self.rows(
            "SELECT file_id, ix, kind, specifier, line, names, resolved, is_external FROM imports \
             WHERE resolved = ?1 ORDER BY file_id, ix",
            [file.0],
            import_row,
        )
    }

    /// File, position and specifier of every import of the repository.
    pub fn all_specifiers(&self) -> Result<Vec<(FileId, u32, String)>> {
        self.rows("SELECT file_id, ix, specifier FROM imports ORDER BY file_id, ix", [], |row| {
            Ok((FileId(row.get(0)?), row.get(1)?, row.get(2)?))
        })
    }

    /// The exports of a file, in file order.
    pub fn exports_of(&self, file: FileId) -> Result<Vec<Export>> {
        self.rows(
            "SELECT name, is_type_only, line, source FROM exports WHERE file_id = ?1 ORDER BY ix",
            [file.0],
            |row| {
                Ok(Export {
                    name: row.get(0)?,
                    is_type_only: row.get(1)?,
                    line: row.get(2)?,
                    kind: decode(row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?)?,
                })
            },
        )
    }

    /// Files that export something.
    pub fn exporting_files(&self) -> Result<BTreeSet<FileId>> {
        let files = self.rows("SELECT DISTINCT file_id FROM exports", [], |row| Ok(FileId(row.get(0)?)))?;
        Ok(files.into_iter().collect())
    }

    /// Files that export something as `name`, in row order.
    pub fn files_that_export(&self, name: &str) -> Result<Vec<FileId>> {
        self.rows("SELECT DISTINCT file_id FROM exports WHERE name = ?1 ORDER BY file_id", [name], |row| {
            Ok(FileId(row.get(0)?))
        })
    }

    /// Proven calls of a symbol, ordered by file row, line, column.
    pub fn calls_to(&self, target: SymbolId) -> Result<Vec<CallRow>> {
        self.rows(
            "SELECT file_id, target, caller, line, column, resolution FROM calls \
             WHERE target = ?1 ORDER BY file_id, line, column",
            [target.0],
            call_row,
        )
    }

    /// Number of proven calls of a symbol.
    pub fn call_count(&self, target: SymbolId) -> Result<u64> {
        let count: i64 = self
            .connection
            .prepare_cached("SELECT count(*) FROM calls WHERE target = ?1")?
            .query_row([target.0], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Proven calls made in a file, in file order.
    pub fn calls_in(&self, file: FileId) -> Result<Vec<CallRow>> {
        self.rows(
            "SELECT file_id, target, caller, line, column, resolution FROM calls WHERE file_id = ?1 ORDER BY site, target",
            [file.0],
            call_row,
        )
    }

    /// Proven mentions of a symbol outside call position, ordered by file row, line, column.
    pub fn type_uses_of(&self, target: SymbolId) -> Result<Vec<TypeUseRow>> {
        self.rows(
            "SELECT file_id, target, line, column FROM type_uses WHERE target = ?1 ORDER BY file_id, line, column",
            [target.0],
            type_use_row,
        )
    }

    /// Proven mentions in a file outside call position, in file order.
    pub fn type_uses_in(&self, file: FileId) -> Result<Vec<TypeUseRow>> {
        self.rows(
            "SELECT file_id, target, line, column FROM type_uses WHERE file_id = ?1 ORDER BY reference, target",
            [file.0],
            type_use_row,
        )
    }

    /// Symbols that inherit directly from `parent`, and how.
    pub fn children_of(&self, parent: SymbolId) -> Result<Vec<(SymbolId, HeritageKind)>> {
        self.rows(
            "SELECT child, kind FROM heritage WHERE parent = ?1 ORDER BY child, kind",
            [parent.0],
            |row| Ok((SymbolId(row.get(0)?), HeritageKind::from_number(row.get(1)?)?)),
        )
    }

    /// Everything wrong with files, ordered by path.
    pub fn problems(&self) -> Result<Vec<ProblemRow>> {
        self.rows("SELECT path, kind, message, lines FROM problems ORDER BY path, rowid", [], |row| {
            Ok(ProblemRow {
                path: repo_path(row, 0)?,
                kind: ProblemKind::from_number(row.get(1)?)?,
                message: row.get(2)?,
                lines: decode(row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?)?,
            })
        })
    }

    /// Counts the batches that changed facts: two views with equal counts link alike.
    pub fn facts_version(&self) -> Result<u64> {
        Ok(self.meta(FACTS_VERSION)?.and_then(|version| version.parse().ok()).unwrap_or(0))
    }

    /// Files that import anything.
    pub fn importing_file_count(&self) -> Result<u64> {
        self.count("SELECT count(DISTINCT file_id) FROM imports")
    }

    /// A named value.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        self.row("SELECT value FROM meta WHERE key = ?1", [key], |row| Ok(row.get(0)?))
    }

    fn count(&self, sql: &str) -> Result<u64> {
        let count: i64 = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    pub(super) fn row<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl Fn(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        rows.next()?.map(read).transpose()
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl Fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push(read(row)?);
        }
        Ok(out)
    }
}
