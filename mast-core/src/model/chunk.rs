//! Retrievable pieces of source.

use super::{ByteRange, LineRange, SymbolIx};

/// What a chunk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChunkKind {
    /// A function with its body.
    Function,
    /// A method, accessor or constructor with its body.
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

impl ChunkKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Function,
        Self::Method,
        Self::ClassShell,
        Self::Interface,
        Self::Type,
        Self::Export,
        Self::Block,
        Self::Doc,
    ];

    /// The spelling in queries and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::ClassShell => "class_shell",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Export => "export",
            Self::Block => "block",
            Self::Doc => "doc",
        }
    }

    /// The kind spelled `text`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A retrievable piece of a file.
///
/// The chunks of a file cover every byte that holds more than white space, and apart from the overlap between the
/// parts of a split declaration no body is covered twice: shells and outlines leave out what their members' own chunks
/// hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// What it holds.
    pub kind: ChunkKind,
    /// The declaration it belongs to.
    pub symbol: Option<SymbolIx>,
    /// Name of a chunk that has no symbol: heading path, file stem of an anonymous default export, variable name.
    pub name: Option<String>,
    /// Lines of the declaration (of this part of it): decorators and doc comment excluded.
    pub lines: LineRange,
    /// The text of the chunk in order: one range, or several where bodies are left out. Decorators and the doc comment
    /// directly above are included, context lines are not.
    pub segments: Vec<ByteRange>,
    /// 0 for the whole or the first part; later parts of a long declaration count up.
    pub part: u32,
    /// Reachable from outside the file.
    pub is_exported: bool,
}
