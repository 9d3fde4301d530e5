//! H1 to H3 and H11: which form, target by target.

use super::{REGISTRY, entries, host, registries, tls};
use crate::case::{Kind, Object, Op, Patch};
use crate::hand::Quoting;
use crate::oracle::Oracles;
use crate::stage::{case, documents, kinds, literal, paths, spec, worker};
use crate::trust::{CA, OLD_CA, base64};
use crate::units::{self, Unit, tree};
use hydrant::talos::TalosVersion;
use serde_json::json;

#[test]
fn h1_a_json_patch_on_several_documents_is_refused_as_the_provider_refuses_it() {
    let oracles = Oracles::shared();
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
    let oracles = Oracles::shared();
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
    let specs = all.hydrated(oracles);

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
    let oracles = Oracles::shared();
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

    let spec = &worker("v1.9.5").string(stale).template().hydrated(oracles)[0];
    let machine = &documents(spec)[0]["machine"];
    assert_eq!(
        machine["registries"]["config"][REGISTRY]["tls"]["ca"],
        base64(&CA)
    );
}

#[test]
fn h3_the_name_in_two_lists_is_refused_because_talos_concatenates_them() {
    let oracles = Oracles::shared();
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
    let oracles = Oracles::shared();
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
            .hydrated(oracles)[0];
        assert!(!kinds(spec).contains(&"RegistryTLSConfig".into()));
    }
}

#[test]
fn h11_a_version_is_refused_where_the_provider_refuses_it_and_only_there() {
    let oracles = Oracles::shared();
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
    let oracles = Oracles::shared();
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
    case.is_refused("hostname-without-version");
}
