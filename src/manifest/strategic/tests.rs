use super::*;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

fn ca() -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let mut params = CertificateParams::new(vec!["ca.example".to_string()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
    STANDARD.encode(pem.pem().replace("\r\n", "\n"))
}

fn kinds(patches: &Patches) -> Vec<String> {
    let kind = |tree: &Value| {
        let kind = tree.get("kind").and_then(Value::as_str);
        let name = tree.get("name").and_then(Value::as_str);
        match (kind, name) {
            (Some(kind), Some(name)) => format!("{kind} {name}"),
            _ => tree.to_string(),
        }
    };
    patches.trees.iter().map(kind).collect()
}

fn said(additions: Value, may_be_documents: bool) -> Result<Patches, Vec<String>> {
    let supplement = Supplement {
        additions,
        ..Supplement::default()
    };
    patches(supplement, may_be_documents)
}

fn of_registries(registries: &Value) -> Patches {
    said(json!({"machine": {"registries": registries}}), true).unwrap()
}

#[test]
fn documents_say_what_the_fields_said_and_the_rest_stays_fields() {
    let tree = json!({"machine": {
        "registries": {
            "mirrors": {"ghcr.io": {"endpoints": ["https://m.example/v2"], "overridePath": true}},
            "config": {"m.example": {"tls": {"ca": ca()}, "auth": {"auth": "dTpw"}}},
        },
        "network": {
            "extraHostEntries": [
                {"ip": "192.0.2.1", "aliases": ["a.example", "b.example"]},
                {"ip": "2001:db8::1", "aliases": ["c.example"]},
                {"ip": "192.0.2.1", "aliases": ["d.example"]},
            ],
            "nameservers": ["192.0.2.53"],
        },
    }});
    let got = said(tree, true).unwrap();

    assert_eq!(got.form, Some(Form::Documents));
    assert_eq!(
        kinds(&got),
        [
            "RegistryMirrorConfig ghcr.io",
            "RegistryTLSConfig m.example",
            "RegistryAuthConfig m.example",
            "StaticHostConfig 192.0.2.1",
            "StaticHostConfig 2001:db8::1",
            r#"{"machine":{"network":{"nameservers":["192.0.2.53"]}}}"#,
        ]
    );
    assert_eq!(
        got.trees[3]["hostnames"],
        json!(["a.example", "b.example", "d.example"])
    );
}

#[test]
fn what_a_document_could_lose_keeps_all_of_it_in_fields() {
    let identity = json!({"crt": "UEVNCg==", "key": "UEVNCg=="});
    for config in [
        json!({"tls": {"ca": ca(), "clientIdentity": identity}}),
        // Talos takes any PEM in the field, and only certificates in the document.
        json!({"tls": {"ca": "UEVNCg=="}}),
        json!({"tls": {}}),
        json!({"auth": {"username": "u", "password": "p", "auth": "dTpw"}}),
        json!({"auth": {"username": "u"}}),
        json!({}),
    ] {
        let registries = json!({"config": {"m.example": config}});
        let got = of_registries(&registries);

        assert_eq!(got.form, Some(Form::V1Alpha1), "{registries}");
        assert_eq!(got.trees, [json!({"machine": {"registries": registries}})]);
    }
    for endpoint in ["m.example", "ftp://m.example", "https://m.example/%zz"] {
        let got = of_registries(&json!({"mirrors": {"a": {"endpoints": [endpoint]}}}));
        assert_eq!(got.form, Some(Form::V1Alpha1), "{endpoint}");
    }
}

#[test]
fn a_host_entry_that_no_document_can_be_keeps_the_list() {
    for entries in [
        json!([{"ip": "not an address", "aliases": ["a"]}]),
        json!([{"ip": "192.0.2.1", "aliases": []}]),
        json!([{"ip": "2001:db8::1", "aliases": ["a"]}, {"ip": "2001:DB8::1", "aliases": ["b"]}]),
    ] {
        let tree = json!({"machine": {"network": {"extraHostEntries": entries}}});
        let got = said(tree.clone(), true).unwrap();

        assert_eq!((got.form, got.trees), (Some(Form::V1Alpha1), vec![tree]));
    }
}

#[test]
fn fields_are_kept_where_documents_are_not_wanted_and_nothing_is_said_where_nothing_was() {
    let tree = json!({"machine": {"network": {"extraHostEntries": [
        {"ip": "192.0.2.1", "aliases": ["a"]},
    ]}}});
    assert_eq!(said(tree.clone(), false).unwrap().trees, [tree]);

    let empty = json!({"machine": {
        "registries": {"mirrors": {}, "config": {}},
        "network": {"extraHostEntries": []},
    }});
    let nothing = Patches {
        trees: Vec::new(),
        form: None,
    };
    assert_eq!(said(empty, true), Ok(nothing));
}

#[test]
fn what_talos_does_not_load_is_told() {
    let tree = json!({"machine": {"registries": {"mirror": {}}}});

    assert_eq!(
        said(tree, true),
        Err(vec!["/machine/registries/mirror".into()])
    );
}

#[test]
fn what_is_taken_away_is_said_first() {
    let deletions = json!({"cluster": {"proxy": {"$patch": "delete"}}});
    let additions = json!({"cluster": {"proxy": {"disabled": true}}});
    let supplement = Supplement {
        deletions: deletions.clone(),
        additions: additions.clone(),
    };

    assert_eq!(
        patches(supplement, true).unwrap().trees,
        [deletions, additions]
    );
}

#[test]
fn keys_beside_each_other_do_not_overlap_and_one_list_in_both_does() {
    let left = json!({"machine": {"registries": {"mirrors": {"a": {}}}}});
    for (right, expected) in [
        (
            json!({"machine": {"registries": {"mirrors": {"b": {}}}}}),
            false,
        ),
        (
            json!({"machine": {"registries": {"mirrors": {"a": {}}}}}),
            false,
        ),
        (
            json!({"machine": {"registries": {"mirrors": {"a": null}}}}),
            true,
        ),
        (
            json!({"machine": {"registries": {"$patch": "delete"}}}),
            true,
        ),
        (json!({"cluster": {}}), false),
    ] {
        assert_eq!(overlap(&left, &right), expected, "{right}");
    }
    let deletion = json!({"machine": {"registries": {"$patch": "delete"}}});
    assert!(
        overlap(&deletion, &left),
        "what is there would be taken away"
    );
}
