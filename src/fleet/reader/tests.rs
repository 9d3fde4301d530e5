use super::*;
use crate::fleet::{
    Address, AddressPool, ClientIdentity, ClusterDefinition, Consents, Cozystack, HostConfig,
    KeyInSecret, Machines, Mirror, NetworkPools, Os, Platform, Providers, Registries,
    RegistryTrust, SecretRef, TalosSettings, TlsSettings, TrustDefaults, Versions,
};
use schemars::JsonSchema;
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn read<T: Block>(text: &str) -> (Option<T>, Vec<String>) {
    let file = Arc::new(SourceFile::new("file.yaml", text));
    let (read, findings) = Reader::read(&file);
    let line = |it: &Diagnostic| {
        let at = it.places[0].locator();
        format!("{} {at} {} ({})", it.code.name(), it.message, it.help)
    };
    (read, findings.iter().map(line).collect())
}

fn findings<T: Block>(text: &str) -> Vec<String> {
    read::<T>(text).1
}

/// The keys that the reader of `T` asks for.
fn asked<T: Block>() -> BTreeSet<String> {
    let file = Arc::new(SourceFile::new("file.yaml", "{}"));
    let reader = Reader::new(&file);
    let stream = Stream::parse(file.text()).unwrap();
    let value = Value {
        reader: &reader,
        node: stream.documents[0].root().unwrap(),
        trail: Trail::Root,
    };
    let mut keys = Keys {
        value,
        asked: Vec::new(),
    };
    T::read_keys(&mut keys);
    keys.asked.iter().map(ToString::to_string).collect()
}

fn check_schema<T: Block + JsonSchema>() {
    let schema = schemars::schema_for!(T).to_value();
    let keys = |key: &str| -> BTreeSet<String> {
        match &schema[key] {
            Json::Object(properties) => properties.keys().cloned().collect(),
            Json::Array(names) => names
                .iter()
                .filter_map(Json::as_str)
                .map(str::to_owned)
                .collect(),
            _ => BTreeSet::new(),
        }
    };
    let name = T::schema_name();
    assert_eq!(keys("properties"), asked::<T>(), "{name}");
    let closed = schema["additionalProperties"] == Json::Bool(false);
    assert_eq!(closed, T::UNKNOWN == Unknown::Refused, "{name}");
    for key in keys("required") {
        let missing = findings::<T>("{}");
        let said = missing
            .iter()
            .any(|it| it.contains(&format!("does not say `{key}`")));
        assert!(said, "{name} reads without `{key}`: {missing:?}");
    }
}

#[test]
fn every_schema_has_the_keys_that_its_reader_asks_for() {
    check_schema::<ClusterDefinition>();
    check_schema::<Consents>();
    check_schema::<Machines>();
    check_schema::<Versions>();
    check_schema::<Os>();
    check_schema::<RegistryTrust>();
    check_schema::<TrustDefaults>();
    check_schema::<SecretRef>();
    check_schema::<KeyInSecret>();
    check_schema::<Address>();
    check_schema::<TalosSettings>();
    check_schema::<Mirror>();
    check_schema::<Registries>();
    check_schema::<HostConfig>();
    check_schema::<TlsSettings>();
    check_schema::<ClientIdentity>();
    check_schema::<Platform>();
    check_schema::<Providers>();
    check_schema::<Cozystack>();
    check_schema::<NetworkPools>();
    check_schema::<AddressPool>();
}

#[test]
fn a_boolean_is_a_boolean_and_nothing_that_some_tool_takes_for_one() {
    for (text, what) in [
        ("enabled: \"true\"", "must be a boolean"),
        ("enabled: yes", "must be a boolean"),
        ("enabled: 1", "must be a boolean"),
        ("enabled: [true]", "must be a boolean"),
        ("enabled:", "is null"),
        ("enabled: ~", "is null"),
    ] {
        let found = findings::<RegistryTrust>(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(
            found[0].starts_with("wrong-type file.yaml:1:"),
            "{text}: {found:?}"
        );
        assert!(found[0].contains(what), "{text}: {found:?}");
    }
    assert!(
        read::<RegistryTrust>("enabled: true")
            .0
            .unwrap()
            .enabled
            .value
    );
}

#[test]
fn a_string_that_another_tool_reads_as_something_else_must_be_quoted() {
    for text in [
        "talos: 1.10",
        "talos: on",
        "talos: 0644",
        "talos: {}",
        "talos: null",
    ] {
        let found = findings::<Versions>(text);
        assert!(found[0].starts_with("wrong-type"), "{text}: {found:?}");
    }
    assert_eq!(
        read::<Versions>("talos: '1.10'")
            .0
            .unwrap()
            .talos
            .unwrap()
            .value,
        "1.10"
    );
}

#[test]
fn an_empty_string_is_not_the_same_as_silence() {
    let found = findings::<Versions>("talos: ''");

    assert_eq!(
        found,
        [
            "invalid-value file.yaml:1:8 `talos` is an empty string (leave the key out to say nothing)"
        ]
    );
}

#[test]
fn a_present_empty_mapping_is_speech() {
    let said = read::<TalosSettings>("registryMirrors: {}").0.unwrap();
    let unsaid = read::<TalosSettings>("installerRepository: r.example/i")
        .0
        .unwrap();

    assert_eq!(said.registry_mirrors.unwrap().value.0, []);
    assert!(unsaid.registry_mirrors.is_none());
}

#[test]
fn everything_wrong_is_found_at_once_and_in_its_place() {
    let text = "\
enabled: yes
hosts: registry.example
address: {value: 192.0.2.10, secret: registry-address}
caSecret: {namespace: cert-manager, name: -x}
";
    assert_eq!(
        findings::<RegistryTrust>(text),
        [
            "wrong-type file.yaml:1:10 `enabled` must be a boolean (write `true` or `false`, without quotes)",
            "invalid-value file.yaml:4:43 `caSecret.name` is \"-x\", which is not the name of a Kubernetes object (correct the value)",
            "missing-key file.yaml:4:11 `caSecret` does not say `key` (add `key`)",
            "invalid-value file.yaml:3:10 `address` names 2 sources, and exactly one must count (write `value`, or `secret`, or `serviceNamespace` with `serviceName`)",
            "unknown-key file.yaml:2:1 the file has no key `hosts` (did you mean `host`?)",
        ]
    );
}

#[test]
fn a_key_under_a_host_has_its_place_too() {
    let text = "config:\n  registry.example:5000:\n    tls: {insecure: true}\n";
    let found = findings::<Registries>(text);

    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(
            "unknown-key file.yaml:3:11 `config.registry.example:5000.tls` has no key"
        )
    );
}

#[test]
fn a_host_that_is_no_host_is_refused_where_it_is_a_key() {
    for host in ["'*'", "https://registry.example", "Registry.example"] {
        let found = findings::<Registries>(&format!("config:\n  {host}: {{}}\n"));
        assert!(
            found[0].starts_with("invalid-value file.yaml:2:3"),
            "{found:?}"
        );
    }
    assert_eq!(findings::<Registries>("mirrors: {'*': {}}"), [""; 0]);
}

#[test]
fn an_alias_is_read_as_what_it_stands_for() {
    let text = "config:\n  a.example: &it {auth: {secret: pull}}\n  b.example: *it\n";
    let config = read::<Registries>(text).0.unwrap().config.unwrap().value;
    let auth = |at: usize| {
        config.0[at]
            .1
            .value
            .auth
            .clone()
            .unwrap()
            .value
            .secret
            .value
    };

    assert_eq!(auth(0), auth(1));
}

#[test]
fn a_merge_key_is_refused_even_where_other_keys_are_ignored() {
    let found = findings::<Machines>("a: &a {replicas: 3}\n<<: *a\n");

    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("unknown-key file.yaml:2:1"),
        "{found:?}"
    );
}

#[test]
fn a_file_that_says_nothing_or_too_much_is_refused() {
    for (text, code) in [
        ("", "missing-key"),
        ("# only a comment\n", "missing-key"),
        ("- a\n", "wrong-type"),
        ("a\n", "wrong-type"),
        ("{}\n---\n{}\n", "wrong-type"),
        ("a: [\n", "invalid-yaml"),
        ("a: 1\na: 2\n", "duplicate-key"),
    ] {
        let found = findings::<Machines>(text);
        assert!(
            found.iter().all(|it| it.starts_with(code)) && !found.is_empty(),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_secret_outside_the_store_has_no_name() {
    for name in ["../ca", "/etc/passwd", "a/../../b", ".age-recipients"] {
        let found = findings::<SecretRef>(&format!("secret: {name}"));
        assert!(
            found[0].starts_with("invalid-value file.yaml:1:9 `secret`"),
            "{found:?}"
        );
    }
}
