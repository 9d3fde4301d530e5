//! Several JSON patches in and around an owned parent become one at the parent.
//!
//! Nothing is reasoned about single operations: the list is applied to every base of its target, and
//! a shorter list takes its place only where it makes the very same config of each of them.

use super::bases::Base;
use super::engine::{self, Failure, Step};
use crate::talos::{OwnedParent, Pointer, Relation};
use serde_json::Value;

/// A patch list on its way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Patches {
    /// What has become of each patch of the committed list; `None` where it goes.
    pub(super) kept: Vec<Option<Step>>,
    /// New ones after them.
    pub(super) appended: Vec<Step>,
}

/// Why a shorter list does not take the place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Doubt {
    /// The committed list fails on every base: no machine ever got a config from it. What failed is of
    /// the first base.
    NeverApplies(Failure),
    /// What the list makes of the parent depends on the base.
    Differs,
    /// No list with one patch on the parent makes the same configs.
    NoPosition,
}

impl Patches {
    /// The committed list.
    pub(super) fn committed(steps: Vec<Step>) -> Self {
        Self {
            kept: steps.into_iter().map(Some).collect(),
            appended: Vec::new(),
        }
    }

    /// As the provider sees it.
    pub(super) fn steps(&self) -> Vec<Step> {
        let kept = self.kept.iter().flatten();
        kept.chain(&self.appended).cloned().collect()
    }

    /// The list with one patch on `parent` at most and none inside it, where it is proven on all
    /// `bases` that take the list at all.
    pub(super) fn consolidated(&self, parent: OwnedParent, bases: &[Base]) -> Result<Self, Doubt> {
        let before = outcomes(&self.steps(), bases)?;
        let value = same_value(parent, &before)?;
        let candidates = self.positions(parent).into_iter();
        let candidates = candidates.map(|at| self.with_one_patch(parent, at, value.as_ref()));
        let is_equal = |candidate: &Self| {
            let steps = candidate.steps();
            let same = |(base, after): &(&Base, Value)| {
                engine::apply(base.document.clone(), &steps).as_ref() == Ok(after)
            };
            before.iter().all(same)
        };
        let mut proven = candidates.filter(is_equal);
        proven.next().ok_or(Doubt::NoPosition)
    }

    /// Where the one patch may stand, best first: where the last patch on the parent stands, where the
    /// first one inside it does, anywhere else where one does, at the end (`None`).
    fn positions(&self, parent: OwnedParent) -> Vec<Option<usize>> {
        let of = |wanted: &[Relation]| -> Vec<usize> {
            let kept = self.kept.iter().enumerate();
            kept.filter(|(_, step)| {
                let step = step.as_ref();
                step.is_some_and(|step| wanted.contains(&relation(step, parent)))
            })
            .map(|(at, _)| at)
            .collect()
        };
        let (same, below) = (of(&[Relation::Same]), of(&[Relation::Below]));
        let first = same.last().into_iter().chain(below.first());
        let any = of(&[Relation::Same, Relation::Below]);
        let ordered = first.chain(any.iter().rev()).map(|at| Some(*at));
        ordered.chain([None]).collect()
    }

    fn with_one_patch(
        &self,
        parent: OwnedParent,
        at: Option<usize>,
        value: Option<&Value>,
    ) -> Self {
        let mut list = self.clone();
        for (index, slot) in list.kept.iter_mut().enumerate() {
            let Some(step) = slot else { continue };
            match relation(step, parent) {
                Relation::Unrelated => {}
                Relation::Above => strip(step, parent),
                Relation::Same | Relation::Below => {
                    let value = value.filter(|_| at == Some(index));
                    *slot = value.map(|value| whole(parent, Some(step), value));
                }
            }
        }
        if at.is_none() {
            let new = value.map(|value| whole(parent, None, value));
            list.appended.extend(new);
        }
        list
    }
}

/// How a patch stands to a parent, by the path that its author meant.
pub(super) fn relation(step: &Step, parent: OwnedParent) -> Relation {
    Pointer::parse(&step.path).relation(parent)
}

/// A patch on the whole parent, in the place of `old`, whose `replace` is kept.
fn whole(parent: OwnedParent, old: Option<&Step>, value: &Value) -> Step {
    let is_replace =
        old.is_some_and(|old| old.op == "replace" && relation(old, parent) == Relation::Same);
    Step {
        op: if is_replace { "replace" } else { "add" }.into(),
        path: parent.path(),
        value: value.clone(),
    }
}

/// Takes what it says about the parent out of the value of a patch on an ancestor.
fn strip(step: &mut Step, parent: OwnedParent) {
    let depth = Pointer::parse(&step.path).segments().len();
    let keys = &parent.keys()[depth..];
    let Some((last, way)) = keys.split_last() else {
        return;
    };
    let holder = way
        .iter()
        .try_fold(&mut step.value, |value, key| value.get_mut(*key));
    if let Some(Value::Object(fields)) = holder {
        fields.shift_remove(*last);
    }
}

/// What the list makes of each base that takes it.
fn outcomes<'b>(steps: &[Step], bases: &'b [Base]) -> Result<Vec<(&'b Base, Value)>, Doubt> {
    let (mut made, mut failure) = (Vec::new(), None);
    for base in bases {
        match engine::apply(base.document.clone(), steps) {
            Ok(after) => made.push((base, after)),
            Err(failed) => failure = failure.or(Some(failed)),
        }
    }
    match failure {
        Some(failure) if made.is_empty() => Err(Doubt::NeverApplies(failure)),
        None if made.is_empty() => Err(Doubt::Differs),
        _ => Ok(made),
    }
}

/// The value at the parent, where all agree; `None` where it is not there.
fn same_value(parent: OwnedParent, made: &[(&Base, Value)]) -> Result<Option<Value>, Doubt> {
    let pointer = parent.path();
    let mut values = made.iter().map(|(_, after)| after.pointer(&pointer));
    let first = values.next().ok_or(Doubt::Differs)?;
    if values.all(|value| value == first) {
        Ok(first.cloned())
    } else {
        Err(Doubt::Differs)
    }
}

/// The names of the bases that take the list.
pub(super) fn takers(steps: &[Step], bases: &[Base]) -> Vec<String> {
    let made = outcomes(steps, bases).unwrap_or_default();
    made.into_iter()
        .map(|(base, _)| base.maker.clone())
        .collect()
}

#[cfg(test)]
mod tests;
