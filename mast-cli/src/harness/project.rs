//! The little a hook has to know about a project, read from a few files: no database, no walk.

use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use mast_core::config::{Config, ConfigLayer, ConfigRequest, Environment, RootChoice};
use mast_core::index::any_indexed;
use mast_core::store::{IndexStamp, SCHEMA_VERSION};
use serde_json::Value;

use super::file_edit::{self, canonical};
use super::reach::{Place, Reach};
use super::scope::Search;
use super::{Harness, Hooks, Rules, json_text, text};

/// A project as a hook sees it.
#[derive(Debug)]
pub(crate) struct Project {
    /// The project root; where the search began when no project can be made out.
    pub(crate) root: PathBuf,
    /// Where the search for it began.
    directory: PathBuf,
    /// Absent when it cannot be used: every other command stops with the reason then.
    config: Option<Config>,
}

impl Project {
    /// The project `directory` lies in, as every command would find it from there.
    pub(crate) fn around(directory: &Path) -> Self {
        let process = Environment::of_process().unwrap_or_default();
        let environment = Environment { working_directory: directory.to_path_buf(), ..process };
        let request =
            ConfigRequest { root: RootChoice::Search, state_dir: None, layer: ConfigLayer::default() };
        let config = Config::load(&request, &environment).ok();
        let root =
            config.as_ref().map_or_else(|| directory.to_path_buf(), |config| config.project_root.clone());
        Self { root, directory: directory.to_path_buf(), config }
    }

    /// Whether something has been indexed that this program can read.
    pub(crate) fn has_index(&self) -> bool {
        self.stamp().is_some_and(|stamp| stamp.schema_version == SCHEMA_VERSION && stamp.file_count > 0)
    }

    /// Whether a search finds a file of the index: one the last run listed or, while a run has the list withdrawn, one
    /// the configuration lets in.
    pub(crate) fn indexes(&self, search: &Search) -> bool {
        let Some(config) = &self.config else { return false };
        let places = if search.paths.is_empty() {
            self.place("").into_iter().collect()
        } else {
            search.paths.iter().filter_map(|path| self.place(path)).collect()
        };
        let reach = Reach::new(search, places);
        any_indexed(&config.state_dir, &|path| reach.finds(path)).unwrap_or_else(|| reach.fits(config))
    }

    /// The part of the project that `path` names; `None` when it lies elsewhere.
    fn place(&self, path: &str) -> Option<Place> {
        // What a variable of the shell holds is not known here.
        if path.contains(['$', '`']) {
            return Some(Place::default());
        }
        let (literal, pattern) = Place::split(path);
        let directory = match literal.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                env::home_dir()?.join(rest.trim_start_matches('/'))
            }
            _ => self.directory.join(literal),
        };
        let directory = real(&directory);
        let Ok(inside) = directory.strip_prefix(&self.root) else {
            // A directory above the project is searched through it.
            return self.root.starts_with(&directory).then(Place::default);
        };
        let names: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
        Some(Place { path: names?.join("/"), pattern: pattern.map(str::to_owned) })
    }

    /// Whether hooks of `harness` are installed here or for the user.
    pub(crate) fn has_hooks_of(&self, harness: &Harness) -> bool {
        harness.hooks.as_ref().is_some_and(|hooks| has_entries(hooks, &self.root.join(hooks.project_file)))
            || user_has_hooks_of(harness)
    }

    /// Whether hooks, a rules file or a block of `harness` are installed in the project.
    pub(crate) fn has_parts_of(&self, harness: &Harness) -> bool {
        let has_rules = match &harness.rules {
            Rules::None => false,
            Rules::Own { places, .. } => places.iter().any(|place| self.root.join(place).is_file()),
            // In a file that `mast skill --install` writes too, the block is counted there.
            Rules::Block { candidates } => candidates
                .iter()
                .filter(|name| !text::AGENT_FILES.contains(name))
                .filter_map(|name| file_edit::read(&self.root.join(name)).ok()?)
                .any(|text| super::marked_block::is_present(&text)),
        };
        let has_hooks =
            harness.hooks.as_ref().is_some_and(|h| has_entries(h, &self.root.join(h.project_file)));
        has_rules || has_hooks
    }

    /// The index's number of files, as of its last run.
    pub(crate) fn indexed_files(&self) -> Option<u64> {
        self.stamp().map(|stamp| stamp.file_count)
    }

    /// What the last index run left behind.
    fn stamp(&self) -> Option<IndexStamp> {
        IndexStamp::read(&self.config.as_ref()?.state_dir).ok()?
    }
}

/// Whether hooks of `harness` are installed for the user.
pub(crate) fn user_has_hooks_of(harness: &Harness) -> bool {
    let (Some(hooks), Some(home)) = (&harness.hooks, env::home_dir()) else { return false };
    has_entries(hooks, &home.join(hooks.user_file))
}

fn has_entries(hooks: &Hooks, file: &Path) -> bool {
    let text = file_edit::read(file).ok().flatten();
    text.is_some_and(|text| hooks.format.has_ours(text.trim_start_matches('\u{feff}')))
}

/// A small JSON file, comments allowed; `None` when it is missing or not readable as such.
pub(crate) fn read_json(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(text).ok().or_else(|| {
        let readable = json_text::readable(text);
        let json = json_text::JsonText::parse(&readable).ok()?;
        Some(json.root().clone().into())
    })
}

/// `path` without links where it exists, and without `.` and `..` where it does not.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = canonical(path) {
        return real;
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    let found = plain.ancestors().find_map(|above| Some((above, canonical(above).ok()?)));
    match found.and_then(|(above, real)| Some(real.join(plain.strip_prefix(above).ok()?))) {
        Some(path) => path,
        None => plain,
    }
}
