//! Named declarations.

use serde::{Deserialize, Serialize};

use super::{ByteRange, LineRange};

/// Position of a symbol in its file's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SymbolIx(pub u32);

/// What kind of declaration a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SymbolKind {
    /// Function or generator declaration, or a constant holding a function.
    Function,
    /// Method, accessor, constructor, function-valued property; also of interfaces and object literals.
    Method,
    /// Class.
    Class,
    /// Interface.
    Interface,
    /// Type alias.
    Type,
    /// Enum.
    Enum,
    /// Variable of any kind that holds no function.
    Const,
    /// Namespace or module block.
    Namespace,
}

impl SymbolKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Interface,
        Self::Type,
        Self::Enum,
        Self::Const,
        Self::Namespace,
    ];

    /// The spelling in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Const => "const",
            Self::Namespace => "namespace",
        }
    }
}

/// One named declaration of a file. Declarations that merge under one name (overloads, getter and setter, interface
/// and class) are separate symbols, except that overload signatures belong to their implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Last segment of the name: `find`.
    pub name: String,
    /// Names of the enclosing declarations, dot-separated (`Repo`); `None` at the top level of the file.
    pub container: Option<String>,
    /// Kind of declaration.
    pub kind: SymbolKind,
    /// The enclosing symbol, when it is one.
    pub parent: Option<SymbolIx>,
    /// The declaration, from its first modifier or decorator to its last token; the doc comment is not part of it.
    pub span: ByteRange,
    /// Lines of the declaration without decorators and doc comment: from the line of its first keyword or name.
    pub lines: LineRange,
    /// The declared name itself.
    pub name_span: ByteRange,
    /// 1-based line of the declared name.
    pub name_line: u32,
    /// Reachable from outside the file by any export form; members inherit it unless private.
    pub is_exported: bool,
    /// Declared inside a function body: invisible outside it, found by its qualified name only.
    pub is_local: bool,
    /// Static member of a class.
    pub is_static: bool,
    /// Which of several symbols of equal qualified name and kind this is, in file order.
    pub ordinal: u32,
    /// Where signature, documentation and parameters stand.
    pub detail: SymbolDetail,
}

impl Symbol {
    /// `Repo.find`, or just the name at the top level.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        match &self.container {
            Some(container) => format!("{container}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Ranges of the parts of a declaration, all into the file's text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SymbolDetail {
    /// Declaration text up to the body; the whole declaration for interfaces, type aliases and enums. Overload
    /// signatures come first, in order, the implementation last.
    pub signatures: Vec<ByteRange>,
    /// The documentation comment directly above, markers included.
    pub doc: Option<ByteRange>,
    /// Parameters of the implementation (or of the only signature).
    pub parameters: Vec<ParameterText>,
    /// The written return type.
    pub return_type: Option<ByteRange>,
    /// Names of types mentioned in the signature, in order of appearance, without repeats.
    pub type_names: Vec<ByteRange>,
}

/// One parameter as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterText {
    /// Name, or the whole pattern of a destructured parameter.
    pub name: ByteRange,
    /// Type annotation without the colon.
    pub type_annotation: Option<ByteRange>,
    /// Default value expression.
    pub default: Option<ByteRange>,
    /// Marked `?`, or has a default.
    pub is_optional: bool,
    /// `...rest`.
    pub is_rest: bool,
}
