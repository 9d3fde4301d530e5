//! Bringing a wanted tree into an existing one: only what is missing or differs changes.

use crate::talos::same_certificates;
use crate::yaml::{Change, Node, NodeKind, Reading, Route};
use serde_json::Value;

/// A node that stands where a mapping is needed.
pub(super) struct NotAMapping<'d>(pub(super) Node<'d>);

/// The changes that make `node`, which is at `at`, say all that `want` says. Mappings are merged key by
/// key; every other value is wanted as a whole.
pub(super) fn changes<'d>(
    node: Node<'d>,
    at: &Route,
    want: &Value,
    reading: Reading,
    out: &mut Vec<Change>,
) -> Result<(), NotAMapping<'d>> {
    let Value::Object(fields) = want else {
        if !says(node, want, reading) {
            out.push(replacement(node, at, want));
        }
        return Ok(());
    };
    if node.is_null() {
        out.push(Change::Replace {
            at: at.clone(),
            value: want.clone(),
        });
        return Ok(());
    }
    if node.kind() != NodeKind::Mapping {
        return Err(NotAMapping(node));
    }
    for (key, value) in fields {
        match node.get(key) {
            Some(inner) => changes(inner, &at.key(key), value, reading, out)?,
            None => out.push(Change::Insert {
                into: at.clone(),
                key: key.clone(),
                value: value.clone(),
            }),
        }
    }
    Ok(())
}

/// Does the node already mean `want`? The same certificates in another spelling are the same trust, as
/// long as it is base64 or PEM as `want` is: a node loads only what its field holds.
pub(super) fn says(node: Node<'_>, want: &Value, reading: Reading) -> bool {
    let Ok(meaning) = node.meaning(reading) else {
        return false;
    };
    match (&meaning, want) {
        (Value::String(there), Value::String(wanted)) => {
            there == wanted || (is_pem(there) == is_pem(wanted) && same_certificates(there, wanted))
        }
        _ => meaning == *want,
    }
}

fn is_pem(text: &str) -> bool {
    text.contains("-----BEGIN ")
}

fn replacement(node: Node<'_>, at: &Route, want: &Value) -> Change {
    let (at, value) = (at.clone(), want.clone());
    let is_scalar = !value.is_array() && node.kind() == NodeKind::Scalar && !node.is_null();
    if is_scalar {
        Change::Set { at, value }
    } else {
        Change::Replace { at, value }
    }
}

/// Puts `value` at `keys` into `tree`, merging with what is there.
pub(super) fn graft(tree: &mut Value, keys: &[&str], value: Value) {
    match keys {
        [] => match (tree, value) {
            (Value::Object(there), Value::Object(more)) => {
                for (key, value) in more {
                    graft(there.entry(key).or_insert(Value::Null), &[], value);
                }
            }
            (there, value) => *there = value,
        },
        [key, rest @ ..] => {
            if !tree.is_object() {
                *tree = Value::Object(serde_json::Map::new());
            }
            if let Value::Object(fields) = tree {
                graft(fields.entry(*key).or_insert(Value::Null), rest, value);
            }
        }
    }
}
