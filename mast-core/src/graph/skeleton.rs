//! Which file exports which names.

use super::exports::Modules;
use crate::error::Result;
use crate::glob::Globs;
use crate::model::RepoPath;
use crate::store::Reader;

/// The exported names of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The file.
    pub path: RepoPath,
    /// The names, in file order.
    pub names: Vec<String>,
}

/// Which files to look at.
#[derive(Debug, Default)]
pub struct Scope {
    /// Only below this directory; empty for all.
    pub directory: String,
    /// At most this many directories below it.
    pub max_depth: Option<u32>,
    /// Only files that match.
    pub files: Option<Globs>,
}

impl Scope {
    fn contains(&self, path: &RepoPath) -> bool {
        let below = if self.directory.is_empty() {
            Some(path.as_str())
        } else {
            path.as_str().strip_prefix(self.directory.as_str()).and_then(|rest| rest.strip_prefix('/'))
        };
        below.is_some_and(|below| {
            let depth = u32::try_from(below.matches('/').count()).unwrap_or(u32::MAX);
            self.max_depth.is_none_or(|max| depth <= max)
                && self.files.as_ref().is_none_or(|globs| globs.matches(path.as_str()))
        })
    }
}

/// The files of the scope that export something, by path, as far as their names stay within `budget` bytes, and how many
/// there are in all.
pub fn skeleton(reader: &Reader, scope: &Scope, budget: usize) -> Result<(Vec<Outline>, u64)> {
    let mut modules = Modules::new(reader);
    let exporting = reader.exporting_files()?;
    let mut found = Vec::new();
    let (mut total, mut size) = (0, 0);
    for row in
        reader.files()?.into_iter().filter(|row| exporting.contains(&row.id) && scope.contains(&row.path))
    {
        total += 1;
        if size > budget {
            continue;
        }
        let names = modules.names(row.id)?;
        size += row.path.as_str().len() + 30 + names.iter().map(|name| name.len() + 3).sum::<usize>();
        found.push(Outline { path: row.path, names });
    }
    Ok((found, total))
}
