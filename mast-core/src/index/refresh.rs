//! A few files brought up to date on the way to an answer.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::extract::{Extracted, extract};
use super::modules::{Modules, resolve_refreshed};
use super::plan::PlannedFile;
use super::run::extract_options;
use super::{link, manifest};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::{FileId, ProblemKind, RepoPath};
use crate::source::{self, Measured};
use crate::store::{FileRecord, FileRow, IndexWriter, Store};
use crate::task::CallContext;

/// Longest wait for another writer's batch: the answer is waiting.
const WRITE_PATIENCE: Duration = Duration::from_millis(200);

/// Time for edges of other files that a refreshed file took part in; what is left stays pending.
const LINK_BUDGET: Duration = Duration::from_millis(100);

/// A file that gives nothing may be half written: look again after this long.
const SECOND_LOOK: Duration = Duration::from_millis(50);

/// What became of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Files whose rows are new.
    pub updated: Vec<RepoPath>,
    /// Files that are gone, and so are their rows.
    pub removed: Vec<RepoPath>,
    /// Files that changed but whose old rows stay: another writer was busy, or the file cannot be parsed just now.
    pub stale: Vec<RepoPath>,
}

/// Looks at each file and brings the changed ones onto the shelf. Files the shelf does not know are left alone.
pub(crate) fn refresh(
    store: &Store,
    config: &Config,
    modules: &dyn Fn() -> Result<Arc<Modules>>,
    paths: &[RepoPath],
    context: &CallContext<'_>,
) -> Result<Refreshed> {
    let rows = {
        let snapshot = store.snapshot()?;
        let wanted: BTreeSet<_> = paths.iter().collect();
        let mut rows = Vec::new();
        for path in wanted {
            rows.extend(snapshot.file(path)?);
        }
        rows
    };
    let mut refreshed = Refreshed::default();
    let mut changes = Vec::new();
    for row in rows {
        match look(&config.project_root, config, row) {
            Look::Same => {}
            Look::Unusable(path) => refreshed.stale.push(path),
            Look::Changed(change) => changes.push(change),
        }
    }
    if changes.is_empty() {
        return Ok(refreshed);
    }
    match write(store, &*modules()?, &changes, context, &mut refreshed) {
        // What cannot be written now is told as stale; the answer need not fail for it.
        Err(Error::Busy(_) | Error::Disk(_) | Error::Io { .. }) => Ok(refreshed),
        other => other.map(|()| refreshed),
    }
}

enum Look {
    Same,
    Changed(Change),
    Unusable(RepoPath),
}

enum Change {
    Content(PlannedFile, Box<FileRecord>),
    Stamp(FileRow, crate::model::FileStamp),
    Gone(FileRow),
}

impl Change {
    fn path(&self) -> &RepoPath {
        match self {
            Self::Content(planned, _) => &planned.path,
            Self::Stamp(row, _) | Self::Gone(row) => &row.path,
        }
    }
}

fn look(root: &Path, config: &Config, row: FileRow) -> Look {
    match source::changed_among(root, [(row.path.clone(), row.stamp)]).pop() {
        None => return Look::Same,
        Some((_, Measured::Deleted)) => return Look::Changed(Change::Gone(row)),
        Some((_, Measured::Touched(stamp))) => return Look::Changed(Change::Stamp(row, stamp)),
        Some((_, Measured::Changed | Measured::Current)) => {}
    }
    let planned = PlannedFile { path: row.path.clone(), known: Some(row.clone()), force: false };
    let options = extract_options(config);
    let mut extracted = extract(root, &planned, &options);
    if gives_nothing(&extracted) {
        std::thread::sleep(SECOND_LOOK);
        extracted = extract(root, &planned, &options);
    }
    match extracted {
        Extracted::Touched(stamp) => Look::Changed(Change::Stamp(row, stamp)),
        Extracted::Gone => Look::Changed(Change::Gone(row)),
        Extracted::Unreadable(_) => Look::Unusable(row.path),
        Extracted::Record(record) if has_failed(&record) && !row.is_skipped => Look::Unusable(row.path),
        Extracted::Record(record) => Look::Changed(Change::Content(planned, record)),
    }
}

fn gives_nothing(extracted: &Extracted) -> bool {
    match extracted {
        Extracted::Record(record) => has_failed(record) || record.text.length == 0,
        Extracted::Unreadable(_) | Extracted::Gone => true,
        Extracted::Touched(_) => false,
    }
}

fn has_failed(record: &FileRecord) -> bool {
    record.problems.iter().any(|problem| problem.kind == ProblemKind::ParseFailed)
}

fn write(
    store: &Store,
    modules: &Modules,
    changes: &[Change],
    context: &CallContext<'_>,
    refreshed: &mut Refreshed,
) -> Result<()> {
    // Until the batch is committed every change counts as not made; where the text is still that of the shelf, an answer is
    // as right without the new stamp.
    let differing = changes.iter().filter(|change| !matches!(change, Change::Stamp(..)));
    refreshed.stale.extend(differing.map(|change| change.path().clone()));
    let (mut writer, _) = store.writer(WRITE_PATIENCE)?;
    writer.begin()?;
    let mut parsed = BTreeSet::new();
    for change in changes {
        put(&mut writer, change, &mut parsed)?;
    }
    resolve_refreshed(&mut writer, modules, &parsed)?;
    writer.commit()?;
    for change in changes {
        refreshed.stale.retain(|path| path != change.path());
        match change {
            Change::Gone(row) => refreshed.removed.push(row.path.clone()),
            Change::Content(..) => refreshed.updated.push(change.path().clone()),
            Change::Stamp(..) => {}
        }
    }
    link::link_first(&mut writer, &parsed, Instant::now() + LINK_BUDGET, context)?;
    manifest::write(&mut writer)
}

fn put(writer: &mut IndexWriter<'_>, change: &Change, parsed: &mut BTreeSet<FileId>) -> Result<()> {
    let (Change::Content(PlannedFile { known: Some(row), .. }, _)
    | Change::Stamp(row, _)
    | Change::Gone(row)) = change
    else {
        return Ok(());
    };
    // Someone else was quicker; what they wrote is at least as new as what was read here.
    if writer.reader().file(&row.path)?.as_ref() != Some(row) {
        return Ok(());
    }
    match change {
        Change::Content(_, record) => {
            parsed.insert(writer.put_file(record)?);
        }
        Change::Stamp(row, stamp) => writer.touch(row.id, *stamp)?,
        Change::Gone(row) => writer.remove_file(row.id)?,
    }
    Ok(())
}
