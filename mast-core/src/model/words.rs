//! How text becomes index words. Indexing, querying and marking matches all call this, so they cannot disagree.
//!
//! A *run* is a maximal stretch of letters, digits, `_` and `$`: an identifier or a word of prose. Its *words* are what
//! [`split_words`] gives, except that scripts written without spaces give one word a character, so that any part of
//! such a text can be found as a sequence of words. Words are compared in lower case and with composed accents
//! (Unicode normalization form C): `é` of one character and of two are one letter.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick};

use super::{is_identifier_char, is_mark, split_words};

/// Bytes of one run that are looked at. Longer runs are encoded data, whose chance words would only fill the index.
const MAX_RUN: usize = 256;

/// The runs of `text` with the byte offset of each, in order; of a run longer than 256 bytes only the beginning.
pub fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_identifier_char)?;
        let end = text[start..].find(|c| !is_identifier_char(c)).map_or(text.len(), |length| start + length);
        from = end;
        Some((start, cut(&text[start..end])))
    })
}

/// The words of a run (or of any text), as spelled.
pub fn words(run: &str) -> impl Iterator<Item = &str> {
    split_words(run).flat_map(|word| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let length = if is_unspaced(first) {
                rest[first.len_utf8()..]
                    .find(|c| !continues(c))
                    .map_or(rest.len(), |at| first.len_utf8() + at)
            } else if rest.is_ascii() {
                rest.len()
            } else {
                rest.find(is_unspaced).unwrap_or(rest.len())
            };
            let (word, tail) = rest.split_at(length);
            rest = tail;
            Some(word)
        })
    })
}

/// The ways `name` may be spelled in a source: as given, and with accents composed or apart. Each once.
#[must_use]
pub fn spellings(name: &str) -> Vec<Cow<'_, str>> {
    let mut out = vec![Cow::Borrowed(name)];
    if is_nfc_quick(name.chars()) != IsNormalized::Yes {
        out.push(Cow::Owned(name.nfc().collect()));
    }
    if is_nfd_quick(name.chars()) != IsNormalized::Yes {
        out.push(Cow::Owned(name.nfd().collect()));
    }
    out.dedup();
    out
}

/// Appends `word` in lower case and with composed accents.
pub fn push_lower(word: &str, out: &mut String) {
    if word.is_ascii() {
        let from = out.len();
        out.push_str(word);
        out[from..].make_ascii_lowercase();
    } else {
        out.extend(word.nfc().flat_map(char::to_lowercase));
    }
}

/// `word` in lower case and with composed accents.
#[must_use]
pub fn lower(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    push_lower(word, &mut out);
    out
}

/// The words of a run joined without marks, in lower case: `maxRetry`, `MAX_RETRY` and `max_retry` all give
/// `maxretry`.
#[must_use]
pub fn joined(run: &str) -> String {
    let mut out = String::with_capacity(run.len());
    for word in words(run) {
        push_lower(word, &mut out);
    }
    out
}

/// Whether `c` is a part of the letter or syllable before it.
fn continues(c: char) -> bool {
    is_mark(c) || matches!(c, '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}')
}

/// Whether `c` belongs to a script written without spaces between words.
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{30ff}'
        | '\u{1100}'..='\u{11ff}' | '\u{3100}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{e7f}' | '\u{e80}'..='\u{eff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}')
}

fn cut(run: &str) -> &str {
    if run.len() <= MAX_RUN {
        return run;
    }
    let end = (0..=MAX_RUN).rev().find(|&at| run.is_char_boundary(at)).unwrap_or(0);
    &run[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_identifiers_and_words() {
        let got: Vec<_> = runs("a.b$c(\"d_e\", 42) – größe").collect();
        assert_eq!(got, [(0, "a"), (2, "b$c"), (7, "d_e"), (13, "42"), (21, "größe")]);
        assert_eq!(runs("=> {}").count(), 0);
    }

    #[test]
    fn a_run_of_encoded_data_is_cut() {
        let text = format!("{}é end", "x".repeat(255));
        let got: Vec<_> = runs(&text).map(|(_, run)| run.len()).collect();
        assert_eq!(got, [255, 3], "the cut falls on a character boundary");
    }

    #[test]
    fn unspaced_scripts_give_a_word_a_character() {
        let of = |text| words(text).map(lower).collect::<Vec<_>>();
        assert_eq!(of("先重跑gen-itgc后"), ["先", "重", "跑", "gen", "itgc", "后"]);
        assert_eq!(of("部署サーバー"), ["部", "署", "サ", "ー", "バ", "ー"]);
        assert_eq!(of("parseHTML größeÄndern"), ["parse", "html", "größe", "ändern"]);
    }

    #[test]
    fn accents_are_one_letter_however_they_are_written() {
        let of = |text: &str| runs(text).flat_map(|(_, run)| words(run)).map(lower).collect::<Vec<_>>();
        for (composed, apart) in [
            ("CAFÉ au lait", "CAFE\u{301} au lait"),
            ("が", "か\u{3099}"),
            ("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"),
        ] {
            assert_eq!(of(composed), of(apart));
        }
        assert_eq!(of("cafe\u{301}"), ["café"]);
        assert_eq!(joined("grö\u{df}eE\u{301}tat"), "größeétat");
        assert_eq!(spellings("plain"), ["plain"]);
        assert_eq!(spellings("café"), ["café", "cafe\u{301}"]);
        assert_eq!(spellings("cafe\u{301}"), ["cafe\u{301}", "café"]);
    }

    #[test]
    fn joined_forgets_the_style_of_the_name() {
        for name in ["maxRetry", "MAX_RETRY", "$max__retry", "MaxRetry"] {
            assert_eq!(joined(name), "maxretry");
        }
        assert_eq!(joined("$"), "");
    }
}
