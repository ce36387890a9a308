//! The one spelling of a file's name.

use std::borrow::Borrow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file's name relative to the project root: `/` between segments, case as on disk, no `.`, `..` or empty segments.
///
/// Ordered by bytes, which is the order of every listing. A name that is not valid UTF-8 cannot be one; the walk
/// reports such files as problems.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Arc<str>);

impl RepoPath {
    /// Takes an already normal spelling; `None` when it is empty, absolute or has `.`, `..` or empty segments.
    #[must_use]
    pub fn new(path: &str) -> Option<Self> {
        let normal = !path.is_empty() && path.split('/').all(|s| !matches!(s, "" | "." | ".."));
        normal.then(|| Self(path.into()))
    }

    /// Names the file `path` below `root`; `None` when it lies elsewhere or is not valid UTF-8.
    #[must_use]
    pub fn from_disk(root: &Path, path: &Path) -> Option<Self> {
        let relative = path.strip_prefix(root).ok()?;
        let mut joined = String::with_capacity(relative.as_os_str().len());
        for component in relative.components() {
            let std::path::Component::Normal(segment) = component else { return None };
            if !joined.is_empty() {
                joined.push('/');
            }
            joined.push_str(segment.to_str()?);
        }
        Self::new(&joined)
    }

    /// Resolves what a person or a module wrote, `.` and `..` included, against directory `base` (`""` is the root);
    /// `None` when the result is the root itself or escapes it.
    #[must_use]
    pub fn join(base: &str, relative: &str) -> Option<Self> {
        normalize(base, relative).and_then(|p| Self::new(&p))
    }

    /// The spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory part, without a trailing `/`; `""` for a file at the root.
    #[must_use]
    pub fn directory(&self) -> &str {
        self.0.rfind('/').map_or("", |at| &self.0[..at])
    }

    /// The last segment.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rfind('/').map_or(&self.0, |at| &self.0[at + 1..])
    }

    /// The last segment without its last extension (`.d.ts` and its kin count as one).
    #[must_use]
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        for declaration in [".d.ts", ".d.mts", ".d.cts"] {
            if let Some(stem) = name.strip_suffix(declaration) {
                return stem;
            }
        }
        match name.rfind('.') {
            Some(at) if at > 0 => &name[..at],
            _ => name,
        }
    }

    /// Whether this is a TypeScript declaration file.
    #[must_use]
    pub fn is_declaration(&self) -> bool {
        [".d.ts", ".d.mts", ".d.cts"].iter().any(|suffix| self.0.ends_with(suffix))
    }

    /// Where the file is on disk.
    #[must_use]
    pub fn to_disk(&self, root: &Path) -> PathBuf {
        let mut path = root.to_path_buf();
        path.extend(self.0.split('/'));
        path
    }
}

/// Joins `relative` to directory `base`, resolving `.` and `..`; `None` when the result escapes the root.
pub(crate) fn normalize(base: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = if base.is_empty() { Vec::new() } else { base.split('/').collect() };
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            other => segments.push(other),
        }
    }
    Some(segments.join("/"))
}

/// Lets a set of paths be asked for a spelling. Equality, order and hash are those of the spelling.
impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_resolve_dots_and_stay_inside() {
        let join = |base, relative| RepoPath::join(base, relative).map(|p| p.to_string());
        assert_eq!(join("src/app", "../lib/a.ts"), Some("src/lib/a.ts".into()));
        assert_eq!(join("", "./a.ts"), Some("a.ts".into()));
        assert_eq!(join("src", "../../etc/passwd"), None);
        assert_eq!(join("src", ".."), None, "the root itself is not a file");
    }

    #[test]
    fn parts_of_a_name() {
        let path = RepoPath::new("src/user.entity.d.ts").unwrap();
        assert_eq!(
            (path.directory(), path.file_name(), path.stem()),
            ("src", "user.entity.d.ts", "user.entity")
        );
        assert!(path.is_declaration());
        assert_eq!(RepoPath::new("a//b"), None);
    }
}
