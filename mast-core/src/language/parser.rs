//! Parsers, kept per thread, and the limit on how long one may run.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Which tree-sitter grammar reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX; also reads Flow annotations in JavaScript.
    Tsx,
    /// JavaScript with JSX.
    JavaScript,
}

impl Grammar {
    /// The loaded grammar.
    pub(super) fn language(self) -> tree_sitter::Language {
        match self {
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        }
    }
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoTree {
    /// The time was up.
    TimedOut,
    /// The grammar could not be loaded or the parser gave up.
    Failed,
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses `text`, giving up after `limit`.
pub(super) fn parse(grammar: Grammar, text: &str, limit: Duration) -> Result<Tree, NoTree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language()).map_err(|_| NoTree::Failed)?;
        let deadline = Instant::now() + limit;
        let mut timed_out = false;
        let mut progress = |_: &ParseState| {
            timed_out = Instant::now() > deadline;
            if timed_out { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = text.as_bytes();
        let tree = parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            None,
            Some(ParseOptions::new().progress_callback(&mut progress)),
        );
        // A parser that was stopped resumes the old text on its next call unless it is reset.
        parser.reset();
        tree.ok_or(if timed_out { NoTree::TimedOut } else { NoTree::Failed })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_parse_does_not_leak_into_the_next() {
        let long = "a(b, [c]);\n".repeat(200_000);
        assert_eq!(parse(Grammar::TypeScript, &long, Duration::ZERO).unwrap_err(), NoTree::TimedOut);
        let tree = parse(Grammar::TypeScript, "const x = 1;", Duration::from_secs(5)).unwrap();
        assert_eq!(tree.root_node().to_sexp(), parse_sexp("const x = 1;"));
    }

    fn parse_sexp(text: &str) -> String {
        let mut parser = Parser::new();
        parser.set_language(&Grammar::TypeScript.language()).unwrap();
        parser.parse(text, None).unwrap().root_node().to_sexp()
    }
}
