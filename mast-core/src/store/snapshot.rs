//! One consistent view of the index.

use std::ops::Deref;

use super::open::Identity;
use super::{Reader, Store};
use crate::error::Result;

/// A [`Reader`] inside one read transaction: everything it returns is of one moment. Never waits for a writer; its
/// connection goes back to the store's pool when it is dropped.
#[derive(Debug)]
pub struct Snapshot<'s> {
    store: &'s Store,
    reader: Option<Reader>,
    identity: Option<Identity>,
}

impl<'s> Snapshot<'s> {
    pub(super) fn begin(store: &'s Store, reader: Reader, identity: Option<Identity>) -> Result<Self> {
        reader.connection.execute_batch("BEGIN")?;
        // A deferred transaction takes its view at the first read.
        reader.connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(()))?;
        Ok(Self { store, reader: Some(reader), identity })
    }
}

impl Deref for Snapshot<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        match &self.reader {
            Some(reader) => reader,
            None => unreachable!("the reader leaves only when the snapshot is dropped"),
        }
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take()
            && reader.connection.execute_batch("COMMIT").is_ok()
        {
            self.store.give_back(reader, self.identity);
        }
    }
}
