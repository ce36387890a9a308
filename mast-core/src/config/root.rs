//! Which directory is the project root.

use std::path::{Component, Path, PathBuf};

use super::{CONFIG_FILE, DEFAULT_STATE_DIR, Environment, Origin, Setting};
use crate::error::{Error, Result};

/// Which directory a door means by "the project".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RootChoice {
    /// This one, relative to the working directory.
    Explicit(PathBuf),
    /// The one found from the working directory.
    #[default]
    Search,
    /// The working directory itself.
    WorkingDirectory,
}

/// How the project root was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootOrigin {
    /// It was named.
    Explicit,
    /// It holds the absolute state directory that was given.
    StateDir,
    /// It is the nearest directory upward with `mast.config.json`.
    ConfigFile,
    /// It is the nearest directory upward with an index.
    ExistingIndex,
    /// It is the top of the git work tree.
    GitTop,
    /// Nothing was found upward.
    WorkingDirectory,
}

impl RootOrigin {
    /// Why this root, for a root that was found; `None` for one that was named.
    pub(super) fn reason(self) -> Option<&'static str> {
        Some(match self {
            Self::Explicit | Self::WorkingDirectory => return None,
            Self::StateDir => "the parent of the state directory that was given",
            Self::ConfigFile => "it holds mast.config.json",
            Self::ExistingIndex => "it holds .mast",
            Self::GitTop => "the top of the git work tree",
        })
    }
}

/// Finds the project root; the result is absolute and free of symbolic links.
pub(super) fn find(
    choice: &RootChoice,
    state_dir: Option<&Setting<PathBuf>>,
    environment: &Environment,
) -> Result<(PathBuf, RootOrigin)> {
    let here = &environment.working_directory;
    let (root, origin) = match choice {
        RootChoice::Explicit(path) => (here.join(path), RootOrigin::Explicit),
        RootChoice::WorkingDirectory => (here.clone(), RootOrigin::WorkingDirectory),
        RootChoice::Search => search(here, state_dir),
    };
    if !root.is_dir() {
        let shown = if let RootChoice::Explicit(path) = choice { path } else { &root };
        let source = match (origin, state_dir.map(|given| given.origin)) {
            (RootOrigin::StateDir, Some(Origin::Flag)) => "--state-dir: the project root ",
            (RootOrigin::StateDir, _) => "MAST_STATE_DIR: the project root ",
            _ => "",
        };
        let problem = if root.exists() { "is not a directory" } else { "does not exist" };
        return Err(Error::Config(format!("{source}{} {problem}", shown.display())));
    }
    let root = canonical(&root);
    if origin != RootOrigin::Explicit {
        refuse_too_wide(&root, environment)?;
    }
    Ok((root, origin))
}

/// Indexing a whole disk or home directory is never what somebody wanted without saying so.
fn refuse_too_wide(root: &Path, environment: &Environment) -> Result<()> {
    let is_home = environment.home.as_deref().is_some_and(|home| canonical(home) == root);
    let what = match (root.parent(), is_home) {
        (None, _) => "the root of the file system",
        (_, true) => "the home directory",
        _ => return Ok(()),
    };
    Err(Error::Config(format!(
        "{} is {what}; to index it, name it as the project: `mast index {}`",
        root.display(),
        root.display()
    )))
}

fn search(here: &Path, state_dir: Option<&Setting<PathBuf>>) -> (PathBuf, RootOrigin) {
    if let Some(given) = state_dir
        && given.value.is_absolute()
        && given.value.file_name().is_some_and(|name| name == DEFAULT_STATE_DIR)
        && let Some(parent) = given.value.parent()
    {
        return (parent.to_path_buf(), RootOrigin::StateDir);
    }
    let upward =
        |holds: &dyn Fn(&Path) -> bool| here.ancestors().find(|dir| holds(dir)).map(Path::to_path_buf);
    let found = upward(&|dir| dir.join(CONFIG_FILE).is_file())
        .map(|root| (root, RootOrigin::ConfigFile))
        .or_else(|| {
            upward(&|dir| dir.join(DEFAULT_STATE_DIR).is_dir()).map(|root| (root, RootOrigin::ExistingIndex))
        })
        .or_else(|| upward(&|dir| dir.join(".git").exists()).map(|root| (root, RootOrigin::GitTop)));
    found.unwrap_or_else(|| (here.to_path_buf(), RootOrigin::WorkingDirectory))
}

/// `path` seen from `base`, `.` and `..` resolved, symbolic links resolved in the part that exists.
pub(super) fn absolute(base: &Path, path: &Path) -> PathBuf {
    let joined = base.join(path);
    let mut plain = PathBuf::new();
    for component in joined.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    for ancestor in plain.ancestors() {
        if let Ok(real) = ancestor.canonicalize() {
            let rest = plain.strip_prefix(ancestor).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() {
                without_verbatim(real)
            } else {
                without_verbatim(real).join(rest)
            };
        }
    }
    plain
}

/// `path` without symbolic links; itself when that cannot be found out.
pub(super) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().map_or_else(|_| path.to_path_buf(), without_verbatim)
}

/// Takes off the `\\?\` that Windows puts before canonical paths, where the rest means the same without it.
fn without_verbatim(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => path,
    }
}
