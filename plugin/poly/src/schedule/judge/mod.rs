//! The judge of legality.
