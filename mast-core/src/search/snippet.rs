//! The piece of a result that matched best, with the matching words marked.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::model::words;

/// Longest snippet in bytes, marks not counted.
const MAX_BYTES: usize = 200;

/// Words to mark, lower case.
#[derive(Debug, Default)]
pub(super) struct Marks(BTreeSet<String>);

impl Marks {
    pub(super) fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        Self(words.into_iter().map(str::to_owned).collect())
    }

    /// The line of `text` with most of the words (the first of several), trimmed, each stretch of matching words between
    /// `**`. A text without any gives its first line that is not blank.
    pub(super) fn snippet(&self, text: &str) -> String {
        let mut best = (0, "");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let distinct: BTreeSet<String> = self.matches(line).map(|(_, word)| word).collect();
            let weight = distinct.iter().map(|word| 1 + word.len().min(12)).sum::<usize>();
            if best.1.is_empty() || weight > best.0 {
                best = (weight, line);
            }
        }
        self.mark(window(best.1.trim(), self.matches(best.1.trim()).next().map(|(range, _)| range)))
    }

    fn mark(&self, line: &str) -> String {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for (range, _) in self.matches(line) {
            match stretches.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => stretches.push(range),
            }
        }
        let mut out = String::with_capacity(line.len() + 4 * stretches.len());
        let mut at = 0;
        for stretch in stretches {
            out.push_str(&line[at..stretch.start]);
            out.push_str("**");
            out.push_str(&line[stretch.clone()]);
            out.push_str("**");
            at = stretch.end;
        }
        out.push_str(&line[at..]);
        out
    }

    /// Where the words stand in `text`, with the word that was found.
    fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (Range<usize>, String)> + 'a {
        words::runs(text).flat_map(move |(start, run)| {
            words::words(run).filter_map(move |word| {
                let lower = words::lower(word);
                let at = start + offset(run, word);
                self.0.contains(&lower).then(|| (at..at + word.len(), lower))
            })
        })
    }
}

/// Where `part`, a piece of `whole`, begins in it.
fn offset(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// At most [`MAX_BYTES`] of a line, around its first match.
fn window(line: &str, first: Option<Range<usize>>) -> &str {
    if line.len() <= MAX_BYTES {
        return line;
    }
    let boundary =
        |at: usize| (0..=at.min(line.len())).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
    let start = boundary(first.map_or(0, |range| range.start.saturating_sub(MAX_BYTES / 4)));
    &line[start..boundary(start + MAX_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], text: &str, expected: &str) {
        assert_eq!(Marks::new(words.iter().copied()).snippet(text), expected);
    }

    #[test]
    fn the_best_line_is_marked() {
        let text = "// compare\n\nexport function compareVersions(a: Version) {\n  return versions\n}";
        check(&["compare", "versions"], text, "export function **compareVersions**(a: Version) {");
        check(&["return"], text, "**return** versions");
        check(&["nothing"], text, "// compare");
        check(&["部", "署"], "  // 部署方案", "// **部署**方案");
        check(&["x"], "", "");
    }

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let line = format!("{}needle{}", "é".repeat(300), "é".repeat(300));
        let snippet = Marks::new(["needle"]).snippet(&line);
        assert!(snippet.len() <= MAX_BYTES + 4, "{}", snippet.len());
        // The run is longer than the index looks at, so it has no words.
        assert!(!snippet.contains("**"));
        let line = format!("{}needle{}", "é ".repeat(300), " é".repeat(300));
        assert!(Marks::new(["needle"]).snippet(&line).contains("é **needle** é"));
    }
}
