//! Full text: words of chunks in, ranked candidates out.

use rusqlite::{Connection, params};

use crate::error::Result;

/// Index terms of one chunk, already split and lower-cased.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkTerms {
    /// Words of the declaration's name.
    pub name: String,
    /// Words of the text.
    pub body: String,
    /// Whole identifiers, each once.
    pub identifiers: String,
}

/// Creates the full-text tables.
pub(super) fn create(connection: &Connection) -> Result<()> {
    connection.execute_batch(
        "CREATE VIRTUAL TABLE chunk_words USING fts5(name, body, identifiers, content='', contentless_delete=1, \
         tokenize=\"ascii tokenchars '_$#'\");",
    )?;
    Ok(())
}

/// Prepares for many insertions.
pub(super) fn begin_bulk(connection: &Connection) -> Result<()> {
    connection.execute("INSERT INTO chunk_words (chunk_words, rank) VALUES ('automerge', 0)", [])?;
    Ok(())
}

/// Ends a bulk load.
pub(super) fn finish_bulk(connection: &Connection) -> Result<()> {
    connection.execute("INSERT INTO chunk_words (chunk_words, rank) VALUES ('automerge', 4)", [])?;
    Ok(())
}

/// Adds a chunk.
pub(super) fn insert(connection: &Connection, chunk: i64, terms: &ChunkTerms) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO chunk_words (rowid, name, body, identifiers) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![chunk, terms.name, terms.body, terms.identifiers])?;
    Ok(())
}

/// Removes a chunk.
pub(super) fn delete(connection: &Connection, chunk: i64) -> Result<()> {
    connection.prepare_cached("DELETE FROM chunk_words WHERE rowid = ?1")?.execute([chunk])?;
    Ok(())
}
