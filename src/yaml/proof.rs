//! The proof that an edited document says what it was meant to say.
//!
//! Bytes outside the edits are equal by construction. Here: the new text is one document, means in
//! both readings what the changes make of the old meaning, and a second parser, of another lineage,
//! agrees.

use super::change::as_read;
use super::meaning::is_read_alike;
use super::{Change, Document, Meaning, Reading, Stream};
use serde_json::{Map, Value};

/// Why an edit is not proven.
pub(super) type Doubt = &'static str;

/// Proves that `after` is `before` with `changes`.
pub(super) fn prove(before: &Document<'_>, after: &str, changes: &[Change]) -> Result<(), Doubt> {
    if Stream::split(after).len() != 1 {
        return Err("the edited text would be more than one document");
    }
    let edited =
        Document::parse(after, 0..after.len()).map_err(|_| "the edited text would not be valid")?;
    let is_alike = is_read_alike(before.slots()) && is_read_alike(edited.slots());
    let readings = [Reading::Kubernetes, Reading::Talos];
    for reading in &readings[usize::from(is_alike)..] {
        let old = meaning(before, *reading).ok_or("a value that has no meaning in JSON")?;
        let new = meaning(&edited, *reading).ok_or("a value that would have no meaning in JSON")?;
        if changed(old, changes)? != new {
            return Err("the edited text would not mean what was asked for");
        }
    }
    let old = second_opinion(before.whole_text())
        .ok_or("a second YAML parser does not accept this document")?;
    let new =
        second_opinion(after).ok_or("a second YAML parser would not accept the edited text")?;
    if changed(old, changes)? == new {
        Ok(())
    } else {
        Err("a second YAML parser would read the edited text in another way")
    }
}

fn meaning(document: &Document<'_>, reading: Reading) -> Option<Meaning> {
    document
        .root()
        .map_or(Some(Value::Null), |root| root.meaning(reading).ok())
}

fn changed(mut meaning: Meaning, changes: &[Change]) -> Result<Meaning, Doubt> {
    let applied = changes.iter().all(|change| change.apply_to(&mut meaning));
    applied
        .then_some(meaning)
        .ok_or("the change does not fit what the document means")
}

/// What libyaml's successor reads. Merge keys stay keys: they are not edited.
fn second_opinion(text: &str) -> Option<Meaning> {
    // It takes a byte order mark for content.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Straight to JSON where it can: keys that are no strings, and tags, it cannot.
    if let Ok(value) = serde_yaml::from_str::<Value>(text) {
        return Some(as_read(value));
    }
    in_json(serde_yaml::from_str(text).ok()?)
}

fn in_json(value: serde_yaml::Value) -> Option<Meaning> {
    use serde_yaml::Value as Yaml;
    Some(match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::Bool(value),
        Yaml::String(text) => Value::String(text),
        Yaml::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into(),
            (_, Some(number)) => number.into(),
            _ => super::scalar::in_json(number.as_f64()?)
                .map_or_else(|| Value::String(number.to_string()), Value::Number),
        },
        Yaml::Sequence(items) => items.into_iter().map(in_json).collect::<Option<_>>()?,
        Yaml::Mapping(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                let key = match in_json(key)? {
                    Value::String(key) => key,
                    key => key.to_string(),
                };
                map.insert(key, in_json(value)?);
            }
            Value::Object(map)
        }
        Yaml::Tagged(tagged) => {
            let value = in_json(tagged.value)?;
            Value::Object(Map::from_iter([(tagged.tag.to_string(), value)]))
        }
    })
}
