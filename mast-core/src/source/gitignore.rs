//! Git's ignore rules for the directory a walk is in: `.gitignore` at every level and `.git/info/exclude`.
//!
//! They apply without a repository, too. Where there is one, its rules end at its top, and a repository nested in it
//! starts with its own. The user's global excludes file has no say: an index must not depend on who builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Rules in force in one directory, innermost file first.
#[derive(Clone, Default)]
pub(super) struct IgnoreRules(Option<Rc<Level>>);

struct Level {
    rules: Gitignore,
    outer: IgnoreRules,
}

impl IgnoreRules {
    /// The rules that reach into `root` from above: those of the repository it lies in, when it is not its top itself.
    pub(super) fn above(root: &Path) -> Self {
        if is_repository(root) {
            return Self::default();
        }
        let Some(top) = root.ancestors().skip(1).find(|directory| is_repository(directory)) else {
            return Self::default();
        };
        let mut between: Vec<&Path> =
            root.ancestors().skip(1).take_while(|directory| directory.starts_with(top)).collect();
        between.reverse();
        let mut rules = Self::of_repository(top);
        for directory in between {
            rules = rules.with_file(directory);
        }
        rules
    }

    /// The rules at the top of a repository, before its own `.gitignore`.
    pub(super) fn of_repository(top: &Path) -> Self {
        match git_directory(top) {
            Some(git) => Self::default().with(top, &git.join("info").join("exclude")),
            None => Self::default(),
        }
    }

    /// These rules and those of `directory/.gitignore`.
    pub(super) fn with_file(&self, directory: &Path) -> Self {
        self.with(directory, &directory.join(".gitignore"))
    }

    fn with(&self, directory: &Path, file: &Path) -> Self {
        let is_file = fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file());
        let Some(bytes) = is_file.then(|| fs::read(file).ok()).flatten() else { return self.clone() };
        let text = String::from_utf8_lossy(&bytes);
        let mut builder = GitignoreBuilder::new(directory);
        for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
            // A line git cannot use matches nothing in git, either.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) if !rules.is_empty() => Self(Some(Rc::new(Level { rules, outer: self.clone() }))),
            _ => self.clone(),
        }
    }

    /// Whether the entry at `path` is ignored. The directories above it are taken to be judged already.
    pub(super) fn ignores(&self, path: &Path, is_directory: bool) -> bool {
        let mut level = self.0.as_deref();
        while let Some(Level { rules, outer }) = level {
            match rules.matched(path, is_directory) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => level = outer.0.as_deref(),
            }
        }
        false
    }
}

/// Whether `directory` is the top of a work tree: `.git` is a directory, or a file in linked work trees and submodules.
fn is_repository(directory: &Path) -> bool {
    fs::symlink_metadata(directory.join(".git")).is_ok_and(|metadata| metadata.is_dir() || metadata.is_file())
}

/// Where the repository of the work tree at `top` keeps what all its work trees share.
fn git_directory(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let pointer = |file: &Path, prefix: &str| {
        let text = fs::read_to_string(file).ok()?;
        Some(PathBuf::from(text.trim().strip_prefix(prefix)?.trim_start()))
    };
    let own = top.join(pointer(&dot_git, "gitdir:")?);
    let common = pointer(&own.join("commondir"), "");
    Some(common.map_or_else(|| own.clone(), |shared| own.join(shared)))
}
