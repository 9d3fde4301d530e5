//! What hydration must make of a machine, said without a word about how patches are merged.

use serde_json::{Map, Value, json};

pub(crate) const HOST: &str = "registry.example.internal";
pub(crate) const ADDRESS: &str = "192.0.2.10";
/// Base64 of the CA.
pub(crate) const CA_BASE64: &str =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmIzVnljdz09Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K";

/// The list, as a YAML parser that is not ours reads it.
pub(crate) fn patches_in(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let read = |document| <Value as serde::Deserialize>::deserialize(document).expect("it is YAML");
    let target = documents
        .map(read)
        .find(|it: &Value| it["kind"] == "TalosConfigTemplate");
    let list =
        target.expect("the target is there")["spec"]["template"]["spec"]["configPatches"].take();
    list.as_array().cloned().unwrap_or_default()
}

/// The base that the provider generates for Talos 1.11, with the patches applied by a library.
/// The provider's engine takes a `replace` of what is not there for an `add`.
pub(crate) fn machine(patches: &[Value]) -> Value {
    let mut base =
        json!({"cluster": {}, "machine": {"type": "worker", "network": {}, "sysctls": {}}});
    let mut patches = Value::Array(patches.to_vec());
    for patch in patches.as_array_mut().into_iter().flatten() {
        if patch["op"] == "replace" {
            patch["op"] = json!("add");
        }
    }
    let patch: json_patch::Patch = serde_json::from_value(patches).expect("they are JSON patches");
    json_patch::patch(&mut base, &patch).expect("they apply");
    base
}

/// What hydration must make of a machine, said without a word about patches.
pub(crate) fn model(mut machine: Value) -> Value {
    let registries = object(&mut machine["machine"], "registries");
    let tls = object(object(object(registries, "config"), HOST), "tls");
    tls["ca"] = json!(CA_BASE64);
    let network = object(&mut machine["machine"], "network");
    let entries = network["extraHostEntries"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    network["extraHostEntries"] = Value::Array(resolved(entries));
    machine
}

fn object<'v>(above: &'v mut Value, key: &str) -> &'v mut Value {
    if !above[key].is_object() {
        above[key] = Value::Object(Map::new());
    }
    &mut above[key]
}

fn aliases(entry: &Value) -> Vec<Value> {
    entry["aliases"].as_array().cloned().unwrap_or_default()
}

/// The name in one entry: where it is there once and right, as it is; else in one of its own at the end.
fn resolved(entries: Vec<Value>) -> Vec<Value> {
    let ours = json!(HOST);
    let said: Vec<&Value> = entries
        .iter()
        .flat_map(|entry| {
            aliases(entry)
                .into_iter()
                .filter(|it| *it == ours)
                .map(move |_| &entry["ip"])
        })
        .collect();
    if said == [&json!(ADDRESS)] {
        return entries;
    }
    let mut kept = Vec::new();
    for mut entry in entries {
        let there = aliases(&entry);
        let rest: Vec<Value> = there.iter().filter(|it| **it != ours).cloned().collect();
        if rest.len() < there.len() && rest.is_empty() {
            continue;
        }
        if rest.len() < there.len() {
            entry["aliases"] = Value::Array(rest);
        }
        kept.push(entry);
    }
    kept.push(json!({"ip": ADDRESS, "aliases": [HOST]}));
    kept
}
