//! STUB of signatures; the yaml helper replaces this file.
#![allow(
    missing_docs,
    unused_variables,
    dead_code,
    clippy::all,
    clippy::pedantic
)]
use super::{Meaning, Route};
use crate::text::{Span, TextEdit};

/// One symbolic edit of a document.
#[derive(Clone, PartialEq, Eq)]
pub enum Change {
    /// The scalar at `at` becomes `value` (a scalar).
    Set { at: Route, value: Meaning },
    /// A new key at the end of the mapping at `into`; where that is null or `{}` it becomes the mapping.
    Insert {
        into: Route,
        key: String,
        value: Meaning,
    },
    /// A new item at the end of the sequence at `to`; where that is null or `[]` it becomes the sequence.
    Append { to: Route, value: Meaning },
    /// The item or key at `at` goes. A sequence that is left empty becomes `[]`, a mapping `{}`.
    Remove { at: Route },
    /// The whole node at `at` becomes `value`.
    Replace { at: Route, value: Meaning },
    /// The text in the literal block scalar at `at` is edited; `edits` are in its decoded text.
    Rewrite { at: Route, edits: Vec<TextEdit> },
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotEdit {
    pub span: Span,
    pub reason: &'static str,
}

/// Applies `changes` one after the other to the document at `range` of `text`, proves the result, and returns the edits of `text`.
pub fn edit(text: &str, range: &Span, changes: &[Change]) -> Result<Vec<TextEdit>, CannotEdit> {
    unimplemented!()
}
