//! The smallest spec that shows the same fault.

use super::case::{Case, Label, Spec};
use super::hand::Hand;
use super::judge::judge;
use super::oracle::Oracles;

/// Takes away what the fault does not need, piece by piece, until nothing more can go.
pub(crate) fn smallest(oracles: &Oracles, case: &Case) -> Case {
    let Some(wanted) = first_kind(oracles, case) else {
        return case.clone();
    };
    let mut smallest = case.clone();
    while let Some(next) = smaller(&smallest)
        .into_iter()
        .find(|candidate| first_kind(oracles, candidate).as_ref() == Some(&wanted))
    {
        smallest = next;
    }
    smallest
}

/// A fault without what varies in it: what hydrant said where it refused, else which check failed.
pub(crate) fn kind_of(fault: &str) -> String {
    let (kind, rest) = fault.split_once(':').unwrap_or((fault, ""));
    match kind {
        "refused" | "code" | "accepted" => format!("{kind}:{rest}"),
        "machine" => {
            let said = rest.rsplit(" → ").next().unwrap_or_default();
            let said = said.split_once(": ").map_or("", |(_, said)| said);
            let said = said.split([':', '[']).next().unwrap_or_default();
            format!("{kind}: {said}")
        }
        _ => kind.to_string(),
    }
}

fn first_kind(oracles: &Oracles, case: &Case) -> Option<String> {
    judge(oracles, case)
        .faults
        .first()
        .map(|fault| kind_of(fault))
}

/// Every case that has one piece less. What makes it ambiguous is in its first spec, which stays whole then.
fn smaller(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut less = |change: &dyn Fn(&mut Case)| {
        let mut next = case.clone();
        change(&mut next);
        all.push(next);
    };
    less(&|next| next.is_crlf = false);
    less(&|next| next.lacks_end = false);
    less(&|next| next.wanted.has_defaults = false);
    less(&|next| next.hand = Hand::default());
    let is_plain = case.label == Label::Plain;
    for (at, object) in case.objects.iter().enumerate() {
        if case.objects.len() > 1 && (is_plain || at > 0) {
            less(&|next| drop(next.objects.remove(at)));
        }
        for spec in 0..object.specs.len() {
            if object.specs.len() > 1 && (is_plain || spec > 0) {
                less(&|next| drop(next.objects[at].specs.remove(spec)));
            }
            if is_plain {
                for smaller in smaller_specs(&object.specs[spec]) {
                    less(&|next| next.objects[at].specs[spec] = smaller.clone());
                }
            }
        }
    }
    all.retain(|next| {
        next.manifest() != case.manifest() || next.wanted.has_defaults != case.wanted.has_defaults
    });
    all
}

fn smaller_specs(spec: &Spec) -> Vec<Spec> {
    let mut all = vec![Spec {
        blank_list: None,
        has_hostname: false,
        ..spec.clone()
    }];
    let mut less = |change: &dyn Fn(&mut Spec)| {
        let mut next = spec.clone();
        change(&mut next);
        all.push(next);
    };
    for op in 0..spec.ops.len() {
        less(&|next| drop(next.ops.remove(op)));
    }
    for (at, string) in spec.strings.iter().enumerate() {
        less(&|next| drop(next.strings.remove(at)));
        for document in 0..string.documents.len() {
            if string.documents.len() > 1 {
                less(&|next| drop(next.strings[at].documents.remove(document)));
            }
        }
    }
    all
}
