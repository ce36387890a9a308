//! The type checker's door to the engine: asking it, and saying whether what it said still holds.

use super::Engine;
use crate::checker::{self, CheckReport, CheckRequest};
use crate::error::Result;
use crate::index::{Configs, meta};
use crate::source::{self, Measured};
use crate::store::Reader;
use crate::task::CallContext;

impl Engine {
    /// Fails with one line that says what to do when no TypeScript that [`check`](Self::check) could ask is to be found.
    /// Nothing is started or written.
    pub fn require_typescript(&self, request: &CheckRequest) -> Result<()> {
        checker::require(self.root(), &source::walk(&self.config()).directories, request)
    }

    /// Asks the repository's own TypeScript where unproven mentions lead, and keeps the answers until an indexed file or a
    /// configuration changes. The index must be up to date; on an error nothing is kept that was not there before.
    ///
    /// # Errors
    /// No usable TypeScript, one that crashes, hangs or speaks another protocol, or files that changed meanwhile.
    pub fn check(&self, request: &CheckRequest, context: &CallContext<'_>) -> Result<CheckReport> {
        let configs = self.snapshot()?.meta(meta::CONFIGS)?.unwrap_or_default();
        let configs = Configs::parse(&configs).paths();
        let index = checker::Index { store: &self.store, root: self.root(), configs: &configs };
        checker::check(index, request, context)
    }

    /// Whether the verdicts in this view may be used: there are some, and neither an indexed file nor a configuration they
    /// rest on differs on disk. A verdict depends on the types of other files, so one change distrusts them all.
    pub fn trusts_verdicts(&self, reader: &Reader) -> Result<bool> {
        if !reader.has_verdicts()? {
            return Ok(false);
        }
        let inputs = reader.verdict_inputs()?;
        if inputs.iter().any(|input| source::input_changed(self.root(), &input.path, input.stamp)) {
            return Ok(false);
        }
        let indexed = reader.files()?.into_iter().map(|row| (row.path, row.stamp));
        let differing = source::changed_among(self.root(), indexed);
        Ok(differing.iter().all(|(_, state)| matches!(state, Measured::Touched(_))))
    }
}
