//! Resolved relations between symbols.

use serde::{Deserialize, Serialize};

/// How a call was proven to name its declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resolution {
    /// Lexical scope of the same file.
    SameFile,
    /// Import, through any chain of re-exports and renames.
    Import,
    /// Receiver is a field with a known type.
    FieldType,
    /// Receiver is a parameter or variable with a known type.
    ParameterType,
    /// Receiver was made with `new`, or the call is one.
    NewExpression,
    /// `this.m()`.
    ThisMethod,
    /// `super.m()` or `super()`.
    SuperMethod,
    /// The repository's own type checker said so.
    Checker,
    /// Receiver is the result of a call whose return type is known.
    ReturnType,
    /// Receiver is an object literal.
    ObjectLiteral,
    /// `Class.m()` of a static member.
    StaticMember,
    /// JSX element.
    Jsx,
    /// Decorator application.
    Decorator,
    /// Constant alias or destructuring of a proven value.
    Alias,
}

impl Resolution {
    /// Every resolution, in the order of its stored number.
    pub const ALL: [Self; 14] = [
        Self::SameFile,
        Self::Import,
        Self::FieldType,
        Self::ParameterType,
        Self::NewExpression,
        Self::ThisMethod,
        Self::SuperMethod,
        Self::Checker,
        Self::ReturnType,
        Self::ObjectLiteral,
        Self::StaticMember,
        Self::Jsx,
        Self::Decorator,
        Self::Alias,
    ];

    /// The spelling in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SameFile => "same_file",
            Self::Import => "import",
            Self::FieldType => "field_type",
            Self::ParameterType => "parameter_type",
            Self::NewExpression => "new_expression",
            Self::ThisMethod => "this_method",
            Self::SuperMethod => "super_method",
            Self::Checker => "checker",
            Self::ReturnType => "return_type",
            Self::ObjectLiteral => "object_literal",
            Self::StaticMember => "static_member",
            Self::Jsx => "jsx",
            Self::Decorator => "decorator",
            Self::Alias => "alias",
        }
    }
}

/// A proven call. `T` names a symbol: position within a file while linking, row in the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallEdge<T> {
    /// Position of the call site in its file's list.
    pub site: u32,
    /// The declaration that is called.
    pub target: T,
    /// Why we believe it.
    pub resolution: Resolution,
}

/// Kind of inheritance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HeritageKind {
    /// `extends`, of classes and of interfaces.
    Extends,
    /// `implements`.
    Implements,
}

/// A proven inheritance relation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeritageEdge<T> {
    /// The class or interface that inherits, by position in its file.
    pub child: super::SymbolIx,
    /// The class or interface it names.
    pub parent: T,
    /// How.
    pub kind: HeritageKind,
}

/// A proven mention of a declaration outside call position: a type reference, `typeof`, an `extends` clause.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeUse<T> {
    /// Position in the file's list of type references.
    pub reference: u32,
    /// The declaration that is named.
    pub target: T,
}
