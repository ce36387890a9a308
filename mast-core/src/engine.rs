//! **Holds** the keys of the house: configuration, store, the one writer of this process, and what is known about freshness.
//! **Takes / gives** a project in, snapshots, refreshed files and freshness out; tool calls pass through to `tools`.
//! **Never** decides what an answer says: it holds and passes.
//! **Next** `tools`.

mod checking;
mod documents;
mod freshness;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub use checking::Verdicts;
pub use documents::Document;
pub use freshness::{FreshnessReport, Signals};
pub use settings::ConfigNews;

use schemars::JsonSchema;
use serde::Deserialize;

use settings::Settings;

use crate::config::{Config, ConfigLayer, ConfigRequest, Environment, RootChoice};
use crate::error::{Error, Result};
use crate::index::{self, Configs, IndexReport, Modules, Refreshed, RunRequest, meta};
use crate::model::RepoPath;
use crate::store::{Condition, Lease, LeaseHolder, Snapshot, Store};
use crate::task::{CallContext, in_background};
use crate::telemetry::metrics::Recorder;
use crate::tools::{self, Reply};

/// How to find and open a project. As JSON: an object of the same fields, which
/// [`options_from_text`](tools::arguments::options_from_text) reads; unknown ones are refused.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OpenOptions {
    /// The project root; found from the working directory when absent.
    pub root: Option<PathBuf>,
    /// The state directory; from environment or configuration when absent.
    pub state_dir: Option<PathBuf>,
}

/// The state of the shelf that an answer rests on. While `facts` stays the same, so do the rows, and edges only come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Footing {
    /// Changes with every change of what is known about files.
    pub facts: u64,
    /// Files whose edges may not be what they should be.
    pub unrepaired: u64,
}

/// An opened project. Share it behind an [`Arc`]: every method takes `&self` and may be called from any thread.
#[derive(Debug)]
pub struct Engine {
    root: PathBuf,
    settings: Settings,
    store: Arc<Store>,
    modules: Mutex<Option<Arc<Modules>>>,
    freshness: freshness::Watchman,
    started: Instant,
    recorder: Recorder,
    lease: Mutex<Option<Lease>>,
    warnings: Mutex<Vec<String>>,
}

impl Engine {
    /// Opens a project. Nothing is created or indexed.
    pub fn open(options: OpenOptions) -> Result<Self> {
        let root = options.root.map_or(RootChoice::Search, RootChoice::Explicit);
        let request = ConfigRequest { root, state_dir: options.state_dir, layer: ConfigLayer::default() };
        Ok(Self::with_config(Config::load(&request, &Environment::of_process()?)?))
    }

    /// Opens the project of a resolved configuration.
    #[must_use]
    pub fn with_config(config: Config) -> Self {
        let store = Arc::new(Store::at(&config.state_dir));
        Self {
            recorder: Recorder::new(store.dir()),
            root: config.project_root.clone(),
            settings: Settings::new(config),
            store,
            modules: Mutex::new(None),
            freshness: freshness::Watchman::default(),
            started: Instant::now(),
            lease: Mutex::new(None),
            warnings: Mutex::new(Vec::new()),
        }
    }

    /// Makes this the engine of a long-lived process: what calls cost is written in the background, an index run gives way to
    /// answers, and a question that comes before the first index is answered.
    #[must_use]
    pub fn long_lived(mut self) -> Self {
        self.freshness.is_long_lived = true;
        self.recorder.record_in_background();
        self
    }

    /// Whether this is the engine of a long-lived process.
    #[must_use]
    pub fn is_long_lived(&self) -> bool {
        self.freshness.is_long_lived
    }

    /// Takes what the calls cost.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The configuration in force. It changes when its files do: see [`Engine::take_config_news`].
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        self.settings.current()
    }

    /// What happened to the configuration since this was asked last, in order: every call and every run looks whether its
    /// files changed.
    pub fn take_config_news(&self) -> Vec<ConfigNews> {
        self.settings.take_news()
    }

    /// Takes over configuration files that changed. One that cannot be used is a warning, and the one before it stays.
    fn renew_config(&self) {
        if self.settings.renew() {
            self.freshness.forget();
        }
    }

    /// Writes the configuration in force into the state directory, for people and other tools to read.
    ///
    /// # Errors
    /// A newer program's index is there, or the file system refused.
    pub fn save_config(&self) -> Result<()> {
        self.store.require_not_newer()?;
        self.config().save()
    }

    /// The project root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The state directory.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        self.store.dir()
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Whether there is an index, of whatever version.
    #[must_use]
    pub fn has_index(&self) -> bool {
        self.store.condition() != Condition::Missing
    }

    /// Starts from the prebuilt index in `seed` when nothing was ever indexed here; `false` when something was.
    ///
    /// # Errors
    /// The seed does not fit this program or cannot be copied.
    pub fn adopt_seed(&self, seed: &Path) -> Result<bool> {
        self.store.adopt_seed(seed)
    }

    /// Tries to become the server that keeps the index up to date; `true` when this engine holds the writer lease.
    pub fn try_lead(&self) -> Result<bool> {
        let mut lease = self.valid_lease();
        if lease.is_none() {
            *lease = Lease::try_acquire(self.store.dir())?;
        }
        Ok(lease.is_some())
    }

    /// Whether this engine holds the writer lease. It loses it when the state directory is removed.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.valid_lease().is_some()
    }

    /// Gives the writer lease back.
    pub fn resign(&self) {
        *self.valid_lease() = None;
    }

    /// The lease this engine holds, unless it is worth nothing any more.
    fn valid_lease(&self) -> MutexGuard<'_, Option<Lease>> {
        let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        lease.take_if(|lease| !lease.is_valid());
        lease
    }

    /// The server that holds the writer lease of the state directory, and whether it is this one.
    #[must_use]
    pub fn writer(&self) -> Option<(LeaseHolder, bool)> {
        if let Some(lease) = &*self.valid_lease() {
            return Some((lease.holder().clone(), true));
        }
        Lease::holder_of(self.store.dir()).map(|holder| (holder, false))
    }

    /// Adds something a person should know to what the status says.
    pub fn warn(&self, warning: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// What a person should know: about the configuration, also one that is not in force, and what [`Engine::warn`] added.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let added = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        let config = self.config();
        let refusal = self.settings.refusal();
        config.warnings.iter().chain(&refusal).chain(added.iter()).cloned().collect()
    }

    /// When this engine was opened.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Answers one tool call: the path of every door. `arguments` is the JSON object of the tool's input.
    pub fn call(&self, tool: &str, arguments: serde_json::Value, context: &CallContext<'_>) -> Result<Reply> {
        self.renew_config();
        tools::call(self, tool, arguments, context)
    }

    /// One consistent view of the index.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        self.store.snapshot()
    }

    /// Brings the index up to date with the disk; with `full`, reads every file again.
    pub fn index(&self, request: &RunRequest, context: &CallContext<'_>) -> Result<IndexReport> {
        self.renew_config();
        let config = self.config();
        let run = || index::run(&self.store, &config, request, context);
        let report = if self.is_long_lived() { in_background(run) } else { run() };
        match &report {
            Ok(_) => self.freshness.repaired(),
            Err(_) => self.freshness.forget(),
        }
        report
    }

    /// Notes that something changed in the project: what was measured of it before does not count any more.
    pub fn note_change(&self) {
        self.freshness.forget();
    }

    /// Says whether [`note_change`](Self::note_change) is called for every change from now on: what was measured may then serve
    /// for longer.
    pub fn set_watched(&self, is_watched: bool) {
        self.freshness.watched(is_watched);
    }

    /// Brings the given files up to date on the way to an answer.
    pub fn refresh(&self, paths: &[RepoPath], context: &CallContext<'_>) -> Result<Refreshed> {
        if paths.is_empty() {
            return Ok(Refreshed::default());
        }
        let modules = || self.modules();
        let refreshed = index::refresh(&self.store, &self.config(), &modules, paths, context)?;
        if refreshed != Refreshed::default() {
            self.freshness.forget();
        }
        Ok(refreshed)
    }

    /// Which of the given files differ on disk from what is indexed.
    pub fn stale_among(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>> {
        let snapshot = self.snapshot()?;
        freshness::stale_among(self.root(), &snapshot, paths)
    }

    /// The state of the shelf that an answer rests on.
    pub fn footing(&self) -> Result<Footing> {
        let snapshot = self.snapshot()?;
        Ok(Footing { facts: snapshot.facts_version()?, unrepaired: snapshot.unrepaired_count()? })
    }

    /// What is not known about answers given now, as far as it is measured; see [`Signals`].
    pub fn signals(&self) -> Result<Signals> {
        self.freshness.signals(&self.config(), &self.store)
    }

    /// Measures freshness now, whatever it takes.
    pub fn measure(&self) -> Result<FreshnessReport> {
        let began = Instant::now();
        let report = freshness::measure(&self.config(), &self.store)?;
        self.freshness.measured(&report, began);
        Ok(report)
    }

    /// The path a person or an assistant wrote, as a name within the project: `./x`, absolute inside the root, and `\` for
    /// `/` are accepted. A path outside the root is an error.
    pub fn repo_path(&self, argument: &str, written: &str) -> Result<RepoPath> {
        let slashes = written.replace('\\', "/");
        let root = self.root().to_string_lossy().replace('\\', "/");
        let relative = match slashes.strip_prefix(&*root) {
            Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/'),
            _ if slashes.starts_with('/') || Path::new(written).is_absolute() => {
                return Err(outside(argument, written));
            }
            _ => &slashes,
        };
        RepoPath::join("", relative).ok_or_else(|| outside(argument, written))
    }

    /// Module resolution over the files on the shelf, built when first asked for, and when they or a configuration file
    /// changed since.
    fn modules(&self) -> Result<Arc<Modules>> {
        let snapshot = self.snapshot()?;
        let mut cached = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(modules) = &*cached
            && modules.is_that_of(&snapshot)?
            && modules.configs().is_current(self.root())
        {
            return Ok(Arc::clone(modules));
        }
        let configs = Configs::parse(&snapshot.meta(meta::CONFIGS)?.unwrap_or_default());
        let modules = Arc::new(Modules::load(&snapshot, self.root(), configs.walked())?);
        *cached = Some(Arc::clone(&modules));
        Ok(modules)
    }
}

fn outside(argument: &str, written: &str) -> Error {
    Error::InvalidInput(format!("{argument}: `{written}` is outside the project root"))
}
