//! The envelope of every answer: what MAST does not know about it (signals), and what it cost (`_stats`).

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::Serialize;

use super::parts::{IndexBuilding, is_false};
use super::{Contract, Coverage, Freshness};

/// What MAST does not know about an answer. A field that does not apply is left out, so its absence means something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signals {
    /// A cited file changed and the index is busy: this is the old content.
    #[serde(skip_serializing_if = "is_false")]
    pub file_busy_returning_stale_cache: bool,
    /// Nothing is indexed yet.
    #[serde(skip_serializing_if = "is_false")]
    pub index_empty: bool,
    /// Files on disk that are not in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unindexed_files: Option<u64>,
    /// Files whose edges wait: entries may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_edge_repairs: Option<u64>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_edge_repairs_hint: Option<&'static str>,
    /// Under way: the answer knows only the files done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_building: Option<IndexBuilding>,
    /// Indexed files that changed since; null when not measured.
    #[schemars(extend("x-nullable" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_files: Option<Option<u64>>,
}

/// Text of [`Signals::pending_edge_repairs_hint`].
pub const PENDING_EDGE_REPAIRS_HINT: &str = "The answer may miss an entry from one of these files. Run \
mast_reindex, then ask again.";

/// What an answer cost, and what reading the files it cites would have cost.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    /// The tool.
    pub tool: &'static str,
    /// Tokens of the answer, about.
    pub tokens_returned: u64,
    /// Tokens of the cited files, read whole.
    pub tokens_full_file_upper_bound: u64,
    /// The cited files.
    pub files_referenced: Vec<String>,
    /// 1 - returned / full; may be negative.
    pub efficiency_ratio: f64,
    /// Files with an indexed extension that exclude patterns and ignore rules keep out, tests by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_files: Option<u64>,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// Whether answers of `T` can carry the signal spelled `name`.
pub(crate) fn carries<T: Contract>(name: &str) -> bool {
    match name {
        "file_busy_returning_stale_cache" => T::FRESHNESS == Freshness::Refresh,
        "pending_edge_repairs" | "pending_edge_repairs_hint" => T::USES_EDGES,
        _ => T::COVERAGE != Coverage::None,
    }
}

impl Signals {
    /// Keeps of `self` what an answer of `T` carries.
    #[must_use]
    pub fn for_answer<T: Contract>(self, is_empty: bool) -> Self {
        let says_gaps = T::COVERAGE == Coverage::Set;
        let repairs = if T::USES_EDGES { self.pending_edge_repairs.filter(|&n| n > 0) } else { None };
        Self {
            file_busy_returning_stale_cache: self.file_busy_returning_stale_cache
                && T::FRESHNESS == Freshness::Refresh,
            index_empty: self.index_empty && is_empty && says_gaps,
            unindexed_files: self.unindexed_files.filter(|&n| says_gaps && n > 0),
            pending_edge_repairs: repairs,
            pending_edge_repairs_hint: repairs.map(|_| PENDING_EDGE_REPAIRS_HINT),
            index_building: self.index_building.filter(|_| says_gaps),
            changed_files: self.changed_files.filter(|&n| says_gaps && n != Some(0)),
        }
    }
}

/// What a person is told to run when the index is behind the disk: one wording for every door.
pub const REFRESH: &str = "mast index";

/// What a person is told where nothing is indexed.
pub const NOTHING_INDEXED: &str = "\
nothing is indexed at this path — this is not evidence the symbol is absent.
run `mast index` first, or check `mast status` for the path being used.
";

impl Display for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file_busy_returning_stale_cache {
            writeln!(
                f,
                "! a file changed and the index is busy — the old content is shown; try again shortly."
            )?;
        }
        match self.index_building {
            Some(IndexBuilding { done, total }) => writeln!(
                f,
                "! the index is being built ({done} of {total} files) — what is not in it yet cannot be found."
            )?,
            None if self.index_empty => f.write_str(NOTHING_INDEXED)?,
            None => {}
        }
        if let Some(number) = self.unindexed_files {
            let files = counted(number, "file");
            writeln!(f, "! {files} on disk not indexed yet — run `{REFRESH}` to find what is in there.")?;
        }
        match self.changed_files {
            Some(Some(number)) => {
                let files = counted(number, "indexed file");
                writeln!(
                    f,
                    "! {files} changed since indexing — what is new there is not in this answer; run `{REFRESH}`."
                )?;
            }
            Some(None) => {
                writeln!(f, "! whether files changed since indexing was not measured — see `mast status`.")?;
            }
            None => {}
        }
        if let Some(number) = self.pending_edge_repairs {
            let files = counted(number, "file");
            writeln!(f, "! the edges of {files} wait to be resolved again — run `{REFRESH}`.")?;
        }
        Ok(())
    }
}

/// `1 file`, `2 files`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

impl Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens_returned: returned, tokens_full_file_upper_bound: whole, .. } = self;
        if *whole == 0 {
            return write!(f, "{returned} tokens returned");
        }
        // Rounded to whole per cent of the whole, half away from zero.
        let difference = i128::from(*whole) - i128::from(*returned);
        let scaled = difference * 200 + i128::from(*whole) * difference.signum();
        let percent = scaled / (i128::from(*whole) * 2);
        let verdict = if percent < 0 { format!("{}% more", -percent) } else { format!("{percent}% saved") };
        write!(f, "{returned} tokens returned vs {whole} to read the files whole — {verdict}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_told_as_they_are() {
        let line = |tokens_returned, tokens_full_file_upper_bound| {
            let stats = Stats {
                tool: "mast_search",
                tokens_returned,
                tokens_full_file_upper_bound,
                files_referenced: Vec::new(),
                efficiency_ratio: 0.0,
                excluded_files: None,
                duration_ms: 0,
            };
            stats.to_string()
        };
        assert_eq!(line(270, 2140), "270 tokens returned vs 2140 to read the files whole — 87% saved");
        assert_eq!(line(412, 300), "412 tokens returned vs 300 to read the files whole — 37% more");
        assert_eq!(line(200, 200), "200 tokens returned vs 200 to read the files whole — 0% saved");
        assert_eq!(line(5, 0), "5 tokens returned");
    }

    #[test]
    fn an_index_that_is_being_built_is_not_called_absent() {
        let building = Some(IndexBuilding { done: 3, total: 9 });
        let signals = Signals { index_empty: true, index_building: building, ..Signals::default() };
        assert_eq!(
            signals.to_string(),
            "! the index is being built (3 of 9 files) — what is not in it yet cannot be found.\n"
        );
        let signals = Signals { index_empty: true, ..Signals::default() };
        assert_eq!(signals.to_string(), NOTHING_INDEXED);
    }
}
