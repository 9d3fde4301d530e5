//! What must not be hydrated, put into a spec that could be.

use super::case::{Label, Op, Patch, map};
use super::chance::Chance;
use super::generate::{Carrier, Drawing, host};
use super::hand::{Quoting, Tree};
use super::menu;
use super::trust::{CA, OLD_CA};
use super::units::{self, Unit, tree};
use serde_json::{Value, json};

/// One thing that makes a spec ambiguous, or broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twist {
    Insecure,
    WildcardTls,
    NameOnTwoAddresses,
    SaidTwice,
    Scattered,
    NotLiteral,
    Nested,
    MissingSlash,
    Ancestor,
    OtherOp,
    DuplicateParent,
    HiddenJson,
    Anchored,
    JsonOnDocuments,
    EmptyPatch,
    DuplicateDocument,
    UnknownDocument,
    CrashingDocument,
    PatchDelete,
    VersionInvalid,
    VersionUnset,
    NoStrategic,
    DuplicateKey,
    NotAString,
}

impl Twist {
    pub(crate) const ALL: [Self; 24] = [
        Self::Insecure,
        Self::WildcardTls,
        Self::NameOnTwoAddresses,
        Self::SaidTwice,
        Self::Scattered,
        Self::NotLiteral,
        Self::Nested,
        Self::MissingSlash,
        Self::Ancestor,
        Self::OtherOp,
        Self::DuplicateParent,
        Self::HiddenJson,
        Self::Anchored,
        Self::JsonOnDocuments,
        Self::EmptyPatch,
        Self::DuplicateDocument,
        Self::UnknownDocument,
        Self::CrashingDocument,
        Self::PatchDelete,
        Self::VersionInvalid,
        Self::VersionUnset,
        Self::NoStrategic,
        Self::DuplicateKey,
        Self::NotAString,
    ];

    pub(crate) fn draw(chance: &mut Chance) -> Self {
        *chance.pick(&Self::ALL)
    }

    /// Twists of what is said; the drawing stays plain where the target cannot hold it.
    pub(crate) fn apply_to_units(self, drawing: &mut Drawing<'_>) {
        let carriers = open_carriers(drawing);
        let Some(first) = carriers.first().copied() else {
            return;
        };
        let code = match self {
            Self::Insecure => insecure(drawing, first),
            Self::WildcardTls => wildcard(drawing, first),
            Self::NameOnTwoAddresses => {
                let second = *drawing.chance.pick(&carriers);
                drawing.put(host("192.0.2.20", &["two.example"]), first);
                drawing.put(
                    host("192.0.2.21", &["two.example", "three.example"]),
                    second,
                );
                Some("conflicting-alias")
            }
            Self::SaidTwice => said_twice(drawing, &carriers),
            Self::Scattered => scattered(drawing, &carriers),
            Self::NotLiteral => not_literal(drawing),
            _ => None,
        };
        if let Some(code) = code {
            drawing.label = Label::Refused(code);
        }
    }

    /// Twists of the lists themselves.
    pub(crate) fn apply_to_spec(self, drawing: &mut Drawing<'_>) {
        let code = match self {
            Self::Nested => nested(drawing),
            Self::MissingSlash => add_op(drawing, missing_slash(), "unsupported-op"),
            Self::Ancestor => ancestor(drawing),
            Self::OtherOp => other_op(drawing),
            Self::DuplicateParent => duplicate_parent(drawing),
            Self::HiddenJson => add_string(drawing, Patch::verbatim(HIDDEN), "hidden-json-patch"),
            Self::Anchored => anchored(drawing),
            Self::JsonOnDocuments => json_on_documents(drawing),
            Self::EmptyPatch => empty_patch(drawing),
            Self::DuplicateDocument => duplicate_document(drawing),
            Self::UnknownDocument => unknown_document(drawing),
            Self::CrashingDocument => crashing_document(drawing),
            Self::PatchDelete => patch_delete(drawing),
            Self::VersionInvalid => {
                drawing.spec.talos =
                    Some(
                        *drawing
                            .chance
                            .pick(&["v1", "latest", "v1.12-rc.1", "v1.9 "]),
                    );
                Some("talos-version-invalid")
            }
            Self::VersionUnset => version_unset(drawing),
            Self::NoStrategic => no_strategic(drawing),
            Self::DuplicateKey => add_op(drawing, duplicate_key(), "duplicate-key"),
            Self::NotAString => not_a_string(drawing),
            _ => None,
        };
        if let Some(code) = code {
            drawing.label = Label::Refused(code);
        }
    }
}

const HIDDEN: &str = "- op: add\n  path: /machine/registries/mirrors\n  value: {}\n";

fn open_carriers(drawing: &mut Drawing<'_>) -> Vec<Carrier> {
    let channels = drawing.channels;
    let mut carriers = Vec::new();
    if channels.json {
        carriers.push(Carrier::Json);
    }
    if channels.strings {
        carriers.extend([Carrier::Fields(0), Carrier::Fields(1)]);
    }
    if channels.documents {
        carriers.push(Carrier::Document);
    }
    drawing.chance.shuffle(&mut carriers);
    carriers
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
    drawing
        .placed
        .retain(|(unit, _)| !matches!(unit, Unit::Tls { host, .. } if host == ours));
}

fn insecure(drawing: &mut Drawing<'_>, at: Carrier) -> Option<&'static str> {
    drop_our_tls(drawing);
    let host = drawing.wanted.registry.to_string();
    let ca = drawing.chance.percent(50).then(|| CA.clone());
    drawing.put(
        Unit::Tls {
            host,
            ca,
            has_identity: false,
            insecure: Some(true),
        },
        at,
    );
    Some("insecure-beside-ca")
}

fn wildcard(drawing: &mut Drawing<'_>, at: Carrier) -> Option<&'static str> {
    let ca = Some(OLD_CA.clone());
    drawing.put(
        Unit::Tls {
            host: "*".into(),
            ca,
            has_identity: false,
            insecure: None,
        },
        at,
    );
    Some("wildcard-tls")
}

/// Two forms that Talos merges, one stale: which counts is decided by their order.
fn said_twice(drawing: &mut Drawing<'_>, carriers: &[Carrier]) -> Option<&'static str> {
    let merged: Vec<_> = carriers
        .iter()
        .filter(|carrier| **carrier != Carrier::Document)
        .collect();
    let [first, second, ..] = merged[..] else {
        return None;
    };
    drop_our_tls(drawing);
    let (stale, right) = (our_tls(drawing, &OLD_CA), our_tls(drawing, &CA));
    drawing.put(stale, *first);
    drawing.put(right, *second);
    Some("said-twice")
}

/// The name in two lists that Talos concatenates.
fn scattered(drawing: &mut Drawing<'_>, carriers: &[Carrier]) -> Option<&'static str> {
    let [first, second, ..] = carriers[..] else {
        return None;
    };
    let alias = drawing.wanted.alias();
    let is_ours = |unit: &Unit| matches!(unit, Unit::Host { aliases, .. } if aliases.iter().any(|name| name == alias));
    drawing.placed.retain(|(unit, _)| !is_ours(unit));
    drawing.put(host("192.0.2.98", &[alias]), first);
    drawing.put(host("192.0.2.99", &[alias]), second);
    Some("conflicting-alias")
}

/// A stale CA in a string that cannot be edited byte for byte.
fn not_literal(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    if !drawing.channels.strings {
        return None;
    }
    drop_our_tls(drawing);
    let value = units::v1alpha1(&[our_tls(drawing, &OLD_CA)]);
    let quoting = *drawing
        .chance
        .pick(&[Quoting::Double, Quoting::Single, Quoting::Folded]);
    drawing
        .spec
        .strings
        .push(Patch::new(vec![tree(value)], quoting));
    Some("cannot-edit")
}

fn add_op(drawing: &mut Drawing<'_>, op: Op, code: &'static str) -> Option<&'static str> {
    if !drawing.channels.json {
        return None;
    }
    let at = drawing.chance.below(drawing.spec.ops.len() + 1);
    drawing.spec.ops.insert(at, op);
    Some(code)
}

fn add_string(drawing: &mut Drawing<'_>, patch: Patch, code: &'static str) -> Option<&'static str> {
    if !drawing.channels.strings {
        return None;
    }
    let at = drawing.chance.below(drawing.spec.strings.len() + 1);
    drawing.spec.strings.insert(at, patch);
    Some(code)
}

fn nested(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let registry = drawing.wanted.registry;
    let paths = [
        ("/machine/registries/mirrors".to_string(), json!({})),
        (
            format!("/machine/registries/config/{registry}"),
            json!({"tls": {}}),
        ),
        (
            "/machine/registries/config/a.example~1b/tls".into(),
            json!({}),
        ),
        ("/machine/registries/".into(), json!({})),
        (
            "/machine/network/extraHostEntries/-".into(),
            json!({"ip": "192.0.2.1", "aliases": ["a"]}),
        ),
        (
            "/machine/network/extraHostEntries/0".into(),
            json!({"ip": "192.0.2.1", "aliases": ["a"]}),
        ),
        (
            "/machine/network/extraHostEntries/-1".into(),
            json!({"ip": "192.0.2.1", "aliases": ["a"]}),
        ),
    ];
    let (path, value) = drawing.chance.pick(&paths).clone();
    add_op(drawing, Op::add(&path, tree(value)), "nested-patch")
}

fn missing_slash() -> Op {
    Op::add("machine/registries", tree(json!({"mirrors": {}})))
}

fn ancestor(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let carrying = json!({"extraHostEntries": [{"ip": "192.0.2.1", "aliases": ["a.example"]}]});
    let ops = [
        Op::add("/machine/network", tree(carrying)),
        Op {
            op: "remove",
            path: "/machine/network".into(),
            value: None,
        },
        Op {
            op: "replace",
            path: "/machine".into(),
            value: Some(tree(json!({"type": "worker"}))),
        },
        Op {
            op: "replace",
            path: String::new(),
            value: Some(tree(json!({"machine": {}}))),
        },
    ];
    let op = drawing.chance.pick(&ops).clone();
    add_op(drawing, op, "ancestor-patch")
}

fn other_op(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let paths = [
        "/machine/registries",
        "/machine/network/extraHostEntries",
        "/machine/registries/mirrors",
    ];
    let op = *drawing.chance.pick(&["remove", "test", "move", "copy"]);
    let (path, value) = (
        (*drawing.chance.pick(&paths)).to_string(),
        (op == "test").then(|| tree(Value::Null)),
    );
    add_op(drawing, Op { op, path, value }, "unsupported-op")
}

fn duplicate_parent(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    if !drawing.channels.json {
        return None;
    }
    let is_there = |op: &Op| op.path == "/machine/registries";
    for _ in drawing.spec.ops.iter().filter(|op| is_there(op)).count()..2 {
        drawing
            .spec
            .ops
            .push(Op::add("/machine/registries", tree(json!({"mirrors": {}}))));
    }
    Some("duplicate-parent")
}

fn anchored(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let value = || {
        Box::new(tree(
            json!({"mirrors": {"quay.io": {"endpoints": ["https://q.example"]}}}),
        ))
    };
    if drawing
        .spec
        .ops
        .iter()
        .any(|op| op.path == "/machine/registries")
    {
        return None;
    }
    let is_in_string = drawing.chance.percent(50);
    if is_in_string {
        let registries = Tree::Anchor("shared", value());
        let document = map([("machine", map([("registries", registries)]))]);
        return add_string(
            drawing,
            Patch::new(vec![document], Quoting::Literal),
            "owned-alias",
        );
    }
    add_op(
        drawing,
        Op::add("/machine/registries", Tree::Anchor("shared", value())),
        "owned-alias",
    )
}

fn json_on_documents(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    if drawing.channels.json {
        return None;
    }
    drawing.spec.ops.push(menu::operation(drawing.chance));
    Some("json-patch-on-documents")
}

fn empty_patch(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let texts = [
        "",
        "# nothing yet\n",
        "---\n",
        "machine:\n  sysctls: {a: \"1\"}\n---\n",
    ];
    let text = *drawing.chance.pick(&texts);
    add_string(drawing, Patch::verbatim(text), "empty-patch")
}

fn duplicate_document(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let document = menu::documents().swap_remove(0).1;
    let twice = vec![tree(document.clone()), tree(document)];
    add_string(
        drawing,
        Patch::new(twice, Quoting::Literal),
        "duplicate-document",
    )
}

fn unknown_document(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let minor = drawing.channels.minor;
    let newer: Vec<Value> = menu::documents()
        .into_iter()
        .filter(|(since, _)| *since > minor)
        .map(|(_, document)| document)
        .collect();
    if newer.is_empty() {
        return None;
    }
    let document = drawing.chance.pick(&newer).clone();
    add_string(
        drawing,
        Patch::new(vec![tree(document)], Quoting::Literal),
        "unknown-document",
    )
}

fn crashing_document(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    if !(drawing.channels.crashes && drawing.channels.documents) {
        return None;
    }
    let unit = Unit::Tls {
        host: "harbor.example".into(),
        ca: Some(OLD_CA.clone()),
        has_identity: false,
        insecure: None,
    };
    add_string(
        drawing,
        Patch::new(vec![tree(unit.document())], Quoting::Literal),
        "crashing-document",
    )
}

fn patch_delete(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    let registry = drawing.wanted.registry;
    let deletions = [
        json!({"machine": {"registries": {"$patch": "delete"}}}),
        json!({"machine": {"registries": {"config": {registry: {"$patch": "delete"}}}}}),
        json!({"machine": {"network": {"extraHostEntries": [{"ip": "192.0.2.1", "$patch": "delete"}]}}}),
        json!({"machine": {"network": {"$patch": "delete"}}}),
    ];
    let value = drawing.chance.pick(&deletions).clone();
    add_string(
        drawing,
        Patch::new(vec![tree(value)], Quoting::Literal),
        "patch-delete",
    )
}

fn version_unset(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    if drawing.provider.is_some() || drawing.spec.data.is_some() {
        return None;
    }
    drawing.spec.talos = None;
    Some("talos-version-unset")
}

fn no_strategic(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    if drawing.channels.strings {
        return None;
    }
    let patch = Patch::new(vec![tree(menu::fields(drawing.chance))], Quoting::Literal);
    drawing.spec.strings.push(patch);
    Some("no-strategic-patches")
}

fn duplicate_key() -> Op {
    let mirror = || tree(json!({"endpoints": []}));
    Op::add(
        "/machine/registries",
        map([("mirrors", mirror()), ("mirrors", mirror())]),
    )
}

fn not_a_string(drawing: &mut Drawing<'_>) -> Option<&'static str> {
    if !drawing.channels.strings {
        return None;
    }
    drawing.spec.bare = Some(tree(menu::fields(drawing.chance)));
    Some("wrong-shape")
}
