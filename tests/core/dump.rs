//! The logical content of an index: everything but row numbers, stamps and times, as sorted lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use rusqlite::Connection;

/// Questions whose answers describe an index whatever its row numbers are.
const QUESTIONS: [(&str, &str); 11] = [
    ("file", "SELECT path, language, size, hex(hash), is_skipped, lines, tokens FROM files"),
    ("problem", "SELECT path, kind, message, hex(lines) FROM problems"),
    ("text", "SELECT f.path, t.length, hex(t.body) FROM texts t JOIN files f ON f.id = t.file_id"),
    ("facts", "SELECT f.path, t.length, hex(t.body) FROM facts t JOIN files f ON f.id = t.file_id"),
    (
        "symbol",
        "SELECT f.path, s.ix, s.name, s.container, s.kind, s.flags, s.ordinal, s.parent, s.start_line, s.end_line, \
         s.name_line, hex(s.span), hex(s.detail) FROM symbols s JOIN files f ON f.id = s.file_id",
    ),
    (
        "chunk",
        "SELECT f.path, c.id & 1048575, s.ix, c.name, c.kind, c.is_exported, c.start_line, c.end_line, c.part, \
         hex(c.segments) FROM chunks c JOIN files f ON f.id = c.id >> 20 LEFT JOIN symbols s ON s.id = c.symbol_id",
    ),
    (
        "import",
        "SELECT f.path, i.ix, i.kind, i.specifier, i.line, hex(i.names), i.is_external, t.path FROM imports i \
         JOIN files f ON f.id = i.file_id LEFT JOIN files t ON t.id = i.resolved",
    ),
    (
        "export",
        "SELECT f.path, e.ix, e.name, e.is_type_only, e.line, hex(e.source) FROM exports e JOIN files f ON f.id = e.file_id",
    ),
    (
        "call",
        "SELECT f.path, c.site, c.line, c.column, c.resolution, t.path, s.ix, s.name, k.ix FROM calls c \
         JOIN files f ON f.id = c.file_id JOIN symbols s ON s.id = c.target JOIN files t ON t.id = s.file_id \
         LEFT JOIN symbols k ON k.id = c.caller",
    ),
    (
        "heritage",
        "SELECT f.path, h.kind, c.ix, c.name, t.path, p.ix, p.name FROM heritage h JOIN files f ON f.id = h.file_id \
         JOIN symbols c ON c.id = h.child JOIN symbols p ON p.id = h.parent JOIN files t ON t.id = p.file_id",
    ),
    (
        "type use",
        "SELECT f.path, u.reference, u.line, u.column, t.path, s.ix, s.name FROM type_uses u \
         JOIN files f ON f.id = u.file_id JOIN symbols s ON s.id = u.target JOIN files t ON t.id = s.file_id",
    ),
];

/// Dumps the index in `state_dir`.
pub(crate) fn dump(state_dir: &Path) -> Vec<String> {
    let connection = Connection::open(state_dir.join("graph.db")).unwrap();
    let mut lines = Vec::new();
    for (name, sql) in QUESTIONS {
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let mut line = name.to_owned();
            for column in 0..columns {
                line.push('\t');
                write!(line, "{:?}", row.get_ref(column).unwrap()).unwrap();
            }
            lines.push(line);
        }
    }
    lines.extend(words(&connection));
    lines.extend(counts(&connection));
    lines.sort_unstable();
    lines
}

/// Every word of the full-text index with the chunks and columns it stands in.
fn words(connection: &Connection) -> Vec<String> {
    connection
        .execute_batch("CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab('main', 'chunk_words', 'instance')")
        .unwrap();
    let mut statement = connection
        .prepare(
            "SELECT i.term, f.path, i.doc & 1048575, i.col, i.offset FROM temp.instances i \
             JOIN files f ON f.id = i.doc >> 20",
        )
        .unwrap();
    let rows = statement.query_map([], |row| {
        Ok(format!(
            "word\t{}\t{}\t{}\t{}\t{}",
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, i64>(2)?,
            row.get::<_, String>(3)?,
            row.get::<_, i64>(4)?
        ))
    });
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

/// Row counts, so that a row no question joins to anything is seen too.
fn counts(connection: &Connection) -> Vec<String> {
    let tables = [
        "files",
        "texts",
        "facts",
        "symbols",
        "chunks",
        "imports",
        "exports",
        "calls",
        "heritage",
        "type_uses",
        "pending_links",
    ];
    tables
        .iter()
        .map(|table| {
            let sql = format!("SELECT count(*) FROM {table}");
            let count: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            format!("count\t{table}\t{count}")
        })
        .collect()
}

/// What two dumps differ in, at most ten lines a side.
pub(crate) fn difference(left: &[String], right: &[String]) -> Option<String> {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    for line in left {
        *balance.entry(line).or_default() += 1;
    }
    for line in right {
        *balance.entry(line).or_default() -= 1;
    }
    let side = |sign: i64| -> Vec<String> {
        let lines = balance.iter().filter(|(_, count)| count.signum() == sign);
        lines.take(10).map(|(line, _)| line.chars().take(300).collect()).collect()
    };
    let (only_left, only_right) = (side(1), side(-1));
    (!only_left.is_empty() || !only_right.is_empty()).then(|| {
        format!("only incremental:\n  {}\nonly fresh:\n  {}", only_left.join("\n  "), only_right.join("\n  "))
    })
}
