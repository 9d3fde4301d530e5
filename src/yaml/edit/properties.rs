//! Laws of edits over generated documents in many styles.

use super::super::quote;
use super::super::{Change, Document, Reading, Route, Step, edit};
use crate::text::{TextEdit, apply};
use proptest::prelude::*;
use serde_json::Value;

use super::styles::{Dice, Writer, meaning, written};

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
        (Value::Null, 0) => Change::Insert {
            into: at,
            key,
            value: new,
        },
        (Value::Array(_), 0 | 1) | (Value::Null, 1) => Change::Append { to: at, value: new },
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
    "a comment or blanks below it would become text of the block above it",
    "text that is not a literal block (`|`)",
    "the text would end in line endings that its header does not say",
    "the text would start with a blank, which would count as indentation",
];

/// What strange texts are made of.
const SCRAPS: &[&str] = &[
    "a: ",
    "b:",
    "- ",
    "-",
    "  ",
    " ",
    "\n",
    "\n",
    "\n  ",
    "\r\n",
    "\r",
    "\t",
    "x",
    "'",
    "\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    "# c\n",
    "|\n",
    "|+\n",
    ">-\n",
    "|2\n",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "<<: ",
    "? ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "\u{feff}",
    "ö",
    "\u{85}",
    "key: value\n",
    "  - item\n",
    "~",
    "0x1F",
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

    /// Whatever the text is, and wherever the change is meant to go: an answer, not a panic.
    #[test]
    fn no_text_is_too_strange_for_an_answer(
        parts in prop::collection::vec(prop::sample::select(SCRAPS), 0..24),
        roll in any::<(prop::sample::Index, u8)>(),
        new in values(),
    ) {
        let text = parts.concat();
        let Ok(document) = Document::parse(&text, 0..text.len()) else { return Ok(()) };
        let Some(Ok(value)) = document.root().map(|root| root.meaning(Reading::Talos)) else { return Ok(()) };
        let change = change(&value, roll, "new".to_string(), new);
        if let Ok(edits) = edit(&text, &(0..text.len()), std::slice::from_ref(&change)) {
            let after = apply(&text, &edits).unwrap();
            let mut model = value;
            prop_assert!(change.apply_to(&mut model));
            prop_assert_eq!(meaning(&after), Some(model), "{:?} became {:?}", text, &*after);
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
