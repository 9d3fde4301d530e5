//! Lossless YAML: streams, nodes that know their bytes, routes, and the few edits that hydrant makes.
//!
//! This room knows no Kubernetes and no Talos, never expands an alias without a budget, and never
//! re-emits what it did not write: an edit is a few exchanged spans of the committed text.

mod arena;
mod block_scalar;
mod build;
mod change;
mod document;
mod duplicates;
mod edit;
mod emit;
mod insert;
mod lines;
mod meaning;
mod node;
mod place;
mod proof;
mod quote;
mod remove;
mod replace;
mod rewrite;
mod scalar;
mod stream;
mod style;
mod syntax;

pub use change::Change;
pub use document::{Document, Problem};
pub use edit::edit;
pub use node::{Node, NodeKind};
pub use place::CannotEdit;
pub use stream::Stream;

use serde_json::Value;

/// A place in a document, by keys and indices from its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route(pub Vec<Step>);

/// One step of a [`Route`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into a mapping, by the decoded key.
    Key(String),
    /// Into a sequence, counted from 0.
    Index(usize),
}

impl Route {
    /// The root of a document.
    pub fn root() -> Self {
        Self::default()
    }

    /// One step further, into a mapping.
    #[must_use]
    pub fn key(&self, key: impl Into<String>) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// One step further, into a sequence.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    fn step(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }
}

/// Whose reading of plain scalars counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// `sigs.k8s.io/yaml` to JSON (go-yaml v2, YAML 1.1: `yes` is true).
    Kubernetes,
    /// go-yaml v3 (`yes` is a string), as Talos reads its own config.
    Talos,
}

/// What a node means, as JSON; mappings keep their order.
pub type Meaning = Value;

/// A meaning as block YAML with LF line ends and two spaces a level, ending in a line end.
pub fn text_of(meaning: &Meaning) -> zeroize::Zeroizing<String> {
    let style = emit::Style {
        ending: "\n",
        step: 2,
        dash: 2,
        literal: emit::Literal::Any,
    };
    let mut text = emit::block(meaning, 0, &style);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
