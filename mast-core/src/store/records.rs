//! The rows the shelf gives out, and how they are read from columns.

use rusqlite::Row;
use serde::{Deserialize, Serialize};

use super::pack::decode;
use super::rows::{Numbered, symbol_flags};
use crate::error::{Error, Result};
use crate::model::{
    ByteRange, ChunkKind, FileId, FileStamp, Import, ImportKind, Language, LineRange, ProblemKind, RepoPath,
    Resolution, SymbolDetail, SymbolIx, SymbolKind,
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

pub(super) const FILE_COLUMNS: &str = "id, path, language, size, mtime_ns, hash, is_skipped, lines, tokens";
pub(super) const SYMBOL_COLUMNS: &str = "id, file_id, ix, name, container, kind, flags, ordinal, parent, start_line, end_line, \
                              name_line, span, detail";
pub(super) const CHUNK_COLUMNS: &str = "c.id, c.symbol_id, c.name, c.kind, c.is_exported, c.start_line, c.end_line, \
                             c.part, c.segments, s.name, s.container FROM chunks c LEFT JOIN symbols s ON s.id = c.symbol_id";

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

pub(super) fn repo_path(row: &Row<'_>, column: usize) -> Result<RepoPath> {
    let text = row.get_ref(column)?;
    let text = text.as_str().map_err(rusqlite::Error::from)?;
    RepoPath::new(text).ok_or_else(|| Error::Damaged(format!("a row holds the impossible path `{text}`")))
}

pub(super) fn file_row(row: &Row<'_>) -> Result<FileRow> {
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

pub(super) fn symbol_row(row: &Row<'_>) -> Result<SymbolRow> {
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

pub(super) fn chunk_row(row: &Row<'_>) -> Result<ChunkRow> {
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

pub(super) fn import_row(row: &Row<'_>) -> Result<ImportRow> {
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

pub(super) fn type_use_row(row: &Row<'_>) -> Result<TypeUseRow> {
    Ok(TypeUseRow {
        file: FileId(row.get(0)?),
        target: SymbolId(row.get(1)?),
        line: row.get(2)?,
        column: row.get(3)?,
    })
}

pub(super) fn call_row(row: &Row<'_>) -> Result<CallRow> {
    Ok(CallRow {
        file: FileId(row.get(0)?),
        target: SymbolId(row.get(1)?),
        caller: row.get::<_, Option<i64>>(2)?.map(SymbolId),
        line: row.get(3)?,
        column: row.get(4)?,
        resolution: Resolution::from_number(row.get(5)?)?,
    })
}
