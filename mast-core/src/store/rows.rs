//! How enums and flags of the model are numbered in rows. The numbers are part of the schema: append, never reorder.

use crate::error::{Error, Result};
use crate::model::{
    ChunkKind, HeritageKind, ImportKind, InputKind, Language, ProblemKind, Resolution, SymbolKind,
};

/// A model enum stored as its position in a fixed list.
pub(super) trait Numbered: Copy + PartialEq + Sized + 'static {
    /// Every value, in the order of its number.
    const LIST: &'static [Self];

    /// The stored number.
    fn number(self) -> i64 {
        let position = Self::LIST.iter().position(|value| *value == self).unwrap_or_default();
        i64::try_from(position).unwrap_or_default()
    }

    /// The value of a stored number.
    fn from_number(number: i64) -> Result<Self> {
        usize::try_from(number)
            .ok()
            .and_then(|at| Self::LIST.get(at).copied())
            .ok_or_else(|| Error::Damaged(format!("a row holds the unknown number {number}")))
    }
}

impl Numbered for Language {
    const LIST: &'static [Self] = &[Self::TypeScript, Self::Tsx, Self::JavaScript, Self::Markdown];
}

impl Numbered for SymbolKind {
    const LIST: &'static [Self] = &Self::ALL;
}

impl Numbered for ChunkKind {
    const LIST: &'static [Self] = &Self::ALL;
}

impl Numbered for Resolution {
    const LIST: &'static [Self] = &Self::ALL;
}

impl Numbered for HeritageKind {
    const LIST: &'static [Self] = &[Self::Extends, Self::Implements];
}

impl Numbered for ImportKind {
    const LIST: &'static [Self] =
        &[Self::Static, Self::Type, Self::Dynamic, Self::Require, Self::ImportEquals, Self::ReExport];
}

impl Numbered for ProblemKind {
    const LIST: &'static [Self] =
        &[Self::Unreadable, Self::Skipped, Self::ParseFailed, Self::PartialParse, Self::WriteFailed];
}

impl Numbered for InputKind {
    const LIST: &'static [Self] = &[Self::File, Self::Sources, Self::Types, Self::Packages];
}

/// Flag bits of a symbol row.
pub(super) mod symbol_flags {
    /// Reachable from outside the file.
    pub(crate) const EXPORTED: i64 = 1;
    /// Declared inside a function body.
    pub(crate) const LOCAL: i64 = 2;
    /// Static class member.
    pub(crate) const STATIC: i64 = 4;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_their_values() {
        for kind in SymbolKind::ALL {
            assert_eq!(SymbolKind::from_number(kind.number()).unwrap(), kind);
        }
        assert_eq!(Resolution::SameFile.number(), 0);
        assert_eq!(Resolution::Alias.number(), 13);
        assert!(ChunkKind::from_number(8).is_err());
    }
}
