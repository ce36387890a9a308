//! Line and column of a byte offset.

use crate::model::Columns;

/// Where the lines of a text begin.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    columns: Columns,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        Self { text, starts, columns: Columns::of(text) }
    }

    /// 1-based line, and 1-based column in UTF-16 code units.
    pub(super) fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let column = self.columns.between(self.text, start, offset);
        (super::index(line), super::index(column + 1))
    }
}
