//! Pieces that the answers of several tools share.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place where a symbol is declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeclarationSite {
    /// Qualified name: `Repo.find`.
    pub symbol: String,
    /// Function, class, …
    pub kind: String,
    /// Relative to the project root.
    pub file_path: String,
    /// 1-based, of the name.
    pub line: u32,
}

/// A proven call of the symbol: safe to act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerifiedCaller {
    /// Relative to the project root.
    pub file_path: String,
    /// 1-based line of the call.
    pub line: u32,
    /// 1-based column of the called name, in UTF-16 code units as editors count.
    pub column: u32,
    /// The declaration the call stands in; `<module>` at the top level of the file.
    pub caller_symbol: String,
    /// How the call was proven: `same_file`, import, `this_method` and so on.
    pub resolution: String,
    /// The source line, trimmed.
    pub context: String,
    /// The declaration that is called; present when the question names several, or the answer is transitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<DeclarationSite>,
    /// Calls between this one and the symbol, 1 for a direct call; only in a transitive answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The symbols between this call and the one asked for, nearest to this call first; only when `depth` is above 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
}

/// A mention of the symbol's name that could not be proven to mean it: review before editing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PotentialMatch {
    /// Relative to the project root.
    pub file_path: String,
    /// 1-based line of the identifier.
    pub line: u32,
    /// The declaration the identifier stands in; null at the top level of the file.
    pub symbol_name: Option<String>,
    /// The source line, trimmed.
    pub context: String,
    /// Why it is not verified.
    pub reason: String,
}

/// An indexed symbol whose name is close to the one that was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Suggestion {
    /// Qualified name.
    pub symbol: String,
    /// Function, class, …
    pub kind: String,
    /// Relative to the project root.
    pub file_path: String,
    /// 1-based, of the name.
    pub line: u32,
}

/// How far a first build or a rebuild of the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexBuilding {
    /// Files done.
    pub done: u64,
    /// Files to do.
    pub total: u64,
}

impl From<crate::task::Progress> for IndexBuilding {
    fn from(progress: crate::task::Progress) -> Self {
        Self { done: progress.done, total: progress.total }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

impl Display for DeclarationSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { symbol, kind, file_path, line } = self;
        write!(f, "{file_path}:{line}  {symbol}  {kind}")
    }
}

impl Display for VerifiedCaller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file_path, line, caller_symbol, resolution, context, .. } = self;
        write!(f, "{file_path}:{line}  in {caller_symbol}  [{resolution}]")?;
        if let Some(depth) = self.depth.filter(|&depth| depth > 1) {
            write!(f, "  depth {depth} via {}", self.via.join(" > "))?;
        }
        if let Some(target) = &self.target {
            write!(f, "  -> {} ({}:{})", target.symbol, target.file_path, target.line)?;
        }
        write!(f, "\n    {context}")
    }
}

impl Display for PotentialMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file_path, line, context, reason, .. } = self;
        let place = self.symbol_name.as_deref().unwrap_or("<module>");
        write!(f, "{file_path}:{line}  in {place}  ({reason})\n    {context}")
    }
}

/// Says that what the type checker found is not used.
pub(crate) fn write_suspended(f: &mut fmt::Formatter<'_>, suspended: Option<bool>) -> fmt::Result {
    match suspended {
        Some(true) => writeln!(f, "! files changed since `mast index --checker`: what it found is not used"),
        _ => Ok(()),
    }
}

/// Writes a headed list with its true total, or nothing when the list is empty.
pub(crate) fn write_list<T: Display>(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    items: &[T],
    total: Option<u64>,
) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    match total {
        Some(total) => writeln!(f, "{heading} ({} of {total})", items.len())?,
        None => writeln!(f, "{heading} ({})", items.len())?,
    }
    for item in items {
        writeln!(f, "  {}", item.to_string().replace('\n', "\n  "))?;
    }
    Ok(())
}

/// The beginning of a list, and the length of the whole list where that is more.
#[derive(Debug)]
pub(crate) struct Cut<T> {
    /// What is shown.
    pub(crate) shown: Vec<T>,
    /// How many there are, when not all are shown.
    pub(crate) truncated: Option<u64>,
    /// How many there are.
    pub(crate) total: u64,
}

impl<T> Cut<T> {
    /// The first `limit` entries of `list`.
    pub(crate) fn at(limit: usize, mut list: Vec<T>) -> Self {
        let total = list.len() as u64;
        list.truncate(limit);
        Self::of(list, total)
    }

    /// `shown` out of `total` entries.
    pub(crate) fn of(shown: Vec<T>, total: u64) -> Self {
        Self { truncated: (total > shown.len() as u64).then_some(total), shown, total }
    }

    /// The entries as they go over the wire, and the field that says how many there are.
    pub(crate) fn into_fields<U: From<T>>(self) -> (Vec<U>, Option<u64>) {
        (self.shown.into_iter().map(U::from).collect(), self.truncated)
    }
}

/// Writes what may have been meant.
pub(crate) fn write_suggestions(f: &mut fmt::Formatter<'_>, suggestions: &[Suggestion]) -> fmt::Result {
    for Suggestion { symbol, file_path, .. } in suggestions {
        writeln!(f, "did you mean {symbol} ({file_path})?")?;
    }
    Ok(())
}

/// How much of an answer that is too long may stay.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Tokens of the answer.
    pub tokens: u64,
    /// Tokens it may have, fewer than it has.
    pub allowed: u64,
}

impl Share {
    /// How many of `entries` stay: at least one, and fewer than there are.
    pub(crate) fn of(self, entries: usize) -> usize {
        let kept = u128::from(self.allowed) * entries as u128 / u128::from(self.tokens.max(1));
        usize::try_from(kept).unwrap_or(entries).clamp(1, entries.saturating_sub(1).max(1))
    }
}

/// Cuts `list` down to its share and keeps the total it had before anything was dropped in `total`; `false` when it has one entry.
pub(crate) fn cut<T>(list: &mut Vec<T>, total: &mut Option<u64>, share: Share) -> bool {
    if list.len() < 2 {
        return false;
    }
    total.get_or_insert(list.len() as u64);
    list.truncate(share.of(list.len()));
    true
}

/// Longest source line, in characters and with its mark, in a list that is too long with whole lines: more callers beat
/// longer lines.
const CLIPPED: usize = 60;

/// Cuts a source line to what still recognises it; `false` when it is short already.
pub(crate) fn clip(context: &mut String) -> bool {
    if context.char_indices().nth(CLIPPED).is_none() {
        return false;
    }
    let end = context.char_indices().nth(CLIPPED - 1).map_or(0, |(at, _)| at);
    context.truncate(end);
    context.push('…');
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_cut_to_its_share_and_keeps_its_first_total() {
        let mut list: Vec<u32> = (0..500).collect();
        let mut total = None;
        assert!(cut(&mut list, &mut total, Share { tokens: 36_000, allowed: 24_000 }));
        assert_eq!((list.len(), total), (333, Some(500)));
        assert!(cut(&mut list, &mut total, Share { tokens: 24_001, allowed: 24_000 }));
        assert_eq!((list.len(), total), (332, Some(500)), "never the same length again");
        let mut two = vec![1, 2];
        assert!(cut(&mut two, &mut None, Share { tokens: 1_000_000, allowed: 1 }));
        assert_eq!(two, [1]);
        assert!(!cut(&mut two, &mut None, Share { tokens: 1_000_000, allowed: 1 }));
    }

    #[test]
    fn long_lines_are_clipped_at_a_character() {
        let mut line = "é".repeat(61);
        assert!(clip(&mut line));
        assert_eq!(line, format!("{}…", "é".repeat(59)));
        assert!(!clip(&mut line), "once is enough");
        let mut short = "é".repeat(60);
        assert!(!clip(&mut short));
    }
}
