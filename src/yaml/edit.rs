//! Changes become edits of the committed text.

use super::place::{CannotEdit, Place};
use super::remove::{holder_of, remove};
use super::{Change, Document, Reading, Route, insert, proof, replace, rewrite};
use crate::text::{EditLog, Span, TextEdit, apply};
use zeroize::Zeroizing;

/// Applies `changes` one after the other to the document at `range` of `text`, proves the result,
/// and returns the edits of `text`.
///
/// `range` is one of [`Stream::split`](super::Stream::split). A change that the document already
/// fulfils makes no edit. The proof: the edited document parses as one, means in both readings what
/// [`Change::apply_to`] makes of the old meaning, and a second parser reads the same. What fails it,
/// or cannot be edited safely, is refused with its reason.
pub fn edit(text: &str, range: &Span, changes: &[Change]) -> Result<Vec<TextEdit>, CannotEdit> {
    let refuse = |span: Span, reason| CannotEdit { span, reason };
    let slice = text
        .get(range.clone())
        .ok_or_else(|| refuse(range.clone(), "a range that is no document"))?;
    let before = Document::parse(slice, 0..slice.len()).map_err(|problems| {
        let first = problems
            .into_iter()
            .next()
            .map_or(0..0, |problem| problem.span);
        refuse(moved(&first, range.start), "the document is not valid")
    })?;
    let (edits, after) = made(&before, changes)
        .map_err(|refusal| refuse(moved(&refusal.span, range.start), refusal.reason))?;
    if let (false, Some(change)) = (edits.is_empty(), changes.first()) {
        let span = moved(&committed(&before, change), range.start);
        proof::prove(&before, &after, changes).map_err(|doubt| refuse(span, doubt))?;
    }
    let moved = edits.into_iter().map(|edit| TextEdit {
        span: moved(&edit.span, range.start),
        new_text: edit.new_text,
    });
    Ok(moved.collect())
}

/// The edits that make `changes` one after the other, and the text after them.
fn made(
    before: &Document<'_>,
    changes: &[Change],
) -> Result<(Vec<TextEdit>, Zeroizing<String>), CannotEdit> {
    let mut current = Zeroizing::new(before.whole_text().to_string());
    let mut log = EditLog::new();
    let mut is_untouched = true;
    for change in changes {
        let edited;
        let document = if is_untouched {
            before
        } else {
            edited = Document::parse(&current, 0..current.len()).map_err(|_| CannotEdit {
                span: committed(before, change),
                reason: "an earlier change would leave the document not valid",
            })?;
            &edited
        };
        // A place in an edited text says nothing to the user.
        let in_committed = |refusal: CannotEdit| CannotEdit {
            span: if is_untouched {
                refusal.span
            } else {
                committed(before, change)
            },
            ..refusal
        };
        let edits = edits_of(document, change).map_err(in_committed)?;
        let next = apply(&current, &edits).map_err(|_| CannotEdit {
            span: committed(before, change),
            reason: "edits that overlap",
        })?;
        is_untouched &= edits.is_empty();
        // From the last to the first, so that the places of those still to come stay right.
        edits.iter().rev().for_each(|edit| log.push(edit));
        current = next;
    }
    Ok((log.into_edits(), current))
}

/// The edits of one document that make `change`, in order.
fn edits_of(document: &Document<'_>, change: &Change) -> Result<Vec<TextEdit>, CannotEdit> {
    let root = document.root().ok_or_else(|| CannotEdit {
        span: document.range(),
        reason: "a document without content",
    })?;
    let place = |route: &Route| Place::find(root, route);
    match change {
        Change::Set { at, value } | Change::Replace { at, value }
            if is_fulfilled(&place(at)?, value) =>
        {
            Ok(Vec::new())
        }
        Change::Set { at, value } => replace::set(&place(at)?, value),
        Change::Replace { at, value } => replace::replace(&place(at)?, value),
        Change::Insert { into, key, value } => insert::insert(&place(into)?, key, value),
        Change::Append { to, value } => insert::append(&place(to)?, value),
        Change::Remove { at } => remove(&place(at)?, &place(&holder_of(at))?),
        Change::Rewrite { at, edits } => rewrite::rewrite(&place(at)?, edits),
    }
}

fn is_fulfilled(place: &Place<'_>, value: &super::Meaning) -> bool {
    [Reading::Kubernetes, Reading::Talos]
        .into_iter()
        .all(|reading| {
            place
                .node
                .meaning(reading)
                .is_ok_and(|meaning| meaning == *value)
        })
}

/// The bytes that a refused change is about: the last node on its route that is there.
fn committed(before: &Document<'_>, change: &Change) -> Span {
    let Some(mut node) = before.root() else {
        return before.range();
    };
    for step in &change.route().0 {
        match node.step(step) {
            Some(next) => node = next,
            None => break,
        }
    }
    node.span()
}

fn moved(span: &Span, by: usize) -> Span {
    span.start + by..span.end + by
}

#[cfg(test)]
pub(super) mod trial;

#[cfg(test)]
mod properties;

#[cfg(test)]
mod styles;

#[cfg(test)]
mod tests {
    use super::edit;
    use super::trial::*;
    use crate::text::TextEdit;
    use crate::yaml::Stream;
    use serde_json::json;

    #[test]
    fn only_the_document_at_the_range_is_read_and_edited() {
        let text = "a: ${X:-b: c}\n  - no YAML\n---\nb: 1\n---\nc: *nope\n";
        let range = Stream::split(text)[1].clone();
        let edits = edit(text, &range, &[set("b", json!(2))]).unwrap();

        assert_eq!(edits, [TextEdit::new(33..34, "2")]);
    }

    #[test]
    fn changes_build_on_each_other_and_come_out_as_edits_of_the_committed_text() {
        let text = "# head\na: []\nb:\n  c: old # note\n";
        let changes = [
            append("a", json!({"x": 1})),
            append("a", json!({"x": 2})),
            set("a/0/x", json!(3)),
            insert("b", "d", json!(null)),
            insert("b/d", "e", json!("f")),
            remove("b/c"),
        ];

        assert_eq!(
            edited(text, &changes),
            Ok("# head\na:\n  - x: 3\n  - x: 2\nb:\n  d:\n    e: f\n".to_string())
        );
    }

    #[test]
    fn what_is_already_so_is_not_touched() {
        let text = "a: 'x'\nb: {c: 0x10}\n";
        let range = 0..text.len();
        let changes = [set("a", json!("x")), replace("b", json!({"c": 16}))];

        assert_eq!(edit(text, &range, &changes), Ok(Vec::new()));
    }

    #[test]
    fn a_refusal_points_at_the_committed_text() {
        let text = "---\nz: 1\n---\na: long text\nb: &x 1\nc: *x\n";
        let range = Stream::split(text)[1].clone();
        let changes = [set("a", json!("s")), set("b", json!(2))];
        let refusal = edit(text, &range, &changes).unwrap_err();

        assert_eq!(&text[refusal.span], "1");
        assert_eq!(refusal.reason, "an anchor: the value stands elsewhere, too");
    }

    #[test]
    fn what_is_shared_is_refused_by_name() {
        let text = "a: &a\n  b: 1\nc: *a\nd:\n  <<: *a\n  e: 1\nf: [*a]\ng: {h: &h 1}\n";

        for (change, reason) in [
            (
                set("a/b", json!(2)),
                "an anchor: the value stands elsewhere, too",
            ),
            (
                set("c/b", json!(2)),
                "an alias: the value stands elsewhere, too",
            ),
            (
                set("d/b", json!(2)),
                "a merge key: what is here may come from elsewhere",
            ),
            (
                set("d/e", json!(2)),
                "a merge key: what is here may come from elsewhere",
            ),
            (
                insert("d", "z", json!(2)),
                "a merge key: what is here may come from elsewhere",
            ),
            (
                remove("f"),
                "an anchor, alias or merge key inside the value",
            ),
            (
                replace("g", json!(1)),
                "an anchor, alias or merge key inside the value",
            ),
            (set("nope", json!(1)), "nothing is there"),
        ] {
            assert_eq!(edited(text, &[change]), Err(reason));
        }
        assert_eq!(
            edited("a: !t {b: 1}\n", &[insert("a", "c", json!(1))]),
            Err("a tag, which says how to read the value")
        );
    }

    #[test]
    fn aliases_beside_the_change_stay_as_they_are() {
        let text = "a: &a {b: 1}\nc:\n  - *a\nd: *a\n";

        assert_eq!(
            edited(text, &[append("c", json!("x"))]),
            Ok("a: &a {b: 1}\nc:\n  - *a\n  - x\nd: *a\n".to_string())
        );
    }

    /// kislyuk/yq 203, dtolnay/serde-yaml 380: scalars that change their type on a round trip.
    #[test]
    fn scalars_that_readers_take_differently_stay_as_they_are() {
        let traps = "a: on\nb: 0644\nc: 0o644\nd: 1_000\ne: 12:30:45\nf: 2024-01-01\nj: NO\nk: 3.10\nn: =\no:\tx\n";

        assert_eq!(
            edited(
                &format!("{traps}z: 1\n"),
                &[set("z", json!("new")), insert("", "y", json!("NO"))]
            ),
            Ok(format!("{traps}z: new\n\"y\": \"NO\"\n"))
        );
    }

    /// mikefarah/yq 515: comments re-indented, blank lines dropped, untouched lines reformatted.
    #[test]
    fn comments_blank_lines_and_spacing_around_an_edit_stay() {
        let text = "spec:\n    patches:   # ours\n\n        # keep me\n    -   op:  add  # why\n        path: /a\n\n    # the end\n\n    kind:   'X'\n";

        assert_eq!(
            edited(text, &[append("spec/patches", json!({"op": "add", "path": "/b"})), set("spec/patches/0/path", json!("/c"))]),
            Ok("spec:\n    patches:   # ours\n\n        # keep me\n    -   op:  add  # why\n        path: /c\n    -   op: add\n        path: /b\n\n    # the end\n\n    kind:   'X'\n".to_string())
        );
    }

    #[test]
    fn what_the_readers_disagree_on_cannot_be_proven() {
        let text = "a: x\u{85}y\nc: d\n";
        assert_eq!(
            edited(text, &[set("c", json!("e"))]),
            Err("a second YAML parser does not accept this document")
        );
        assert_eq!(
            edited("a: .inf\nc: d\n", &[set("c", json!("e"))]),
            Err("a value that has no meaning in JSON")
        );
    }
}
