use super::*;
use crate::settings::fixture;

const OPTED_IN: &str = "platformDefaults: true\n";
const FACTORY: &str = "https://factory.talos.dev";

fn settings(definition: &str, platform: &str) -> ClusterSettings {
    fixture::settings(definition, platform).expect("nothing is wrong with it")
}

fn refused(definition: &str, platform: &str) -> Vec<&'static str> {
    let findings = fixture::settings(definition, platform).unwrap_err();
    findings.iter().map(|it| it.code.name()).collect()
}

/// Every layer that spoke, the winner first.
fn layers<T>(resolved: &Resolved<T>) -> Vec<Layer> {
    let lost = resolved.shadowed.iter().map(|said| said.origin.layer);
    [resolved.origin.layer].into_iter().chain(lost).collect()
}

fn talos(key: &str, value: &str) -> String {
    format!("talos: {{{key}: {value}}}\n")
}

fn mirrors(settings: &ClusterSettings) -> Vec<String> {
    mirrors_of(settings)
        .map(|(key, _)| key.value.to_string())
        .collect()
}

#[test]
fn each_layer_beats_every_weaker_one_and_all_are_remembered() {
    use Layer::{BuiltIn, Cluster, Platform};

    let (own, platform) = (
        talos("imageFactoryURL", "https://own.example"),
        talos("imageFactoryURL", "https://platform.example"),
    );
    for (cluster, platform, expected) in [
        ("", "", &[BuiltIn][..]),
        ("", &*platform, &[Platform, BuiltIn]),
        (&*own, "", &[Cluster, BuiltIn]),
        (&*own, &*platform, &[Cluster, Platform, BuiltIn]),
    ] {
        let settings = settings(&format!("{OPTED_IN}{cluster}"), platform);
        assert_eq!(layers(&settings.image_factory_url), expected);
    }
}

#[test]
fn a_value_equal_to_the_built_in_one_is_said_all_the_same() {
    let same = talos("imageFactoryURL", FACTORY);

    for (cluster, platform, layer) in [
        (&*same, "", Layer::Cluster),
        ("", &*same, Layer::Platform),
        (&*same, &*same, Layer::Cluster),
    ] {
        let settings = settings(&format!("{OPTED_IN}{cluster}"), platform);
        assert_eq!(settings.image_factory_url.value, FACTORY);
        assert_eq!(settings.image_factory_url.origin.layer, layer);
    }
}

#[test]
fn without_the_opt_in_a_platform_value_changes_nothing_and_the_clusters_own_still_counts() {
    let trust = "registryTrust: {enabled: true, host: r.example, ca: {secret: ca}}\n";
    let platform = talos("installerRepository", "platform.example/installer")
        + "registries: {mirrors: {ghcr.io: {endpoints: [https://p.example]}}, config: {p.example: {tls: {ca: {secret: p}}}}}\n";
    let without = settings(trust, &platform);

    assert_eq!(without.installer_repository, None);
    assert_eq!(without.mirrors, None);
    assert!(without.hosts.is_empty());

    let own = talos("installerRepository", "own.example/installer");
    let with = settings(&format!("{trust}{own}"), &platform);
    assert_eq!(
        layers(&with.installer_repository.unwrap()),
        [Layer::Cluster]
    );
}

#[test]
fn an_empty_map_is_speech_and_an_absent_one_is_not() {
    let platform = talos(
        "registryMirrors",
        "{ghcr.io: {endpoints: [https://p.example]}}",
    );

    let silent = settings(OPTED_IN, &platform);
    assert_eq!(mirrors(&silent), ["ghcr.io"]);

    let empty = settings(
        &format!("{OPTED_IN}{}", talos("registryMirrors", "{}")),
        &platform,
    );
    assert_eq!(mirrors(&empty), [""; 0]);
    assert_eq!(
        layers(&empty.mirrors.unwrap()),
        [Layer::Cluster, Layer::Platform]
    );
}

#[test]
fn mirrors_win_as_a_whole_map_and_talos_registry_mirrors_first_within_a_layer() {
    let map = |host: &str| format!("{{{host}: {{endpoints: [https://e.example]}}}}");
    let registries = |host: &str| format!("registries: {{mirrors: {}}}\n", map(host));
    let talos = |host: &str| talos("registryMirrors", &map(host));

    for (cluster, platform, expected) in [
        (
            talos("a.example"),
            talos("b.example") + &registries("c.example"),
            "a.example",
        ),
        (registries("a.example"), talos("b.example"), "a.example"),
        (
            talos("a.example") + &registries("b.example"),
            String::new(),
            "a.example",
        ),
        (
            String::new(),
            talos("b.example") + &registries("c.example"),
            "b.example",
        ),
        (String::new(), registries("c.example"), "c.example"),
    ] {
        let settings = settings(&format!("{OPTED_IN}{cluster}"), &platform);
        assert_eq!(mirrors(&settings), [expected], "{cluster}{platform}");
    }
}

#[test]
fn null_and_an_empty_string_are_errors_in_either_file() {
    for value in ["", "null", "~", "''", "\"\""] {
        for key in ["imageFactoryURL", "installerRepository"] {
            let said = talos(key, value);
            let code = if value.len() == 2 {
                "invalid-value"
            } else {
                "wrong-type"
            };

            assert_eq!(refused(&format!("{OPTED_IN}{said}"), ""), [code], "{said}");
            assert_eq!(refused(OPTED_IN, &said), [code], "{said}");
        }
    }
    for said in [
        talos("registryMirrors", ""),
        talos("registryMirrors", "{ghcr.io: }"),
        talos("registryMirrors", "{ghcr.io: {endpoints: }}"),
        "registries: {config: }\n".to_string(),
        "registries: {config: {a.example: }}\n".to_string(),
    ] {
        assert_eq!(refused(OPTED_IN, &said), ["wrong-type"], "{said}");
    }
}

#[test]
fn one_slash_at_the_end_is_no_part_of_the_value() {
    let said = talos("imageFactoryURL", "https://f.example/");
    let settings = settings(OPTED_IN, &said);
    assert_eq!(settings.image_factory_url.value, "https://f.example");

    let said = talos("imageFactoryURL", "https://f.example//");
    assert_eq!(refused(OPTED_IN, &said), ["trailing-slashes"]);
}

#[test]
fn tls_and_credentials_of_a_host_are_resolved_apart_and_each_as_a_whole() {
    let platform = "registries: {config: {a.example: {tls: {ca: {secret: p}, insecureSkipVerify: false}, auth: {secret: p}}}}\n";
    let own = "registries: {config: {a.example: {tls: {ca: {secret: own}}}}}\n";
    let settings = settings(&format!("{OPTED_IN}{own}"), platform);
    let host = &settings.hosts[&"a.example".parse().unwrap()];
    let (tls, auth) = (host.tls.as_ref().unwrap(), host.auth.as_ref().unwrap());

    assert_eq!(layers(tls), [Layer::Cluster, Layer::Platform]);
    assert_eq!(tls.value.insecure_skip_verify, None);
    assert_eq!(layers(auth), [Layer::Platform]);
}

#[test]
fn an_empty_block_of_hosts_or_of_one_host_keeps_the_platforms_out() {
    let platform =
        "registries: {config: {a.example: {auth: {secret: p}}, b.example: {auth: {secret: p}}}}\n";
    let with = |own: &str| {
        let own = format!("{OPTED_IN}registries: {{config: {own}}}\n");
        let hosts = settings(&own, platform).hosts.into_iter();
        let with_auth = hosts.filter(|(_, host)| host.auth.is_some());
        with_auth
            .map(|(host, _)| host.to_string())
            .collect::<Vec<_>>()
    };

    assert_eq!(with("{c.example: {}}"), ["a.example", "b.example"]);
    assert_eq!(with("{a.example: {}}"), ["b.example"]);
    assert_eq!(with("{}"), [""; 0]);
}

#[test]
fn the_trust_takes_each_of_its_parts_from_the_strongest_that_says_it() {
    let platform =
        "registryTrust: {host: p.example, ca: {secret: p}, address: {value: 192.0.2.1}}\n";
    let of = |own: &str| {
        let own = format!("registryTrust: {{enabled: true{own}}}\n");
        settings(&own, platform).trust.unwrap()
    };
    let trust = of("");
    assert_eq!(layers(&trust.host), [Layer::Platform]);
    assert_eq!(layers(&trust.address.unwrap()), [Layer::Platform]);

    let trust = of(", host: own.example");
    assert_eq!(layers(&trust.host), [Layer::Cluster, Layer::Platform]);
    assert_eq!(layers(&trust.ca), [Layer::Platform]);

    // Another kind of source for the same thing wins as well.
    let trust = of(", caSecret: {namespace: pki, name: ca, key: ca.crt}");
    assert!(matches!(trust.ca.value, CaSource::Live(_)));
    assert_eq!(layers(&trust.ca), [Layer::Cluster, Layer::Platform]);
}

#[test]
fn an_address_of_the_call_beats_all_that_is_written() {
    let own = "registryTrust: {enabled: true, host: r.example, ca: {secret: ca}, address: {value: 192.0.2.1}}\n";
    let repo = fixture::repo(own, "registryTrust: {address: {value: 192.0.2.2}}\n");
    let settings = ClusterSettings::resolve(&repo.clusters[0], repo.platform.as_ref(), true);
    let address = settings.unwrap().trust.unwrap().address.unwrap();

    assert_eq!(address.value, AddressSource::Given);
    assert_eq!(
        layers(&address),
        [Layer::CommandLine, Layer::Cluster, Layer::Platform]
    );
}

#[test]
fn what_an_enabled_trust_lacks_is_told_with_all_that_it_lacks() {
    assert_eq!(
        refused("registryTrust: {enabled: true}\n", ""),
        ["missing-key"; 2]
    );
}
