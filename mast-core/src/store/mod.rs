//! **Holds** the only shelf: the SQLite database, its tables, its full-text index and its locks.
//! **Takes / gives** [`FileFacts`](crate::model::FileFacts) and edges in, rows out through a [`Snapshot`].
//! **Never** ranks, parses source, or looks at the repository; it touches the disk in its own directory only.
//! **Next** `index`, which fills the shelf, and `search` and `graph`, which read it.

pub(crate) mod connect;
mod content;
pub mod fts;
mod lease;
mod lock;
mod lock_file;
mod names;
mod open;
pub(crate) mod pack;
mod reader;
mod records;
mod rows;
mod schema;
mod seed;
mod snapshot;
mod stamp;
mod verdicts;
mod writer;
#[cfg(test)]
mod writer_tests;

pub use lease::{Lease, LeaseHolder};
pub use lock::{Holder, RunLock, is_run_under_way};
pub use names::NameRow;
pub use open::{Condition, Store};
pub use reader::Reader;
pub use records::{
    CallRow, ChunkRow, FileRow, ImportRow, ProblemRow, SymbolId, SymbolRow, TypeUseRow, file_of_chunk,
};
pub use schema::SCHEMA_VERSION;
pub use snapshot::Snapshot;
pub use stamp::IndexStamp;
pub(crate) use stamp::write_atomic;
pub use verdicts::{CheckRecord, InputRow, Verdict};
pub(crate) use writer::MANIFEST;
pub use writer::{FileRecord, IndexWriter, LinkRecord, ResolvedImport};

/// Turns SQLite's refusals into ours, so that no other crate's error type is public.
impl From<rusqlite::Error> for crate::Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase,
            OperationInterrupted, ReadOnly, SystemIoFailure,
        };
        match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => {
                Self::Busy("the index is being written; try again shortly".into())
            }
            Some(DiskFull | ReadOnly | CannotOpen | SystemIoFailure) => Self::Disk(error.to_string()),
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged(error.to_string()),
            Some(OperationInterrupted) => Self::Cancelled,
            _ => Self::Store(error.to_string()),
        }
    }
}
