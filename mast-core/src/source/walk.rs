//! Which files there are to index. The indexer, `mast status` and `mast walk` all ask here, so they cannot disagree.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use super::gitignore::IgnoreRules;
use super::read::reason;
use super::stamp_of;
use crate::config::Config;
use crate::model::{FileStamp, Problem, ProblemKind, RepoPath};

/// What a walk found. Every list is sorted by path bytes.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// The files to index.
    pub files: Vec<WalkedFile>,
    /// Files that module resolution reads, as paths relative to the root: `tsconfig*.json`, `jsconfig*.json`,
    /// `package.json`, `pnpm-workspace.yaml`, `lerna.json`, and any other `.json` in a directory that has one of them
    /// (`extends` may name it).
    pub configs: Vec<String>,
    /// Directories that were entered, relative to the root (`""`), in no particular order.
    pub directories: Vec<String>,
    /// What git's ignore rules left out.
    pub ignored: LeftOut,
    /// What `exclude_patterns` left out.
    pub excluded: LeftOut,
    /// What could not be looked at.
    pub problems: Vec<WalkProblem>,
    /// What each entry of `include_dot_dirs` contributed, in the order of the configuration.
    pub dot_directories: Vec<DotDirectory>,
}

impl Walk {
    /// Files with an indexed extension that rules left out. Directories that were left out whole were not entered, and
    /// their files are not in this number.
    #[must_use]
    pub fn left_out_files(&self) -> u64 {
        self.ignored.files + self.excluded.files
    }
}

/// A file to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// Its name.
    pub path: RepoPath,
    /// What `stat` said; the hash is 0.
    pub stamp: FileStamp,
}

/// How much a rule left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files with an indexed extension that were met.
    pub files: u64,
    /// Directories that were not entered.
    pub directories: u64,
}

/// Trouble with one file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkProblem {
    /// Its name relative to the root; what is not valid UTF-8 in it is replaced.
    pub path: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What an entry of `include_dot_dirs` contributed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DotDirectory {
    /// The entry.
    pub path: String,
    /// Files walked below it.
    pub files: u64,
    /// Why there are none.
    pub trouble: Option<DotDirectoryTrouble>,
}

/// Why an entry of `include_dot_dirs` contributed no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DotDirectoryTrouble {
    /// Nothing has this name.
    Missing,
    /// It is, or lies behind, a symbolic link.
    SymbolicLink,
    /// It is a file.
    NotADirectory,
    /// It is a directory and nothing below it is walked.
    Empty,
}

impl DotDirectoryTrouble {
    /// What to tell a person.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Missing => {
                "no directory of exactly this name under the project root. Check the spelling in include_dot_dirs, \
                 including upper and lower case."
            }
            Self::SymbolicLink => {
                "a symbolic link, which mast does not follow. Name the directory it points to."
            }
            Self::NotADirectory => "a file. include_dot_dirs names directories.",
            Self::Empty => {
                "nothing is walked below it: it holds no file with an indexed extension, or exclude_patterns or git's \
                 ignore rules leave them out. A dot directory inside it needs its own entry."
            }
        }
    }
}

/// Walks the project of `config`.
///
/// Symbolic links are not followed, so there are no loops and no file has two names. Dot files and dot directories are
/// left out unless `include_dot_dirs` names the directory; the state directory is never entered. Trouble with one entry
/// is a problem in the result and the walk goes on.
#[must_use]
pub fn walk(config: &Config) -> Walk {
    let mut walker = Walker { config, found: Walk::default(), open: Vec::new() };
    let ignores = if *config.respect_gitignore {
        IgnoreRules::above(&config.project_root)
    } else {
        IgnoreRules::default()
    };
    let root = config.project_root.clone();
    walker.open.push(Directory {
        path: String::new(),
        disk: root,
        ignores,
        is_ignored: false,
        is_passage: false,
    });
    while let Some(directory) = walker.open.pop() {
        walker.enter(&directory);
    }
    let mut found = walker.found;
    found.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.configs.sort_unstable();
    found.problems.sort_by(|a, b| a.path.cmp(&b.path));
    found.dot_directories = config
        .include_dot_dirs
        .iter()
        .map(|entry| dot_directory(&config.project_root, entry, &found.files))
        .collect();
    found
}

struct Walker<'a> {
    config: &'a Config,
    found: Walk,
    open: Vec<Directory>,
}

/// A directory to look into.
struct Directory {
    /// Its name relative to the root, `""` for the root.
    path: String,
    /// Where it is.
    disk: PathBuf,
    /// Git's rules of the directories above.
    ignores: IgnoreRules,
    /// Git ignores it; only what `include_ignored` names is taken.
    is_ignored: bool,
    /// A dot directory entered only to reach one that `include_dot_dirs` names below it.
    is_passage: bool,
}

impl Walker<'_> {
    fn enter(&mut self, directory: &Directory) {
        let entries = fs::read_dir(&directory.disk).and_then(Iterator::collect::<Result<Vec<DirEntry>, _>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let name = if directory.path.is_empty() { "." } else { &directory.path };
                return self.report(name.to_owned(), ProblemKind::Unreadable, reason(&error));
            }
        };
        self.found.directories.push(directory.path.clone());
        let ignores = self.rules_in(directory, &entries);
        let mut configs = Configs::default();
        for entry in &entries {
            let name = entry.file_name();
            let path = join(&directory.path, &name.to_string_lossy());
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) => {
                    self.report(path, ProblemKind::Unreadable, reason(&error));
                    continue;
                }
            };
            if kind.is_symlink() {
                continue;
            }
            if kind.is_dir() {
                self.meet_directory(directory, &ignores, &name, path);
            } else if !directory.is_passage {
                if kind.is_file() {
                    configs.meet(&path);
                }
                self.meet_file(directory, &ignores, entry, &name, path);
            }
        }
        self.found.configs.extend(configs.into_paths());
    }

    /// Git's rules for the entries of `directory`.
    fn rules_in(&self, directory: &Directory, entries: &[DirEntry]) -> IgnoreRules {
        if !*self.config.respect_gitignore {
            return IgnoreRules::default();
        }
        let holds = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
        let outer = if holds(".git") {
            IgnoreRules::of_repository(&directory.disk)
        } else {
            directory.ignores.clone()
        };
        if holds(".gitignore") { outer.with_file(&directory.disk) } else { outer }
    }

    fn meet_directory(&mut self, parent: &Directory, ignores: &IgnoreRules, name: &OsStr, path: String) {
        let disk = parent.disk.join(name);
        if name == ".git" || disk == *self.config.state_dir.value {
            return;
        }
        let mut is_passage = false;
        if parent.is_passage || path.rsplit('/').next().is_some_and(|name| name.starts_with('.')) {
            let named = &self.config.include_dot_dirs;
            let is_named = named.contains(&path);
            is_passage = !is_named && named.iter().any(|entry| is_below(entry, &path));
            if !is_named && !is_passage {
                return;
            }
        }
        if self.config.excludes.matches_directory(&path) {
            self.found.excluded.directories += 1;
            return;
        }
        let is_ignored = parent.is_ignored || ignores.ignores(&disk, true);
        if is_ignored {
            let wanted = &self.config.ignored_includes;
            if !wanted.covers(&path) && !wanted.matches_directory(&path) && !wanted.may_match_below(&path) {
                self.found.ignored.directories += 1;
                return;
            }
        }
        if name.to_str().is_none() {
            self.report(path, ProblemKind::Unreadable, "its name is not valid UTF-8".to_owned());
            return;
        }
        self.open.push(Directory { path, disk, ignores: ignores.clone(), is_ignored, is_passage });
    }

    fn meet_file(
        &mut self,
        parent: &Directory,
        ignores: &IgnoreRules,
        entry: &DirEntry,
        name: &OsStr,
        path: String,
    ) {
        let file_name = &path[path.rfind('/').map_or(0, |slash| slash + 1)..];
        if file_name.starts_with('.') || !self.config.is_indexed_name(file_name) {
            return;
        }
        if self.config.excludes.matches(&path) {
            self.found.excluded.files += 1;
            return;
        }
        let is_ignored = parent.is_ignored || ignores.ignores(&parent.disk.join(name), false);
        if is_ignored && !self.config.ignored_includes.covers(&path) {
            self.found.ignored.files += 1;
            return;
        }
        let valid_name = name.to_str().and_then(|_| RepoPath::new(&path));
        let Some(repo_path) = valid_name else {
            return self.report(path, ProblemKind::Unreadable, "its name is not valid UTF-8".to_owned());
        };
        match entry.metadata() {
            Ok(metadata) if metadata.is_file() => {
                self.found.files.push(WalkedFile { path: repo_path, stamp: stamp_of(&metadata) });
            }
            Ok(_) => self.report(path, ProblemKind::Skipped, "not a regular file".to_owned()),
            // Gone between listing and looking: as if it had never been there.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => self.report(path, ProblemKind::Unreadable, reason(&error)),
        }
    }

    fn report(&mut self, path: String, kind: ProblemKind, message: String) {
        self.found.problems.push(WalkProblem { path, problem: Problem { kind, message, lines: Vec::new() } });
    }
}

/// The configuration files of one directory.
#[derive(Default)]
struct Configs {
    /// What resolution looks for by name.
    named: Vec<String>,
    /// Other JSON files, which only count beside those.
    beside: Vec<String>,
}

impl Configs {
    fn meet(&mut self, path: &str) {
        let name = &path[path.rfind('/').map_or(0, |slash| slash + 1)..];
        let is_json = name.strip_suffix(".json").is_some();
        let is_named =
            matches!(name, "package.json" | "lerna.json" | "pnpm-workspace.yaml" | "pnpm-workspace.yml")
                || (is_json && (name.starts_with("tsconfig") || name.starts_with("jsconfig")));
        if is_named {
            self.named.push(path.to_owned());
        } else if is_json {
            self.beside.push(path.to_owned());
        }
    }

    fn into_paths(self) -> impl Iterator<Item = String> {
        let beside = if self.named.is_empty() { Vec::new() } else { self.beside };
        self.named.into_iter().chain(beside)
    }
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Whether `path` lies below `directory`.
fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// What `entry` contributed. `files` is sorted.
fn dot_directory(root: &Path, entry: &str, files: &[WalkedFile]) -> DotDirectory {
    let count = files.iter().filter(|file| is_below(file.path.as_str(), entry)).count() as u64;
    let trouble = (count == 0).then(|| why_empty(root, entry));
    DotDirectory { path: entry.to_owned(), files: count, trouble }
}

fn why_empty(root: &Path, entry: &str) -> DotDirectoryTrouble {
    let mut directory = root.to_path_buf();
    for segment in entry.split('/') {
        // Listing instead of asking for the name: a file system that ignores case would say yes to another spelling.
        let listed = fs::read_dir(&directory).into_iter().flatten().flatten();
        let Some(found) = listed.into_iter().find(|candidate| candidate.file_name() == segment) else {
            return DotDirectoryTrouble::Missing;
        };
        match found.file_type() {
            Ok(kind) if kind.is_symlink() => return DotDirectoryTrouble::SymbolicLink,
            Ok(kind) if kind.is_dir() => directory.push(segment),
            Ok(_) => return DotDirectoryTrouble::NotADirectory,
            Err(_) => return DotDirectoryTrouble::Missing,
        }
    }
    DotDirectoryTrouble::Empty
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
