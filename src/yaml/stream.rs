//! The documents of a text.

use super::lines::{is_document_end, line_end, line_start, next_line};
use super::{Document, Problem};
use crate::text::Span;
use memchr::memmem;

/// The documents of one text, in order.
#[derive(Debug, Default)]
pub struct Stream<'t> {
    /// Every document, those without content included; their ranges tile the text.
    pub documents: Vec<Document<'t>>,
}

impl<'t> Stream<'t> {
    /// Parses every document, or says everything that is wrong with any of them.
    ///
    /// A document with a syntax error gives that one error and what was found before it; the
    /// documents after it are still read.
    pub fn parse(text: &'t str) -> Result<Self, Vec<Problem>> {
        let (mut documents, mut problems) = (Vec::new(), Vec::new());
        for range in Self::split(text) {
            match Document::parse(text, range) {
                Ok(document) => documents.push(document),
                Err(mut found) => problems.append(&mut found),
            }
        }
        if problems.is_empty() {
            Ok(Self { documents })
        } else {
            Err(problems)
        }
    }

    /// Where the documents of `text` are, without parsing them.
    ///
    /// The spans tile the text. A document starts right after the one before it: its directives,
    /// comments and `---` line are its own; a `...` line belongs to the document that it ends.
    /// `---` at the start of a line ends a document even inside a scalar, so this is exact. An
    /// empty text has no document, a text of comments alone has one.
    pub fn split(text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut start = 0;
        // Has the document at `start` begun, or is all up to `seen` directives and comments?
        let (mut begun, mut seen) = (false, 0);
        for (at, marker) in markers(text) {
            if !is_at_line_start(text, at, begun) {
                continue;
            }
            let silent = !begun && is_prefix(&text[seen..at], true);
            match marker {
                Marker::Start if silent => begun = true,
                Marker::Start => {
                    spans.push(start..at);
                    (start, begun) = (at, true);
                }
                Marker::End if silent => seen = next_line(text, at),
                Marker::End => {
                    let end = next_line(text, at);
                    spans.push(start..end);
                    (start, begun, seen) = (end, false, end);
                }
            }
        }
        match spans.last_mut() {
            Some(last) if !begun && is_prefix(&text[seen..], false) => last.end = text.len(),
            _ if start < text.len() => spans.push(start..text.len()),
            _ => {}
        }
        spans
    }
}

#[derive(Clone, Copy)]
enum Marker {
    Start,
    End,
}

/// Every `---` and `...` that a blank or a line's end follows, in order.
fn markers(text: &str) -> impl Iterator<Item = (usize, Marker)> {
    let found = |needle: &'static str| {
        memmem::find_iter(text.as_bytes(), needle).filter(|at| {
            matches!(
                text.as_bytes().get(at + 3),
                None | Some(b' ' | b'\t' | b'\n' | b'\r')
            )
        })
    };
    let mut starts = found("---").peekable();
    let mut ends = found("...").peekable();
    std::iter::from_fn(move || match (starts.peek(), ends.peek()) {
        (Some(start), Some(end)) if end < start => ends.next().map(|at| (at, Marker::End)),
        (Some(_), _) => starts.next().map(|at| (at, Marker::Start)),
        (None, _) => ends.next().map(|at| (at, Marker::End)),
    })
}

/// A byte order mark may stand before a marker, though not inside a document.
fn is_at_line_start(text: &str, at: usize, begun: bool) -> bool {
    let before = &text[..at];
    let before = match before.strip_suffix('\u{feff}') {
        Some(before) if !begun => before,
        _ => before,
    };
    before.is_empty() || before.ends_with(['\n', '\r'])
}

/// Are these lines only what may stand before a document?
fn is_prefix(text: &str, directives: bool) -> bool {
    let mut at = 0;
    while at < text.len() {
        let line = &text[line_start(text, at)..line_end(text, at)];
        let line = line.trim_start_matches('\u{feff}');
        let content = line.trim_start_matches([' ', '\t']);
        let is_silent = content.is_empty()
            || content.starts_with('#')
            || (directives && line.starts_with('%'))
            || is_document_end(line);
        if !is_silent {
            return false;
        }
        at = next_line(text, at);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        Stream::split(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn comments_and_directives_belong_to_the_document_after_them() {
        let text =
            "\u{feff}# head\n%YAML 1.2\n---\na: 1\n# tail\n---\nb: 2\n...\n# c\n--- # d\nc: 3\n";

        assert_eq!(
            split(text),
            [
                "\u{feff}# head\n%YAML 1.2\n---\na: 1\n# tail\n",
                "---\nb: 2\n...\n",
                "# c\n--- # d\nc: 3\n"
            ]
        );
    }

    #[test]
    fn a_document_of_comments_alone_is_a_document() {
        let text = "# just this\n---\n# nothing\n---\na: 1\n";
        let stream = Stream::parse(text).unwrap();

        assert_eq!(
            split(text),
            ["# just this\n---\n# nothing\n", "---\na: 1\n"]
        );
        assert!(stream.documents[0].root().is_none());
        assert!(stream.documents[1].root().is_some());
    }

    #[test]
    fn an_empty_text_has_no_document_and_a_comment_has_one() {
        assert!(split("").is_empty());
        assert_eq!(split("# a\n\n"), ["# a\n\n"]);
        assert_eq!(split("---\n---\n"), ["---\n", "---\n"]);
    }

    #[test]
    fn what_follows_the_last_end_marker_stays_with_its_document() {
        assert_eq!(split("a\n...\n...\n# z\n"), ["a\n...\n...\n# z\n"]);
    }

    #[test]
    fn only_a_marker_with_a_blank_behind_it_at_the_line_start_splits() {
        assert_eq!(split("a: |\n ---\n ...\nb: ---x\n---y\n....\n").len(), 1);
        assert_eq!(
            split("a\r---\rb\r\n---\tc\r\n"),
            ["a\r", "---\rb\r\n", "---\tc\r\n"]
        );
    }

    #[test]
    fn a_marker_ends_a_document_even_inside_a_quoted_string() {
        let problems = Stream::parse("a: 'x\n---\nb: 1\nb: 2\n").unwrap_err();

        assert_eq!(problems.len(), 2);
        assert_eq!(problems[0].message, "a quote that is never closed");
        assert_eq!(problems[1].duplicate_of, Some(10..11));
    }

    #[test]
    fn an_anchor_does_not_reach_the_next_document() {
        let problems = Stream::parse("a: &x 1\n---\nb: *x\nc: *y\n").unwrap_err();

        let spans: Vec<Span> = problems.into_iter().map(|problem| problem.span).collect();
        assert_eq!(spans, [15..17, 21..23]);
    }

    proptest! {
        #[test]
        fn documents_tile_the_text(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "---", "...", "\n", "\r\n", "\r", " ", "# c", "a: b", "%YAML 1.2", "\u{feff}", "- x", "'", "|",
                ]),
                0..24,
            ),
        ) {
            let text = parts.concat();
            let mut at = 0;
            for range in Stream::split(&text) {
                prop_assert_eq!(range.start, at);
                prop_assert!(range.end > at);
                at = range.end;
            }
            prop_assert_eq!(at, text.len());
            if let Ok(stream) = Stream::parse(&text) {
                prop_assert_eq!(stream.documents.len(), Stream::split(&text).len());
            }
        }
    }
}
