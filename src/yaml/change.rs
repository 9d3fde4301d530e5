//! The few edits that hydrant makes, as words: what a change does to the meaning of a document.

use super::scalar::in_json;
use super::{Meaning, Route, Step};
use crate::text::{self, TextEdit};
use serde_json::{Map, Value};

/// One symbolic edit of a document.
///
/// No `Debug`: the values may be secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum Change {
    /// The scalar at `at` becomes `value`, a scalar too, in the old one's quotes where they can
    /// hold it.
    Set {
        /// Where the scalar is.
        at: Route,
        /// What it becomes.
        value: Meaning,
    },
    /// A new key at the end of the mapping at `into`; where that is null or `{}` it becomes the
    /// mapping.
    Insert {
        /// Where the mapping is.
        into: Route,
        /// The key, which must not be there yet.
        key: String,
        /// Its value.
        value: Meaning,
    },
    /// A new item at the end of the sequence at `to`; where that is null or `[]` it becomes the
    /// sequence.
    Append {
        /// Where the sequence is.
        to: Route,
        /// The item.
        value: Meaning,
    },
    /// The item or key at `at` goes, with the comments inside it and the one behind its last line;
    /// comments on lines of their own above and below stay. A sequence that is left empty becomes
    /// `[]`, a mapping `{}`.
    Remove {
        /// Where the item or key is.
        at: Route,
    },
    /// The whole node at `at` becomes `value`; comments inside the old one go.
    Replace {
        /// Where the node is.
        at: Route,
        /// What it becomes.
        value: Meaning,
    },
    /// The text in the literal block scalar at `at` is edited.
    Rewrite {
        /// Where the block scalar is.
        at: Route,
        /// Edits of its decoded text.
        edits: Vec<TextEdit>,
    },
}

impl Change {
    /// Does to `meaning` what the edit does to the document that means it.
    ///
    /// `false` where the change does not apply, and `meaning` is then as it was: nothing is at the
    /// route, or not something that such a change is for.
    #[must_use]
    pub fn apply_to(&self, meaning: &mut Meaning) -> bool {
        match self {
            Self::Set { at, value } => {
                let fits = |old: &Meaning| !old.is_array() && !old.is_object();
                let target = find(meaning, &at.0).filter(|old| fits(old) && fits(value));
                target.map(|old| *old = as_read(value.clone())).is_some()
            }
            Self::Replace { at, value } => find(meaning, &at.0)
                .map(|old| *old = as_read(value.clone()))
                .is_some(),
            Self::Insert { into, key, value } => insert(find(meaning, &into.0), key, value),
            Self::Append { to, value } => append(find(meaning, &to.0), value),
            Self::Remove { at } => remove(meaning, at),
            Self::Rewrite { at, edits } => {
                let Some(Value::String(old)) = find(meaning, &at.0) else {
                    return false;
                };
                let new = text::apply(old, edits).ok();
                new.map(|new| (*new).clone_into(old)).is_some()
            }
        }
    }

    /// Where the change takes place.
    pub(super) fn route(&self) -> &Route {
        match self {
            Self::Set { at, .. }
            | Self::Remove { at }
            | Self::Replace { at, .. }
            | Self::Rewrite { at, .. } => at,
            Self::Insert { into, .. } => into,
            Self::Append { to, .. } => to,
        }
    }
}

fn find<'m>(meaning: &'m mut Meaning, steps: &[Step]) -> Option<&'m mut Meaning> {
    steps
        .iter()
        .try_fold(meaning, |value, step| match (value, step) {
            (Value::Object(map), Step::Key(key)) => map.get_mut(key),
            (Value::Array(items), Step::Index(index)) => items.get_mut(*index),
            _ => None,
        })
}

fn insert(target: Option<&mut Meaning>, key: &str, value: &Meaning) -> bool {
    let Some(target) = target else { return false };
    if target.is_null() {
        *target = Value::Object(Map::new());
    }
    match target {
        Value::Object(map) if !map.contains_key(key) => {
            map.insert(key.to_string(), as_read(value.clone()));
            true
        }
        _ => false,
    }
}

fn append(target: Option<&mut Meaning>, value: &Meaning) -> bool {
    let Some(target) = target else { return false };
    if target.is_null() {
        *target = Value::Array(Vec::new());
    }
    let Value::Array(items) = target else {
        return false;
    };
    items.push(as_read(value.clone()));
    true
}

fn remove(meaning: &mut Meaning, at: &Route) -> bool {
    let Some((last, holder)) = at.0.split_last() else {
        return false;
    };
    match (find(meaning, holder), last) {
        (Some(Value::Object(map)), Step::Key(key)) => map.shift_remove(key).is_some(),
        (Some(Value::Array(items)), Step::Index(index)) if *index < items.len() => {
            items.remove(*index);
            true
        }
        _ => false,
    }
}

/// The value as it will be read back: a whole float is an integer.
pub(super) fn as_read(mut value: Meaning) -> Meaning {
    normalise(&mut value);
    value
}

fn normalise(value: &mut Meaning) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = number
                .as_f64()
                .and_then(in_json)
                .map_or(Value::Null, Value::Number);
        }
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::Object(map) => map.values_mut().for_each(normalise),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn applied(change: &Change, mut meaning: Value) -> Option<Value> {
        change.apply_to(&mut meaning).then_some(meaning)
    }

    #[test]
    fn null_becomes_the_collection_that_a_change_needs() {
        let insert = Change::Insert {
            into: Route::root().key("a"),
            key: "b".into(),
            value: json!(1.0),
        };
        let append = Change::Append {
            to: Route::root().key("a"),
            value: json!("x"),
        };

        assert_eq!(
            applied(&insert, json!({"a": null})),
            Some(json!({"a": {"b": 1}}))
        );
        assert_eq!(
            applied(&append, json!({"a": null})),
            Some(json!({"a": ["x"]}))
        );
        assert_eq!(applied(&append, json!({"a": "text"})), None);
        assert_eq!(applied(&insert, json!({"a": {"b": 0}})), None);
    }

    #[test]
    fn a_removed_item_leaves_the_others_in_order() {
        let at = Route::root().key("a");
        let remove = Change::Remove { at: at.index(1) };

        assert_eq!(
            applied(&remove, json!({"a": [1, 2, 3]})),
            Some(json!({"a": [1, 3]}))
        );
        assert_eq!(applied(&remove, json!({"a": [1]})), None);
        let first = Change::Remove { at: at.clone() };
        let left = applied(&first, json!({"a": 1, "b": 2, "c": 3})).unwrap();
        assert_eq!(left.to_string(), r#"{"b":2,"c":3}"#);
    }

    #[test]
    fn a_scalar_is_not_set_over_a_collection() {
        let set = Change::Set {
            at: Route::root(),
            value: json!("x"),
        };

        assert_eq!(applied(&set, json!([])), None);
        assert_eq!(applied(&set, json!("y")), Some(json!("x")));
    }

    #[test]
    fn text_is_edited_in_its_decoded_form() {
        let rewrite = Change::Rewrite {
            at: Route::root(),
            edits: vec![TextEdit::new(2..4, "c\n")],
        };

        assert_eq!(applied(&rewrite, json!("a\nb\n")), Some(json!("a\nc\n")));
    }
}
