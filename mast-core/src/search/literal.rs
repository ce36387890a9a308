//! Queries without a letter or digit (`=>`, `??=`, an emoji): no word of them is indexed, so the texts themselves are
//! read, up to a bound.

use crate::error::Result;
use crate::store::Reader;
use crate::store::fts::Scope;

/// Bytes of text that are read before the search is given up.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// Chunks that hold `text` as it stands, in order of path and place, at most `limit`; and how many files were not read because
/// `budget` bytes were.
pub(super) fn find(
    reader: &Reader,
    text: &str,
    scope: &Scope,
    limit: usize,
    budget: usize,
) -> Result<(Vec<i64>, u64)> {
    let mut out = Vec::new();
    let needle = text.trim();
    if needle.is_empty() {
        return Ok((out, 0));
    }
    let finder = memchr::memmem::Finder::new(needle);
    let mut files = reader.file_names()?;
    files.retain(|(id, _, _)| scope.contains(*id));
    files.sort_by(|a, b| a.1.cmp(&b.1));
    let mut read = 0;
    let mut unread = 0;
    for (at, (id, _, _)) in files.iter().enumerate() {
        let id = *id;
        let Some(text) = reader.text(id)? else { continue };
        read += text.len();
        if finder.find(text.as_bytes()).is_some() {
            for chunk in reader.chunks_of(id)? {
                let holds =
                    |segment: &crate::model::ByteRange| finder.find(segment.of(&text).as_bytes()).is_some();
                if chunk.segments.iter().any(holds) {
                    out.push(chunk.id);
                }
            }
        }
        if out.len() >= limit {
            break;
        }
        if read > budget {
            unread = (files.len() - at - 1) as u64;
            break;
        }
    }
    out.truncate(limit);
    Ok((out, unread))
}
