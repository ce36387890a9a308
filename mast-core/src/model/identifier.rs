//! How a name splits into words. Indexing and querying both call this, so they cannot disagree.

/// Whether `text` is one ECMAScript identifier (`#private` names included).
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.strip_prefix('#').unwrap_or(text).chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
        && chars.all(|c| is_identifier_char(c) || matches!(c, '\u{200c}' | '\u{200d}'))
}

/// Whether `c` can stand in an identifier behind its first character.
#[must_use]
pub fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$') || is_mark(c)
}

/// Whether `c` belongs to the letter before it, as an accent that is a character of its own does.
#[must_use]
pub fn is_mark(c: char) -> bool {
    !c.is_ascii() && unicode_normalization::char::is_combining_mark(c)
}

/// The words of an identifier, in order, as spelled: split at `_`, `$` and other punctuation, where lower case meets
/// upper case, and before the last capital of a run (`parseHTMLDocument` → `parse`, `HTML`, `Document`). Digits stay
/// with the letters before them.
pub fn split_words(identifier: &str) -> impl Iterator<Item = &str> {
    identifier.split(|c: char| !(c.is_alphanumeric() || is_mark(c))).flat_map(split_case)
}

fn split_case(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (word, tail) = rest.split_at(word_end(rest));
        rest = tail;
        Some(word)
    })
}

fn word_end(run: &str) -> usize {
    let mut letters = run.char_indices().filter(|(_, c)| !is_mark(*c)).peekable();
    let Some((_, mut previous)) = letters.next() else { return run.len() };
    while let Some((at, c)) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|(_, n)| n.is_lowercase());
        let boundary = c.is_uppercase() && (!previous.is_uppercase() || next_is_lower);
        if boundary {
            return at;
        }
        previous = c;
    }
    run.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_identifiers() {
        let words = |s| split_words(s).collect::<Vec<_>>();
        assert_eq!(words("compareVersions"), ["compare", "Versions"]);
        assert_eq!(words("parseHTMLDocument"), ["parse", "HTML", "Document"]);
        assert_eq!(words("MAX_RETRY_2"), ["MAX", "RETRY", "2"]);
        assert_eq!(words("$inner__value"), ["inner", "value"]);
        assert_eq!(words("utf8Decoder"), ["utf8", "Decoder"]);
        assert_eq!(words("größeÄndern"), ["größe", "Ändern"]);
        assert_eq!(words("$"), [""; 0]);
        assert_eq!(words("E\u{301}COLEA\u{308}ndern"), ["E\u{301}COLE", "A\u{308}ndern"], "accents apart");
    }

    #[test]
    fn identifiers() {
        for yes in ["a", "$", "_x1", "#priv", "größe", "cafe\u{301}", "部署"] {
            assert!(is_identifier(yes), "{yes}");
        }
        for no in ["", "1a", "a-b", "a.b", "a b"] {
            assert!(!is_identifier(no), "{no}");
        }
    }
}
