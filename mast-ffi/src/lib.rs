//! MAST
