//! One more key or item at the end of a collection.

use super::Meaning;
use super::arena::Shape;
use super::emit;
use super::lines::{is_rest_empty, line_end, line_start, next_line, skip_gap};
use super::place::{CannotEdit, Place};
use super::replace::replace;
use super::style::{dash_gap, flow_context, literal_before, style_of};
use crate::text::TextEdit;
use serde_json::{Map, Value};

/// `key: value` at the end of the mapping at `place`, which may be null or `{}`.
pub(super) fn insert(
    place: &Place<'_>,
    key: &str,
    value: &Meaning,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let node = place.node;
    if node.get(key).is_some() {
        return Err(CannotEdit::at(node, "the key is already there"));
    }
    place.refuse_unless_open()?;
    match node.slot().shape {
        Shape::BlockMapping => {
            let column = place.column(node.span().start)?;
            let mut style = style_of(node.document());
            let end = place.last_line_end()?;
            if place.open_end().is_some() {
                let entry = emit::entry(key, value, column, &style);
                return add_before_last(place, column, &entry, style.ending);
            }
            style.literal = literal_before(place.text, next_line(place.text, end), column);
            let entry = emit::entry(key, value, column, &style);
            add_line(place, column, &entry, style.ending)
        }
        Shape::FlowMapping if !is_bare(place) => {
            let context = flow_context(place.flow.unwrap_or(node));
            Ok(add_in_brackets(
                place,
                &emit::flow_entry(key, value, context),
            ))
        }
        Shape::FlowPair => Err(CannotEdit::at(
            node,
            "a mapping without braces inside a list",
        )),
        Shape::FlowMapping => replace(place, &mapping(key, value)),
        _ if node.is_null() => replace(place, &mapping(key, value)),
        _ => Err(CannotEdit::at(node, "not a mapping")),
    }
}

/// `value` at the end of the sequence at `place`, which may be null or `[]`.
pub(super) fn append(place: &Place<'_>, value: &Meaning) -> Result<Vec<TextEdit>, CannotEdit> {
    let node = place.node;
    place.refuse_unless_open()?;
    match node.slot().shape {
        Shape::BlockSequence => {
            let column = place.column(node.span().start)?;
            let mut style = style_of(node.document());
            let below = next_line(place.text, place.last_line_end()?);
            style.literal = literal_before(place.text, below, column);
            let item = emit::after_dash(value, column, dash_gap(node), &style);
            add_line(place, column, &format!("-{}", *item), style.ending)
        }
        Shape::FlowSequence if !is_bare(place) => {
            let context = flow_context(place.flow.unwrap_or(node));
            Ok(add_in_brackets(place, &emit::flow(value, context)))
        }
        Shape::FlowSequence => replace(place, &Value::Array(vec![value.clone()])),
        _ if node.is_null() => replace(place, &Value::Array(vec![value.clone()])),
        _ => Err(CannotEdit::at(node, "not a list")),
    }
}

fn mapping(key: &str, value: &Meaning) -> Meaning {
    Value::Object(Map::from_iter([(key.to_string(), value.clone())]))
}

/// Are these empty brackets in block style, with nothing in them that would be lost?
fn is_bare(place: &Place<'_>) -> bool {
    let span = place.node.span();
    let inside = &place.text[span.start + 1..span.end - 1];
    place.flow.is_none() && place.is_held() && inside.bytes().all(|byte| byte == b' ')
}

/// A line after the last one of the block collection at `place`, before comments below it.
fn add_line(
    place: &Place<'_>,
    column: usize,
    content: &str,
    ending: &str,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let end = place.last_line_end()?;
    // A line ending after it would become part of its value, unless its header says to strip it.
    let strip = place.open_end().map(|block| block.strip());
    let indentation = " ".repeat(column);
    let at = next_line(place.text, end);
    let edit = if at == end {
        TextEdit::new(at..at, format!("{ending}{indentation}{content}"))
    } else {
        TextEdit::new(at..at, format!("{indentation}{content}{ending}"))
    };
    Ok(strip.into_iter().chain([edit]).collect())
}

/// Above the last key of the block mapping at `place`, and above the comments that stand right over it:
/// nothing can follow a block of text that ends the file without a line ending.
fn add_before_last(
    place: &Place<'_>,
    column: usize,
    content: &str,
    ending: &str,
) -> Result<Vec<TextEdit>, CannotEdit> {
    let (text, indentation) = (place.text, " ".repeat(column));
    let Some((start, _)) = place.node.last_entry() else {
        return Err(CannotEdit::at(place.node, "an empty mapping"));
    };
    let line = line_start(text, start);
    if text[line..start] != *indentation {
        // It shares its line with a dash.
        let edit = TextEdit::new(start..start, format!("{content}{ending}{indentation}"));
        return Ok(vec![edit]);
    }
    let mut at = line;
    while at > 0 {
        let above = line_start(text, at - 1);
        if !text[above..at].trim_start().starts_with('#') {
            break;
        }
        at = above;
    }
    Ok(vec![TextEdit::new(
        at..at,
        format!("{indentation}{content}{ending}"),
    )])
}

/// One more entry before the closing bracket, on a line of its own where the last one has one.
fn add_in_brackets(place: &Place<'_>, content: &str) -> Vec<TextEdit> {
    let text = place.text;
    let node = place.node;
    let Some((start, end)) = node.last_entry() else {
        let at = node.span().start + 1;
        return vec![TextEdit::new(at..at, content)];
    };
    let comma = skip_gap(text, end);
    let comma = (text.as_bytes().get(comma) == Some(&b',')).then_some(comma + 1);
    let indentation = &text[line_start(text, start)..start];
    if !indentation.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
        return vec![match comma {
            Some(comma) => TextEdit::new(comma..comma, format!(" {content},")),
            None => TextEdit::new(end..end, format!(", {content}")),
        }];
    }
    let after = comma.unwrap_or(end);
    let at = if is_rest_empty(text, after) {
        line_end(text, after)
    } else {
        after
    };
    let ending = super::lines::line_ending(text);
    let line = format!("{ending}{indentation}{content}");
    match comma {
        Some(_) => vec![TextEdit::new(at..at, line + ",")],
        None if at == end => vec![TextEdit::new(at..at, format!(",{line}"))],
        None => vec![TextEdit::new(end..end, ","), TextEdit::new(at..at, line)],
    }
}

#[cfg(test)]
mod tests {
    use crate::yaml::edit::trial::*;
    use serde_json::json;

    #[test]
    fn an_item_comes_after_the_last_one_and_before_the_comments_below() {
        check(
            &append("a", json!("new")),
            &[
                (
                    "a:\n  - x\n  - y # c\n  # below\n\nb: 1\n",
                    "a:\n  - x\n  - y # c\n  - new\n  # below\n\nb: 1\n",
                ),
                ("a:\n- x\n\n\nb: 1\n", "a:\n- x\n- new\n\n\nb: 1\n"),
                ("a:\n  - x\n", "a:\n  - x\n  - new\n"),
                ("a:\n  - x", "a:\n  - x\n  - new"),
                ("a:\n  - x # c", "a:\n  - x # c\n  - new"),
                (
                    "a:\r\n  - x\r\nb: 1\r\n",
                    "a:\r\n  - x\r\n  - new\r\nb: 1\r\n",
                ),
                ("a:\r  - x\rb: 1\r", "a:\r  - x\r  - new\rb: 1\r"),
                ("a:\n    -   x\n", "a:\n    -   x\n    -   new\n"),
                ("a:\n-\n  k: v\n", "a:\n-\n  k: v\n- new\n"),
                (
                    "a:\n- |\n  text\n\nb: 1\n",
                    "a:\n- |\n  text\n- new\n\nb: 1\n",
                ),
                (
                    "a:\n- |+\n  text\n\nb: 1\n",
                    "a:\n- |+\n  text\n\n- new\nb: 1\n",
                ),
                ("a:\n- >-\n  text", "a:\n- >-\n  text\n- new"),
            ],
        );
    }

    #[test]
    fn a_compact_list_in_a_list_keeps_its_dash_column() {
        check(
            &append("0", json!("new")),
            &[
                ("- - x\n- z\n", "- - x\n  - new\n- z\n"),
                ("-   - x\n", "-   - x\n    - new\n"),
            ],
        );
    }

    #[test]
    fn a_mapping_takes_a_key_at_its_own_column() {
        check(
            &insert("a", "new", json!({"o": ["p"]})),
            &[
                (
                    "a:\n  b: 1 # c\n  # below\nz: 1\n",
                    "a:\n  b: 1 # c\n  new:\n    o:\n      - p\n  # below\nz: 1\n",
                ),
                (
                    "a:\n    b:\n    - c\n",
                    "a:\n    b:\n    - c\n    new:\n        o:\n        - p\n",
                ),
                (
                    "a:\n  ? b\n  : c\n",
                    "a:\n  ? b\n  : c\n  new:\n    o:\n      - p\n",
                ),
            ],
        );
        check(
            &insert("0", "new", json!(1)),
            &[("- b: 1\n- c\n", "- b: 1\n  new: 1\n- c\n")],
        );
        check(
            &insert("", "new", json!(1)),
            &[
                ("\u{feff}b: 1\n", "\u{feff}b: 1\nnew: 1\n"),
                ("--- # c\nb: 1\n...\n", "--- # c\nb: 1\nnew: 1\n...\n"),
            ],
        );
    }

    #[test]
    fn nothing_becomes_a_list_in_the_documents_style() {
        let value = json!({"op": "add"});
        check(
            &append("a", value),
            &[
                ("a:\nb:\n- c\n", "a:\n- op: add\nb:\n- c\n"),
                (
                    "a: # why\nb:\n  - c\n",
                    "a: # why\n  - op: add\nb:\n  - c\n",
                ),
                ("a: null  # why\n", "a:  # why\n  - op: add\n"),
                ("a: ~\n", "a:\n  - op: add\n"),
                ("a: []\n", "a:\n  - op: add\n"),
                (
                    "a: [ ] # why\r\nb: 1\r\n",
                    "a: # why\r\n  - op: add\r\nb: 1\r\n",
                ),
                ("a:", "a:\n  - op: add"),
                ("a: []", "a:\n  - op: add"),
                ("a:\n  []\n", "a:\n  - op: add\n"),
                (
                    "a:\n  # why\n  null\nb: 1\n",
                    "a:\n  # why\n  - op: add\nb: 1\n",
                ),
                ("\"a\": []\n", "\"a\":\n  - op: add\n"),
                ("{a: , b: 1}\n", "{a: [{op: add}] , b: 1}\n"),
                ("{a, b: 1}\n", "{a: [{op: add}], b: 1}\n"),
                ("{\"a\": []}\n", "{\"a\": [{\"op\": \"add\"}]}\n"),
                ("{\"a\":null}\n", "{\"a\":[{\"op\": \"add\"}]}\n"),
            ],
        );
        check(
            &append("0", json!(1)),
            &[
                ("- []\n- x\n", "- - 1\n- x\n"),
                ("-\n- x\n", "- - 1\n- x\n"),
                ("- # c\n", "- - 1 # c\n"),
            ],
        );
    }

    #[test]
    fn nothing_becomes_a_mapping() {
        check(
            &insert("a", "k", json!("v")),
            &[
                ("a: {}\n", "a:\n  k: v\n"),
                (
                    "a: {} # c\nb:\n    c: d\n",
                    "a: # c\n    k: v\nb:\n    c: d\n",
                ),
                ("a:\nb: 1\n", "a:\n  k: v\nb: 1\n"),
            ],
        );
        check(
            &insert("0/a", "k", json!("v")),
            &[("- a: {}\n  b: 1\n", "- a:\n    k: v\n  b: 1\n")],
        );
    }

    #[test]
    fn flow_style_is_kept() {
        check(
            &append("a", json!("new")),
            &[
                ("a: [x, y] # c\n", "a: [x, y, new] # c\n"),
                ("a: [x, y,]\n", "a: [x, y, new,]\n"),
                ("a: ['x']\n", "a: ['x', new]\n"),
                ("a: [\"x\"]\n", "a: [\"x\", \"new\"]\n"),
                (
                    "a: [\n  x, # one\n  y # two\n]\n",
                    "a: [\n  x, # one\n  y, # two\n  new\n]\n",
                ),
                (
                    "a: [\n  x,\n  y, # two\n]\n",
                    "a: [\n  x,\n  y, # two\n  new,\n]\n",
                ),
                ("a: [\n  x\n]\n", "a: [\n  x,\n  new\n]\n"),
                ("a: [x,\n    y]\n", "a: [x,\n    y,\n    new]\n"),
                ("a: [ # none\n  ]\n", "a: [new # none\n  ]\n"),
                ("a: [[p: q]]\n", "a: [[p: q], new]\n"),
            ],
        );
        check(
            &insert("a", "new", json!(["x:y"])),
            &[
                ("a: {b: 1}\n", "a: {b: 1, new: [\"x:y\"]}\n"),
                ("a: {b, c}\n", "a: {b, c, new: [\"x:y\"]}\n"),
                (
                    "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": 2\n}\n",
                    "{\n  \"a\": {\n    \"b\": 1,\n    \"new\": [\"x:y\"]\n  },\n  \"c\": 2\n}\n",
                ),
            ],
        );
        assert_eq!(
            edited("[a: b]\n", &[insert("0", "c", json!(1))]),
            Err("a mapping without braces inside a list")
        );
    }

    #[test]
    fn an_item_after_text_that_ends_the_file_without_a_line_ending_strips_it() {
        check(
            &append("", json!(1)),
            &[
                ("- |\n  x", "- |-\n  x\n- 1"),
                ("- |2\n  x", "- |2-\n  x\n- 1"),
                ("- a: >+\n    x", "- a: >-\n    x\n- 1"),
            ],
        );
    }

    #[test]
    fn text_of_several_lines_is_quoted_where_what_follows_would_join_it() {
        check(
            &append("", json!("x\ny\n")),
            &[
                ("- a\n    \n", "- a\n- \"x\\ny\\n\"\n    \n"),
                ("- a\n  # deep\n", "- a\n- \"x\\ny\\n\"\n  # deep\n"),
                ("- a\n\n# c\n", "- a\n- |\n  x\n  y\n\n# c\n"),
                ("- a\n", "- a\n- |\n  x\n  y\n"),
                ("- a", "- a\n- \"x\\ny\\n\""),
            ],
        );
    }

    #[test]
    fn a_key_comes_before_the_last_one_where_text_ends_the_file_without_a_line_ending() {
        check(
            &insert("", "new", json!({"o": "p"})),
            &[
                ("a: 1\nb: |\n  x", "a: 1\nnew:\n  o: p\nb: |\n  x"),
                ("b: |\n  x", "new:\n  o: p\nb: |\n  x"),
                (
                    "a: 1\n# of b\nb:\n  c: |\n    x",
                    "a: 1\nnew:\n  o: p\n# of b\nb:\n  c: |\n    x",
                ),
            ],
        );
        check(
            &insert("0", "new", json!(1)),
            &[("- b: |\n    x", "- new: 1\n  b: |\n    x")],
        );
    }

    #[test]
    fn a_tab_before_a_mapping_leaves_its_column_vague() {
        assert_eq!(
            edited("-\tk: v\n", &[insert("0", "b", json!(1))]),
            Err("a tab before it on its line")
        );
    }

    #[test]
    fn a_key_that_is_there_is_not_inserted_again() {
        assert_eq!(
            edited("a: 1\n", &[insert("", "a", json!(1))]),
            Err("the key is already there")
        );
        assert_eq!(
            edited("a: text\n", &[insert("a", "b", json!(1))]),
            Err("not a mapping")
        );
        assert_eq!(
            edited("a: {}\n", &[append("a", json!(1))]),
            Err("not a list")
        );
    }
}
