//! Changes of what is said, whatever carries it.

use super::Change;
use crate::case::{Label, Patch};
use crate::drawing::Drawing;
use crate::generate::Carrier;
use crate::hand::Quoting;
use crate::trust::{CA, OLD_CA};
use crate::units::{self, Unit, host, tree};

pub(super) const ALL: &[Change] = &[
    insecure,
    wildcard,
    name_on_two_addresses,
    said_twice,
    said_twice_alike,
    scattered,
    not_literal,
];

fn insecure(drawing: &mut Drawing<'_>) -> Option<Label> {
    let at = carriers(drawing).first().copied()?;
    drop_our_tls(drawing);
    let ca = drawing.chance.percent(50).then(|| CA.clone());
    let insecure = Some(true);
    let host = drawing.wanted.registry.to_string();
    let unit = Unit::Tls {
        host,
        ca,
        has_identity: false,
        insecure,
    };
    drawing.put(unit, at);
    Some(Label::Refused("insecure-beside-ca"))
}

fn wildcard(drawing: &mut Drawing<'_>) -> Option<Label> {
    let at = carriers(drawing).first().copied()?;
    let ca = Some(OLD_CA.clone());
    let unit = Unit::Tls {
        host: "*".into(),
        ca,
        has_identity: false,
        insecure: None,
    };
    drawing.put(unit, at);
    Some(Label::Refused("wildcard-tls"))
}

fn name_on_two_addresses(drawing: &mut Drawing<'_>) -> Option<Label> {
    let carriers = carriers(drawing);
    let (first, last) = (*carriers.first()?, *carriers.last()?);
    drawing.put(host("192.0.2.20", &["two.example"]), first);
    drawing.put(host("192.0.2.21", &["two.example", "three.example"]), last);
    Some(Label::Refused("conflicting-alias"))
}

/// Two forms that Talos merges, one stale: which counts is decided by their order.
fn said_twice(drawing: &mut Drawing<'_>) -> Option<Label> {
    let (first, second) = merged_pair(drawing)?;
    drop_our_tls(drawing);
    let (stale, right) = (our_tls(drawing, &OLD_CA), our_tls(drawing, &CA));
    drawing.put(stale, first);
    drawing.put(right, second);
    Some(Label::Refused("said-twice"))
}

/// Both right: whoever hydrates it must leave the machine as it is.
fn said_twice_alike(drawing: &mut Drawing<'_>) -> Option<Label> {
    let (first, second) = merged_pair(drawing)?;
    drop_our_tls(drawing);
    let right = our_tls(drawing, &CA);
    drawing.put(right.clone(), first);
    drawing.put(right, second);
    Some(Label::Either)
}

/// The name in two lists that Talos concatenates.
fn scattered(drawing: &mut Drawing<'_>) -> Option<Label> {
    let carriers = carriers(drawing);
    let [first, second, ..] = carriers[..] else {
        return None;
    };
    let alias = drawing.wanted.alias();
    let is_ours = |unit: &Unit| match unit {
        Unit::Host { aliases, .. } => aliases.iter().any(|name| name == alias),
        _ => false,
    };
    drawing.placed.retain(|(unit, _)| !is_ours(unit));
    drawing.put(host("192.0.2.98", &[alias]), first);
    drawing.put(host("192.0.2.99", &[alias]), second);
    Some(Label::Refused("conflicting-alias"))
}

/// A stale CA in a string that cannot be edited byte for byte.
fn not_literal(drawing: &mut Drawing<'_>) -> Option<Label> {
    if !drawing.channels.strings {
        return None;
    }
    drop_our_tls(drawing);
    let value = units::v1alpha1(&[our_tls(drawing, &OLD_CA)]);
    let quotings = [Quoting::Double, Quoting::Single, Quoting::Folded];
    let patch = Patch::new(vec![tree(value)], *drawing.chance.pick(&quotings));
    drawing.spec.strings.push(patch);
    Some(Label::Refused("cannot-edit"))
}

/// All that the target takes, in any order.
fn carriers(drawing: &mut Drawing<'_>) -> Vec<Carrier> {
    let channels = drawing.channels;
    let all = [
        (channels.json, Carrier::Json),
        (channels.strings, Carrier::Fields(0)),
        (channels.strings, Carrier::Fields(1)),
        (channels.documents, Carrier::Document),
    ];
    let taken = all.into_iter().filter(|(is_taken, _)| *is_taken);
    let mut carriers: Vec<_> = taken.map(|(_, carrier)| carrier).collect();
    drawing.chance.shuffle(&mut carriers);
    carriers
}

/// Two carriers of which Talos merges the fields, where a document replaces them.
fn merged_pair(drawing: &mut Drawing<'_>) -> Option<(Carrier, Carrier)> {
    let mut merged = carriers(drawing);
    merged.retain(|carrier| *carrier != Carrier::Document);
    Some((*merged.first()?, *merged.get(1)?))
}

fn our_tls(drawing: &Drawing<'_>, ca: &str) -> Unit {
    let host = drawing.wanted.registry.to_string();
    Unit::Tls {
        host,
        ca: Some(ca.into()),
        has_identity: false,
        insecure: None,
    }
}

fn drop_our_tls(drawing: &mut Drawing<'_>) {
    let ours = drawing.wanted.registry;
    let is_ours = |unit: &Unit| matches!(unit, Unit::Tls { host, .. } if host == ours);
    drawing.placed.retain(|(unit, _)| !is_ours(unit));
}
