//! One document and its nodes.

use super::arena::{self, Shape, Slot, Tag};
use super::block_scalar::Layout;
use super::meaning::{self, Expansion};
use super::scalar::Scalar;
use super::{Meaning, Reading, Route, Step};
use crate::text::Span;

/// One document of a text.
pub struct Document<'t> {
    text: &'t str,
    range: Span,
    slots: Vec<Slot<'t>>,
}

/// What is wrong at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes meant.
    pub span: Span,
    /// What is wrong, in one sentence that quotes nothing of the file.
    pub message: String,
    /// For a duplicate key, the key that was there first.
    pub duplicate_of: Option<Span>,
}

impl Problem {
    pub(super) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            duplicate_of: None,
        }
    }
}

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

impl<'t> Document<'t> {
    /// Parses the document at `range` of `text`, one of [`Stream::split`](super::Stream::split).
    ///
    /// Gives everything that is wrong with it: at most one syntax error, every duplicate key, every
    /// undefined alias.
    pub fn parse(text: &'t str, range: Span) -> Result<Self, Vec<Problem>> {
        let slots = arena::build(text, &range)?;
        Ok(Self { text, range, slots })
    }

    /// The bytes of the document: from the end of the one before it to its own end.
    pub fn range(&self) -> Span {
        self.range.clone()
    }

    /// The text that all spans are in, the other documents' included.
    pub(super) fn whole_text(&self) -> &'t str {
        self.text
    }

    pub(super) fn slots(&self) -> &[Slot<'t>] {
        &self.slots
    }

    /// The top node; `None` where the document has no content, which reads as null.
    pub fn root(&self) -> Option<Node<'_>> {
        let root = self.slots.first()?;
        let is_absent =
            root.shape == Shape::Plain && root.start == root.end && root.outer == root.start;
        (!is_absent).then_some(Node { doc: self, id: 0 })
    }

    /// The node at `route`; aliases and merge keys are not followed.
    pub fn at(&self, route: &Route) -> Option<Node<'_>> {
        route.0.iter().try_fold(self.root()?, Node::step)
    }
}

/// The text may be long, and hydrated text holds secrets.
impl std::fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Document({:?}, {} nodes)", self.range, self.slots.len())
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({:?} at {:?})", self.kind(), self.span())
    }
}

impl<'d> Node<'d> {
    pub(super) fn slot(self) -> &'d Slot<'d> {
        &self.doc.slots[self.id]
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
                at = self.doc.slots[id].skip as usize;
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
        let inside = &self.doc.slots[self.id..self.slot().skip as usize];
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
        Layout::new(
            self.doc.text,
            slot.start as usize,
            self.doc.range.end,
            &slot.text,
        )
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

    fn parse(text: &str) -> Document<'_> {
        Document::parse(text, 0..text.len()).unwrap()
    }

    fn route(keys: &str) -> Route {
        let steps = keys.split('/').filter(|step| !step.is_empty());
        Route(
            steps
                .map(|step| match step.parse() {
                    Ok(index) => Step::Index(index),
                    Err(_) => Step::Key(step.to_string()),
                })
                .collect(),
        )
    }

    fn slice<'t>(text: &'t str, keys: &str) -> &'t str {
        &text[parse(text).at(&route(keys)).unwrap().span()]
    }

    fn problems(text: &str) -> Vec<(Span, String)> {
        let found = Document::parse(text, 0..text.len()).unwrap_err();
        found
            .into_iter()
            .map(|problem| (problem.span, problem.message))
            .collect()
    }

    #[test]
    fn a_collection_ends_with_its_last_token_not_with_the_next_one() {
        let text = "a:\n- x\n- y # c\n# d\n\nb:\n  c: d\n\n";

        assert_eq!(slice(text, "a"), "- x\n- y");
        assert_eq!(slice(text, "b"), "c: d");
    }

    #[test]
    fn a_block_scalar_runs_from_its_header_to_its_last_line() {
        let text = "a: |- # h\n  x\n\n  y\n\n# c\nb: >+\n  z\n\nc: |\nd: |";

        assert_eq!(slice(text, "a"), "|- # h\n  x\n\n  y");
        assert_eq!(slice(text, "b"), ">+\n  z\n");
        assert_eq!(slice(text, "c"), "|");
        assert_eq!(slice(text, "d"), "|");
    }

    #[test]
    fn an_absent_value_is_right_behind_its_sign_anchor_or_tag() {
        let text = "a: # c\nb: &x\nc: !!str\nd:\n- # e\n- f: {g: , h}\n";
        let document = parse(text);
        let at = |keys| document.at(&route(keys)).unwrap().span();

        assert_eq!(at("a"), 2..2);
        assert_eq!(at("b"), 12..12);
        assert_eq!(at("c"), 21..21);
        assert_eq!(at("d/0"), 26..26);
        assert_eq!(slice(text, "d/1/f/g"), "");
        assert!(document.at(&route("d/1/f/h")).unwrap().is_null());
    }

    #[test]
    fn content_starts_behind_anchor_and_tag() {
        let text = "a: &x !!str v\nb: !t &y\n  - 1\nc: &z {d: e}\n";

        assert_eq!(slice(text, "a"), "v");
        assert_eq!(slice(text, "b"), "- 1");
        assert_eq!(slice(text, "c"), "{d: e}");
    }

    #[test]
    fn non_ascii_text_and_crlf_do_not_shift_the_bytes() {
        let text = "\u{feff}# größe\r\ngröße: [ä, 'ö']\r\nb: |\r\n  ü\r\nc: d\r\n";

        assert_eq!(slice(text, "größe/1"), "'ö'");
        assert_eq!(slice(text, "b"), "|\r\n  ü");
        assert_eq!(slice(text, "c"), "d");
    }

    #[test]
    fn every_duplicate_key_is_reported_against_the_first_by_its_decoded_text() {
        let text = "a: 1\n'a': 2\nb: {c: 1, \"\\x63\": 2}\n\"a\": 3\n";
        let found = Document::parse(text, 0..text.len()).unwrap_err();

        let places: Vec<_> = found
            .into_iter()
            .map(|found| (found.span, found.duplicate_of))
            .collect();
        assert_eq!(
            places,
            [
                (5..8, Some(0..1)),
                (22..28, Some(16..17)),
                (33..36, Some(0..1))
            ]
        );
    }

    #[test]
    fn duplicates_are_found_in_a_large_mapping_too() {
        let keys = (0..40).map(|key| format!("k{}: x\n", (key * 7) % 39));
        let keys = keys.collect::<Vec<_>>().concat();

        assert_eq!(problems(&keys).len(), 1);
    }

    #[test]
    fn nesting_has_a_limit_in_flow_and_block() {
        let block = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth)));
        let block = block.collect::<Vec<_>>().concat();

        assert_eq!(problems(&"[".repeat(80))[0].1, "nested too deeply");
        assert_eq!(problems(&block)[0].1, "nested too deeply");
    }

    #[test]
    fn a_message_quotes_nothing_of_the_file() {
        for text in [
            "a: \"S3NTINEL",
            "a: @S3NTINEL",
            "a: [S3NTINEL",
            "S3NTINEL: 1\nS3NTINEL: 2",
            "a: *S3NTINEL",
        ] {
            assert!(
                problems(text)
                    .iter()
                    .all(|(_, message)| !message.contains("S3N"))
            );
        }
    }

    #[test]
    fn an_anchor_that_contains_its_alias_is_refused() {
        assert_eq!(problems("a: &x [*x]")[0].0, 7..9);
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
