//! What a question is about: the declarations of a name, a file, a directory.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::Serialize;

use super::parts::{
    Cut, DeclarationSite, PotentialMatch, Suggestion, VerifiedCaller, is_false, write_list, write_suggestions,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::graph::callers::Caller;
use crate::graph::potential::{Mention, MentionKind};
use crate::graph::{self, Declaration, Sources};
use crate::model::RepoPath;
use crate::search;
use crate::store::{FileRow, Reader};

/// Most verified callers when the caller sets no limit; the size of the answer may allow fewer.
pub(super) const MAX_VERIFIED: usize = 600;

/// Most potential matches when the caller sets no limit.
pub(super) const MAX_POTENTIAL: usize = 50;

/// Most declarations that are named because they are left out.
const MAX_OTHERS: usize = 10;

/// What the name of a question was found to mean; part of the answer of every tool that takes a name.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Subject {
    /// Declarations the name is an alias of; the answer is about them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alias_of: Vec<String>,
    /// Other declarations of the name: ask for them by qualified name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_declarations: Vec<DeclarationSite>,
    /// How many, when not all are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_declarations_truncated: Option<u64>,
    /// No declaration of this name is in the index.
    #[serde(skip_serializing_if = "is_false")]
    pub symbol_not_found: bool,
    /// The file named by `file_path` is not in the index.
    #[serde(skip_serializing_if = "is_false")]
    pub file_not_indexed: bool,
    /// Indexed files that may have been meant instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_files: Vec<String>,
    /// Near names, when the symbol was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<Suggestion>>,
    /// The file the question is narrowed to.
    #[serde(skip)]
    asked_file: Option<String>,
}

/// What a question is about.
pub(super) struct Asked {
    /// What the answer says of the name.
    pub(super) subject: Subject,
    /// The declarations it means; none when it is unknown.
    pub(super) targets: Vec<Declaration>,
    /// How they are spelled under this name.
    pub(super) names: BTreeSet<String>,
}

/// The declarations that `symbol` means, all of them or those in `file_path`.
pub(super) fn declarations(
    engine: &Engine,
    sources: &mut Sources<'_>,
    symbol: &str,
    file_path: Option<&str>,
) -> Result<Asked> {
    let mut subject = Subject::default();
    let file = match file_path {
        None => None,
        Some(written) => {
            let (path, row) = indexed_file(engine, sources.reader, written)?;
            let Some(row) = row else {
                subject.file_not_indexed = true;
                subject.near_files = near_files(sources.reader, &path)?;
                return Ok(Asked { subject, targets: Vec::new(), names: BTreeSet::new() });
            };
            subject.asked_file = Some(path.to_string());
            Some(row.id)
        }
    };
    let meaning = graph::find(sources, symbol, file)?;
    let names = meaning.names(symbol);
    let targets = meaning.declarations;
    if targets.is_empty() {
        let near = search::suggest(sources.reader, symbol)?;
        subject.symbol_not_found = true;
        subject.suggestions = Some(near.into_iter().map(Suggestion::from).collect());
    } else if meaning.is_alias {
        let names: BTreeSet<String> = targets.iter().map(|target| target.symbol.qualified_name()).collect();
        subject.alias_of = names.into_iter().collect();
    }
    let mut others = meaning.others;
    others.sort_by_key(|other| other.symbol.is_local);
    (subject.other_declarations, subject.other_declarations_truncated) =
        Cut::at(MAX_OTHERS, others.iter().collect()).into_fields();
    Ok(Asked { subject, targets, names })
}

impl Subject {
    /// Whether the name led to nothing.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.symbol_not_found || self.file_not_indexed
    }

    /// The file the question is narrowed to, when it is indexed: the answer rests on it whatever was found there.
    pub(super) fn file(&self) -> Option<&str> {
        self.asked_file.as_deref()
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file_not_indexed {
            return write_not_indexed(f, "the file", &self.near_files);
        }
        if self.symbol_not_found {
            writeln!(f, "no declaration of this name is in the index")?;
            return write_suggestions(f, self.suggestions.as_deref().unwrap_or_default());
        }
        if !self.alias_of.is_empty() {
            writeln!(f, "the name is an alias of {}", self.alias_of.join(", "))?;
        }
        let others = &self.other_declarations;
        write_list(
            f,
            "not part of this answer: other declarations of the name",
            others,
            self.other_declarations_truncated,
        )
    }
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

/// Most files that are named for one that is not indexed.
const MAX_NEAR_FILES: usize = 3;

/// Indexed files that may have been meant by `path`, which is none: the same path in another case, else files of its name elsewhere.
pub(super) fn near_files(reader: &Reader, path: &RepoPath) -> Result<Vec<String>> {
    let asked = path.as_str();
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let files: Vec<String> = reader.file_names()?.into_iter().map(|(_, path, _)| path).collect();
    let mut near: Vec<String> =
        files.iter().filter(|file| file.to_lowercase() == asked.to_lowercase()).cloned().collect();
    if near.is_empty() {
        let asked = name(asked);
        near = files.into_iter().filter(|file| name(file) == asked).collect();
    }
    near.sort();
    near.truncate(MAX_NEAR_FILES);
    Ok(near)
}

/// Writes that a file is not indexed, and which may have been meant.
pub(super) fn write_not_indexed(f: &mut fmt::Formatter<'_>, file: &str, near: &[String]) -> fmt::Result {
    writeln!(f, "{file} is not in the index")?;
    near.iter().try_for_each(|near| writeln!(f, "did you mean {near}?"))
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
        let reason = match found.kind {
            MentionKind::Call => "a call whose target is not proven",
            MentionKind::ClosingTag => {
                "the closing tag of an element that is proven: rename it with the opening one"
            }
            MentionKind::Specifier => "an import or export of the name",
            MentionKind::Other => "a mention of the name that is no call",
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
