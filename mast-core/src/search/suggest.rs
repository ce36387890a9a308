//! Near names, for a query that found nothing.

use std::collections::BTreeSet;

use super::query::Parsed;
use crate::error::Result;
use crate::model::{RepoPath, SymbolKind, words};
use crate::rank::Role;
use crate::store::Reader;

/// Most suggestions of one answer.
const MAX_SUGGESTIONS: usize = 5;

/// Least likeness of a name worth suggesting.
const MIN_LIKENESS: f64 = 0.45;

/// A declaration whose name is near to what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Qualified name.
    pub name: String,
    /// Kind.
    pub kind: SymbolKind,
    /// File.
    pub path: RepoPath,
    /// Line of the name.
    pub line: u32,
}

/// Declarations whose name is like `text`, the likest first.
pub fn suggest(reader: &Reader, text: &str) -> Result<Vec<Suggestion>> {
    let parsed = Parsed::new(text);
    let asked =
        Shape::of(&parsed.joined(), parsed.runs.iter().flat_map(|run| run.words.iter().cloned()).collect());
    // Of a qualified name, the last part is what may be misspelled.
    let last = parsed.runs.last().map(|run| Shape::of(&run.joined, run.words.clone()));
    let mut near: Vec<(i64, String)> = Vec::new();
    for name in reader.declared_names()? {
        let shape = Shape::of(&words::joined(&name), words::words(&name).map(words::lower).collect());
        let likeness = asked.likeness(&shape).max(last.as_ref().map_or(0.0, |last| last.likeness(&shape)));
        if likeness >= MIN_LIKENESS {
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and a million")]
            near.push((-(likeness * 1e6).round() as i64, name));
        }
    }
    near.sort_unstable();
    near.truncate(MAX_SUGGESTIONS);
    let mut out = Vec::new();
    for (_, name) in near {
        let mut declared = Vec::new();
        for row in reader.declarations_named(&name)?.into_iter().filter(|row| row.name == name) {
            if let Some(file) = reader.file_by_id(row.file)? {
                let order = (Role::of(file.path.as_str()), !row.is_exported);
                let line = row.name_line;
                let kind = row.kind;
                declared
                    .push((order, Suggestion { name: row.qualified_name(), kind, path: file.path, line }));
            }
        }
        declared.sort_by(|a, b| (a.0, &a.1.path, a.1.line).cmp(&(b.0, &b.1.path, b.1.line)));
        out.extend(declared.into_iter().map(|(_, suggestion)| suggestion).take(2));
    }
    out.truncate(MAX_SUGGESTIONS);
    Ok(out)
}

/// A name as likeness sees it.
struct Shape {
    joined: Vec<char>,
    trigrams: BTreeSet<[char; 3]>,
    words: Vec<String>,
}

impl Shape {
    fn of(joined: &str, words: Vec<String>) -> Self {
        let joined: Vec<char> = joined.chars().collect();
        let padded: Vec<char> = [' ', ' '].into_iter().chain(joined.iter().copied()).chain([' ']).collect();
        let trigrams = padded.windows(3).filter_map(|window| window.try_into().ok()).collect();
        Self { joined, trigrams, words }
    }

    /// Between 0 and 1: the largest of the shares of trigrams, of words, and of letters that need no edit.
    fn likeness(&self, other: &Self) -> f64 {
        let common = self.trigrams.intersection(&other.trigrams).count();
        if common == 0 || self.joined.is_empty() {
            return 0.0;
        }
        let trigrams = ratio(2 * common, self.trigrams.len() + other.trigrams.len());
        let same = self.words.iter().filter(|word| word.len() > 2 && other.words.contains(word)).count();
        let words = 0.8 * ratio(2 * same, self.words.len() + other.words.len());
        let longer = self.joined.len().max(other.joined.len());
        let edits = if longer <= 64 && self.joined.len().abs_diff(other.joined.len()) * 3 <= longer {
            1.0 - ratio(distance(&self.joined, &other.joined), longer)
        } else {
            0.0
        };
        // Few letters are close to many names by chance.
        let edits = if edits >= 0.65 { edits } else { 0.0 };
        trigrams.max(words).max(edits)
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of names")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Edits between two names, a swap of neighbours being one (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &to) in b.iter().enumerate() {
            let mut edits = (last[j] + usize::from(from != to)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from == b[j - 1] && a[i - 1] == to {
                edits = edits.min(before[j - 1] + 1);
            }
            row.push(edits);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f64 {
        let shape =
            |name: &str| Shape::of(&words::joined(name), words::words(name).map(words::lower).collect());
        shape(a).likeness(&shape(b))
    }

    #[test]
    fn edits_are_counted() {
        let of = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("form", "from"), 1);
        assert_eq!(of("", "abc"), 3);
    }

    #[test]
    fn near_names_are_told_from_far_ones() {
        for near in
            ["resolveUsrName", "resolveUserNames", "userNameResolve", "ResolveUserNme", "reslove_user_name"]
        {
            assert!(likeness(near, "resolveUserName") >= MIN_LIKENESS, "{near}");
        }
        for far in ["zzzzqqqq", "parseHeader", "id", "rename"] {
            assert!(likeness(far, "resolveUserName") < MIN_LIKENESS, "{far}");
        }
    }
}
