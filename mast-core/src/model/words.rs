//! How text becomes index words. Indexing, querying and marking matches all call this, so they cannot disagree.
//!
//! A *run* is a maximal stretch of letters, digits, `_` and `$`: an identifier or a word of prose. Its *words* are what
//! [`split_words`] gives, except that scripts written without spaces give one word a character, so that any part of
//! such a text can be found as a sequence of words. Words are compared in lower case.

use super::split_words;

/// Bytes of one run that are looked at. Longer runs are encoded data, whose chance words would only fill the index.
const MAX_RUN: usize = 256;

/// The runs of `text` with the byte offset of each, in order; of a run longer than 256 bytes only the beginning.
pub fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_run_char)?;
        let end = text[start..].find(|c| !is_run_char(c)).map_or(text.len(), |length| start + length);
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
                first.len_utf8()
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

/// Appends `word` in lower case.
pub fn push_lower(word: &str, out: &mut String) {
    if word.is_ascii() {
        let from = out.len();
        out.push_str(word);
        out[from..].make_ascii_lowercase();
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// `word` in lower case.
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

/// Whether `c` belongs to a script written without spaces between words.
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{30ff}'
        | '\u{3100}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
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

fn is_run_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
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
    fn joined_forgets_the_style_of_the_name() {
        for name in ["maxRetry", "MAX_RETRY", "$max__retry", "MaxRetry"] {
            assert_eq!(joined(name), "maxretry");
        }
        assert_eq!(joined("$"), "");
    }
}
