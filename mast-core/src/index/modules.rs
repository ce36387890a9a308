//! Which file every import means: resolved for all files when files come and go or configuration changes, for the files
//! that were parsed otherwise.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

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
}

impl Modules {
    /// Builds the resolver from the shelf's files and the configuration files on disk.
    pub(crate) fn load(reader: &Reader, root: &Path, configs: Vec<String>) -> Result<Self> {
        let files = reader.files()?;
        let ids: HashMap<_, _> = files.iter().map(|row| (row.path.clone(), row.id)).collect();
        let resolver = Resolver::new(files.into_iter().map(|row| row.path), configs, |path| {
            source::read_config(root, path)
        });
        Ok(Self { resolver, ids })
    }

    /// What was wrong with configuration files.
    pub(super) fn warnings(&self) -> &[String] {
        self.resolver.warnings()
    }

    /// Digest of everything a resolution depends on besides the importing file's own text.
    pub(super) fn digest(&self, root: &Path) -> String {
        let mut hash = Xxh3::new();
        let mut paths: Vec<_> = self.ids.iter().collect();
        paths.sort_unstable();
        for (path, id) in paths {
            hash.update(path.as_str().as_bytes());
            hash.update(&id.0.to_le_bytes());
        }
        for config in self.resolver.consulted() {
            hash.update(config.as_bytes());
            hash.update(source::read_config(root, config).unwrap_or_default().as_bytes());
            hash.update(&[0]);
        }
        format!("{:032x}", hash.digest128())
    }

    /// What `specifier` means in `from`.
    pub(super) fn resolve(&self, from: &RepoPath, specifier: &str) -> ResolvedImport {
        match self.resolver.resolve(from, specifier) {
            Resolved::File(path) => ResolvedImport { file: self.ids.get(&path).copied(), is_external: false },
            Resolved::External => ResolvedImport { file: None, is_external: true },
            Resolved::Missing => ResolvedImport { file: None, is_external: false },
        }
    }

    /// The configuration files resolution read, one a line.
    pub(super) fn consulted(&self) -> String {
        self.resolver.consulted().join("\n")
    }
}

/// Brings the recorded meaning of imports up to date. `parsed` are the files whose imports are new; when what resolution
/// depends on has changed since the last run, every import is looked at. Files whose imports mean something else now are
/// marked to be linked again.
pub(super) fn resolve_imports(
    writer: &mut IndexWriter<'_>,
    modules: &Modules,
    root: &Path,
    parsed: &BTreeSet<FileId>,
) -> Result<()> {
    let digest = modules.digest(root);
    let all_changed = writer.reader().meta(meta::RESOLUTION)?.as_deref() != Some(&digest);
    let paths: HashMap<FileId, &RepoPath> = modules.ids.iter().map(|(path, id)| (*id, path)).collect();
    let specifiers = if all_changed {
        writer.reader().all_specifiers()?
    } else {
        let mut specifiers = Vec::new();
        for file in parsed {
            specifiers.extend(
                writer
                    .reader()
                    .imports_of(*file)?
                    .into_iter()
                    .map(|row| (row.file, row.ix, row.import.specifier)),
            );
        }
        specifiers
    };
    for (file, ix, specifier) in specifiers {
        let Some(path) = paths.get(&file) else { continue };
        if writer.set_resolution(file, ix, modules.resolve(path, &specifier))? {
            writer.mark_relink(file)?;
        }
    }
    if all_changed {
        writer.set_meta(meta::RESOLUTION, &digest)?;
        writer.set_meta(meta::CONFIGS, &modules.consulted())?;
    }
    Ok(())
}
