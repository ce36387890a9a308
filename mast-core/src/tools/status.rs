//! `mast_status`: how healthy and how fresh the index is.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::IndexBuilding;
use super::{Contract, Output, Tool};
use crate::engine::{Engine, FreshnessReport, Verdicts};
use crate::error::Result;
use crate::model::{ProblemKind, RepoPath};
use crate::source;
use crate::store::{ProblemRow, Reader, SCHEMA_VERSION};
use crate::task::CallContext;

/// Most files named in each list.
const NAMED_FILES: usize = 20;

/// The tool.
#[derive(Debug)]
pub struct Status;

/// Arguments of `mast_status`: none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StatusInput {}

/// Answer of `mast_status`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct StatusOutput {
    /// Where the index lies.
    pub state_dir: String,
    /// Index schema version of this program.
    pub schema_version: String,
    /// Schema version that built the index; null when there is none or it cannot be read.
    pub index_schema_version: Option<String>,
    /// End of the last index run, ISO 8601 in UTC; null before the first.
    pub last_indexed: Option<String>,
    /// Files in the index.
    pub indexed_files: u64,
    /// Chunks in the index.
    pub chunk_count: u64,
    /// Files that are changed, not indexed, or deleted since they were indexed.
    pub stale_files: u64,
    /// The same by cause.
    pub stale_breakdown: StaleBreakdown,
    /// Names of such files, at most 20 for each cause.
    pub stale_paths: StalePaths,
    /// Files that gave nothing to the parser or could not be read.
    pub parse_errors: u64,
    /// Files that could not be written to the index.
    pub write_errors: u64,
    /// Indexed files whose call and inheritance edges wait to be resolved again.
    pub pending_edge_repairs: u64,
    /// Whether every answer rests on the files as they are on disk now.
    pub index_fresh: bool,
    /// Why not: `index_version`, `stamp_unreadable`, `root_mismatch`, `phase1_stale`, `unindexed_files`,
    /// `deleted_files` or `edge_repair_pending`; null when fresh, and when `index_building` alone is the reason.
    pub freshness_cause: Option<String>,
    /// Commit of the prebuilt index this one started from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed_commit: Option<String>,
    /// The server that watches and writes for this state directory.
    pub writer: Option<Writer>,
    /// How far a first build or rebuild under way is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_building: Option<IndexBuilding>,
    /// Files that gave nothing to the parser or could not be read, with the reason; at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parse_error_files: Vec<FileReason>,
    /// Files with a syntax error in one part; the rest of each is indexed. At most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partial_parse_files: Vec<String>,
    /// Such files there are, when not all are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial_parse_truncated: Option<u64>,
    /// Files left out because they are no source text or beyond the limits, with the reason; at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<FileReason>,
    /// Such files there are, when not all are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_truncated: Option<u64>,
    /// Files with an indexed extension that exclude patterns and ignore rules keep out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_files: Option<u64>,
    /// What `mast index --checker` found last; absent when it never ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checker: Option<CheckerStatus>,
    /// What a person should know: what of the index cannot be read, watching is off, a limit was reached, a configuration
    /// cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The last pass of the type checker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckerStatus {
    /// Versions of TypeScript that answered.
    pub typescript: Vec<String>,
    /// When, ISO 8601 in UTC.
    pub checked_at: String,
    /// Mentions asked about.
    pub asked: u64,
    /// Calls proven.
    pub calls_verified: u64,
    /// Calls of declarations outside the index.
    pub calls_elsewhere: u64,
    /// Mentions that are no calls.
    pub no_calls: u64,
    /// Mentions that stay open.
    pub unresolved: u64,
    /// Whether answers use it.
    pub in_force: bool,
    /// The first file or directory that is no longer as it was; absent when it is in force, and when a run has written files
    /// since and deleted what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_by: Option<String>,
}

/// Stale files by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleBreakdown {
    /// Indexed files that changed.
    pub changed: u64,
    /// Files on disk that are not in the index.
    pub unindexed: u64,
    /// Indexed files that are gone.
    pub deleted: u64,
}

/// Names of stale files by cause, at most 20 each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StalePaths {
    /// Indexed files that changed.
    pub changed: Vec<String>,
    /// Files on disk that are not in the index.
    pub unindexed: Vec<String>,
    /// Indexed files that are gone.
    pub deleted: Vec<String>,
}

/// The server that holds the writer lease of a state directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Writer {
    /// Its process id.
    pub pid: u32,
    /// When it started, ISO 8601 in UTC.
    pub started_at: String,
    /// Its version.
    pub mast_version: String,
    /// Its index schema version.
    pub schema_version: String,
    /// Whether it is the server that answers.
    pub is_this_server: bool,
}

/// A file and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileReason {
    /// Path relative to the project root.
    pub file_path: String,
    /// What is wrong.
    pub reason: String,
}

impl Contract for Status {
    const NAME: &'static str = "mast_status";
    const TITLE: &'static str = "Health of the index";
    const DESCRIPTION: &'static str = "\
Check whether the index is complete and fresh before work that depends on it. index_fresh: true means every answer \
rests on the files as they are now; otherwise freshness_cause, stale_breakdown and stale_paths say what differs, and \
mast_reindex repairs it.";
    const HAS_STATS: bool = false;
    type Input = StatusInput;
    type Output = StatusOutput;
}

impl Tool for Status {
    fn run(engine: &Engine, _input: &StatusInput, _context: &CallContext<'_>) -> Result<StatusOutput> {
        let report = engine.measure()?;
        let (problems, checker) = match &report.stamp {
            Some(_) if report.index_schema_version.as_deref() == Some(SCHEMA_VERSION) => {
                let snapshot = engine.snapshot()?;
                (snapshot.problems()?, CheckerStatus::of(engine, &snapshot)?)
            }
            _ => (Vec::new(), None),
        };
        Ok(StatusOutput { checker, ..StatusOutput::new(engine, &report, &problems) })
    }
}

impl CheckerStatus {
    fn of(engine: &Engine, reader: &Reader) -> Result<Option<Self>> {
        let Some(record) = reader.check_record()? else { return Ok(None) };
        let verdicts = engine.verdicts(reader)?;
        Ok(Some(Self {
            typescript: record.versions,
            checked_at: record.at,
            asked: record.asked,
            calls_verified: record.proven_calls,
            calls_elsewhere: record.outside_calls,
            no_calls: record.non_calls,
            unresolved: record.unresolved,
            in_force: verdicts.are_in_force(),
            suspended_by: match verdicts {
                Verdicts::Suspended(path) => Some(path),
                Verdicts::None | Verdicts::InForce | Verdicts::Fallen => None,
            },
        }))
    }
}

impl Display for CheckerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { typescript, checked_at, asked, calls_verified, .. } = self;
        let versions = typescript.join(", ");
        write!(f, "TypeScript {versions}, {checked_at}, {asked} asked about, {calls_verified} verified; ")?;
        match &self.suspended_by {
            _ if self.in_force => write!(f, "in force"),
            Some(path) => write!(f, "suspended by {path}"),
            None => write!(f, "deleted by a run that wrote files"),
        }
    }
}

impl StatusOutput {
    fn new(engine: &Engine, report: &FreshnessReport, problems: &[ProblemRow]) -> Self {
        let of_kind = |kinds: &[ProblemKind]| -> Vec<&ProblemRow> {
            problems.iter().filter(|problem| kinds.contains(&problem.kind)).collect()
        };
        let failed = of_kind(&[ProblemKind::Unreadable, ProblemKind::ParseFailed]);
        let partial = of_kind(&[ProblemKind::PartialParse]);
        let skipped = of_kind(&[ProblemKind::Skipped]);
        let more_than_named = |all: &[&ProblemRow]| (all.len() > NAMED_FILES).then_some(all.len() as u64);
        let stamp = report.stamp.as_ref();
        let freshness = &report.freshness;
        let paths = freshness.stale_paths();
        Self {
            state_dir: engine.state_dir().display().to_string(),
            schema_version: SCHEMA_VERSION.to_owned(),
            index_schema_version: report.index_schema_version.clone(),
            last_indexed: stamp.and_then(|stamp| stamp.last_indexed.clone()),
            indexed_files: report.indexed_files,
            chunk_count: report.chunk_count,
            stale_files: freshness.stale_files() as u64,
            stale_breakdown: StaleBreakdown {
                changed: freshness.changed.len() as u64,
                unindexed: freshness.unindexed.len() as u64,
                deleted: freshness.deleted.len() as u64,
            },
            stale_paths: StalePaths {
                changed: spell(&paths.changed),
                unindexed: spell(&paths.unindexed),
                deleted: spell(&paths.deleted),
            },
            parse_errors: stamp.map_or(0, |stamp| stamp.parse_errors),
            write_errors: stamp.map_or(0, |stamp| stamp.write_errors),
            pending_edge_repairs: report.pending_edge_repairs,
            index_fresh: report.is_fresh(),
            freshness_cause: report.cause.map(|cause: source::FreshnessCause| cause.as_str().to_owned()),
            seed_commit: stamp.and_then(|stamp| stamp.commit.clone()),
            writer: engine.writer().map(|(holder, is_this_server)| Writer {
                pid: holder.pid,
                started_at: holder.started_at,
                mast_version: holder.mast_version,
                schema_version: holder.schema_version,
                is_this_server,
            }),
            index_building: report.index_building.map(IndexBuilding::from),
            parse_error_files: reasons(&failed),
            partial_parse_truncated: more_than_named(&partial),
            partial_parse_files: partial.iter().take(NAMED_FILES).map(|problem| named(problem)).collect(),
            skipped_truncated: more_than_named(&skipped),
            skipped_files: reasons(&skipped),
            excluded_files: Some(report.excluded_files).filter(|&files| files > 0),
            checker: None,
            warnings: report.unreadable.iter().cloned().chain(engine.warnings()).collect(),
        }
    }
}

fn spell(paths: &[RepoPath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

/// A partly parsed file with the lines that were not understood.
fn named(problem: &ProblemRow) -> String {
    let lines: Vec<_> = problem
        .lines
        .iter()
        .map(|lines| {
            if lines.start == lines.end {
                lines.start.to_string()
            } else {
                format!("{}-{}", lines.start, lines.end)
            }
        })
        .collect();
    if lines.is_empty() { problem.path.to_string() } else { format!("{}:{}", problem.path, lines.join(",")) }
}

fn reasons(problems: &[&ProblemRow]) -> Vec<FileReason> {
    let reason = |problem: &&ProblemRow| FileReason {
        file_path: problem.path.to_string(),
        reason: problem.message.clone(),
    };
    problems.iter().take(NAMED_FILES).map(reason).collect()
}

impl Output for StatusOutput {
    fn files(&self) -> Vec<&str> {
        Vec::new()
    }
}

impl Display for StatusOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fresh = match &self.freshness_cause {
            None if self.index_fresh => "yes".to_owned(),
            cause => format!("no ({})", cause.as_deref().unwrap_or("unknown")),
        };
        writeln!(f, "state_dir:             {}", self.state_dir)?;
        writeln!(f, "schema_version:        {}", self.schema_version)?;
        match &self.index_schema_version {
            Some(version) => writeln!(f, "index_schema_version:  {version}")?,
            None => writeln!(f, "index_schema_version:  none")?,
        }
        writeln!(f, "last_indexed:          {}", self.last_indexed.as_deref().unwrap_or("never"))?;
        writeln!(f, "indexed_files:         {}", self.indexed_files)?;
        writeln!(f, "chunk_count:           {}", self.chunk_count)?;
        writeln!(f, "stale_files:           {}", self.stale_files)?;
        writeln!(f, "parse_errors:          {}", self.parse_errors)?;
        writeln!(f, "write_errors:          {}", self.write_errors)?;
        writeln!(f, "pending_edge_repairs:  {}", self.pending_edge_repairs)?;
        writeln!(f, "index_fresh:           {fresh}")?;
        self.write_details(f)
    }
}

impl StatusOutput {
    fn write_details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(IndexBuilding { done, total }) = self.index_building {
            writeln!(f, "index_building:        {done} of {total} files")?;
        }
        if let Some(excluded) = self.excluded_files {
            writeln!(f, "excluded_files:        {excluded}")?;
        }
        if let Some(checker) = &self.checker {
            writeln!(f, "checker:               {checker}")?;
        }
        if let Some(commit) = &self.seed_commit {
            writeln!(f, "seed_commit:           {commit}")?;
        }
        if let Some(Writer { pid, started_at, mast_version, .. }) = &self.writer {
            writeln!(f, "writer:                pid {pid}, mast {mast_version}, since {started_at}")?;
        }
        let StaleBreakdown { changed, unindexed, deleted } = self.stale_breakdown;
        write_paths(f, "changed", &self.stale_paths.changed, changed)?;
        write_paths(f, "unindexed", &self.stale_paths.unindexed, unindexed)?;
        write_paths(f, "deleted", &self.stale_paths.deleted, deleted)?;
        let total = |named: usize, total: Option<u64>| total.unwrap_or(named as u64);
        let reasons = |files: &[FileReason]| -> Vec<String> {
            files.iter().map(|file| format!("{}: {}", file.file_path, file.reason)).collect()
        };
        write_paths(f, "parse errors", &reasons(&self.parse_error_files), self.parse_errors)?;
        let partial = &self.partial_parse_files;
        write_paths(f, "partly parsed", partial, total(partial.len(), self.partial_parse_truncated))?;
        let skipped = reasons(&self.skipped_files);
        write_paths(f, "skipped", &skipped, total(skipped.len(), self.skipped_truncated))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "! {warning}"))
    }
}

fn write_paths(f: &mut fmt::Formatter<'_>, heading: &str, paths: &[String], total: u64) -> fmt::Result {
    if paths.is_empty() {
        return Ok(());
    }
    writeln!(f, "{heading}:")?;
    for path in paths {
        writeln!(f, "  {path}")?;
    }
    let more = total.saturating_sub(paths.len() as u64);
    if more > 0 { writeln!(f, "  and {more} more") } else { Ok(()) }
}
