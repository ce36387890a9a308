//! Markdown files read from disk: `mast_outline` and `mast_section` show what is there now, indexed or not.

use std::path::Path;

use super::Engine;
use crate::error::Result;
use crate::model::{Language, RepoPath};
use crate::source;
use crate::telemetry::tokens::count_tokens;

/// A Markdown file as it is on disk.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its text.
    pub text: String,
    /// Tokens of the text.
    pub tokens: u64,
}

impl Engine {
    /// Reads a Markdown file inside the project root; the error says in a few words why it cannot be read.
    pub fn document(&self, path: &RepoPath) -> std::result::Result<Document, String> {
        if Language::of(path.file_name()) != Some(Language::Markdown) {
            return Err("not a Markdown file (.md)".into());
        }
        let disk = path.to_disk(self.root());
        let directory = disk.parent().unwrap_or(&disk);
        if directory.exists() && !is_inside(self.root(), directory) {
            return Err("outside the project root, through a symbolic link".into());
        }
        let file =
            source::read(self.root(), path, Language::Markdown).map_err(|unread| unread.problem.message)?;
        let tokens = match self.indexed_tokens(path, file.stamp.hash) {
            Ok(Some(tokens)) => tokens,
            // Without an index, or with another text in it, the text is counted here.
            _ => count_tokens(&file.text),
        };
        Ok(Document { text: file.text, tokens: u64::from(tokens) })
    }

    /// Whether the path is a directory inside the project root; `""` is the root.
    #[must_use]
    pub fn is_directory(&self, path: &str) -> bool {
        let disk = if path.is_empty() { self.root().to_path_buf() } else { self.root().join(path) };
        disk.is_dir() && is_inside(self.root(), &disk)
    }

    /// The Markdown files below a directory that the index walks, by path; `""` is the root.
    #[must_use]
    pub fn documents_below(&self, directory: &str) -> Vec<RepoPath> {
        let is_below = |path: &RepoPath| {
            directory.is_empty()
                || path.as_str().strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
        };
        let files = source::walk(&self.config()).files.into_iter().map(|file| file.path);
        files
            .filter(|path| Language::of(path.file_name()) == Some(Language::Markdown) && is_below(path))
            .collect()
    }

    fn indexed_tokens(&self, path: &RepoPath, hash: u128) -> Result<Option<u32>> {
        let row = self.snapshot()?.file(path)?;
        Ok(row.filter(|row| row.stamp.hash == hash && !row.is_skipped).map(|row| row.tokens))
    }
}

/// Whether `path`, symbolic links followed, lies in `root`.
fn is_inside(root: &Path, path: &Path) -> bool {
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(path)) => path.starts_with(root),
        _ => false,
    }
}
