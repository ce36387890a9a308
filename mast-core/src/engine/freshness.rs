//! What is known about freshness without making an answer wait: measured now by one-shot processes, in the background by
//! long-lived ones.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::{are_configs_outdated, is_extraction_outdated, meta};
use crate::model::RepoPath;
use crate::source::{self, Freshness, FreshnessCause, IndexVersion, Measured, Walk};
use crate::store::{Condition, IndexStamp, Reader, SCHEMA_VERSION, Store, is_run_under_way};
use crate::task::Progress;

/// How long an answer waits for the measurement.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long it waits where [`FEW`] files are measured within a few milliseconds: what takes longer then is a machine that is
/// busy with something else, and an answer that may be incomplete is worse than a late one.
const PATIENCE_FOR_FEW: Duration = Duration::from_secs(1);

/// See [`PATIENCE_FOR_FEW`].
const FEW: u64 = 1_000;

/// Age at which a long-lived process measures again. Questions that come in a burst share a measurement; who edits a file and then
/// asks gets one that saw the edit.
const MAX_AGE: Duration = Duration::from_millis(20);

/// Where changes are heard of, a measurement serves at least this many times as long as it took, so that a large project does
/// not measure all the time.
const WORTH: u32 = 10;

/// What is not known about an answer given now. `None` means that it does not apply or was not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signals {
    /// Nothing is indexed.
    pub index_empty: bool,
    /// Files on disk that are not in the index.
    pub unindexed_files: Option<u64>,
    /// Files whose edges wait to be made.
    pub pending_edge_repairs: Option<u64>,
    /// A build is under way.
    pub index_building: Option<Progress>,
    /// Indexed files that changed or are gone; `Some(None)` when there was no time to measure.
    pub changed_files: Option<Option<u64>>,
    /// Files with an indexed extension that the last walk left out.
    pub excluded_files: Option<u64>,
}

/// Everything there is to say about the freshness of an index.
#[derive(Debug, Clone)]
pub struct FreshnessReport {
    /// Version of the schema that built the index.
    pub index_schema_version: Option<String>,
    /// The stamp of the last finished run.
    pub stamp: Option<IndexStamp>,
    /// Indexed files.
    pub indexed_files: u64,
    /// Their chunks.
    pub chunk_count: u64,
    /// Disk against index.
    pub freshness: Freshness,
    /// Files whose edges wait to be made, those of `misresolved_files` included.
    pub pending_edge_repairs: u64,
    /// Files whose imports may mean something else now, because a configuration file that module resolution rests on
    /// (`tsconfig.json`, `package.json`, …) changed.
    pub misresolved_files: u64,
    /// A build under way.
    pub index_building: Option<Progress>,
    /// Why the index is not fresh.
    pub cause: Option<FreshnessCause>,
    /// What cannot be read and why, when that is the cause.
    pub unreadable: Option<String>,
    /// Files with an indexed extension that rules keep out.
    pub excluded_files: u64,
}

impl FreshnessReport {
    /// Whether every answer rests on the files as they are now.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.cause.is_none() && self.stamp.is_some() && self.index_building.is_none()
    }
}

/// Measures freshness now: walks, stats, compares.
pub(super) fn measure(config: &Config, store: &Store) -> Result<FreshnessReport> {
    let condition = store.condition();
    let unreadable = condition.unreadable();
    let (stamp, version, found) = match condition {
        Condition::Ready => {
            (IndexStamp::read(store.dir())?, IndexVersion::Current, Some(SCHEMA_VERSION.to_owned()))
        }
        Condition::Missing => (None, IndexVersion::None, None),
        Condition::Older(found) | Condition::Newer(found) => {
            (IndexStamp::read(store.dir()).ok().flatten(), IndexVersion::Other, Some(found))
        }
        Condition::StampUnreadable(_) | Condition::Damaged(_) | Condition::Unreachable(_) => {
            (None, IndexVersion::Unreadable, None)
        }
        Condition::Busy => return Err(Error::Busy("the index is being written; try again shortly".into())),
    };
    let walk = source::walk(config);
    let snapshot = if version == IndexVersion::Current { Some(store.snapshot()?) } else { None };
    let known: Vec<_> = match &snapshot {
        Some(snapshot) => snapshot.files()?.into_iter().map(|row| (row.path, row.stamp)).collect(),
        None => Vec::new(),
    };
    let (indexed_files, chunk_count) = snapshot.as_ref().map_or(Ok((0, 0)), |s| s.counts())?;
    let misresolved_files = snapshot.as_ref().map_or(Ok(0), |s| misresolved(s, config, &walk))?;
    let pending = snapshot.as_ref().map_or(Ok(0), |s| s.unrepaired_count())?;
    let pending_edge_repairs = pending.max(misresolved_files);
    let index_building = snapshot.as_ref().map_or(Ok(None), |s| building(s, store.dir()))?;
    let is_read_anew = snapshot.as_ref().map_or(Ok(false), |s| is_extraction_outdated(s, config))?;
    let freshness = if is_read_anew {
        // Whatever their bytes, none of them says what it would say now.
        source::measure_outdated(&walk, known.into_iter().map(|(path, _)| path))
    } else {
        source::measure(&config.project_root, &walk, known)
    };
    let version =
        if stamp.is_none() && version == IndexVersion::Current { IndexVersion::None } else { version };
    Ok(FreshnessReport {
        index_schema_version: found,
        indexed_files,
        chunk_count,
        pending_edge_repairs,
        misresolved_files,
        index_building,
        cause: freshness.cause(version, pending_edge_repairs),
        excluded_files: walk.left_out_files(),
        freshness,
        stamp,
        unreadable,
    })
}

/// Files whose imports must be looked at again because a configuration file that resolution rests on changed.
fn misresolved(reader: &Reader, config: &Config, walk: &Walk) -> Result<u64> {
    if are_configs_outdated(reader, &config.project_root, &walk.configs)? {
        return reader.importing_file_count();
    }
    Ok(0)
}

/// Which of `paths` differ on disk from what the shelf holds.
pub(super) fn stale_among(root: &Path, reader: &Reader, paths: &[RepoPath]) -> Result<Vec<RepoPath>> {
    let mut known = Vec::with_capacity(paths.len());
    for path in paths {
        known.extend(reader.file(path)?.map(|row| (row.path, row.stamp)));
    }
    let measured = source::changed_among(root, known);
    let stale = measured.into_iter().filter(|(_, state)| !matches!(state, Measured::Touched(_)));
    Ok(stale.map(|(path, _)| path).collect())
}

/// How far a build under way is: as recorded with the last batch. What a run that died recorded is no build under way.
fn building(reader: &Reader, state_dir: &Path) -> Result<Option<Progress>> {
    let recorded = reader.meta(meta::BUILDING)?.filter(|_| is_run_under_way(state_dir));
    Ok(recorded.and_then(|text| {
        let (done, total) = text.split_once(' ')?;
        Some(Progress { done: done.parse().ok()?, total: total.parse().ok()? })
    }))
}

#[derive(Debug, Clone, Copy)]
struct Counts {
    unindexed: u64,
    changed: u64,
    misresolved: u64,
}

impl Counts {
    fn of(report: &FreshnessReport) -> Self {
        let freshness = &report.freshness;
        Self {
            unindexed: freshness.unindexed.len() as u64,
            changed: (freshness.changed.len() + freshness.deleted.len()) as u64,
            misresolved: report.misresolved_files,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    counts: Option<Counts>,
    /// When the measurement that gave the counts began.
    measured_at: Option<Instant>,
    /// When something changed last, as far as it was heard of.
    changed_at: Option<Instant>,
    /// How long that took.
    took: Duration,
    is_measuring: bool,
    /// Changes are heard of.
    is_watched: bool,
}

impl State {
    /// Whether the measurement serves a question of `asked_at`: it began after it, or, in a process that asks in `bursts`, a short
    /// time before, with no change heard of since.
    fn serves(&self, asked_at: Instant, bursts: bool) -> bool {
        let Some(began) = self.measured_at else { return false };
        let age = if self.is_watched { MAX_AGE.max(self.took * WORTH) } else { MAX_AGE };
        let is_current = self.changed_at.is_none_or(|changed| began > changed);
        began >= asked_at || (bursts && is_current && began + age >= asked_at)
    }
}

/// Keeps the last measurement.
#[derive(Debug, Clone, Default)]
pub(super) struct Watchman {
    state: Arc<Mutex<State>>,
    is_measured: Arc<Condvar>,
    /// Belongs to a long-lived process.
    pub(super) is_long_lived: bool,
}

impl Watchman {
    /// Notes a change: the next call measures again, also when a measurement is under way.
    pub(super) fn forget(&self) {
        self.lock().changed_at = Some(Instant::now());
    }

    /// Changes are heard of from now on, or no more.
    pub(super) fn watched(&self, is_watched: bool) {
        let mut state = self.lock();
        state.is_watched = is_watched;
        state.changed_at = Some(Instant::now());
    }

    /// Keeps what was measured at somebody's wish.
    pub(super) fn measured(&self, report: &FreshnessReport, began: Instant) {
        let mut state = self.lock();
        state.counts = Some(Counts::of(report));
        state.measured_at = Some(began);
        state.took = began.elapsed();
    }

    /// Forgets what was measured: an index run has just repaired it.
    pub(super) fn repaired(&self) {
        let mut state = self.lock();
        state.changed_at = Some(Instant::now());
        state.counts = None;
    }

    /// The signals of an answer given now.
    pub(super) fn signals(&self, config: &Arc<Config>, store: &Arc<Store>) -> Result<Signals> {
        let snapshot = store.snapshot()?;
        let (files, _) = snapshot.counts()?;
        let index_building = building(&snapshot, store.dir())?;
        let pending = snapshot.unrepaired_count()?;
        let excluded_files = snapshot.meta(meta::LEFT_OUT)?.and_then(|n| n.parse().ok());
        drop(snapshot);
        // The first build died before it wrote anything.
        if files == 0 && index_building.is_none() && IndexStamp::read(store.dir())?.is_none() {
            return Err(Error::NoIndex { state_dir: store.dir().to_owned() });
        }
        let patience = if files <= FEW { PATIENCE_FOR_FEW } else { PATIENCE };
        let counts = self.counts(config, store, patience);
        Ok(Signals {
            index_empty: files == 0,
            unindexed_files: counts.map(|c| c.unindexed),
            pending_edge_repairs: Some(pending.max(counts.map_or(0, |c| c.misresolved))),
            index_building,
            changed_files: Some(counts.map(|counts| counts.changed)),
            excluded_files,
        })
    }

    /// A measurement that serves this question; `None` when it is not made within `patience`.
    fn counts(&self, config: &Arc<Config>, store: &Arc<Store>, patience: Duration) -> Option<Counts> {
        let asked_at = Instant::now();
        let mut state = self.lock();
        loop {
            if state.serves(asked_at, self.is_long_lived) {
                return state.counts;
            }
            if !state.is_measuring {
                if !self.begin_measuring(config, store) {
                    return None;
                }
                state.is_measuring = true;
            }
            let left = patience.checked_sub(asked_at.elapsed())?;
            let waited = self.is_measured.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Measures in a thread of its own, which goes on for later questions when this one cannot wait.
    fn begin_measuring(&self, config: &Arc<Config>, store: &Arc<Store>) -> bool {
        let (watchman, config, store) = (self.clone(), Arc::clone(config), Arc::clone(store));
        let measuring = move || {
            let began = Instant::now();
            let counts = measure(&config, &store).ok().map(|report| Counts::of(&report));
            let mut state = watchman.lock();
            state.counts = counts;
            state.measured_at = Some(began);
            state.took = began.elapsed();
            state.is_measuring = false;
            drop(state);
            watchman.is_measured.notify_all();
        };
        thread::Builder::new().name("mast-freshness".into()).spawn(measuring).is_ok()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_serves_until_it_is_old_or_something_changed() {
        let begin = Instant::now();
        let at = |milliseconds| begin + Duration::from_millis(milliseconds);
        let mut state = State { measured_at: Some(at(100)), is_watched: true, ..State::default() };
        assert_eq!([110, 120, 121].map(|asked| state.serves(at(asked), true)), [true, true, false]);
        state.took = Duration::from_millis(5);
        assert_eq!(
            [150, 151].map(|asked| state.serves(at(asked), true)),
            [true, false],
            "ten times what it took"
        );
        state.changed_at = Some(at(104));
        assert!(!state.serves(at(110), true), "the change may have come behind the measurement's back");
        assert!(state.serves(at(100), true), "whatever changes after the question is none of its business");
        state.measured_at = Some(at(105));
        assert!(state.serves(at(110), true));
        state.is_watched = false;
        assert_eq!(
            [125, 126].map(|asked| state.serves(at(asked), true)),
            [true, false],
            "however long it took"
        );
        assert_eq!([105, 106].map(|asked| state.serves(at(asked), false)), [true, false], "asked once");
        assert!(!State::default().serves(begin, true));
    }
}
