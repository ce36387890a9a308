//! Which indexed file a path without certainty about its extension means: TypeScript's extension substitution.

use std::collections::HashSet;

use crate::model::RepoPath;

/// The indexed files, looked up by exact spelling: case counts on every file system.
#[derive(Debug)]
pub(super) struct Files {
    paths: HashSet<RepoPath>,
}

/// What stands for a written extension, in TypeScript's order.
const SUBSTITUTES: [(&str, &[&str]); 10] = [
    (".d.ts", &[".d.ts"]),
    (".d.mts", &[".d.mts"]),
    (".d.cts", &[".d.cts"]),
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".jsx", &[".tsx", ".ts", ".d.ts", ".jsx", ".js"]),
    (".mjs", &[".mts", ".d.mts", ".mjs"]),
    (".cjs", &[".cts", ".d.cts", ".cjs"]),
    (".ts", &[".ts", ".tsx", ".d.ts"]),
    (".mts", &[".mts", ".d.mts"]),
    (".cts", &[".cts", ".d.cts"]),
];

/// What may be left out, TypeScript's five first; the rest is what bundlers add to them.
const IMPLICIT: [&str; 11] =
    [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".d.mts", ".d.cts", ".mjs", ".cjs"];

impl Files {
    pub(super) fn new(paths: impl IntoIterator<Item = RepoPath>) -> Self {
        Self { paths: paths.into_iter().collect() }
    }

    /// Every indexed file, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &RepoPath> {
        self.paths.iter()
    }

    /// The file spelled exactly `path`.
    pub(super) fn exact(&self, path: &str) -> Option<RepoPath> {
        self.paths.get(path).cloned()
    }

    /// The file `path` means, its extension substituted or added; directories are not looked at.
    pub(super) fn file(&self, path: &str) -> Option<RepoPath> {
        let rule = SUBSTITUTES.iter().find(|(written, _)| path.ends_with(written));
        let substituted = match rule {
            Some((written, kin)) => self.first(&path[..path.len() - written.len()], kin),
            None => self.exact(path),
        };
        substituted.or_else(|| self.first(path, &IMPLICIT)).or_else(|| {
            // `./styles.css` may be described by `styles.d.css.ts`.
            let dot = path.rfind('.').filter(|&dot| !path[dot..].contains('/'))?;
            self.exact(&format!("{}.d{}.ts", &path[..dot], &path[dot..]))
        })
    }

    /// The file `path` or, when it is a directory, its index.
    pub(super) fn file_or_index(&self, path: &str) -> Option<RepoPath> {
        self.file(path).or_else(|| self.index(path))
    }

    /// The index file of directory `path` (`""` is the root).
    pub(super) fn index(&self, path: &str) -> Option<RepoPath> {
        self.first(&below(path, "index"), &IMPLICIT)
    }

    /// The first of `stem` with each of `extensions` that exists.
    pub(super) fn first(&self, stem: &str, extensions: &[&str]) -> Option<RepoPath> {
        let mut path = String::with_capacity(stem.len() + 8);
        path.push_str(stem);
        extensions.iter().find_map(|extension| {
            path.truncate(stem.len());
            path.push_str(extension);
            self.exact(&path)
        })
    }
}

/// `name` in `directory`; `""` is the root, and as a name the directory itself.
pub(super) fn below(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", _) => name.to_owned(),
        (_, "") => directory.to_owned(),
        _ => format!("{directory}/{name}"),
    }
}

/// What of `path` is below `directory`; `None` when it is the directory itself or elsewhere.
pub(super) fn strip<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() { Some(path) } else { path.strip_prefix(directory)?.strip_prefix('/') }
}

/// The directory and every directory above it, `""` last.
pub(super) fn upward(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |at| {
        if at.is_empty() { None } else { Some(at.rfind('/').map_or("", |slash| &at[..slash])) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_at_segments() {
        assert_eq!(strip("src/a.ts", "src"), Some("a.ts"));
        assert_eq!(strip("srcs/a.ts", "src"), None);
        assert_eq!(strip("src", "src"), None);
        assert_eq!(strip("a.ts", ""), Some("a.ts"));
        assert_eq!((below("", "a"), below("a", ""), below("a", "b")), ("a".into(), "a".into(), "a/b".into()));
    }

    #[test]
    fn upward_ends_at_the_root() {
        assert_eq!(upward("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(upward("").collect::<Vec<_>>(), [""]);
    }
}
