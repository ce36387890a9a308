//! Which file every import means: resolved for all files when files come and go or configuration changes, for the files
//! that were parsed otherwise.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::meta;
use crate::error::Result;
use crate::link::modules::{Resolved, Resolver};
use crate::model::{FileId, RepoPath};
use crate::source;
use crate::store::{IndexWriter, Reader, ResolvedImport};

/// Module resolution over the files of the shelf.
#[derive(Debug)]
pub(crate) struct Modules {
    resolver: Resolver,
    ids: HashMap<RepoPath, FileId>,
    configs: Configs,
    digest: String,
}

/// The configuration files that resolution rests on, as they were when they were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Configs(BTreeMap<String, ConfigState>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ConfigState {
    /// The walk met it; others were only referred to.
    is_walked: bool,
    /// What was found, `None` for a file that resolution had no use for.
    found: Option<Found>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    Text(u128),
}

impl Found {
    fn of(text: Option<&str>) -> Self {
        text.map_or(Self::Nothing, |text| Self::Text(xxh3_128(text.as_bytes())))
    }
}

impl Configs {
    /// Reads what [`spell`](Self::spell) wrote.
    pub(crate) fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let is_walked = parts.next()? == "walked";
            let found = match parts.next()? {
                "unread" => None,
                "absent" => Some(Found::Nothing),
                hash => Some(Found::Text(u128::from_str_radix(hash, 16).ok()?)),
            };
            Some((parts.next()?.to_owned(), ConfigState { is_walked, found }))
        };
        Self(text.lines().filter_map(line).collect())
    }

    /// One line a file, in path order.
    fn spell(&self) -> String {
        let line = |(path, state): (&String, &ConfigState)| {
            let origin = if state.is_walked { "walked" } else { "named" };
            match state.found {
                None => format!("{origin} unread {path}"),
                Some(Found::Nothing) => format!("{origin} absent {path}"),
                Some(Found::Text(hash)) => format!("{origin} {hash:032x} {path}"),
            }
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The files the walk met.
    pub(crate) fn walked(&self) -> Vec<String> {
        self.0.iter().filter(|(_, state)| state.is_walked).map(|(path, _)| path.clone()).collect()
    }

    /// All of them.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Whether the files on disk are still what was read.
    pub(crate) fn is_current(&self, root: &Path) -> bool {
        self.0.iter().all(|(path, state)| {
            state.found.is_none_or(|found| found == Found::of(source::read_config(root, path).as_deref()))
        })
    }
}

/// Whether resolution would rest on other configuration files than those the shelf was linked with. `walked` are those a
/// walk meets now.
pub(crate) fn are_configs_outdated(reader: &Reader, root: &Path, walked: &[String]) -> Result<bool> {
    let Some(recorded) = reader.meta(meta::CONFIGS)? else { return Ok(false) };
    let recorded = Configs::parse(&recorded);
    Ok(recorded.walked() != walked || !recorded.is_current(root))
}

impl Modules {
    /// Builds the resolver from the shelf's files and the configuration files on disk; `walked` are the names of those
    /// that the walk met.
    pub(crate) fn load(reader: &Reader, root: &Path, walked: Vec<String>) -> Result<Self> {
        let files = reader.files()?;
        let ids: HashMap<_, _> = files.iter().map(|row| (row.path.clone(), row.id)).collect();
        let unread = ConfigState { is_walked: true, found: None };
        let configs =
            RefCell::new(walked.iter().map(|path| (path.clone(), unread)).collect::<BTreeMap<_, _>>());
        let resolver = Resolver::new(files.into_iter().map(|row| row.path), walked, |path| {
            let text = source::read_config(root, path);
            let mut configs = configs.borrow_mut();
            let named = ConfigState { is_walked: false, found: None };
            configs.entry(path.to_owned()).or_insert(named).found = Some(Found::of(text.as_deref()));
            text
        });
        let configs = Configs(configs.into_inner());
        let digest = digest(&ids, &configs);
        Ok(Self { resolver, ids, configs, digest })
    }

    /// What was wrong with configuration files.
    pub(super) fn warnings(&self) -> &[String] {
        self.resolver.warnings()
    }

    /// The configuration files it rests on.
    pub(crate) fn configs(&self) -> &Configs {
        &self.configs
    }

    /// Whether it is, as far as is known, what the imports on the shelf were resolved with.
    pub(crate) fn is_that_of(&self, reader: &Reader) -> Result<bool> {
        Ok(reader.meta(meta::RESOLUTION)?.as_deref() == Some(&self.digest))
    }

    /// What `specifier` means in `from`.
    pub(super) fn resolve(&self, from: &RepoPath, specifier: &str) -> ResolvedImport {
        match self.resolver.resolve(from, specifier) {
            Resolved::File(path) => ResolvedImport { file: self.ids.get(&path).copied(), is_external: false },
            Resolved::External => ResolvedImport { file: None, is_external: true },
            Resolved::Missing => ResolvedImport { file: None, is_external: false },
        }
    }
}

/// Digest of everything a resolution depends on besides the importing file's own text. It speaks of the configuration that
/// was read, whatever the disk holds by now.
fn digest(ids: &HashMap<RepoPath, FileId>, configs: &Configs) -> String {
    let mut hash = Xxh3::new();
    let mut paths: Vec<_> = ids.iter().collect();
    paths.sort_unstable();
    for (path, id) in paths {
        hash.update(path.as_str().as_bytes());
        hash.update(&id.0.to_le_bytes());
    }
    hash.update(configs.spell().as_bytes());
    format!("{:032x}", hash.digest128())
}

/// Brings the recorded meaning of imports up to date in a run. `parsed` are the files whose imports are new; when what
/// resolution depends on has changed since the last run, every import is looked at. Files whose imports mean something else
/// now are marked to be linked again.
pub(super) fn resolve_imports(
    writer: &mut IndexWriter<'_>,
    modules: &Modules,
    parsed: &BTreeSet<FileId>,
) -> Result<()> {
    if modules.is_that_of(writer.reader())? {
        return resolve_files(writer, modules, parsed);
    }
    let specifiers = writer.reader().all_specifiers()?;
    resolve(writer, modules, specifiers)?;
    // A configuration that came or changed also changes what TypeScript makes of the files below it.
    writer.clear_verdicts()?;
    writer.set_meta(meta::RESOLUTION, &modules.digest)?;
    writer.set_meta(meta::CONFIGS, &modules.configs.spell())
}

/// Resolves the imports of files that were refreshed. `modules` may be older or newer than what the other imports were
/// resolved with: then nobody knows what imports mean until the next run, which looks at all of them.
pub(super) fn resolve_refreshed(
    writer: &mut IndexWriter<'_>,
    modules: &Modules,
    refreshed: &BTreeSet<FileId>,
) -> Result<()> {
    resolve_files(writer, modules, refreshed)?;
    if !modules.is_that_of(writer.reader())? {
        writer.clear_meta(meta::RESOLUTION)?;
        writer.set_unresolved()?;
    }
    Ok(())
}

fn resolve_files(writer: &mut IndexWriter<'_>, modules: &Modules, files: &BTreeSet<FileId>) -> Result<()> {
    let mut specifiers = Vec::new();
    for file in files {
        let imports = writer.reader().imports_of(*file)?.into_iter();
        specifiers.extend(imports.map(|row| (row.file, row.ix, row.import.specifier)));
    }
    resolve(writer, modules, specifiers)
}

fn resolve(
    writer: &mut IndexWriter<'_>,
    modules: &Modules,
    specifiers: Vec<(FileId, u32, String)>,
) -> Result<()> {
    let paths: HashMap<FileId, &RepoPath> = modules.ids.iter().map(|(path, id)| (*id, path)).collect();
    for (file, ix, specifier) in specifiers {
        let Some(path) = paths.get(&file) else { continue };
        if writer.set_resolution(file, ix, modules.resolve(path, &specifier))? {
            writer.mark_relink(file)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::config::{Config, ConfigRequest, Environment, RootChoice};
    use crate::index::{RunRequest, run};
    use crate::store::Store;
    use crate::task::CallContext;

    fn index(store: &Store, root: &Path) {
        let choice = RootChoice::Explicit(root.to_path_buf());
        let request = ConfigRequest { root: choice, ..ConfigRequest::default() };
        let environment = Environment { working_directory: root.to_path_buf(), ..Environment::default() };
        let config = Config::load(&request, &environment).unwrap();
        let request =
            RunRequest { full: false, operation: "test", patience: Duration::ZERO, link_budget: None };
        run(store, &config, &request, &CallContext::default()).unwrap();
    }

    /// What the import of `a.ts` means, and how many files wait for repair.
    fn import_of_a(store: &Store) -> (Option<String>, u64) {
        let snapshot = store.snapshot().unwrap();
        let a = snapshot.file_id(&RepoPath::new("a.ts").unwrap()).unwrap().unwrap();
        let resolved = snapshot.imports_of(a).unwrap()[0].resolved;
        let path = resolved.and_then(|id| snapshot.file_by_id(id).unwrap()).map(|row| row.path.to_string());
        (path, snapshot.unrepaired_count().unwrap())
    }

    #[test]
    fn a_refresh_that_knows_less_than_the_last_run_is_repaired_by_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(&dir.path().join(".mast"));
        fs::write(dir.path().join("a.ts"), "import { f } from './lib';\nf();\n").unwrap();
        index(&store, dir.path());
        let old = Modules::load(&store.snapshot().unwrap(), dir.path(), Vec::new()).unwrap();
        fs::write(dir.path().join("lib.ts"), "export function f() {}\n").unwrap();
        index(&store, dir.path());
        assert_eq!(import_of_a(&store), (Some("lib.ts".into()), 0));

        let (mut writer, _) = store.writer(Duration::ZERO).unwrap();
        let a = writer.reader().file_id(&RepoPath::new("a.ts").unwrap()).unwrap().unwrap();
        writer.begin().unwrap();
        resolve_refreshed(&mut writer, &old, &BTreeSet::from([a])).unwrap();
        writer.commit().unwrap();
        drop(writer);
        assert_eq!(import_of_a(&store), (None, 1), "the answer says that it may be wrong");
        index(&store, dir.path());
        assert_eq!(import_of_a(&store), (Some("lib.ts".into()), 0));
    }

    #[test]
    fn configurations_are_spelled_and_read_alike() {
        let state = |is_walked, found| ConfigState { is_walked, found };
        let configs = Configs(BTreeMap::from([
            ("a b/package.json".to_owned(), state(true, Some(Found::Text(0xfe)))),
            ("base.json".to_owned(), state(false, Some(Found::Nothing))),
            ("lerna.json".to_owned(), state(true, None)),
        ]));
        let spelled = configs.spell();
        assert!(spelled.ends_with("fe a b/package.json\nnamed absent base.json\nwalked unread lerna.json"));
        assert_eq!(Configs::parse(&spelled), configs);
        assert_eq!(configs.walked(), ["a b/package.json", "lerna.json"]);
    }
}
