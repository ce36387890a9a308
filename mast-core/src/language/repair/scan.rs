//! Small steps over source bytes that the rules share. They know no strings or comments: a mask in one of those
//! changes nothing, and a wrong mask elsewhere is thrown away because it does not help.

/// Every place in `text` where `word` stands on its own.
pub(super) fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, word.as_bytes()).filter(move |at| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(at + word.len()).copied();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Whether `byte` can be part of an identifier.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// Offset of the first byte at or after `at` that is no blank. With `lines`, line breaks and comments count as blanks.
pub(super) fn skip_blanks(bytes: &[u8], mut at: usize, lines: bool) -> usize {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest {
            [b' ' | b'\t', ..] => at += 1,
            [b'\n' | b'\r', ..] if lines => at += 1,
            [b'/', b'/', ..] if lines => at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            [b'/', b'*', ..] if lines => {
                at += memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
            }
            _ => return at,
        }
    }
}

/// The last byte before `at` that is neither white space nor in a block comment, with its offset.
pub(super) fn before(bytes: &[u8], mut at: usize) -> Option<(usize, u8)> {
    while at > 0 {
        at -= 1;
        if bytes[at] == b'/' && at > 2 && bytes[at - 1] == b'*' {
            at = memchr::memmem::rfind(&bytes[..at - 1], b"/*")?;
        } else if !bytes[at].is_ascii_whitespace() {
            return Some((at, bytes[at]));
        }
    }
    None
}

/// The word that ends just before `end`.
pub(super) fn word_before(bytes: &[u8], end: usize) -> &[u8] {
    let mut start = end;
    while start > 0 && is_word(bytes[start - 1]) {
        start -= 1;
    }
    &bytes[start..end]
}

/// Offset behind the word that starts at `at`.
pub(super) fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_word(bytes[at]) {
        at += 1;
    }
    at
}

/// Longest bracketed text that is looked through.
const BRACKET_REACH: usize = 4096;

/// Offset behind the bracket that closes the one at `open`.
pub(super) fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate().skip(open).take(BRACKET_REACH) {
        match (quote, byte) {
            (Some(q), b) if b == q => quote = None,
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Offset behind the `>` that closes the `<` at `open`.
pub(super) fn closing_angle(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open).take(BRACKET_REACH) {
        match byte {
            b'<' => depth += 1,
            b'>' if bytes[at - 1] == b'=' => {}
            b'>' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b';' => return None,
            _ => {}
        }
    }
    None
}

/// Offset of the `<` that the `>` at `close` closes, when what lies between can be type arguments.
pub(super) fn opening_angle(bytes: &[u8], close: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (close.saturating_sub(BRACKET_REACH)..=close).rev() {
        match bytes[at] {
            b'>' if at > 0 && bytes[at - 1] == b'=' => {}
            b'>' => depth += 1,
            b'<' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'`' => return None,
            _ => {}
        }
    }
    None
}
