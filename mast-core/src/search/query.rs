//! A query: what was typed, and what to look for.

use std::collections::BTreeSet;

use crate::glob::Globs;
use crate::model::{ChunkKind, words};

/// Bytes of a query that are looked at. Longer ones are pasted text, whose beginning says what is meant.
const MAX_BYTES: usize = 4_096;

/// Different words of a query that are looked at.
const MAX_WORDS: usize = 64;

/// Words that say nothing about what is looked for; left out when enough others remain.
const FUNCTION_WORDS: [&str; 42] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has",
    "have", "how", "if", "in", "into", "is", "it", "its", "not", "of", "on", "or", "our", "should", "so",
    "that", "the", "their", "there", "this", "to", "was", "we", "when", "where", "which", "with",
];

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Natural language or an identifier, as typed. Nothing in it is syntax.
    pub text: String,
    /// Most results wanted.
    pub limit: usize,
    /// Only files of this language (`typescript`, `javascript`, `markdown`).
    pub language: Option<&'static str>,
    /// Only files whose path matches.
    pub files: Option<Globs>,
    /// Only chunks of this kind; applied after ranking.
    pub kind: Option<ChunkKind>,
    /// Only exported declarations; applied after ranking.
    pub only_exported: bool,
}

/// How to answer: from the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The constant of reciprocal rank fusion.
    pub rrf_k: u32,
    /// Whether the declaration-exact ranker takes part.
    pub declaration_exact_ranker: bool,
    /// Lines of the file shown around a result.
    pub context_lines: u32,
}

/// A query taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    /// Identifiers and words in order.
    pub runs: Vec<Run>,
    /// What to look for, each once.
    pub terms: Vec<Term>,
}

/// An identifier or word of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    /// As typed.
    pub text: String,
    /// Its words, lower case.
    pub words: Vec<String>,
    /// Its words in one, lower case.
    pub joined: String,
}

/// One thing to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// One word, or the characters of a text in a script without spaces.
    pub words: Vec<String>,
    /// A whole identifier of several words: counts where it occurs, and is not missed where it does not.
    pub is_whole: bool,
}

impl Parsed {
    pub(super) fn new(text: &str) -> Self {
        let runs: Vec<Run> = words::runs(head(text)).map(|(_, run)| Run::new(run)).collect();
        let mut parsed = Self { terms: Vec::new(), runs };
        let mut seen = BTreeSet::new();
        for run in &parsed.runs {
            for term in run.terms() {
                if seen.len() < MAX_WORDS && seen.insert(term.words.clone()) {
                    parsed.terms.push(term);
                }
            }
        }
        parsed.drop_function_words();
        parsed
    }

    /// The query is one identifier or word, so a result has to hold all of it.
    pub(super) fn is_single(&self) -> bool {
        let mut runs = self.runs.iter();
        runs.next().is_some_and(|first| runs.all(|run| run == first))
    }

    /// The query is one identifier of several words, so nothing but a name.
    pub(super) fn is_name(&self) -> bool {
        self.is_single() && self.runs[0].words.len() > 1
    }

    /// Every word of the query in one, lower case.
    pub(super) fn joined(&self) -> String {
        if self.is_single() {
            return self.runs.first().map(|run| run.joined.clone()).unwrap_or_default();
        }
        self.runs.iter().map(|run| run.joined.as_str()).collect()
    }

    fn drop_function_words(&mut self) {
        let is_function_word =
            |term: &Term| term.words.len() == 1 && FUNCTION_WORDS.contains(&term.words[0].as_str());
        let rest = self.terms.iter().filter(|term| !is_function_word(term)).count();
        if rest >= 2 {
            self.terms.retain(|term| !is_function_word(term));
        }
    }
}

impl Run {
    fn new(text: &str) -> Self {
        let words: Vec<String> = words::words(text).map(words::lower).collect();
        Self { text: text.to_owned(), joined: words.concat(), words }
    }

    /// Looks like the name of a declaration, not like a word of prose or an abbreviation.
    pub(super) fn is_name_like(&self) -> bool {
        self.text.contains(['_', '$']) || (self.words.len() > 1 && self.text.contains(char::is_lowercase))
    }

    fn terms(&self) -> Vec<Term> {
        let mut terms: Vec<Term> = Vec::new();
        let mut continues = false;
        for word in &self.words {
            let is_unspaced = word.chars().all(words::is_unspaced);
            match terms.last_mut() {
                Some(term) if is_unspaced && continues => term.words.push(word.clone()),
                _ => terms.push(Term { words: vec![word.clone()], is_whole: false }),
            }
            continues = is_unspaced;
        }
        if self.words.len() > 1 && !self.text.contains(words::is_unspaced) {
            terms.push(Term { words: vec![self.joined.clone()], is_whole: true });
        }
        terms
    }
}

fn head(text: &str) -> &str {
    let end = (0..=text.len().min(MAX_BYTES)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        Parsed::new(text).terms.iter().map(|term| term.words.join("+")).collect()
    }

    #[test]
    fn terms_of_queries() {
        assert_eq!(terms("compareVersions"), ["compare", "versions", "compareversions"]);
        assert_eq!(terms("e-mail AND id"), ["e", "mail", "id"]);
        assert_eq!(terms("the and"), ["the", "and"], "nothing else was asked");
        assert_eq!(terms("部署サーバー config"), ["部+署+サ+ー+バ+ー", "config"]);
        assert_eq!(terms("=> ((("), [""; 0]);
        assert_eq!(terms("needle needle"), ["needle"]);
    }

    #[test]
    fn single_means_one_identifier() {
        assert!(Parsed::new("needleFn\nneedleFn\tneedleFn").is_single());
        assert!(!Parsed::new("Repo.find").is_single());
        assert!(!Parsed::new("").is_single());
        assert_eq!(Parsed::new("compare versions").joined(), "compareversions");
    }

    #[test]
    fn long_queries_are_bounded() {
        let long: String = (0..10_000).map(|n| format!("term{n} ")).collect();
        assert_eq!(Parsed::new(&long).terms.len(), MAX_WORDS);
        assert_eq!(terms(&"x".repeat(100_000)), ["x".repeat(256)]);
        let cut = "é".repeat(MAX_BYTES);
        assert_eq!(head(&cut).len(), MAX_BYTES);
    }
}
