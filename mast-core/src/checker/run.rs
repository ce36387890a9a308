//! One pass: project after project, each with a TypeScript process of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::find::{TypeScript, any_typescript, nearest_typescript, upward};
use super::inputs::Inputs;
use super::meaning::{Atlas, Meaning};
use super::overlay::Overlay;
use super::process::{Patience, Silence, Spoken};
use super::questions::{FileQuestions, Question, questions};
use super::server::{Document, Place, Position, Server, start};
use super::uri::{plain, slashes};
use super::verdict::{Judgement, of_call, of_mark, of_value};
use super::{CheckReport, CheckRequest};
use crate::error::{Error, Result};
use crate::model::{FileId, Language, ProblemKind, RepoPath};
use crate::source::{self, Measured};
use crate::store::{FileRow, Reader, Store, Verdict};
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
    let directories: BTreeSet<String> = pass.rows.iter().map(|row| row.path.directory().to_owned()).collect();
    let directories: Vec<String> = directories.into_iter().collect();
    let fallback = any_typescript(&root, &directories, request)?;
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
            Some(directory) => {
                let nearest =
                    if request.typescript.is_some() { None } else { nearest_typescript(&root, &directory)? };
                let typescript = nearest.as_ref().unwrap_or(&fallback);
                let open = count(&files);
                let asked = pass.ask(typescript, &root, &mut files, &|at| {
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
            inputs: Inputs::of(root, index.configs),
            rows: all.into_iter().filter(is_asked).collect(),
            files,
            report: CheckReport { changed_files: changed.len() as u64, ..CheckReport::default() },
            changed,
            verdicts: Vec::new(),
            projects: BTreeSet::new(),
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
                let place = root.join(directory);
                let has_one = |place: &PathBuf| {
                    ["tsconfig.json", "jsconfig.json"].iter().any(|name| place.join(name).is_file())
                };
                upward(root, &place).find(has_one)
            });
            projects.entry(project.clone()).or_default().push(row.clone());
        }
        projects
    }

    /// What to ask about some files; those without a question are left out.
    fn questions(&self, rows: &[FileRow]) -> Result<Vec<FileQuestions>> {
        let snapshot = self.store.snapshot()?;
        self.require_same(&snapshot)?;
        let mut files = Vec::new();
        for row in rows {
            self.patience.cancel.check()?;
            let found = questions(&snapshot, row, &self.names, self.partial.contains(&row.path))?;
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
        root: &Path,
        files: &mut Vec<FileQuestions>,
        progress: &dyn Fn((u64, u64)),
    ) -> Spoken<()> {
        let root_text = slashes(root);
        let absolute = |path: &RepoPath| format!("{}/{path}", root_text.trim_end_matches('/'));
        let patience = self.patience.clone();
        let mut server = start(typescript, root, &patience)?;
        self.open_changed(&mut *server, &absolute)?;
        let paths: Vec<String> = files.iter().map(|file| absolute(&file.path)).collect();
        let documents: Vec<Document<'_>> =
            files.iter().zip(&paths).map(|(file, path)| Document { path, text: &file.text }).collect();
        server.open(&documents, &patience)?;
        drop(documents);
        let mut projects = BTreeSet::new();
        let mut kept = Vec::with_capacity(files.len());
        for (file, path) in std::mem::take(files).into_iter().zip(paths) {
            match server.project_of(&path, &patience)? {
                Some(project) => {
                    projects.insert(project);
                    kept.push((file, path));
                }
                None => self.report.outside_files += 1,
            }
        }
        for project in &projects {
            self.inputs.add_project(root, project);
        }
        let answers = converse(&mut *server, &kept, &patience, progress);
        drop(server);
        files.extend(kept.into_iter().map(|(file, _)| file));
        let answers = answers?;
        self.judge(typescript, &root_text, files, &answers)?;
        self.projects.append(&mut projects);
        self.versions.insert(typescript.version.clone());
        Ok(())
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
        let mut atlas = Atlas::new(root, &self.files, self.inputs.packages());
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
        let changed = differing(root, &all).iter().filter(|path| !known.contains(path)).count();
        if changed > 0 || self.inputs.have_changed(root) {
            return Err(Error::Busy(
                "files changed while TypeScript was asked about them, so no checker result was stored; run it again".into(),
            ));
        }
        let (mut writer, _) = self.store.writer(WRITE_PATIENCE)?;
        writer.begin()?;
        self.require_same(writer.reader())?;
        writer.put_verdicts(&self.verdicts, &self.inputs.rows())?;
        writer.commit()?;
        writer.checkpoint()?;
        self.report.projects = self.projects.len() as u64;
        self.report.versions = self.versions.into_iter().collect();
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

/// What TypeScript said about one mention.
#[derive(Debug, Clone, Default)]
struct Answer {
    /// Definitions of the name where it stands.
    as_it_stands: Vec<Place>,
    /// Definitions of the name alone, of a call.
    named: Vec<Place>,
}

/// Asks about every mention as it stands, then about the called names alone. All files are altered at once between the two,
/// because every alteration makes TypeScript begin anew.
fn converse(
    server: &mut dyn Server,
    files: &[(FileQuestions, String)],
    patience: &Patience,
    progress: &dyn Fn((u64, u64)),
) -> Spoken<Vec<Vec<Answer>>> {
    let total = 2 * files.len() as u64;
    let mut done = 0;
    let mut answers = Vec::with_capacity(files.len());
    for (file, path) in files {
        let places: Vec<Position> = file.questions.iter().map(|q| (q.line, q.column)).collect();
        let found = server.definitions(path, &places, patience)?;
        let answer = |as_it_stands| Answer { as_it_stands, named: Vec::new() };
        answers.push(found.into_iter().map(answer).collect::<Vec<_>>());
        done += 1;
        progress((done, total));
    }
    let overlays: HashMap<&str, Overlay> =
        files.iter().filter_map(|(file, path)| Some((path.as_str(), Overlay::of(file)?))).collect();
    let altered: Vec<Document<'_>> = files
        .iter()
        .filter_map(|(_, path)| Some(Document { path, text: &overlays.get(path.as_str())?.text }))
        .collect();
    server.open(&altered, patience)?;
    for ((file, path), answers) in files.iter().zip(&mut answers) {
        if let Some(overlay) = overlays.get(path.as_str()) {
            let twice = || file.questions.iter().enumerate().filter(|(_, q)| q.is_asked_twice());
            let places: Vec<Position> = twice().map(|(_, q)| overlay.altered((q.line, q.column))).collect();
            let found = server.definitions(path, &places, patience)?;
            for ((at, _), mut named) in twice().zip(found) {
                for place in &mut named {
                    if let Some(overlay) = overlays.get(place.file.as_str()) {
                        place.start = overlay.unaltered(place.start);
                    }
                }
                answers[at].named = named;
            }
        }
        done += 1;
        progress((done, total));
    }
    Ok(answers)
}

impl CheckReport {
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
