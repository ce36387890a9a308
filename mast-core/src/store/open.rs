//! Opening the shelf: finding out what lies in a state directory, and handing out connections.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode as Code, OpenFlags};

use super::connect::{self, Opened};
use super::schema::{KEPT_TABLES, PAGE_SIZE, SCHEMA_VERSION, TABLES};
use super::{IndexStamp, IndexWriter, Reader, Snapshot, fts};
use crate::error::{Error, Result};

const DATABASE: &str = "graph.db";

/// Wait for a process that keeps the database to itself: the last one to close it, or the first to open it after a crash.
const LOOK_PATIENCE: Duration = Duration::from_millis(500);

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
    /// Another process keeps the database to itself for a moment, so nothing can be said about it.
    Busy,
    /// The operating system does not let us at the database, which may be a sound one.
    Unreachable(String),
}

impl Condition {
    /// What cannot be read and why, where that is so.
    #[must_use]
    pub fn unreadable(&self) -> Option<String> {
        match self {
            Self::StampUnreadable(why) => Some(why.clone()),
            Self::Damaged(why) => Some(format!("the database {DATABASE} cannot be used ({why})")),
            Self::Unreachable(why) => Some(format!("the database {DATABASE} cannot be opened ({why})")),
            _ => None,
        }
    }
}

/// Tells one database file from another that took its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

/// Connections that wait to be used again. All are to the file of one identity.
#[derive(Debug, Default)]
struct Pool {
    of: Option<Identity>,
    readers: Vec<Reader>,
}

/// A state directory. Opening it touches nothing; connections are made when asked for and readers are pooled.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    pool: Mutex<Pool>,
}

impl Store {
    /// The store in `state_dir`, which need not exist.
    #[must_use]
    pub fn at(state_dir: &Path) -> Self {
        Self { dir: state_dir.to_path_buf(), pool: Mutex::default() }
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
            Err(condition) => condition,
        }
    }

    /// One consistent view of the index. Fails when there is no index or another version wrote it.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        // A database that was deleted or set aside lives on for those who have it open; its answers are of the past.
        let identity = identity_of(&self.dir.join(DATABASE));
        let pooled = {
            let mut pool = self.pool();
            if pool.of != identity {
                *pool = Pool { of: identity, readers: Vec::new() };
            }
            pool.readers.pop()
        };
        if let Some(reader) = pooled.filter(holds_our_schema) {
            return Snapshot::begin(self, reader, identity);
        }
        match self.open_reader()? {
            Opened::Shared(connection) => Snapshot::begin(self, Reader::new(connection), identity),
            // What others write would not be seen through this connection, so it is not kept.
            Opened::Immutable(connection) => Snapshot::begin(self, Reader::new(connection), None),
        }
    }

    /// Takes back the connection of a finished snapshot.
    pub(super) fn give_back(&self, reader: Reader, identity: Option<Identity>) {
        let mut pool = self.pool();
        if identity.is_some() && pool.of == identity {
            pool.readers.push(reader);
        }
    }

    /// Forgets pooled connections, so that the next snapshot opens the database anew.
    pub fn close_readers(&self) {
        self.pool().readers.clear();
    }

    /// Fails when the database that was opened is not the one that has its name now.
    pub(super) fn require_in_place(&self, opened: Option<Identity>) -> Result<()> {
        if opened.is_some() && identity_of(&self.dir.join(DATABASE)) == opened {
            return Ok(());
        }
        Err(Error::Busy("the index was removed or replaced while it was being written; try again".into()))
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_reader(&self) -> Result<Opened> {
        self.require_readable()?;
        Ok(connect::for_reading(&self.dir.join(DATABASE), prepare_reader)?)
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
            Condition::Damaged(why) => Err(Error::Damaged(why)),
            Condition::Busy => Err(being_written()),
            Condition::Unreachable(why) => Err(Error::Store(format!("it cannot be opened ({why})"))),
        }
    }

    /// Fails when a newer program wrote the index: it is not ours to touch.
    pub fn require_not_newer(&self) -> Result<()> {
        match self.condition() {
            Condition::Newer(found) => Err(newer(&found)),
            _ => Ok(()),
        }
    }

    /// Fails when this program must not write here; creates the state directory when there is none.
    pub fn require_writable(&self) -> Result<()> {
        self.require_not_newer()?;
        fs::create_dir_all(&self.dir).map_err(|e| Error::Disk(format!("{}: {e}", self.dir.display())))
    }

    /// Takes a damaged database out of the way, so that the next writer begins anew; one line about it.
    pub fn set_aside(&self, why: &str) -> Result<String> {
        self.close_readers();
        set_aside(&self.dir.join(DATABASE))?;
        remove_stamp(&self.dir)?;
        Ok(format!("the index was damaged ({why}); set aside, to be rebuilt"))
    }

    /// Opens the store for writing, creating it, emptying an older one, and setting a damaged one aside. The second
    /// value is one line about what was done, when that was more than opening.
    pub fn writer(&self, busy: Duration) -> Result<(IndexWriter<'_>, Option<String>)> {
        let condition = self.condition();
        let path = self.dir.join(DATABASE);
        let mut note = None;
        match &condition {
            Condition::Newer(found) => return Err(newer(found)),
            Condition::Busy => return Err(being_written()),
            Condition::Unreachable(why) => return Err(Error::Disk(why.clone())),
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
                note = Some(self.set_aside(why)?);
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
        Ok((IndexWriter::new(self, connection, identity_of(&path)), note))
    }
}

fn being_written() -> Error {
    Error::Busy("the index is being written; try again shortly".into())
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

/// Which file has this name now; `None` when there is none.
fn identity_of(path: &Path) -> Option<Identity> {
    let metadata = fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(Identity(metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let created = metadata.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Identity(created.as_secs(), u64::from(created.subsec_nanos())))
    }
}

/// Whether the tables behind a connection that was opened earlier are still those of this program.
fn holds_our_schema(reader: &Reader) -> bool {
    let version = reader.connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    version.is_ok_and(|found| found == version_number(SCHEMA_VERSION))
}

/// The database's version; `None` when there is no database or it is empty. Otherwise what keeps us from knowing. Only a
/// file that is no database, or a broken one, counts as damaged: the damaged is set aside.
fn database_version(path: &Path) -> Result<Option<i64>, Condition> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > 0 => {}
        Ok(_) => return Ok(None),
        Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(Condition::Unreachable(Error::io(path, e).to_string())),
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // A database without a version and without tables is one whose first writer has not come to them yet.
    let read = |c: Connection| {
        c.busy_timeout(LOOK_PATIENCE)?;
        let version: i64 = c.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let tables: i64 = c.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((version != 0 || tables > 0).then_some(version))
    };
    let found = match Connection::open_with_flags(path, flags).and_then(read) {
        Err(e) if connect::is_shut(&e) => {
            Connection::open_with_flags(connect::immutable(path), flags).and_then(read)
        }
        found => found,
    };
    found.map_err(|e| match e.sqlite_error_code() {
        Some(Code::NotADatabase | Code::DatabaseCorrupt) => Condition::Damaged(e.to_string()),
        Some(Code::DatabaseBusy | Code::DatabaseLocked | Code::FileLockingProtocolFailed) => Condition::Busy,
        _ => Condition::Unreachable(e.to_string()),
    })
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
    fn a_database_that_took_the_place_of_another_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        let put = |value: &str| {
            let other = Store::at(dir.path());
            let (mut writer, _) = other.writer(Duration::ZERO).unwrap();
            writer.set_meta("test", value).unwrap();
        };
        put("old");
        assert_eq!(store.snapshot().unwrap().meta("test").unwrap().as_deref(), Some("old"));
        for name in ["graph.db", "graph.db-wal", "graph.db-shm"] {
            remove_if_present(&dir.path().join(name)).unwrap();
        }
        assert!(
            matches!(store.snapshot(), Err(Error::NoIndex { .. })),
            "the pooled connection is of the past"
        );
        put("new");
        assert_eq!(store.snapshot().unwrap().meta("test").unwrap().as_deref(), Some("new"));
    }

    #[test]
    fn a_database_that_is_locked_is_not_a_damaged_one() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        drop(store.writer(Duration::ZERO).unwrap());
        let keeper = Connection::open(dir.path().join(DATABASE)).unwrap();
        keeper.execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE").unwrap();
        assert_eq!(store.condition(), Condition::Busy);
        assert!(matches!(store.writer(Duration::ZERO), Err(Error::Busy(_))));
        drop(keeper);
        assert_eq!(store.condition(), Condition::Ready);
        assert!(!dir.path().join("graph.db.damaged").exists());
    }

    #[test]
    fn a_database_that_cannot_be_opened_is_not_a_damaged_one() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(DATABASE)).unwrap();
        let store = Store::at(dir.path());
        assert!(matches!(store.condition(), Condition::Unreachable(_)), "{:?}", store.condition());
        assert!(matches!(store.writer(Duration::ZERO), Err(Error::Disk(_))));
        assert!(dir.path().join(DATABASE).is_dir(), "nothing is set aside");
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
            matches!(store.snapshot(), Err(Error::IndexVersion(m)) if m.contains("1.4.0") && m.contains(SCHEMA_VERSION))
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
