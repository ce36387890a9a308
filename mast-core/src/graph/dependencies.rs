//! What a file imports, and which file each import means.

use super::Sources;
use crate::error::Result;
use crate::model::{FileId, ImportKind, ImportedName, RepoPath};

/// One import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The module as written.
    pub specifier: String,
    /// What is taken from it, spelled as an import clause would.
    pub names: Vec<String>,
    /// A module from outside the workspace.
    pub is_external: bool,
    /// The file it means.
    pub resolved: Option<RepoPath>,
    /// How.
    pub kind: ImportKind,
    /// 1-based line.
    pub line: u32,
}

/// The imports and re-exports of a file, in file order.
pub fn dependencies(sources: &mut Sources<'_>, file: FileId) -> Result<Vec<Dependency>> {
    let mut found = Vec::new();
    for row in sources.reader.imports_of(file)? {
        let resolved = row.resolved.map(|id| sources.path(id)).transpose()?;
        let is_star = row.import.kind == ImportKind::ReExport && row.import.names.is_empty();
        let names = if is_star {
            vec!["*".to_owned()]
        } else {
            row.import.names.iter().map(|(imported, local, _)| spell(imported, local)).collect()
        };
        found.push(Dependency {
            specifier: row.import.specifier,
            names,
            is_external: row.is_external,
            resolved,
            kind: row.import.kind,
            line: row.import.line,
        });
    }
    Ok(found)
}

fn spell(imported: &ImportedName, local: &str) -> String {
    match imported {
        ImportedName::Namespace if local.is_empty() => "*".to_owned(),
        ImportedName::Namespace => format!("* as {local}"),
        ImportedName::Named(name) if name == local || local.is_empty() => name.clone(),
        ImportedName::Named(name) => format!("{name} as {local}"),
    }
}

/// The spelling of an import's kind.
#[must_use]
pub fn kind_name(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Static => "static",
        ImportKind::Type => "type",
        ImportKind::Dynamic => "dynamic",
        ImportKind::Require => "require",
        ImportKind::ImportEquals => "import_equals",
        ImportKind::ReExport => "re_export",
    }
}
