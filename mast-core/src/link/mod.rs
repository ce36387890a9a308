//! **Holds** the proof work: which file an import means, which declaration a name reaches, which call names what.
//! **Takes / gives** facts of files and the names other files offer; gives edges with their evidence.
//! **Never** touches disk or store: what it must know is handed in.
//! **Next** `store`, which keeps what was proven.

pub mod modules;
