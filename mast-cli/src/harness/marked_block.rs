//! A block of our text inside a file that belongs to somebody else, between two marker lines.
//!
//! Taking the block out again restores the file byte for byte: whether the file ended with a line break is told by
//! whether the block does.

/// The line the block begins with.
pub(crate) const BEGIN: &str = "<!-- mast:begin -->";
/// The line the block ends with.
pub(crate) const END: &str = "<!-- mast:end -->";

/// Whether `text` has a complete block.
pub(crate) fn is_present(text: &str) -> bool {
    matches!(find(text, 0), Ok(Some(_)))
}

/// `text` with `body` as its one block: replaced where there is one, else appended.
///
/// Fails when a marker line has no partner, since nobody can say then which lines are ours.
pub(crate) fn splice(text: &str, body: &str) -> Result<String, String> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = [BEGIN, body.trim(), END].join("\n").replace('\n', newline);
    let Some((start, end)) = find(text, 0)? else {
        let text_end = text.ends_with('\n') || text.is_empty();
        let gap = if text.is_empty() {
            String::new()
        } else if text_end {
            newline.to_owned()
        } else {
            newline.repeat(2)
        };
        let tail = if text_end { newline } else { "" };
        return Ok(format!("{text}{gap}{block}{tail}"));
    };
    let rest = &text[end..];
    let rest = if find(rest, 0)?.is_some() { remove(rest)? } else { rest.to_owned() };
    Ok(format!("{}{block}{rest}", &text[..start]))
}

/// `text` without any of our blocks.
pub(crate) fn remove(text: &str) -> Result<String, String> {
    let mut out = text.to_owned();
    while let Some((start, end)) = find(&out, 0)? {
        let after = line_break_length(&out[end..]);
        // What `splice` put before it: two line breaks behind a text that had no final one, else one empty line.
        let one = start - line_break_length_before(&out[..start]);
        let two = one - line_break_length_before(&out[..one]);
        let from = match (end == out.len(), two < one) {
            (true, _) => two,
            (false, true) => one,
            (false, false) => start,
        };
        out.replace_range(from..end + after, "");
    }
    Ok(out)
}

/// The byte range of the first block at or after `from`, without the line break behind its last line.
fn find(text: &str, from: usize) -> Result<Option<(usize, usize)>, String> {
    let (mut at, mut begin) = (from, None);
    for line in text[from..].split_inclusive('\n') {
        let marker = line.trim();
        if marker == BEGIN {
            if begin.is_some() {
                return Err(format!("has two `{BEGIN}` lines without `{END}` between them"));
            }
            begin = Some(at);
        } else if marker == END {
            let Some(begin) = begin else { return Err(format!("has `{END}` without `{BEGIN}` before it")) };
            return Ok(Some((begin, at + line.trim_end_matches(['\r', '\n']).len())));
        }
        at += line.len();
    }
    if begin.is_some() { Err(format!("has `{BEGIN}` without `{END}` after it")) } else { Ok(None) }
}

fn line_break_length(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

fn line_break_length_before(text: &str) -> usize {
    if text.ends_with("\r\n") { 2 } else { usize::from(text.ends_with('\n')) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn install_then_remove_restores_every_byte() {
        for text in ["", "a\n", "a", "a\n\n", "a\r\nb\r\n", "a\r\nb", "\n", "# x\n\n\n"] {
            let with = splice(text, "one\ntwo\n").unwrap();
            assert!(is_present(&with), "{text:?}");
            assert_eq!(remove(&with).unwrap(), text, "{with:?}");
            assert_eq!(splice(&with, "one\ntwo").unwrap(), with, "again changes nothing: {text:?}");
        }
    }

    #[test]
    fn a_block_is_set_off_by_one_empty_line_and_follows_the_files_line_ends() {
        let block = format!("{BEGIN}\nhi\n{END}");
        assert_eq!(splice("a\n", "hi").unwrap(), format!("a\n\n{block}\n"));
        assert_eq!(splice("a", "hi").unwrap(), format!("a\n\n{block}"));
        assert_eq!(splice("a\r\n", "hi").unwrap(), format!("a\r\n\r\n{}\r\n", block.replace('\n', "\r\n")));
    }

    #[test]
    fn an_older_block_is_replaced_where_it_stands_and_copies_go() {
        let old = format!("top\n\n{BEGIN}\nold\n{END}\nbelow\n{BEGIN}\nolder\n{END}\n");
        assert_eq!(splice(&old, "new").unwrap(), format!("top\n\n{BEGIN}\nnew\n{END}\nbelow\n"));
    }

    #[test]
    fn a_marker_without_its_partner_is_refused() {
        for text in [format!("{BEGIN}\nx\n"), format!("x\n{END}\n"), format!("{BEGIN}\n{BEGIN}\n{END}\n")] {
            assert!(splice(&text, "x").is_err(), "{text:?}");
            assert!(remove(&text).is_err(), "{text:?}");
        }
    }
}
