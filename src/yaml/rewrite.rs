//! The text in a literal block scalar is edited where it stands.

use super::block_scalar::{Chomping, Layout};
use super::lines::{line_end, next_line};
use super::place::{CannotEdit, Holder, Place};
use super::quote;
use super::style::style_of;
use crate::text::{self, TextEdit};
use zeroize::Zeroizing;

/// Makes `edits`, which are in the decoded text, in the literal block scalar at `place`.
pub(super) fn rewrite(place: &Place<'_>, edits: &[TextEdit]) -> Result<Vec<TextEdit>, CannotEdit> {
    place.refuse_unless_own()?;
    let node = place.node;
    if !node.is_literal() {
        return Err(CannotEdit::at(
            node,
            "text that is not a literal block (`|`)",
        ));
    }
    let block = Block::new(place)?;
    let new = text::apply(block.decoded, edits)
        .map_err(|_| CannotEdit::at(node, "edits of the text that overlap or leave it"))?;
    block.refuse_unfit(place, &new)?;
    let edits = coalesced(edits);
    Ok(edits.iter().map(|edit| block.outer(edit)).collect())
}

/// A literal block and how its text is laid out.
struct Block<'d> {
    text: &'d str,
    decoded: &'d str,
    layout: Layout<'d>,
    /// How many spaces a line of content starts with.
    indent: usize,
    ending: &'static str,
}

impl<'d> Block<'d> {
    fn new(place: &Place<'d>) -> Result<Self, CannotEdit> {
        let layout = place.node.layout();
        let style = style_of(place.node.document());
        let (parent, step) = match place.holder {
            Holder::Document => (0, style.step),
            Holder::Mapping { mapping, .. } => (place.column(mapping.span().start)?, style.step),
            Holder::Sequence { .. } => (place.column(place.after_sign()? - 1)?, 2),
        };
        let indent = layout
            .indent
            .unwrap_or(parent + layout.indicator.unwrap_or(step));
        Ok(Self {
            text: place.text,
            decoded: place.node.text().unwrap_or_default(),
            layout,
            indent,
            ending: style.ending,
        })
    }

    /// Refuses a text that this block cannot hold under its header.
    fn refuse_unfit(&self, place: &Place<'_>, new: &str) -> Result<(), CannotEdit> {
        let refuse = |reason| Err(CannotEdit::at(place.node, reason));
        // A block that the file ends in without a line ending has none, whatever its header says.
        let is_open = line_end(self.text, place.node.span().end) == self.text.len();
        let chomping = if is_open {
            Chomping::Strip
        } else {
            self.layout.chomping
        };
        if !quote::is_printable_text(new) {
            return refuse("text that a literal block cannot hold");
        }
        let is_ended = new.ends_with('\n');
        let fits = match chomping {
            Chomping::Strip => !is_ended,
            Chomping::Clip => new.is_empty() || (is_ended && new != "\n" && !new.ends_with("\n\n")),
            Chomping::Keep => new.is_empty() || is_ended,
        };
        if !fits {
            return refuse("the text would end in line endings that its header does not say");
        }
        if self.layout.indicator.is_none() && new.trim_start_matches('\n').starts_with([' ', '\t'])
        {
            return refuse("the text would start with a blank, which would count as indentation");
        }
        Ok(())
    }

    /// An edit of the decoded text as one of the file.
    fn outer(&self, edit: &TextEdit) -> TextEdit {
        let (start, end) = (edit.span.start, edit.span.end);
        let takes_lines = edit.new_text.is_empty() || edit.new_text.ends_with('\n');
        if takes_lines && self.is_line_start(start) && self.is_line_start(end) {
            let mut lines = Zeroizing::new(String::new());
            for line in edit.new_text.split_inclusive('\n') {
                let content = line.trim_end_matches('\n');
                self.push_line(content, !content.is_empty(), &mut lines);
                lines.push_str(self.ending);
            }
            return TextEdit::new(self.line_at(start)..self.line_at(end), &**lines);
        }
        let at = |offset| self.layout.outer_offset(offset).unwrap_or(self.text.len());
        let has_rest = !matches!(self.decoded.as_bytes().get(end), None | Some(b'\n'));
        let span = at(start)..at(end);
        let mut new = Zeroizing::new(String::new());
        let pieces = edit.new_text.split('\n').count();
        for (count, piece) in edit.new_text.split('\n').enumerate() {
            let has_content = !piece.is_empty() || (count + 1 == pieces && has_rest);
            if count > 0 {
                new.push_str(self.ending);
                self.push_line(piece, has_content, &mut new);
            } else {
                // A blank line may be shorter than the indentation that its content needs.
                let missing = if has_content && self.is_line_start(start) {
                    self.missing_at(start)
                } else {
                    0
                };
                new.extend(std::iter::repeat_n(' ', missing));
                new.push_str(piece);
            }
        }
        TextEdit::new(span, &**new)
    }

    fn push_line(&self, content: &str, indented: bool, out: &mut String) {
        out.extend(std::iter::repeat_n(
            ' ',
            if indented { self.indent } else { 0 },
        ));
        out.push_str(content);
    }

    fn is_line_start(&self, offset: usize) -> bool {
        offset == 0 || self.decoded.as_bytes()[offset - 1] == b'\n'
    }

    /// Where the line of the file starts whose content starts at `offset` of the decoded text.
    fn line_at(&self, offset: usize) -> usize {
        let before = self.decoded[..offset].matches('\n').count();
        let mut at = self.layout.first_line;
        for _ in 0..before {
            at = next_line(self.text, at);
        }
        at
    }

    /// How many spaces of indentation the line at `offset` lacks.
    fn missing_at(&self, offset: usize) -> usize {
        let present = self
            .layout
            .outer_offset(offset)
            .unwrap_or(0)
            .saturating_sub(self.line_at(offset));
        self.indent.saturating_sub(present)
    }
}

/// The edits in order, those that touch as one.
fn coalesced(edits: &[TextEdit]) -> Vec<TextEdit> {
    let mut order: Vec<&TextEdit> = edits.iter().collect();
    order.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out: Vec<TextEdit> = Vec::with_capacity(order.len());
    for edit in order {
        match out.last_mut() {
            Some(last) if last.span.end == edit.span.start => {
                last.span.end = edit.span.end;
                last.new_text.push_str(&edit.new_text);
            }
            _ => out.push(edit.clone()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::yaml::edit::trial::*;

    /// Edits of `a`, whose decoded text is "one\n\ntwo\n" where it is not stripped.
    fn cases(edits: &[(std::ops::Range<usize>, &str)], expected: &[(&str, &str)]) {
        check(&rewrite("a", edits), expected);
    }

    #[test]
    fn words_and_lines_change_where_they_stand() {
        let text = "a: | # c\n  one\n\n  two\n# d\nb: 1\n";

        cases(
            &[(0..3, "1")],
            &[(text, "a: | # c\n  1\n\n  two\n# d\nb: 1\n")],
        );
        cases(
            &[(3..3, " x\ny")],
            &[(text, "a: | # c\n  one x\n  y\n\n  two\n# d\nb: 1\n")],
        );
        cases(&[(0..5, "")], &[(text, "a: | # c\n  two\n# d\nb: 1\n")]);
        cases(
            &[(9..9, "x\n\ny\n")],
            &[(text, "a: | # c\n  one\n\n  two\n  x\n\n  y\n# d\nb: 1\n")],
        );
        cases(
            &[(4..4, "x")],
            &[(text, "a: | # c\n  one\n  x\n  two\n# d\nb: 1\n")],
        );
        cases(
            &[(4..5, "")],
            &[(text, "a: | # c\n  one\n  two\n# d\nb: 1\n")],
        );
        cases(
            &[(5..9, "x\n"), (0..0, "y\n")],
            &[(text, "a: | # c\n  y\n  one\n\n  x\n# d\nb: 1\n")],
        );
        cases(
            &[(0..1, "O"), (1..1, "-"), (1..3, "NE")],
            &[(text, "a: | # c\n  O-NE\n\n  two\n# d\nb: 1\n")],
        );
        cases(&[(0..9, "")], &[(text, "a: | # c\n# d\nb: 1\n")]);
    }

    #[test]
    fn every_header_keeps_its_meaning() {
        cases(
            &[(8..8, "\nx")],
            &[
                ("a: |-\n  one\n\n  two\n", "a: |-\n  one\n\n  two\n  x\n"),
                ("a: |-\n  one\n\n  two", "a: |-\n  one\n\n  two\n  x"),
            ],
        );
        cases(
            &[(9..10, "x\n\n")],
            &[(
                "a: |+\n  one\n\n  two\n\nb: 1\n",
                "a: |+\n  one\n\n  two\n  x\n\nb: 1\n",
            )],
        );
        cases(
            &[(0..0, "  x\n")],
            &[(
                "a: |3\n   one\n\n   two\n",
                "a: |3\n     x\n   one\n\n   two\n",
            )],
        );
        cases(
            &[(0..0, "x\n")],
            &[(
                "a: |\r\n    one\r\n\r\n    two\r\n",
                "a: |\r\n    x\r\n    one\r\n\r\n    two\r\n",
            )],
        );
    }

    #[test]
    fn an_empty_block_takes_its_first_lines() {
        cases(
            &[(0..0, "x\n\ny\n")],
            &[
                (
                    "a: |\nb:\n    c: 1\n",
                    "a: |\n    x\n\n    y\nb:\n    c: 1\n",
                ),
                ("a: |1\n\nb: 1\n", "a: |1\n x\n\n y\n\nb: 1\n"),
            ],
        );
        check(
            &rewrite("0", &[(0..0, "x\n")]),
            &[("- |\n- z\n", "- |\n  x\n- z\n")],
        );
    }

    #[test]
    fn what_the_block_cannot_hold_is_refused() {
        for (text, edit, reason) in [
            (
                "a: >\n  x\n",
                (0..0, "y\n"),
                "text that is not a literal block (`|`)",
            ),
            (
                "a: 'x'\n",
                (0..0, "y\n"),
                "text that is not a literal block (`|`)",
            ),
            (
                "a: |\n  x",
                (1..1, "\n"),
                "the text would end in line endings that its header does not say",
            ),
            (
                "a: |\n  x\n",
                (0..0, " y\n"),
                "the text would start with a blank, which would count as indentation",
            ),
            (
                "a: |\n  x\n",
                (1..2, ""),
                "the text would end in line endings that its header does not say",
            ),
            (
                "a: |-\n  x\n",
                (1..1, "\n"),
                "the text would end in line endings that its header does not say",
            ),
            (
                "a: |\n  x\n",
                (0..0, "y\r\n"),
                "text that a literal block cannot hold",
            ),
            (
                "a: |\n  x\n",
                (0..9, ""),
                "edits of the text that overlap or leave it",
            ),
            (
                "a: &x |\n  x\n",
                (0..0, "y\n"),
                "an anchor: the value stands elsewhere, too",
            ),
        ] {
            assert_eq!(
                edited(text, &[rewrite("a", &[edit])]),
                Err(reason),
                "{text:?}"
            );
        }
    }
}
