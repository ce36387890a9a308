//! Long chunks in parts.

use super::lines::{Lines, char_boundary};
use crate::model::{ByteRange, Chunk, LineRange};

/// Lines that two neighbouring parts share.
const OVERLAP_LINES: usize = 10;
/// Size a part aims at when lines are long.
const PART_BYTES: usize = 16 * 1024;
/// A chunk up to this size is not split for its size.
const WHOLE_BYTES: usize = 24 * 1024;
/// How far back from [`PART_BYTES`] a token boundary is looked for.
const BOUNDARY_REACH: usize = 1024;

/// When a chunk is split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Longest chunk in lines.
    pub(super) lines: usize,
}

/// Appends `chunk` to `out`, in parts when it has more lines than allowed or is very large.
pub(super) fn split(chunk: Chunk, text: &str, lines: &Lines, limits: Limits, out: &mut Vec<Chunk>) {
    let bytes: usize = chunk.segments.iter().map(|segment| segment.len()).sum();
    let breaks: usize = chunk.segments.iter().map(|segment| line_breaks(segment.of(text))).sum();
    let most = limits.lines.max(1);
    if bytes <= WHOLE_BYTES && breaks < most {
        out.push(chunk);
        return;
    }
    let pieces = pieces(&chunk.segments, text);
    let (mut first, mut part) = (0, 0);
    while first < pieces.len() {
        let (mut next, mut size, mut ended) = (first, 0, 0);
        while next < pieces.len()
            && ended < most
            && (next == first || size + pieces[next].len() <= PART_BYTES)
        {
            size += pieces[next].len();
            ended += line_breaks(pieces[next].of(text));
            next += 1;
        }
        let segments = joined(&pieces[first..next]);
        if segments.iter().any(|segment| !segment.of(text).trim().is_empty()) {
            let lines = window(&segments, text, lines, part == 0, chunk.lines);
            out.push(Chunk { lines, segments, part, name: chunk.name.clone(), ..chunk });
            part += 1;
        }
        if next == pieces.len() {
            break;
        }
        first = next - overlap(&pieces[first..next], text, most, size);
    }
}

fn line_breaks(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// The lines of one part: those of the declaration that its text touches.
fn window(segments: &[ByteRange], text: &str, lines: &Lines, is_first: bool, whole: LineRange) -> LineRange {
    let start = segments.first().map_or(0, |segment| {
        segment.start as usize + segment.of(text).len() - segment.of(text).trim_start().len()
    });
    let end =
        segments.last().map_or(start, |segment| segment.start as usize + segment.of(text).trim_end().len());
    let touched = lines.range(start, end.max(start));
    let first = if is_first { whole.start } else { touched.start.clamp(whole.start, whole.end) };
    LineRange::new(first, touched.end.clamp(first, whole.end))
}

/// How many of the last pieces of a part the next one repeats: ten lines, unless that were more than a tenth of a
/// short part or an eighth of an uneven one.
fn overlap(part: &[ByteRange], text: &str, most: usize, size: usize) -> usize {
    let allowed = OVERLAP_LINES.min(most / 10);
    let (mut repeated, mut ended) = (0, 0);
    part.iter()
        .skip(1)
        .rev()
        .take_while(|piece| {
            repeated += piece.len();
            ended += line_breaks(piece.of(text));
            ended <= allowed && repeated <= size / 8
        })
        .count()
}

/// The lines of the segments, line breaks included; longer ones cut at token boundaries.
fn pieces(segments: &[ByteRange], text: &str) -> Vec<ByteRange> {
    let mut pieces = Vec::new();
    for segment in segments {
        let mut from = segment.start as usize;
        for line in segment.of(text).split_inclusive('\n') {
            let end = from + line.len();
            while end - from > PART_BYTES {
                let cut = from + boundary(&text[from..end]);
                pieces.push(ByteRange::new(from, cut));
                from = cut;
            }
            pieces.push(ByteRange::new(from, end));
            from = end;
        }
    }
    pieces
}

/// Where to cut `line` near [`PART_BYTES`]: behind white space or punctuation, else between two characters.
fn boundary(line: &str) -> usize {
    let cut = char_boundary(line, PART_BYTES);
    let reach = char_boundary(line, PART_BYTES - BOUNDARY_REACH);
    let near = &line[reach..cut];
    near.char_indices()
        .rev()
        .find(|(_, c)| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '#' | '\u{200c}' | '\u{200d}' | '\\'))
        .map_or(cut, |(at, c)| reach + at + c.len_utf8())
}

/// Neighbouring pieces that touch become one range.
fn joined(pieces: &[ByteRange]) -> Vec<ByteRange> {
    let mut ranges: Vec<ByteRange> = Vec::new();
    for piece in pieces {
        match ranges.last_mut() {
            Some(last) if last.end == piece.start => last.end = piece.end,
            _ => ranges.push(*piece),
        }
    }
    ranges
}
