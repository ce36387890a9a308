//! tsconfig.json and jsconfig.json: aliases, base URL, root directories, and which configuration a file belongs to.
//!
//! Follows TypeScript's own rules: later entries of `extends` win, every path is relative to the file that states it,
//! `${configDir}` to the file that was asked for; a solution-style file hands over to the referenced project that
//! includes the importing file.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use serde_json::Value;

use super::configs::{Configs, string, strings};
use super::files::{below, strip, upward};
use super::glob::Glob;
use crate::model::{RepoPath, normalize};

/// Longer chains of `extends` than this are taken for a mistake.
const MAX_EXTENDS: usize = 32;

/// One configuration with all it inherits.
#[derive(Debug)]
pub(super) struct Project {
    /// The directory of the file.
    dir: String,
    /// Where bare specifiers are looked up first.
    pub(super) base_url: Option<String>,
    /// Aliases without a star: the paths each may stand for, relative to the workspace.
    exact_paths: HashMap<String, Vec<String>>,
    /// Aliases with one, `*` kept in the paths.
    paths: Vec<Mapping>,
    /// Directories that are laid over each other.
    pub(super) root_dirs: Vec<String>,
    /// `customConditions`.
    pub(super) conditions: Vec<String>,
    /// Where output goes and the directory it mirrors.
    pub(super) output: Option<(String, Option<String>)>,
    files: Option<HashSet<String>>,
    include: Option<Vec<Glob>>,
    exclude: Vec<Glob>,
    references: Vec<String>,
}

/// One entry of `paths`.
#[derive(Debug)]
struct Mapping {
    pattern: String,
    targets: Vec<String>,
}

/// The alias a specifier matched.
pub(super) struct Alias<'p> {
    /// Paths to try, in order.
    pub(super) targets: Vec<String>,
    /// The pattern as written.
    pub(super) pattern: &'p str,
}

impl Project {
    /// The alias `specifier` falls under: an exact pattern, else the one with the longest part before its star.
    pub(super) fn alias(&self, specifier: &str) -> Option<Alias<'_>> {
        if let Some((pattern, targets)) = self.exact_paths.get_key_value(specifier) {
            return Some(Alias { targets: targets.clone(), pattern });
        }
        let mut best: Option<(&str, &str, &Mapping)> = None;
        for mapping in &self.paths {
            let Some((head, tail)) = mapping.pattern.split_once('*') else { continue };
            let covers = specifier.len() >= head.len() + tail.len()
                && specifier.starts_with(head)
                && specifier.ends_with(tail);
            if covers && best.is_none_or(|(h, ..)| head.len() > h.len()) {
                best = Some((head, tail, mapping));
            }
        }
        let (head, tail, mapping) = best?;
        let star = &specifier[head.len()..specifier.len() - tail.len()];
        let written_out = mapping.targets.iter().map(|target| target.replacen('*', star, 1));
        let targets = written_out.filter_map(|target| normalize("", &target)).collect();
        Some(Alias { targets, pattern: &mapping.pattern })
    }

    fn maps_names(&self) -> bool {
        self.base_url.is_some() || !self.paths.is_empty() || !self.exact_paths.is_empty()
    }

    /// Whether the file belongs to the project by `files`, `include` and `exclude`.
    fn includes(&self, path: &str) -> bool {
        if self.files.as_ref().is_some_and(|files| files.contains(path)) {
            return true;
        }
        let included = match &self.include {
            Some(globs) => globs.iter().any(|glob| glob.matches(path)),
            None => self.files.is_none() && strip(path, &self.dir).is_some(),
        };
        included && !self.exclude.iter().any(|glob| glob.matches_prefix(path))
    }
}

/// Every configuration of the workspace, and which file follows which.
#[derive(Debug, Default)]
pub(super) struct Projects {
    list: Vec<Project>,
    by_directory: HashMap<String, usize>,
    /// Files that follow a referenced project instead of the nearest configuration.
    by_file: HashMap<RepoPath, usize>,
}

impl Projects {
    /// Reads the configurations among `config_paths` with what they extend and reference, and says which of `files`
    /// follows which. `package_directory` says where a workspace package lies, seen from a directory.
    pub(super) fn load<'f>(
        config_paths: &[String],
        configs: &mut Configs<'_>,
        package_directory: &dyn Fn(&str, &str) -> Option<String>,
        files: impl Iterator<Item = &'f RepoPath>,
    ) -> Self {
        let mut loader = Loader { configs, package_directory, known: HashMap::new(), list: Vec::new() };
        let mut by_directory = HashMap::new();
        for name in ["tsconfig.json", "jsconfig.json"] {
            for path in config_paths {
                let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
                if file == name
                    && !by_directory.contains_key(dir)
                    && let Some(at) = loader.project(path)
                {
                    by_directory.insert(dir.to_owned(), at);
                }
            }
        }
        // Loading appends what is referenced, so the list grows while it is walked.
        let mut references = Vec::new();
        while let Some(project) = loader.list.get(references.len()) {
            let paths = project.references.clone();
            references.push(paths.iter().filter_map(|path| loader.project(path)).collect());
        }
        let mut projects = Self { list: loader.list, by_directory, by_file: HashMap::new() };
        projects.assign(files, &references);
        projects
    }

    /// Finds the files that belong to a referenced project rather than to the nearest configuration.
    fn assign<'f>(&mut self, files: impl Iterator<Item = &'f RepoPath>, references: &[Vec<usize>]) {
        let reachable: Vec<Vec<usize>> = (0..references.len()).map(|at| closure(references, at)).collect();
        for file in files {
            let Some(nearest) = self.nearest(file.directory()) else { continue };
            let candidates = &reachable[nearest];
            if candidates.is_empty() || self.list[nearest].includes(file.as_str()) {
                continue;
            }
            let including = candidates.iter().copied().find(|&at| self.list[at].includes(file.as_str()));
            if let Some(chosen) = including.or_else(|| self.sole_mapping(file, nearest, candidates)) {
                self.by_file.insert(file.clone(), chosen);
            }
        }
    }

    /// No project lists the file, though the imports of one may draw it in: the only project around the file that
    /// maps names, where there is just one.
    fn sole_mapping(&self, file: &RepoPath, nearest: usize, candidates: &[usize]) -> Option<usize> {
        if self.list[nearest].maps_names() {
            return None;
        }
        let mut mapping = candidates.iter().copied().filter(|&at| {
            let project = &self.list[at];
            project.maps_names() && strip(file.as_str(), &project.dir).is_some()
        });
        let sole = mapping.next()?;
        mapping.next().is_none().then_some(sole)
    }

    fn nearest(&self, directory: &str) -> Option<usize> {
        upward(directory).find_map(|dir| self.by_directory.get(dir).copied())
    }

    /// The configuration that applies to `file`.
    pub(super) fn of(&self, file: &RepoPath) -> Option<&Project> {
        let at = self.by_file.get(file).copied().or_else(|| self.nearest(file.directory()))?;
        self.list.get(at)
    }

    /// The configuration in exactly this directory.
    pub(super) fn at(&self, directory: &str) -> Option<&Project> {
        self.by_directory.get(directory).and_then(|&at| self.list.get(at))
    }
}

/// What `start` references, directly first.
fn closure(references: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut queue: VecDeque<usize> = references[start].iter().copied().collect();
    while let Some(next) = queue.pop_front() {
        if next != start && !found.contains(&next) {
            found.push(next);
            queue.extend(&references[next]);
        }
    }
    found
}

/// Settings while inheritance is being worked out; each keeps the directory it is relative to.
#[derive(Debug, Default)]
struct Layer {
    base_url: Option<Stated<String>>,
    paths: Option<Stated<Vec<Mapping>>>,
    root_dirs: Option<Stated<Vec<String>>>,
    out_dir: Option<Stated<String>>,
    root_dir: Option<Stated<String>>,
    files: Option<Stated<Vec<String>>>,
    include: Option<Stated<Vec<String>>>,
    exclude: Option<Stated<Vec<String>>>,
    conditions: Option<Vec<String>>,
}

/// A setting and the directory of the file that states it.
type Stated<T> = (String, T);

impl Layer {
    /// Reads one file's own settings.
    fn own(value: &Value, dir: &str) -> Self {
        let none = Value::Null;
        let options = value.get("compilerOptions").unwrap_or(&none);
        let text = |key| string(options, key).map(|text| (dir.to_owned(), text.to_owned()));
        let list = |from: &Value, key| {
            from.get(key).filter(|v| v.is_array()).map(|v| (dir.to_owned(), strings(Some(v))))
        };
        let paths = options.get("paths").and_then(Value::as_object).map(|table| {
            let mapping = |(pattern, targets): (&String, &Value)| Mapping {
                pattern: pattern.clone(),
                targets: strings(Some(targets)),
            };
            (dir.to_owned(), table.iter().map(mapping).collect())
        });
        Self {
            base_url: text("baseUrl"),
            paths,
            root_dirs: list(options, "rootDirs"),
            out_dir: text("outDir"),
            root_dir: text("rootDir"),
            files: list(value, "files"),
            include: list(value, "include"),
            exclude: list(value, "exclude"),
            conditions: list(options, "customConditions").map(|(_, names)| names),
        }
    }

    /// This layer laid over `below`.
    fn over(self, below: Self) -> Self {
        Self {
            base_url: self.base_url.or(below.base_url),
            paths: self.paths.or(below.paths),
            root_dirs: self.root_dirs.or(below.root_dirs),
            out_dir: self.out_dir.or(below.out_dir),
            root_dir: self.root_dir.or(below.root_dir),
            files: self.files.or(below.files),
            include: self.include.or(below.include),
            exclude: self.exclude.or(below.exclude),
            conditions: self.conditions.or(below.conditions),
        }
    }

    /// Turns every path into one relative to the workspace; `dir` is the directory `${configDir}` stands for.
    fn finish(self, dir: &str, references: Vec<String>) -> Project {
        let place = |(from, text): &Stated<String>| locate(from, text, dir);
        let places = |list: &Stated<Vec<String>>| -> Vec<String> {
            list.1.iter().filter_map(|text| locate(&list.0, text, dir)).collect()
        };
        let base_url = self.base_url.as_ref().and_then(place);
        // A base outside the workspace takes what is relative to it outside as well.
        let is_outside = self.base_url.is_some() && base_url.is_none();
        let paths = self.paths.map_or_else(Vec::new, |(from, entries)| {
            let from = base_url.as_deref().unwrap_or(&from);
            let resolve = |target: &String| {
                if is_outside && !target.starts_with(CONFIG_DIR) { None } else { locate(from, target, dir) }
            };
            let resolved = entries.into_iter().map(|mapping| Mapping {
                targets: mapping.targets.iter().filter_map(resolve).collect(),
                pattern: mapping.pattern,
            });
            resolved.collect()
        });
        let (paths, exact): (Vec<Mapping>, Vec<Mapping>) =
            paths.into_iter().partition(|mapping| mapping.pattern.contains('*'));
        let include_globs = |paths: Vec<String>| -> Vec<Glob> {
            paths.into_iter().map(|path| Glob::new(&whole_directory(path))).collect()
        };
        let output = self.out_dir.as_ref().and_then(place);
        let mut exclude = match &self.exclude {
            Some(list) => places(list),
            None => output.iter().cloned().collect(),
        };
        exclude.retain(|path| !path.is_empty());
        Project {
            dir: dir.to_owned(),
            base_url,
            exact_paths: exact.into_iter().map(|mapping| (mapping.pattern, mapping.targets)).collect(),
            paths,
            root_dirs: self.root_dirs.as_ref().map_or_else(Vec::new, places),
            conditions: self.conditions.unwrap_or_default(),
            output: output
                .filter(|path| !path.is_empty())
                .map(|path| (path, self.root_dir.as_ref().and_then(place))),
            files: self.files.as_ref().map(|list| places(list).into_iter().collect()),
            include: self.include.as_ref().map(|list| include_globs(places(list))),
            exclude: exclude.iter().map(|path| Glob::new(path)).collect(),
            references,
        }
    }
}

const CONFIG_DIR: &str = "${configDir}";

/// `text`, stated in directory `from`, relative to the workspace; `None` outside of it.
fn locate(from: &str, text: &str, config_dir: &str) -> Option<String> {
    match text.strip_prefix(CONFIG_DIR) {
        Some(rest) => normalize(config_dir, rest),
        None if text.starts_with('/') => None,
        None => normalize(from, text),
    }
}

/// An `include` entry that names a directory means all that is in it.
fn whole_directory(path: String) -> String {
    let last = path.rsplit('/').next().unwrap_or(&path);
    if path.is_empty() {
        "**".to_owned()
    } else if last.contains(['*', '?', '.']) && !last.starts_with('.') {
        path
    } else {
        path + "/**"
    }
}

struct Loader<'c, 'a> {
    configs: &'c mut Configs<'a>,
    package_directory: &'c dyn Fn(&str, &str) -> Option<String>,
    known: HashMap<String, Option<usize>>,
    list: Vec<Project>,
}

impl Loader<'_, '_> {
    /// The project of the file at `path`, read on first use; `None` when there is no usable file.
    fn project(&mut self, path: &str) -> Option<usize> {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let at = self.configs.json(path).map(|value| {
            let dir = directory_of(path);
            let references = self.references(&value, path);
            let project = self.layer(path, &value).finish(dir, references);
            self.list.push(project);
            self.list.len() - 1
        });
        self.known.insert(path.to_owned(), at);
        at
    }

    fn references(&mut self, value: &Value, path: &str) -> Vec<String> {
        let items = value.get("references").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        for text in items.iter().filter_map(|item| string(item, "path")) {
            let target = normalize(directory_of(path), text).map(|target| {
                if has_json_extension(&target) { target } else { below(&target, "tsconfig.json") }
            });
            match target {
                Some(target) if self.configs.json(&target).is_some() => found.push(target),
                _ => self.configs.warn(path, &format!("reference \"{text}\" is not there; it is left out")),
            }
        }
        found
    }

    /// The settings of a file with all it extends.
    fn layer(&mut self, path: &str, value: &Rc<Value>) -> Layer {
        // Depth first, what is laid over comes first; `open` holds the files between the start and the next one.
        let mut layer = Layer::default();
        let mut stack = vec![(path.to_owned(), Rc::clone(value), Vec::<String>::new())];
        while let Some((path, value, mut open)) = stack.pop() {
            layer = layer.over(Layer::own(&value, directory_of(&path)));
            let bases = match value.get("extends") {
                Some(Value::String(base)) => vec![base.clone()],
                list => strings(list),
            };
            open.push(path.clone());
            // The last base wins, so it must be popped first.
            for base in bases {
                match self.find_base(&path, &base) {
                    Some(found) if open.contains(&found) || open.len() >= MAX_EXTENDS => {
                        self.configs.warn(&path, &format!("extends \"{base}\" leads back to itself"));
                    }
                    Some(found) => {
                        if let Some(value) = self.configs.json(&found) {
                            stack.push((found, value, open.clone()));
                        }
                    }
                    None => {
                        let is_relative = base.starts_with('.');
                        let is_outside = is_relative && normalize(directory_of(&path), &base).is_none();
                        let why = if is_outside || base.starts_with('/') {
                            "is outside the project root and is not read"
                        } else {
                            "is not there"
                        };
                        let line = format!("extends \"{base}\", which {why}; the rest of the file is used");
                        self.configs.warn(&path, &line);
                    }
                }
            }
        }
        layer
    }

    /// The file that `extends: base` in `path` means.
    fn find_base(&mut self, path: &str, base: &str) -> Option<String> {
        let dir = directory_of(path);
        if base.starts_with('/') {
            return None;
        }
        if base.starts_with("./") || base.starts_with("../") || matches!(base, "." | "..") {
            return self.first_json(&normalize(dir, base)?);
        }
        let (name, rest) = super::packages::split_name(base)?;
        let mut places: Vec<String> = (self.package_directory)(dir, name).into_iter().collect();
        places.extend(upward(dir).map(|dir| below(dir, &format!("node_modules/{name}"))));
        for place in places {
            let found = if rest.is_empty() {
                let named = self.configs.json(&below(&place, "package.json"));
                let named =
                    named.as_ref().and_then(|value| string(value, "tsconfig")).unwrap_or("tsconfig.json");
                self.first_json(&normalize(&place, named)?)
            } else {
                self.first_json(&normalize(&place, rest)?)
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn first_json(&mut self, path: &str) -> Option<String> {
        let candidates = [path.to_owned(), format!("{path}.json"), below(path, "tsconfig.json")];
        candidates
            .into_iter()
            .find(|candidate| has_json_extension(candidate) && self.configs.exists(candidate))
    }
}

fn has_json_extension(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension == "json")
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}
