//! Counting tokens exactly as `cl100k_base` does, without its start-up cost: the vocabulary is laid out at build time
//! and the pattern that cuts text into pieces is written by hand. The tests hold it against `tiktoken-rs`.
//!
//! A text is cut into pieces (words with the character before them, runs of digits, of punctuation, of white space).
//! A piece that is a token counts 1; any other is merged pair by pair, lowest rank first, leftmost on ties (byte pair
//! encoding, Sennrich, Haddow and Birch 2016).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

use super::vocabulary::{NO_RANK, rank};

/// What the counts are, for reports.
pub const TOKENIZER: &str = "cl100k_base (approximate for current models)";

/// Number of tokens of `text`. Special tokens such as `<|endoftext|>` count as the plain text they are.
#[must_use]
pub fn count_tokens(text: &str) -> u32 {
    let (mut tokens, mut rest) = (0, text);
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(piece_length(rest));
        tokens += count_piece(piece.as_bytes());
        rest = tail;
    }
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Length in bytes of the first piece of `text`, which is not empty. Follows, branch by branch, the pattern
/// `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`.
fn piece_length(text: &str) -> usize {
    let Some(first) = text.chars().next() else { return 0 };
    let after_first = &text[first.len_utf8()..];
    if first == '\''
        && let Some(length) = contraction_length(after_first)
    {
        return 1 + length;
    }
    match Class::of(first) {
        Class::Letter => return run_length(text, |c| c == Class::Letter),
        Class::Number => {
            return text
                .chars()
                .take(3)
                .take_while(|&c| Class::of(c) == Class::Number)
                .map(char::len_utf8)
                .sum();
        }
        Class::Space | Class::Other if !matches!(first, '\r' | '\n') => {
            let letters = run_length(after_first, |c| c == Class::Letter);
            if letters > 0 {
                return first.len_utf8() + letters;
            }
        }
        Class::Space | Class::Other => {}
    }
    let (space, after_space) = if first == ' ' { (1, after_first) } else { (0, text) };
    let punctuation = run_length(after_space, |c| c == Class::Other);
    if punctuation > 0 {
        let after = &after_space[punctuation..];
        let breaks = after.bytes().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        return space + punctuation + breaks;
    }
    space_length(text)
}

/// Length of the piece at the start of a run of white space.
fn space_length(text: &str) -> usize {
    let run = &text[..run_length(text, |c| c == Class::Space)];
    if run.len() == text.len() {
        return run.len();
    }
    if let Some(last_break) = run.rfind(['\r', '\n']) {
        return last_break + 1;
    }
    let last = run.chars().next_back().map_or(0, char::len_utf8);
    if run.len() > last { run.len() - last } else { last }
}

/// Length of `s`, `d`, `m`, `t`, `ll`, `ve` or `re` in any case, at the start of `text`.
fn contraction_length(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    let first = chars.next()?;
    match first.to_ascii_lowercase() {
        // The long s folds to s.
        's' | 'd' | 'm' | 't' | '\u{17f}' => Some(first.len_utf8()),
        'l' => chars.next().filter(|c| c.eq_ignore_ascii_case(&'l')).map(|_| 2),
        'v' | 'r' => chars.next().filter(|c| c.eq_ignore_ascii_case(&'e')).map(|_| 2),
        _ => None,
    }
}

/// Length in bytes of the longest start of `text` whose characters' classes are `wanted`.
fn run_length(text: &str, wanted: impl Fn(Class) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] < 0x80 {
            if !wanted(ASCII[usize::from(bytes[at])]) {
                break;
            }
            at += 1;
        } else {
            match text[at..].chars().next() {
                Some(c) if wanted(Class::of(c)) => at += c.len_utf8(),
                _ => break,
            }
        }
    }
    at
}

/// Classes of characters the pattern tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// `\p{L}`
    Letter,
    /// `\p{N}`
    Number,
    /// `\s`
    Space,
    /// Everything else.
    Other,
}

static ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut at: u8 = 0;
    while at < 128 {
        classes[at as usize] = match at {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Number,
            b'\t'..=b'\r' | b' ' => Class::Space,
            _ => Class::Other,
        };
        at += 1;
    }
    classes
};

impl Class {
    fn of(c: char) -> Self {
        if c.is_ascii() {
            return ASCII[c as usize];
        }
        if is_letter(c) {
            Self::Letter
        } else if c.is_numeric() {
            Self::Number
        } else if c.is_whitespace() {
            Self::Space
        } else {
            Self::Other
        }
    }
}

/// Whether `c` has general category L. The standard library's `is_alphabetic` holds more (marks, circled letters).
fn is_letter(c: char) -> bool {
    static RANGES: LazyLock<Vec<(char, char)>> = LazyLock::new(|| match regex_syntax::parse(r"\p{L}") {
        Ok(hir) => match hir.kind() {
            regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
                class.ranges().iter().map(|range| (range.start(), range.end())).collect()
            }
            _ => Vec::new(),
        },
        Err(_) => Vec::new(),
    });
    let after = RANGES.partition_point(|&(start, _)| start <= c);
    after > 0 && c <= RANGES[after - 1].1
}

/// Longest piece merged by repeated search for the lowest pair; longer ones use a heap.
const SHORT: usize = 64;

fn count_piece(piece: &[u8]) -> usize {
    if piece.len() == 1 || rank(piece) != NO_RANK {
        1
    } else if piece.len() <= SHORT {
        merge_short(piece)
    } else {
        merge_long(piece)
    }
}

/// Merges by searching all pairs for the lowest rank each time: quadratic, and quickest for short pieces.
fn merge_short(piece: &[u8]) -> usize {
    // Part i is starts[i]..starts[i + 1]; ranks[i] is the rank of parts i and i + 1 together.
    let mut starts = [0_usize; SHORT + 1];
    let mut ranks = [NO_RANK; SHORT];
    let mut parts = piece.len();
    for (at, start) in starts.iter_mut().enumerate().take(parts + 1) {
        *start = at;
    }
    for at in 0..parts - 1 {
        ranks[at] = rank(&piece[at..at + 2]);
    }
    loop {
        let pairs = &ranks[..parts - 1];
        let Some((at, &lowest)) = pairs.iter().enumerate().min_by_key(|&(_, rank)| *rank) else { break };
        if lowest == NO_RANK {
            break;
        }
        starts.copy_within(at + 2..=parts, at + 1);
        ranks.copy_within(at + 1..parts, at);
        parts -= 1;
        let pair = |at: usize, starts: &[usize]| -> u32 {
            if at + 2 <= parts { rank(&piece[starts[at]..starts[at + 2]]) } else { NO_RANK }
        };
        ranks[at] = pair(at, &starts);
        if at > 0 {
            ranks[at - 1] = pair(at - 1, &starts);
        }
    }
    parts
}

/// Merges with a heap of pairs, so that a piece of a megabyte takes no quadratic time.
fn merge_long(piece: &[u8]) -> usize {
    let end = piece.len();
    // next[i] is where the part that starts at i ends; parts that were merged away have next[i] = i.
    let mut next: Vec<usize> = (1..=end).collect();
    let mut previous: Vec<usize> = (0..end).map(|at| at.saturating_sub(1)).collect();
    let mut heap = BinaryHeap::new();
    let push = |heap: &mut BinaryHeap<_>, start: usize, stop: usize| {
        let rank = rank(&piece[start..stop]);
        if rank != NO_RANK {
            heap.push(Reverse((rank, start, stop)));
        }
    };
    for at in 0..end - 1 {
        push(&mut heap, at, at + 2);
    }
    let mut parts = end;
    while let Some(Reverse((_, start, stop))) = heap.pop() {
        let middle = next[start];
        // The pair may have been merged otherwise since it was pushed.
        if middle == start || middle == end || next[middle] != stop {
            continue;
        }
        next[start] = stop;
        next[middle] = middle;
        parts -= 1;
        if stop < end {
            previous[stop] = start;
            push(&mut heap, start, next[stop]);
        }
        if start > 0 {
            push(&mut heap, previous[start], stop);
        }
    }
    parts
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
