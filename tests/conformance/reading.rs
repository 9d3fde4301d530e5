//! The specs of a manifest, out of the very text that hydrant sees.

use serde::Deserialize;
use serde_json::Value;

/// Where a kind of object has its specs.
const PLACES: [(&str, &str); 4] = [
    ("TalosControlPlane", "/spec/controlPlaneConfig/controlplane"),
    ("TalosControlPlane", "/spec/controlPlaneConfig/init"),
    ("TalosConfigTemplate", "/spec/template/spec"),
    ("TalosConfig", "/spec"),
];

/// A manifest, read by a YAML parser that is not hydrant's own.
#[derive(Debug, PartialEq)]
pub(crate) struct Manifest {
    /// What the oracles are asked about, each with a name for people.
    pub(crate) specs: Vec<(String, Value)>,
    /// The rest of the manifest: the documents without the patch lists and `data` of those specs.
    pub(crate) others: Vec<Value>,
}

pub(crate) fn read(text: &str) -> Result<Manifest, String> {
    let (mut specs, mut others) = (Vec::new(), Vec::new());
    for document in serde_yaml::Deserializer::from_str(text) {
        let mut document = Value::deserialize(document).map_err(|error| error.to_string())?;
        let kind = document["kind"].as_str().unwrap_or_default().to_string();
        for (_, place) in PLACES.iter().filter(|(of, _)| *of == kind) {
            let Some(Value::Object(spec)) = document.pointer_mut(place) else {
                continue;
            };
            specs.push((format!("{kind} {place}"), Value::Object(spec.clone())));
            for patches in ["configPatches", "strategicPatches", "data"] {
                spec.shift_remove(patches);
            }
        }
        others.push(document);
    }
    Ok(Manifest { specs, others })
}
