//! Rows out. Every question the other rooms ask of the shelf is a method here (full text is in [`fts`](super::fts)).

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, Params, Row};
use serde::{Deserialize, Serialize};

use super::pack::{decode, unpack, unpack_text};
use super::rows::{Numbered, symbol_flags};
use crate::error::{Error, Result};
use crate::model::{
    ByteRange, ChunkKind, Export, FileId, FileStamp, HeritageKind, Import, ImportKind, Language, LineRange,
    ModuleFacts, ProblemKind, RepoPath, Resolution, SymbolDetail, SymbolIx, SymbolKind,
};

/// Row number of a symbol; stays while the symbol stays declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolId(pub i64);

/// A file on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Row number.
    pub id: FileId,
    /// Name.
    pub path: RepoPath,
    /// Language.
    pub language: Language,
    /// Stamp of what was indexed.
    pub stamp: FileStamp,
    /// Left out on purpose: it has no content here and is never stale.
    pub is_skipped: bool,
    /// Number of lines.
    pub lines: u32,
    /// Number of tokens of the whole text.
    pub tokens: u32,
}

/// A symbol on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolRow {
    /// Row number.
    pub id: SymbolId,
    /// Its file.
    pub file: FileId,
    /// Position in its file.
    pub ix: SymbolIx,
    /// Last segment of its name.
    pub name: String,
    /// Enclosing declarations, dot-separated.
    pub container: Option<String>,
    /// Kind.
    pub kind: SymbolKind,
    /// Reachable from outside the file.
    pub is_exported: bool,
    /// Declared inside a function body.
    pub is_local: bool,
    /// Static class member.
    pub is_static: bool,
    /// Which of several equally named ones.
    pub ordinal: u32,
    /// Position of the enclosing symbol.
    pub parent: Option<SymbolIx>,
    /// Lines of the declaration.
    pub lines: LineRange,
    /// Line of the name.
    pub name_line: u32,
    /// Range of the declaration in the file's text.
    pub span: ByteRange,
    /// Range of the name.
    pub name_span: ByteRange,
    /// Ranges of its parts.
    pub detail: SymbolDetail,
}

impl SymbolRow {
    /// `Repo.find`, or just the name at the top level.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        match &self.container {
            Some(container) => format!("{container}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A chunk on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow {
    /// Row number, also the row of the full-text index.
    pub id: i64,
    /// Its file.
    pub file: FileId,
    /// The declaration it belongs to.
    pub symbol: Option<SymbolId>,
    /// Qualified name of that declaration, or the chunk's own name.
    pub symbol_name: Option<String>,
    /// Kind.
    pub kind: ChunkKind,
    /// Reachable from outside the file.
    pub is_exported: bool,
    /// Lines.
    pub lines: LineRange,
    /// Part of a split declaration.
    pub part: u32,
    /// Ranges of its text.
    pub segments: Vec<ByteRange>,
}

/// An import on the shelf, with what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// The file that imports.
    pub file: FileId,
    /// Position in that file.
    pub ix: u32,
    /// The statement.
    pub import: Import,
    /// The indexed file it names.
    pub resolved: Option<FileId>,
    /// It names a package outside the repository.
    pub is_external: bool,
}

/// A proven call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// The file of the call.
    pub file: FileId,
    /// The declaration that is called.
    pub target: SymbolId,
    /// The enclosing symbol; `None` at module level.
    pub caller: Option<SymbolId>,
    /// Line of the callee's name.
    pub line: u32,
    /// Column of the callee's name.
    pub column: u32,
    /// Why we believe it.
    pub resolution: Resolution,
}

/// A proven mention that is no call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeUseRow {
    /// The file of the mention.
    pub file: FileId,
    /// The declaration that is named.
    pub target: SymbolId,
    /// Line of the name.
    pub line: u32,
    /// Column of the name.
    pub column: u32,
}

/// Something wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemRow {
    /// The file's name.
    pub path: RepoPath,
    /// What kind of trouble.
    pub kind: ProblemKind,
    /// One line for a person.
    pub message: String,
    /// Lines concerned.
    pub lines: Vec<LineRange>,
}

const FILE_COLUMNS: &str = "id, path, language, size, mtime_ns, hash, is_skipped, lines, tokens";
const SYMBOL_COLUMNS: &str = "id, file_id, ix, name, container, kind, flags, ordinal, parent, start_line, end_line, \
                              name_line, span, detail";
const CHUNK_COLUMNS: &str = "c.id, c.symbol_id, c.name, c.kind, c.is_exported, c.start_line, c.end_line, \
                             c.part, c.segments, s.name, s.container FROM chunks c LEFT JOIN symbols s ON s.id = c.symbol_id";

/// Name of the value that counts the batches that changed facts.
pub(super) const FACTS_VERSION: &str = "facts_version";

/// Most chunks a file can have.
pub(super) const CHUNKS_PER_FILE: usize = 1 << 20;

/// Row numbers the chunks of a file may have.
pub(super) fn chunk_row_range(file: FileId) -> std::ops::Range<i64> {
    let first = i64::from(file.0) << 20;
    first..first + (1 << 20)
}

/// The file of a chunk.
pub fn file_of_chunk(chunk: i64) -> FileId {
    FileId(u32::try_from(chunk >> 20).unwrap_or(u32::MAX))
}

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

    /// A named value.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        self.row("SELECT value FROM meta WHERE key = ?1", [key], |row| Ok(row.get(0)?))
    }

    fn count(&self, sql: &str) -> Result<u64> {
        let count: i64 = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    fn row<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl Fn(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        rows.next()?.map(read).transpose()
    }

    fn rows<T>(
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

fn repo_path(row: &Row<'_>, column: usize) -> Result<RepoPath> {
    let text = row.get_ref(column)?;
    let text = text.as_str().map_err(rusqlite::Error::from)?;
    RepoPath::new(text).ok_or_else(|| Error::Store(format!("a row holds the impossible path `{text}`")))
}

fn file_row(row: &Row<'_>) -> Result<FileRow> {
    let hash: [u8; 16] = row.get(5)?;
    Ok(FileRow {
        id: FileId(row.get(0)?),
        path: repo_path(row, 1)?,
        language: Language::from_number(row.get(2)?)?,
        stamp: FileStamp {
            size: row.get::<_, i64>(3)?.unsigned_abs(),
            mtime_ns: row.get(4)?,
            hash: u128::from_be_bytes(hash),
        },
        is_skipped: row.get(6)?,
        lines: row.get(7)?,
        tokens: row.get(8)?,
    })
}

fn symbol_row(row: &Row<'_>) -> Result<SymbolRow> {
    let flags: i64 = row.get(6)?;
    let (span, name_span) = decode(row.get_ref(12)?.as_blob().map_err(rusqlite::Error::from)?)?;
    Ok(SymbolRow {
        id: SymbolId(row.get(0)?),
        file: FileId(row.get(1)?),
        ix: SymbolIx(row.get(2)?),
        name: row.get(3)?,
        container: row.get(4)?,
        kind: SymbolKind::from_number(row.get(5)?)?,
        is_exported: flags & symbol_flags::EXPORTED != 0,
        is_local: flags & symbol_flags::LOCAL != 0,
        is_static: flags & symbol_flags::STATIC != 0,
        ordinal: row.get(7)?,
        parent: row.get::<_, Option<u32>>(8)?.map(SymbolIx),
        lines: LineRange::new(row.get(9)?, row.get(10)?),
        name_line: row.get(11)?,
        span,
        name_span,
        detail: decode(row.get_ref(13)?.as_blob().map_err(rusqlite::Error::from)?)?,
    })
}

fn chunk_row(row: &Row<'_>) -> Result<ChunkRow> {
    let id = row.get(0)?;
    let own: Option<String> = row.get(2)?;
    let (name, container): (Option<String>, Option<String>) = (row.get(9)?, row.get(10)?);
    let symbol_name = match (name, container) {
        (Some(name), Some(container)) => Some(format!("{container}.{name}")),
        (Some(name), None) => Some(name),
        (None, _) => own,
    };
    Ok(ChunkRow {
        id,
        file: file_of_chunk(id),
        symbol: row.get::<_, Option<i64>>(1)?.map(SymbolId),
        symbol_name,
        kind: ChunkKind::from_number(row.get(3)?)?,
        is_exported: row.get(4)?,
        lines: LineRange::new(row.get(5)?, row.get(6)?),
        part: row.get(7)?,
        segments: decode(row.get_ref(8)?.as_blob().map_err(rusqlite::Error::from)?)?,
    })
}

fn import_row(row: &Row<'_>) -> Result<ImportRow> {
    Ok(ImportRow {
        file: FileId(row.get(0)?),
        ix: row.get(1)?,
        import: Import {
            kind: ImportKind::from_number(row.get(2)?)?,
            specifier: row.get(3)?,
            line: row.get(4)?,
            names: decode(row.get_ref(5)?.as_blob().map_err(rusqlite::Error::from)?)?,
        },
        resolved: row.get::<_, Option<u32>>(6)?.map(FileId),
        is_external: row.get(7)?,
    })
}

fn type_use_row(row: &Row<'_>) -> Result<TypeUseRow> {
    Ok(TypeUseRow {
        file: FileId(row.get(0)?),
        target: SymbolId(row.get(1)?),
        line: row.get(2)?,
        column: row.get(3)?,
    })
}

fn call_row(row: &Row<'_>) -> Result<CallRow> {
    Ok(CallRow {
        file: FileId(row.get(0)?),
        target: SymbolId(row.get(1)?),
        caller: row.get::<_, Option<i64>>(2)?.map(SymbolId),
        line: row.get(3)?,
        column: row.get(4)?,
        resolution: Resolution::from_number(row.get(5)?)?,
    })
}
