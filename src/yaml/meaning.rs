//! What nodes mean as JSON, with aliases and merge keys expanded under a budget.

use super::arena::{Shape, Slot, Tag};
use super::node::is_merge_key;
use super::scalar::{Scalar, float_key, is_integer, resolve};
use super::{Meaning, Problem, Reading};
use base64::Engine;
use serde_json::{Map, Value};

/// How many nodes one expansion may give: far more than a manifest has, far less than memory.
const BUDGET: usize = 250_000;

/// How deep an expansion may nest. The parser allows 192 levels; aliases can stack them.
const DEPTH: usize = 512;

/// What the scalar in `slot` is in `reading`; an error says why its tag does not fit.
pub(super) fn scalar(slot: &Slot<'_>, reading: Reading) -> Result<Scalar, &'static str> {
    let is_plain = slot.shape == Shape::Plain;
    let read = || resolve(&slot.text, reading);
    let fits = |scalar: &Scalar| match slot.tag {
        Tag::Int => matches!(scalar, Scalar::Number(_)),
        Tag::Float => matches!(scalar, Scalar::Number(_) | Scalar::NotInJson),
        Tag::Bool => matches!(scalar, Scalar::Bool(_)),
        _ => matches!(scalar, Scalar::Null),
    };
    match slot.tag {
        Tag::None if is_plain => Ok(read()),
        Tag::Bang if is_plain && reading == Reading::Talos => Ok(read()),
        Tag::Timestamp if reading == Reading::Talos => Ok(Scalar::Time),
        Tag::None | Tag::Bang | Tag::Str | Tag::Other | Tag::Binary | Tag::Timestamp => {
            Ok(Scalar::Str)
        }
        Tag::Int | Tag::Float | Tag::Bool | Tag::Null => Some(read())
            .filter(fits)
            .ok_or("a tag that its value does not fit"),
    }
}

/// Do both readings take every one of these nodes for the same?
pub(super) fn is_read_alike(slots: &[Slot<'_>]) -> bool {
    slots.iter().all(|slot| {
        !is_merge_key(slot)
            && (!slot.shape.is_scalar()
                || scalar(slot, Reading::Kubernetes) == scalar(slot, Reading::Talos))
    })
}

/// One expansion.
pub(super) struct Expansion<'s> {
    slots: &'s [Slot<'s>],
    reading: Reading,
    left: usize,
    depth: usize,
}

impl<'s> Expansion<'s> {
    pub(super) fn new(slots: &'s [Slot<'s>], reading: Reading) -> Self {
        Self {
            slots,
            reading,
            left: BUDGET,
            depth: 0,
        }
    }

    /// The meaning of the node `id`.
    pub(super) fn value(&mut self, id: usize) -> Result<Meaning, Problem> {
        let slot = &self.slots[id];
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| problem(slot, "aliases expand to more than 250,000 nodes"))?;
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(problem(slot, "aliases nest too deeply"));
        }
        let value = match slot.shape {
            Shape::Alias => self.value(slot.link as usize)?,
            shape if shape.is_mapping() => Value::Object(self.mapping(id)?),
            shape if shape.is_sequence() => {
                let items: Result<_, _> = self.children(id).map(|item| self.value(item)).collect();
                Value::Array(items?)
            }
            _ => self.scalar_value(slot)?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn scalar_value(&self, slot: &Slot<'_>) -> Result<Meaning, Problem> {
        let scalar = scalar(slot, self.reading).map_err(|reason| problem(slot, reason))?;
        Ok(match scalar {
            Scalar::Str if slot.tag == Tag::Binary => Value::String(decode(slot)?),
            Scalar::Str | Scalar::Time => Value::String(slot.text.to_string()),
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Number(value) => Value::Number(value),
            Scalar::NotInJson => return Err(problem(slot, "JSON has no infinity and no NaN")),
        })
    }

    fn mapping(&mut self, id: usize) -> Result<Map<String, Value>, Problem> {
        let mut map = Map::new();
        let (mut later, mut is_merged) = (Vec::new(), false);
        let mut children = self.children(id);
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            if is_merge_key(&self.slots[key]) {
                is_merged = true;
                let merged = self.merged(value)?;
                match self.reading {
                    // go-yaml v2 merges where it stands: over the keys before it.
                    Reading::Kubernetes => map.extend(merged),
                    Reading::Talos => later.push(merged),
                }
                continue;
            }
            let name = self.key_name(key)?;
            let value = self.value(value)?;
            if map.insert(name, value).is_some() && !is_merged {
                let reason = "this key and an earlier one become the same string";
                return Err(problem(&self.slots[key], reason));
            }
        }
        for (key, value) in later.into_iter().flatten() {
            map.entry(key).or_insert(value);
        }
        Ok(map)
    }

    /// What `<<: value` brings; of a sequence, earlier mappings win over later ones.
    fn merged(&mut self, id: usize) -> Result<Map<String, Value>, Problem> {
        let slot = &self.slots[id];
        let target = if slot.shape == Shape::Alias {
            slot.link as usize
        } else {
            id
        };
        let sources = match self.slots[target].shape {
            shape if shape.is_mapping() => vec![target],
            shape if shape.is_sequence() && target == id => self.children(target).collect(),
            _ => vec![target],
        };
        let mut merged = Map::new();
        for source in sources {
            let Value::Object(map) = self.value(source)? else {
                return Err(problem(
                    slot,
                    "a merge key needs a mapping or a list of mappings",
                ));
            };
            for (key, value) in map {
                merged.entry(key).or_insert(value);
            }
        }
        Ok(merged)
    }

    fn key_name(&self, id: usize) -> Result<String, Problem> {
        let mut slot = &self.slots[id];
        if slot.shape == Shape::Alias {
            slot = &self.slots[slot.link as usize];
        }
        if !slot.shape.is_scalar() {
            return Err(problem(slot, "a key must be a scalar"));
        }
        Ok(match self.scalar_value(slot)? {
            Value::String(text) => text,
            Value::Bool(value) => value.to_string(),
            // A whole float is written as one: `1e6` becomes `1e+06`.
            Value::Number(number) => match number.as_f64() {
                Some(value) if !is_integer(&slot.text) => float_key(value),
                _ => number.to_string(),
            },
            _ => return Err(problem(slot, "a key must not be null")),
        })
    }

    fn children(&self, id: usize) -> impl Iterator<Item = usize> + use<'s> {
        let slots = self.slots;
        let end = slots[id].skip as usize;
        let mut at = id + 1;
        std::iter::from_fn(move || {
            let child = at;
            (child < end).then(|| {
                at = slots[child].skip as usize;
                child
            })
        })
    }
}

fn decode(slot: &Slot<'_>) -> Result<String, Problem> {
    let compact: String = slot.text.split_ascii_whitespace().collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(compact);
    bytes
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| problem(slot, "binary that is not text"))
}

fn problem(slot: &Slot<'_>, message: &str) -> Problem {
    Problem::new(slot.start as usize..slot.end as usize, message)
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;
    use serde_json::json;

    fn meaning(text: &str, reading: Reading) -> Result<Value, String> {
        let document = Document::parse(text, 0..text.len()).unwrap();
        let meaning = document.root().unwrap().meaning(reading);
        meaning.map_err(|problem| problem.message)
    }

    fn kubernetes(text: &str) -> Value {
        meaning(text, Reading::Kubernetes).unwrap()
    }

    #[test]
    fn keys_that_are_no_strings_become_strings() {
        let text = "yes: a\n1: b\n0x10: c\n1.5: d\n1e6: e\n";

        assert_eq!(
            kubernetes(text),
            json!({"true": "a", "1": "b", "16": "c", "1.5": "d", "1e+06": "e"})
        );
    }

    #[test]
    fn two_keys_of_one_string_are_refused() {
        assert!(meaning("true: a\nyes: b\n", Reading::Kubernetes).is_err());
        assert!(meaning("true: a\nyes: b\n", Reading::Talos).is_ok());
    }

    #[test]
    fn keys_that_json_cannot_have_are_refused() {
        assert!(meaning("~: a\n", Reading::Kubernetes).is_err());
        assert!(meaning("[a]: b\n", Reading::Talos).is_err());
    }

    #[test]
    fn aliases_and_merges_expand() {
        let text = "x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: [*x]\nw: {<<: [*x, {a: 9, c: 4}]}\n";

        assert_eq!(
            kubernetes(text)["w"],
            json!({"a": 1, "b": 2, "c": 4}),
            "the first of several sources wins"
        );
        let meaning = meaning(text, Reading::Talos).unwrap();
        assert_eq!(meaning["y"], json!({"a": 1, "b": 3}));
        assert_eq!(meaning["z"], json!([{"a": 1, "b": 2}]));
    }

    /// Measured: go-yaml v2 lets a merge overwrite the keys before it, v3 does not.
    #[test]
    fn a_merge_after_a_key_wins_only_for_kubernetes() {
        let text = "a: 1\n<<: {a: 2}\n";

        assert_eq!(kubernetes(text), json!({"a": 2}));
        assert_eq!(meaning(text, Reading::Talos), Ok(json!({"a": 1})));
    }

    #[test]
    fn a_merge_of_something_else_is_refused() {
        assert!(meaning("<<: 5\n", Reading::Talos).is_err());
        assert!(meaning("<<: [a]\n", Reading::Kubernetes).is_err());
    }

    #[test]
    fn an_alias_bomb_stops_at_the_budget() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let item = format!("*a{},", level - 1);
            text = format!("{text}a{level}: &a{level} [{}]\n", item.repeat(9));
        }

        assert_eq!(
            meaning(&text, Reading::Talos),
            Err("aliases expand to more than 250,000 nodes".to_string())
        );
    }

    #[test]
    fn aliases_cannot_stack_up_to_any_depth() {
        let mut text = format!("a0: &a0 {}x{}\n", "[".repeat(50), "]".repeat(50));
        for level in 1..20 {
            let (open, close) = ("[".repeat(50), "]".repeat(50));
            text = format!("{text}a{level}: &a{level} {open}*a{}{close}\n", level - 1);
        }

        assert_eq!(
            meaning(&text, Reading::Talos),
            Err("aliases nest too deeply".to_string())
        );
    }

    #[test]
    fn tags_decide_over_the_text() {
        let text =
            "a: !!str 5\nb: !!int '5'\nc: !foo 5\nd: !!binary aGVs\n  bG8=\ne: !!str\nf: ! 5\n";

        assert_eq!(
            kubernetes(text),
            json!({"a": "5", "b": 5, "c": "5", "d": "hello", "e": "", "f": "5"})
        );
        assert_eq!(meaning("f: ! 5\n", Reading::Talos), Ok(json!({"f": 5})));
        assert!(meaning("a: !!bool maybe\n", Reading::Talos).is_err());
    }

    #[test]
    fn infinity_is_refused() {
        assert!(meaning("a: .inf\n", Reading::Kubernetes).is_err());
    }
}
