//! **Holds** the configuration: which keys there are, where each value came from, and which project is meant.
//! **Takes / gives** a [`ConfigRequest`] from a door and the process [`Environment`]; gives [`Config`], nothing optional left.
//! **Never** walks or indexes; the disk is touched for configuration files and the search for the project root only.
//! No other room reads the environment or the current directory.
//! **Next** `source`, which walks what the configuration names.

mod environment;
mod file;
mod root;
mod setting;
#[cfg(test)]
mod tests;
mod validate;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use environment::Environment;
pub use root::{RootChoice, RootOrigin};
pub use setting::{ConfigLayer, Origin, Setting};
pub use validate::normal_extension;

use crate::error::{Error, Result};
use crate::glob::Globs;

/// Name of the configuration file people write, at the project root.
pub const CONFIG_FILE: &str = "mast.config.json";

/// Name of the configuration `init` and `serve` save in the state directory.
pub const SAVED_FILE: &str = "config.json";

/// State directory when nothing else is set.
pub const DEFAULT_STATE_DIR: &str = ".mast";

/// What a door knows about the project that is meant.
#[derive(Debug, Clone, Default)]
pub struct ConfigRequest {
    /// Which directory is the project root.
    pub root: RootChoice,
    /// `--state-dir`: relative to the project root.
    pub state_dir: Option<PathBuf>,
    /// Values given on the command line.
    pub layer: ConfigLayer,
}

/// Tells one state of the configuration files from another without reading them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigStamp {
    hand_written: Option<FileState>,
    saved: Option<FileState>,
}

/// When a file was changed, and its size in bytes.
type FileState = (SystemTime, u64);

/// The resolved configuration of one project.
#[derive(Debug, Clone)]
pub struct Config {
    /// The project root, absolute, without symbolic links.
    pub project_root: PathBuf,
    /// How it was found.
    pub root_origin: RootOrigin,
    /// The state directory, absolute. It may not exist.
    pub state_dir: Setting<PathBuf>,
    /// Endings of the files to index, each with its dot.
    pub file_extensions: Setting<Vec<String>>,
    /// Globs of files and directories left out.
    pub exclude_patterns: Setting<Vec<String>>,
    /// Dot directories walked, as paths relative to the project root.
    pub include_dot_dirs: Setting<Vec<String>>,
    /// Whether files that git ignores are left out.
    pub respect_gitignore: Setting<bool>,
    /// Globs of files walked although git ignores them.
    pub include_ignored: Setting<Vec<String>>,
    /// Constant of reciprocal rank fusion.
    pub rrf_k: Setting<u32>,
    /// Whether the declaration-exact ranker takes part in a search.
    pub declaration_exact_ranker: Setting<bool>,
    /// Lines above which a declaration is split.
    pub chunk_split_threshold: Setting<u32>,
    /// Source lines shown before and after a chunk.
    pub context_lines: Setting<u32>,
    /// Deepest heading level that starts a Markdown chunk.
    pub markdown_heading_depth: Setting<u32>,
    /// `exclude_patterns`, compiled.
    pub excludes: Globs,
    /// `include_ignored`, compiled.
    pub ignored_includes: Globs,
    /// `mast.config.json`, when there is one.
    pub config_file: Option<PathBuf>,
    /// The saved configuration, when there is one.
    pub saved_file: Option<PathBuf>,
    /// What a person should know: unknown keys, a relative state directory that is easily misread.
    pub warnings: Vec<String>,
    /// What it was resolved for and in, to do it again.
    request: ConfigRequest,
    environment: Environment,
    /// The configuration files as they were when they were read.
    stamp: ConfigStamp,
    /// `state_dir` as it was written, for the saved file.
    state_dir_text: String,
    /// The one of `warnings` that is about the search for the root.
    root_warning: Option<String>,
}

impl Config {
    /// Resolves the configuration of the project that `request` means.
    ///
    /// # Errors
    /// With one line, and nothing written: [`Error::Config`] for a root that is no directory or is refused, a state directory
    /// that is a file, a file that is not valid, a value in it that cannot be used; [`Error::InvalidInput`] for a value of
    /// `request` that cannot be used.
    pub fn load(request: &ConfigRequest, environment: &Environment) -> Result<Self> {
        let given_state_dir = given_state_dir(request, environment);
        let root::FoundRoot { path: project_root, origin: root_origin, warning: root_warning } =
            root::find(&request.root, given_state_dir.as_ref(), environment)?;

        let config_file = project_root.join(CONFIG_FILE);
        let hand_written_stamp = file::stamp(&config_file);
        let mut warnings: Vec<String> = root_warning.iter().cloned().collect();
        let hand_written = file::read(&config_file)?;
        if let Some(file) = &hand_written {
            warnings.extend(file::unknown_keys(&config_file, file));
        }
        let hand_layer = file::layer(&config_file, hand_written.as_ref())?;

        let state_dir_text = match (&given_state_dir, &hand_layer.state_dir) {
            (Some(given), _) => Setting::new(given.value.clone(), given.origin),
            (None, Some(text)) => Setting::new(PathBuf::from(text), Origin::ConfigFile),
            (None, None) => Setting::new(PathBuf::from(DEFAULT_STATE_DIR), Origin::Default),
        };
        let state_dir = root::absolute(&project_root, &state_dir_text.value);
        if state_dir == project_root {
            return Err(Error::Config(format!(
                "state_dir: {} is the project root itself; name a directory inside or outside it",
                state_dir.display()
            )));
        }
        refuse_file_as_directory(&state_dir, state_dir_text.origin, &config_file)?;
        warnings.extend(misread_state_dir(&project_root, &state_dir_text, environment));

        let saved_path = state_dir.join(SAVED_FILE);
        let stamp = ConfigStamp { hand_written: hand_written_stamp, saved: file::stamp(&saved_path) };
        let saved = file::read(&saved_path)?;
        let mut saved_layer = file::layer(&saved_path, saved.as_ref())?;
        // A path from another run may lead to a place that is gone, or that belongs to another project.
        saved_layer.state_dir = None;

        let flags = validate::layer(&request.layer).map_err(Error::InvalidInput)?;
        let layers = setting::Layers { flags, hand_written: hand_layer, saved: saved_layer };
        Self {
            excludes: Globs::default(),
            ignored_includes: Globs::default(),
            file_extensions: layers.pick(|l| l.file_extensions.as_ref(), || owned(&setting::FILE_EXTENSIONS)),
            exclude_patterns: layers
                .pick(|l| l.exclude_patterns.as_ref(), || owned(&setting::EXCLUDE_PATTERNS)),
            include_dot_dirs: layers.pick(|l| l.include_dot_dirs.as_ref(), Vec::new),
            respect_gitignore: layers.pick(|l| l.respect_gitignore.as_ref(), || true),
            include_ignored: layers.pick(|l| l.include_ignored.as_ref(), Vec::new),
            rrf_k: layers.pick(|l| l.rrf_k.as_ref(), || 60),
            declaration_exact_ranker: layers.pick(|l| l.declaration_exact_ranker.as_ref(), || true),
            chunk_split_threshold: layers.pick(|l| l.chunk_split_threshold.as_ref(), || 100),
            context_lines: layers.pick(|l| l.context_lines.as_ref(), || 3),
            markdown_heading_depth: layers.pick(|l| l.markdown_heading_depth.as_ref(), || 2),
            state_dir: Setting::new(state_dir, state_dir_text.origin),
            config_file: hand_written.is_some().then_some(config_file),
            saved_file: saved.is_some().then_some(saved_path),
            warnings,
            request: request.clone(),
            environment: environment.clone(),
            stamp,
            state_dir_text: state_dir_text.value.to_string_lossy().into_owned(),
            root_warning,
            project_root,
            root_origin,
        }
        .compiled()
    }

    /// The configuration files as they were when this configuration was read.
    #[must_use]
    pub fn stamp(&self) -> &ConfigStamp {
        &self.stamp
    }

    /// The configuration files as they are now.
    #[must_use]
    pub fn stamp_now(&self) -> ConfigStamp {
        ConfigStamp {
            hand_written: file::stamp(&self.project_root.join(CONFIG_FILE)),
            saved: file::stamp(&self.state_dir.join(SAVED_FILE)),
        }
    }

    /// The same project's configuration as its files say now. Root and state directory stay: what is open there cannot
    /// move.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn reloaded(&self) -> Result<Self> {
        let stamp = self.stamp_now();
        let request =
            ConfigRequest { root: RootChoice::Explicit(self.project_root.clone()), ..self.request.clone() };
        let mut config = Self::load(&request, &self.environment)?;
        if *config.state_dir != *self.state_dir {
            config.warnings.push(format!(
                "state_dir: changed to {}; it takes effect when mast is started again",
                config.state_dir.display()
            ));
            config.state_dir = self.state_dir.clone();
            config.state_dir_text.clone_from(&self.state_dir_text);
        }
        config.root_origin = self.root_origin;
        if let Some(warning) = &self.root_warning {
            config.warnings.insert(0, warning.clone());
        }
        config.root_warning.clone_from(&self.root_warning);
        config.stamp = stamp;
        Ok(config)
    }

    /// Whether both configurations have the same values, wherever they came from, and the same warnings.
    #[must_use]
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        file::values(self) == file::values(other) && self.warnings == other.warnings
    }

    /// Compiles the globs; they were validated with their layer, so this cannot fail for a value that got here.
    fn compiled(mut self) -> Result<Self> {
        let compile =
            |patterns: &[String]| Globs::new(patterns).map_err(|error| Error::Config(error.to_string()));
        self.excludes = compile(&self.exclude_patterns)?;
        self.ignored_includes = compile(&self.include_ignored)?;
        Ok(self)
    }

    /// Writes the resolved configuration to `<state_dir>/config.json`, unless it says so already. `init` and `serve` call
    /// this, nothing else does.
    pub fn save(&self) -> Result<()> {
        file::save(self)
    }

    /// Says which root was found when it is not the directory the process stands in and nobody named it.
    #[must_use]
    pub fn root_note(&self) -> Option<String> {
        let why = self.root_origin.reason()?;
        (self.project_root != root::canonical(&self.environment.working_directory))
            .then(|| format!("using project root {} ({why})", self.project_root.display()))
    }

    /// Whether the file name `name` ends in a listed extension (and is more than that ending).
    #[must_use]
    pub fn is_indexed_name(&self, name: &str) -> bool {
        self.file_extensions.iter().any(|ext| name.len() > ext.len() && name.ends_with(ext.as_str()))
    }
}

/// The state directory of flag or environment.
fn given_state_dir(request: &ConfigRequest, environment: &Environment) -> Option<Setting<PathBuf>> {
    let flag = request.state_dir.clone().map(|path| Setting::new(path, Origin::Flag));
    flag.or_else(|| environment.state_dir.clone().map(|path| Setting::new(path, Origin::Environment)))
        .filter(|setting| !setting.value.as_os_str().is_empty())
}

/// A state directory cannot be where a file is, nor below one.
fn refuse_file_as_directory(state_dir: &Path, origin: Origin, config_file: &Path) -> Result<()> {
    let existing = state_dir.ancestors().find_map(|path| Some((path, path.metadata().ok()?)));
    let Some((file, metadata)) = existing else { return Ok(()) };
    if metadata.is_dir() {
        return Ok(());
    }
    let source = match origin {
        Origin::Flag => "--state-dir: ".to_owned(),
        Origin::Environment => "MAST_STATE_DIR: ".to_owned(),
        Origin::ConfigFile => format!("{}: state_dir: ", config_file.display()),
        Origin::Saved | Origin::Default => String::new(),
    };
    Err(Error::Config(format!(
        "{source}{} is not a directory; move it away, or name another place for the index",
        file.display()
    )))
}

/// A warning for a relative state directory of flag or environment that would be another place from the working directory.
fn misread_state_dir(root: &Path, given: &Setting<PathBuf>, environment: &Environment) -> Option<String> {
    let name = match given.origin {
        Origin::Flag => "--state-dir",
        Origin::Environment => "MAST_STATE_DIR",
        _ => return None,
    };
    let meant = root::absolute(root, &given.value);
    let seen = root::absolute(&root::canonical(&environment.working_directory), &given.value);
    (meant != seen).then(|| {
        format!(
            "{name} {} is relative to the project root, so it means {}, not {}",
            given.value.display(),
            meant.display(),
            seen.display()
        )
    })
}

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|&item| item.to_owned()).collect()
}
