//! A file, its text, and everything it says about itself.

use super::{Chunk, Export, Import, ModuleFacts, RepoPath, Symbol};

/// Language of a file, by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// `.ts`, `.mts`, `.cts`.
    TypeScript,
    /// `.tsx`.
    Tsx,
    /// `.js`, `.jsx`, `.mjs`, `.cjs`.
    JavaScript,
    /// `.md`.
    Markdown,
}

impl Language {
    /// The language of a file with this name, `None` for any other extension.
    #[must_use]
    pub fn of(file_name: &str) -> Option<Self> {
        let (_, extension) = file_name.rsplit_once('.')?;
        Some(match extension {
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "md" => Self::Markdown,
            _ => return None,
        })
    }

    /// The spelling of the `language` filter: `.tsx` counts as `typescript`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript | Self::Tsx => "typescript",
            Self::JavaScript => "javascript",
            Self::Markdown => "markdown",
        }
    }
}

/// What the file system and the bytes said when a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FileStamp {
    /// Length in bytes.
    pub size: u64,
    /// Time of the last change in nanoseconds since the Unix epoch (negative before it): the later of modification time
    /// and, on Unix, inode change time, which no program can set back.
    pub mtime_ns: i64,
    /// XXH3-128 of the bytes; 0 while only `stat` has been asked.
    pub hash: u128,
}

/// What is looked at of something that is not indexed and that something on the shelf rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// The bytes of a file.
    File,
    /// Which directories, source files and configurations a directory holds, by name.
    Sources,
    /// The same without JavaScript: of a directory that is left out of the index, where builds write.
    Types,
    /// Which packages a `node_modules`, or a scope in one, holds, by name; where links lead too.
    Packages,
}

/// A file that has been read.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its name.
    pub path: RepoPath,
    /// Its language.
    pub language: Language,
    /// Stamp taken from the open file before its bytes were read; hash of those bytes.
    pub stamp: FileStamp,
    /// Decoded text: no byte order mark, UTF-16 converted, invalid bytes replaced one by one, NUL kept.
    pub text: String,
}

/// Everything one file says about itself.
#[derive(Debug, Clone, Default)]
pub struct FileFacts {
    /// Declarations in file order.
    pub symbols: Vec<Symbol>,
    /// Retrievable pieces in file order.
    pub chunks: Vec<Chunk>,
    /// Imports in file order.
    pub imports: Vec<Import>,
    /// Exported names in file order.
    pub exports: Vec<Export>,
    /// What linking needs; empty for Markdown.
    pub module: ModuleFacts,
    /// What is wrong with the file.
    pub problems: Vec<Problem>,
}

/// Something wrong with one file. Not an error: the run goes on and says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of trouble.
    pub kind: ProblemKind,
    /// One line for a person.
    pub message: String,
    /// Lines concerned, when only part of the file is.
    pub lines: Vec<super::LineRange>,
}

/// Kinds of [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The file could not be read.
    Unreadable,
    /// Not source text, or beyond the limits of size or parse time: left out on purpose.
    Skipped,
    /// The parser gave nothing.
    ParseFailed,
    /// Parts of the file are not valid syntax to the parser; the rest was extracted.
    PartialParse,
    /// The store refused the file's rows.
    WriteFailed,
}

/// Row number of a file in the store; stable while the file stays indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);
