//! Which line a byte is on.

use crate::model::LineRange;

/// Start offsets of the lines of a text. Lines end with LF, so CRLF counts once.
#[derive(Debug)]
pub(super) struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Finds the lines of `text`.
    pub(super) fn of(text: &str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| offset(at + 1)));
        Self { starts }
    }

    /// 1-based line that holds byte `at`.
    pub(super) fn line(&self, at: usize) -> u32 {
        let at = offset(at);
        offset(self.starts.partition_point(|start| *start <= at))
    }

    /// Lines touched by the bytes `start..end`.
    pub(super) fn range(&self, start: usize, end: usize) -> LineRange {
        LineRange::new(self.line(start), self.line(end.saturating_sub(1).max(start)))
    }

    /// Number of lines; a final line break starts no further one.
    pub(super) fn count(&self, text: &str) -> u32 {
        let all = offset(self.starts.len());
        if text.is_empty() || text.ends_with('\n') { all - 1 } else { all }
    }
}

/// A byte offset as the model stores it. Texts past 4 GB never reach the parser.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The last character boundary of `text` at or before `at`.
pub(super) fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_line_feed_alone() {
        let text = "a\r\nbb\n\nc";
        let lines = Lines::of(text);
        assert_eq!([0, 2, 3, 6, 7].map(|at| lines.line(at)), [1, 1, 2, 3, 4]);
        assert_eq!(lines.count(text), 4);
        assert_eq!(lines.range(0, 3), LineRange::new(1, 1), "the line feed belongs to the line it ends");
        assert_eq!(Lines::of("").count(""), 0);
    }
}
