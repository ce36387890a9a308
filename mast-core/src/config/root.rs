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

/// The project root that was found.
#[derive(Debug)]
pub(super) struct FoundRoot {
    /// Absolute and free of symbolic links.
    pub(super) path: PathBuf,
    pub(super) origin: RootOrigin,
    /// A project further up that was passed over, when the root is one that nothing of MAST marks.
    pub(super) warning: Option<String>,
}

/// Finds the project root.
pub(super) fn find(
    choice: &RootChoice,
    state_dir: Option<&Setting<PathBuf>>,
    environment: &Environment,
) -> Result<FoundRoot> {
    let here = &environment.working_directory;
    let mut passed_over = None;
    let (root, origin) = match choice {
        RootChoice::Explicit(path) => (here.join(path), RootOrigin::Explicit),
        RootChoice::WorkingDirectory => (here.clone(), RootOrigin::WorkingDirectory),
        RootChoice::Search => match project_of_state_dir(state_dir) {
            Some(project) => (project, RootOrigin::StateDir),
            None => search(environment, &mut passed_over),
        },
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
    let path = canonical(&root);
    if origin != RootOrigin::Explicit
        && let Some(what) = too_wide(&path, environment)
    {
        return Err(refusal(&path, what, passed_over.as_ref()));
    }
    let is_marked = matches!(origin, RootOrigin::ConfigFile | RootOrigin::ExistingIndex);
    let warning = passed_over.filter(|_| !is_marked).map(|over| {
        format!(
            "{} is passed over: {} is {}, which is a project only when it is named (--root {1})",
            over.marker.display(),
            over.root.display(),
            over.what
        )
    });
    Ok(FoundRoot { path, origin, warning })
}

/// A directory that looks like a project and is too wide to be one by itself.
#[derive(Debug)]
struct PassedOver {
    root: PathBuf,
    what: &'static str,
    /// What made it look like one.
    marker: PathBuf,
}

/// Indexing a whole disk or home directory is never what somebody wanted without saying so: what `directory` is then.
fn too_wide(directory: &Path, environment: &Environment) -> Option<&'static str> {
    let is_home = environment.home.as_deref().is_some_and(|home| canonical(home) == directory);
    match (directory.parent(), is_home) {
        (None, _) => Some("the root of the file system"),
        (_, true) => Some("the home directory"),
        _ => None,
    }
}

fn refusal(root: &Path, what: &str, passed_over: Option<&PassedOver>) -> Error {
    let shown = root.display();
    let found = passed_over.filter(|over| canonical(&over.root) == root);
    Error::Config(match found {
        Some(over) => format!(
            "{} was found, but {shown} is {what}, which is a project only when it is named: use --root {shown}, or go to \
             the directory of a project",
            over.marker.display(),
        ),
        None => format!("{shown} is {what}; to index it, name it as the project: `mast index {shown}`"),
    })
}

/// The project that an absolute state directory of the usual name belongs to.
fn project_of_state_dir(state_dir: Option<&Setting<PathBuf>>) -> Option<PathBuf> {
    let given = &state_dir?.value;
    let is_usual = given.is_absolute() && given.file_name().is_some_and(|name| name == DEFAULT_STATE_DIR);
    if is_usual { given.parent().map(Path::to_path_buf) } else { None }
}

/// Looks upward from the working directory. A directory that is too wide counts for nothing, so that a stray `.mast` in
/// the home directory does not stand for every repository below it; the first one that MAST has marked is remembered.
fn search(environment: &Environment, passed_over: &mut Option<PassedOver>) -> (PathBuf, RootOrigin) {
    type Test = fn(&Path) -> bool;
    let kinds: [(&str, Test, RootOrigin); 3] = [
        (CONFIG_FILE, Path::is_file, RootOrigin::ConfigFile),
        (DEFAULT_STATE_DIR, Path::is_dir, RootOrigin::ExistingIndex),
        (".git", Path::exists, RootOrigin::GitTop),
    ];
    let here = &environment.working_directory;
    for (name, is_there, origin) in kinds {
        for directory in here.ancestors() {
            let marker = directory.join(name);
            if !is_there(&marker) {
                continue;
            }
            let Some(what) = too_wide(&canonical(directory), environment) else {
                return (directory.to_path_buf(), origin);
            };
            if origin != RootOrigin::GitTop && passed_over.is_none() {
                *passed_over = Some(PassedOver { root: directory.to_path_buf(), what, marker });
            }
        }
    }
    (here.clone(), RootOrigin::WorkingDirectory)
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
