//! What a patch list makes of a base, said as what a strategic merge takes away and adds.
//!
//! A merge adds, sets a scalar anew, and appends to a list that is there; with `$patch: delete` it
//! takes a field away. What it cannot say is told by its path, never dropped. Strings of a base are
//! stand-ins, so nothing is said that would have to repeat one.
//!
//! Source: Talos' machinery, `config/merge/merge.go` and `config/configloader/internal/decoder`; that a
//! deletion of a mapping or list that is not there does no harm was measured.

use super::merge::graft;
use crate::talos::{OwnedParent, Pointer, Relation, pointer_to};
use serde_json::{Map, Value, json};

/// Lists, and one mapping, that a merge replaces whole (`merge:"replace"`).
const REPLACED: [&str; 3] = [
    "/cluster/network/podSubnets",
    "/cluster/network/serviceSubnets",
    "/cluster/apiServer/auditPolicy",
];

/// Fields that contradict the `HostnameConfig` of a base of Talos 1.12 and later: the node refuses them.
const CONTRADICTING: [&str; 2] = [
    "/machine/network/hostname",
    "/machine/features/stableHostname",
];

/// What must be merged into a base, each a v1alpha1 config in parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Supplement {
    /// What is taken away first.
    pub(super) deletions: Value,
    pub(super) additions: Value,
}

impl Supplement {
    /// What makes `result` of `base`, or the places that no merge gives.
    pub(super) fn between(base: &Value, result: &Value) -> Result<Self, Vec<String>> {
        let mut finder = Finder::default();
        let tree = finder.compare(base, result, &[]);
        let additions = tree.unwrap_or_else(|| json!({}));
        let contradicts = |path: &&str| additions.pointer(path).is_some();
        let contradicting = CONTRADICTING.into_iter().filter(contradicts);
        finder.impossible.extend(contradicting.map(str::to_string));
        if finder.impossible.is_empty() {
            let deletions = finder.deletions;
            Ok(Self {
                deletions,
                additions,
            })
        } else {
            Err(finder.impossible)
        }
    }
}

#[derive(Default)]
struct Finder {
    deletions: Value,
    impossible: Vec<String>,
}

impl Finder {
    /// What to add to `base`, which is at `keys`, to give `result`.
    fn compare(&mut self, base: &Value, result: &Value, keys: &[&str]) -> Option<Value> {
        if base == result {
            return None;
        }
        let path = pointer_to(keys.iter().copied());
        match (base, result) {
            _ if REPLACED.contains(&path.as_str()) => self.take(result, keys, !is_empty(result)),
            (Value::Object(base), Value::Object(result)) => self.fields(base, result, keys),
            (Value::Array(base), Value::Array(items)) if base.is_empty() => {
                self.take(result, keys, !items.iter().any(has_null))
            }
            (Value::Array(base), Value::Array(items)) => {
                let is_new = !items
                    .iter()
                    .any(|item| has_null(item) || base.contains(item));
                self.anew(result, keys, is_new)
            }
            (Value::Bool(_), Value::Bool(_)) => Some(result.clone()),
            (Value::String(_), Value::String(text)) => self.take(result, keys, !text.is_empty()),
            (Value::Number(_), Value::Number(number)) => {
                self.take(result, keys, number.as_f64() != Some(0.0))
            }
            _ => self.take(result, keys, false),
        }
    }

    fn fields(
        &mut self,
        base: &Map<String, Value>,
        result: &Map<String, Value>,
        keys: &[&str],
    ) -> Option<Value> {
        let gone = base.iter().filter(|(key, _)| !result.contains_key(*key));
        let gone: Vec<_> = gone.collect();
        let is_field = |value: &Value| value.is_object() || value.is_array();
        if gone.iter().any(|(_, value)| !is_field(value)) {
            let whole = Value::Object(result.clone());
            let is_new = !result.is_empty() && !has_null(&whole) && !repeats(base, result);
            return if is_new && is_deletable(keys) {
                self.anew(&whole, keys, true)
            } else {
                let paths = gone
                    .iter()
                    .map(|(key, _)| pointer_to([keys, &[key]].concat()));
                self.impossible.extend(paths);
                None
            };
        }
        for (key, _) in gone {
            self.anew(&Value::Null, &[keys, &[key]].concat(), true);
        }
        let mut tree = Map::new();
        for (key, value) in result {
            let keys = [keys, &[key]].concat();
            let more = match base.get(key) {
                Some(there) => self.compare(there, value, &keys),
                None => self.take(value, &keys, !has_null(value)),
            };
            tree.extend(more.map(|more| (key.clone(), more)));
        }
        (!tree.is_empty()).then_some(Value::Object(tree))
    }

    fn take(&mut self, value: &Value, keys: &[&str], is_possible: bool) -> Option<Value> {
        if !is_possible {
            self.impossible.push(pointer_to(keys.iter().copied()));
        }
        is_possible.then(|| value.clone())
    }

    /// Takes away what is there, and adds `value` where it says anything.
    fn anew(&mut self, value: &Value, keys: &[&str], is_possible: bool) -> Option<Value> {
        if !is_possible || !is_deletable(keys) {
            return self.take(value, keys, false);
        }
        graft(&mut self.deletions, keys, json!({"$patch": "delete"}));
        (!is_empty(value)).then(|| value.clone())
    }
}

/// A whole half of the config is not taken away, nor anything that hydrant writes into.
fn is_deletable(keys: &[&str]) -> bool {
    let path = Pointer::parse(&pointer_to(keys.iter().copied()));
    let is_free = |parent| path.relation(parent) == Relation::Unrelated;
    keys.len() > 1 && OwnedParent::ALL.into_iter().all(is_free)
}

/// Is a string of the base, which is a stand-in, still in its place?
fn repeats(base: &Map<String, Value>, result: &Map<String, Value>) -> bool {
    result
        .iter()
        .any(|(key, value)| match (base.get(key), value) {
            (Some(Value::Object(base)), Value::Object(result)) => repeats(base, result),
            (Some(Value::Array(base)), Value::Array(items)) => {
                items.iter().any(|item| base.contains(item))
            }
            (Some(there @ Value::String(_)), value) => there == value,
            _ => false,
        })
}

/// Does it say nothing?
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// A `null` sets nothing in a merge, whatever the JSON patch did with it.
fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn base() -> Value {
        json!({
            "machine": {"type": "worker", "certSANs": [], "wipe": true,
                        "kubelet": {"image": "i", "flag": true}, "hostDNS": {"enabled": true}},
            "cluster": {"network": {"podSubnets": ["a"]}, "servers": [{"name": "s"}]},
        })
    }

    fn between(change: impl Fn(&mut Value)) -> Result<Supplement, Vec<String>> {
        let mut result = base();
        change(&mut result);
        Supplement::between(&base(), &result)
    }

    fn remove(value: &mut Value, key: &str) {
        value.as_object_mut().unwrap().shift_remove(key);
    }

    #[test]
    fn what_is_added_or_set_anew_is_the_difference() {
        let got = between(|it| {
            it["machine"]["registries"] = json!({"mirrors": {"a": {"endpoints": []}}});
            it["machine"]["certSANs"] = json!(["x"]);
            it["machine"]["kubelet"]["image"] = json!("j");
            it["machine"]["wipe"] = json!(false);
            it["cluster"]["network"]["podSubnets"] = json!(["b"]);
        });

        let additions = json!({
            "machine": {"certSANs": ["x"], "kubelet": {"image": "j"}, "wipe": false,
                        "registries": {"mirrors": {"a": {"endpoints": []}}}},
            "cluster": {"network": {"podSubnets": ["b"]}},
        });
        let deletions = Value::Null;
        assert_eq!(
            got,
            Ok(Supplement {
                deletions,
                additions
            })
        );
    }

    #[test]
    fn what_is_set_as_a_whole_is_taken_away_first() {
        let got = between(|it| {
            it["machine"]["kubelet"] = json!({"nodeIP": {"validSubnets": ["192.0.2.0/24"]}});
            it["cluster"]["servers"] = json!([{"name": "t"}]);
            remove(&mut it["machine"], "hostDNS");
        })
        .unwrap();

        let delete = json!({"$patch": "delete"});
        assert_eq!(
            got.deletions,
            json!({
                "machine": {"hostDNS": delete, "kubelet": delete},
                "cluster": {"servers": delete},
            })
        );
        assert_eq!(
            got.additions,
            json!({
                "machine": {"kubelet": {"nodeIP": {"validSubnets": ["192.0.2.0/24"]}}},
                "cluster": {"servers": [{"name": "t"}]},
            })
        );
    }

    #[test]
    fn a_list_that_is_emptied_is_taken_away() {
        let got = between(|it| it["cluster"]["servers"] = json!([])).unwrap();

        assert_eq!(got.additions, json!({}));
        assert_eq!(got.deletions["cluster"]["servers"]["$patch"], "delete");
    }

    #[test]
    fn what_a_merge_cannot_say_is_told_by_its_path() {
        type Edit = fn(&mut Value);
        let cases: [(Edit, &[&str]); 9] = [
            // Its image is not known here, so it cannot be said again.
            (
                |it| remove(&mut it["machine"]["kubelet"], "flag"),
                &["/machine/kubelet/flag"],
            ),
            (
                |it| it["machine"]["kubelet"] = json!({}),
                &["/machine/kubelet/image", "/machine/kubelet/flag"],
            ),
            (|it| it["machine"]["type"] = json!(""), &["/machine/type"]),
            (
                |it| it["machine"]["new"] = json!({"a": [null]}),
                &["/machine/new"],
            ),
            (
                |it| it["machine"]["wipe"] = json!("text"),
                &["/machine/wipe"],
            ),
            (
                |it| it["cluster"]["servers"] = json!([{"name": "s"}, {"name": "t"}]),
                &["/cluster/servers"],
            ),
            (
                |it| it["machine"]["network"] = json!({"hostname": "h"}),
                &["/machine/network/hostname"],
            ),
            (|it| remove(it, "cluster"), &["/cluster"]),
            (
                |it| it["machine"]["hostDNS"] = Value::Null,
                &["/machine/hostDNS"],
            ),
        ];
        for (change, expected) in cases {
            assert_eq!(between(change).unwrap_err(), expected);
        }
    }

    #[test]
    fn nothing_that_hydrant_writes_into_is_taken_away() {
        let base = json!({"machine": {"install": {"wipe": false}}});
        let result = json!({"machine": {"install": {"disk": "/dev/vda"}}});

        assert_eq!(
            Supplement::between(&base, &result),
            Err(vec!["/machine/install/wipe".to_string()])
        );
    }

    /// Talos' merge, as far as a supplement may count on it.
    fn merged(left: &mut Value, right: &Value) {
        match (left, right) {
            (Value::Object(left), Value::Object(right)) => {
                for (key, value) in right {
                    match left.get_mut(key) {
                        Some(there) => merged(there, value),
                        None => drop(left.insert(key.clone(), value.clone())),
                    }
                }
            }
            (Value::Array(left), Value::Array(right)) => left.extend(right.iter().cloned()),
            (Value::String(_), Value::String(text)) if text.is_empty() => {}
            (left, right) => *left = right.clone(),
        }
    }

    fn without(value: &mut Value, deletions: &Value) {
        let (Some(fields), Some(gone)) = (value.as_object_mut(), deletions.as_object()) else {
            return;
        };
        for (key, deletion) in gone {
            if deletion.get("$patch").is_some() {
                fields.shift_remove(key);
            } else if let Some(inner) = fields.get_mut(key) {
                without(inner, deletion);
            }
        }
    }

    fn config() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(json!("")),
            Just(json!("x")),
            Just(json!("y")),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
        ];
        let list = prop::collection::vec(scalar.clone(), 0..3).prop_map(Value::from);
        let leaf = prop_oneof![scalar, list];
        let key = || prop::sample::select(vec!["machine", "cluster", "kubelet", "install", "a"]);
        leaf.prop_recursive(4, 24, 3, move |inner| {
            prop::collection::hash_map(key(), inner, 0..4).prop_map(|fields| {
                let fields = fields.into_iter();
                Value::Object(
                    fields
                        .map(|(key, value)| (key.to_string(), value))
                        .collect(),
                )
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// What is said to be the supplement makes the result of the base, but for lists that are
        /// empty or not there, which are the same to Talos.
        #[test]
        fn a_supplement_gives_the_result(base in config(), result in config()) {
            prop_assume!(base.is_object() && result.is_object());
            let Ok(supplement) = Supplement::between(&base, &result) else { return Ok(()) };
            let mut made = base;
            without(&mut made, &supplement.deletions);
            merged(&mut made, &supplement.additions);
            prop_assert_eq!(plain(made), plain(result));
        }
    }

    /// Without empty lists.
    fn plain(value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(key, value)| (key, plain(value)));
                Value::Object(fields.filter(|(_, value)| *value != json!([])).collect())
            }
            other => other,
        }
    }
}
