//! What the repository's own TypeScript said about mentions of names, and which files beside the index it rests on.
//!
//! A verdict about one mention may depend on the text of any other file. So all verdicts fall together, with the first batch
//! that changes facts, whoever writes it: see [`commit`](IndexWriter::commit).

use std::collections::BTreeMap;

use rusqlite::params;

use super::content::signed;
use super::{CallRow, IndexWriter, Reader, SymbolId};
use crate::error::Result;
use crate::model::{FileId, FileStamp, Resolution};

/// What is known of one mention of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The file of the mention.
    pub file: FileId,
    /// 1-based line of the name.
    pub line: u32,
    /// 1-based column of the name, in UTF-16 code units.
    pub column: u32,
    /// The name is called there.
    pub is_call: bool,
    /// Every declaration the name can mean there is known: a symbol that is not among the targets is not meant.
    pub is_complete: bool,
    /// The innermost enclosing symbol that is no local one; `None` at module level.
    pub caller: Option<SymbolId>,
    /// Symbols the name means there, by row, each with whether that is proven; the others only may be meant.
    pub targets: Vec<(SymbolId, bool)>,
}

/// A file that is not in the index and that verdicts rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRow {
    /// Path relative to the project root, with `/`; it may begin with `../`.
    pub path: String,
    /// Its stamp when TypeScript was asked; `None` when there was no such file.
    pub stamp: Option<FileStamp>,
}

impl IndexWriter<'_> {
    /// Replaces all verdicts and what they rest on.
    pub fn put_verdicts(&mut self, verdicts: &[Verdict], inputs: &[InputRow]) -> Result<()> {
        self.clear_verdicts()?;
        let connection = &self.reader.connection;
        let mut mention = connection.prepare_cached(
            "INSERT OR REPLACE INTO verdicts (file_id, line, column, is_call, is_complete, caller) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut target = connection.prepare_cached(
            "INSERT OR REPLACE INTO verdict_targets (file_id, line, column, target, is_proven) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for verdict in verdicts {
            let Verdict { file, line, column, is_call, is_complete, caller, targets } = verdict;
            mention.execute(params![file.0, line, column, is_call, is_complete, caller.map(|id| id.0)])?;
            for (symbol, is_proven) in targets {
                target.execute(params![file.0, line, column, symbol.0, is_proven])?;
            }
        }
        let mut input = connection.prepare_cached(
            "INSERT OR REPLACE INTO verdict_inputs (path, size, mtime_ns, hash) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for InputRow { path, stamp } in inputs {
            let hash = stamp.map(|stamp| stamp.hash.to_be_bytes());
            input.execute(params![path, stamp.map(|s| signed(s.size)), stamp.map(|s| s.mtime_ns), hash])?;
        }
        Ok(())
    }

    /// Forgets every verdict.
    pub fn clear_verdicts(&mut self) -> Result<()> {
        for table in ["verdicts", "verdict_targets", "verdict_inputs"] {
            self.reader.connection.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
        }
        Ok(())
    }
}

impl Reader {
    /// Whether there is any verdict.
    pub fn has_verdicts(&self) -> Result<bool> {
        Ok(self.row("SELECT 1 FROM verdicts LIMIT 1", [], |_| Ok(()))?.is_some())
    }

    /// The verdicts about mentions in a file, by line and column.
    pub fn verdicts_in(&self, file: FileId) -> Result<BTreeMap<(u32, u32), Verdict>> {
        let rows = self.rows(
            "SELECT line, column, is_call, is_complete, caller FROM verdicts WHERE file_id = ?1",
            [file.0],
            |row| {
                Ok(Verdict {
                    file,
                    line: row.get(0)?,
                    column: row.get(1)?,
                    is_call: row.get(2)?,
                    is_complete: row.get(3)?,
                    caller: row.get::<_, Option<i64>>(4)?.map(SymbolId),
                    targets: Vec::new(),
                })
            },
        )?;
        let mut verdicts: BTreeMap<_, _> =
            rows.into_iter().map(|verdict| ((verdict.line, verdict.column), verdict)).collect();
        let targets = self.rows(
            "SELECT line, column, target, is_proven FROM verdict_targets WHERE file_id = ?1 \
             ORDER BY line, column, target",
            [file.0],
            |row| Ok(((row.get(0)?, row.get(1)?), (SymbolId(row.get(2)?), row.get(3)?))),
        )?;
        for (place, target) in targets {
            if let Some(verdict) = verdicts.get_mut(&place) {
                verdict.targets.push(target);
            }
        }
        Ok(verdicts)
    }

    /// Calls of a symbol that verdicts prove, ordered by file row, line, column.
    pub fn checked_calls_to(&self, target: SymbolId) -> Result<Vec<CallRow>> {
        self.rows(
            "SELECT v.file_id, v.line, v.column, v.caller FROM verdict_targets t \
             JOIN verdicts v ON v.file_id = t.file_id AND v.line = t.line AND v.column = t.column \
             WHERE t.target = ?1 AND t.is_proven AND v.is_call ORDER BY v.file_id, v.line, v.column",
            [target.0],
            |row| {
                Ok(CallRow {
                    file: FileId(row.get(0)?),
                    target,
                    caller: row.get::<_, Option<i64>>(3)?.map(SymbolId),
                    line: row.get(1)?,
                    column: row.get(2)?,
                    resolution: Resolution::Checker,
                })
            },
        )
    }

    /// The files beside the index that verdicts rest on, by path.
    pub fn verdict_inputs(&self) -> Result<Vec<InputRow>> {
        self.rows("SELECT path, size, mtime_ns, hash FROM verdict_inputs ORDER BY path", [], |row| {
            let stamp = match (row.get::<_, Option<i64>>(1)?, row.get(2)?, row.get::<_, Option<[u8; 16]>>(3)?)
            {
                (Some(size), Some(mtime_ns), Some(hash)) => {
                    Some(FileStamp { size: size.unsigned_abs(), mtime_ns, hash: u128::from_be_bytes(hash) })
                }
                _ => None,
            };
            Ok(InputRow { path: row.get(0)?, stamp })
        })
    }

    /// Names of the symbols that can be called: functions, methods, classes, and variables others can see.
    pub fn callable_names(&self) -> Result<Vec<String>> {
        use super::rows::{Numbered, symbol_flags};
        use crate::model::SymbolKind::{Class, Const, Function, Method};
        self.rows(
            "SELECT DISTINCT name COLLATE BINARY FROM symbols \
             WHERE kind IN (?1, ?2, ?3) OR (kind = ?4 AND flags & ?5 = 0)",
            [Function.number(), Method.number(), Class.number(), Const.number(), symbol_flags::LOCAL],
            |row| Ok(row.get(0)?),
        )
    }
}
