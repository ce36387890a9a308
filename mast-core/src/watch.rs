//! File events of a project, gathered into batches: tells when the index should be brought up to date.
//!
//! Only the directories the walk enters are watched, each by itself, so `node_modules` costs nothing. An event says
//! that something changed, never what: the index run that follows looks for itself. That way an event that was lost or
//! came in an odd order can delay a change, but never make a wrong one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::config::Config;
use crate::model::Language;
use crate::source;

/// Quiet time after the last event before a batch is complete.
const DEBOUNCE: Duration = Duration::from_millis(500);

/// A batch is complete after this long even when events keep coming.
const LONGEST_BATCH: Duration = Duration::from_secs(5);

/// Walks in a row that may each find directories the one before did not.
const MAX_WALKS: usize = 8;

/// How often a watch that hit a limit of the system asks to look instead.
const POLL: Duration = Duration::from_secs(10);

/// What waiting for events gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// Nothing that matters to the index.
    Quiet,
    /// Something changed: bring the index up to date.
    Changed,
}

/// The watched directories of one project.
#[derive(Debug)]
pub struct Watch {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    root: PathBuf,
    state_dir: PathBuf,
    watched: BTreeSet<PathBuf>,
    /// Directories came or went since the watches were set.
    is_outdated: bool,
    /// Why not everything is watched, in a few words.
    limit: Option<String>,
    polled_at: Instant,
}

impl Watch {
    /// Watches the directories that the walk of `config` enters. `on_event` is called at once for whatever happens in them,
    /// while [`wait`](Self::wait) tells of it when it is over.
    ///
    /// # Errors
    /// Why watching is not possible, in a few words. A limit of the system on single directories is no error: see
    /// [`Watch::limit`].
    pub fn start(config: &Config, on_event: impl Fn() + Send + 'static) -> Result<Self, String> {
        let (sender, events) = channel();
        let state_dir = config.state_dir.value.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.as_ref().map_or(true, |event| is_change(event, &state_dir)) {
                on_event();
            }
            // The receiver is gone only when the watch is.
            let _ = sender.send(event);
        });
        let mut watch = Self {
            watcher: watcher.map_err(|error| describe(&error))?,
            events,
            root: config.project_root.clone(),
            state_dir: config.state_dir.value.clone(),
            watched: BTreeSet::new(),
            is_outdated: true,
            limit: None,
            polled_at: Instant::now(),
        };
        watch.renew(config);
        if watch.watched.is_empty() {
            return Err(watch.limit.unwrap_or_else(|| "no directory can be watched".into()));
        }
        Ok(watch)
    }

    /// Looks again which directories are walked, at the next [`wait`](Self::wait): another configuration is in force.
    pub fn reconsider(&mut self) {
        self.is_outdated = true;
    }

    /// Why not every directory is watched; the rest is looked at every ten seconds instead.
    #[must_use]
    pub fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }

    /// Waits at most `patience` for the first event that matters, then until no more come. Watches directories that came
    /// with them before it returns, so that an index run begun afterwards misses nothing.
    pub fn wait(&mut self, config: &Config, patience: Duration) -> Batch {
        let begin = Instant::now();
        let mut first = None;
        let mut last = begin;
        loop {
            let now = Instant::now();
            let until = match first {
                None => begin + patience,
                Some(first) => (last + DEBOUNCE).min(first + LONGEST_BATCH),
            };
            match self.events.recv_timeout(until.saturating_duration_since(now)) {
                Ok(event) => {
                    if self.matters(event, config) {
                        last = Instant::now();
                        first.get_or_insert(last);
                    }
                }
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.limit.get_or_insert_with(|| "the system's file watcher ended".into());
                    std::thread::sleep(until.saturating_duration_since(now));
                    break;
                }
            }
            if Instant::now() >= until {
                break;
            }
        }
        if self.is_outdated {
            self.renew(config);
        }
        let is_due = self.limit.is_some() && self.polled_at.elapsed() >= POLL;
        if first.is_some() || is_due {
            self.polled_at = Instant::now();
            return Batch::Changed;
        }
        Batch::Quiet
    }

    /// Whether an event can change the index; notes directories that come and go.
    fn matters(&mut self, event: notify::Result<Event>, config: &Config) -> bool {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                // Something was missed: look at everything.
                self.is_outdated = true;
                for path in &error.paths {
                    self.forget_below(path);
                }
                return true;
            }
        };
        if event.need_rescan() {
            self.is_outdated = true;
            return true;
        }
        if !is_change(&event, &self.state_dir) {
            return false;
        }
        let mut matters = false;
        for path in &event.paths {
            if path.starts_with(&self.state_dir) {
                continue;
            }
            if self.is_directory_change(event.kind, path) {
                self.is_outdated = true;
                self.forget_below(path);
                matters = true;
            } else {
                matters |= is_read_by_index(path, config);
            }
        }
        matters
    }

    /// Whether the event creates, removes or renames a directory. After the fact, a name that is gone tells nothing, so
    /// a watched one and one without an extension count.
    fn is_directory_change(&self, kind: EventKind, path: &Path) -> bool {
        match kind {
            EventKind::Create(_) => path.is_dir(),
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => {
                path.is_dir() || self.watched.contains(path) || (!path.exists() && path.extension().is_none())
            }
            _ => false,
        }
    }

    /// The system drops the watches of directories that are removed or moved; ours must be set again should they return.
    fn forget_below(&mut self, path: &Path) {
        let gone: Vec<PathBuf> = self.watched.iter().filter(|dir| dir.starts_with(path)).cloned().collect();
        for directory in gone {
            // Usually the system was quicker.
            let _ = self.watcher.unwatch(&directory);
            self.watched.remove(&directory);
        }
    }

    /// Sets watches on all directories of the walk, and takes them off directories that are left out now.
    ///
    /// A directory made after the walk and before its parent was watched sends no event. So the tree is walked again until
    /// it holds no directory that is not watched.
    fn renew(&mut self, config: &Config) {
        self.is_outdated = false;
        for _ in 0..MAX_WALKS {
            if !self.watch_walked(config) {
                return;
            }
        }
        // The tree does not rest; what was missed is found with the next events.
        self.is_outdated = true;
    }

    /// Walks, and sets watches on what was found; whether one was added.
    fn watch_walked(&mut self, config: &Config) -> bool {
        let wanted: BTreeSet<PathBuf> =
            source::walk(config).directories.iter().map(|directory| self.root.join(directory)).collect();
        for gone in self.watched.difference(&wanted) {
            let _ = self.watcher.unwatch(gone);
        }
        self.watched.retain(|directory| wanted.contains(directory));
        self.limit = None;
        let mut is_new = false;
        for directory in wanted {
            if self.watched.contains(&directory) {
                continue;
            }
            match self.watcher.watch(&directory, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(directory);
                    is_new = true;
                }
                // It went between the walk and now; its parent's event follows.
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                Err(error) => {
                    self.limit.get_or_insert_with(|| describe(&error));
                }
            }
        }
        is_new
    }
}

/// Whether an event tells of more than reading, and of more than the index itself.
fn is_change(event: &Event, state_dir: &Path) -> bool {
    let is_elsewhere = event.paths.is_empty() || event.paths.iter().any(|path| !path.starts_with(state_dir));
    is_elsewhere && !matches!(event.kind, EventKind::Access(_))
}

/// Whether a run of the index reads the file: sources, ignore rules, and what module resolution depends on.
fn is_read_by_index(path: &Path, config: &Config) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    config.is_indexed_name(name)
        || Language::of(name).is_some()
        || name == ".gitignore"
        || name == "pnpm-workspace.yaml"
        || path.extension().is_some_and(|extension| extension == "json")
}

fn describe(error: &notify::Error) -> String {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => "the system's limit of watched directories is reached".into(),
        notify::ErrorKind::Io(error) => error.to_string().to_lowercase(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::{ConfigLayer, ConfigRequest, Environment, RootChoice};

    /// Longer than any file system takes to tell.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn project() -> (tempfile::TempDir, Config) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src")).unwrap();
        fs::write(dir.path().join("src/a.ts"), "export const a = 1;\n").unwrap();
        let request = ConfigRequest {
            root: RootChoice::Explicit(dir.path().to_path_buf()),
            state_dir: None,
            layer: ConfigLayer::default(),
        };
        let environment =
            Environment { working_directory: dir.path().to_path_buf(), ..Environment::default() };
        let config = Config::load(&request, &environment).unwrap();
        (dir, config)
    }

    #[test]
    fn a_changed_source_is_told_and_what_the_index_never_reads_is_not() {
        let (dir, config) = project();
        let mut watch = Watch::start(&config, || ()).unwrap();
        assert_eq!(watch.limit(), None);
        fs::write(dir.path().join("src/notes.txt"), "x").unwrap();
        let _ = fs::read(dir.path().join("src/a.ts")).unwrap();
        assert_eq!(watch.wait(&config, Duration::from_millis(700)), Batch::Quiet);
        fs::write(dir.path().join("src/a.ts"), "export const a = 2;\n").unwrap();
        assert_eq!(watch.wait(&config, PATIENCE), Batch::Changed);
        assert_eq!(watch.wait(&config, Duration::from_millis(700)), Batch::Quiet, "one batch for one change");
    }

    #[test]
    fn a_change_is_heard_of_before_it_is_over() {
        let (dir, config) = project();
        let (sender, heard) = channel();
        let _watch = Watch::start(&config, move || sender.send(()).unwrap()).unwrap();
        let _ = fs::read(dir.path().join("src/a.ts")).unwrap();
        assert!(heard.recv_timeout(Duration::from_millis(300)).is_err(), "reading is no change");
        fs::write(dir.path().join("src/a.ts"), "export const a = 2;\n").unwrap();
        assert_eq!(heard.recv_timeout(PATIENCE), Ok(()));
    }

    #[test]
    fn directories_that_appear_are_watched_too() {
        let (dir, config) = project();
        let mut watch = Watch::start(&config, || ()).unwrap();
        fs::create_dir_all(dir.path().join("src/deep/er")).unwrap();
        assert_eq!(watch.wait(&config, PATIENCE), Batch::Changed);
        fs::write(dir.path().join("src/deep/er/b.ts"), "").unwrap();
        assert_eq!(watch.wait(&config, PATIENCE), Batch::Changed);

        fs::rename(dir.path().join("src/deep"), dir.path().join("src/other")).unwrap();
        assert_eq!(watch.wait(&config, PATIENCE), Batch::Changed);
        fs::write(dir.path().join("src/other/er/c.ts"), "").unwrap();
        assert_eq!(watch.wait(&config, PATIENCE), Batch::Changed);
    }

    #[test]
    fn the_state_directory_wakes_nobody() {
        let (dir, config) = project();
        fs::create_dir(dir.path().join(".mast")).unwrap();
        let mut watch = Watch::start(&config, || ()).unwrap();
        fs::write(dir.path().join(".mast/index.json"), "{}").unwrap();
        assert_eq!(watch.wait(&config, Duration::from_millis(700)), Batch::Quiet);
    }
}
