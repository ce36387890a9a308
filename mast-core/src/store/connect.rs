//! Connections for reading, also where nothing may be written: a read-only directory, or a full disk.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, ErrorCode as Code, OpenFlags};

/// A connection for reading.
pub(crate) enum Opened {
    /// One that sees what others write.
    Shared(Connection),
    /// One made without the files SQLite keeps beside a database: nobody may be writing.
    Immutable(Connection),
}

/// Opens the database at `path` and has it prepared, as it is on the disk when SQLite may not make its files beside it.
pub(crate) fn for_reading(
    path: &Path,
    prepare: impl Fn(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<Opened> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let open = |name: &Path, access| {
        let connection = Connection::open_with_flags(name, flags | access)?;
        prepare(&connection)?;
        Ok(connection)
    };
    match open(path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Ok(connection) => Ok(Opened::Shared(connection)),
        Err(e) if is_shut(&e) && is_complete_without_log(path) => {
            open(Path::new(&immutable(path)), OpenFlags::SQLITE_OPEN_READ_ONLY).map(Opened::Immutable)
        }
        Err(e) => Err(e),
    }
}

/// Whether SQLite could not make the shared-memory file of write-ahead logging: the directory is read-only, or the disk
/// is full.
pub(super) fn is_shut(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(Code::CannotOpen | Code::ReadOnly | Code::SystemIoFailure | Code::DiskFull))
}

/// The name under which SQLite opens a database that nobody changes.
pub(crate) fn immutable(path: &Path) -> String {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}

/// Whether the database file alone holds everything.
fn is_complete_without_log(path: &Path) -> bool {
    fs::metadata(path.with_extension("db-wal")).map_or(true, |log| log.len() == 0)
}
