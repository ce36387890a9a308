//! `mast_implementors`: which classes implement an interface.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{Cut, cut, is_false};
use super::subject::{Asked, Subject, declarations};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::graph::{Sources, implementors};
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Implementors;

/// Arguments of `mast_implementors`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ImplementorsInput {
    /// Name of the interface, or of a class that others extend.
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub interface_name: String,
    /// Only the interface declared in this file.
    pub file_path: Option<String>,
    /// Most classes to return.
    #[schemars(range(min = 1, max = 500))]
    pub limit: u32,
}

impl Default for ImplementorsInput {
    fn default() -> Self {
        Self { interface_name: String::new(), file_path: None, limit: 50 }
    }
}

/// Answer of `mast_implementors`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ImplementorsOutput {
    /// Implementing classes, by path and line.
    pub results: Vec<Implementor>,
    /// Classes there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_truncated: Option<u64>,
    /// What the name was found to mean.
    #[serde(flatten)]
    pub subject: Subject,
}

/// One implementing class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Implementor {
    /// The class; without what encloses it where it is local.
    pub class_name: String,
    /// Its file, relative to the project root.
    pub file_path: String,
    /// 1-based line of the class.
    pub line: u32,
    /// Its own methods.
    pub methods: Vec<String>,
    /// File of the interface it implements.
    pub interface_file: String,
    /// The file changed on disk since it was indexed: the entry may be out of date.
    #[serde(skip_serializing_if = "is_false")]
    pub stale: bool,
}

impl Contract for Implementors {
    const NAME: &'static str = "mast_implementors";
    const TITLE: &'static str = "Classes that implement an interface";
    const DESCRIPTION: &'static str = "\
Find the classes behind an interface, directly, through a base class, or through an interface that extends it, with \
their methods: what really runs where code depends on the interface.";
    const FRESHNESS: Freshness = Freshness::Flag;
    const COVERAGE: Coverage = Coverage::Set;
    const USES_EDGES: bool = true;
    type Input = ImplementorsInput;
    type Output = ImplementorsOutput;

    fn nothing(_: &Self::Input) -> Option<Self::Output> {
        Some(ImplementorsOutput::default())
    }
}

impl Tool for Implementors {
    fn run(engine: &Engine, input: &ImplementorsInput, _: &CallContext<'_>) -> Result<ImplementorsOutput> {
        let snapshot = engine.snapshot()?;
        let mut sources = Sources::new(&snapshot);
        let Asked { mut subject, targets, .. } =
            declarations(engine, &mut sources, &input.interface_name, input.file_path.as_deref())?;
        let interfaces = implementors::interfaces(targets);
        subject.symbol_not_found = interfaces.is_empty() && !subject.file_not_indexed;
        let found = implementors::implementors(&mut sources, &interfaces)?;
        let (results, results_truncated) = Cut::at(input.limit as usize, found).into_fields();
        Ok(ImplementorsOutput { results, results_truncated, subject })
    }
}

impl From<implementors::Implementor> for Implementor {
    fn from(found: implementors::Implementor) -> Self {
        Self {
            class_name: if found.class.symbol.is_local {
                found.class.symbol.name.clone()
            } else {
                found.class.symbol.qualified_name()
            },
            file_path: found.class.path.to_string(),
            line: found.class.symbol.lines.start,
            methods: found.methods,
            interface_file: found.interface_file.to_string(),
            stale: false,
        }
    }
}

impl Output for ImplementorsOutput {
    fn files(&self) -> Vec<&str> {
        self.results.iter().map(|r| r.file_path.as_str()).chain(self.subject.file()).collect()
    }

    fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn mark_stale(&mut self, is_stale: &dyn Fn(&str) -> bool) {
        for result in &mut self.results {
            result.stale = is_stale(&result.file_path);
        }
    }

    fn stale_count(&self) -> u64 {
        self.results.iter().filter(|result| result.stale).count() as u64
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        cut(&mut self.results, &mut self.results_truncated, share)
    }
}

impl Display for ImplementorsOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject)?;
        for result in &self.results {
            let Implementor { class_name, file_path, line, methods, interface_file, stale } = result;
            let stale = if *stale { " [STALE]" } else { "" };
            writeln!(f, "{file_path}:{line}  {class_name}  implements the one in {interface_file}{stale}")?;
            if !methods.is_empty() {
                writeln!(f, "    {}", methods.join(", "))?;
            }
        }
        if self.results.is_empty() && !self.subject.is_unknown() {
            writeln!(f, "no implementing class")?;
        }
        if let Some(total) = self.results_truncated {
            writeln!(f, "{} of {total} classes shown", self.results.len())?;
        }
        Ok(())
    }
}
