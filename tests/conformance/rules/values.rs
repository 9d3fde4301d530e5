//! H5 to H8: host entries, certificates and what a registry's settings may not be.

use super::{REGISTRY, entries, host, registries};
use crate::case::Op;
use crate::oracle::Oracles;
use crate::stage::{documents, literal, worker};
use crate::trust::{CA, OLD_CA, Wanted, base64};
use crate::units::{self, Unit, tree};
use serde_json::json;

#[test]
fn h5_the_name_is_left_on_one_entry_and_other_names_stay() {
    let oracles = Oracles::shared();
    let list = [
        host("192.0.2.98", &[REGISTRY, "old.example"]),
        host("192.0.2.99", &[REGISTRY]),
        host("192.0.2.1", &["a.example"]),
        host("192.0.2.97", &["b.example", "REGISTRY.fleet.internal"]),
    ];
    let spec = &worker("v1.9.5")
        .op(entries(&list))
        .template()
        .hydrated(oracles)[0];

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
    let oracles = Oracles::shared();
    let fields = &worker("v1.12.0").template().hydrated(oracles)[0];
    let document = &worker("v1.12.6").template().hydrated(oracles)[0];
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

/// containerd's fallback to the registry itself has no CA then, whatever `config` says.
#[test]
fn h7_a_mirror_of_the_registry_that_does_not_name_it_is_a_warning() {
    let mirror = |endpoint: &str| Unit::Mirror {
        name: REGISTRY.into(),
        endpoints: vec![endpoint.into()],
        override_path: None,
        skip_fallback: None,
    };
    let case = |endpoint: &str| {
        worker("v1.9.5")
            .op(registries(&[mirror(endpoint)]))
            .template()
    };

    assert_eq!(case("https://cache.example").warnings().len(), 1);
    assert!(case(&format!("https://{REGISTRY}")).warnings().is_empty());
}

#[test]
fn h8_what_the_node_cannot_load_is_refused() {
    let oracles = Oracles::shared();
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
