//! A meaning as YAML text, in block or in flow style.
//!
//! What is written here reads back the same in every reader this room knows; it is only ever new
//! text, never a document that was there.

use super::Meaning;
use super::quote::{self, Context};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

/// Which text may be a literal block (`|`), given what follows it in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// None: no line ending follows, or a comment that would be taken for text.
    Never,
    /// Only text that does not end in blank lines: the ones that follow would be added to it.
    Unkept,
    /// Any.
    Any,
}

impl Literal {
    fn holds(self, text: &str) -> bool {
        let fits = match self {
            Self::Never => false,
            Self::Unkept => !text.ends_with("\n\n"),
            Self::Any => true,
        };
        fits && quote::fits_literal(text)
    }
}

/// How the document around the new text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// The line ending.
    pub(super) ending: &'static str,
    /// How far a mapping is indented from the key that holds it.
    pub(super) step: usize,
    /// How far dashes are indented from the key that holds them.
    pub(super) dash: usize,
    /// Which text of several lines may be a literal block.
    pub(super) literal: Literal,
}

/// What follows `key:` at `column`, up to but without the last line ending.
///
/// It starts with a blank, or with a line ending where the value is a block collection.
pub(super) fn after_key(value: &Meaning, column: usize, style: &Style) -> Zeroizing<String> {
    let mut writer = Writer::new(value, style);
    writer.after_key(value, column);
    writer.out
}

/// What follows the dash at `column`, with `gap` blanks before the content.
pub(super) fn after_dash(
    value: &Meaning,
    column: usize,
    gap: usize,
    style: &Style,
) -> Zeroizing<String> {
    let mut writer = Writer::new(value, style);
    writer.after_dash(value, column, gap);
    writer.out
}

/// A collection whose first line starts at `column`, without the indentation of that line.
pub(super) fn block(value: &Meaning, column: usize, style: &Style) -> Zeroizing<String> {
    let mut writer = Writer::new(value, style);
    writer.inline(value, column, column);
    writer.out
}

/// `key: value` for a mapping at `column`, without the indentation of the first line.
pub(super) fn entry(key: &str, value: &Meaning, column: usize, style: &Style) -> Zeroizing<String> {
    let mut writer = Writer::new(value, style);
    writer.out.push_str(&quote::shortest(key, Context::Block));
    writer.out.push(':');
    writer.after_key(value, column);
    writer.out
}

/// A value on one line, for a place between brackets.
pub(super) fn flow(value: &Meaning, context: Context) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(size(value)));
    write_flow(value, context, &mut out);
    out
}

/// `key: value` on one line, for a place between braces.
pub(super) fn flow_entry(key: &str, value: &Meaning, context: Context) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(key.len() * 2 + size(value)));
    write_flow_entry(key, value, context, &mut out);
    out
}

/// A scalar on one line, or an empty collection.
pub(super) fn short(value: &Meaning, context: Context) -> Zeroizing<String> {
    match value {
        Value::String(text) => Zeroizing::new(quote::shortest(text, context)),
        _ => flow(value, context),
    }
}

struct Writer<'s> {
    out: Zeroizing<String>,
    style: &'s Style,
}

impl<'s> Writer<'s> {
    fn new(value: &Meaning, style: &'s Style) -> Self {
        Self {
            out: Zeroizing::new(String::with_capacity(size(value))),
            style,
        }
    }

    fn new_line(&mut self, column: usize) {
        self.out.push_str(self.style.ending);
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    fn after_key(&mut self, value: &Meaning, column: usize) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.new_line(column + self.style.step);
                self.mapping(map, column + self.style.step);
            }
            Value::Array(items) if !items.is_empty() => {
                self.new_line(column + self.style.dash);
                self.sequence(items, column + self.style.dash);
            }
            _ => {
                self.out.push(' ');
                self.scalar(value, column, column + self.style.step);
            }
        }
    }

    fn after_dash(&mut self, value: &Meaning, column: usize, gap: usize) {
        self.out.extend(std::iter::repeat_n(' ', gap));
        self.inline(value, column, column + 1 + gap);
    }

    /// A value that starts at `column` of the present line.
    fn inline(&mut self, value: &Meaning, parent: usize, column: usize) {
        match value {
            Value::Object(map) if !map.is_empty() => self.mapping(map, column),
            Value::Array(items) if !items.is_empty() => self.sequence(items, column),
            _ => self.scalar(value, parent, column),
        }
    }

    fn mapping(&mut self, map: &Map<String, Value>, column: usize) {
        for (count, (key, value)) in map.iter().enumerate() {
            if count > 0 {
                self.new_line(column);
            }
            self.out.push_str(&quote::shortest(key, Context::Block));
            self.out.push(':');
            self.after_key(value, column);
        }
    }

    fn sequence(&mut self, items: &[Value], column: usize) {
        for (count, item) in items.iter().enumerate() {
            if count > 0 {
                self.new_line(column);
            }
            self.out.push('-');
            self.after_dash(item, column, 1);
        }
    }

    /// A scalar, or an empty collection; further lines of text start at `column`.
    fn scalar(&mut self, value: &Meaning, parent: usize, column: usize) {
        match value {
            // The header has room for one digit.
            Value::String(text)
                if self.style.literal.holds(text) && (1..=9).contains(&(column - parent)) =>
            {
                self.literal(text, column, column - parent);
            }
            _ => self.out.push_str(&short(value, Context::Block)),
        }
    }

    fn literal(&mut self, text: &str, column: usize, indentation: usize) {
        self.out.push('|');
        if text.trim_start_matches('\n').starts_with(' ') {
            self.out.push_str(&indentation.to_string());
        }
        let body = text.strip_suffix('\n').unwrap_or(text);
        if body.len() == text.len() {
            self.out.push('-');
        } else if body.ends_with('\n') {
            self.out.push('+');
        }
        for line in body.split('\n') {
            self.new_line(if line.is_empty() { 0 } else { column });
            self.out.push_str(line);
        }
    }
}

fn write_flow(value: &Meaning, context: Context, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(&quote::shortest(text, context)),
        Value::Array(items) => {
            out.push('[');
            for (count, item) in items.iter().enumerate() {
                out.push_str(if count > 0 { ", " } else { "" });
                write_flow(item, context, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (count, (key, value)) in map.iter().enumerate() {
                out.push_str(if count > 0 { ", " } else { "" });
                write_flow_entry(key, value, context, out);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

fn write_flow_entry(key: &str, value: &Meaning, context: Context, out: &mut String) {
    out.push_str(&quote::shortest(key, context));
    out.push_str(": ");
    write_flow(value, context, out);
}

/// Room enough for the text in any but a pathological case, so that no half-written copy of a
/// secret is left behind by a buffer that had to move.
fn size(value: &Meaning) -> usize {
    match value {
        Value::String(text) => 64 + text.len() * 2,
        Value::Array(items) => 64 + items.iter().map(size).sum::<usize>(),
        Value::Object(map) => {
            64 + map
                .iter()
                .map(|(key, value)| 64 + key.len() * 2 + size(value))
                .sum::<usize>()
        }
        _ => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Reading};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const STYLE: Style = Style {
        ending: "\n",
        step: 2,
        dash: 0,
        literal: Literal::Any,
    };

    #[test]
    fn collections_follow_the_style() {
        let value = json!({"a": [{"b": 1, "c": [[1, "x"], []]}], "d": {}, "e": {"f": null}});

        assert_eq!(
            *after_key(&value, 0, &STYLE),
            "\n  a:\n  - b: 1\n    c:\n    - - 1\n      - x\n    - []\n  d: {}\n  e:\n    f: null"
        );
        let style = Style {
            ending: "\r\n",
            step: 4,
            dash: 2,
            literal: Literal::Any,
        };
        assert_eq!(
            *after_dash(&value, 2, 3, &style),
            "   a:\r\n        - b: 1\r\n          c:\r\n            - - 1\r\n              - x\r\n            - []\r\n      d: {}\r\n      e:\r\n          f: null"
        );
    }

    #[test]
    fn text_of_several_lines_is_a_literal_block() {
        let value = json!({"a": "x\n\ny\n", "b": "x\ny", "c": "x\n\n\n", "d": "  x\ny\n"});

        assert_eq!(
            *entry("k", &value, 0, &STYLE),
            "k:\n  a: |\n    x\n\n    y\n  b: |-\n    x\n    y\n  c: |+\n    x\n\n\n  d: |2\n      x\n    y"
        );
    }

    #[test]
    fn text_of_several_lines_is_quoted_between_brackets_and_where_no_line_ending_follows() {
        let style = Style {
            literal: Literal::Never,
            ..STYLE
        };

        assert_eq!(*after_key(&json!("x\n"), 0, &style), " \"x\\n\"");
        assert_eq!(
            *flow(&json!({"a": ["x\n", 1.5]}), Context::Flow),
            "{a: [\"x\\n\", 1.5]}"
        );
        assert_eq!(
            *flow(&json!({"a": [true]}), Context::Json),
            "{\"a\": [true]}"
        );
    }

    fn meanings() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~]{0,12}",
            "[a-z0-9:.,#_+-]{0,8}",
            "(  |\t|a|b: c|\n|\r|ö|'|\"|\u{85}|\u{feff}){0,8}",
            prop::sample::select(vec![
                "yes",
                "0644",
                "2024-01-01",
                "12:30:45",
                "<<",
                "=",
                "|",
                "---\n",
                "a\n...\nb"
            ])
            .prop_map(String::from),
        ];
        let leaf = prop_oneof![
            text.clone().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e20..1e20f64).prop_map(
                |value| super::super::scalar::in_json(value).map_or(Value::Null, Value::Number)
            ),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(
            value in meanings(),
            ending in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            step in 1usize..5,
            dash in 0usize..5,
            flowing in any::<bool>(),
        ) {
            let style = Style { ending, step, dash, literal: Literal::Any };
            let written = if flowing {
                format!("k: {}", *flow(&value, Context::Flow))
            } else {
                entry("k", &value, 0, &style).to_string()
            };
            let text = format!("{written}{ending}z: 1{ending}");
            let document = Document::parse(&text, 0..text.len()).unwrap();
            for reading in [Reading::Kubernetes, Reading::Talos] {
                let meaning = document.root().unwrap().meaning(reading).unwrap();
                prop_assert_eq!(&meaning["k"], &value, "{}", text);
                prop_assert_eq!(&meaning["z"], &json!(1));
            }
            let second: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
            prop_assert!(second.get("z").is_some());
        }
    }
}
