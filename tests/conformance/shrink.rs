//! The smallest spec that shows the same fault.

use super::case::{Case, Spec};
use super::hand::Hand;
use super::judge::judge;
use super::oracle::Oracles;

/// Takes away what the fault does not need, piece by piece, until nothing more can go.
pub(crate) fn smallest(oracles: &Oracles, case: &Case) -> Case {
    let Some(wanted) = kind_of(oracles, case) else {
        return case.clone();
    };
    let mut smallest = case.clone();
    while let Some(next) = smaller(&smallest)
        .into_iter()
        .find(|candidate| kind_of(oracles, candidate).as_ref() == Some(&wanted))
    {
        smallest = next;
    }
    smallest
}

/// The first fault without what varies in it.
fn kind_of(oracles: &Oracles, case: &Case) -> Option<String> {
    let verdict = judge(oracles, case);
    let first = verdict.faults.first()?;
    let (kind, rest) = first.split_once(':')?;
    // A refusal is told by its codes, anything else by the kind of check that failed.
    Some(if kind == "refused" {
        format!("{kind}{rest}")
    } else {
        kind.to_string()
    })
}

fn smaller(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut Case)| {
        let mut next = case.clone();
        change(&mut next);
        all.push(next);
    };
    for object in 0..case.objects.len() {
        if case.objects.len() > 1 {
            push(&|next| drop(next.objects.remove(object)));
        }
        for spec in 0..case.objects[object].specs.len() {
            if case.objects[object].specs.len() > 1 {
                push(&|next| drop(next.objects[object].specs.remove(spec)));
            }
            let at = &case.objects[object].specs[spec];
            for op in 0..at.ops.len() {
                push(&|next| drop(next.objects[object].specs[spec].ops.remove(op)));
            }
            for string in 0..at.strings.len() {
                push(&|next| drop(next.objects[object].specs[spec].strings.remove(string)));
                for document in 0..at.strings[string].documents.len() {
                    if at.strings[string].documents.len() > 1 {
                        let take =
                            |spec: &mut Spec| drop(spec.strings[string].documents.remove(document));
                        push(&|next| take(&mut next.objects[object].specs[spec]));
                    }
                }
            }
            if at.blank_list.is_some() {
                push(&|next| next.objects[object].specs[spec].blank_list = None);
            }
        }
    }
    if case.is_crlf {
        push(&|next| next.is_crlf = false);
    }
    if case.wanted.has_defaults {
        push(&|next| next.wanted.has_defaults = false);
    }
    let plain = Hand::default();
    if format!("{plain:?}") != format!("{:?}", case.hand) {
        push(&|next| next.hand = plain);
    }
    all
}
