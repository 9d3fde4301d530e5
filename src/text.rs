//! Bytes as they are committed: files, spans, edits, lines and columns.
//!
//! This room does not know what the bytes mean, never normalises a line ending and never re-encodes
//! anything: an edited text is the old bytes with some spans exchanged.

mod edit;
mod source;

pub use edit::{EditLog, OverlappingEdits, TextEdit, apply};
pub use source::{Position, SourceFile};

/// A half-open range of bytes, `start..end`.
pub type Span = std::ops::Range<usize>;
