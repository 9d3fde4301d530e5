//! The delivery table, a row a test: in which form trust reaches a target, by its version and provider.

use super::case::Op;
use super::menu;
use super::oracle::Oracles;
use super::releases::{MACHINERY, PROVIDERS};
use super::stage::{documents, kinds, literal, paths, worker};
use super::trust::{CA, OLD_CA, Wanted, base64};
use super::units::{self, Unit, tree};
use hydrant::talos::{KINDS, TalosVersion, is_known};
use serde_json::{Value, json};

const PARENTS: [&str; 2] = ["/machine/registries", "/machine/network/extraHostEntries"];

fn stale_tls() -> Unit {
    let host = Wanted::PLAIN.registry.to_string();
    Unit::Tls {
        host,
        ca: Some(OLD_CA.clone()),
        has_identity: false,
        insecure: None,
    }
}

fn ca_of<'s>(spec: &'s Value, at: &[&str]) -> Option<&'s str> {
    at.iter()
        .try_fold(spec, |value, key| value.get(key))?
        .as_str()
}

#[test]
fn to_1_11_with_a_provider_before_strategic_patches() {
    let oracles = Oracles::shared();
    for talos in ["v1.9.5", "v1.11.6"] {
        let spec = &worker(talos).template().with("v0.6.4").hydrated(oracles)[0];

        assert_eq!(paths(spec), PARENTS, "{talos}");
        assert_eq!(spec.get("strategicPatches"), None, "{talos}");
    }
}

#[test]
fn to_1_11_explicit() {
    let oracles = Oracles::shared();
    for talos in ["v1.9.5", "v1.10", "v1.11.6", "1.11"] {
        for provider in ["", "v0.6.7", "v0.6.10", "v0.6.11", "v0.6.12"] {
            let spec = &worker(talos).template().with(provider).hydrated(oracles)[0];
            let registries = &spec["configPatches"][0]["value"];
            let ca = ca_of(registries, &["config", Wanted::PLAIN.registry, "tls", "ca"]);

            assert_eq!(paths(spec), PARENTS, "{talos} {provider}");
            assert_eq!(ca, Some(base64(&CA).as_str()), "{talos} {provider}");
        }
    }
}

#[test]
fn to_1_11_where_one_strategic_patch_of_fields_is_there_it_stays_the_form() {
    let oracles = Oracles::shared();
    let string = literal(units::v1alpha1(&[stale_tls()]));
    let spec = &worker("v1.9.5").string(string).template().hydrated(oracles)[0];

    assert_eq!(kinds(spec), ["v1alpha1"]);
    assert!(
        !paths(spec).contains(&"/machine/registries"),
        "{:?}",
        paths(spec)
    );
}

#[test]
fn from_1_12_0_to_1_12_1() {
    let oracles = Oracles::shared();
    for talos in ["v1.12.0", "v1.12.1"] {
        for provider in ["", "v0.6.11", "v0.6.12"] {
            let spec = &worker(talos).template().with(provider).hydrated(oracles)[0];

            assert!(paths(spec).is_empty(), "{talos} {provider}");
            assert!(
                !kinds(spec).contains(&"RegistryTLSConfig".into()),
                "{talos} {provider}"
            );
        }
    }
}

#[test]
fn from_1_12_0_to_1_12_1_a_node_crashes_on_the_tls_document() {
    let oracles = Oracles::shared();
    let committed = worker("v1.12.0")
        .string(literal(stale_tls().document()))
        .template();
    let config = oracles
        .build("v1.12.0", &committed.committed())
        .expect("the provider takes it");

    assert!(
        oracles
            .read("v1.12.0", &config)
            .is_err_and(|error| error.starts_with("panic"))
    );
    assert!(oracles.read("v1.12.6", &config).is_ok());
    committed.is_refused("crashing-document");
}

#[test]
fn the_bare_minor_1_12() {
    let oracles = Oracles::shared();
    for talos in ["v1.12", "1.12"] {
        let spec = &worker(talos).template().hydrated(oracles)[0];
        let first = &documents(spec)[0];
        let ca = ca_of(
            first,
            &[
                "machine",
                "registries",
                "config",
                Wanted::PLAIN.registry,
                "tls",
                "ca",
            ],
        );

        assert!(
            !kinds(spec).contains(&"RegistryTLSConfig".into()),
            "{talos}"
        );
        assert_eq!(ca, Some(base64(&CA).as_str()), "{talos}");
    }
}

#[test]
fn from_1_12_2_and_1_13() {
    let oracles = Oracles::shared();
    for (talos, provider) in [
        ("v1.12.2", ""),
        ("v1.12.6", "v0.6.11"),
        ("v1.13.9", ""),
        ("v1.13", "v0.6.12"),
    ] {
        let spec = &worker(talos).template().with(provider).hydrated(oracles)[0];
        let documents = documents(spec);

        assert_eq!(
            kinds(spec),
            ["RegistryTLSConfig", "StaticHostConfig"],
            "{talos}"
        );
        assert_eq!(documents[0]["ca"], CA.as_str(), "{talos}");
        assert_eq!(documents[1]["name"], Wanted::PLAIN.ip, "{talos}");
        assert!(paths(spec).is_empty(), "{talos}");
    }
}

#[test]
fn from_1_12_2_fields_that_are_there_stay_the_form() {
    let oracles = Oracles::shared();
    let string = literal(units::v1alpha1(&[stale_tls()]));
    let spec = &worker("v1.13.9")
        .string(string)
        .template()
        .hydrated(oracles)[0];

    assert!(
        !kinds(spec).contains(&"RegistryTLSConfig".into()),
        "{:?}",
        kinds(spec)
    );
}

#[test]
fn from_1_14() {
    let oracles = Oracles::shared();
    let spec = &worker("v1.14.0").template().hydrated(oracles)[0];

    assert_eq!(kinds(spec), ["RegistryTLSConfig", "StaticHostConfig"]);
}

#[test]
fn without_a_version_the_provider_decides_and_without_both_nothing_can() {
    let oracles = Oracles::shared();
    worker("").template().is_refused("talos-version-unset");
    for provider in ["v0.6.7", "v0.6.10"] {
        let spec = &worker("").template().with(provider).hydrated(oracles)[0];
        assert_eq!(paths(spec), PARENTS, "{provider}");
    }
    for provider in ["v0.6.11", "v0.6.12"] {
        let spec = &worker("").template().with(provider).hydrated(oracles)[0];
        assert!(paths(spec).is_empty(), "{provider}");
        assert!(
            kinds(spec).iter().all(|kind| kind == "v1alpha1"),
            "{provider}"
        );
    }
}

#[test]
fn from_1_12_with_a_provider_to_0_6_10() {
    let oracles = Oracles::shared();
    let case = worker("v1.12.6").template().with("v0.6.10");
    let spec = &case.hydrated(oracles)[0];

    assert_eq!(paths(spec), PARENTS);
    assert_eq!(case.warnings(), ["untested-pair"]);

    let with_document = worker("v1.12.6")
        .string(literal(stale_tls().document()))
        .template();
    assert!(
        oracles
            .build("v1.11.0", &with_document.committed())
            .is_err()
    );
    with_document.with("v0.6.10").is_refused("unknown-document");
}

#[test]
fn given_data_of_one_document() {
    let oracles = Oracles::shared();
    for talos in ["v1.9.5", "v1.11.6", "v1.12.6", "v1.13.9"] {
        let base = [menu::base(false)];
        let json = Op::add(
            "/machine/registries",
            tree(units::registries(&[stale_tls()])),
        );
        let patched = worker(talos).data(&base).op(json).template();
        assert_eq!(
            paths(&patched.hydrated(oracles)[0])[..1],
            ["/machine/registries"],
            "{talos}"
        );

        let unpatched = worker(talos).data(&base).template();
        assert!(paths(&unpatched.hydrated(oracles)[0]).is_empty(), "{talos}");
    }
}

#[test]
fn given_data_of_several_documents() {
    let oracles = Oracles::shared();
    let volume = json!({"apiVersion": "v1alpha1", "kind": "KmsgLogConfig", "name": "a", "url": "udp://192.0.2.9:514"});
    let data = [menu::base(true), volume];
    for talos in ["v1.9.5", "v1.12.6"] {
        let bare = worker(talos).data(&data).template();
        assert!(paths(&bare.hydrated(oracles)[0]).is_empty(), "{talos}");

        let patched = worker(talos)
            .data(&data)
            .op(Op::add("/debug", tree(json!(false))))
            .template();
        for (_, machinery) in PROVIDERS {
            assert!(
                oracles.build(machinery, &patched.committed()).is_err(),
                "{machinery}"
            );
        }
        patched.is_refused("json-patch-on-documents");
    }
}

#[test]
fn one_strategic_patch_of_fields_works_with_every_provider_and_node() {
    let oracles = Oracles::shared();
    let (registry, ip) = (
        Wanted::PLAIN.registry.to_string(),
        Wanted::PLAIN.ip.to_string(),
    );
    let tls = Unit::Tls {
        host: registry.clone(),
        ca: Some(CA.clone()),
        has_identity: false,
        insecure: None,
    };
    let string = literal(units::v1alpha1(&[
        tls,
        Unit::Host {
            ip,
            aliases: vec![registry.clone()],
        },
    ]));
    for (_, machinery) in PROVIDERS {
        for talos in ["v1.9", "v1.11", "v1.12", "v1.13"] {
            let spec = worker(talos).string(string.clone()).template().committed();
            let config = oracles
                .build(machinery, &spec)
                .expect("the provider takes it");
            for node in MACHINERY {
                let Ok(read) = oracles.read(node, &config) else {
                    // A base of 1.12 and later has keys and documents that older nodes refuse.
                    assert!(
                        node < "v1.12" || node.starts_with("v1.9"),
                        "{talos} {machinery} {node}"
                    );
                    continue;
                };
                assert_eq!(
                    read.facts.tls[&registry].ca, *CA,
                    "{talos} {machinery} {node}"
                );
            }
        }
    }
}

#[test]
fn the_table_of_kinds_is_what_the_loaders_say() {
    let oracles = Oracles::shared();
    for machinery in MACHINERY {
        let talos = TalosVersion::parse(machinery).expect("a version");
        for (kind, _) in KINDS {
            let known = is_known(kind, talos).expect("it is in the table");
            assert_eq!(oracles.knows(machinery, kind), known, "{kind} {machinery}");
        }
    }
}
