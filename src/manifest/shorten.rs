//! The committed patch list, shortened: which parents need it, and the changes that do it.

use super::bases::Base;
use super::consolidate::{Doubt, Patches, relation, takers};
use super::difference;
use super::engine::Step;
use super::fix::{Deed, FixedTarget, Subject};
use super::operations;
use super::placeholders;
use crate::diagnostic::{Code, Diagnostic};
use crate::talos::{OwnedParent, Relation};
use crate::yaml::{Change, Route};
use serde_json::{Value, json};

/// What hydration refuses about one parent.
pub(super) struct Trouble {
    parent: OwnedParent,
    findings: Vec<Diagnostic>,
}

/// The parents whose patches hydration would refuse.
pub(super) fn troubles(subject: &Subject<'_, '_>, parents: &[OwnedParent]) -> Vec<Trouble> {
    let trouble = |parent: &OwnedParent| {
        let mut findings = Vec::new();
        operations::owned(subject.file, subject.operations, &[*parent], &mut findings);
        (!findings.is_empty()).then_some(Trouble {
            parent: *parent,
            findings,
        })
    };
    parents.iter().filter_map(trouble).collect()
}

/// The changes that leave one patch on each troubled parent, or findings.
pub(super) fn shorten(
    subject: &Subject<'_, '_>,
    troubles: Vec<Trouble>,
    bases: &[Base],
    fixed: &mut FixedTarget,
    findings: &mut Vec<Diagnostic>,
) -> Option<Vec<Change>> {
    let mut patches = Patches::committed(subject.steps.clone());
    let known = findings.len();
    for trouble in troubles {
        let is_shared = |finding: &Diagnostic| finding.code == Code::OwnedAlias;
        if trouble.findings.iter().any(is_shared) {
            findings.extend(trouble.findings.into_iter().filter(is_shared));
            continue;
        }
        let touched = touching(subject, trouble.parent).map(|it| &subject.operations[it]);
        let open = placeholders::refusals(subject.file, subject.operations, touched);
        if !open.is_empty() {
            findings.extend(open);
            continue;
        }
        match patches.consolidated(trouble.parent, bases) {
            Ok(shorter) => {
                let touching = touching(subject, trouble.parent);
                fixed.deeds.push(Deed::Consolidated {
                    parent: trouble.parent,
                    patches: touching.map(|index| subject.place(index)).collect(),
                });
                patches = shorter;
            }
            Err(doubt) => findings.push(refusal(subject, trouble.parent, &doubt)),
        }
    }
    if findings.len() > known {
        return None;
    }
    fixed.proven_on = takers(&subject.steps, bases);
    Some(changes(subject, &patches))
}

fn touching(subject: &Subject<'_, '_>, parent: OwnedParent) -> impl Iterator<Item = usize> {
    let steps = subject.steps.iter().enumerate();
    steps
        .filter(move |(_, step)| relation(step, parent) != Relation::Unrelated)
        .map(|(index, _)| index)
}

fn refusal(subject: &Subject<'_, '_>, parent: OwnedParent, doubt: &Doubt) -> Diagnostic {
    let owned = parent.path();
    if let Doubt::NeverApplies(failure) = doubt {
        let path = &subject.steps[failure.at].path;
        let message = format!(
            "`{path}` fails on every base config: {}, so no machine gets a config",
            failure.why
        );
        let help = format!(
            "say what is wanted with one `add` of the whole value at `{owned}`, before patches inside it"
        );
        return Diagnostic::new(Code::NotProvable, message, help).at(subject.place(failure.at));
    }
    let why = match doubt {
        Doubt::Differs => "what they make of it depends on the base config",
        _ => "no single patch there makes the same config",
    };
    let message = format!("the patches around `{owned}` cannot be made one: {why}");
    let help = format!("say what is wanted with one `add` of the whole value at `{owned}`");
    let finding = Diagnostic::new(Code::NotProvable, message, help);
    touching(subject, parent).fold(finding, |finding, index| finding.at(subject.place(index)))
}

/// The changes that make the committed list the shorter one. Removals come last and from the end, so
/// that every index stays right until it is used.
fn changes(subject: &Subject<'_, '_>, patches: &Patches) -> Vec<Change> {
    let list = subject.target.route.key("configPatches");
    let mut changes = Vec::new();
    for (index, step) in patches.kept.iter().enumerate() {
        if let Some(step) = step {
            rewrite(subject, index, step, &list.index(index), &mut changes);
        }
    }
    for (index, _) in patches
        .kept
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, step)| step.is_none())
    {
        changes.push(Change::Remove {
            at: list.index(index),
        });
    }
    changes.extend(patches.appended.iter().map(|step| Change::Append {
        to: list.clone(),
        value: json!({"op": step.op, "path": step.path, "value": step.value}),
    }));
    changes
}

fn rewrite(
    subject: &Subject<'_, '_>,
    index: usize,
    step: &Step,
    at: &Route,
    changes: &mut Vec<Change>,
) {
    let committed = &subject.steps[index];
    for (key, old, new) in [
        ("op", &committed.op, &step.op),
        ("path", &committed.path, &step.path),
    ] {
        if old != new {
            changes.push(Change::Set {
                at: at.key(key),
                value: Value::String(new.clone()),
            });
        }
    }
    if committed.value == step.value {
        return;
    }
    match subject.operations[index].value {
        Some(value) => difference::changes(value, &at.key("value"), &step.value, changes),
        None => changes.push(Change::Insert {
            into: at.clone(),
            key: "value".into(),
            value: step.value.clone(),
        }),
    }
}
