//! `mast_rename_impact`: every place a rename must touch.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{
    Cut, DeclarationSite, PotentialMatch, VerifiedCaller, clip, cut, write_list, write_suspended,
};
use super::subject::{Asked, MAX_POTENTIAL, Subject, declarations};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::graph::potential::{Question, potential};
use crate::graph::rename::{self, Via};
use crate::graph::{Declaration, Sources};
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
    /// Where it is declared, every overload by itself.
    pub declaration_sites: Vec<DeclarationSite>,
    /// Declarations there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declarations_truncated: Option<u64>,
    /// Proven calls that spell the name, by path and line.
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
    /// Import specifiers that spell the name.
    pub import_sites: Vec<ImportSite>,
    /// Such imports there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import_sites_truncated: Option<u64>,
    /// Proven mentions outside calls that spell the name: type positions, `typeof`, heritage clauses.
    pub type_references: Vec<TypeReferenceSite>,
    /// Such mentions there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_references_truncated: Option<u64>,
    /// What the name was found to mean.
    #[serde(flatten)]
    pub subject: Subject,
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
    /// Proven calls under another name or as `super`: not touched, not listed.
    pub other_name_count: u64,
    /// What to edit and what to review, in one sentence.
    pub checklist: String,
    /// Mentions that the TypeScript checker showed to be no calls; 0 when it never ran.
    pub checker_classified_non_call_site: u64,
    /// Calls that the TypeScript checker showed to go elsewhere; 0 when it never ran.
    pub checker_classified_different_declaration: u64,
    /// The TypeScript checker ran, and files changed since: what it found is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checker_suspended: Option<bool>,
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
        let verdicts = engine.verdicts(&snapshot)?;
        let mut sources = Sources::new(&snapshot).with_verdicts(verdicts.are_in_force());
        let mut output = RenameImpactOutput { symbol: input.symbol.clone(), ..RenameImpactOutput::default() };
        let Asked { subject, targets, names } =
            declarations(engine, &mut sources, &input.symbol, input.file_path.as_deref())?;
        if subject.file_not_indexed {
            output.summary.checklist = "The file is not in the index.".into();
            output.subject = subject;
            return Ok(output);
        }
        let question = if subject.symbol_not_found {
            Question::remains(sources.reader, &input.symbol)?
        } else {
            Question::rename(sources.reader, &names, &targets)?
        };
        let found = potential(&mut sources, &question, MAX_POTENTIAL, &context.cancel)?;
        let mentions = Cut::of(found.mentions, found.total);
        let (calls, other_name_count) = rename::calls(&mut sources, &targets, &names)?;
        let paths = rename::paths(&mut sources, &targets, &names)?;
        let star_count = paths.barrels.iter().filter(|barrel| barrel.via == Via::Star).count() as u64;
        let types = Cut::at(MAX_ENTRIES, rename::type_references(&mut sources, &targets, &names)?);
        let (barrels, imports) = (Cut::at(MAX_ENTRIES, paths.barrels), Cut::at(MAX_ENTRIES, paths.imports));
        let sites = Cut::at(MAX_ENTRIES, sites(&mut sources, &targets)?);
        let calls = Cut::at(MAX_ENTRIES, calls);
        output.summary = RenameSummary {
            declaration_count: sites.total,
            verified_count: calls.total,
            potential_count: mentions.total,
            barrel_count: barrels.total,
            import_count: imports.total,
            type_reference_count: types.total,
            other_name_count,
            checker_classified_non_call_site: found.struck.non_call_sites,
            checker_classified_different_declaration: found.struck.other_declarations,
            checker_suspended: verdicts.are_suspended().then_some(true),
            ..RenameSummary::default()
        };
        output.summary.checklist = if subject.symbol_not_found {
            output.summary.remains()
        } else {
            output.summary.sentence(!subject.alias_of.is_empty(), star_count)
        };
        output.verified_truncated = calls.truncated;
        for caller in calls.shown {
            output.verified_callers.push(VerifiedCaller::new(
                &mut sources,
                caller,
                targets.len() > 1,
                false,
            )?);
        }
        (output.declaration_sites, output.declarations_truncated) = sites.into_fields();
        (output.potential_matches, output.potential_truncated) = mentions.into_fields();
        (output.barrel_exports, output.barrels_truncated) = barrels.into_fields();
        (output.import_sites, output.import_sites_truncated) = imports.into_fields();
        (output.type_references, output.type_references_truncated) = types.into_fields();
        output.subject = subject;
        Ok(output)
    }
}

/// Where the declarations spell their names, a place for every overload.
fn sites(sources: &mut Sources<'_>, targets: &[Declaration]) -> Result<Vec<DeclarationSite>> {
    let mut sites = Vec::with_capacity(targets.len());
    for target in targets {
        for line in rename::declared_at(sources, target)? {
            sites.push(DeclarationSite { line, ..DeclarationSite::from(target) });
        }
    }
    Ok(sites)
}

impl RenameSummary {
    /// What to edit and what to review.
    fn sentence(&self, is_alias: bool, star_count: u64) -> String {
        let edits = [
            counted(self.verified_count, "call", "calls"),
            counted(self.import_count, "import specifier", "import specifiers"),
            counted(self.barrel_count - star_count, "re-export", "re-exports"),
            counted(self.type_reference_count, "line with a type reference", "lines with type references"),
        ];
        let [calls, imports, exports, types] = edits;
        let mut clauses = Vec::new();
        if is_alias {
            clauses.push(format!("Edit {calls}, {imports}, {exports} and {types}"));
            clauses.push("the name is an alias, so the declaration keeps its own".to_owned());
        } else {
            let declarations = counted(self.declaration_count, "declaration", "declarations");
            clauses.push(format!("Edit {declarations}, {calls}, {imports}, {exports} and {types}"));
        }
        if star_count > 0 {
            let stars = counted(star_count, "`export *` passes", "`export *` pass");
            clauses.push(format!("{stars} the name on as it is"));
        }
        if self.other_name_count > 0 {
            let calls = counted(self.other_name_count, "call uses", "calls use");
            clauses.push(format!("{calls} another name or `super` and stay as they are"));
        }
        clauses.push(match self.potential_count {
            0 => "no unproven mention of the name is left to review".to_owned(),
            n => format!("review {} by hand", counted(n, "unproven mention", "unproven mentions")),
        });
        format!("{}.", clauses.join("; "))
    }

    /// What to do about a name that nothing declares.
    fn remains(&self) -> String {
        match self.potential_count {
            0 => "No declaration of this name is in the index, and no mention of it.".to_owned(),
            n => {
                let mentions = counted(n, "mention", "mentions");
                format!("No declaration of this name is in the index; review the {mentions} of it by hand.")
            }
        }
    }
}

fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
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
        declared
            .chain(verified)
            .chain(potential)
            .chain(barrels)
            .chain(imports)
            .chain(types)
            .chain(self.subject.file())
            .collect()
    }

    fn is_empty(&self) -> bool {
        self.declaration_sites.is_empty()
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        let verified = self.verified_callers.iter_mut().map(|caller| &mut caller.context);
        let contexts = verified
            .chain(self.potential_matches.iter_mut().map(|mention| &mut mention.context))
            .chain(self.type_references.iter_mut().map(|reference| &mut reference.context));
        if contexts.map(clip).filter(|is_clipped| *is_clipped).count() > 0 {
            return true;
        }
        [
            cut(&mut self.potential_matches, &mut self.potential_truncated, share),
            cut(&mut self.type_references, &mut self.type_references_truncated, share),
            cut(&mut self.verified_callers, &mut self.verified_truncated, share),
            cut(&mut self.import_sites, &mut self.import_sites_truncated, share),
            cut(&mut self.barrel_exports, &mut self.barrels_truncated, share),
            cut(&mut self.declaration_sites, &mut self.declarations_truncated, share),
        ]
        .contains(&true)
    }
}

impl Display for RenameImpactOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject)?;
        if !self.subject.is_unknown() {
            writeln!(f, "{}", self.summary.checklist)?;
        }
        write_list(f, "declarations", &self.declaration_sites, self.declarations_truncated)?;
        write_list(f, "verified callers", &self.verified_callers, self.verified_truncated)?;
        write_list(f, "imports", &self.import_sites, self.import_sites_truncated)?;
        write_list(f, "re-exports", &self.barrel_exports, self.barrels_truncated)?;
        write_list(f, "type references", &self.type_references, self.type_references_truncated)?;
        let potential =
            if self.subject.symbol_not_found { "mentions of the name" } else { "potential matches" };
        write_list(f, potential, &self.potential_matches, self.potential_truncated)?;
        write_suspended(f, self.summary.checker_suspended)
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
