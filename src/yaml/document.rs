//! One document and its nodes.

use super::arena::{Shape, Slot};
use super::{Node, Route, build};
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

impl<'t> Document<'t> {
    /// Parses the document at `range` of `text`, one of [`Stream::split`](super::Stream::split).
    ///
    /// Gives everything that is wrong with it: at most one syntax error, every duplicate key, every
    /// undefined alias.
    pub fn parse(text: &'t str, range: Span) -> Result<Self, Vec<Problem>> {
        let slots = build::build(text, &range)?;
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
        (!is_absent).then(|| Node::top(self))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::edit::trial::route;

    fn problems(text: &str) -> Vec<(Span, String)> {
        let found = Document::parse(text, 0..text.len()).unwrap_err();
        found
            .into_iter()
            .map(|problem| (problem.span, problem.message))
            .collect()
    }

    #[test]
    fn nesting_has_a_limit_in_flow_and_block() {
        let block = (0..200).map(|depth| format!("{}a:\n", " ".repeat(depth)));
        let block = block.collect::<Vec<_>>().concat();

        assert_eq!(problems(&"[".repeat(80))[0].1, "nested too deeply");
        assert_eq!(problems(&block)[0].1, "nested too deeply");
    }

    /// budimanjojo/talhelper 653: placeholders make invalid YAML.
    #[test]
    fn a_placeholder_that_is_no_yaml_is_reported_where_it_is() {
        let text = "kind: HarvesterCluster\n${EXTRA:-key:\n  a: b\n}\n";

        let found = problems(text);
        assert_eq!(found.len(), 1);
        assert!(text[..found[0].0.start].lines().count() >= 2);
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

    fn parse(text: &str) -> Document<'_> {
        Document::parse(text, 0..text.len()).unwrap()
    }

    fn slice<'t>(text: &'t str, path: &str) -> &'t str {
        &text[parse(text).at(&route(path)).unwrap().span()]
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
    fn an_anchor_that_contains_its_alias_is_refused() {
        assert_eq!(
            Document::parse("a: &x [*x]", 0..10).unwrap_err()[0].span,
            7..9
        );
    }
}
