//! The provider's JSON patch engine, as it deviates from RFC 6902.
//!
//! The deviations are resolved here, the operations themselves are applied by the `json-patch` crate.
//! Where it is in doubt what the engine does (it panics below a `null` that a patch put there), the
//! patch fails here: what fails is never taken for proven.
//!
//! Source: evanphx/json-patch v5.9 (its root module), `patch.go`.

use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation, RemoveOperation, ReplaceOperation, TestOperation};
use serde_json::Value;

/// One operation, with all that the engine looks at.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) op: String,
    /// The path as it is written.
    pub(super) path: String,
    /// What the provider sends: a value that is not said is `null`.
    pub(super) value: Value,
}

/// The operation that stops a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// Its index in the list.
    pub(super) at: usize,
    /// What the engine misses, as the end of a sentence.
    pub(super) why: &'static str,
}

const MISSING: &str = "there is nothing that could hold what it patches";
const NO_INDEX: &str = "the list has no such index";
const ABSENT: &str = "there is nothing to remove";

/// Applies the list to `document`; a list that fails leaves nothing.
pub(super) fn apply(mut document: Value, steps: &[Step]) -> Result<Value, Failure> {
    for (at, step) in steps.iter().enumerate() {
        apply_one(&mut document, step).map_err(|why| Failure { at, why })?;
    }
    Ok(document)
}

fn apply_one(document: &mut Value, step: &Step) -> Result<(), &'static str> {
    if step.path.is_empty() && step.op == "replace" {
        if !step.value.is_object() {
            return Err("only a mapping can replace the whole config");
        }
        *document = step.value.clone();
        return Ok(());
    }
    let place = Place::find(document, &step.path)?;
    let operation = match step.op.as_str() {
        "add" => add(place.inserted()?, step),
        // The engine's `replace` of a key that is not there creates it.
        "replace" if place.is_absent() => add(place.existing()?, step),
        "replace" => PatchOperation::Replace(ReplaceOperation {
            path: place.existing()?,
            value: step.value.clone(),
        }),
        "remove" if place.is_absent() => return Err(ABSENT),
        "remove" => PatchOperation::Remove(RemoveOperation {
            path: place.existing()?,
        }),
        // What is not there equals `null`.
        "test" if place.is_absent() && step.value.is_null() => return Ok(()),
        "test" => PatchOperation::Test(TestOperation {
            path: place.existing()?,
            value: step.value.clone(),
        }),
        // `configPatches` has no `from`: the API server drops it.
        _ => return Err("the provider does not know this operation"),
    };
    json_patch::patch(document, &[operation]).map_err(|_| "the value there is another one")
}

fn add(path: PointerBuf, step: &Step) -> PatchOperation {
    let value = step.value.clone();
    PatchOperation::Add(AddOperation { path, value })
}

/// Where an operation takes place.
struct Place<'v> {
    /// The way to the container, with indices as RFC 6901 writes them.
    way: Vec<String>,
    container: &'v Value,
    key: String,
}

impl<'v> Place<'v> {
    fn find(document: &'v Value, path: &str) -> Result<Self, &'static str> {
        // Whatever stands before the first slash is dropped.
        let (_, path) = path.split_once('/').ok_or(MISSING)?;
        let mut segments = path.split('/').map(decode);
        let last = segments.next_back().ok_or(MISSING)?;
        let (mut way, mut container) = (Vec::new(), document);
        for segment in segments {
            let step = match container {
                Value::Array(items) => index(&segment, items.len())?.to_string(),
                _ => segment,
            };
            let next = match container {
                Value::Object(map) => map.get(&step),
                Value::Array(items) => step.parse::<usize>().ok().and_then(|at| items.get(at)),
                _ => None,
            };
            container = next.filter(|next| !next.is_null()).ok_or(MISSING)?;
            way.push(step);
        }
        match container {
            Value::Object(_) | Value::Array(_) => Ok(Self {
                way,
                container,
                key: last,
            }),
            _ => Err(MISSING),
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self.container, Value::Object(map) if !map.contains_key(&self.key))
    }

    /// The path to what is there, or to the key that it would have.
    fn existing(self) -> Result<PointerBuf, &'static str> {
        let length = self.container.as_array().map(Vec::len);
        self.pointer(length)
    }

    /// The path to where something new goes: in a list, `-` and -1 are both its end.
    fn inserted(mut self) -> Result<PointerBuf, &'static str> {
        let length = self.container.as_array().map(|items| items.len() + 1);
        if let Some(length) = length.filter(|_| self.key == "-") {
            self.key = (length - 1).to_string();
        }
        self.pointer(length)
    }

    fn pointer(self, length: Option<usize>) -> Result<PointerBuf, &'static str> {
        let key = match length {
            Some(length) => index(&self.key, length)?.to_string(),
            None => self.key,
        };
        Ok(PointerBuf::from_tokens(self.way.into_iter().chain([key])))
    }
}

/// The index that `text` says in a list of `length`; negative ones count from its end.
fn index(text: &str, length: usize) -> Result<usize, &'static str> {
    let said: isize = text.parse().map_err(|_| NO_INDEX)?;
    let from_end = || length.checked_sub(said.unsigned_abs());
    let at = usize::try_from(said).ok().or_else(from_end);
    at.filter(|at| *at < length).ok_or(NO_INDEX)
}

fn decode(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(op: &str, path: &str, value: Value) -> Step {
        Step {
            op: op.into(),
            path: path.into(),
            value,
        }
    }

    fn applied(op: &str, path: &str, value: Value) -> Option<Value> {
        let base = json!({"machine": {"type": "worker", "network": {}, "list": ["a", "b"]}});
        let after = apply(base, &[step(op, path, value)]).ok()?;
        Some(after["machine"].clone())
    }

    fn list(op: &str, path: &str) -> Option<Value> {
        applied(op, path, json!("x")).map(|machine| machine["list"].clone())
    }

    #[test]
    fn a_parent_can_be_added_and_nothing_below_a_missing_one() {
        let added = applied("add", "/machine/registries", json!({"a": 1})).unwrap();
        assert_eq!(added["registries"], json!({"a": 1}));
        for path in [
            "/machine/registries/mirrors",
            "/machine/network/extraHostEntries/-",
            "/machine/network/",
            "/machine/type/x",
        ] {
            let got = applied("add", path, json!({})).map(|_| path);
            let expected = (path == "/machine/network/").then_some(path);
            assert_eq!(got, expected, "{path}");
        }
    }

    #[test]
    fn a_replace_of_a_missing_key_creates_it_and_a_remove_fails() {
        let got = applied("replace", "/machine/registries", json!(1)).unwrap();

        assert_eq!(got["registries"], 1);
        assert_eq!(applied("remove", "/machine/registries", Value::Null), None);
        assert_eq!(applied("replace", "/machine/a/b", json!(1)), None);
    }

    #[test]
    fn indices_may_be_negative_and_an_insertion_at_minus_one_is_at_the_end() {
        assert_eq!(
            list("add", "/machine/list/-1"),
            Some(json!(["a", "b", "x"]))
        );
        assert_eq!(list("add", "/machine/list/-"), Some(json!(["a", "b", "x"])));
        assert_eq!(
            list("add", "/machine/list/-3"),
            Some(json!(["x", "a", "b"]))
        );
        assert_eq!(list("add", "/machine/list/-4"), None);
        assert_eq!(list("replace", "/machine/list/-1"), Some(json!(["a", "x"])));
        assert_eq!(list("remove", "/machine/list/-2"), Some(json!(["b"])));
        assert_eq!(list("replace", "/machine/list/2"), None);
        assert_eq!(list("replace", "/machine/list/-"), None);
    }

    #[test]
    fn without_its_leading_slash_a_path_loses_its_first_segment() {
        let after = apply(json!({}), &[step("add", "machine/registries", json!(1))]);

        assert_eq!(after, Ok(json!({"registries": 1})));
        assert!(apply(json!({}), &[step("add", "machine", json!(1))]).is_err());
    }

    #[test]
    fn escapes_name_one_key() {
        let got = applied("add", "/machine/network/a~1b~0c", json!(1)).unwrap();

        assert_eq!(got["network"], json!({"a/b~c": 1}));
    }

    #[test]
    fn what_is_not_there_tests_as_null() {
        assert!(applied("test", "/machine/registries", Value::Null).is_some());
        assert!(applied("test", "/machine/type", json!("worker")).is_some());
        assert!(applied("test", "/machine/type", json!("controlplane")).is_none());
    }

    #[test]
    fn a_list_stops_at_the_operation_that_fails() {
        let steps = [
            step("add", "/a", json!({})),
            step("add", "/b/c", json!({})),
            step("add", "/d", json!({})),
        ];

        assert_eq!(
            apply(json!({}), &steps).unwrap_err(),
            Failure {
                at: 1,
                why: MISSING
            }
        );
    }
}
