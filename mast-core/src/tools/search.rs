//! `mast_search`: ranked search over declarations, other code and documentation.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{REFRESH, counted};
use super::parts::{Suggestion, is_false, write_suggestions};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::glob::Globs;
use crate::search;
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Search;

/// Arguments of `mast_search`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SearchInput {
    /// Words of natural language, or an identifier.
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub query: String,
    /// Most results to return.
    #[schemars(range(min = 1, max = 50))]
    pub limit: u32,
    /// Only files of this language; .tsx counts as typescript, .jsx as javascript.
    pub language: Option<LanguageFilter>,
    /// Only files whose path matches this glob, such as "src/api/**".
    pub file_pattern: Option<String>,
    /// Only chunks of this type.
    pub chunk_type: Option<ChunkType>,
    /// Only exported declarations.
    pub only_exported: bool,
}

impl Default for SearchInput {
    fn default() -> Self {
        Self {
            query: String::new(),
            limit: 10,
            language: None,
            file_pattern: None,
            chunk_type: None,
            only_exported: false,
        }
    }
}

/// Languages a search can be limited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LanguageFilter {
    /// `.ts`, `.tsx`, `.mts`, `.cts`.
    TypeScript,
    /// `.js`, `.jsx`, `.mjs`, `.cjs`.
    JavaScript,
    /// `.md`.
    Markdown,
}

impl LanguageFilter {
    /// The spelling on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::JavaScript => "javascript",
            Self::Markdown => "markdown",
        }
    }
}

/// Types of chunk a search can be limited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChunkType {
    /// A function with its body.
    Function,
    /// A method with its body.
    Method,
    /// A class without bodies.
    ClassShell,
    /// An interface.
    Interface,
    /// A type alias or enum.
    Type,
    /// A re-export or anonymous default export.
    Export,
    /// Other top-level statements.
    Block,
    /// A Markdown section.
    Doc,
}

impl From<ChunkType> for crate::model::ChunkKind {
    fn from(chunk: ChunkType) -> Self {
        match chunk {
            ChunkType::Function => Self::Function,
            ChunkType::Method => Self::Method,
            ChunkType::ClassShell => Self::ClassShell,
            ChunkType::Interface => Self::Interface,
            ChunkType::Type => Self::Type,
            ChunkType::Export => Self::Export,
            ChunkType::Block => Self::Block,
            ChunkType::Doc => Self::Doc,
        }
    }
}

/// Answer of `mast_search`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SearchOutput {
    /// Best first.
    pub results: Vec<SearchResult>,
    /// Matches there were beyond those shown, when the answer had to be shortened to the size clients accept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_truncated: Option<u64>,
    /// Files not searched: for a query without letters or digits at most 64 MB of text are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_files: Option<u64>,
    /// Near names; present, possibly empty, only when nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<Suggestion>>,
}

/// One hit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SearchResult {
    /// Path relative to the project root.
    pub file_path: String,
    /// 1-based first line of the declaration.
    pub start_line: u32,
    /// 1-based last line.
    pub end_line: u32,
    /// The source, with context lines around it.
    pub content: String,
    /// function, method, `class_shell`, interface, type, export, block or doc.
    pub chunk_type: String,
    /// Qualified name of the declaration, or heading path of a Markdown section.
    pub symbol_name: Option<String>,
    /// The class, interface or namespace it is a member of.
    pub parent_symbol: Option<String>,
    /// Whether other files can import it.
    pub is_exported: bool,
    /// BM25 score, more negative is better; null when only the exact name matched.
    pub match_score: Option<f64>,
    /// 1 for the best result.
    pub rank: u32,
    /// The best matching piece, matched words between ** marks.
    pub match_snippet: String,
    /// The file changed on disk since it was indexed: content and lines may be out of date.
    #[serde(skip_serializing_if = "is_false")]
    pub stale: bool,
    /// Another chunk of the same declaration that also matched and is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Related>,
}

/// Names a chunk that was left out because a better one of the same declaration is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Related {
    /// Qualified name.
    pub symbol_name: String,
    /// Its chunk type.
    pub chunk_type: String,
    /// 1-based first line.
    pub start_line: u32,
}

impl Contract for Search {
    const NAME: &'static str = "mast_search";
    const TITLE: &'static str = "Search code and docs";
    const DESCRIPTION: &'static str = "\
Find code by name or by words, ranked: use it instead of grep when you do not know the exact file. Returns whole \
declarations (function, method, class without bodies, interface, type, Markdown section) with file and lines, not \
whole files. A query that is the name of a declaration returns that declaration first. Narrow it with file_pattern, \
language, chunk_type or only_exported; language \"typescript\" leaves out docs. Indexes TypeScript, JavaScript and \
Markdown only. A result with stale: true is from a file that changed since it was indexed.";
    const FRESHNESS: Freshness = Freshness::Flag;
    const COVERAGE: Coverage = Coverage::Set;
    type Input = SearchInput;
    type Output = SearchOutput;

    fn nothing(_: &Self::Input) -> Option<Self::Output> {
        Some(SearchOutput { suggestions: Some(Vec::new()), ..SearchOutput::default() })
    }
}

impl Tool for Search {
    fn run(engine: &Engine, input: &SearchInput, _: &CallContext<'_>) -> Result<SearchOutput> {
        let config = engine.config();
        let settings = search::Settings {
            rrf_k: config.rrf_k.value,
            declaration_exact_ranker: config.declaration_exact_ranker.value,
            context_lines: config.context_lines.value,
        };
        let files = input.file_pattern.as_deref().map(|pattern| Globs::new([pattern])).transpose();
        let query = search::Query {
            text: input.query.clone(),
            limit: usize::try_from(input.limit).unwrap_or(usize::MAX),
            language: input.language.map(LanguageFilter::as_str),
            files: files.map_err(|e| Error::InvalidInput(format!("file_pattern: {e}")))?,
            kind: input.chunk_type.map(Into::into),
            only_exported: input.only_exported,
        };
        let snapshot = engine.snapshot()?;
        let found = search::run(&snapshot, &settings, &query)?;
        Ok(SearchOutput {
            results: (1..).zip(found.hits).map(|(rank, hit)| SearchResult::new(rank, hit)).collect(),
            results_truncated: None,
            unread_files: Some(found.unread_files).filter(|&n| n > 0),
            suggestions: found.suggestions.map(|list| list.into_iter().map(Suggestion::from).collect()),
        })
    }
}

impl SearchResult {
    fn new(rank: u32, hit: search::Hit) -> Self {
        Self {
            file_path: hit.path.to_string(),
            start_line: hit.lines.start,
            end_line: hit.lines.end,
            content: hit.content,
            chunk_type: hit.kind.as_str().to_owned(),
            symbol_name: hit.symbol_name,
            parent_symbol: hit.parent_symbol,
            is_exported: hit.is_exported,
            // Ten-thousandths are far below what tells two results apart. A word that every chunk holds scores nothing, which
            // is spelled without a sign.
            match_score: hit.score.map(|score| (score * 1e4).round() / 1e4 + 0.0),
            rank,
            match_snippet: hit.snippet,
            stale: false,
            related: hit.related.map(|related| Related {
                symbol_name: related.symbol_name,
                chunk_type: related.kind.as_str().to_owned(),
                start_line: related.start_line,
            }),
        }
    }
}

impl From<search::Suggestion> for Suggestion {
    fn from(near: search::Suggestion) -> Self {
        Self {
            symbol: near.name,
            kind: near.kind.as_str().to_owned(),
            file_path: near.path.to_string(),
            line: near.line,
        }
    }
}

impl Output for SearchOutput {
    fn files(&self) -> Vec<&str> {
        self.results.iter().map(|r| r.file_path.as_str()).collect()
    }

    fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn mark_stale(&mut self, is_stale: &dyn Fn(&str) -> bool) {
        for result in &mut self.results {
            result.stale = is_stale(&result.file_path);
        }
    }

    fn stale_count(&self) -> u64 {
        self.results.iter().filter(|result| result.stale).count() as u64
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        super::parts::cut(&mut self.results, &mut self.results_truncated, share)
    }
}

impl Display for SearchOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.unread_files {
            let files = counted(number, "file");
            writeln!(
                f,
                "! {files} not searched: the query has no letter or digit, and 64 MB of text were read — narrow it with a file pattern.\n"
            )?;
        }
        if self.results.is_empty() {
            f.write_str(NO_MATCHES)?;
            return write_suggestions(f, self.suggestions.as_deref().unwrap_or_default());
        }
        let stale = self.stale_count();
        if stale > 0 {
            let (all, verb) = (self.results.len(), if self.results.len() == 1 { "is" } else { "are" });
            writeln!(f, "! {stale} of {all} results {verb} from files that changed since indexing —")?;
            writeln!(f, "  the code shown below may be out of date. Run `{REFRESH}` to refresh.\n")?;
        }
        for (at, result) in self.results.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{result}")?;
        }
        if let Some(total) = self.results_truncated {
            writeln!(f, "\n{} of {total} results shown; narrow the query", self.results.len())?;
        }
        Ok(())
    }
}

/// What a person should know about an empty answer.
const NO_MATCHES: &str = "\
no matches (mast indexes TypeScript, JavaScript, and Markdown only, and skips dot
directories unless include_dot_dirs names them — a symbol anywhere else is
invisible to it, not absent from the repo)
exclude_patterns (test files, unless configured) and git's ignore rules keep files
out as well; `mast walk` shows what is left.
";

impl Display for SearchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file_path, self.start_line)?;
        if let Some(name) = &self.symbol_name {
            write!(f, " {name}")?;
        }
        write!(f, " {}", self.chunk_type)?;
        if self.is_exported {
            write!(f, " (exported)")?;
        }
        if self.stale {
            write!(f, " [STALE]")?;
        }
        writeln!(f)?;
        for line in self.content.lines() {
            writeln!(f, "{}{line}", if line.is_empty() { "" } else { "  " })?;
        }
        if let Some(Related { symbol_name, chunk_type, start_line }) = &self.related {
            writeln!(f, "  also matched: {symbol_name} {chunk_type}, line {start_line}")?;
        }
        Ok(())
    }
}
