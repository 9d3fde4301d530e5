//! A node becomes another value, scalars in the quoting they had.

use super::Meaning;
use super::arena::{NOWHERE, Shape};
use super::emit::{self, Literal, Style};
use super::lines::{is_rest_empty, line_end, line_start, next_line};
use super::place::{CannotEdit, Holder, Place};
use super::quote::{self, Context};
use super::style::{flow_context, literal_before, style_of};
use crate::text::TextEdit;
use serde_json::Value;

/// The scalar at `place` becomes `value`.
pub(super) fn set(place: &Place<'_>, value: &Meaning) -> Result<Vec<TextEdit>, CannotEdit> {
    if !place.node.slot().shape.is_scalar() {
        return Err(CannotEdit::at(place.node, "not a scalar"));
    }
    if value.is_array() || value.is_object() {
        return Err(CannotEdit::at(place.node, "only a scalar can be set here"));
    }
    place.refuse_unless_own()?;
    match requoted(place, value) {
        Some(text) => Ok(vec![TextEdit::new(place.node.span(), text)]),
        None => replace(place, value),
    }
}

/// The new scalar in the quotes of the old one; `None` where those cannot hold it.
fn requoted(place: &Place<'_>, value: &Meaning) -> Option<String> {
    let context = place.flow.map_or(Context::Block, flow_context);
    let slot = place.node.slot();
    match (slot.shape, value) {
        (Shape::Plain | Shape::Single | Shape::Double, _) if slot.start == slot.end => None,
        (Shape::Single, Value::String(text)) => quote::single(text),
        (Shape::Double, Value::String(text)) => Some(quote::double(text)),
        (Shape::Plain, Value::String(text)) if context == Context::Block && text.contains('\n') => {
            None
        }
        (Shape::Plain | Shape::Single | Shape::Double, _) => {
            Some(emit::short(value, context).to_string())
        }
        _ => None,
    }
}

/// The node at `place` becomes `value`; what is inside it goes, comments included.
pub(super) fn replace(place: &Place<'_>, value: &Meaning) -> Result<Vec<TextEdit>, CannotEdit> {
    place.refuse_unless_own()?;
    let node = place.node;
    if let Some(flow) = place.flow {
        let text = emit::flow(value, flow_context(flow));
        return Ok(vec![TextEdit::new(node.span(), in_brackets(place, &text))]);
    }
    let mut style = style_of(node.document());
    if !place.is_held() {
        return replace_root(place, value, &style);
    }
    let after = place.after_sign()?;
    let below = next_line(place.text, place.last_line_end()?);
    let column = match place.holder {
        Holder::Mapping { mapping, .. } => place.column(mapping.span().start)?,
        _ => place.column(after - 1)?,
    };
    // Blank and comment lines between the header of a text and its first line would be text.
    style.literal = if is_apart(place.text, after, node.span().start) {
        Literal::Never
    } else {
        literal_before(place.text, below, column)
    };
    let written = if let Holder::Mapping { .. } = place.holder {
        emit::after_key(value, column, &style)
    } else {
        let gap = node.span().start - after;
        let is_near = gap > 0 && line_end(place.text, after) >= node.span().start;
        emit::after_dash(value, column, if is_near { gap } else { 1 }, &style)
    };
    put(place, after, &written, style.ending)
}

/// An absent value needs what stands before it: a colon where there is none, and a blank.
fn in_brackets(place: &Place<'_>, text: &str) -> String {
    let node = place.node;
    if !node.span().is_empty() {
        return text.to_string();
    }
    match node.slot().lead {
        NOWHERE => format!(": {text}"),
        _ => format!(" {text}"),
    }
}

/// The top of a document becomes another value.
fn replace_root(
    place: &Place<'_>,
    value: &Meaning,
    style: &Style,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let span = place.node.span();
    let is_block = matches!(
        place.node.slot().shape,
        Shape::BlockMapping | Shape::BlockSequence
    );
    let text = if is_block && place.column(span.start)? == 0 {
        let style = Style {
            literal: Literal::Never,
            ..style.clone()
        };
        emit::block(value, 0, &style)
    } else if matches!(place.node.slot().shape, Shape::Literal | Shape::Folded) {
        return Err(CannotEdit::at(
            place.node,
            "a block of text at the top of the document",
        ));
    } else {
        emit::flow(value, Context::Flow)
    };
    place.last_line_end()?;
    Ok(vec![TextEdit::new(span, &**text)])
}

/// Puts `written`, which starts with a blank or a line ending, behind the sign that ends at `after`.
fn put(
    place: &Place<'_>,
    after: usize,
    written: &str,
    ending: &str,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let text = place.text;
    let span = place.node.span();
    let (first, rest) = match written.find(ending) {
        Some(at) => (&written[..at], &written[at..]),
        None => (written, ""),
    };
    if line_end(text, after) < span.start {
        return put_below(place, after, first, rest, ending);
    }
    let head = match place.node.slot().shape {
        // Its header's own comment stays.
        Shape::Literal | Shape::Folded => span.start..place.node.layout().header.end,
        _ => span.clone(),
    };
    let comment = match place.node.slot().shape {
        Shape::Literal | Shape::Folded => {
            line_end(text, head.end)..span.end.max(line_end(text, head.end))
        }
        _ => {
            let end = place.last_line_end()?;
            end..end
        }
    };
    let blanks = text[after..span.start].len();
    let edit = match first.trim_start() {
        "" => TextEdit::new(after..head.end, ""),
        content if blanks > 0 => TextEdit::new(head, content),
        _ => TextEdit::new(after..head.end, first),
    };
    Ok(joined(edit, TextEdit::new(comment, rest)))
}

/// The old value stands on lines of its own, below the line of its sign.
fn put_below(
    place: &Place<'_>,
    after: usize,
    first: &str,
    rest: &str,
    ending: &str,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let text = place.text;
    let span = place.node.span();
    let start = line_start(text, span.start);
    let shape = place.node.slot().shape;
    if rest.is_empty() && matches!(shape, Shape::Plain | Shape::Single | Shape::Double) {
        return Ok(vec![TextEdit::new(span, first.trim_start())]);
    }
    let is_alone = text[start..span.start].trim_matches([' ', '\t']).is_empty();
    if !is_alone || !is_rest_empty(text, after) {
        let reason = "something stands before it on its line";
        return Err(CannotEdit::at(place.node, reason));
    }
    let lines = start..next_line(text, span.end);
    let is_last = lines.end == line_end(text, span.end);
    let mut below = String::from(rest.strip_prefix(ending).unwrap_or(rest));
    if !rest.is_empty() && !is_last {
        below.push_str(ending);
    }
    let first = Some(first)
        .filter(|first| *first != " ")
        .unwrap_or_default();
    let head = TextEdit::new(after..after, first);
    Ok(joined(head, TextEdit::new(lines, below)))
}

/// Are there blank or comment lines between the line of `after` and that of `start`?
fn is_apart(text: &str, after: usize, start: usize) -> bool {
    next_line(text, after) < line_start(text, start)
}

/// Two edits in order, as one where they touch, without those that change nothing.
fn joined(first: TextEdit, second: TextEdit) -> Vec<TextEdit> {
    if first.span.end == second.span.start {
        let text = format!("{}{}", *first.new_text, *second.new_text);
        return vec![TextEdit::new(first.span.start..second.span.end, text)];
    }
    let is_edit = |edit: &TextEdit| !(edit.span.is_empty() && edit.new_text.is_empty());
    [first, second].into_iter().filter(is_edit).collect()
}

#[cfg(test)]
mod tests {
    use crate::yaml::edit::trial::*;
    use serde_json::json;

    #[test]
    fn a_scalar_keeps_its_quotes_where_they_hold_the_new_value() {
        check(
            &set("a", json!("new")),
            &[
                ("a: old # c\n", "a: new # c\n"),
                ("a: 'old'\n", "a: 'new'\n"),
                ("a: \"old\"\n", "a: \"new\"\n"),
                ("a:   5\n", "a:   new\n"),
                ("a:\n  old # c\n", "a:\n  new # c\n"),
                ("a: two\n  lines\n", "a: new\n"),
                ("a:\n", "a: new\n"),
                ("a: # c\n", "a: new # c\n"),
                ("a:", "a: new"),
                ("a: |\n  old\nb: 1\n", "a: new\nb: 1\n"),
                ("a: >- # c\n  old\n\nb: 1\n", "a: new # c\n\nb: 1\n"),
                ("{a: old}\n", "{a: new}\n"),
                ("{\"a\":\"old\"}\n", "{\"a\":\"new\"}\n"),
                ("{\"a\": 5}\n", "{\"a\": \"new\"}\n"),
            ],
        );
        check(
            &set("a", json!("it's")),
            &[("a: 'x'\n", "a: 'it''s'\n"), ("a: x\n", "a: \"it's\"\n")],
        );
        check(
            &set("a", json!("1.20")),
            &[("a: x\n", "a: \"1.20\"\n"), ("a: 'x'\n", "a: '1.20'\n")],
        );
        check(
            &set("a", json!(3)),
            &[("a: 1\n", "a: 3\n"), ("a: '1'\n", "a: 3\n")],
        );
        check(&set("a", json!(null)), &[("a: 1\n", "a: null\n")]);
        check(
            &set("0", json!("y")),
            &[
                ("- x # c\n- z\n", "- \"y\" # c\n- z\n"),
                ("-\n- z\n", "- \"y\"\n- z\n"),
            ],
        );
    }

    #[test]
    fn text_of_several_lines_takes_the_form_that_fits_the_place() {
        check(
            &set("a", json!("p\nq\n")),
            &[
                ("a: old # c\nb: 1\n", "a: | # c\n  p\n  q\nb: 1\n"),
                ("a: \"old\"\n", "a: \"p\\nq\\n\"\n"),
                ("a: 'old'\n", "a: |\n  p\n  q\n"),
                (
                    "a: |-\r\n  old\r\nb: 1\r\n",
                    "a: |\r\n  p\r\n  q\r\nb: 1\r\n",
                ),
                ("a: old", "a: \"p\\nq\\n\""),
                ("{a: old}\n", "{a: \"p\\nq\\n\"}\n"),
                ("a:\n  # own\n  old\n", "a:\n  # own\n  \"p\\nq\\n\"\n"),
            ],
        );
    }

    #[test]
    fn a_collection_is_replaced_where_it_stands() {
        check(
            &replace("a", json!({"x": [1]})),
            &[
                (
                    "a:\n    b: c # d\n# e\nz: 1\n",
                    "a:\n    x:\n        - 1\n# e\nz: 1\n",
                ),
                (
                    "a: # c\n  # own\n  b: c\nz: 1\n",
                    "a: # c\n  # own\n  x:\n    - 1\nz: 1\n",
                ),
                ("a:\n- b\n- c\nz:\n- d\n", "a:\n  x:\n  - 1\nz:\n- d\n"),
                ("a: old # c\nz: 1\n", "a: # c\n  x:\n    - 1\nz: 1\n"),
                ("a: |\n  text\nz: 1\n", "a:\n  x:\n    - 1\nz: 1\n"),
                ("a: [\n  b ] # c\nz: 1\n", "a: # c\n  x:\n    - 1\nz: 1\n"),
                ("a: b", "a:\n  x:\n    - 1"),
                ("a:\n  b: c", "a:\n  x:\n    - 1"),
            ],
        );
        check(
            &replace("a", json!([])),
            &[(
                "a: # c\n  - b\n  # own\n  - d # e\nz: 1\n",
                "a: [] # c\nz: 1\n",
            )],
        );
        check(
            &replace("0", json!({"x": 1, "y": "p\nq"})),
            &[
                (
                    "-   b: c\n    d: e # f\n- z\n",
                    "-   x: 1 # f\n    \"y\": |-\n      p\n      q\n- z\n",
                ),
                (
                    "- old # c\n- z\n",
                    "- x: 1 # c\n  \"y\": |-\n    p\n    q\n- z\n",
                ),
                (
                    "-\n  b: c\n- z\n",
                    "- x: 1\n  \"y\": |-\n    p\n    q\n- z\n",
                ),
            ],
        );
        check(
            &replace("0", json!("s")),
            &[("- - a\n  - b\n- z\n", "- s\n- z\n")],
        );
    }

    #[test]
    fn the_top_of_a_document_can_be_replaced() {
        check(
            &replace("", json!({"x": [1]})),
            &[
                ("---\na: b # c\n", "---\nx:\n  - 1 # c\n"),
                ("--- {a: b}\n", "--- {x: [1]}\n"),
                ("- a\n", "x:\n  - 1\n"),
            ],
        );
        assert_eq!(
            edited("--- |\n a\n", &[replace("", json!(1))]),
            Err("a block of text at the top of the document")
        );
    }

    #[test]
    fn a_key_without_a_colon_cannot_take_a_value() {
        assert_eq!(
            edited("? a\n? b\n", &[set("a", json!(1))]),
            Err("a key without a colon")
        );
        assert_eq!(
            edited("a: [1]\n", &[set("a", json!(1))]),
            Err("not a scalar")
        );
        assert_eq!(
            edited("a: 1\n", &[set("a", json!([1]))]),
            Err("only a scalar can be set here")
        );
    }
}
