//! What the repository's own TypeScript said about mentions of names, and which files beside the index it rests on.
//!
//! A verdict about one mention may depend on the text of any other file. So all verdicts fall together, with the first batch
//! that changes facts, whoever writes it: see [`commit`](IndexWriter::commit).

use std::collections::BTreeMap;

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::content::signed;
use super::rows::Numbered;
use super::{CallRow, IndexWriter, Reader, SymbolId};
use crate::error::{Error, Result};
use crate::model::{FileId, FileStamp, InputKind, Resolution};

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

/// A file or directory that is not in the index and that verdicts rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRow {
    /// Path relative to the project root, with `/`; it may begin with `../`.
    pub path: String,
    /// What is looked at.
    pub kind: InputKind,
    /// Its stamp when TypeScript was asked; `None` when it was not there.
    pub stamp: Option<FileStamp>,
}

/// What the last pass did. It outlives the verdicts: that there were some is worth knowing when they are gone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// Versions of TypeScript that answered.
    pub versions: Vec<String>,
    /// When the pass ended, ISO 8601 in UTC.
    pub at: String,
    /// Mentions asked about.
    pub asked: u64,
    /// Calls proven to be of an indexed declaration.
    pub proven_calls: u64,
    /// Calls whose name means a declaration outside the index.
    pub outside_calls: u64,
    /// Mentions that are no calls.
    pub non_calls: u64,
    /// Mentions that TypeScript could not tell.
    pub unresolved: u64,
}

/// Name of the value that holds the [`CheckRecord`].
const CHECKED: &str = "checked";

impl IndexWriter<'_> {
    /// Replaces all verdicts, what they rest on and where they come from. There is always something they rest on.
    pub fn put_verdicts(
        &mut self,
        verdicts: &[Verdict],
        inputs: &[InputRow],
        record: &CheckRecord,
    ) -> Result<()> {
        self.clear_verdicts()?;
        let record = serde_json::to_string(record)
            .map_err(|error| Error::Internal(format!("a record cannot be spelled: {error}")))?;
        self.set_meta(CHECKED, &record)?;
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
            "INSERT OR REPLACE INTO verdict_inputs (path, kind, size, mtime_ns, hash) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for InputRow { path, kind, stamp } in inputs {
            let (size, time) = (stamp.map(|s| signed(s.size)), stamp.map(|s| s.mtime_ns));
            let hash = stamp.map(|stamp| stamp.hash.to_be_bytes());
            input.execute(params![path, kind.number(), size, time, hash])?;
        }
        Ok(())
    }

    /// Forgets every verdict; that there were some is kept.
    pub fn clear_verdicts(&mut self) -> Result<()> {
        for table in ["verdicts", "verdict_targets", "verdict_inputs"] {
            self.reader.connection.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
        }
        Ok(())
    }

    /// Forgets that there ever were verdicts.
    pub fn forget_check(&mut self) -> Result<()> {
        self.clear_verdicts()?;
        self.clear_meta(CHECKED)
    }
}

impl Reader {
    /// What the last pass did; `None` when there was none.
    pub fn check_record(&self) -> Result<Option<CheckRecord>> {
        Ok(self.meta(CHECKED)?.and_then(|text| serde_json::from_str(&text).ok()))
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

    /// What verdicts rest on beside the index, by path; nothing when there are none.
    pub fn verdict_inputs(&self) -> Result<Vec<InputRow>> {
        self.rows("SELECT path, kind, size, mtime_ns, hash FROM verdict_inputs ORDER BY path", [], |row| {
            let stamp = match (row.get::<_, Option<i64>>(2)?, row.get(3)?, row.get::<_, Option<[u8; 16]>>(4)?)
            {
                (Some(size), Some(mtime_ns), Some(hash)) => {
                    Some(FileStamp { size: size.unsigned_abs(), mtime_ns, hash: u128::from_be_bytes(hash) })
                }
                _ => None,
            };
            Ok(InputRow { path: row.get(0)?, kind: InputKind::from_number(row.get(1)?)?, stamp })
        })
    }

    /// Names of the symbols that can be called: functions, methods, classes, and variables others can see.
    pub fn callable_names(&self) -> Result<Vec<String>> {
        use super::rows::symbol_flags;
        use crate::model::SymbolKind::{Class, Const, Function, Method};
        self.rows(
            "SELECT DISTINCT name COLLATE BINARY FROM symbols \
             WHERE kind IN (?1, ?2, ?3) OR (kind = ?4 AND flags & ?5 = 0)",
            [Function.number(), Method.number(), Class.number(), Const.number(), symbol_flags::LOCAL],
            |row| Ok(row.get(0)?),
        )
    }
}
