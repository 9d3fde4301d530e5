//! The rules that hydration must respect (H1 to H11), each with a case that fails without it, and with
//! Talos' own word that the rule is needed.
//!
//! H12 and H13 are about live nodes and H14 about output: they are tested where those are built.

use super::case::{Kind, Object, Op, Patch, map};
use super::hand::Quoting;
use super::oracle::Oracles;
use super::releases::PROVIDERS;
use super::stage::{case, documents, kinds, literal, paths, spec, worker};
use super::trust::{CA, OLD_CA, Wanted, base64, respelt};
use super::units::{self, Unit, tree};
use hydrant::talos::TalosVersion;
use serde_json::{Value, json};

const REGISTRY: &str = Wanted::PLAIN.registry;

fn tls(ca: &str) -> Unit {
    Unit::Tls {
        host: REGISTRY.into(),
        ca: Some(ca.into()),
        has_identity: false,
        insecure: None,
    }
}

fn host(ip: &str, aliases: &[&str]) -> Unit {
    super::generate::host(ip, aliases)
}

fn registries(units: &[Unit]) -> Op {
    Op::add("/machine/registries", tree(units::registries(units)))
}

fn entries(units: &[Unit]) -> Op {
    Op::add(
        "/machine/network/extraHostEntries",
        tree(json!(units::entries(units))),
    )
}

fn no_mirrors() -> super::hand::Tree {
    tree(json!({"mirrors": {}}))
}

#[test]
fn h1_a_json_patch_on_several_documents_is_refused_as_the_provider_refuses_it() {
    let oracles = Oracles::new();
    let case = worker("v1.12.6")
        .op(Op::add("/debug", tree(json!(false))))
        .template();
    let error = oracles
        .build("v1.12.0", &case.committed())
        .expect_err("the provider refuses it");

    assert!(
        error.contains("JSON6902 patches are not supported for multi-document"),
        "{error}"
    );
    case.is_refused("json-patch-on-documents");
}

#[test]
fn h2_every_block_is_a_target_with_a_version_of_its_own() {
    let oracles = Oracles::new();
    let control = vec![spec("controlplane", "v1.9.5"), spec("init", "v1.12.0")];
    let object = |kind, spec| Object {
        kind,
        specs: vec![spec],
    };
    let all = case(vec![
        Object {
            kind: Kind::ControlPlane,
            specs: control,
        },
        object(Kind::Template, worker("v1.11.6")),
        object(Kind::Template, worker("v1.13.9")),
        object(Kind::Config, worker("v1.12.6")),
    ]);
    let specs = all.hydrated(&oracles);

    let forms: Vec<_> = specs
        .iter()
        .map(|spec| (paths(spec).len(), kinds(spec).len() > 1))
        .collect();
    assert_eq!(
        forms,
        [(2, false), (0, false), (2, false), (0, true), (0, true)]
    );
}

#[test]
fn h3_a_stale_strategic_patch_would_win_over_a_json_patch_and_is_updated_where_it_stands() {
    let oracles = Oracles::new();
    let stale = literal(units::v1alpha1(&[tls(&OLD_CA)]));
    let naive = worker("v1.9.5")
        .op(registries(&[tls(&CA)]))
        .string(stale.clone())
        .template();
    let config = oracles
        .build("v1.9.0", &naive.committed())
        .expect("the provider takes it");
    let read = oracles.read("v1.9.5", &config).expect("the node takes it");
    assert_eq!(
        read.facts.tls[REGISTRY].ca, *OLD_CA,
        "the strategic patch applies later"
    );

    let spec = &worker("v1.9.5").string(stale).template().hydrated(&oracles)[0];
    let machine = &documents(spec)[0]["machine"];
    assert_eq!(
        machine["registries"]["config"][REGISTRY]["tls"]["ca"],
        base64(&CA)
    );
}

#[test]
fn h3_the_name_in_two_lists_is_refused_because_talos_concatenates_them() {
    let oracles = Oracles::new();
    let ours = |ip| host(ip, &[REGISTRY]);
    let case = worker("v1.9.5")
        .op(entries(&[ours("192.0.2.98")]))
        .string(literal(units::v1alpha1(&[ours("192.0.2.99")])))
        .template();
    let config = oracles
        .build("v1.9.0", &case.committed())
        .expect("the provider takes it");

    assert_eq!(
        oracles
            .read("v1.9.5", &config)
            .expect("the node takes it")
            .facts
            .hosts
            .len(),
        2
    );
    case.is_refused("conflicting-alias");
}

#[test]
fn h3_one_setting_said_in_two_places_is_refused() {
    let stale = literal(units::v1alpha1(&[tls(&OLD_CA)]));
    worker("v1.9.5")
        .op(registries(&[tls(&CA)]))
        .string(stale)
        .template()
        .is_refused("said-twice");
}

#[test]
fn h3_a_document_would_drop_what_fields_say_so_they_are_merged() {
    let oracles = Oracles::new();
    let identity = Unit::Tls {
        host: REGISTRY.into(),
        ca: None,
        has_identity: true,
        insecure: None,
    };
    for quoting in [Quoting::Literal, Quoting::Double] {
        let fields = Patch::new(
            vec![tree(units::v1alpha1(std::slice::from_ref(&identity)))],
            quoting,
        );
        // The judge asserts that the client identity is still there.
        let spec = &worker("v1.13.9")
            .string(fields)
            .template()
            .hydrated(&oracles)[0];
        assert!(!kinds(spec).contains(&"RegistryTLSConfig".into()));
    }
}

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
    let oracles = Oracles::new();
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
        .hydrated(&oracles);
}

#[test]
fn h4_two_patches_on_one_parent_are_refused() {
    let twice = worker("v1.9.5").op(registries(&[])).op(registries(&[]));
    twice.template().is_refused("duplicate-parent");
}

#[test]
fn h4_a_json_patch_hidden_in_a_string_is_refused() {
    let oracles = Oracles::new();
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
fn h5_the_name_is_left_on_one_entry_and_other_names_stay() {
    let oracles = Oracles::new();
    let list = [
        host("192.0.2.98", &[REGISTRY, "old.example"]),
        host("192.0.2.99", &[REGISTRY]),
        host("192.0.2.1", &["a.example"]),
        host("192.0.2.97", &["b.example", "REGISTRY.fleet.internal"]),
    ];
    let spec = &worker("v1.9.5")
        .op(entries(&list))
        .template()
        .hydrated(&oracles)[0];

    let list = spec["configPatches"][0]["value"].as_array();
    let ips: Vec<_> = list
        .expect("a list")
        .iter()
        .map(|entry| entry["ip"].as_str().expect("text"))
        .collect();
    assert_eq!(
        ips,
        ["192.0.2.98", "192.0.2.1", "192.0.2.97", Wanted::PLAIN.ip]
    );
}

#[test]
fn h5_another_name_on_two_addresses_is_refused() {
    let list = [
        host("192.0.2.1", &["a.example"]),
        host("192.0.2.2", &["a.example"]),
    ];
    worker("v1.9.5")
        .op(entries(&list))
        .template()
        .is_refused("conflicting-alias");

    let fields = literal(units::v1alpha1(&[host("192.0.2.1", &["a.example"])]));
    let document = literal(host("192.0.2.2", &["a.example"]).document());
    let mixed = worker("v1.12.6").string(fields).string(document).template();
    mixed.is_refused("conflicting-alias");
}

#[test]
fn h6_the_same_ca_bytes_are_one_line_of_base64_in_fields_and_pem_in_a_document() {
    let oracles = Oracles::new();
    let fields = &worker("v1.12.0").template().hydrated(&oracles)[0];
    let document = &worker("v1.12.6").template().hydrated(&oracles)[0];
    let ca = &documents(fields)[0]["machine"]["registries"]["config"][REGISTRY]["tls"]["ca"];

    assert_eq!(*ca, base64(&CA));
    assert!(!ca.as_str().expect("text").contains('\n'));
    assert_eq!(documents(document)[0]["ca"], CA.as_str());
}

#[test]
fn h7_tls_on_the_wildcard_is_refused_in_every_form() {
    let star = || Unit::Tls {
        host: "*".into(),
        ca: Some(CA.clone()),
        has_identity: false,
        insecure: None,
    };
    worker("v1.9.5")
        .op(registries(&[star()]))
        .template()
        .is_refused("wildcard-tls");
    let fields = literal(units::v1alpha1(&[star()]));
    worker("v1.9.5")
        .string(fields)
        .template()
        .is_refused("wildcard-tls");
    let document = literal(star().document());
    worker("v1.13.9")
        .string(document)
        .template()
        .is_refused("wildcard-tls");
}

#[test]
fn h7_verification_that_is_off_beside_the_ca_is_refused_in_every_form() {
    let off = || Unit::Tls {
        host: REGISTRY.into(),
        ca: Some(CA.clone()),
        has_identity: false,
        insecure: Some(true),
    };
    worker("v1.9.5")
        .op(registries(&[off()]))
        .template()
        .is_refused("insecure-beside-ca");
    let fields = literal(units::v1alpha1(&[off()]));
    worker("v1.9.5")
        .string(fields)
        .template()
        .is_refused("insecure-beside-ca");
    let document = literal(off().document());
    worker("v1.13.9")
        .string(document)
        .template()
        .is_refused("insecure-beside-ca");
}

#[test]
fn h7_settings_for_another_port_of_the_registry_are_a_warning() {
    let host = format!("{REGISTRY}:5000");
    let unit = Unit::Tls {
        host,
        ca: Some(OLD_CA.clone()),
        has_identity: true,
        insecure: None,
    };
    let json = worker("v1.9.5")
        .op(registries(std::slice::from_ref(&unit)))
        .template();
    assert_eq!(json.warnings(), ["port-differs"]);
    let document = worker("v1.13.9")
        .string(literal(unit.document()))
        .template();
    assert_eq!(document.warnings(), ["port-differs"]);
}

#[test]
fn h8_what_the_node_cannot_load_is_refused() {
    let oracles = Oracles::new();
    let values = [
        json!({"mirrors": {"ghcr.io": null}}),
        json!({"config": {"a.example": null}}),
        json!({"mirors": {}}),
        json!({"config": {"a.example": {"tls": {"caa": "AAAA"}}}}),
        json!({"config": {"a.example": {"tls": {"ca": "-----BEGIN CERTIFICATE-----"}}}}),
        json!({"mirrors": {"ghcr.io": {"endpoints": "https://a.example"}}}),
    ];
    for value in values {
        let case = worker("v1.9.5")
            .op(Op::add("/machine/registries", tree(value.clone())))
            .template();
        let config = oracles
            .build("v1.9.0", &case.committed())
            .expect("the provider does not look");
        let read = oracles.read("v1.9.5", &config);
        assert!(
            read.is_err() || read.is_ok_and(|read| read.refused.contains_key("cloud")),
            "{value}"
        );
        assert!(!case.codes().is_empty(), "hydrated: {value}");
    }
}

#[test]
fn h9_a_patch_without_content_is_refused() {
    let oracles = Oracles::new();
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
    let oracles = Oracles::new();
    let volume = json!({"apiVersion": "v1alpha1", "kind": "KmsgLogConfig", "name": "a", "url": "udp://192.0.2.9:514"});
    let twice = Patch::new(vec![tree(volume.clone()), tree(volume)], Quoting::Literal);
    let case = worker("v1.11.6").string(twice).template();

    assert!(oracles.build("v1.11.0", &case.committed()).is_err());
    case.is_refused("duplicate-document");
}

#[test]
fn h9_a_kind_that_the_node_or_the_provider_does_not_know_is_refused() {
    let oracles = Oracles::new();
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
    let oracles = Oracles::new();
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
fn h10_what_is_right_keeps_every_byte_in_every_form_and_spelling() {
    let right = |ca: &str| [tls(ca), host(Wanted::PLAIN.ip, &["a.example", REGISTRY])];
    for ca in [CA.clone(), respelt(&CA)] {
        let units = right(&ca);
        let json = worker("v1.9.5")
            .op(registries(&units))
            .op(entries(&units))
            .template();
        let fields = worker("v1.13.9")
            .string(literal(units::v1alpha1(&units)))
            .template();
        let strings = units.iter().map(|unit| literal(unit.document()));
        let documents = strings
            .fold(worker("v1.12.6"), super::case::Spec::string)
            .template();
        for case in [json, fields, documents] {
            assert_eq!(case.hydrated_text(), case.manifest());
        }
    }
}

#[test]
fn h10_the_output_does_not_change_between_runs() {
    for talos in ["v1.9.5", "v1.12.0", "v1.13.9"] {
        let mut case = worker(talos).template();
        case.wanted.has_defaults = true;
        assert_eq!(case.hydrated_text(), case.hydrated_text(), "{talos}");
    }
}

#[test]
fn h11_a_version_is_refused_where_the_provider_refuses_it_and_only_there() {
    let oracles = Oracles::new();
    let texts = [
        "v1.9",
        "1.9",
        "v1.9.5",
        "v1.11.0-beta.0",
        "v1.9.5.6",
        "v1.9.x",
        "v1",
        "latest",
        "v1.9-alpha",
        "v1.11-rc.1",
        " v1.9",
        "v1.9 ",
        "vv1.9",
        "1.",
        "v1.9.",
        "1.9.",
    ];
    for text in texts {
        let case = worker(text).template();
        let is_refused = oracles.build("v1.11.0", &case.committed()).is_err();
        assert_eq!(
            case.codes().contains(&"talos-version-invalid".into()),
            is_refused,
            "{text:?}"
        );
        assert_eq!(TalosVersion::parse(text).is_none(), is_refused, "{text:?}");
    }
}

#[test]
fn h11_a_hostname_without_a_version_is_refused_as_the_node_refuses_it() {
    let oracles = Oracles::new();
    let mut spec = worker("");
    spec.has_hostname = true;
    let case = spec.template().with("v0.6.11");
    let config = oracles
        .build("v1.12.0", &case.committed())
        .expect("the provider takes it");

    let read = oracles.read("v1.12.6", &config).expect("it loads");
    assert!(
        read.refused["cloud"].contains("static hostname is already set"),
        "{:?}",
        read.refused
    );
    case.is_refused("talos-version-unset");
}

#[test]
fn an_anchor_on_an_owned_value_is_refused() {
    let shared = || super::hand::Tree::Anchor("shared", Box::new(no_mirrors()));
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
    spec.bare = Some(tree(Value::Null));
    spec.bare = Some(tree(json!({"machine": {}})));
    spec.template().is_refused("wrong-shape");
}
