//! What the pass asks of TypeScript, whichever protocol it speaks.

use std::path::Path;

use serde_json::Value;

use super::find::{Protocol, TypeScript};
use super::lsp::Lsp;
use super::process::{Patience, Process, Spoken};
use super::tsserver::Tsserver;

/// Questions that are under way at once: enough to keep both sides busy, few enough that neither fills a pipe.
pub(super) const WINDOW: usize = 32;

/// A place in a file: 1-based line, and 1-based column in UTF-16 code units.
pub(super) type Position = (u32, u32);

/// Where TypeScript says a declaration is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Absolute path with `/`, or the URI of something that is no file.
    pub(super) file: String,
    /// Where the name begins; of a declaration without a name, where it begins itself.
    pub(super) start: Position,
}

/// A file as TypeScript is to see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'a> {
    /// Absolute path with `/`.
    pub(super) path: &'a str,
    /// Its text.
    pub(super) text: &'a str,
}

/// A running TypeScript. Paths are absolute, with `/`.
pub(super) trait Server {
    /// The next answer: the number of its question, and what it holds when the server could give one.
    fn answer(&mut self, patience: &Patience) -> Spoken<(u64, Option<Value>)>;

    /// The answer to one question; those to others that come before it are passed over.
    fn answer_to(&mut self, question: u64, patience: &Patience) -> Spoken<Option<Value>> {
        loop {
            let (answered, held) = self.answer(patience)?;
            if answered == question {
                return Ok(held);
            }
        }
    }

    /// Gives files the text they are to have, whatever is on disk.
    fn open(&mut self, documents: &[Document<'_>], patience: &Patience) -> Spoken<()>;

    /// The configuration file of the project an open file belongs to; `None` when it belongs to none.
    fn project_of(&mut self, path: &str, patience: &Patience) -> Spoken<Option<String>>;

    /// The files of the program of a project, absolute and with `/`, with a `member` of it that is open.
    fn files_of(&mut self, config: &str, member: &str, patience: &Patience) -> Spoken<Vec<String>>;

    /// Whether those contain what the program takes from projects that the project refers to.
    fn follows_references(&self) -> bool;

    /// For each position of an open file the declarations of the name there; empty when there is none to be found.
    fn definitions(
        &mut self,
        path: &str,
        positions: &[Position],
        patience: &Patience,
    ) -> Spoken<Vec<Vec<Place>>>;
}

/// Starts TypeScript at `root`, to ask it about the `subject`.
pub(super) fn start(
    typescript: &TypeScript,
    root: &Path,
    subject: &str,
    patience: &Patience,
) -> Spoken<Box<dyn Server>> {
    let process = Process::start(typescript, root, subject)?;
    Ok(match typescript.protocol {
        Protocol::Tsserver => Box::new(Tsserver::start(process, root)),
        Protocol::Lsp => Box::new(Lsp::start(process, typescript, (root, subject), patience)?),
    })
}
