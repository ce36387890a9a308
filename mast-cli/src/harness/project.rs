//! The little a hook has to know about a project, read from a few small files: no database, no walk.

use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use mast_core::config::{Config, ConfigLayer, ConfigRequest, Environment, RootChoice};
use mast_core::store::{IndexStamp, SCHEMA_VERSION};
use serde_json::Value;

use super::file_edit::canonical;
use super::scope::{self, Search};
use super::{Harness, Hooks, Rules, text};

/// A project as a hook sees it.
#[derive(Debug)]
pub(crate) struct Project {
    /// The project root; where the search began when no project can be made out.
    pub(crate) root: PathBuf,
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
        Self { root, config }
    }

    /// Whether something has been indexed that this program can read.
    pub(crate) fn has_index(&self) -> bool {
        self.stamp().is_some_and(|stamp| stamp.schema_version == SCHEMA_VERSION && stamp.file_count > 0)
    }

    /// Whether a search reaches files of a kind the project indexes. `cwd` is where its paths begin.
    pub(crate) fn indexes(&self, search: &Search, cwd: Option<&str>) -> bool {
        let Some(config) = &self.config else { return false };
        let has = |extension: &str| config.file_extensions.iter().any(|known| known == extension);
        let types_fit =
            search.types.is_empty() || search.types.iter().any(|name| scope::type_reaches(name, &has));
        let globs_fit =
            search.globs.is_empty() || search.globs.iter().any(|glob| scope::glob_reaches(glob, &has));
        types_fit
            && globs_fit
            && (search.paths.is_empty() || search.paths.iter().any(|path| self.reaches(path, cwd, &has)))
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
                .filter_map(|name| fs::read_to_string(self.root.join(name)).ok())
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

    /// Whether the file or directory `path` holds, or may hold, files the project indexes.
    fn reaches(&self, path: &str, cwd: Option<&str>, has: &dyn Fn(&str) -> bool) -> bool {
        let path = real(&cwd.map_or(self.root.as_path(), Path::new).join(path));
        let Ok(inside) = path.strip_prefix(&self.root) else {
            // A directory above the project is searched through it.
            return self.root.starts_with(&path);
        };
        if inside.components().any(|part| part.as_os_str() == "node_modules") {
            return false;
        }
        if path.is_dir() {
            return true;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(extension) => has(&format!(".{extension}")),
            // A pattern, or a name that is not there.
            None => !path.is_file(),
        }
    }
}

/// Whether hooks of `harness` are installed for the user.
pub(crate) fn user_has_hooks_of(harness: &Harness) -> bool {
    let (Some(hooks), Some(home)) = (&harness.hooks, env::home_dir()) else { return false };
    has_entries(hooks, &home.join(hooks.user_file))
}

fn has_entries(hooks: &Hooks, file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| hooks.format.has_ours(text.trim_start_matches('\u{feff}')))
}

/// A small JSON file, comments allowed; `None` when it is missing or not readable as such.
pub(crate) fn read_json(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(text).ok().or_else(|| {
        let json = super::json_text::JsonText::parse(text).ok()?;
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
