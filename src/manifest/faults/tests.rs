use crate::diagnostic::Diagnostic;
use crate::manifest::{Request, hydrate};
use crate::secret::Secret;
use crate::talos::{Auth, HostEntry, PatchIntent, PemText, Tls};
use crate::text::SourceFile;
use std::sync::Arc;

/// TLS, credentials and a host entry for `registry.example`.
fn intent() -> PatchIntent {
    let secret = |text: &str| Some(Secret::new(text.to_string()));
    let tls = Tls {
        ca: Some(PemText::new(Secret::new("PEM\n".to_string()))),
        ..Tls::default()
    };
    let auth = Auth {
        username: secret("u"),
        password: secret("p"),
        ..Auth::default()
    };
    PatchIntent {
        tls: [("registry.example".to_string(), tls)].into(),
        auth: [("registry.example".to_string(), auth)].into(),
        hosts: vec![HostEntry {
            alias: "registry.example".to_string(),
            ip: Secret::new("192.0.2.1".to_string()),
        }],
        ..PatchIntent::default()
    }
}

/// A worker template of this version with these lines in its spec.
fn found(talos: &str, spec: &str) -> Vec<(&'static str, String)> {
    let spec = spec.replace('\n', "\n      ");
    let text = format!(
        "apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\nkind: TalosConfigTemplate\nmetadata: {{name: w}}\n\
         spec:\n  template:\n    spec:\n      generateType: worker\n      talosVersion: {talos}\n      {spec}\n"
    );
    let file = Arc::new(SourceFile::new("cluster-base.yaml", text));
    let intent = intent();
    let request = Request {
        intent: &intent,
        provider: None,
    };
    let findings = match hydrate(&file, request) {
        Ok(hydration) => hydration.warnings,
        Err(findings) => findings,
    };
    let text_at = |finding: &Diagnostic| {
        let span = finding.places[0].span.clone().unwrap();
        file.text()[span].to_string()
    };
    let told = findings.iter().map(|it| (it.code.name(), text_at(it)));
    told.collect()
}

/// A JSON patch on the registries.
fn operation(value: &str) -> Vec<(&'static str, String)> {
    let patch = "{op: add, path: /machine/registries, value: ";
    found("v1.9.5", &format!("configPatches:\n  - {patch}{value}}}"))
}

/// A strategic patch with `machine.registries`.
fn fields(value: &str) -> Vec<(&'static str, String)> {
    let patch = format!("strategicPatches:\n  - |\n    machine: {{registries: {value}}}");
    found("v1.12.6", &patch)
}

/// A document of a strategic patch, from its kind on.
fn document(text: &str) -> Vec<(&'static str, String)> {
    let lines = text.replace('\n', "\n    ");
    found(
        "v1.13.0",
        &format!("strategicPatches:\n  - |\n    apiVersion: v1alpha1\n    {lines}"),
    )
}

const NOTHING: [(&str, String); 0] = [];

fn one(code: &'static str, at: &str) -> Vec<(&'static str, String)> {
    vec![(code, at.to_string())]
}

#[test]
fn a_key_that_talos_does_not_know_is_found_at_every_depth_and_in_every_form() {
    for (value, at) in [
        ("{mirors: {}}", "mirors"),
        (
            "{mirrors: {ghcr.io: {endpoint: [https://a.example]}}}",
            "endpoint",
        ),
        ("{config: {a.example: {tls: {CA: ''}}}}", "CA"),
        (
            "{config: {a.example: {tls: {clientIdentity: {cert: ''}}}}}",
            "cert",
        ),
        ("{config: {a.example: {auth: {user: u}}}}", "user"),
    ] {
        assert_eq!(operation(value), one("unknown-field", at));
        assert_eq!(fields(value), one("unknown-field", at));
    }
    assert_eq!(
        document("kind: RegistryTLSConfig\nname: a.example\nclientIdentity: {crt: ''}"),
        one("unknown-field", "crt")
    );
    assert_eq!(
        document("kind: RegistryMirrorConfig\nname: ghcr.io\noverridePath: true"),
        one("unknown-field", "overridePath")
    );
}

#[test]
fn a_null_entry_is_refused_unless_the_merge_fills_it() {
    assert_eq!(
        operation("{config: {a.example: null}}"),
        one("null-entry", "a.example")
    );
    assert_eq!(
        fields("{mirrors: {ghcr.io: }}"),
        one("null-entry", "ghcr.io")
    );
    assert_eq!(operation("{config: {registry.example: }}"), NOTHING);
    // What says nothing elsewhere is nothing that Talos minds.
    assert_eq!(
        operation("{mirrors: , config: {a.example: {tls: , auth: null}}}"),
        NOTHING
    );
}

#[test]
fn a_value_of_another_type_is_refused_and_one_that_talos_converts_is_not() {
    for (value, at) in [
        (
            "{mirrors: {ghcr.io: {endpoints: https://a.example}}}",
            "https://a.example",
        ),
        ("{mirrors: {ghcr.io: {skipFallback: 'true'}}}", "'true'"),
        ("{mirrors: {ghcr.io: {endpoints: [[]]}}}", "[]"),
        ("{config: {a.example: {tls: {insecureSkipVerify: 1}}}}", "1"),
        (
            "{config: {a.example: {auth: {password: {a: b}}}}}",
            "{a: b}",
        ),
    ] {
        assert_eq!(operation(value), one("wrong-field", at));
        assert_eq!(fields(value), one("wrong-field", at));
    }
    // Where the merge itself cannot go on, that is told, and once.
    assert_eq!(
        operation("{config: [a.example]}"),
        one("wrong-shape", "[a.example]")
    );
    let number = |text: &str| format!("{{config: {{a.example: {{auth: {{password: {text}}}}}}}}}");
    assert_eq!(operation(&number("1234")), NOTHING);
    assert_eq!(operation(&number("0644")), one("wrong-field", "0644"));
    assert_eq!(fields(&number("0644")), NOTHING);
}

#[test]
fn yes_is_true_in_a_json_patch_alone() {
    let value = "{mirrors: {ghcr.io: {overridePath: yes}}}";

    assert_eq!(operation(value), NOTHING);
    assert_eq!(fields(value), one("wrong-field", "yes"));
}

#[test]
fn each_form_holds_the_ca_in_its_own_encoding() {
    let ca = |text: &str| format!("{{config: {{a.example: {{tls: {{ca: {text}}}}}}}}}");

    assert_eq!(
        operation(&ca("'-----BEGIN CERTIFICATE-----'"))[0].0,
        "ca-encoding"
    );
    assert_eq!(
        fields(&ca("LS0tLS1CRUdJTi4uLg")),
        one("ca-encoding", "LS0tLS1CRUdJTi4uLg")
    );
    assert_eq!(operation(&ca("LS0tLS1CRUdJTi4uLg=="))[0].0, "unreadable-ca");
    assert_eq!(operation(&ca("''")), NOTHING);
    assert_eq!(
        document("kind: RegistryTLSConfig\nname: a.example\nca: LS0tLS1CRUdJTi4uLg=="),
        one("ca-encoding", "LS0tLS1CRUdJTi4uLg==")
    );
}

#[test]
fn a_value_that_is_replaced_is_not_judged() {
    let value = "{config: {registry.example: {tls: {ca: not base64}}}}";

    assert_eq!(operation(value), NOTHING);
    assert_eq!(fields(value), NOTHING);
}

#[test]
fn a_variable_that_another_tool_fills_in_can_become_anything() {
    assert_eq!(
        operation("{config: {a.example: {tls: {ca: '${CA}', insecureSkipVerify: '${SKIP}'}}}}"),
        NOTHING
    );
}

#[test]
fn patterns_and_endpoints_that_do_nothing_are_told() {
    assert_eq!(
        operation("{mirrors: {'docker.*': {endpoints: [https://a.example]}}}"),
        one("glob-mirror", "'docker.*'")
    );
    assert_eq!(
        operation("{mirrors: {'*': {endpoints: [https://a.example]}}}"),
        NOTHING
    );
    assert_eq!(
        operation("{mirrors: {ghcr.io: {endpoints: [a.example]}}}"),
        one("useless-endpoint", "a.example")
    );
    assert_eq!(
        document("kind: RegistryMirrorConfig\nname: ghcr.io\nendpoints: [{url: a.example}]"),
        one("wrong-field", "a.example")
    );
}

#[test]
fn tls_for_everything_is_refused_once() {
    let value = "{config: {'*': {tls: {insecureSkipVerify: false}}}}";

    assert_eq!(operation(value), one("wildcard-tls", "'*'"));
    assert_eq!(fields(value), one("wildcard-tls", "'*'"));
    let document = document("kind: RegistryTLSConfig\nname: '*'\nca: ''");
    assert_eq!(document[0].0, "wildcard-tls");
}

#[test]
fn a_mirror_of_the_trusted_registry_must_list_it() {
    let mirror = |more: &str| {
        format!("{{mirrors: {{registry.example: {{endpoints: [https://a.example]{more}}}}}}}")
    };

    assert_eq!(operation(&mirror(""))[0].0, "mirror-without-itself");
    assert_eq!(fields(&mirror(""))[0].0, "mirror-without-itself");
    assert_eq!(operation(&mirror(", skipFallback: true")), NOTHING);
    let itself = "{mirrors: {registry.example: {endpoints: [https://registry.example]}}}";
    assert_eq!(operation(itself), NOTHING);
    assert_eq!(
        document(
            "kind: RegistryMirrorConfig\nname: registry.example\nendpoints: [{url: 'https://registry.example'}]"
        ),
        NOTHING
    );
}

#[test]
fn a_document_needs_its_name_and_what_it_is_for() {
    for text in [
        "kind: RegistryMirrorConfig",
        "kind: StaticHostConfig\nname: not-an-address\nhostnames: [a]",
        "kind: StaticHostConfig\nname: 192.0.2.9",
        "kind: RegistryMirrorConfig\nname: a.example\nendpoints: [{overridePath: true}]",
        "kind: RegistryAuthConfig\nname: a.example\nusername: u\nidentityToken: t",
    ] {
        assert_eq!(document(text)[0].0, "wrong-field", "{text}");
    }
}

#[test]
fn host_entries_have_no_other_keys() {
    let patch = "configPatches:\n  - {op: add, path: /machine/network/extraHostEntries, value: [{ip: 192.0.2.9, alias: [a]}]}";
    assert_eq!(found("v1.9.5", patch), one("unknown-field", "alias"));
}
