//! Keys that a mapping has twice.

use super::arena::{Shape, Slot};

/// Finds them; keeps its memory from one mapping to the next.
#[derive(Default)]
pub(super) struct Duplicates {
    keys: Vec<usize>,
}

impl Duplicates {
    /// Every key of the mapping `id`, the last of `slots` that is complete, that was there before:
    /// the first place and the later one. Decoded texts are compared.
    pub(super) fn of(&mut self, slots: &[Slot<'_>], id: usize) -> Vec<(usize, usize)> {
        self.keys.clear();
        let mut at = id + 1;
        while at < slots.len() {
            self.keys.push(at);
            let value = slots.get(slots[at].skip as usize);
            at = value.map_or(slots.len(), |value| value.skip as usize);
        }
        // Nearly every mapping is small, and then sorting costs more than it saves.
        if self.keys.len() <= 16 {
            few(slots, &self.keys)
        } else {
            many(slots, &mut self.keys)
        }
    }
}

fn few(slots: &[Slot<'_>], keys: &[usize]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (count, later) in keys.iter().enumerate() {
        let mut earlier = keys[..count].iter();
        let same = earlier.find(|earlier| is_same_key(slots, **earlier, *later));
        found.extend(same.map(|earlier| (*earlier, *later)));
    }
    found
}

fn many(slots: &[Slot<'_>], keys: &mut [usize]) -> Vec<(usize, usize)> {
    keys.sort_by(|a, b| key_text(slots, *a).cmp(&key_text(slots, *b)).then(a.cmp(b)));
    let mut found = Vec::new();
    let mut first = keys[0];
    for key in &keys[1..] {
        if is_same_key(slots, first, *key) {
            found.push((first, *key));
        } else {
            first = *key;
        }
    }
    found
}

/// The decoded text of a key; a key that is a collection has none.
fn key_text<'s>(slots: &'s [Slot<'_>], id: usize) -> Option<&'s str> {
    let slot = &slots[id];
    match slot.shape {
        Shape::Alias => {
            let target = &slots[slot.link as usize];
            target.shape.is_scalar().then_some(&*target.text)
        }
        shape => shape.is_scalar().then_some(&*slot.text),
    }
}

fn is_same_key(slots: &[Slot<'_>], a: usize, b: usize) -> bool {
    let (a, b) = (key_text(slots, a), key_text(slots, b));
    a.is_some() && a == b
}

#[cfg(test)]
mod tests {
    use crate::yaml::Document;

    #[test]
    fn every_duplicate_key_is_reported_against_the_first_by_its_decoded_text() {
        let text = "a: 1\n'a': 2\nb: {c: 1, \"\\x63\": 2}\n\"a\": 3\n";
        let found = Document::parse(text, 0..text.len()).unwrap_err();

        let places: Vec<_> = found
            .into_iter()
            .map(|found| (found.span, found.duplicate_of))
            .collect();
        assert_eq!(
            places,
            [
                (5..8, Some(0..1)),
                (22..28, Some(16..17)),
                (33..36, Some(0..1))
            ]
        );
    }

    #[test]
    fn duplicates_are_found_in_a_large_mapping_too() {
        let keys = (0..40).map(|key| format!("k{}: x\n", (key * 7) % 39));
        let keys = keys.collect::<Vec<_>>().concat();

        assert_eq!(Document::parse(&keys, 0..keys.len()).unwrap_err().len(), 1);
    }
}
