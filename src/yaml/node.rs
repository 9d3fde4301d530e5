//! One node: what it is, where it is, what it means.

use super::arena::{Shape, Slot, Tag};
use super::block_scalar::Layout;
use super::meaning::{self, Expansion};
use super::scalar::Scalar;
use super::{Document, Meaning, Problem, Reading, Step};
use crate::text::Span;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A string, number, boolean or null; also an absent value.
    Scalar,
    /// Keys and values.
    Mapping,
    /// Items.
    Sequence,
    /// `*name`, which stands for another node.
    Alias,
}

/// One node of a document.
#[derive(Clone, Copy)]
pub struct Node<'d> {
    doc: &'d Document<'d>,
    id: usize,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({:?} at {:?})", self.kind(), self.span())
    }
}

impl<'d> Node<'d> {
    /// The first node of a document that has one.
    pub(super) fn top(doc: &'d Document<'d>) -> Self {
        Self { doc, id: 0 }
    }

    pub(super) fn slot(self) -> &'d Slot<'d> {
        &self.doc.slots()[self.id]
    }

    pub(super) fn document(self) -> &'d Document<'d> {
        self.doc
    }

    /// Where the last entry or item of a collection starts and ends.
    pub(super) fn last_entry(self) -> Option<(usize, usize)> {
        let entries = self
            .entries()
            .map(|(key, value)| (key, key.span().end.max(value.span().end)));
        let items = self.items().map(|item| (item, item.span().end));
        let (first, end) = entries.chain(items).last()?;
        Some((first.slot().outer as usize, end))
    }

    /// The last node inside it, or the node itself.
    pub(super) fn last(self) -> Node<'d> {
        Node {
            doc: self.doc,
            id: self.slot().skip as usize - 1,
        }
    }

    /// What it is, as written: an alias is an alias.
    pub fn kind(self) -> NodeKind {
        match self.slot().shape {
            Shape::Alias => NodeKind::Alias,
            shape if shape.is_mapping() => NodeKind::Mapping,
            shape if shape.is_sequence() => NodeKind::Sequence,
            _ => NodeKind::Scalar,
        }
    }

    /// The content's bytes, without anchor and tag.
    ///
    /// A block sequence starts at its first dash, a block scalar at its `|` or `>`. All end with the
    /// last real token, before comments and the line ending; an absent value is empty.
    pub fn span(self) -> Span {
        self.slot().start as usize..self.slot().end as usize
    }

    /// The value at `key` of a mapping; aliases and merge keys are not followed.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The key `key` of a mapping, as a node.
    pub fn key(self, key: &str) -> Option<Node<'d>> {
        self.entry(key).map(|(key, _)| key)
    }

    fn entry(self, key: &str) -> Option<(Node<'d>, Node<'d>)> {
        self.entries().find(|(node, _)| node.text() == Some(key))
    }

    /// Keys and values of a mapping, in order; of anything else, none.
    pub fn entries(self) -> impl Iterator<Item = (Node<'d>, Node<'d>)> {
        let mut children = self.children(self.slot().shape.is_mapping());
        std::iter::from_fn(move || children.next().zip(children.next()))
    }

    /// The items of a sequence, in order; of anything else, none.
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        self.children(self.slot().shape.is_sequence())
    }

    fn children(self, wanted: bool) -> impl Iterator<Item = Node<'d>> {
        let end = if wanted { self.slot().skip as usize } else { 0 };
        let mut at = self.id + 1;
        std::iter::from_fn(move || {
            let id = at;
            (id < end).then(|| {
                at = self.doc.slots()[id].skip as usize;
                Node { doc: self.doc, id }
            })
        })
    }

    pub(super) fn step(self, step: &Step) -> Option<Node<'d>> {
        match step {
            Step::Key(key) => self.get(key),
            Step::Index(index) => self.items().nth(*index),
        }
    }

    /// The decoded text of a scalar, whatever it is taken for; an absent value has the text "".
    pub fn text(self) -> Option<&'d str> {
        self.slot().shape.is_scalar().then_some(&*self.slot().text)
    }

    /// The text of a scalar that `reading` takes for a string.
    pub fn string(self, reading: Reading) -> Option<&'d str> {
        let text = self.text()?;
        let scalar = meaning::scalar(self.slot(), reading).ok()?;
        (scalar == Scalar::Str && self.slot().tag != Tag::Binary).then_some(text)
    }

    /// Is it null, in whatever spelling, or absent?
    pub fn is_null(self) -> bool {
        self.slot().shape.is_scalar()
            && meaning::scalar(self.slot(), Reading::Kubernetes) == Ok(Scalar::Null)
    }

    /// Is it `*name`?
    pub fn is_alias(self) -> bool {
        self.slot().shape == Shape::Alias
    }

    /// The node that an alias stands for, or the node itself.
    #[must_use]
    pub fn resolved(self) -> Node<'d> {
        match self.slot().shape {
            Shape::Alias => Node {
                doc: self.doc,
                id: self.slot().link as usize,
            },
            _ => self,
        }
    }

    /// Is this node, or anything in it, an alias, anchored, or a `<<` merge?
    pub fn is_shared(self) -> bool {
        let inside = &self.doc.slots()[self.id..self.slot().skip as usize];
        inside
            .iter()
            .any(|slot| slot.shape == Shape::Alias || slot.anchored || is_merge_key(slot))
    }

    /// Is it a mapping with a `<<` key?
    pub fn has_merge_key(self) -> bool {
        self.entries().any(|(key, _)| is_merge_key(key.slot()))
    }

    /// Is it a literal block scalar (`|`)?
    pub fn is_literal(self) -> bool {
        self.slot().shape == Shape::Literal
    }

    /// Where byte `offset` of the decoded text of a literal block scalar is in the whole text.
    ///
    /// The end of the decoded text is where more of it would be written.
    pub fn outer_offset(self, offset: usize) -> Option<usize> {
        let is_inside = self.is_literal() && offset <= self.slot().text.len();
        is_inside
            .then(|| self.layout().outer_offset(offset))
            .flatten()
    }

    /// How a block scalar is laid out.
    pub(super) fn layout(self) -> Layout<'d> {
        let slot = self.slot();
        let end = self.doc.range().end;
        Layout::new(self.doc.whole_text(), slot.start as usize, end, &slot.text)
    }

    /// What the node means in `reading`, with aliases and merge keys expanded.
    ///
    /// Expansion stops with a problem after 250,000 nodes. Keys that are no strings become strings
    /// as `sigs.k8s.io/yaml` makes them. Of a date, which JSON does not know, the text is given.
    pub fn meaning(self, reading: Reading) -> Result<Meaning, Problem> {
        Expansion::new(self.doc.slots(), reading).value(self.id)
    }
}

/// Is it a plain `<<`? Whether it stands for a key is the caller's knowledge.
pub(super) fn is_merge_key(slot: &Slot<'_>) -> bool {
    slot.shape == Shape::Plain && slot.text == "<<" && slot.tag == Tag::None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::edit::trial::route;

    fn parse(text: &str) -> Document<'_> {
        Document::parse(text, 0..text.len()).unwrap()
    }

    #[test]
    fn get_follows_neither_aliases_nor_merges() {
        let document = parse("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n");
        let root = document.root().unwrap();

        assert!(root.get("c").unwrap().get("b").is_none());
        assert!(root.get("c").unwrap().resolved().get("b").is_some());
        assert!(root.get("d").unwrap().get("b").is_none());
        assert!(root.get("a").unwrap().is_shared() && root.get("d").unwrap().is_shared());
    }

    #[test]
    fn a_plain_merge_sign_as_a_value_shares_nothing() {
        assert!(!parse("a: '<<'\n'<<': b\n").root().unwrap().is_shared());
    }

    #[test]
    fn strings_are_told_by_the_reading() {
        let document = parse("a: yes\nb: 'yes'\nc: 2024-01-01\nd: 1_0\ne: !!str 5\nf: ~\n");
        let string = |key, reading| document.root().unwrap().get(key).unwrap().string(reading);

        assert_eq!(string("a", Reading::Kubernetes), None);
        assert_eq!(string("a", Reading::Talos), Some("yes"));
        assert_eq!(string("b", Reading::Kubernetes), Some("yes"));
        assert_eq!(string("c", Reading::Kubernetes), Some("2024-01-01"));
        assert_eq!(string("c", Reading::Talos), None);
        assert_eq!(string("d", Reading::Talos), None);
        assert_eq!(string("e", Reading::Talos), Some("5"));
        assert_eq!(string("f", Reading::Kubernetes), None);
    }

    #[test]
    fn offsets_of_decoded_text_lead_to_the_file() {
        let text = "a: |2-\r\n    x\r\n\r\n  y\r\nb: c\r\n";
        let document = parse(text);
        let node = document.at(&route("a")).unwrap();

        assert_eq!(node.text(), Some("  x\n\ny"));
        let outer: Vec<_> = (0..7).map(|offset| node.outer_offset(offset)).collect();
        assert_eq!(
            outer,
            [
                Some(10),
                Some(11),
                Some(12),
                Some(13),
                Some(15),
                Some(19),
                Some(20)
            ]
        );
        assert_eq!(node.outer_offset(7), None);
    }
}
