//! Opening the shelf: finding out what lies in a state directory, and handing out connections.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::schema::{KEPT_TABLES, PAGE_SIZE, SCHEMA_VERSION, TABLES};
use super::{IndexStamp, IndexWriter, Reader, Snapshot, fts};
use crate::error::{Error, Result};

const DATABASE: &str = "graph.db";

/// What lies in a state directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Nothing was ever indexed here.
    Missing,
    /// An index this program can read; it may be unfinished.
    Ready,
    /// An index of an older version, which the next index run rebuilds.
    Older(String),
    /// An index of a newer version, which this program must not touch.
    Newer(String),
    /// The stamp is there but cannot be read, so the version is not known.
    StampUnreadable(String),
    /// The database is damaged; the next index run sets it aside and rebuilds.
    Damaged(String),
}

/// A state directory. Opening it touches nothing; connections are made when asked for and readers are pooled.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    readers: Mutex<Vec<Reader>>,
}

impl Store {
    /// The store in `state_dir`, which need not exist.
    #[must_use]
    pub fn at(state_dir: &Path) -> Self {
        Self { dir: state_dir.to_path_buf(), readers: Mutex::new(Vec::new()) }
    }

    /// The state directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Looks at the state directory without changing it.
    pub fn condition(&self) -> Condition {
        let stamp = match IndexStamp::read(&self.dir) {
            Ok(stamp) => stamp,
            Err(e) => return Condition::StampUnreadable(e.to_string()),
        };
        if let Some(stamp) = &stamp {
            match compare_versions(&stamp.schema_version, SCHEMA_VERSION) {
                std::cmp::Ordering::Less => return Condition::Older(stamp.schema_version.clone()),
                std::cmp::Ordering::Greater => return Condition::Newer(stamp.schema_version.clone()),
                std::cmp::Ordering::Equal => {}
            }
        }
        match database_version(&self.dir.join(DATABASE)) {
            Ok(None) if stamp.is_none() => Condition::Missing,
            Ok(None) => Condition::Damaged("the database is missing".into()),
            Ok(Some(found)) => match found.cmp(&version_number(SCHEMA_VERSION)) {
                std::cmp::Ordering::Equal => Condition::Ready,
                std::cmp::Ordering::Less => Condition::Older(spell_version(found)),
                std::cmp::Ordering::Greater => Condition::Newer(spell_version(found)),
            },
            Err(e) => Condition::Damaged(e.to_string()),
        }
    }

    /// One consistent view of the index. Fails when there is no index or another version wrote it.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        let pooled = self.readers.lock().ok().and_then(|mut pool| pool.pop());
        let reader = match pooled {
            Some(reader) => reader,
            None => Reader::new(self.open_reader()?),
        };
        Snapshot::begin(self, reader)
    }

    /// Takes back the connection of a finished snapshot.
    pub(super) fn give_back(&self, reader: Reader) {
        if let Ok(mut pool) = self.readers.lock() {
            pool.push(reader);
        }
    }

    /// Forgets pooled connections, so that the next snapshot opens the database anew.
    pub fn close_readers(&self) {
        if let Ok(mut pool) = self.readers.lock() {
            pool.clear();
        }
    }

    fn open_reader(&self) -> Result<Connection> {
        self.require_readable()?;
        let path = self.dir.join(DATABASE);
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let open = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)
            .and_then(|c| prepare_reader(&c).map(|()| c));
        match open {
            Ok(connection) => Ok(connection),
            // A read-only directory cannot hold the shared-memory file of write-ahead logging. Without a log the
            // database file alone is complete.
            Err(_) if !path.with_extension("db-wal").exists() => {
                let immutable = format!("file:{}?immutable=1", uri_path(&path));
                let connection =
                    Connection::open_with_flags(immutable, flags | OpenFlags::SQLITE_OPEN_READ_ONLY)?;
                prepare_reader(&connection)?;
                Ok(connection)
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Fails with the error a reader must report over this state directory; `Ok` when it may read.
    pub fn require_readable(&self) -> Result<()> {
        match self.condition() {
            Condition::Ready => Ok(()),
            Condition::Missing => Err(Error::NoIndex { state_dir: self.dir.clone() }),
            Condition::Older(found) => Err(Error::IndexVersion(format!(
                "the index was built with schema {found}, this mast reads {SCHEMA_VERSION}; run `mast index` to rebuild it"
            ))),
            Condition::Newer(found) => Err(newer(&found)),
            Condition::StampUnreadable(why) => {
                Err(Error::IndexVersion(format!("{why}; run `mast index` to rebuild the index")))
            }
            Condition::Damaged(why) => {
                Err(Error::Store(format!("the index is damaged ({why}); run `mast index` to rebuild it")))
            }
        }
    }

    /// Fails when this program must not write here; creates the state directory when there is none.
    pub fn require_writable(&self) -> Result<()> {
        if let Condition::Newer(found) = self.condition() {
            return Err(newer(&found));
        }
        fs::create_dir_all(&self.dir).map_err(|e| Error::io(&self.dir, e))
    }

    /// Opens the store for writing, creating it, emptying an older one, and setting a damaged one aside. The second
    /// value is one line about what was done, when that was more than opening.
    pub fn writer(&self, busy: Duration) -> Result<(IndexWriter<'_>, Option<String>)> {
        let condition = self.condition();
        let path = self.dir.join(DATABASE);
        let mut note = None;
        match &condition {
            Condition::Newer(found) => return Err(newer(found)),
            Condition::Ready => {}
            Condition::Missing => self.require_writable()?,
            Condition::Older(found) => {
                self.close_readers();
                note = Some(format!(
                    "the index was built with schema {found}; emptied, to be rebuilt with {SCHEMA_VERSION}"
                ));
                if empty_older(&path).is_err() {
                    set_aside(&path)?;
                }
                remove_stamp(&self.dir)?;
            }
            Condition::StampUnreadable(why) | Condition::Damaged(why) => {
                self.close_readers();
                set_aside(&path)?;
                remove_stamp(&self.dir)?;
                note = Some(format!("the index was damaged ({why}); set aside, to be rebuilt"));
            }
        }
        let connection = Connection::open_with_flags(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(busy)?;
        connection.set_prepared_statement_cache_capacity(96);
        keep_plans(&connection)?;
        connection.pragma_update(None, "page_size", PAGE_SIZE)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "cache_size", -32_768)?;
        create_tables(&connection)?;
        Ok((IndexWriter::new(self, connection), note))
    }
}

fn newer(found: &str) -> Error {
    Error::IndexVersion(format!(
        "the index was built with schema {found} by a newer mast, this one reads {SCHEMA_VERSION}; upgrade mast to use it"
    ))
}

/// Keeps the plan of a prepared statement whatever is bound to it. By default SQLite prepares a statement anew for each
/// value when a partial index or a limit may depend on it, which costs more than these statements themselves.
fn keep_plans(connection: &Connection) -> rusqlite::Result<bool> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
}

fn prepare_reader(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(500))?;
    connection.set_prepared_statement_cache_capacity(64);
    keep_plans(connection)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "mmap_size", 1_i64 << 30)?;
    connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(()))
}

fn create_tables(connection: &Connection) -> Result<()> {
    let expected = version_number(SCHEMA_VERSION);
    let read = |c: &Connection| c.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if read(connection)? == expected {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let fill = || -> Result<()> {
        // Another process may have been quicker between the look and the reservation.
        if read(connection)? != expected {
            connection.execute_batch(TABLES)?;
            fts::create(connection)?;
            connection.execute_batch(crate::telemetry::TABLES)?;
            connection.pragma_update(None, "user_version", expected)?;
        }
        Ok(())
    };
    let filled = fill();
    connection.execute_batch(if filled.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    filled
}

/// Drops every table of an older index except the usage metrics.
fn empty_older(path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    connection.pragma_update(None, "journal_mode", "delete")?;
    // Virtual tables first: dropping one drops its shadow tables, which cannot be dropped by themselves.
    for virtual_first in [true, false] {
        let names: Vec<String> = {
            let mut statement = connection.prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                 AND (sql LIKE 'CREATE VIRTUAL%') = ?1",
            )?;
            let rows = statement.query_map([virtual_first], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        for name in names.iter().filter(|name| !KEPT_TABLES.contains(&name.as_str())) {
            connection.execute_batch(&format!("DROP TABLE IF EXISTS \"{}\"", name.replace('"', "\"\"")))?;
        }
    }
    connection.pragma_update(None, "user_version", 0)?;
    connection.pragma_update(None, "page_size", PAGE_SIZE)?;
    connection.execute_batch("VACUUM")?;
    Ok(())
}

/// Renames a damaged database out of the way, replacing one set aside before.
fn set_aside(path: &Path) -> Result<()> {
    for suffix in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        remove_if_present(Path::new(&name))?;
    }
    match fs::rename(path, path.with_extension("db.damaged")) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let dir = path.parent().unwrap_or(path);
            fs::create_dir_all(dir).map_err(|e| Error::io(dir, e))
        }
        Err(e) => Err(Error::io(path, e)),
    }
}

fn remove_stamp(dir: &Path) -> Result<()> {
    remove_if_present(&dir.join(super::stamp::FILE_NAME))
}

pub(super) fn remove_if_present(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path, e)),
        _ => Ok(()),
    }
}

/// The database's version; `None` when there is no database or it is empty.
fn database_version(path: &Path) -> Result<Option<i64>> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > 0 => {}
        Ok(_) => return Ok(None),
        Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(Error::io(path, e)),
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // A database without a version and without tables is one whose first writer has not come to them yet.
    let read = |c: Connection| {
        let version: i64 = c.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let tables: i64 = c.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((version != 0 || tables > 0).then_some(version))
    };
    let direct = Connection::open_with_flags(path, flags).and_then(read);
    let version = match direct {
        Err(ref e) if e.sqlite_error_code() != Some(rusqlite::ErrorCode::NotADatabase) => {
            let immutable = format!("file:{}?immutable=1", uri_path(path));
            Connection::open_with_flags(immutable, flags).and_then(read)?
        }
        other => other?,
    };
    Ok(version)
}

/// `2.1.0` as 20100, the form `PRAGMA user_version` holds.
fn version_number(version: &str) -> i64 {
    version_parts(version).iter().fold(0, |sum, part| sum * 100 + part)
}

fn spell_version(number: i64) -> String {
    format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
}

fn version_parts(version: &str) -> [i64; 3] {
    let mut parts = [0; 3];
    for (slot, part) in parts.iter_mut().zip(version.split('.')) {
        let digits: &str = &part[..part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len())];
        *slot = digits.parse().unwrap_or(0);
    }
    parts
}

fn compare_versions(a: &str, b: &str) -> std::cmp::Ordering {
    version_parts(a).cmp(&version_parts(b))
}

/// A path in the form SQLite's URI names take.
fn uri_path(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_their_numbers() {
        assert_eq!(compare_versions("1.10.0", "2.0.0"), std::cmp::Ordering::Less);
        assert_eq!(compare_versions("2.0.10", "2.0.9"), std::cmp::Ordering::Greater);
        assert_eq!(version_number("2.1.3"), 20_103);
        assert_eq!(spell_version(20_103), "2.1.3");
    }

    #[test]
    fn a_directory_without_index_is_missing_and_stays_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(&dir.path().join("state"));
        assert_eq!(store.condition(), Condition::Missing);
        assert!(matches!(store.snapshot(), Err(Error::NoIndex { .. })));
        assert!(!store.dir().exists());
    }

    #[test]
    fn garbage_is_set_aside_and_rebuilt() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(DATABASE), "this is no database, however long it may be read").unwrap();
        let store = Store::at(dir.path());
        assert!(matches!(store.condition(), Condition::Damaged(_)));
        let (writer, note) = store.writer(Duration::ZERO).unwrap();
        assert!(note.unwrap().contains("set aside"));
        drop(writer);
        assert_eq!(store.condition(), Condition::Ready);
        assert!(dir.path().join("graph.db.damaged").exists());
    }

    #[test]
    fn an_older_index_is_emptied_but_keeps_its_metrics() {
        let dir = tempfile::tempdir().unwrap();
        let old = Connection::open(dir.path().join(DATABASE)).unwrap();
        old.execute_batch(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, tool_name TEXT); INSERT INTO metrics VALUES (1, 'x');
             CREATE TABLE chunks (id INTEGER); CREATE VIRTUAL TABLE chunk_fts USING fts5(content);",
        )
        .unwrap();
        drop(old);
        fs::write(dir.path().join("index.json"), r#"{"schema_version":"1.4.0"}"#).unwrap();
        let store = Store::at(dir.path());
        assert_eq!(store.condition(), Condition::Older("1.4.0".into()));
        assert!(
            matches!(store.snapshot(), Err(Error::IndexVersion(m)) if m.contains("1.4.0") && m.contains("2.0.0"))
        );
        let (writer, _) = store.writer(Duration::ZERO).unwrap();
        drop(writer);
        assert_eq!(store.condition(), Condition::Ready);
        let check = Connection::open(dir.path().join(DATABASE)).unwrap();
        let kept: String =
            check.query_row("SELECT tool_name FROM metrics WHERE id = 1", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, "x");
    }

    #[test]
    fn a_newer_index_is_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let stamp = r#"{"schema_version":"9.0.0"}"#;
        fs::write(dir.path().join("index.json"), stamp).unwrap();
        let store = Store::at(dir.path());
        assert!(matches!(store.writer(Duration::ZERO), Err(Error::IndexVersion(m)) if m.contains("upgrade")));
        assert_eq!(fs::read_to_string(dir.path().join("index.json")).unwrap(), stamp);
        assert!(!dir.path().join(DATABASE).exists());
    }
}
