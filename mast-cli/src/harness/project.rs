//! The little a hook has to know about a project, read from a few small files: no database, no walk.

use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use mast_core::store::SCHEMA_VERSION;
use serde_json::Value;

use super::scope::{self, Search};
use super::{Harness, Hooks, Rules, text};

/// What is indexed where nothing else is configured.
const DEFAULT_EXTENSIONS: [&str; 5] = [".ts", ".tsx", ".js", ".jsx", ".md"];

/// A project as a hook sees it.
#[derive(Debug)]
pub(crate) struct Project {
    /// The project root.
    pub(crate) root: PathBuf,
    state_dir: PathBuf,
    config: Value,
}

impl Project {
    /// The project `directory` lies in: the one an absolute `MAST_STATE_DIR` names, else the nearest directory upward
    /// with `mast.config.json`, else with `.mast`, else the git work tree, else `directory` itself.
    pub(crate) fn around(directory: &Path) -> Self {
        let from_env = env::var_os("MAST_STATE_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = match from_env.as_deref() {
            Some(state) if state.is_absolute() && state.file_name().is_some_and(|name| name == ".mast") => {
                state.parent().unwrap_or(directory).to_path_buf()
            }
            _ => find_root(directory),
        };
        let config = read_json(&root.join("mast.config.json")).unwrap_or_default();
        let named = config.get("state_dir").and_then(Value::as_str).map(PathBuf::from);
        let state_dir = root.join(from_env.or(named).unwrap_or_else(|| ".mast".into()));
        Self { root, state_dir, config }
    }

    /// Whether something has been indexed that this program can read.
    pub(crate) fn has_index(&self) -> bool {
        let Some(stamp) = read_json(&self.state_dir.join("index.json")) else { return false };
        let is_ours = stamp.get("schema_version").and_then(Value::as_str) == Some(SCHEMA_VERSION);
        let is_empty = stamp.get("file_count").and_then(Value::as_u64) == Some(0);
        is_ours && !is_empty && self.state_dir.join("graph.db").is_file()
    }

    /// Whether a search reaches files of a kind the project indexes. `cwd` is where its paths begin.
    pub(crate) fn indexes(&self, search: &Search, cwd: Option<&str>) -> bool {
        let extensions = self.extensions();
        let has = |extension: &str| extensions.iter().any(|known| known == extension);
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
        read_json(&self.state_dir.join("index.json"))?.get("file_count")?.as_u64()
    }

    fn extensions(&self) -> Vec<String> {
        let listed = |config: &Value| {
            let list = config.get("file_extensions")?.as_array()?;
            let names = list.iter().filter_map(Value::as_str);
            Some(names.map(|name| format!(".{}", name.trim_start_matches('.'))).collect::<Vec<_>>())
        };
        listed(&self.config)
            .or_else(|| listed(&read_json(&self.state_dir.join("config.json"))?))
            .unwrap_or_else(|| DEFAULT_EXTENSIONS.map(str::to_owned).to_vec())
    }

    fn reaches(&self, path: &str, cwd: Option<&str>, has: &dyn Fn(&str) -> bool) -> bool {
        let base = cwd.map_or_else(|| self.root.clone(), PathBuf::from);
        let path = normal(&base.join(path));
        let Ok(inside) = path.strip_prefix(normal(&self.root)) else {
            // A directory above the project is searched through it.
            return normal(&self.root).starts_with(&path);
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

/// The root by what lies in the directories above, never the home directory or the root of the file system.
pub(crate) fn find_root(directory: &Path) -> PathBuf {
    let home = env::home_dir();
    let may_be_root = |candidate: &Path| candidate.parent().is_some() && home.as_deref() != Some(candidate);
    let nearest = |holds: &dyn Fn(&Path) -> bool| {
        directory
            .ancestors()
            .find(|candidate| may_be_root(candidate) && holds(candidate))
            .map(Path::to_path_buf)
    };
    nearest(&|candidate| candidate.join("mast.config.json").is_file())
        .or_else(|| nearest(&|candidate| candidate.join(".mast").is_dir()))
        .or_else(|| nearest(&|candidate| candidate.join(".git").exists()))
        .unwrap_or_else(|| directory.to_path_buf())
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

/// `path` without `.` and `..`, by text alone.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
