//! `mast_rename_impact`: every place a rename must touch.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{
    DeclarationSite, PotentialMatch, Suggestion, VerifiedCaller, halve, is_false, write_list, write_not_found,
};
use super::subject::{Found, MAX_POTENTIAL, declarations};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::graph::potential::potential;
use crate::graph::{Sources, callers, rename};
use crate::task::CallContext;

/// Most entries of any list.
const MAX_ENTRIES: usize = 500;

/// The tool.
#[derive(Debug)]
pub struct RenameImpact;

/// Arguments of `mast_rename_impact`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RenameImpactInput {
    /// A name, alone or qualified.
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub symbol: String,
    /// Only the declaration in this file.
    pub file_path: Option<String>,
}

/// Answer of `mast_rename_impact`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct RenameImpactOutput {
    /// The symbol that was asked about.
    pub symbol: String,
    /// Where it is declared.
    pub declaration_sites: Vec<DeclarationSite>,
    /// Declarations there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declarations_truncated: Option<u64>,
    /// Proven calls, by path and line.
    pub verified_callers: Vec<VerifiedCaller>,
    /// Proven calls there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_truncated: Option<u64>,
    /// Mentions of the name without proof, by path and line.
    pub potential_matches: Vec<PotentialMatch>,
    /// Such mentions there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub potential_truncated: Option<u64>,
    /// Re-exports that pass the symbol on.
    pub barrel_exports: Vec<BarrelExport>,
    /// Re-exports there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barrels_truncated: Option<u64>,
    /// Import specifiers that name the symbol.
    pub import_sites: Vec<ImportSite>,
    /// Such imports there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import_sites_truncated: Option<u64>,
    /// Proven mentions outside calls: type positions, `typeof`, heritage clauses.
    pub type_references: Vec<TypeReferenceSite>,
    /// Such mentions there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_references_truncated: Option<u64>,
    /// No declaration of this name is in the index.
    #[serde(skip_serializing_if = "is_false")]
    pub symbol_not_found: bool,
    /// The file named by `file_path` is not in the index.
    #[serde(skip_serializing_if = "is_false")]
    pub file_not_indexed: bool,
    /// Near names, when the symbol was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<Suggestion>>,
    /// Counts and what to do.
    pub summary: RenameSummary,
}

/// A re-export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BarrelExport {
    /// The re-exporting file, relative to the project root.
    pub file_path: String,
    /// 1-based line.
    pub line: u32,
    /// The name it has from there on.
    pub exported_as: String,
    /// "named" when the statement spells the name and must be edited, "star" when it passes everything on.
    pub via: String,
}

/// An import specifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportSite {
    /// The importing file, relative to the project root.
    pub file_path: String,
    /// 1-based line of the specifier.
    pub line: u32,
    /// The local name.
    pub imported_as: String,
}

/// A mention in a type position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TypeReferenceSite {
    /// Path relative to the project root.
    pub file_path: String,
    /// 1-based line.
    pub line: u32,
    /// The source line, trimmed.
    pub context: String,
}

/// Counts of an answer of `mast_rename_impact`; totals, whatever was cut from the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RenameSummary {
    /// Declarations.
    pub declaration_count: u64,
    /// Proven calls.
    pub verified_count: u64,
    /// Unproven mentions.
    pub potential_count: u64,
    /// Re-exports.
    pub barrel_count: u64,
    /// Import specifiers.
    pub import_count: u64,
    /// Mentions in type positions.
    pub type_reference_count: u64,
    /// What to edit and what to review, in one sentence.
    pub checklist: String,
    /// Mentions that the TypeScript checker showed to be no calls; 0 when it never ran.
    pub checker_classified_non_call_site: u64,
    /// Calls that the TypeScript checker showed to go elsewhere; 0 when it never ran.
    pub checker_classified_different_declaration: u64,
}

impl Contract for RenameImpact {
    const NAME: &'static str = "mast_rename_impact";
    const TITLE: &'static str = "Impact of a rename";
    const DESCRIPTION: &'static str = "\
Get the checklist for renaming a symbol in one call: declarations, proven calls, import specifiers, re-exports \
(aliases too), type references, and unproven mentions of the name to review by hand.";
    const FRESHNESS: Freshness = Freshness::Refresh;
    const COVERAGE: Coverage = Coverage::Set;
    const USES_EDGES: bool = true;
    const COUNTS_EXCLUDED: bool = true;
    type Input = RenameImpactInput;
    type Output = RenameImpactOutput;

    fn nothing(input: &Self::Input) -> Option<Self::Output> {
        Some(RenameImpactOutput { symbol: input.symbol.clone(), ..RenameImpactOutput::default() })
    }
}

impl Tool for RenameImpact {
    fn run(
        engine: &Engine,
        input: &RenameImpactInput,
        context: &CallContext<'_>,
    ) -> Result<RenameImpactOutput> {
        let snapshot = engine.snapshot()?;
        let mut sources = Sources::new(&snapshot);
        let mut output = RenameImpactOutput { symbol: input.symbol.clone(), ..RenameImpactOutput::default() };
        let targets = match declarations(engine, &mut sources, &input.symbol, input.file_path.as_deref())? {
            Found::Declared(targets) => targets,
            Found::FileNotIndexed => {
                output.file_not_indexed = true;
                output.summary.checklist = "The file is not in the index.".into();
                return Ok(output);
            }
            Found::Unknown(suggestions) => {
                output.symbol_not_found = true;
                output.suggestions = Some(suggestions);
                output.summary.checklist = "No declaration of this name is in the index.".into();
                return Ok(output);
            }
        };
        let found = cut(callers::direct(&mut sources, &targets)?);
        let paths = rename::paths(&mut sources, &targets)?;
        let types = cut(rename::type_references(&mut sources, &targets)?);
        let (mentions, potential_count) = potential(&mut sources, &targets, MAX_POTENTIAL, &context.cancel)?;
        let (barrels, imports) = (cut(paths.barrels), cut(paths.imports));
        let sites = cut(targets.iter().map(DeclarationSite::from).collect());
        output.summary = RenameSummary {
            declaration_count: sites.total,
            verified_count: found.total,
            potential_count,
            barrel_count: barrels.total,
            import_count: imports.total,
            type_reference_count: types.total,
            ..RenameSummary::default()
        };
        output.summary.checklist = output.summary.sentence();
        output.declarations_truncated = sites.cut_from();
        output.verified_truncated = found.cut_from();
        output.potential_truncated = (potential_count > mentions.len() as u64).then_some(potential_count);
        output.barrels_truncated = barrels.cut_from();
        output.import_sites_truncated = imports.cut_from();
        output.type_references_truncated = types.cut_from();
        output.declaration_sites = sites.shown;
        for caller in found.shown {
            output.verified_callers.push(VerifiedCaller::new(
                &mut sources,
                caller,
                targets.len() > 1,
                false,
            )?);
        }
        output.potential_matches = mentions.into_iter().map(PotentialMatch::from).collect();
        output.barrel_exports = barrels.shown.into_iter().map(BarrelExport::from).collect();
        output.import_sites = imports.shown.into_iter().map(ImportSite::from).collect();
        output.type_references = types.shown.into_iter().map(TypeReferenceSite::from).collect();
        Ok(output)
    }
}

/// The beginning of a list, and how long the list is.
struct Cut<T> {
    shown: Vec<T>,
    total: u64,
}

impl<T> Cut<T> {
    fn cut_from(&self) -> Option<u64> {
        (self.total > self.shown.len() as u64).then_some(self.total)
    }
}

fn cut<T>(mut list: Vec<T>) -> Cut<T> {
    let total = list.len() as u64;
    list.truncate(MAX_ENTRIES);
    Cut { shown: list, total }
}

impl RenameSummary {
    /// What to edit and what to review.
    fn sentence(&self) -> String {
        let count = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let edits = [
            count(self.declaration_count, "declaration", "declarations"),
            count(self.verified_count, "call", "calls"),
            count(self.import_count, "import specifier", "import specifiers"),
            count(self.barrel_count, "re-export", "re-exports"),
            count(self.type_reference_count, "line with a type reference", "lines with type references"),
        ];
        let review = match self.potential_count {
            0 => "no unproven mention of the name is left to review".to_owned(),
            n => format!("review {} by hand", count(n, "unproven mention", "unproven mentions")),
        };
        let [declarations, calls, imports, exports, types] = edits;
        format!("Edit {declarations}, {calls}, {imports}, {exports} and {types}; {review}.")
    }
}

impl From<rename::Barrel> for BarrelExport {
    fn from(found: rename::Barrel) -> Self {
        Self {
            file_path: found.path.to_string(),
            line: found.line,
            exported_as: found.exported_as,
            via: found.via.as_str().to_owned(),
        }
    }
}

impl From<rename::ImportSpecifier> for ImportSite {
    fn from(found: rename::ImportSpecifier) -> Self {
        Self { file_path: found.path.to_string(), line: found.line, imported_as: found.local }
    }
}

impl From<rename::TypeReference> for TypeReferenceSite {
    fn from(found: rename::TypeReference) -> Self {
        Self { file_path: found.path.to_string(), line: found.line, context: found.context }
    }
}

impl Output for RenameImpactOutput {
    fn files(&self) -> Vec<&str> {
        let declared = self.declaration_sites.iter().map(|d| d.file_path.as_str());
        let verified = self.verified_callers.iter().map(|c| c.file_path.as_str());
        let potential = self.potential_matches.iter().map(|p| p.file_path.as_str());
        let barrels = self.barrel_exports.iter().map(|b| b.file_path.as_str());
        let imports = self.import_sites.iter().map(|i| i.file_path.as_str());
        let types = self.type_references.iter().map(|t| t.file_path.as_str());
        declared.chain(verified).chain(potential).chain(barrels).chain(imports).chain(types).collect()
    }

    fn is_empty(&self) -> bool {
        self.declaration_sites.is_empty()
    }

    fn shorten(&mut self) -> bool {
        halve(&mut self.potential_matches, &mut self.potential_truncated)
            || halve(&mut self.type_references, &mut self.type_references_truncated)
            || halve(&mut self.verified_callers, &mut self.verified_truncated)
            || halve(&mut self.import_sites, &mut self.import_sites_truncated)
            || halve(&mut self.barrel_exports, &mut self.barrels_truncated)
            || halve(&mut self.declaration_sites, &mut self.declarations_truncated)
    }
}

impl Display for RenameImpactOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file_not_indexed {
            return writeln!(f, "the file is not in the index");
        }
        if self.symbol_not_found {
            return write_not_found(f, self.suggestions.as_deref().unwrap_or_default());
        }
        writeln!(f, "{}", self.summary.checklist)?;
        write_list(f, "declarations", &self.declaration_sites, self.declarations_truncated)?;
        write_list(f, "verified callers", &self.verified_callers, self.verified_truncated)?;
        write_list(f, "imports", &self.import_sites, self.import_sites_truncated)?;
        write_list(f, "re-exports", &self.barrel_exports, self.barrels_truncated)?;
        write_list(f, "type references", &self.type_references, self.type_references_truncated)?;
        write_list(f, "potential matches", &self.potential_matches, self.potential_truncated)
    }
}

impl Display for BarrelExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file_path, line, exported_as, via } = self;
        write!(f, "{file_path}:{line}  as {exported_as}  ({via})")
    }
}

impl Display for ImportSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file_path, line, imported_as } = self;
        write!(f, "{file_path}:{line}  as {imported_as}")
    }
}

impl Display for TypeReferenceSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file_path, line, context } = self;
        write!(f, "{file_path}:{line}\n    {context}")
    }
}
