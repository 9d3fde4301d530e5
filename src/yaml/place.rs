//! Where a change takes place, and what forbids it there.

use super::arena::{NOWHERE, Shape, Tag};
use super::block_scalar::{Chomping, Layout};
use super::lines::{is_rest_empty, line_end};
use super::node::is_merge_key;
use super::style::column_of;
use super::{Node, Route, Step};
use crate::text::Span;

/// Why an edit was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotEdit {
    /// The bytes of the committed text that stand in the way.
    pub span: Span,
    /// What stands in the way; quotes nothing of the file.
    pub reason: &'static str,
}

impl CannotEdit {
    pub(super) fn at(node: Node<'_>, reason: &'static str) -> Self {
        Self {
            span: node.span(),
            reason,
        }
    }
}

/// A node and what holds it.
#[derive(Clone)]
pub(super) struct Place<'d> {
    pub(super) text: &'d str,
    pub(super) node: Node<'d>,
    pub(super) holder: Holder<'d>,
    /// The outermost flow collection around the node; `None` where it stands in block style.
    pub(super) flow: Option<Node<'d>>,
}

/// What holds a node.
#[derive(Clone, Copy)]
pub(super) enum Holder<'d> {
    /// It is the top of its document.
    Document,
    /// It is the value of `key`.
    Mapping { mapping: Node<'d>, key: Node<'d> },
    /// It is an item.
    Sequence { index: usize },
}

impl<'d> Place<'d> {
    /// The place at `route`, which must lead through nothing that is shared.
    pub(super) fn find(root: Node<'d>, route: &Route) -> Result<Self, CannotEdit> {
        let text = root.document().whole_text();
        let mut place = Self {
            text,
            node: root,
            holder: Holder::Document,
            flow: None,
        };
        for step in &route.0 {
            place.refuse_shared()?;
            place = place.step(step)?;
        }
        place.refuse_shared()?;
        Ok(place)
    }

    fn step(&self, step: &Step) -> Result<Self, CannotEdit> {
        let container = self.node;
        let missing = || {
            refuse_merge(container)
                .err()
                .unwrap_or_else(|| CannotEdit::at(container, "nothing is there"))
        };
        let flow = self
            .flow
            .or_else(|| container.slot().shape.is_flow().then_some(container));
        let (node, holder) = match step {
            Step::Key(name) => {
                let key = container.key(name).ok_or_else(missing)?;
                let node = container.get(name).ok_or_else(missing)?;
                (
                    node,
                    Holder::Mapping {
                        mapping: container,
                        key,
                    },
                )
            }
            Step::Index(index) => {
                let node = container.items().nth(*index).ok_or_else(missing)?;
                (node, Holder::Sequence { index: *index })
            }
        };
        Ok(Self {
            text: self.text,
            node,
            holder,
            flow,
        })
    }

    fn refuse_shared(&self) -> Result<(), CannotEdit> {
        if self.node.is_alias() {
            return Err(CannotEdit::at(
                self.node,
                "an alias: the value stands elsewhere, too",
            ));
        }
        if self.node.slot().anchored {
            return Err(CannotEdit::at(
                self.node,
                "an anchor: the value stands elsewhere, too",
            ));
        }
        Ok(())
    }

    /// Refuses a value that must stay whole: one with a tag, or with anything shared in it.
    pub(super) fn refuse_unless_own(&self) -> Result<(), CannotEdit> {
        self.refuse_tag()?;
        if self.node.is_shared() {
            return Err(CannotEdit::at(
                self.node,
                "an anchor, alias or merge key inside the value",
            ));
        }
        match self.holder {
            Holder::Mapping { mapping, key } => {
                if key.is_shared() {
                    return Err(CannotEdit::at(key, "an anchor or alias at the key"));
                }
                refuse_merge(mapping)
            }
            _ => Ok(()),
        }
    }

    /// Refuses a container that cannot take one more.
    pub(super) fn refuse_unless_open(&self) -> Result<(), CannotEdit> {
        self.refuse_tag()?;
        refuse_merge(self.node)
    }

    fn refuse_tag(&self) -> Result<(), CannotEdit> {
        if self.node.slot().tag == Tag::None {
            Ok(())
        } else {
            Err(CannotEdit::at(
                self.node,
                "a tag, which says how to read the value",
            ))
        }
    }

    /// Does something hold it, or is it the top of its document?
    pub(super) fn is_held(&self) -> bool {
        !matches!(self.holder, Holder::Document)
    }

    /// The column of the collection that holds the node.
    pub(super) fn column(&self, at: usize) -> Result<usize, CannotEdit> {
        column_of(self.text, at)
            .ok_or_else(|| CannotEdit::at(self.node, "a tab before it on its line"))
    }

    /// Where the dash or colon before the node ends.
    pub(super) fn after_sign(&self) -> Result<usize, CannotEdit> {
        match self.node.slot().lead {
            NOWHERE => Err(CannotEdit::at(self.node, "a key without a colon")),
            lead => Ok(lead as usize + 1),
        }
    }

    /// Where the line ends that the node ends on, if only a comment may follow there.
    pub(super) fn last_line_end(&self) -> Result<usize, CannotEdit> {
        let end = self.node.span().end;
        if is_rest_empty(self.text, end) {
            Ok(line_end(self.text, end))
        } else {
            Err(CannotEdit::at(
                self.node,
                "something follows on its last line",
            ))
        }
    }

    /// The block scalar that ends the text without a line ending, where the node ends in one whose value
    /// a line ending would change.
    pub(super) fn open_end(&self) -> Option<Layout<'d>> {
        let last = self.node.last();
        let is_block = matches!(last.slot().shape, Shape::Literal | Shape::Folded);
        if !is_block || line_end(self.text, last.span().end) < self.text.len() {
            return None;
        }
        let layout = last.layout();
        let is_changed = layout.chomping != Chomping::Strip && !layout.lines().is_empty();
        is_changed.then_some(layout)
    }
}

fn refuse_merge(mapping: Node<'_>) -> Result<(), CannotEdit> {
    match mapping.entries().find(|(key, _)| is_merge_key(key.slot())) {
        Some((key, _)) => Err(CannotEdit::at(
            key,
            "a merge key: what is here may come from elsewhere",
        )),
        None => Ok(()),
    }
}
