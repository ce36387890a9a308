//! Imports and exports as a file states them, before anyone resolves them.

use serde::{Deserialize, Serialize};

use super::SymbolIx;

/// How a module is brought in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImportKind {
    /// `import … from "m"`, `import "m"`.
    Static,
    /// `import type … from "m"` or a type position `import("m")`.
    Type,
    /// `import("m")` expression with a literal.
    Dynamic,
    /// `require("m")` with a literal.
    Require,
    /// `import x = require("m")`.
    ImportEquals,
    /// `export … from "m"`.
    ReExport,
}

/// What is taken out of a module.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImportedName {
    /// A named export; `default` is spelled `"default"`.
    Named(String),
    /// The module's namespace object (`* as ns`, the value of `require`, `import()`).
    Namespace,
}

/// One import statement or expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// How.
    pub kind: ImportKind,
    /// The module specifier as written.
    pub specifier: String,
    /// 1-based line of the statement.
    pub line: u32,
    /// What is imported and under which local name, with the line of each.
    pub names: Vec<(ImportedName, String, u32)>,
}

/// How a name leaves the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportKind {
    /// A declaration or value of this file.
    Local(LocalExport),
    /// `export { imported as exported } from "specifier"`; also `export * as exported from` with
    /// [`ImportedName::Namespace`].
    From {
        /// Position in the file's import list.
        import: u32,
        /// What of that module.
        imported: ImportedName,
    },
    /// `export * from "specifier"`.
    Star {
        /// Position in the file's import list.
        import: u32,
    },
}

/// What a local export names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalExport {
    /// The local name (`b` of `export { b as c }`); `None` for an anonymous default export.
    pub local_name: Option<String>,
    /// The symbols declared in this file under that name; empty when the name is an import or is not declared.
    pub symbols: Vec<SymbolIx>,
}

/// One name a file exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name others import: `default`, `c` of `export { b as c }`; empty for `export *`; `export=` for
    /// `export =` and `module.exports =`.
    pub name: String,
    /// Where it comes from.
    pub kind: ExportKind,
    /// `export type`.
    pub is_type_only: bool,
    /// 1-based line of the exported name, or of the statement.
    pub line: u32,
}
