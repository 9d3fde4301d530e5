use crate::diagnostic::{Code, Diagnostic};
use crate::settings::fixture::settings;

const TRUST: &str = "registryTrust: {enabled: true, host: registry.example, ca: {secret: ca}}\n";
const DEFAULTS: &str = "platformDefaults: true\nversions: {talos: v1.9.5}\n";

/// Codes and the texts they point at, in order.
fn found(definition: &str) -> Vec<(&'static str, String)> {
    let findings = match settings(definition, "") {
        Ok(settings) => settings.warnings,
        Err(findings) => findings,
    };
    findings
        .iter()
        .map(|it| (it.code.name(), text_at(it)))
        .collect()
}

fn text_at(finding: &Diagnostic) -> String {
    let place = finding.places.first();
    let span = place.and_then(|place| place.span.clone().map(|span| (place, span)));
    span.map(|(place, span)| place.file.text()[span].to_string())
        .unwrap_or_default()
}

fn mirror(mirror: &str) -> Vec<(&'static str, String)> {
    found(&format!("{DEFAULTS}talos: {{registryMirrors: {mirror}}}\n"))
}

fn codes(found: &[(&'static str, String)]) -> Vec<&'static str> {
    found.iter().map(|(code, _)| *code).collect()
}

#[test]
fn an_endpoint_that_is_no_url_is_refused_where_it_stands() {
    assert_eq!(
        mirror("{ghcr.io: {endpoints: [https://a.example, '192.0.2.1:8082', a.example]}}"),
        [
            ("invalid-url", "'192.0.2.1:8082'".into()),
            ("invalid-url", "a.example".into())
        ]
    );
}

#[test]
fn credentials_in_a_url_are_refused_and_not_repeated() {
    let url = "https://robot:S3NTINEL@a.example";
    let mirrors = format!("registryMirrors: {{ghcr.io: {{endpoints: ['{url}']}}}}");
    let text = format!("{DEFAULTS}talos: {{imageFactoryURL: '{url}', {mirrors}}}\n");
    let findings = settings(&text, "").unwrap_err();

    assert_eq!(findings.len(), 2);
    for finding in findings {
        assert_eq!(finding.code, Code::CredentialsInUrl);
        assert!(!format!("{}{}", finding.message, finding.help).contains("S3NTINEL"));
    }
}

#[test]
fn a_path_without_override_path_is_asked_about_and_either_answer_is_taken() {
    let path = |more: &str| {
        mirror(&format!(
            "{{ghcr.io: {{endpoints: ['https://a.example/v2/ghcr.io']{more}}}}}"
        ))
    };

    assert_eq!(codes(&path("")), ["path-endpoint"]);
    assert_eq!(codes(&path(", overridePath: true")), [""; 0]);
    assert_eq!(codes(&path(", overridePath: false")), [""; 0]);
    assert_eq!(
        codes(&mirror("{ghcr.io: {endpoints: ['https://a.example/']}}")),
        [""; 0]
    );
    assert_eq!(
        codes(&mirror(
            "{ghcr.io: {endpoints: ['https://a.example/'], overridePath: true}}"
        )),
        ["path-endpoint"]
    );
}

#[test]
fn skip_fallback_without_endpoints_does_nothing() {
    assert_eq!(
        mirror("{ghcr.io: {skipFallback: true}, quay.io: {endpoints: []}}"),
        [
            ("no-endpoints", "true".into()),
            ("no-endpoints", "quay.io".into())
        ]
    );
}

#[test]
fn a_pattern_and_tls_for_everything_are_no_keys() {
    assert_eq!(
        codes(&mirror("{'docker.*': {endpoints: [https://a.example]}}")),
        ["invalid-value"]
    );
    assert_eq!(
        codes(&found(&format!(
            "{DEFAULTS}registries: {{config: {{'*': {{tls: {{ca: {{secret: a}}}}}}}}}}\n"
        ))),
        ["invalid-value"]
    );
}

#[test]
fn a_key_that_nobody_asks_for_is_told_apart_from_one_with_another_port() {
    let config = |host: &str| {
        let more = "registryMirrors: {ghcr.io: {endpoints: [https://a.example]}}";
        found(&format!(
            "{DEFAULTS}talos: {{{more}}}\nregistries: {{config: {{'{host}': {{tls: {{ca: {{secret: a}}}}}}}}}}\n"
        ))
    };

    assert_eq!(codes(&config("a.example")), [""; 0]);
    assert_eq!(config("a.example:443")[0].0, "port-differs");
    assert_eq!(codes(&config("b.example")), ["unmatched-config"]);
    // The registry itself is asked where its mirror fails.
    assert_eq!(codes(&config("ghcr.io")), ["mirror-without-itself"]);
}

#[test]
fn without_a_mirror_every_key_may_be_a_registry_that_is_asked_directly() {
    let config = "registries: {config: {b.example: {tls: {ca: {secret: a}}}}}\n";
    assert_eq!(codes(&found(&format!("{DEFAULTS}{config}"))), [""; 0]);

    let config = "registries: {config: {'registry.example:443': {tls: {ca: {secret: a}}}}}\n";
    assert_eq!(codes(&found(&format!("{TRUST}{config}"))), ["port-differs"]);
}

#[test]
fn tls_for_a_plain_http_endpoint_is_told() {
    let http = "talos: {registryMirrors: {ghcr.io: {endpoints: ['http://registry.example']}}}\n";
    assert_eq!(
        found(&format!("{TRUST}{http}")),
        [("tls-on-http", "'http://registry.example'".into())]
    );
    // An empty block is no TLS.
    let config = "registries: {config: {registry.example: {tls: {}}}}\n";
    assert_eq!(codes(&found(&format!("{DEFAULTS}{http}{config}"))), [""; 0]);
}

#[test]
fn the_trusted_host_as_a_mirror_must_list_itself() {
    let with = |mirror: &str| {
        codes(&found(&format!(
            "{TRUST}talos: {{registryMirrors: {{registry.example: {mirror}}}}}\n"
        )))
    };

    assert_eq!(
        with("{endpoints: [https://a.example]}"),
        ["mirror-without-itself"]
    );
    assert_eq!(
        with("{endpoints: [https://a.example, https://registry.example]}"),
        [""; 0]
    );
    assert_eq!(
        with("{endpoints: [https://a.example], skipFallback: true}"),
        [""; 0]
    );
    assert_eq!(
        with("{endpoints: ['https://registry.example:443']}"),
        ["mirror-without-itself"]
    );
}

#[test]
fn credentials_reach_running_nodes_with_a_reboot_only() {
    let config = "registries: {config: {a.example: {auth: {secret: pull}}}}\n";
    assert_eq!(
        found(&format!("{DEFAULTS}{config}")),
        [("auth-needs-reboot", "{secret: pull}".into())]
    );
}

#[test]
fn a_repository_is_what_an_image_reference_can_begin_with() {
    let repository = |text: &str| {
        codes(&found(&format!(
            "{DEFAULTS}talos: {{installerRepository: '{text}'}}\n"
        )))
    };

    assert_eq!(repository("r.example:5000/talos/installer"), [""; 0]);
    assert_eq!(repository("r.example/talos/installer/"), [""; 0]);
    assert_eq!(
        repository("r.example/talos/installer//"),
        ["trailing-slashes"]
    );
    for bad in [
        "https://r.example/installer",
        "r.example",
        "installer/x",
        "r.example/installer:v1.9.5",
        "r.example/installer@sha256:ab",
        "r.example/Installer",
        "r.example//installer",
    ] {
        assert_eq!(repository(bad), ["invalid-repository"], "{bad}");
    }
}

#[test]
fn an_image_factory_is_a_url_with_at_most_one_slash_at_its_end() {
    let factory = |text: &str| {
        codes(&found(&format!(
            "{DEFAULTS}talos: {{imageFactoryURL: '{text}'}}\n"
        )))
    };

    assert_eq!(factory("https://factory.example/"), [""; 0]);
    assert_eq!(factory("https://factory.example/proxy"), [""; 0]);
    assert_eq!(factory("https://factory.example//"), ["trailing-slashes"]);
    assert_eq!(factory("factory.example"), ["invalid-url"]);
}

#[test]
fn what_a_shell_or_a_template_would_replace_is_refused() {
    for (value, code) in [
        (
            "talos: {imageFactoryURL: 'https://f.example/$X'}",
            "shell-character",
        ),
        (
            "talos: {installerRepository: 'r.example/`x`'}",
            "shell-character",
        ),
        (
            "talos: {registryMirrors: {a.example: {endpoints: ['https://b.example/\\x'], overridePath: true}}}",
            "shell-character",
        ),
    ] {
        let found = found(&format!("{DEFAULTS}{value}\n"));
        assert_eq!(found[0].0, code, "{value}");
    }
}

#[test]
fn an_installer_that_only_a_host_entry_finds_is_told() {
    let with = |more: &str| {
        codes(&found(&format!(
            "{TRUST}versions: {{talos: v1.9.5}}\ntalos: {{{more}}}\n"
        )))
    };
    let here = "installerRepository: registry.example/talos/installer";

    assert_eq!(with(here), ["installer-host"]);
    assert_eq!(
        with("installerRepository: other.example/talos/installer"),
        [""; 0]
    );
    // A mirror leads there too; one for everything counts only where there is none of its own.
    let there = "installerRepository: ghcr.io/talos/installer, registryMirrors: ";
    let any = "'*': {endpoints: ['https://registry.example:5000']}";
    let own = "ghcr.io: {endpoints: [https://other.example]}";
    assert_eq!(with(&format!("{there}{{{any}}}")), ["installer-host"]);
    assert_eq!(with(&format!("{there}{{{any}, {own}}}")), [""; 0]);
}

#[test]
fn a_schematic_that_no_factory_made_is_refused() {
    let text = format!(
        "{DEFAULTS}os: {{schematic_id: abc}}\ntalos: {{installerRepository: r.example/installer}}\n"
    );
    assert_eq!(found(&text), [("invalid-value", "abc".into())]);
}

#[test]
fn skipping_verification_needs_this_clusters_consent_and_no_ca() {
    let skip = "registries: {config: {a.example: {tls: {insecureSkipVerify: true}}}}\n";
    let consent = "consents: {insecureSkipVerify: [a.example]}\n";

    assert_eq!(codes(&found(&format!("{DEFAULTS}{skip}"))), ["no-consent"]);
    assert_eq!(
        codes(&found(&format!("{DEFAULTS}{skip}{consent}"))),
        [""; 0]
    );
    let both = skip.replace("tls: {", "tls: {ca: {secret: ca}, ");
    assert_eq!(
        codes(&found(&format!("{DEFAULTS}{both}{consent}"))),
        ["insecure-beside-ca"]
    );
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let text = "registryTrust: {enabled: true}\ntalos: {imageFactoryURL: 'x//', installerRepository: 'https://r.example/i'}\n";
    let codes = codes(&found(text));

    for code in [
        "missing-key",
        "trailing-slashes",
        "invalid-url",
        "invalid-repository",
    ] {
        assert!(codes.contains(&code), "{code} in {codes:?}");
    }
}
