//! Comments that an edit takes with it.

use crate::text::{Span, TextEdit};
use crate::yaml::{Document, Node, NodeKind, Stream};

/// Where the comments are that are in `text` and no longer in it after `edits`, in order.
pub(super) fn lost(text: &str, stream: &Stream<'_>, edits: &[TextEdit]) -> Vec<Span> {
    let mut scalars = Vec::new();
    for root in stream.documents.iter().filter_map(Document::root) {
        collect(root, &mut scalars);
    }
    scalars.sort_by_key(|span: &Span| span.start);
    let mut found = Vec::new();
    for edit in edits {
        let mut stays = edit.new_text.to_string();
        for comment in comments(text, &edit.span, &scalars) {
            // An edit of several places rewrites what is between them: a comment there comes again.
            match stays.find(&text[comment.clone()]) {
                Some(at) => stays.replace_range(at..at + comment.len(), ""),
                None => found.push(comment),
            }
        }
    }
    found.sort_by_key(|span| span.start);
    found
}

fn collect(node: Node<'_>, scalars: &mut Vec<Span>) {
    if node.kind() == NodeKind::Scalar {
        scalars.push(node.span());
    }
    for (key, value) in node.entries() {
        collect(key, scalars);
        collect(value, scalars);
    }
    node.items().for_each(|item| collect(item, scalars));
}

/// The comments that begin in `range`, each to the end of its line.
fn comments(text: &str, range: &Span, scalars: &[Span]) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for (offset, _) in text[range.clone()].match_indices('#') {
        let at = range.start + offset;
        let follows_blank = text[..at]
            .chars()
            .next_back()
            .is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
        let before = scalars.partition_point(|span| span.start <= at);
        let in_scalar = scalars[..before]
            .last()
            .is_some_and(|span| span.contains(&at));
        let in_comment = found.last().is_some_and(|span| span.contains(&at));
        if follows_blank && !in_scalar && !in_comment {
            let line = text[at..].split(['\n', '\r']).next().unwrap_or_default();
            found.push(at..at + line.trim_end().len());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost_of(text: &str, edits: &[TextEdit]) -> Vec<String> {
        let stream = Stream::parse(text).unwrap();
        let spans = lost(text, &stream, edits);
        spans.into_iter().map(|it| text[it].to_string()).collect()
    }

    #[test]
    fn a_hash_in_text_is_no_comment() {
        let text = "a: 'x # y' # one\nb: c#d\ne: |\n  # f\n# two # still two\r\ng: h\n";
        let edits = [TextEdit::new(0..text.len(), "")];

        assert_eq!(lost_of(text, &edits), ["# one", "# two # still two"]);
    }

    #[test]
    fn a_comment_that_comes_again_is_not_lost() {
        let text = "a: 1 # same\nb: 2 # same\n# other\n";
        let edits = [TextEdit::new(0..text.len(), "b: 2 # same\n")];

        assert_eq!(lost_of(text, &edits), ["# same", "# other"]);
    }
}
