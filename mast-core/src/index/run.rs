//! One index run, from the walk to the stamp.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::commit::put_files;
use super::modules::{Modules, resolve_imports};
use super::plan::{Plan, plan};
use super::report::{FileTrouble, IndexReport};
use super::{link, manifest, meta};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::language::ExtractOptions;
use crate::model::{FileId, ProblemKind, RepoPath};
use crate::source::{self, Walk, WalkProblem};
use crate::store::{IndexStamp, IndexWriter, Reader, RunLock, SCHEMA_VERSION, Store};
use crate::task::CallContext;

/// Part of the digest of the extraction settings: raise it when extraction gives other facts for the same text.
const EXTRACTION_VERSION: u32 = 6;

/// Wait for a file refresh that is writing; runs are never that short of time.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);

/// A change that arrives while the run reads is planned again this often before it is left to the next run.
const ROUNDS: usize = 3;

/// What is asked of a run.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// Read and write every file again, whatever the shelf holds.
    pub full: bool,
    /// What the lock file says this process is doing.
    pub operation: &'static str,
    /// Longest wait for another run to end.
    pub patience: Duration,
    /// Stop making edges after this long and leave the rest pending; everything else is always finished.
    pub link_budget: Option<Duration>,
}

/// Brings the index up to date with the disk.
pub fn run(
    store: &Store,
    config: &Config,
    request: &RunRequest,
    context: &CallContext<'_>,
) -> Result<IndexReport> {
    let started = Instant::now();
    store.require_writable()?;
    let lock = RunLock::acquire(store.dir(), request.operation, request.patience)?;
    let mut report = match attempt(store, config, request, context, started) {
        // Damage that shows only where the run comes to it.
        Err(Error::Damaged(why)) => {
            let note = store.set_aside(&why)?;
            let mut report = attempt(store, config, request, context, started)?;
            report.notes.insert(0, note);
            report
        }
        done => done?,
    };
    drop(lock);
    report.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// A run under the lock.
fn attempt(
    store: &Store,
    config: &Config,
    request: &RunRequest,
    context: &CallContext<'_>,
    started: Instant,
) -> Result<IndexReport> {
    let mut report = IndexReport::default();
    let (mut writer, note) = store.writer(WRITE_PATIENCE)?;
    report.notes.extend(note);

    let walk = source::walk(config);
    for WalkProblem { path, problem } in &walk.problems {
        report.parse_errors += u64::from(problem.kind == ProblemKind::Unreadable);
        report.troubles.push(FileTrouble { path: path.clone(), problem: problem.clone() });
    }
    let options = extract_options(config);
    let parsed =
        bring_files_up_to_date(&mut writer, config, &walk, request.full, &options, context, &mut report)?;
    let paths_version = writer.reader().paths_version()?;
    let modules = Modules::load(writer.reader(), &config.project_root, walk.configs.clone())?;
    report.notes.extend(modules.warnings().iter().cloned());
    writer.begin()?;
    resolve_imports(&mut writer, &modules, &parsed)?;
    forget_outdated_verdicts(&mut writer, &config.project_root)?;
    writer.set_resolved(paths_version)?;
    writer.commit()?;
    let deadline = request.link_budget.map(|budget| started + budget);
    report.pending_links = link::link_pending(&mut writer, deadline, context)?;
    finish(&mut writer, &mut report)?;
    // Only now: until the stamp is written nothing else says that a first build is under way.
    writer.begin()?;
    writer.clear_meta(meta::BUILDING)?;
    writer.commit()?;
    Ok(report)
}

/// Verdicts of the type checker fall when a file beside the index that they rest on is another one now, or a
/// name came or went.
fn forget_outdated_verdicts(writer: &mut IndexWriter<'_>, root: &Path) -> Result<()> {
    let inputs = writer.reader().verdict_inputs()?;
    if inputs.iter().any(|input| source::input_changed(root, &input.path, input.kind, input.stamp)) {
        writer.clear_verdicts()?;
    }
    Ok(())
}

/// Plans, reads, writes and removes until the shelf holds what was walked; gives the files whose facts are new.
fn bring_files_up_to_date(
    writer: &mut IndexWriter<'_>,
    config: &Config,
    walk: &Walk,
    full: bool,
    options: &ExtractOptions,
    context: &CallContext<'_>,
    report: &mut IndexReport,
) -> Result<BTreeSet<FileId>> {
    let extraction = extraction(options);
    let is_same_extraction = writer.reader().meta(meta::EXTRACTION)?.as_deref() == Some(&extraction);
    let shelf = writer.reader().files()?;
    let is_first = shelf.is_empty();
    // A first build that was cut off goes on as it began.
    let is_bulk = is_first || writer.is_bulk_cut_off()?;
    let before: BTreeSet<FileId> =
        if full || !is_same_extraction { BTreeSet::new() } else { shelf.iter().map(|row| row.id).collect() };
    let Plan { mut read, mut remove, unchanged } = plan(&walk.files, shelf, full || !is_same_extraction);
    // What cannot be looked into may hold what it held; as long as it cannot, its files count as changed.
    remove.retain(|row| !walk.problems.iter().any(|problem| is_hidden_by(problem, &row.path)));
    report.files_skipped += unchanged;
    report.files_removed += remove.len() as u64;

    writer.begin()?;
    if is_bulk {
        writer.begin_bulk()?;
    }
    if is_first {
        // So that what it has read by then is kept if it is killed.
        writer.set_meta(meta::EXTRACTION, &extraction)?;
    }
    if full {
        // It begins anew, so nothing is missing of it that a pass once found.
        writer.forget_check()?;
    }
    if is_bulk || full {
        writer.set_meta(meta::BUILDING, &format!("0 {}", read.len()))?;
    } else {
        // What a build left that was cut off.
        writer.clear_meta(meta::BUILDING)?;
    }
    // A file that could never be read has no row to go with.
    let walked: BTreeSet<_> = walk.files.iter().map(|file| &file.path).collect();
    writer.forget_problems(|path| !walked.contains(path))?;
    for WalkProblem { path, problem } in &walk.problems {
        if let Some(path) = RepoPath::new(path) {
            writer.put_problems(&path, std::slice::from_ref(problem))?;
        }
    }
    for file in &remove {
        report.chunks_removed += writer.reader().chunk_count(&file.path)?;
        writer.remove_file(file.id)?;
    }
    writer.commit()?;

    let planned = read.len();
    let mut touched: BTreeSet<_> = read.iter().map(|file| file.path.clone()).collect();
    for _ in 0..ROUNDS {
        let outdated = put_files(writer, &config.project_root, &read, options, context, report)?;
        if outdated.is_empty() {
            break;
        }
        touched.extend(outdated.iter().map(|file| file.path.clone()));
        let again: BTreeSet<_> = outdated.into_iter().map(|file| file.path).collect();
        let rows = writer.reader().files()?.into_iter().filter(|row| again.contains(&row.path)).collect();
        let walked: Vec<_> = walk.files.iter().filter(|file| again.contains(&file.path)).cloned().collect();
        read = plan(&walked, rows, true).read;
    }
    writer.begin()?;
    if is_bulk {
        writer.finish_bulk()?;
    }
    if is_bulk || full {
        writer.set_meta(meta::BUILDING, &format!("{planned} {planned}"))?;
    }
    writer.set_meta(meta::EXTRACTION, &extraction)?;
    writer.set_meta(meta::LEFT_OUT, &walk.left_out_files().to_string())?;
    writer.commit()?;

    let mut parsed = BTreeSet::new();
    for path in &touched {
        parsed.extend(writer.reader().file_id(path)?);
    }
    parsed.extend(writer.reader().pending_links()?.into_iter().filter(|id| !before.contains(id)));
    Ok(parsed)
}

/// Whether `path` lies below a directory that could not be read.
fn is_hidden_by(problem: &WalkProblem, path: &RepoPath) -> bool {
    let rest = path.as_str().strip_prefix(problem.path.as_str());
    problem.problem.kind == ProblemKind::Unreadable && rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Spells everything that decides what extraction makes of a text.
fn extraction(options: &ExtractOptions) -> String {
    format!("{EXTRACTION_VERSION} {options:?}")
}

/// Whether the next run will read every file again, because it would make something else of the same texts.
pub(crate) fn is_extraction_outdated(reader: &Reader, config: &Config) -> Result<bool> {
    let recorded = reader.meta(meta::EXTRACTION)?;
    Ok(recorded.is_some_and(|recorded| recorded != extraction(&extract_options(config))))
}

/// Settings of extraction that come from the configuration.
pub(super) fn extract_options(config: &Config) -> ExtractOptions {
    ExtractOptions {
        chunk_split_threshold: *config.chunk_split_threshold,
        markdown_heading_depth: u8::try_from(*config.markdown_heading_depth).unwrap_or(6),
        ..ExtractOptions::default()
    }
}

/// Writes the files that say what the database holds, in this order: they never claim more.
fn finish(writer: &mut IndexWriter<'_>, report: &mut IndexReport) -> Result<()> {
    writer.checkpoint()?;
    let dir = writer.store().dir();
    manifest::write(writer)?;
    let (file_count, chunk_count) = writer.reader().counts()?;
    let problems = writer.reader().problems()?;
    let count = |kinds: &[ProblemKind]| problems.iter().filter(|p| kinds.contains(&p.kind)).count() as u64;
    let previous = IndexStamp::read(dir).ok().flatten();
    writer.require_in_place()?;
    IndexStamp {
        schema_version: SCHEMA_VERSION.into(),
        last_indexed: Some(jiff::Timestamp::now().to_string()),
        file_count,
        chunk_count,
        parse_errors: count(&[ProblemKind::Unreadable, ProblemKind::ParseFailed]),
        write_errors: count(&[ProblemKind::WriteFailed]),
        commit: previous.and_then(|stamp| stamp.commit),
    }
    .write(dir)?;
    report.troubles.sort_by(|a, b| (&a.path, a.problem.kind).cmp(&(&b.path, b.problem.kind)));
    Ok(())
}
