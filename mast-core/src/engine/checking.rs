//! The type checker's door to the engine: asking it, and saying whether what it said still holds.

use super::Engine;
use crate::checker::{self, CheckReport, CheckRequest};
use crate::error::Result;
use crate::index::{Configs, meta};
use crate::source::{self, Measured};
use crate::store::Reader;
use crate::task::CallContext;

/// Whether the type checker's verdicts may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdicts {
    /// It was never asked.
    None,
    /// They hold.
    InForce,
    /// They do not: this file or directory, the first by path, is no longer what they rest on.
    Suspended(String),
    /// A run wrote files, and they fell.
    Fallen,
}

impl Verdicts {
    /// Whether they may be used.
    #[must_use]
    pub fn are_in_force(&self) -> bool {
        *self == Self::InForce
    }

    /// Whether there were some that may not be used now.
    #[must_use]
    pub fn are_suspended(&self) -> bool {
        matches!(self, Self::Suspended(_) | Self::Fallen)
    }
}

impl Engine {
    /// Fails with one line that says what to do when no TypeScript that [`check`](Self::check) could ask is to be found.
    /// Nothing is started or written.
    pub fn require_typescript(&self, request: &CheckRequest) -> Result<()> {
        checker::require(self.root(), &source::walk(&self.config()).directories, request)
    }

    /// Asks the repository's own TypeScript where unproven mentions lead, and keeps the answers until something changes that
    /// they rest on. The index must be up to date; on an error nothing is kept that was not there before.
    ///
    /// # Errors
    /// No usable TypeScript, one that crashes, hangs or speaks another protocol, or files that changed meanwhile.
    pub fn check(&self, request: &CheckRequest, context: &CallContext<'_>) -> Result<CheckReport> {
        let configs = self.snapshot()?.meta(meta::CONFIGS)?.unwrap_or_default();
        let configs = Configs::parse(&configs).paths();
        let directories = source::walk(&self.config()).directories;
        let index = checker::Index {
            store: &self.store,
            root: self.root(),
            configs: &configs,
            directories: &directories,
        };
        checker::check(index, request, context)
    }

    /// Whether the verdicts in this view may be used: no indexed file differs on disk, and neither does anything else they rest
    /// on. A verdict depends on the types of other files, so one change suspends them all. New files are seen too, by
    /// the names in their directories.
    pub fn verdicts(&self, reader: &Reader) -> Result<Verdicts> {
        if reader.check_record()?.is_none() {
            return Ok(Verdicts::None);
        }
        let inputs = reader.verdict_inputs()?;
        if inputs.is_empty() {
            return Ok(Verdicts::Fallen);
        }
        let differs = |input: &&crate::store::InputRow| {
            source::input_changed(self.root(), &input.path, input.kind, input.stamp)
        };
        if let Some(input) = inputs.iter().find(differs) {
            let path = if input.path.is_empty() { "." } else { &input.path };
            return Ok(Verdicts::Suspended(path.to_owned()));
        }
        let indexed = reader.files()?.into_iter().map(|row| (row.path, row.stamp));
        let differing = source::changed_among(self.root(), indexed);
        let first = differing.into_iter().find(|(_, state)| !matches!(state, Measured::Touched(_)));
        Ok(first.map_or(Verdicts::InForce, |(path, _)| Verdicts::Suspended(path.to_string())))
    }
}
