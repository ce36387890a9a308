//! What a question is about: the declarations of a name, a file, a directory.

use super::parts::{DeclarationSite, PotentialMatch, Suggestion, VerifiedCaller};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::graph::callers::Caller;
use crate::graph::potential::Mention;
use crate::graph::{self, Declaration, Sources};
use crate::model::RepoPath;
use crate::search;
use crate::store::{FileRow, Reader};

/// Most verified callers when the caller sets no limit; the size of the answer may allow fewer.
pub(super) const MAX_VERIFIED: usize = 500;

/// Most potential matches when the caller sets no limit.
pub(super) const MAX_POTENTIAL: usize = 50;

/// What is behind the name of a question.
pub(super) enum Found {
    /// Declarations, at least one.
    Declared(Vec<Declaration>),
    /// The name is declared nowhere; near names.
    Unknown(Vec<Suggestion>),
    /// The file the question is narrowed to is not indexed.
    FileNotIndexed,
}

/// The declarations that `symbol` means, all of them or those in `file_path`.
pub(super) fn declarations(
    engine: &Engine,
    sources: &mut Sources<'_>,
    symbol: &str,
    file_path: Option<&str>,
) -> Result<Found> {
    let file = match file_path {
        None => None,
        Some(written) => match indexed_file(engine, sources.reader, written)?.1 {
            Some(row) => Some(row.id),
            None => return Ok(Found::FileNotIndexed),
        },
    };
    let found = graph::find(sources, symbol, file)?;
    if !found.is_empty() {
        return Ok(Found::Declared(found));
    }
    let near = search::suggest(sources.reader, symbol)?;
    Ok(Found::Unknown(near.into_iter().map(Suggestion::from).collect()))
}

/// The file an argument names, and its row when it is indexed.
pub(super) fn indexed_file(
    engine: &Engine,
    reader: &Reader,
    written: &str,
) -> Result<(RepoPath, Option<FileRow>)> {
    let path = engine.repo_path("file_path", written)?;
    let row = reader.file(&path)?.filter(|row| !row.is_skipped);
    Ok((path, row))
}

/// The directory an argument names, relative to the root; empty for the root itself.
pub(super) fn directory(engine: &Engine, written: &str) -> Result<String> {
    let slashes = written.replace('\\', "/");
    let root = engine.root().to_string_lossy().replace('\\', "/");
    let relative = slashes.strip_prefix(root.as_str()).unwrap_or(&slashes);
    if relative.split('/').all(|segment| matches!(segment, "" | "."))
        && (relative.len() < slashes.len() || !slashes.starts_with('/'))
    {
        return Ok(String::new());
    }
    match engine.repo_path("directory", written) {
        Ok(path) => Ok(path.to_string()),
        // `a/..` is the root as well.
        Err(Error::InvalidInput(message)) => match RepoPath::join("", &format!("{slashes}/x")) {
            Some(path) if path.as_str() == "x" && !slashes.starts_with('/') => Ok(String::new()),
            _ => Err(Error::InvalidInput(message)),
        },
        Err(error) => Err(error),
    }
}

impl From<&Declaration> for DeclarationSite {
    fn from(found: &Declaration) -> Self {
        Self {
            symbol: found.symbol.qualified_name(),
            kind: found.symbol.kind.as_str().to_owned(),
            file_path: found.path.to_string(),
            line: found.symbol.name_line,
        }
    }
}

impl VerifiedCaller {
    /// With `says_target` the entry names the declaration it calls, with `says_depth` how far it is from the question.
    pub(super) fn new(
        sources: &mut Sources<'_>,
        caller: Caller,
        says_target: bool,
        says_depth: bool,
    ) -> Result<Self> {
        Ok(Self {
            context: caller.context(sources)?,
            caller_symbol: caller.caller_name(),
            resolution: caller.resolution().as_str().to_owned(),
            target: says_target.then(|| DeclarationSite::from(&caller.target)),
            depth: says_depth.then_some(caller.depth),
            via: caller.via,
            line: caller.call.line,
            column: caller.call.column,
            file_path: caller.path.to_string(),
        })
    }
}

impl From<Mention> for PotentialMatch {
    fn from(found: Mention) -> Self {
        let reason = if found.is_call {
            "a call whose target is not proven"
        } else {
            "a mention of the name that is no call"
        };
        Self {
            file_path: found.path.to_string(),
            line: found.line,
            symbol_name: found.symbol_name,
            context: found.context,
            reason: reason.to_owned(),
        }
    }
}
