//! Making a value say exactly what is wanted, by as few changes as there can be.

use crate::yaml::{Change, Node, NodeKind, Reading, Route};
use serde_json::Value;

/// The changes that make `node`, which is at `at`, mean `want` and nothing else.
///
/// What is equal stays, with its comments. Of a list, what its beginning says stays where only its end
/// differs; else the list is written anew.
pub(super) fn changes(node: Node<'_>, at: &Route, want: &Value, out: &mut Vec<Change>) {
    if node.meaning(Reading::Kubernetes).as_ref() == Ok(want) {
        return;
    }
    match (node.kind(), want) {
        (NodeKind::Mapping, Value::Object(fields)) if !fields.is_empty() => {
            for (key, value) in fields {
                match node.get(key) {
                    Some(inner) => changes(inner, &at.key(key), value, out),
                    None => out.push(Change::Insert {
                        into: at.clone(),
                        key: key.clone(),
                        value: value.clone(),
                    }),
                }
            }
            let keys = node.entries().filter_map(|(key, _)| key.text());
            let gone = keys.filter(|key| !fields.contains_key(*key));
            out.extend(gone.map(|key| Change::Remove { at: at.key(key) }));
        }
        (NodeKind::Sequence, Value::Array(items)) if is_longer(node, items) => {
            let more = items.iter().skip(node.items().count());
            out.extend(more.map(|value| Change::Append {
                to: at.clone(),
                value: value.clone(),
            }));
        }
        (NodeKind::Scalar, scalar) if !scalar.is_array() && !scalar.is_object() => {
            out.push(Change::Set {
                at: at.clone(),
                value: scalar.clone(),
            });
        }
        _ => out.push(Change::Replace {
            at: at.clone(),
            value: want.clone(),
        }),
    }
}

/// Does `items` begin with all that the list says?
fn is_longer(node: Node<'_>, items: &[Value]) -> bool {
    let Ok(Value::Array(there)) = node.meaning(Reading::Kubernetes) else {
        return false;
    };
    !there.is_empty() && items.starts_with(&there)
}

#[cfg(test)]
mod tests {
    use crate::text::apply;
    use crate::yaml::{Route, Stream, edit};
    use serde_json::{Value, json};

    fn made_to_say(text: &str, want: &Value) -> String {
        let stream = Stream::parse(text).unwrap();
        let document = &stream.documents[0];
        let mut changes = Vec::new();
        super::changes(document.root().unwrap(), &Route::root(), want, &mut changes);
        let edits = edit(text, &document.range(), &changes).unwrap();
        apply(text, &edits).unwrap().to_string()
    }

    #[test]
    fn only_what_differs_is_written_and_what_is_not_wanted_goes() {
        let text = "a: 'x' # one\nb:\n  c: 1 # two\n  d: 2\ne: [f] # three\n";
        let want = json!({"a": "x", "b": {"c": 3}, "e": ["f", "g"], "h": true});

        assert_eq!(
            made_to_say(text, &want),
            "a: 'x' # one\nb:\n  c: 3 # two\ne: [f, g] # three\nh: true\n"
        );
    }

    #[test]
    fn a_list_that_differs_before_its_end_is_written_anew() {
        assert_eq!(
            made_to_say("a:\n  - b\n  - c\n", &json!({"a": ["c"]})),
            "a:\n  - c\n"
        );
        assert_eq!(made_to_say("a: [b]\n", &json!({"a": {}})), "a: {}\n");
    }
}
