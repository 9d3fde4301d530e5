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

fn of_registries(registries: &Value) -> Patches {
    patches(json!({"machine": {"registries": registries}}), true).unwrap()
}

fn base() -> Value {
    json!({"machine": {"type": "worker", "certSANs": [], "kubelet": {"image": "i"}, "wipe": true},
           "cluster": {"network": {"podSubnets": ["a"]}, "servers": ["s"]}})
}

#[test]
fn what_is_added_or_set_anew_is_the_difference() {
    let mut result = base();
    result["machine"]["registries"] = json!({"mirrors": {"a": {"endpoints": []}}});
    result["machine"]["certSANs"] = json!(["x"]);
    result["machine"]["kubelet"]["image"] = json!("j");
    result["machine"]["wipe"] = json!(false);
    result["cluster"]["network"]["podSubnets"] = json!(["b"]);

    let tree = difference(&base(), &result).unwrap();
    assert_eq!(
        tree,
        json!({
            "machine": {"certSANs": ["x"], "kubelet": {"image": "j"}, "wipe": false,
                        "registries": {"mirrors": {"a": {"endpoints": []}}}},
            "cluster": {"network": {"podSubnets": ["b"]}},
        })
    );
}

#[test]
fn what_a_merge_cannot_say_is_told_by_its_path() {
    let mut result = base();
    result["machine"]
        .as_object_mut()
        .unwrap()
        .shift_remove("kubelet");
    result["machine"]["type"] = json!("");
    result["machine"]["new"] = json!({"a": [null]});
    result["machine"]["network"] = json!({"hostname": "h"});
    result["machine"]["wipe"] = json!("text");
    result["cluster"]["servers"] = json!(["s", "t"]);

    assert_eq!(
        difference(&base(), &result).unwrap_err(),
        [
            "/machine/kubelet",
            "/machine/type",
            "/machine/wipe",
            "/machine/new",
            "/cluster/servers",
            "/machine/network/hostname",
        ]
    );
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
    let got = patches(tree, true).unwrap();

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
        let got = patches(tree.clone(), true).unwrap();

        assert_eq!((got.form, got.trees), (Some(Form::V1Alpha1), vec![tree]));
    }
}

#[test]
fn fields_are_kept_where_documents_are_not_wanted_and_nothing_is_said_where_nothing_was() {
    let tree = json!({"machine": {"network": {"extraHostEntries": [
        {"ip": "192.0.2.1", "aliases": ["a"]},
    ]}}});
    assert_eq!(patches(tree.clone(), false).unwrap().trees, [tree]);

    let empty = json!({"machine": {
        "registries": {"mirrors": {}, "config": {}},
        "network": {"extraHostEntries": []},
    }});
    let nothing = Patches {
        trees: Vec::new(),
        form: None,
    };
    assert_eq!(patches(empty, true), Ok(nothing));
}

#[test]
fn what_talos_does_not_load_is_told() {
    let tree = json!({"machine": {"registries": {"mirror": {}}}});

    assert_eq!(
        patches(tree, true),
        Err(vec!["/machine/registries/mirror".into()])
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
}
