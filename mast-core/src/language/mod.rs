//! **Holds** everything that knows a grammar: what one file says about itself.
//! **Takes / gives** a file's text; its symbols, chunks, imports, exports, linking facts and problems.
//! **Never** the disk, the store, or another file: a name that is not declared here stays a name.
//! **Next** `ecmascript` for TypeScript and JavaScript, `markdown` for documents.

mod ecmascript;
