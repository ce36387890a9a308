//! The recorded calls on disk: their tables, reports over them, and their upkeep.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};
use serde::Serialize;

use super::journal::{self, Line};
use super::metrics::{Totals, now};
use crate::error::{Error, Result};
use crate::store::Store;
use crate::store::connect::{self, Opened};

/// Tables of usage metrics. They outlive a rebuild of the index, so an older shape of them may be met: see [`adopt`].
pub(crate) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS metrics (
  id INTEGER PRIMARY KEY,
  called_at INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  status TEXT NOT NULL,
  tokens_returned INTEGER NOT NULL,
  tokens_full_file_upper_bound INTEGER NOT NULL,
  duration_ms REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS metrics_daily (
  day TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  calls INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  tokens_returned INTEGER NOT NULL,
  tokens_full_file_upper_bound INTEGER NOT NULL,
  avg_duration_ms REAL NOT NULL,
  PRIMARY KEY (day, tool_name)
);
";

/// A column: its name, other names it may have had, and what stands in for a missing value.
type Column = (&'static str, &'static [&'static str], &'static str);

/// The columns of each table.
const SHAPES: [(&str, &[Column]); 2] = [
    (
        "metrics",
        &[
            ("called_at", &["timestamp", "ts", "created_at", "recorded_at"], "0"),
            ("session_id", &[], "''"),
            ("tool_name", &["tool"], "''"),
            ("status", &[], "'ok'"),
            ("tokens_returned", &[], "0"),
            ("tokens_full_file_upper_bound", &[], "0"),
            ("duration_ms", &[], "0"),
        ],
    ),
    (
        "metrics_daily",
        &[
            ("day", &["date"], "''"),
            ("tool_name", &["tool"], "''"),
            ("calls", &["call_count", "calls_total", "n"], "1"),
            ("errors", &["error_count"], "0"),
            ("tokens_returned", &[], "0"),
            ("tokens_full_file_upper_bound", &[], "0"),
            ("avg_duration_ms", &[], "0"),
        ],
    ),
];

const MS_PER_DAY: i64 = 86_400_000;

/// Longest wait for another writer before rows are dropped.
const WRITE_PATIENCE: Duration = Duration::from_millis(50);

/// The database of a state directory.
pub(super) fn database(state_dir: &Path) -> PathBuf {
    state_dir.join("graph.db")
}

/// Gives tables of an older shape the present one and keeps their rows.
pub(super) fn adopt(connection: &mut Connection) -> Result<()> {
    for (table, shape) in SHAPES {
        let found = columns(connection, table)?;
        if found.is_empty() || shape.iter().all(|(name, _, _)| found.iter().any(|column| column == name)) {
            continue;
        }
        let has = |name: &str| found.iter().any(|column| column == name);
        let sources = shape.iter().map(|(name, others, fallback)| {
            let source = std::iter::once(name).chain(others.iter()).find(|name| has(name));
            match source {
                Some(source) if *name == "called_at" => milliseconds(source),
                Some(source) => format!("coalesce(\"{source}\", {fallback})"),
                None => (*fallback).to_owned(),
            }
        });
        let sources = sources.collect::<Vec<_>>().join(", ");
        let names = shape.iter().map(|(name, _, _)| *name).collect::<Vec<_>>().join(", ");
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        transaction.execute_batch(&format!(
            "ALTER TABLE {table} RENAME TO older_{table}; {TABLES} \
             INSERT OR IGNORE INTO {table} ({names}) SELECT {sources} FROM older_{table}; \
             DROP TABLE older_{table};"
        ))?;
        transaction.commit()?;
    }
    Ok(())
}

/// SQL that reads a time as milliseconds, whether it was kept as text, seconds or milliseconds.
fn milliseconds(column: &str) -> String {
    format!(
        "CASE typeof(\"{column}\") WHEN 'text' THEN coalesce(unixepoch(\"{column}\"), 0) * 1000 \
         ELSE coalesce(CASE WHEN \"{column}\" < 100000000000 THEN \"{column}\" * 1000 ELSE \"{column}\" END, 0) END"
    )
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// Writes rows at once, or not at all.
pub(super) fn write_rows(database: &Path, rows: &[Line]) -> Result<()> {
    require_not_newer(database)?;
    // Opened anew each time: a rebuild may have put another file in its place.
    let mut connection = open(database, WRITE_PATIENCE)?;
    adopt(&mut connection)?;
    insert(&mut connection, rows)
}

/// Puts the journal into the database.
pub(super) fn fold(database: &Path) -> Result<()> {
    let mut connection = open(database, WRITE_PATIENCE)?;
    adopt(&mut connection)?;
    journal::fold_into(&mut connection, database)
}

/// Inserts rows in one transaction.
pub(super) fn insert(connection: &mut Connection, rows: &[Line]) -> Result<()> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare(
            "INSERT INTO metrics (called_at, session_id, tool_name, status, tokens_returned, \
             tokens_full_file_upper_bound, duration_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7 / 1000.0)",
        )?;
        for row in rows {
            insert.execute(params![
                row.called_at,
                row.session_id,
                row.tool_name,
                row.status,
                signed(row.tokens_returned),
                signed(row.tokens_full_file_upper_bound),
                signed(row.duration_us),
            ])?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Opens the ledger for reading; `None` when nothing was ever recorded.
fn read(database: &Path) -> Result<Option<Connection>> {
    if !database.exists() {
        return Ok(None);
    }
    require_not_newer(database)?;
    let prepare = |connection: &Connection| {
        connection.busy_timeout(Duration::from_millis(500))?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
    };
    match connect::for_reading(database, prepare)? {
        Opened::Shared(mut connection) => {
            // Older tables that cannot be changed now are as good as empty.
            if adopt(&mut connection).is_err() || columns(&connection, "metrics")?.is_empty() {
                return Ok(None);
            }
            match journal::fold_into(&mut connection, database) {
                Ok(()) => Ok(Some(connection)),
                // Another process writes, or nobody may.
                Err(_) => in_memory(database, &database.to_string_lossy()).map(Some),
            }
        }
        Opened::Immutable(_) => in_memory(database, &connect::immutable(database)).map(Some),
    }
}

/// A copy of the ledger with the journal in it, where one of them cannot be changed; `name` is SQLite's of the database.
fn in_memory(database: &Path, name: &str) -> Result<Connection> {
    let mut copy = Connection::open_in_memory_with_flags(
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI,
    )?;
    copy.execute("ATTACH ?1 AS disk", [name])?;
    for (table, _) in SHAPES {
        if !columns(&copy, table)?.is_empty() {
            copy.execute_batch(&format!("CREATE TABLE main.{table} AS SELECT * FROM disk.{table}"))?;
        }
    }
    copy.execute_batch("DETACH disk")?;
    copy.execute_batch(TABLES)?;
    adopt(&mut copy)?;
    insert(&mut copy, &journal::lines(&journal::path(database)))?;
    Ok(copy)
}

/// Fails when the index is a newer program's.
pub(super) fn require_not_newer(database: &Path) -> Result<()> {
    Store::at(database.parent().unwrap_or(database)).require_not_newer()
}

fn open(database: &Path, patience: Duration) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(database, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(patience)?;
    connection.pragma_update(None, "synchronous", "normal")?;
    Ok(connection)
}

/// Sums over the calls since `since`, or all of them with the daily roll-ups.
pub(super) fn totals(database: &Path, since: Option<i64>) -> Result<Totals> {
    let mut totals = Totals { window_started_at: since, ..Totals::default() };
    let Some(connection) = read(database)? else { return Ok(totals) };
    let mut add = |sql: &str, from: i64| -> Result<()> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query(params![from])?;
        while let Some(row) = rows.next()? {
            let calls = unsigned(row.get(1)?);
            *totals.calls_by_tool.entry(row.get(0)?).or_default() += calls;
            totals.tokens_returned += unsigned(row.get(2)?);
            totals.tokens_full_file_upper_bound += unsigned(row.get(3)?);
            let first: i64 = row.get(4)?;
            if since.is_none() {
                totals.window_started_at = Some(totals.window_started_at.map_or(first, |at| at.min(first)));
            }
        }
        Ok(())
    };
    add(
        "SELECT tool_name, count(*), sum(tokens_returned), sum(tokens_full_file_upper_bound), min(called_at) \
         FROM metrics WHERE called_at >= ?1 GROUP BY tool_name",
        since.unwrap_or(i64::MIN),
    )?;
    add(
        "SELECT tool_name, sum(calls), sum(tokens_returned), sum(tokens_full_file_upper_bound), \
         coalesce(unixepoch(min(day)), 0) * 1000 FROM metrics_daily \
         WHERE coalesce(unixepoch(day), 0) * 1000 >= ?1 GROUP BY tool_name",
        since.unwrap_or(i64::MIN),
    )?;
    Ok(totals)
}

/// What one tool cost in a window of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolMetrics {
    /// The tool.
    pub tool: String,
    /// Its calls.
    pub calls: u64,
    /// Calls that ended in an error.
    pub errors: u64,
    /// Tokens of its answers.
    pub tokens_returned: u64,
    /// Tokens of the cited files, read whole each time.
    pub tokens_full_file_upper_bound: u64,
    /// 1 - returned / full.
    pub efficiency_ratio: f64,
    /// Mean duration in milliseconds.
    pub avg_duration_ms: f64,
    /// Median duration in milliseconds, over the calls that are not rolled up yet; `None` when there are none.
    pub p50_duration_ms: Option<f64>,
    /// 95th percentile of the same.
    pub p95_duration_ms: Option<f64>,
}

/// Metrics of each tool over the last `window`, by tool name.
///
/// # Errors
/// The database cannot be read.
pub fn report(state_dir: &Path, window: Duration) -> Result<Vec<ToolMetrics>> {
    let Some(connection) = read(&database(state_dir))? else { return Ok(Vec::new()) };
    let since = now().saturating_sub(i64::try_from(window.as_millis()).unwrap_or(i64::MAX));
    let mut tools: std::collections::BTreeMap<String, Gathered> = std::collections::BTreeMap::new();
    let mut statement = connection.prepare(
        "SELECT tool_name, tokens_returned, tokens_full_file_upper_bound, duration_ms, status <> 'ok' \
         FROM metrics WHERE called_at >= ?1",
    )?;
    let mut rows = statement.query([since])?;
    while let Some(row) = rows.next()? {
        let gathered = tools.entry(row.get(0)?).or_default();
        let duration: f64 = row.get(3)?;
        gathered.add(1, unsigned(row.get(1)?), unsigned(row.get(2)?), duration);
        gathered.errors += u64::from(row.get::<_, bool>(4)?);
        gathered.durations.push(duration);
    }
    let mut statement = connection.prepare(
        "SELECT tool_name, calls, tokens_returned, tokens_full_file_upper_bound, avg_duration_ms, errors \
         FROM metrics_daily WHERE coalesce(unixepoch(day), 0) * 1000 >= ?1",
    )?;
    // A day that began before the window is counted whole, unless none of it lies inside.
    let mut rows = statement.query([since.saturating_sub(MS_PER_DAY)])?;
    while let Some(row) = rows.next()? {
        let calls = unsigned(row.get(1)?);
        let total: f64 = row.get::<_, f64>(4)? * approximate(calls);
        let gathered = tools.entry(row.get(0)?).or_default();
        gathered.add(calls, unsigned(row.get(2)?), unsigned(row.get(3)?), total);
        gathered.errors += unsigned(row.get(5)?);
    }
    Ok(tools.into_iter().map(|(tool, gathered)| gathered.finish(tool)).collect())
}

#[derive(Debug, Default)]
struct Gathered {
    calls: u64,
    errors: u64,
    tokens_returned: u64,
    tokens_full: u64,
    total_ms: f64,
    durations: Vec<f64>,
}

impl Gathered {
    fn add(&mut self, calls: u64, returned: u64, full: u64, total_ms: f64) {
        self.calls += calls;
        self.tokens_returned += returned;
        self.tokens_full += full;
        self.total_ms += total_ms;
    }

    fn finish(mut self, tool: String) -> ToolMetrics {
        self.durations.sort_by(f64::total_cmp);
        ToolMetrics {
            tool,
            calls: self.calls,
            errors: self.errors,
            tokens_returned: self.tokens_returned,
            tokens_full_file_upper_bound: self.tokens_full,
            efficiency_ratio: efficiency_ratio(self.tokens_returned, self.tokens_full),
            avg_duration_ms: self.total_ms / approximate(self.calls.max(1)),
            p50_duration_ms: percentile(&self.durations, 50),
            p95_duration_ms: percentile(&self.durations, 95),
        }
    }
}

/// The nearest-rank percentile of sorted values.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Collapses rows older than `keep_days` into one row a day and tool. Returns how many rows were collapsed.
///
/// # Errors
/// The database is busy or cannot be written.
pub fn roll_up(state_dir: &Path, keep_days: u32) -> Result<u64> {
    let mut connection = write(state_dir)?;
    let before = now() - i64::from(keep_days) * MS_PER_DAY;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // The mean of a day that was rolled up before is weighted by the calls it stands for.
    transaction.execute(
        "INSERT INTO metrics_daily AS d (day, tool_name, calls, errors, tokens_returned, \
         tokens_full_file_upper_bound, avg_duration_ms) \
         SELECT date(called_at / 1000, 'unixepoch'), tool_name, count(*), sum(status <> 'ok'), sum(tokens_returned), \
         sum(tokens_full_file_upper_bound), avg(duration_ms) FROM metrics WHERE called_at < ?1 GROUP BY 1, 2 \
         ON CONFLICT (day, tool_name) DO UPDATE SET \
         avg_duration_ms = (d.avg_duration_ms * d.calls + excluded.avg_duration_ms * excluded.calls) \
         / (d.calls + excluded.calls), \
         calls = d.calls + excluded.calls, errors = d.errors + excluded.errors, \
         tokens_returned = d.tokens_returned + excluded.tokens_returned, \
         tokens_full_file_upper_bound = d.tokens_full_file_upper_bound + excluded.tokens_full_file_upper_bound",
        [before],
    )?;
    let collapsed = transaction.execute("DELETE FROM metrics WHERE called_at < ?1", [before])?;
    transaction.commit()?;
    Ok(collapsed as u64)
}

/// Deletes daily roll-ups older than `keep_days`. Returns how many rows were deleted.
///
/// # Errors
/// The database is busy or cannot be written.
pub fn vacuum(state_dir: &Path, keep_days: u32) -> Result<u64> {
    let connection = write(state_dir)?;
    let before = now() - i64::from(keep_days) * MS_PER_DAY;
    let deleted =
        connection.execute("DELETE FROM metrics_daily WHERE day < date(?1 / 1000, 'unixepoch')", [before])?;
    Ok(deleted as u64)
}

fn write(state_dir: &Path) -> Result<Connection> {
    let database = database(state_dir);
    if !database.exists() {
        return Err(Error::NoIndex { state_dir: state_dir.to_path_buf() });
    }
    require_not_newer(&database)?;
    let mut connection = open(&database, Duration::from_secs(2))?;
    connection.execute_batch(TABLES)?;
    adopt(&mut connection)?;
    journal::fold_into(&mut connection, &database)?;
    Ok(connection)
}

/// `1 - returned / full` to three places, 0 when no file was cited.
#[must_use]
pub fn efficiency_ratio(returned: u64, full: u64) -> f64 {
    if full == 0 {
        return 0.0;
    }
    let ratio = 1.0 - approximate(returned) / approximate(full);
    (ratio * 1000.0).round() / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens and calls stay far below 2^52")]
fn approximate(count: u64) -> f64 {
    count as f64
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
