//! Short words for tests of edits.

use super::super::{Change, Meaning, Route, Step, edit};
use crate::text::{TextEdit, apply};

/// A route from `a/b/0`; a number is an index.
pub(in super::super) fn route(path: &str) -> Route {
    let steps = path.split('/').filter(|step| !step.is_empty());
    let step = |step: &str| match step.parse() {
        Ok(index) => Step::Index(index),
        Err(_) => Step::Key(step.to_string()),
    };
    Route(steps.map(step).collect())
}

pub(in super::super) fn set(at: &str, value: Meaning) -> Change {
    Change::Set {
        at: route(at),
        value,
    }
}

pub(in super::super) fn replace(at: &str, value: Meaning) -> Change {
    Change::Replace {
        at: route(at),
        value,
    }
}

pub(in super::super) fn insert(into: &str, key: &str, value: Meaning) -> Change {
    Change::Insert {
        into: route(into),
        key: key.to_string(),
        value,
    }
}

pub(in super::super) fn append(to: &str, value: Meaning) -> Change {
    Change::Append {
        to: route(to),
        value,
    }
}

pub(in super::super) fn remove(at: &str) -> Change {
    Change::Remove { at: route(at) }
}

pub(in super::super) fn rewrite(at: &str, edits: &[(std::ops::Range<usize>, &str)]) -> Change {
    let edits = edits
        .iter()
        .map(|(span, new)| TextEdit::new(span.clone(), *new))
        .collect();
    Change::Rewrite {
        at: route(at),
        edits,
    }
}

/// The whole text, one document, with `changes`, or why not.
pub(in super::super) fn edited(text: &str, changes: &[Change]) -> Result<String, &'static str> {
    let edits = edit(text, &(0..text.len()), changes).map_err(|refusal| refusal.reason)?;
    Ok(apply(text, &edits).expect("edits are disjoint").to_string())
}

/// Makes one change to each text and compares.
pub(in super::super) fn check(change: &Change, cases: &[(&str, &str)]) {
    for (before, after) in cases {
        let got = edited(before, std::slice::from_ref(change));
        assert_eq!(got.as_deref(), Ok(*after), "from {before:?}");
    }
}
