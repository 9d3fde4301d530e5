//! H4 and H9: patches that cannot be merged with, or that Talos does not take.

use super::{REGISTRY, entries, host, no_mirrors, registries, tls};
use crate::case::{Op, Patch, map};
use crate::hand::{Quoting, Tree};
use crate::oracle::Oracles;
use crate::releases::PROVIDERS;
use crate::stage::{literal, worker};
use crate::trust::CA;
use crate::units::{self, tree};
use serde_json::json;

#[test]
fn h4_whatever_would_make_the_result_depend_on_order_is_refused() {
    let op = |op, path: &str| Op {
        op,
        path: path.into(),
        value: None,
    };
    let add = |path: &str| Op::add(path, no_mirrors());
    let carrying = json!({"extraHostEntries": []});
    let refused = [
        (add("/machine/registries/mirrors"), "nested-patch"),
        (
            add("/machine/registries/config/a.example~1b"),
            "nested-patch",
        ),
        (add("/machine/registries/"), "nested-patch"),
        (add("/machine/network/extraHostEntries/-"), "nested-patch"),
        (add("/machine/network/extraHostEntries/-1"), "nested-patch"),
        (
            add("/machine/network/extraHostEntries/0/aliases"),
            "nested-patch",
        ),
        (add("machine/registries"), "unsupported-op"),
        (op("remove", "/machine/registries"), "unsupported-op"),
        (op("test", "/machine/registries"), "unsupported-op"),
        (op("move", "/machine/registries"), "unsupported-op"),
        (
            op("copy", "/machine/network/extraHostEntries"),
            "unsupported-op",
        ),
        (
            op("remove", "/machine/registries/mirrors"),
            "unsupported-op",
        ),
        (op("remove", "/machine/network"), "ancestor-patch"),
        (op("remove", "/machine"), "ancestor-patch"),
        (
            Op::add("/machine/network", tree(carrying)),
            "ancestor-patch",
        ),
        (
            Op {
                op: "replace",
                ..Op::add("", no_mirrors())
            },
            "ancestor-patch",
        ),
    ];
    for (op, code) in refused {
        worker("v1.9.5").op(op).template().is_refused(code);
    }
}

#[test]
fn h4_an_ancestor_that_comes_later_erases_ours_and_is_refused() {
    let oracles = Oracles::shared();
    let network = || {
        Op::add(
            "/machine/network",
            tree(json!({"nameservers": ["192.0.2.53"]})),
        )
    };
    let ours = || entries(&[host("192.0.2.1", &["a.example"])]);

    worker("v1.9.5")
        .op(ours())
        .op(network())
        .template()
        .is_refused("ancestor-patch");
    worker("v1.9.5")
        .op(network())
        .op(ours())
        .template()
        .hydrated(oracles);
}

#[test]
fn h4_two_patches_on_one_parent_are_refused() {
    let twice = worker("v1.9.5").op(registries(&[])).op(registries(&[]));
    twice.template().is_refused("duplicate-parent");
}

#[test]
fn h4_a_json_patch_hidden_in_a_string_is_refused() {
    let oracles = Oracles::shared();
    let hidden = "- op: add\n  path: /machine/registries\n  value: {mirrors: {}}\n";
    let case = worker("v1.9.5")
        .op(registries(&[tls(&CA)]))
        .string(Patch::verbatim(hidden))
        .template();
    let config = oracles
        .build("v1.9.0", &case.committed())
        .expect("the provider takes it");

    assert!(
        oracles
            .read("v1.9.5", &config)
            .expect("the node takes it")
            .facts
            .tls
            .is_empty()
    );
    case.is_refused("hidden-json-patch");
}

#[test]
fn h9_a_patch_without_content_is_refused() {
    let oracles = Oracles::shared();
    for text in ["", "# nothing yet\n", "---\n"] {
        let case = worker("v1.12.6").string(Patch::verbatim(text)).template();
        assert!(
            oracles.build("v1.12.0", &case.committed()).is_err(),
            "{text:?}"
        );
        case.is_refused("empty-patch");
    }
    let trailing = worker("v1.12.6")
        .string(Patch::verbatim("debug: false\n---\n"))
        .template();
    assert!(oracles.build("v1.12.0", &trailing.committed()).is_err());
    trailing.is_refused("empty-patch");
}

#[test]
fn h9_a_document_that_stands_twice_in_a_string_is_refused() {
    let oracles = Oracles::shared();
    let volume = json!({"apiVersion": "v1alpha1", "kind": "KmsgLogConfig", "name": "a", "url": "udp://192.0.2.9:514"});
    let twice = Patch::new(vec![tree(volume.clone()), tree(volume)], Quoting::Literal);
    let case = worker("v1.11.6").string(twice).template();

    assert!(oracles.build("v1.11.0", &case.committed()).is_err());
    case.is_refused("duplicate-document");
}

#[test]
fn h9_a_kind_that_the_node_or_the_provider_does_not_know_is_refused() {
    let oracles = Oracles::shared();
    let environment = || {
        literal(
            json!({"apiVersion": "v1alpha1", "kind": "EnvironmentConfig", "variables": {"A": "b"}}),
        )
    };
    let node = worker("v1.12.6").string(environment()).template();
    let config = oracles
        .build("v1.13.0", &node.committed())
        .expect("the provider knows it");
    assert!(oracles.read("v1.12.6", &config).is_err());
    node.is_refused("unknown-document");

    let provider = worker("v1.13.9")
        .string(environment())
        .template()
        .with("v0.6.11");
    assert!(oracles.build("v1.12.0", &provider.committed()).is_err());
    provider.is_refused("unknown-document");

    let unset = worker("")
        .string(literal(tls(&CA).document()))
        .template()
        .with("v0.6.10");
    assert!(oracles.build("v1.11.0", &unset.committed()).is_err());
    unset.is_refused("unknown-document");
}

#[test]
fn h9_a_deletion_of_what_is_owned_is_refused() {
    let oracles = Oracles::shared();
    let deletion = json!({"machine": {"registries": {"config": {REGISTRY: {"$patch": "delete"}}}}});
    let case = worker("v1.9.5").string(literal(deletion)).template();
    for (_, machinery) in PROVIDERS {
        assert!(
            oracles.build(machinery, &case.committed()).is_err(),
            "{machinery}"
        );
    }
    case.is_refused("patch-delete");

    let mut document = tls(&CA).document();
    units::merge(&mut document, json!({"$patch": "delete"}));
    worker("v1.13.9")
        .string(literal(document))
        .template()
        .is_refused("patch-delete");
}

#[test]
fn an_anchor_on_an_owned_value_is_refused() {
    let shared = || Tree::Anchor("shared", Box::new(no_mirrors()));
    worker("v1.9.5")
        .op(Op::add("/machine/registries", shared()))
        .template()
        .is_refused("owned-alias");
    let patch = Patch::new(
        vec![map([("machine", map([("registries", shared())]))])],
        Quoting::Literal,
    );
    worker("v1.9.5")
        .string(patch)
        .template()
        .is_refused("owned-alias");
}

#[test]
fn a_strategic_patch_that_is_not_a_string_is_refused() {
    let mut spec = worker("v1.9.5");
    spec.bare = Some(tree(json!({"machine": {}})));
    spec.template().is_refused("wrong-shape");
}
