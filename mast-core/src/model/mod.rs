//! **Holds** the words every room shares: plain data about files, symbols, chunks, modules and the facts linking needs.
//! **Takes / gives** nothing: these types are made by `language` and `link`, kept by `store`, read by everyone.
//! **Never** knows disk, database, protocol or wire format; what goes over a wire is defined in `tools`.
//! **Next** `source`, which turns a directory into files.

mod chunk;
mod columns;
mod edge;
mod facts;
mod file;
mod identifier;
mod module;
mod path;
mod span;
mod symbol;
pub mod words;

pub use chunk::{Chunk, ChunkKind};
pub use columns::Columns;
pub use edge::{CallEdge, HeritageEdge, HeritageKind, Resolution, TypeUse};
pub use facts::{
    Asserted, Binding, BindingIx, BindingValue, CallKind, CallSite, ClassFacts, ClassIx, Context, Declarer,
    Expr, ExprIx, FunctionFacts, FunctionIx, Guard, GuardSubject, GuardTest, InterfaceFacts, InterfaceIx,
    Literal, Member, MemberKind, ModuleFacts, NameIx, NamespaceFacts, NamespaceIx, ObjectFacts, ObjectIx,
    ObjectMember, Parameter, PathStep, TypeAliasFacts, TypeAliasIx, TypeExpr, TypeHead, TypeIx,
    TypeParameter, TypeReference,
};
pub use file::{FileFacts, FileId, FileStamp, InputKind, Language, Problem, ProblemKind, SourceFile};
pub use identifier::{is_identifier, is_identifier_char, is_mark, split_words};
pub use module::{Export, ExportKind, Import, ImportKind, ImportedName, LocalExport};
pub use path::RepoPath;
pub(crate) use path::normalize;
pub use span::{ByteRange, LineRange};
pub use symbol::{ParameterText, Symbol, SymbolDetail, SymbolIx, SymbolKind};
