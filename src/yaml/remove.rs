//! A key or an item goes.
//!
//! A comment on a line of its own is never removed with what is below it: whether it speaks of
//! that, of its neighbours or of the whole list cannot be told, and one comment too many is better
//! than one lost. Comments inside the value go with it, and so does one behind its last line.

use super::arena::{NOWHERE, Shape, Slot};
use super::block_scalar::{Chomping, Layout};
use super::lines::{indent_at, line_end, line_start, next_line, skip_gap};
use super::place::{CannotEdit, Holder, Place};
use super::replace::replace;
use super::{Node, Route};
use crate::text::{Span, TextEdit};
use serde_json::json;

/// What is at `place` goes; what holds it is at `holder`, and stays as `[]` or `{}` if left empty.
pub(super) fn remove(place: &Place<'_>, holder: &Place<'_>) -> Result<Vec<TextEdit>, CannotEdit> {
    place.refuse_unless_own()?;
    let container = holder.node;
    holder.refuse_unless_open()?;
    let entries = spans(container);
    let index = match place.holder {
        Holder::Document => return Err(CannotEdit::at(place.node, "the top of a document")),
        Holder::Sequence { index, .. } => index,
        Holder::Mapping { key, .. } => {
            let keys = container.entries().map(|(key, _)| key);
            keys.take_while(|other| other.span() != key.span()).count()
        }
    };
    match container.slot().shape {
        Shape::FlowPair => Err(CannotEdit::at(
            container,
            "a mapping without braces inside a list",
        )),
        shape if entries.len() == 1 && shape.is_flow() => {
            Ok(vec![only_in_brackets(holder, &entries[0])])
        }
        shape if entries.len() == 1 => {
            let empty = if shape.is_mapping() {
                json!({})
            } else {
                json!([])
            };
            replace(holder, &empty)
        }
        shape if shape.is_flow() => from_brackets(place, &entries, index),
        _ => from_lines(place, &entries, index),
    }
}

/// From the dash, `?` or key of each entry to the end of its value.
fn spans(container: Node<'_>) -> Vec<Span> {
    let of = |first: Node<'_>, last: Node<'_>| {
        let slot = first.slot();
        let start = if slot.lead == NOWHERE {
            slot.outer
        } else {
            slot.lead.min(slot.outer)
        };
        start as usize..last.span().end.max(first.span().end)
    };
    let items = container.items().map(|item| of(item, item));
    items
        .chain(container.entries().map(|(key, value)| of(key, value)))
        .collect()
}

fn from_lines(
    place: &Place<'_>,
    entries: &[Span],
    index: usize,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let text = place.text;
    let entry = &entries[index];
    let end = place.last_line_end()?;
    let start = line_start(text, entry.start);
    if text[start..entry.start].bytes().all(|byte| byte == b' ') {
        let lines = start..next_line(text, end);
        let end = below_text(place, entries[..index].last(), &lines)?;
        let is_open = end == text.len() && !text.ends_with(['\n', '\r']);
        if is_open && text_above(place, entries[..index].last()).is_none() {
            // The last line has no line ending; the one that becomes the last has none either.
            let above = &text[..lines.start];
            let above = above.strip_suffix('\n').unwrap_or(above);
            let above = above.strip_suffix('\r').unwrap_or(above);
            return Ok(vec![TextEdit::new(above.len()..end, "")]);
        }
        return Ok(vec![TextEdit::new(lines.start..end, "")]);
    }
    // It shares its line with the dash before it; the next entry takes its place.
    let next = entries
        .get(index + 1)
        .ok_or_else(|| CannotEdit::at(place.node, "something stands before it on its line"))?;
    if !text[end..next.start].trim().is_empty() {
        return Err(CannotEdit::at(
            place.node,
            "a comment stands between it and what would take its place",
        ));
    }
    Ok(vec![TextEdit::new(entry.start..next.start, "")])
}

/// Where to stop so that what follows `lines` does not become part of a block scalar above them:
/// blank lines that a `|+` would keep go, a comment as deep as its text stands in the way.
fn below_text(place: &Place<'_>, before: Option<&Span>, lines: &Span) -> Result<usize, CannotEdit> {
    let text = place.text;
    let above = text_above(place, before);
    let Some(above) = above else {
        return Ok(lines.end);
    };
    let layout = Layout::new(text, above.start as usize, text.len(), &above.text);
    let between = next_line(text, above.end as usize).min(lines.start);
    if !text[between..lines.start].trim().is_empty() {
        return Ok(lines.end);
    }
    let indent = layout.indent.unwrap_or(0);
    let mut at = lines.end;
    let mut is_deep = false;
    while at < text.len() && line_end(text, at) == at + indent_at(text, at) {
        is_deep |= indent_at(text, at) > indent;
        at = next_line(text, at);
    }
    is_deep |= indent_at(text, at) >= indent && text[at + indent_at(text, at)..].starts_with('#');
    if is_deep {
        let reason = "a comment or blanks below it would become text of the block above it";
        return Err(CannotEdit::at(place.node, reason));
    }
    Ok(if layout.chomping == Chomping::Keep {
        at
    } else {
        lines.end
    })
}

/// The block scalar that the entry `before` ends in, if it does.
fn text_above<'d>(place: &Place<'d>, before: Option<&Span>) -> Option<&'d Slot<'d>> {
    let before = before?;
    let is_text = |slot: &&Slot<'_>| matches!(slot.shape, Shape::Literal | Shape::Folded);
    let mut slots = place.node.document().slots().iter().filter(is_text);
    slots.find(|slot| slot.end as usize == before.end)
}

/// The brackets close up, unless a comment stands between them.
fn only_in_brackets(holder: &Place<'_>, entry: &Span) -> TextEdit {
    let text = holder.text;
    let span = holder.node.span();
    let comma = skip_gap(text, entry.end);
    let has_comma = text.as_bytes().get(comma) == Some(&b',');
    let end = if has_comma { comma + 1 } else { entry.end };
    if text[span.start..entry.start].contains('#') || text[entry.end..span.end].contains('#') {
        return TextEdit::new(entry.start..end, "");
    }
    TextEdit::new(span.start + 1..span.end - 1, "")
}

fn from_brackets(
    place: &Place<'_>,
    entries: &[Span],
    index: usize,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let text = place.text;
    let entry = &entries[index];
    let Some(next) = entries.get(index + 1) else {
        let before = &entries[index - 1];
        if text[before.end..entry.start].contains('#') {
            return Err(CannotEdit::at(place.node, "a comment stands before it"));
        }
        return Ok(vec![TextEdit::new(before.end..entry.end, "")]);
    };
    let comma = skip_gap(text, entry.end) + 1;
    let own_line = line_end(text, comma);
    let start = line_start(text, entry.start);
    let is_alone = text[start..entry.start].trim().is_empty() && own_line < next.start;
    if is_alone && !text[entry.end..comma].contains('#') {
        return Ok(vec![TextEdit::new(start..next_line(text, own_line), "")]);
    }
    if text[entry.end..next.start].contains('#') {
        return Err(CannotEdit::at(place.node, "a comment stands behind it"));
    }
    Ok(vec![TextEdit::new(entry.start..next.start, "")])
}

/// The route of what holds the node at `route`.
pub(super) fn holder_of(route: &Route) -> Route {
    let steps = &route.0;
    Route(steps[..steps.len().saturating_sub(1)].to_vec())
}

#[cfg(test)]
mod tests {
    use crate::yaml::edit::trial::*;

    #[test]
    fn an_item_goes_with_its_lines_and_its_own_comment() {
        check(
            &remove("a/1"),
            &[
                ("a:\n  - x\n  - y # c\n  - z\n", "a:\n  - x\n  - z\n"),
                ("a:\n- x\n- k: v # c\n  l: # d\n  - m\n", "a:\n- x\n"),
                (
                    "a:\r\n- x\r\n- |\r\n  t\r\n\r\n  u\r\n- z\r\n",
                    "a:\r\n- x\r\n- z\r\n",
                ),
                ("a:\n- x\n- y", "a:\n- x"),
                ("a:\r\n- x\r\n- y", "a:\r\n- x"),
                ("a:\n- |\n  t\n- y", "a:\n- |\n  t\n"),
                ("a:\n- x\n-\n  y\nb: 1\n", "a:\n- x\nb: 1\n"),
            ],
        );
        check(
            &remove("b"),
            &[
                ("a: 1\nb: # c\n  d: e\nf: 2\n", "a: 1\nf: 2\n"),
                ("a: 1\n? b\n: c\nf: 2\n", "a: 1\nf: 2\n"),
            ],
        );
    }

    #[test]
    fn comments_on_lines_of_their_own_stay() {
        check(
            &remove("a/1"),
            &[(
                "a:\n  - x\n  # above\n  - y\n\n  # below\n  - z\n",
                "a:\n  - x\n  # above\n\n  # below\n  - z\n",
            )],
        );
    }

    #[test]
    fn what_follows_does_not_become_text_of_the_block_above() {
        check(
            &remove("b"),
            &[
                ("a: |+\n  x\nb: 1\n\n\nc: 2\n", "a: |+\n  x\nc: 2\n"),
                ("a: |\n  x\nb: 1\n\nc: 2\n", "a: |\n  x\n\nc: 2\n"),
            ],
        );
        assert_eq!(
            edited("a: |\n  x\nb: c\n  # deep\nd: e\n", &[remove("b")]),
            Err("a comment or blanks below it would become text of the block above it")
        );
        assert_eq!(
            edited("a: |\n  x\nb: c\n    \nd: e\n", &[remove("b")]),
            Err("a comment or blanks below it would become text of the block above it")
        );
    }

    #[test]
    fn the_next_entry_takes_the_place_beside_a_dash() {
        check(
            &remove("0/a"),
            &[
                ("- a: 1 # c\n  b: 2\n", "- b: 2\n"),
                ("-   a:\n      - 1\n\n    b: 2\n", "-   b: 2\n"),
            ],
        );
        check(&remove("0/0"), &[("- - a\n  - b\n", "- - b\n")]);
        assert_eq!(
            edited("- a: 1\n  # about b\n  b: 2\n", &[remove("0/a")]),
            Err("a comment stands between it and what would take its place")
        );
    }

    #[test]
    fn what_is_left_empty_says_so() {
        check(
            &remove("a/0"),
            &[
                ("a:\n  - x # c\nb: 1\n", "a: []\nb: 1\n"),
                (
                    "a: # why\n  # above\n  - x\n  # below\nb: 1\n",
                    "a: [] # why\n  # above\n  # below\nb: 1\n",
                ),
                ("a: [x]\n", "a: []\n"),
                ("a: [ x, ]\n", "a: []\n"),
                (
                    "a: [\n  # why\n  x, # own\n]\n",
                    "a: [\n  # why\n   # own\n]\n",
                ),
                ("a:\n- x", "a: []\n"),
            ],
        );
        check(
            &remove("a/b"),
            &[("a:\n  b: 1\n", "a: {}\n"), ("a: {b: 1}\n", "a: {}\n")],
        );
        check(&remove("0/0"), &[("- - a # c\n- z\n", "- [] # c\n- z\n")]);
        check(&remove("a"), &[("a: 1\n", "{}\n")]);
    }

    #[test]
    fn flow_items_go_with_one_comma() {
        check(
            &remove("a/1"),
            &[
                ("a: [x, y, z]\n", "a: [x, z]\n"),
                ("a: [x, y]\n", "a: [x]\n"),
                ("a: [x, y,]\n", "a: [x,]\n"),
                (
                    "a: [\n  x,\n  y, # c\n  # about z\n  z\n]\n",
                    "a: [\n  x,\n  # about z\n  z\n]\n",
                ),
                ("a: [\n  x,\n  y\n]\n", "a: [\n  x\n]\n"),
            ],
        );
        check(
            &remove("b"),
            &[
                ("{a: 1, b: {c: d}, e: f}\n", "{a: 1, e: f}\n"),
                ("{a, b, c}\n", "{a, c}\n"),
            ],
        );
        assert_eq!(
            edited("[x, # c\n  y]\n", &[remove("1")]),
            Err("a comment stands before it")
        );
        assert_eq!(
            edited("[x, # c\n  y]\n", &[remove("0")]),
            Err("a comment stands behind it")
        );
    }

    #[test]
    fn the_top_of_a_document_does_not_go() {
        assert_eq!(
            edited("a: 1\n", &[remove("")]),
            Err("the top of a document")
        );
    }
}
