//! The text of a result, as it is shown.

use crate::model::{ByteRange, ChunkKind};

/// Most bytes of context on one side: a minified line is no context.
const MAX_CONTEXT: usize = 2_000;

/// A chunk's text, with `context` lines of the file around it unless it is a shell or a section, which stand for
/// themselves.
pub(super) fn content(text: &str, segments: &[ByteRange], kind: ChunkKind, context: u32) -> String {
    match segments {
        [one] if !matches!(kind, ChunkKind::ClassShell | ChunkKind::Doc) => {
            around(text, *one, context).to_owned()
        }
        _ => segments.iter().map(|segment| segment.of(text)).collect(),
    }
}

/// `range` widened to whole lines and by `context` lines on either side.
pub(super) fn around(text: &str, range: ByteRange, context: u32) -> &str {
    let (start, end) = (range.start as usize, (range.end as usize).min(text.len()));
    if range.of(text).is_empty() {
        return "";
    }
    let mut from = line_start(text, start);
    for _ in 0..context {
        if from == 0 {
            break;
        }
        from = line_start(text, from - 1);
    }
    if start - from > MAX_CONTEXT {
        from = start;
    }
    // The range may end with the line break of its last line.
    let mut to = if text[..end].ends_with('\n') { end } else { line_end(text, end) };
    for _ in 0..context {
        to = line_end(text, to);
    }
    if to - end > MAX_CONTEXT {
        to = end;
    }
    text[from..to].trim_end_matches(['\n', '\r'])
}

/// The range of lines `first..=last`, counted from 1.
pub(super) fn lines(text: &str, first: u32, last: u32) -> ByteRange {
    let mut start = 0;
    for _ in 1..first {
        start = line_end(text, start);
    }
    let mut end = start;
    for _ in first..=last {
        end = line_end(text, end);
    }
    ByteRange::new(start, end)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Just behind the line break after `at`.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

    fn shown(start: usize, end: usize, context: u32) -> String {
        content(TEXT, &[ByteRange::new(start, end)], ChunkKind::Function, context)
    }

    #[test]
    fn context_is_whole_lines() {
        assert_eq!(shown(8, 13, 0), "three");
        assert_eq!(shown(9, 11, 1), "two\nthree\nfour");
        assert_eq!(shown(8, 14, 1), "two\nthree\nfour", "with its own line break");
        assert_eq!(shown(0, 3, 9), TEXT.trim_end());
    }

    #[test]
    fn shells_stand_for_themselves() {
        let segments = [ByteRange::new(0, 4), ByteRange::new(14, 18)];
        assert_eq!(content(TEXT, &segments, ChunkKind::ClassShell, 3), "one\nfour");
    }

    #[test]
    fn a_minified_line_is_no_context() {
        let text = format!("{}needle{}", "x".repeat(5_000), "y".repeat(5_000));
        assert_eq!(around(&text, ByteRange::new(5_000, 5_006), 3), "needle");
    }

    #[test]
    fn lines_by_number() {
        assert_eq!(lines(TEXT, 2, 3), ByteRange::new(4, 14));
        assert_eq!(lines(TEXT, 5, 9), ByteRange::new(19, 24));
    }
}
