//! `mast_callers`: who calls a symbol.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{
    Cut, DeclarationSite, PotentialMatch, VerifiedCaller, clip, cut, write_list, write_suspended,
};
use super::subject::{Asked, MAX_POTENTIAL, MAX_VERIFIED, Subject, declarations};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::graph::potential::{Question, potential};
use crate::graph::{Sources, callers};
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Callers;

/// Arguments of `mast_callers`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CallersInput {
    /// A name, alone or qualified: "resolveConfig", "Store.get".
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub symbol: String,
    /// Only the declaration in this file.
    pub file_path: Option<String>,
    /// Also the callers of the callers, and so on.
    pub transitive: bool,
    /// Also mentions of the name that could not be proven to mean the symbol.
    pub include_potential: bool,
    /// Most verified callers, and most potential matches, to return. Without it, as many verified callers as fit an answer
    /// that clients accept, and 50 potential matches.
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<u32>,
}

impl Default for CallersInput {
    fn default() -> Self {
        Self {
            symbol: String::new(),
            file_path: None,
            transitive: false,
            include_potential: true,
            limit: None,
        }
    }
}

/// Answer of `mast_callers`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct CallersOutput {
    /// Proven calls, by path and line.
    pub verified_callers: Vec<VerifiedCaller>,
    /// Proven calls there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_truncated: Option<u64>,
    /// Mentions of the name that may be calls, by path and line; of an unknown name, all mentions.
    pub potential_matches: Vec<PotentialMatch>,
    /// Such mentions there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub potential_truncated: Option<u64>,
    /// The declarations that were asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declaration_sites: Vec<DeclarationSite>,
    /// What the name was found to mean.
    #[serde(flatten)]
    pub subject: Subject,
    /// Counts.
    pub summary: CallersSummary,
}

/// Counts of an answer of `mast_callers`; totals, whatever was cut from the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallersSummary {
    /// Proven calls.
    pub verified_count: u64,
    /// Unproven mentions.
    pub potential_count: u64,
    /// Whether callers of callers were asked for.
    pub transitive: bool,
    /// Mentions that the TypeScript checker showed to be no calls; 0 when it never ran.
    pub checker_classified_non_call_site: u64,
    /// Calls that the TypeScript checker showed to go elsewhere; 0 when it never ran.
    pub checker_classified_different_declaration: u64,
    /// The TypeScript checker ran, and files changed since: what it found is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checker_suspended: Option<bool>,
}

impl Contract for Callers {
    const NAME: &'static str = "mast_callers";
    const TITLE: &'static str = "Callers of a symbol";
    const DESCRIPTION: &'static str = "\
Find who calls a function, method, class or component. verified_callers are proven, by syntax and imports or by the TypeScript checker, and carry \
how (resolution): safe to act on. potential_matches only share the name: review them. transitive: true walks the \
whole chain of callers. A call through an interface counts as a call of the interface's method, so ask for both \
\"Store.get\" and \"MemoryStore.get\". symbol_not_found tells an unknown name from one without callers; what still mentions it is listed.";
    const FRESHNESS: Freshness = Freshness::Refresh;
    const COVERAGE: Coverage = Coverage::Set;
    const USES_EDGES: bool = true;
    const COUNTS_EXCLUDED: bool = true;
    type Input = CallersInput;
    type Output = CallersOutput;

    fn nothing(input: &Self::Input) -> Option<Self::Output> {
        Some(CallersOutput {
            summary: CallersSummary { transitive: input.transitive, ..CallersSummary::default() },
            ..CallersOutput::default()
        })
    }
}

impl Tool for Callers {
    fn run(engine: &Engine, input: &CallersInput, context: &CallContext<'_>) -> Result<CallersOutput> {
        let snapshot = engine.snapshot()?;
        let verdicts = engine.verdicts(&snapshot)?;
        let mut sources = Sources::new(&snapshot).with_verdicts(verdicts.are_in_force());
        let mut output = CallersOutput {
            summary: CallersSummary {
                transitive: input.transitive,
                checker_suspended: verdicts.are_suspended().then_some(true),
                ..CallersSummary::default()
            },
            ..CallersOutput::default()
        };
        let Asked { subject, targets, .. } =
            declarations(engine, &mut sources, &input.symbol, input.file_path.as_deref())?;
        let found = if input.transitive {
            callers::transitive(&mut sources, &targets, &context.cancel)?
        } else {
            callers::direct(&mut sources, &targets)?
        };
        let total = found.len() as u64;
        let limit = input.limit.map_or(MAX_VERIFIED, |limit| limit as usize);
        let found = Cut::of(callers::nearest(found, limit), total);
        output.summary.verified_count = total;
        output.verified_truncated = found.truncated;
        let says_target = input.transitive || targets.len() > 1;
        for caller in found.shown {
            output.verified_callers.push(VerifiedCaller::new(
                &mut sources,
                caller,
                says_target,
                input.transitive,
            )?);
        }
        if input.include_potential && !subject.file_not_indexed {
            let limit = input.limit.map_or(MAX_POTENTIAL, |limit| limit as usize);
            let question = if subject.symbol_not_found {
                Question::remains(sources.reader, &input.symbol)?
            } else {
                Question::calls(&mut sources, &targets)?
            };
            let found = potential(&mut sources, &question, limit, &context.cancel)?;
            output.summary.potential_count = found.total;
            output.summary.checker_classified_non_call_site = found.struck.non_call_sites;
            output.summary.checker_classified_different_declaration = found.struck.other_declarations;
            (output.potential_matches, output.potential_truncated) =
                Cut::of(found.mentions, found.total).into_fields();
        }
        output.declaration_sites = targets.iter().map(DeclarationSite::from).collect();
        output.subject = subject;
        Ok(output)
    }
}

impl Output for CallersOutput {
    fn files(&self) -> Vec<&str> {
        let declared = self.declaration_sites.iter().map(|d| d.file_path.as_str());
        let verified = self.verified_callers.iter().map(|c| c.file_path.as_str());
        let potential = self.potential_matches.iter().map(|p| p.file_path.as_str());
        declared.chain(verified).chain(potential).chain(self.subject.file()).collect()
    }

    fn is_empty(&self) -> bool {
        self.verified_callers.is_empty() && self.potential_matches.is_empty()
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        let verified = self.verified_callers.iter_mut().map(|caller| &mut caller.context);
        let contexts = verified.chain(self.potential_matches.iter_mut().map(|mention| &mut mention.context));
        if contexts.map(clip).filter(|is_clipped| *is_clipped).count() > 0 {
            return true;
        }
        let potential = cut(&mut self.potential_matches, &mut self.potential_truncated, share);
        cut(&mut self.verified_callers, &mut self.verified_truncated, share) || potential
    }
}

impl Display for CallersOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject)?;
        write_list(f, "declarations", &self.declaration_sites, None)?;
        write_list(f, "verified callers", &self.verified_callers, self.verified_truncated)?;
        let potential =
            if self.subject.symbol_not_found { "mentions of the name" } else { "potential matches" };
        write_list(f, potential, &self.potential_matches, self.potential_truncated)?;
        if self.is_empty() && !self.subject.is_unknown() {
            writeln!(f, "no callers")?;
        }
        write_suspended(f, self.summary.checker_suspended)?;
        Ok(())
    }
}
