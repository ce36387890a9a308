//! Scope analysis on annotated sources.
