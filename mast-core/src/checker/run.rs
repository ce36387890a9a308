//! One pass: project after project, each with a TypeScript process of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::configs::{Chain, config_in};
use super::converse::{Answer, converse};
use super::find::{TypeScript, any_typescript, nearest_typescript, upward};
use super::inputs::Inputs;
use super::meaning::{Atlas, Meaning};
use super::process::{Patience, Silence, Spoken};
use super::questions::{FileQuestions, Question, questions};
use super::server::{Document, Place, Server, start};
use super::uri::{plain, slashes};
use super::verdict::{Judgement, of_call, of_mark, of_value};
use super::{CheckReport, CheckRequest};
use crate::error::{Error, Result};
use crate::model::{FileId, Language, ProblemKind, RepoPath};
use crate::source::{self, Measured};
use crate::store::{CheckRecord, FileRow, Reader, Store, Verdict};
use crate::task::CallContext;

/// Wait for another writer's batch.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);

/// The index a pass works on.
#[derive(Debug, Clone, Copy)]
pub struct Index<'a> {
    /// Where it is.
    pub store: &'a Store,
    /// The project root.
    pub root: &'a Path,
    /// Configuration files that module resolution read, relative to the root.
    pub configs: &'a [String],
    /// Directories the index was made from, relative to the root.
    pub directories: &'a [String],
}

/// Asks TypeScript about every mention that linking left open and writes the verdicts.
///
/// # Errors
/// There is no usable TypeScript, it failed, or the files or the index changed while it was asked. Nothing is written then.
pub fn check(index: Index<'_>, request: &CheckRequest, context: &CallContext<'_>) -> Result<CheckReport> {
    let started = Instant::now();
    // TypeScript names files by where they really are.
    let root = plain(index.root.canonicalize().map_err(|e| Error::io(index.root, e))?);
    let patience = Patience {
        answer: request.limits.answer,
        end: started + request.limits.whole,
        cancel: context.cancel.clone(),
    };
    let mut pass = Pass::begin(index, &root, patience)?;
    let fallback = any_typescript(&root, index.directories, request)?;
    let projects = pass.by_project(&root);
    let total = projects.values().map(|rows| rows.len() as u64).sum();
    let mut is_over = false;
    for (directory, rows) in projects {
        let mut files = pass.questions(&rows)?;
        let done = pass.done + rows.len() as u64;
        match directory {
            None => pass.report.outside_files += files.len() as u64,
            Some(_) if is_over => pass.report.out_of_time += count(&files),
            Some(_) if files.is_empty() => {}
            Some(directory) if pass.leaves_out(&root, &directory) => {}
            Some(directory) => {
                let nearest =
                    if request.typescript.is_some() { None } else { nearest_typescript(&root, &directory)? };
                pass.report.borrowing_projects +=
                    u64::from(request.typescript.is_none() && nearest.is_none());
                let typescript = nearest.as_ref().unwrap_or(&fallback);
                let open = count(&files);
                let asked = pass.ask(typescript, (&root, &directory), &mut files, &|at| {
                    let part = (rows.len() as u64 * at.0).checked_div(at.1).unwrap_or(0);
                    context.report(done - rows.len() as u64 + part, total);
                });
                match asked {
                    Ok(()) => {}
                    Err(Silence::OutOfTime) => {
                        pass.report.out_of_time += open;
                        is_over = true;
                    }
                    Err(Silence::Failed(error)) => return Err(error),
                }
            }
        }
        pass.done = done;
        context.report(done, total);
    }
    let mut report = pass.write(&root)?;
    report.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

fn count(files: &[FileQuestions]) -> u64 {
    files.iter().map(|file| file.questions.len() as u64).sum()
}

/// What is known while the pass goes on.
struct Pass<'a> {
    store: &'a Store,
    patience: Patience,
    /// State of the index all verdicts are about.
    facts_version: u64,
    rows: Vec<FileRow>,
    files: HashMap<RepoPath, FileId>,
    names: HashSet<String>,
    /// Files in which some code was not understood.
    partial: HashSet<RepoPath>,
    /// Files that differ from the index already. TypeScript gets their indexed text, and is not asked about them.
    changed: Vec<(RepoPath, FileId)>,
    inputs: Inputs,
    verdicts: Vec<Verdict>,
    projects: BTreeSet<String>,
    /// Projects whose files are known.
    listed: BTreeSet<PathBuf>,
    versions: BTreeSet<String>,
    /// Files done.
    done: u64,
    report: CheckReport,
}

impl<'a> Pass<'a> {
    fn begin(index: Index<'a>, root: &Path, patience: Patience) -> Result<Self> {
        let snapshot = index.store.snapshot()?;
        let all = snapshot.files()?;
        let files: HashMap<_, _> = all.iter().map(|row| (row.path.clone(), row.id)).collect();
        let differing = differing(root, &all);
        let changed: Vec<_> =
            differing.iter().filter_map(|path| Some((path.clone(), *files.get(path)?))).collect();
        let is_asked = |row: &FileRow| {
            row.language != Language::Markdown && !row.is_skipped && !differing.contains(&row.path)
        };
        let partial = snapshot.problems()?.into_iter().filter(|p| p.kind == ProblemKind::PartialParse);
        Ok(Self {
            store: index.store,
            patience,
            facts_version: snapshot.facts_version()?,
            names: snapshot.callable_names()?.into_iter().collect(),
            partial: partial.map(|problem| problem.path).collect(),
            inputs: Inputs::of(root, index.configs, index.directories),
            rows: all.into_iter().filter(is_asked).collect(),
            files,
            report: CheckReport { changed_files: changed.len() as u64, ..CheckReport::default() },
            changed,
            verdicts: Vec::new(),
            projects: BTreeSet::new(),
            listed: BTreeSet::new(),
            versions: BTreeSet::new(),
            done: 0,
        })
    }

    /// The files by the directory of the nearest configuration above them; those below none come first.
    fn by_project(&self, root: &Path) -> BTreeMap<Option<PathBuf>, Vec<FileRow>> {
        let mut known: HashMap<String, Option<PathBuf>> = HashMap::new();
        let mut projects: BTreeMap<Option<PathBuf>, Vec<FileRow>> = BTreeMap::new();
        for row in &self.rows {
            let directory = row.path.directory();
            let project = known.entry(directory.to_owned()).or_insert_with(|| {
                upward(root, &root.join(directory)).find(|place| config_in(place).is_some())
            });
            projects.entry(project.clone()).or_default().push(row.clone());
        }
        projects
    }

    /// Whether the configuration in a directory is known to be unusable. TypeScript would take something else for it, or hang.
    fn leaves_out(&mut self, root: &Path, directory: &Path) -> bool {
        let broken = config_in(directory).and_then(|config| {
            let (file, how) = Chain::of(&config).broken?;
            let named = |path: &Path| slashes(path.strip_prefix(root).unwrap_or(path));
            Some(if file == config {
                format!("{} {how}", named(&config))
            } else {
                format!("{} leads to {}, which {how}", named(&config), named(&file))
            })
        });
        let is_left_out = broken.is_some();
        self.report.left_out_projects.extend(broken);
        is_left_out
    }

    /// What to ask about some files; those without a question are left out, and counted when they would have had one.
    fn questions(&mut self, rows: &[FileRow]) -> Result<Vec<FileQuestions>> {
        let snapshot = self.store.snapshot()?;
        self.require_same(&snapshot)?;
        let mut files = Vec::new();
        for row in rows {
            self.patience.cancel.check()?;
            let found = questions(&snapshot, row, &self.names, self.partial.contains(&row.path))?;
            self.report.unreadable_files += u64::from(found.is_unreadable);
            if !found.questions.is_empty() {
                files.push(found);
            }
        }
        Ok(files)
    }

    /// Asks one TypeScript process about the files below one configuration. `files` loses those that belong to no project.
    fn ask(
        &mut self,
        typescript: &TypeScript,
        (root, directory): (&Path, &Path),
        files: &mut Vec<FileQuestions>,
        progress: &dyn Fn((u64, u64)),
    ) -> Spoken<()> {
        let root_text = slashes(root);
        let absolute = |path: &RepoPath| format!("{}/{path}", root_text.trim_end_matches('/'));
        let patience = self.patience.clone();
        let subject = match directory.strip_prefix(root).unwrap_or(directory) {
            inside if inside.as_os_str().is_empty() => "the project at the root".to_owned(),
            inside => format!("the project in {}", slashes(inside)),
        };
        let mut server = start(typescript, root, &subject, &patience)?;
        self.open_changed(&mut *server, &absolute)?;
        let paths: Vec<String> = files.iter().map(|file| absolute(&file.path)).collect();
        let documents: Vec<Document<'_>> =
            files.iter().zip(&paths).map(|(file, path)| Document { path, text: &file.text }).collect();
        server.open(&documents, &patience)?;
        drop(documents);
        // Each with whether its files are known.
        let mut projects: BTreeMap<String, bool> = BTreeMap::new();
        let mut kept = Vec::with_capacity(files.len());
        for (file, path) in std::mem::take(files).into_iter().zip(paths) {
            let Some(project) = server.project_of(&path, &patience)? else {
                self.report.outside_files += 1;
                continue;
            };
            let is_listed = match projects.get(&project) {
                Some(is_listed) => *is_listed,
                None => {
                    let is_listed = self.list(typescript, &mut *server, &project, &path)?;
                    projects.insert(project, is_listed);
                    is_listed
                }
            };
            if is_listed {
                kept.push((file, path));
            }
        }
        let answers = converse(&mut *server, &kept, &patience, progress);
        drop(server);
        files.extend(kept.into_iter().map(|(file, _)| file));
        let answers = answers?;
        self.judge(typescript, &root_text, files, &answers)?;
        let asked = projects.into_iter().filter(|(_, is_listed)| *is_listed);
        self.projects.extend(asked.map(|(project, _)| project));
        self.versions.insert(typescript.version.clone());
        Ok(())
    }

    /// Adds what a project rests on to the inputs; `false` when TypeScript does not say which files it consists of.
    fn list(
        &mut self,
        typescript: &TypeScript,
        server: &mut dyn Server,
        config: &str,
        member: &str,
    ) -> Spoken<bool> {
        let mut chain = self.inputs.add_project(config);
        let own = PathBuf::from(config);
        if server.follows_references() {
            chain.clear();
        }
        chain.insert(own.clone());
        for project in chain {
            if self.listed.contains(&project) || !project.is_file() {
                continue;
            }
            let files = server.files_of(&slashes(&project), member, &self.patience)?;
            if files.is_empty() && project == own {
                self.report.left_out_projects.push(format!("{config} does not say what it consists of"));
                return Ok(false);
            }
            self.inputs.add_program(&files, &self.files, &typescript.packages());
            self.listed.insert(project);
        }
        Ok(true)
    }

    /// Gives TypeScript the indexed text of files that have another one on disk by now.
    fn open_changed(&self, server: &mut dyn Server, absolute: &dyn Fn(&RepoPath) -> String) -> Spoken<()> {
        if self.changed.is_empty() {
            return Ok(());
        }
        let snapshot = self.store.snapshot()?;
        for (path, file) in &self.changed {
            let text = snapshot.text(*file)?.unwrap_or_default();
            server.open(&[Document { path: &absolute(path), text: &text }], &self.patience)?;
        }
        Ok(())
    }

    /// Turns the answers about some files into verdicts.
    fn judge(
        &mut self,
        typescript: &TypeScript,
        root: &str,
        files: &[FileQuestions],
        answers: &[Vec<Answer>],
    ) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        self.require_same(&snapshot)?;
        let library = slashes(&typescript.package);
        let mut atlas = Atlas::new(
            root,
            &self.files,
            self.inputs.packages(),
            self.changed.iter().map(|(_, file)| *file).collect(),
        );
        for (file, answers) in files.iter().zip(answers) {
            for (question, answer) in file.questions.iter().zip(answers) {
                let mut meanings = |places: &[Place]| -> Result<Vec<Meaning>> {
                    places.iter().map(|place| atlas.meaning(&snapshot, &library, place)).collect()
                };
                let (called, named) = (meanings(&answer.as_it_stands)?, meanings(&answer.named)?);
                let judgement = match question.call {
                    None => of_value(&called),
                    Some(kind) if question.is_asked_twice() => of_call(kind, &called, &named),
                    Some(_) => of_mark(question.is_bare, &called),
                };
                self.report.count(question, judgement.as_ref());
                let Some(Judgement { is_complete, targets }) = judgement else { continue };
                self.verdicts.push(Verdict {
                    file: file.file,
                    line: question.line,
                    column: question.column,
                    is_call: question.call.is_some(),
                    is_complete,
                    caller: question.caller,
                    targets,
                });
            }
        }
        Ok(())
    }

    /// Writes the verdicts, if everything they rest on is still as it was.
    fn write(mut self, root: &Path) -> Result<CheckReport> {
        let known: HashSet<&RepoPath> = self.changed.iter().map(|(path, _)| path).collect();
        let all = self.store.snapshot()?.files()?;
        let differing = differing(root, &all);
        let changed = differing.iter().filter(|path| !known.contains(path)).min();
        if changed.is_some() || self.inputs.changed().is_some() {
            let first = changed.map(RepoPath::as_str).or(self.inputs.changed()).unwrap_or_default();
            return Err(Error::Busy(format!(
                "files changed while TypeScript was asked about them ({first}), so no checker result was stored; run it again"
            )));
        }
        let (mut writer, _) = self.store.writer(WRITE_PATIENCE)?;
        writer.begin()?;
        self.require_same(writer.reader())?;
        self.report.projects = self.projects.len() as u64;
        self.report.versions = self.versions.into_iter().collect();
        writer.put_verdicts(&self.verdicts, &self.inputs.rows(), &self.report.record())?;
        writer.commit()?;
        writer.checkpoint()?;
        Ok(self.report)
    }

    /// Fails when the index is not the one the pass began with.
    fn require_same(&self, reader: &Reader) -> Result<()> {
        if reader.facts_version()? == self.facts_version {
            return Ok(());
        }
        Err(Error::Busy(
            "the index changed while TypeScript was asked, so no checker result was stored; run it again"
                .into(),
        ))
    }
}

/// Indexed files whose text on disk is another one.
fn differing(root: &Path, rows: &[FileRow]) -> HashSet<RepoPath> {
    let known = rows.iter().map(|row| (row.path.clone(), row.stamp));
    let differing = source::changed_among(root, known).into_iter();
    differing.filter(|(_, state)| !matches!(state, Measured::Touched(_))).map(|(path, _)| path).collect()
}

impl CheckReport {
    /// What is kept of it.
    fn record(&self) -> CheckRecord {
        CheckRecord {
            versions: self.versions.clone(),
            at: jiff::Timestamp::now().to_string(),
            asked: self.asked,
            proven_calls: self.proven_calls,
            outside_calls: self.outside_calls,
            non_calls: self.non_calls,
            unresolved: self.unresolved,
        }
    }

    /// Counts one mention that was asked about.
    fn count(&mut self, question: &Question, judgement: Option<&Judgement>) {
        self.asked += 1;
        let is_call = question.call.is_some();
        let counter = match judgement {
            None => &mut self.unresolved,
            Some(_) if !is_call => &mut self.non_calls,
            Some(judgement) if judgement.targets.iter().any(|(_, is_proven)| *is_proven) => {
                &mut self.proven_calls
            }
            Some(judgement) if judgement.is_complete => &mut self.outside_calls,
            Some(_) => &mut self.unresolved,
        };
        *counter += 1;
    }
}
