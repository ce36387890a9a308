//! Names of declarations and files, without what only an answer about one of them needs.

use rusqlite::params;

use super::records::chunk_row_range;
use super::rows::{Numbered, symbol_flags};
use super::{Reader, SymbolId};
use crate::error::Result;
use crate::model::{FileId, Language, LineRange, SymbolKind};

/// A declaration's name and place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRow {
    /// Row number.
    pub id: SymbolId,
    /// Its file.
    pub file: FileId,
    /// Last segment of its name.
    pub name: String,
    /// Enclosing declarations, dot-separated.
    pub container: Option<String>,
    /// Kind.
    pub kind: SymbolKind,
    /// Reachable from outside the file.
    pub is_exported: bool,
    /// Lines of the declaration.
    pub lines: LineRange,
    /// Line of the name.
    pub name_line: u32,
}

impl NameRow {
    /// `Repo.find`, or just the name at the top level.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        match &self.container {
            Some(container) => format!("{container}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

const COLUMNS: &str =
    "id, file_id, name, container, kind, flags, start_line, end_line, name_line FROM symbols";

impl Reader {
    /// Declarations whose last name segment is `name` in any ASCII case, those inside function bodies left out.
    pub fn declarations_named(&self, name: &str) -> Result<Vec<NameRow>> {
        self.names(
            &format!("SELECT {COLUMNS} WHERE name = ?1 AND flags & ?2 = 0"),
            params![name, symbol_flags::LOCAL],
        )
    }

    /// Up to `limit` declarations whose last name segment begins with `prefix` in any ASCII case, shortest name first,
    /// those inside function bodies left out.
    pub fn declarations_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<NameRow>> {
        let mut end = prefix.to_owned();
        end.push(char::MAX);
        self.names(
            &format!(
                "SELECT {COLUMNS} WHERE name >= ?1 AND name < ?2 AND flags & ?3 = 0 \
                 ORDER BY length(name), name LIMIT ?4"
            ),
            params![prefix, end, symbol_flags::LOCAL, limit],
        )
    }

    /// Every last name segment once, those of declarations inside function bodies left out, in ascending order.
    pub fn declared_names(&self) -> Result<Vec<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT DISTINCT name FROM symbols WHERE flags & ?1 = 0")?;
        let rows = statement.query_map([symbol_flags::LOCAL], |row| row.get(0))?;
        let mut names: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
        names.sort_unstable();
        Ok(names)
    }

    /// The chunk that holds a declaration: its own, else the narrowest around its name.
    pub fn chunk_of(&self, declaration: &NameRow) -> Result<Option<i64>> {
        let own = self.first_number(
            "SELECT id FROM chunks WHERE symbol_id = ?1 ORDER BY part, id LIMIT 1",
            params![declaration.id.0],
        )?;
        if own.is_some() {
            return Ok(own);
        }
        let rows = chunk_row_range(declaration.file);
        self.first_number(
            "SELECT id FROM chunks WHERE id >= ?1 AND id < ?2 AND start_line <= ?3 AND end_line >= ?3 \
             ORDER BY end_line - start_line, id LIMIT 1",
            params![rows.start, rows.end, declaration.name_line],
        )
    }

    /// Row number, name and language of every file, in row order.
    pub fn file_names(&self) -> Result<Vec<(FileId, String, Language)>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id, path, language FROM files ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push((FileId(row.get(0)?), row.get(1)?, Language::from_number(row.get(2)?)?));
        }
        Ok(out)
    }

    fn first_number(&self, sql: &str, values: impl rusqlite::Params) -> Result<Option<i64>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    }

    fn names(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<NameRow>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push(NameRow {
                id: SymbolId(row.get(0)?),
                file: FileId(row.get(1)?),
                name: row.get(2)?,
                container: row.get(3)?,
                kind: SymbolKind::from_number(row.get(4)?)?,
                is_exported: row.get::<_, i64>(5)? & symbol_flags::EXPORTED != 0,
                lines: LineRange::new(row.get(6)?, row.get(7)?),
                name_line: row.get(8)?,
            });
        }
        Ok(out)
    }
}
