//! STUB of signatures; the yaml helper replaces this file.
#![allow(
    missing_docs,
    unused_variables,
    dead_code,
    clippy::all,
    clippy::pedantic
)]
use super::{Meaning, Reading, Route};
use crate::text::Span;

#[derive(Default)]
pub struct Stream<'t> {
    pub documents: Vec<Document<'t>>,
}
pub struct Document<'t> {
    text: &'t str,
}
#[derive(Clone, Copy)]
pub struct Node<'d> {
    doc: &'d Document<'d>,
    id: usize,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Scalar,
    Mapping,
    Sequence,
    Alias,
}
/// what: Syntax, DuplicateKey, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub span: Span,
    pub message: String,
    pub duplicate_of: Option<Span>,
}

impl<'t> Stream<'t> {
    /// Every problem of every document at once (syntax error per document, duplicate keys, unknown aliases, nesting).
    pub fn parse(text: &'t str) -> Result<Self, Vec<Problem>> {
        unimplemented!()
    }
}
impl<'t> Document<'t> {
    pub fn range(&self) -> Span {
        unimplemented!()
    }
    pub fn root(&self) -> Option<Node<'_>> {
        unimplemented!()
    }
    pub fn at(&self, route: &Route) -> Option<Node<'_>> {
        unimplemented!()
    }
}
impl<'d> Node<'d> {
    pub fn kind(self) -> NodeKind {
        unimplemented!()
    }
    /// Content bytes, without anchor and tag.
    pub fn span(self) -> Span {
        unimplemented!()
    }
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        unimplemented!()
    }
    pub fn key(self, key: &str) -> Option<Node<'d>> {
        unimplemented!()
    }
    pub fn entries(self) -> std::vec::IntoIter<(Node<'d>, Node<'d>)> {
        unimplemented!()
    }
    pub fn items(self) -> std::vec::IntoIter<Node<'d>> {
        unimplemented!()
    }
    /// Decoded text of a scalar, whatever its type.
    pub fn text(self) -> Option<&'d str> {
        unimplemented!()
    }
    /// Text of a scalar that the reading takes for a string.
    pub fn string(self, reading: Reading) -> Option<&'d str> {
        unimplemented!()
    }
    pub fn is_null(self) -> bool {
        unimplemented!()
    }
    /// Is it a mapping with a `<<` key?
    pub fn has_merge_key(self) -> bool {
        unimplemented!()
    }
    pub fn is_alias(self) -> bool {
        unimplemented!()
    }
    /// The aliased node, or the node itself.
    pub fn resolved(self) -> Node<'d> {
        unimplemented!()
    }
    /// Is this node, or anything in it, an alias, anchored, or a `<<` merge?
    pub fn is_shared(self) -> bool {
        unimplemented!()
    }
    /// Is it a literal block scalar (`|`)?
    pub fn is_literal(self) -> bool {
        unimplemented!()
    }
    /// Where byte `offset` of the decoded text of a literal block scalar is in the file.
    pub fn outer_offset(self, offset: usize) -> Option<usize> {
        unimplemented!()
    }
    pub fn meaning(self, reading: Reading) -> Result<Meaning, Problem> {
        unimplemented!()
    }
}
