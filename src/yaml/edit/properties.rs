//! Laws of edits over generated documents in many styles.

use super::super::quote::{self, Context};
use super::super::{Change, Document, Meaning, Reading, Route, Step, edit};
use crate::text::{TextEdit, apply};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Choices of style, one after the other; all zero is the plainest style.
struct Dice {
    rolls: Vec<u8>,
    at: usize,
}

impl Dice {
    fn roll(&mut self, sides: u8) -> u8 {
        let roll = self
            .rolls
            .get(self.at % self.rolls.len().max(1))
            .copied()
            .unwrap_or(0);
        self.at += 1;
        roll % sides
    }
}

/// Writes a value in whatever style the dice say.
struct Writer {
    dice: Dice,
    step: usize,
    out: String,
    ending: &'static str,
    comments: usize,
}

impl Writer {
    fn comment(&mut self) -> String {
        self.comments += 1;
        format!("# c{};", self.comments)
    }

    /// Ends a line, perhaps with a comment and with blank or comment lines below it.
    fn end_line(&mut self, column: usize) {
        if self.dice.roll(5) == 4 {
            let comment = self.comment();
            self.out.push_str("  ");
            self.out.push_str(&comment);
        }
        self.out.push_str(self.ending);
        if self.dice.roll(7) == 6 {
            let comment = self.comment();
            self.out
                .push_str(&format!("{}{comment}{}", " ".repeat(column), self.ending));
        }
        if self.dice.roll(7) == 6 {
            self.out.push_str(self.ending);
        }
    }

    fn indent(&mut self, column: usize) {
        self.out.push_str(&" ".repeat(column));
    }

    fn after_key(&mut self, value: &Value, column: usize) {
        let is_flow = self.dice.roll(5) == 4;
        match value {
            Value::Object(map) if !map.is_empty() && !is_flow => {
                self.end_line(column + self.step);
                self.indent(column + self.step);
                self.mapping(map, column + self.step);
            }
            Value::Array(items) if !items.is_empty() && !is_flow => {
                let column = column + if self.dice.roll(2) == 0 { self.step } else { 0 };
                self.end_line(column);
                self.indent(column);
                self.sequence(items, column);
            }
            _ => {
                if !(value.is_null() && self.dice.roll(2) == 1) {
                    self.out
                        .push_str(if self.dice.roll(4) == 3 { "   " } else { " " });
                    self.inline(value, column, column + self.step);
                }
                self.end_line_after(value, column);
            }
        }
    }

    /// A literal block has ended its line already.
    fn end_line_after(&mut self, value: &Value, column: usize) {
        if value.is_string() && self.out.ends_with(self.ending) {
            return;
        }
        self.end_line(column);
    }

    fn mapping(&mut self, map: &Map<String, Value>, column: usize) {
        for (count, (key, value)) in map.iter().enumerate() {
            if count > 0 {
                self.indent(column);
            }
            let key = self.quoted(key, Context::Block);
            self.out.push_str(&key);
            self.out.push(':');
            self.after_key(value, column);
        }
    }

    fn sequence(&mut self, items: &[Value], column: usize) {
        for (count, item) in items.iter().enumerate() {
            if count > 0 {
                self.indent(column);
            }
            self.out.push('-');
            let gap = if self.dice.roll(4) == 3 { 3 } else { 1 };
            let is_below = self.dice.roll(5) == 4;
            let inner = column + 1 + gap;
            match item {
                Value::Object(map) if !map.is_empty() => {
                    self.start_item(is_below, gap, inner);
                    self.mapping(map, inner);
                }
                Value::Array(items) if !items.is_empty() => {
                    self.start_item(is_below, gap, inner);
                    self.sequence(items, inner);
                }
                _ => {
                    if !(item.is_null() && is_below) {
                        self.out.push_str(&" ".repeat(gap));
                        self.inline(item, column, inner);
                    }
                    self.end_line_after(item, column);
                }
            }
        }
    }

    fn start_item(&mut self, is_below: bool, gap: usize, inner: usize) {
        if is_below {
            self.end_line(inner);
            self.indent(inner);
        } else {
            self.indent(gap);
        }
    }

    /// A scalar, or a collection in flow style.
    fn inline(&mut self, value: &Value, column: usize, inner: usize) {
        match value {
            Value::String(text) if quote::fits_literal(text) && self.dice.roll(3) > 0 => {
                self.literal(text, inner, inner - column);
            }
            Value::String(text) => {
                let text = self.quoted(text, Context::Block);
                self.out.push_str(&text);
            }
            Value::Array(_) | Value::Object(_) => self.flow(value, inner),
            _ => self.out.push_str(&value.to_string()),
        }
    }

    fn literal(&mut self, text: &str, column: usize, indentation: usize) {
        self.out.push('|');
        if text.trim_start_matches('\n').starts_with(' ') || self.dice.roll(4) == 3 {
            self.out.push_str(&indentation.to_string());
        }
        let body = text.strip_suffix('\n').unwrap_or(text);
        if body.len() == text.len() {
            self.out.push('-');
        } else if body.ends_with('\n') {
            self.out.push('+');
        }
        for line in body.split('\n') {
            self.out.push_str(self.ending);
            let is_short = line.is_empty() && self.dice.roll(2) == 0;
            self.indent(if is_short { 0 } else { column });
            self.out.push_str(line);
        }
        self.out.push_str(self.ending);
    }

    fn quoted(&mut self, text: &str, context: Context) -> String {
        match self.dice.roll(4) {
            1 => quote::double(text),
            2 => quote::single(text).unwrap_or_else(|| quote::double(text)),
            _ => quote::shortest(text, context),
        }
    }

    fn flow(&mut self, value: &Value, column: usize) {
        let is_tall = self.dice.roll(3) == 2;
        let (open, close) = if value.is_object() {
            ("{", "}")
        } else {
            ("[", "]")
        };
        let entries: Vec<(Option<&String>, &Value)> = match value {
            Value::Object(map) => map.iter().map(|(key, value)| (Some(key), value)).collect(),
            Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
            Value::String(text) => {
                let text = self.quoted(text, Context::Flow);
                return self.out.push_str(&text);
            }
            _ => return self.out.push_str(&value.to_string()),
        };
        self.out.push_str(open);
        let count = entries.len();
        for (index, (key, value)) in entries.into_iter().enumerate() {
            if is_tall {
                self.end_line(column);
                self.indent(column);
            }
            if let Some(key) = key {
                let key = self.quoted(key, Context::Flow);
                self.out.push_str(&key);
                self.out.push_str(": ");
            }
            self.flow(value, column + 2);
            if index + 1 < count || self.dice.roll(4) == 3 {
                self.out.push(',');
            }
        }
        if is_tall {
            self.end_line(column);
            self.indent(column);
        }
        self.out.push_str(close);
    }
}

/// A document that means `value`, in the style of `rolls`.
fn written(value: &Value, rolls: Vec<u8>) -> String {
    let mut dice = Dice { rolls, at: 0 };
    let step = 2 + usize::from(dice.roll(3));
    let ending = ["\n", "\r\n", "\r"][usize::from(dice.roll(3))];
    let (mark, head, foot) = (dice.roll(6) == 5, dice.roll(4) == 3, dice.roll(6) == 5);
    let is_cut = dice.roll(4) == 3;
    let mut writer = Writer {
        dice,
        step,
        out: String::new(),
        ending,
        comments: 0,
    };
    if mark {
        writer.out.push('\u{feff}');
    }
    if head {
        writer.out.push_str("---");
        writer.end_line(0);
    }
    match value {
        Value::Object(map) => writer.mapping(map, 0),
        Value::Array(items) => writer.sequence(items, 0),
        _ => unreachable!("generated documents are collections"),
    }
    if foot {
        writer.out.push_str("...");
        writer.end_line(0);
    }
    let mut out = writer.out;
    // A literal block that loses its last line ending loses it from its value.
    if is_cut && !out.ends_with(&ending.repeat(2)) {
        let cut = out.trim_end_matches(['\r', '\n']).to_string();
        if meaning(&cut).as_ref() == Some(value) {
            out = cut;
        }
    }
    out
}

fn meaning(text: &str) -> Option<Meaning> {
    let document = Document::parse(text, 0..text.len()).ok()?;
    document.root()?.meaning(Reading::Talos).ok()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,6}",
        1 => "[ -~]{0,8}",
        1 => "(  )?[a-z]{1,3}\n(\n)?(  )?[a-z]{1,3}\n{0,3}",
        1 => prop::sample::select(vec!["yes", "0644", "192.0.2.10", "2024-01-01", "a: b", "größe", "1.20"])
            .prop_map(String::from),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => text().prop_map(Value::from),
        1 => (0..2000i32).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            mapping(inner, 0),
        ]
    })
}

fn mapping(value: impl Strategy<Value = Value>, least: usize) -> impl Strategy<Value = Value> {
    prop::collection::vec((text(), value), least..4)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

fn documents() -> impl Strategy<Value = Value> {
    prop_oneof![
        mapping(values(), 1),
        prop::collection::vec(values(), 1..4).prop_map(Value::from)
    ]
}

/// Every place in `value`.
fn places(value: &Value, at: &Route, out: &mut Vec<(Route, Value)>) {
    out.push((at.clone(), value.clone()));
    match value {
        Value::Object(map) => {
            map.iter()
                .for_each(|(key, value)| places(value, &at.key(key.clone()), out));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| places(item, &at.index(index), out));
        }
        _ => {}
    }
}

/// A change that fits one of the places, chosen by `roll`.
fn change(document: &Value, roll: (prop::sample::Index, u8), key: String, new: Value) -> Change {
    let mut all = Vec::new();
    places(document, &Route::root(), &mut all);
    let (at, old) = all.swap_remove(roll.0.index(all.len()));
    let is_top = at.0.is_empty();
    match (&old, roll.1 % 4) {
        (Value::Object(map), 0 | 1) if !map.contains_key(&key) => Change::Insert {
            into: at,
            key,
            value: new,
        },
        (Value::Array(_), 0 | 1) => Change::Append { to: at, value: new },
        (Value::Null, 0) => Change::Insert {
            into: at,
            key,
            value: new,
        },
        (Value::Null, 1) => Change::Append { to: at, value: new },
        (Value::String(text), 0) if text.ends_with('\n') => Change::Rewrite {
            at,
            edits: vec![TextEdit::new(0..0, "new\n\n")],
        },
        (_, 2) if !is_top => Change::Remove { at },
        (Value::Object(_) | Value::Array(_), _) => Change::Replace { at, value: new },
        _ if new.is_object() || new.is_array() => Change::Replace { at, value: new },
        _ => Change::Set { at, value: new },
    }
}

/// Refusals that a well-formed document without anchors may still meet.
const REFUSED: &[&str] = &[
    "a comment stands between it and what would take its place",
    "a comment stands before it",
    "a comment stands behind it",
    "a comment below it would become text of the block above it",
    "a block of text ends the file without a line ending",
    "text that is not a literal block (`|`)",
    "the text would end in line endings that its header does not say",
    "the text would start with a blank, which would count as indentation",
];

fn comments(text: &str) -> Vec<(usize, &str)> {
    text.match_indices("# c")
        .filter_map(|(at, _)| Some((at, &text[at..=at + text[at..].find(';')?])))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_document_means_the_same_in_every_style(value in documents(), rolls in prop::collection::vec(any::<u8>(), 1..64)) {
        let text = written(&value, rolls);
        prop_assert_eq!(meaning(&text), Some(value), "{}", text);
    }

    #[test]
    fn an_edit_does_what_it_says_and_nothing_else(
        value in documents(),
        rolls in prop::collection::vec(any::<u8>(), 1..64),
        roll in any::<(prop::sample::Index, u8)>(),
        key in text(),
        new in values(),
    ) {
        let text = written(&value, rolls);
        let change = change(&value, roll, key, new);
        let edits = match edit(&text, &(0..text.len()), std::slice::from_ref(&change)) {
            Ok(edits) => edits,
            Err(refusal) => {
                prop_assert!(REFUSED.contains(&refusal.reason), "{} in {:?}", refusal.reason, text);
                return Ok(());
            }
        };
        let after = apply(&text, &edits).unwrap();
        let mut model = value.clone();
        prop_assert!(change.apply_to(&mut model));
        prop_assert_eq!(meaning(&after), Some(model), "{:?} became {:?}", text, &*after);

        // Only comments inside what goes may go.
        let document = Document::parse(&text, 0..text.len()).unwrap();
        let node = document.at(change.route()).unwrap();
        let end = super::super::lines::line_end(&text, node.span().end);
        let may_go = match (&change, change.route().0.split_last()) {
            (Change::Insert { .. } | Change::Append { .. } | Change::Rewrite { .. }, _) => 0..0,
            (Change::Remove { .. }, Some((Step::Key(key), holder))) => {
                let holder = document.at(&Route(holder.to_vec())).unwrap();
                holder.key(key).unwrap().span().start..end
            }
            (Change::Remove { .. }, _) => (node.slot().lead.min(node.slot().start) as usize)..end,
            _ => node.span().start..end,
        };
        let left = comments(&after);
        for (at, comment) in comments(&text) {
            let is_left = left.iter().any(|(_, other)| *other == comment);
            prop_assert!(is_left || may_go.contains(&at), "{} of {:?} in {:?}", comment, text, &*after);
        }
    }

    #[test]
    fn text_is_rewritten_where_it_stands(
        lines in prop::collection::vec("( {0,2}[a-z]{1,4})?", 0..6),
        kept in 0usize..4,
        rolls in prop::collection::vec(any::<u8>(), 1..32),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, "( ?[A-Z]|\n){0,5}"), 1..4),
    ) {
        let text = format!("{}{}", lines.join("\n"), "\n".repeat(kept));
        let text = if quote::fits_literal(&text) { text } else { format!("{text}\nz\n") };
        let mut dice = Dice { rolls, at: 0 };
        let ending = ["\n", "\r\n", "\r"][usize::from(dice.roll(3))];
        let mut writer = Writer { dice, step: 2, out: "a:".to_string(), ending, comments: 0 };
        writer.out.push(' ');
        writer.literal(&text, 2, 2);
        writer.out.push_str("b: 1");
        let document = writer.out;

        let mut edits = Vec::new();
        let mut at = 0;
        for (cut, length, new) in cuts {
            let start = at + cut.index(text.len() + 1 - at);
            at = (start + length).min(text.len());
            edits.push(TextEdit::new(start..at, new));
        }
        let expected = apply(&text, &edits).unwrap();
        let change = Change::Rewrite { at: Route::root().key("a"), edits };
        match edit(&document, &(0..document.len()), &[change]) {
            Ok(edits) => {
                let after = apply(&document, &edits).unwrap();
                let meaning = meaning(&after).unwrap();
                prop_assert_eq!(meaning["a"].as_str(), Some(&**expected), "{:?}", &*after);
            }
            Err(refusal) => prop_assert!(REFUSED.contains(&refusal.reason), "{} in {:?} {:?}", refusal.reason, document, &*expected),
        }
    }

    #[test]
    fn changes_that_are_made_are_not_made_again(
        value in documents(),
        rolls in prop::collection::vec(any::<u8>(), 1..64),
        roll in any::<prop::sample::Index>(),
        new in values(),
    ) {
        let mut all = Vec::new();
        places(&value, &Route::root(), &mut all);
        let (at, _) = all.swap_remove(roll.index(all.len()));
        let text = written(&value, rolls);
        let changes = [Change::Replace { at, value: new }];
        if let Ok(edits) = edit(&text, &(0..text.len()), &changes) {
            let after = apply(&text, &edits).unwrap();
            prop_assert_eq!(edit(&after, &(0..after.len()), &changes), Ok(Vec::new()));
        }
    }
}

#[test]
fn routes_lead_to_every_place() {
    let value = serde_json::json!({"a": [1, {"b": null}]});
    let mut all = Vec::new();
    places(&value, &Route::root(), &mut all);

    assert_eq!(all.len(), 5);
    assert_eq!(
        all[4].0,
        Route(vec![
            Step::Key("a".into()),
            Step::Index(1),
            Step::Key("b".into())
        ])
    );
}
