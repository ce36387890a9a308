//! How texts and facts are packed into blobs: compressed with zstd, preceded in the row by their plain length.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Level 3 is zstd's own default; lower levels saved no measurable time beside parsing, higher ones cost more than
/// they save.
const LEVEL: i32 = 3;

/// Longest plain length that is believed, in bytes: several times that of the longest file that is read.
const MAX_LENGTH: usize = 1 << 30;

/// A compressed blob and its plain length in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// Plain length.
    pub(crate) length: usize,
    /// Compressed bytes.
    pub body: Vec<u8>,
}

/// Compresses bytes.
pub(crate) fn pack(plain: &[u8]) -> Packed {
    // Compression into memory only fails when the library cannot allocate its context.
    let body = zstd::bulk::compress(plain, LEVEL).unwrap_or_default();
    Packed { length: plain.len(), body }
}

/// Restores bytes packed by [`pack`].
pub(crate) fn unpack(length: usize, body: &[u8]) -> Result<Vec<u8>> {
    // The length comes from the database too, and that much memory is asked for at once.
    if length > MAX_LENGTH {
        return Err(Error::Damaged(format!("a packed text of {length} bytes")));
    }
    zstd::bulk::decompress(body, length)
        .map_err(|e| Error::Damaged(format!("a packed text cannot be read: {e}")))
}

/// Restores text packed by [`pack`].
pub(crate) fn unpack_text(length: usize, body: &[u8]) -> Result<String> {
    String::from_utf8(unpack(length, body)?)
        .map_err(|e| Error::Damaged(format!("a packed text is damaged: {e}")))
}

/// Serializes a small value into a column.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(|e| Error::Internal(format!("a row cannot be encoded: {e}")))
}

/// Restores a value written by [`encode`].
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|e| Error::Damaged(format!("a row cannot be decoded: {e}")))
}
