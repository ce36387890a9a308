//! Linking on annotated sources.
