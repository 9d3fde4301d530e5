//! Changes of the patch lists themselves.

use super::Change;
use crate::case::{Label, Op, Patch, map};
use crate::drawing::Drawing;
use crate::hand::{Quoting, Tree};
use crate::menu;
use crate::trust::OLD_CA;
use crate::units::{Unit, tree};
use hydrant::talos::TalosVersion;
use serde_json::{Value, json};

pub(super) const ALL: &[Change] = &[
    nested,
    missing_slash,
    ancestor,
    other_op,
    duplicate_parent,
    duplicate_key,
    hidden_json_patch,
    hidden_stranger,
    anchored,
    aliased,
    json_on_documents,
    empty_patch,
    not_a_string,
    duplicate_document,
    unknown_document,
    crashing_document,
    patch_delete,
    version_invalid,
    version_unset,
    no_strategic_patches,
];

fn add_op(drawing: &mut Drawing<'_>, op: Op, code: &'static str) -> Option<Label> {
    if !drawing.channels.json {
        return None;
    }
    let at = drawing.chance.below(drawing.spec.ops.len() + 1);
    drawing.spec.ops.insert(at, op);
    Some(Label::Refused(code))
}

fn add_string(drawing: &mut Drawing<'_>, patch: Patch, label: Label) -> Option<Label> {
    if !drawing.channels.strings {
        return None;
    }
    let at = drawing.chance.below(drawing.spec.strings.len() + 1);
    drawing.spec.strings.insert(at, patch);
    Some(label)
}

fn add_document(drawing: &mut Drawing<'_>, document: Value, code: &'static str) -> Option<Label> {
    let patch = Patch::new(vec![tree(document)], Quoting::Literal);
    add_string(drawing, patch, Label::Refused(code))
}

fn nested(drawing: &mut Drawing<'_>) -> Option<Label> {
    let entry = || json!({"ip": "192.0.2.1", "aliases": ["a"]});
    let host = drawing.wanted.registry;
    let paths = [
        ("/machine/registries/mirrors".to_string(), json!({})),
        (
            format!("/machine/registries/config/{host}"),
            json!({"tls": {}}),
        ),
        (
            "/machine/registries/config/a.example~1b/tls".into(),
            json!({}),
        ),
        ("/machine/registries/".into(), json!({})),
        ("/machine/network/extraHostEntries/-".into(), entry()),
        ("/machine/network/extraHostEntries/0".into(), entry()),
        ("/machine/network/extraHostEntries/-1".into(), entry()),
    ];
    let (path, value) = drawing.chance.pick(&paths).clone();
    add_op(drawing, Op::add(&path, value), "nested-patch")
}

fn missing_slash(drawing: &mut Drawing<'_>) -> Option<Label> {
    let op = Op::add("machine/registries", json!({"mirrors": {}}));
    add_op(drawing, op, "unsupported-op")
}

fn ancestor(drawing: &mut Drawing<'_>) -> Option<Label> {
    let entries = json!({"extraHostEntries": [{"ip": "192.0.2.1", "aliases": ["a.example"]}]});
    let replace = |path, value| Op {
        op: "replace",
        ..Op::add(path, value)
    };
    let ops = [
        Op::add("/machine/network", entries),
        Op {
            op: "remove",
            path: "/machine/network".into(),
            value: None,
        },
        replace("/machine", json!({"type": "worker"})),
        replace("", json!({"machine": {}})),
    ];
    let op = drawing.chance.pick(&ops).clone();
    add_op(drawing, op, "ancestor-patch")
}

fn other_op(drawing: &mut Drawing<'_>) -> Option<Label> {
    let hosts = "/machine/network/extraHostEntries";
    let paths = ["/machine/registries", hosts, "/machine/registries/mirrors"];
    let path = (*drawing.chance.pick(&paths)).to_string();
    let op = *drawing.chance.pick(&["remove", "test", "move", "copy"]);
    let value = (op == "test").then_some(Tree::Plain(Value::Null));
    add_op(drawing, Op { op, path, value }, "unsupported-op")
}

fn duplicate_parent(drawing: &mut Drawing<'_>) -> Option<Label> {
    let path = "/machine/registries";
    if !drawing.spec.ops.iter().any(|op| op.path == path) {
        add_op(drawing, Op::add(path, json!({"mirrors": {}})), "")?;
    }
    add_op(
        drawing,
        Op::add(path, json!({"mirrors": {}})),
        "duplicate-parent",
    )
}

fn duplicate_key(drawing: &mut Drawing<'_>) -> Option<Label> {
    let mirrors = || ("mirrors", tree(json!({})));
    let op = Op::add("/machine/registries", map([mirrors(), mirrors()]));
    add_op(drawing, op, "duplicate-key")
}

fn hidden_json_patch(drawing: &mut Drawing<'_>) -> Option<Label> {
    let text = "- op: add\n  path: /machine/registries/mirrors\n  value: {}\n";
    add_string(
        drawing,
        Patch::verbatim(text),
        Label::Refused("hidden-json-patch"),
    )
}

/// A hidden JSON patch that touches nothing of ours works, where JSON patches do.
fn hidden_stranger(drawing: &mut Drawing<'_>) -> Option<Label> {
    let text = "- op: add\n  path: /machine/sysctls\n  value: {a.b: \"1\"}\n";
    add_string(drawing, Patch::verbatim(text), Label::Either)
}

fn anchored(drawing: &mut Drawing<'_>) -> Option<Label> {
    let value = json!({"mirrors": {"quay.io": {"endpoints": ["https://q.example"]}}});
    let value = Tree::Anchor("shared", Box::new(tree(value)));
    if drawing.chance.percent(50) {
        let document = map([("machine", map([("registries", value)]))]);
        let patch = Patch::new(vec![document], Quoting::Literal);
        return add_string(drawing, patch, Label::Refused("owned-alias"));
    }
    add_registries(drawing, value)
}

/// The owned value is an alias, or has a merge key, of a value elsewhere.
fn aliased(drawing: &mut Drawing<'_>) -> Option<Label> {
    let elsewhere = Tree::Anchor("shared", Box::new(tree(json!({}))));
    let value = if drawing.chance.percent(50) {
        Tree::Alias("shared")
    } else {
        map([("<<", Tree::Alias("shared")), ("mirrors", tree(json!({})))])
    };
    let label = add_registries(drawing, value)?;
    drawing
        .spec
        .ops
        .insert(0, Op::add("/machine/nodeAnnotations", elsewhere));
    Some(label)
}

fn add_registries(drawing: &mut Drawing<'_>, value: Tree) -> Option<Label> {
    let path = "/machine/registries";
    drawing.spec.ops.retain(|op| op.path != path);
    add_op(drawing, Op::add(path, value), "owned-alias")
}

fn json_on_documents(drawing: &mut Drawing<'_>) -> Option<Label> {
    if drawing.channels.json {
        return None;
    }
    drawing.spec.ops.push(menu::operation(drawing.chance));
    Some(Label::Refused("json-patch-on-documents"))
}

fn empty_patch(drawing: &mut Drawing<'_>) -> Option<Label> {
    let trailing = "machine:\n  sysctls: {a: \"1\"}\n---\n";
    let text = *drawing
        .chance
        .pick(&["", "# nothing yet\n", "---\n", trailing]);
    add_string(
        drawing,
        Patch::verbatim(text),
        Label::Refused("empty-patch"),
    )
}

fn not_a_string(drawing: &mut Drawing<'_>) -> Option<Label> {
    if !drawing.channels.strings {
        return None;
    }
    drawing.spec.bare = Some(tree(menu::fields(drawing.chance)));
    Some(Label::Refused("wrong-shape"))
}

fn duplicate_document(drawing: &mut Drawing<'_>) -> Option<Label> {
    let document = menu::documents().swap_remove(0).1;
    let twice = vec![tree(document.clone()), tree(document)];
    let patch = Patch::new(twice, Quoting::Literal);
    add_string(drawing, patch, Label::Refused("duplicate-document"))
}

fn unknown_document(drawing: &mut Drawing<'_>) -> Option<Label> {
    let talos = drawing.spec.talos.and_then(TalosVersion::parse);
    let minor = menu::known_minor(talos, drawing.provider);
    let mut newer = menu::documents();
    newer.retain(|(since, _)| *since > minor);
    if newer.is_empty() {
        return None;
    }
    let document = drawing.chance.pick(&newer).1.clone();
    add_document(drawing, document, "unknown-document")
}

fn crashing_document(drawing: &mut Drawing<'_>) -> Option<Label> {
    if !(drawing.channels.crashes && drawing.channels.documents) {
        return None;
    }
    let (host, ca) = ("harbor.example".into(), Some(OLD_CA.clone()));
    let unit = Unit::Tls {
        host,
        ca,
        has_identity: false,
        insecure: None,
    };
    add_document(drawing, unit.document(), "crashing-document")
}

fn patch_delete(drawing: &mut Drawing<'_>) -> Option<Label> {
    let registry = drawing.wanted.registry;
    let delete = || json!({"$patch": "delete"});
    let entry = json!({"ip": "192.0.2.1", "$patch": "delete"});
    let deletions = [
        json!({"machine": {"registries": delete()}}),
        json!({"machine": {"registries": {"config": {registry: delete()}}}}),
        json!({"machine": {"network": {"extraHostEntries": [entry]}}}),
        json!({"machine": {"network": delete()}}),
    ];
    let value = drawing.chance.pick(&deletions).clone();
    add_document(drawing, value, "patch-delete")
}

#[expect(clippy::unnecessary_wraps, reason = "one signature for all changes")]
fn version_invalid(drawing: &mut Drawing<'_>) -> Option<Label> {
    let texts = ["v1", "latest", "v1.12-rc.1", "v1.9 "];
    drawing.spec.talos = Some(*drawing.chance.pick(&texts));
    Some(Label::Refused("talos-version-invalid"))
}

fn version_unset(drawing: &mut Drawing<'_>) -> Option<Label> {
    if drawing.provider.is_some() || drawing.spec.data.is_some() {
        return None;
    }
    drawing.spec.talos = None;
    Some(Label::Refused("talos-version-unset"))
}

fn no_strategic_patches(drawing: &mut Drawing<'_>) -> Option<Label> {
    if drawing.channels.strings {
        return None;
    }
    let patch = Patch::new(vec![tree(menu::fields(drawing.chance))], Quoting::Literal);
    drawing.spec.strings.push(patch);
    Some(Label::Refused("no-strategic-patches"))
}
