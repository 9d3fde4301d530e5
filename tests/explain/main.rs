//! Whose word counts, end to end: what is rendered, and what `explain` says about it.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test stands outside: it makes files and runs the program"
)]

mod house;
mod reader;

use house::{House, control_plane, shared, stderr};
use reader::Machine;
use serde_json::Value;

const OPTED_IN: &str = "platformDefaults: true\nversions: {talos: v1.11.6}\n";

/// A setting under its key, with a value `N` of its own for each who says it.
struct Said {
    key: &'static str,
    text: fn(&str) -> String,
}

const SETTINGS: [Said; 6] = [
    Said {
        key: "talos.registryMirrors",
        text: |n| {
            format!(
                "talos: {{registryMirrors: {{ghcr.io: {{endpoints: ['https://{n}.example']}}}}}}\n"
            )
        },
    },
    Said {
        key: "registries.mirrors",
        text: |n| {
            format!(
                "registries: {{mirrors: {{ghcr.io: {{endpoints: ['https://{n}.example']}}}}}}\n"
            )
        },
    },
    Said {
        key: "registries.config.r.example.tls.ca",
        text: |n| {
            format!(
                "registries: {{config: {{r.example: {{tls: {{ca: {{secret: {}}}}}}}}}}}\n",
                ca_of(n)
            )
        },
    },
    Said {
        key: "registries.config.r.example.auth",
        text: |n| {
            format!(
                "registries: {{config: {{r.example: {{auth: {{secret: {}}}}}}}}}\n",
                auth_of(n)
            )
        },
    },
    Said {
        key: "talos.installerRepository",
        text: |n| format!("talos: {{installerRepository: {n}.example/installer}}\n"),
    },
    Said {
        key: "talos.imageFactoryURL",
        text: |n| format!("talos: {{imageFactoryURL: 'https://{n}.example'}}\n"),
    },
];

fn ca_of(who: &str) -> &'static str {
    if who == "cluster" {
        "next-ca"
    } else {
        "corp-ca"
    }
}

fn auth_of(who: &str) -> &'static str {
    if who == "cluster" {
        "token-pull"
    } else {
        "corp-pull"
    }
}

/// The one setting that was asked for.
fn setting(explained: &Value) -> &Value {
    let settings = explained["settings"].as_array().unwrap();
    assert_eq!(settings.len(), 1, "{explained:#}");
    &settings[0]
}

/// Who spoke, the winner first (`-` where nobody's word counts).
fn layers(setting: &Value) -> Vec<&str> {
    let winner = setting["winner"]["layer"].as_str().unwrap_or("-");
    let losers = setting["losers"].as_array().unwrap().iter();
    let losers = losers.map(|loser| loser["layer"].as_str().unwrap());
    [winner].into_iter().chain(losers).collect()
}

#[test]
fn every_pair_of_layers_is_decided_in_what_is_explained_and_in_what_is_rendered() {
    for said in SETTINGS {
        let (cluster, platform) = ((said.text)("cluster"), (said.text)("platform"));
        let built_in = (said.key == "talos.imageFactoryURL").then_some("built-in");
        for (own, theirs, expected) in [
            (&*cluster, &*platform, &["cluster", "platform"][..]),
            (&*cluster, "", &["cluster"]),
            ("", &*platform, &["platform"]),
        ] {
            let manifest = control_plane("v1.11.6");
            let house = House::new(&format!("{OPTED_IN}{own}"), theirs, &manifest);
            let explained = house.explain(&[said.key]);
            let setting = setting(&explained);
            let expected: Vec<&str> = expected.iter().copied().chain(built_in).collect();
            assert_eq!(layers(setting), expected, "{}", said.key);

            let machine = Machine::of(&house.render());
            let is_rendered = setting["effect"] == "next-bootstrap";
            let is_there = machine != Machine::default();
            assert_eq!(is_there, is_rendered, "{}", said.key);
            let alone = House::new(
                &format!("{OPTED_IN}{}", (said.text)(expected[0])),
                "",
                &manifest,
            );
            assert_eq!(machine, Machine::of(&alone.render()), "{}", said.key);
        }
    }
}

#[test]
fn without_the_opt_in_a_platform_value_changes_no_byte_and_the_answer_says_why() {
    let trust = "registryTrust: {enabled: true, host: t.example, ca: {secret: registry-ca}, address: {value: 192.0.2.1}}\n";
    let plain = House::new(trust, "", &control_plane("v1.11.6")).render();
    for said in SETTINGS {
        let house = House::new(trust, &(said.text)("platform"), &control_plane("v1.11.6"));
        let explained = house.explain(&[said.key]);
        let losers = setting(&explained)["losers"].as_array().unwrap();

        assert_eq!(losers.len(), 1);
        assert_eq!(losers[0]["why"], "no-platform-defaults", "{}", said.key);
        assert_eq!(losers[0]["file"], "clusters/platform.yaml");
        assert_eq!(house.render(), plain, "{}", said.key);
    }
}

#[test]
fn the_same_word_as_a_weaker_one_is_still_said() {
    for said in SETTINGS {
        let same = (said.text)("platform");
        let house = House::new(
            &format!("{OPTED_IN}{same}"),
            &same,
            &control_plane("v1.11.6"),
        );
        let explained = house.explain(&[said.key]);
        assert_eq!(
            layers(setting(&explained))[..2],
            ["cluster", "platform"],
            "{}",
            said.key
        );
    }
}

#[test]
fn an_empty_map_of_the_cluster_leaves_nothing_of_the_platforms() {
    let platform = (SETTINGS[0].text)("platform") + &(SETTINGS[3].text)("platform");
    for (own, path) in [
        (
            "talos: {registryMirrors: {}}\n",
            "/machine/registries/mirrors/ghcr.io",
        ),
        (
            "registries: {mirrors: {}}\n",
            "/machine/registries/mirrors/ghcr.io",
        ),
        (
            "registries: {config: {}}\n",
            "/machine/registries/config/r.example/auth",
        ),
        (
            "registries: {config: {r.example: {}}}\n",
            "/machine/registries/config/r.example/auth",
        ),
    ] {
        let house = House::new(
            &format!("{OPTED_IN}{own}"),
            &platform,
            &control_plane("v1.11.6"),
        );
        let explained = house.explain(&[path]);
        let of_path = |it: &&Value| it["path"] == path;
        let settings = explained["settings"].as_array().unwrap();
        let setting = settings.iter().find(of_path).unwrap();
        assert_eq!(layers(setting), ["-", "platform"], "{own}");
        assert_eq!(setting["losers"][0]["why"], "replaced", "{own}");

        let machine = Machine::of(&house.render());
        let is_mirror = path.contains("mirrors");
        assert_eq!(machine.mirrors.is_empty(), is_mirror, "{own}");
        assert_eq!(machine.auth.is_empty(), !is_mirror, "{own}");
    }
}

#[test]
fn null_and_the_empty_string_stop_both_verbs_in_both_files() {
    for value in ["", "null", "''"] {
        for key in ["imageFactoryURL", "installerRepository", "registryMirrors"] {
            let said = format!("talos: {{{key}: {value}}}\n");
            for (own, platform) in [(&*said, ""), ("", &*said)] {
                let definition = format!("{OPTED_IN}{own}");
                let house = House::new(&definition, platform, &control_plane("v1.11.6"));
                for arguments in [&["render", "a"][..], &["explain", "a"]] {
                    let output = house.run(arguments);
                    assert_eq!(output.status.code(), Some(2), "{said}");
                    assert!(output.stdout.is_empty());
                    assert!(stderr(&output).contains(key), "{}", stderr(&output));
                }
            }
        }
    }
}

#[test]
fn one_slash_at_the_end_is_taken_off_and_two_are_refused() {
    for (key, value) in [
        ("imageFactoryURL", "https://f.example/"),
        ("installerRepository", "f.example/installer/"),
    ] {
        let said = format!("talos: {{{key}: '{value}'}}\n");
        let house = House::new(OPTED_IN, &said, &control_plane("v1.11.6"));
        let explained = house.explain(&[&format!("talos.{key}")]);
        let shown = &setting(&explained)["winner"]["value"]["text"];
        assert_eq!(shown.as_str().unwrap(), value.trim_end_matches('/'));
        assert!(!house.render().contains("//installer") && !house.render().contains("/:v"));

        let said = said.replace("/'", "//'");
        let house = House::new(OPTED_IN, &said, &control_plane("v1.11.6"));
        let output = house.run(&["explain", "a"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains("trailing-slashes"),
            "{}",
            stderr(&output)
        );
    }
}

/// Everything that a definition can say, of a platform and of a cluster.
const EVERYTHING: &str = "registryTrust: {host: 'trusted.example:5000', ca: {secret: registry-ca}, address: {secret: registry-address}}
talos:
  installerRepository: plain.example/talos/installer
  registryMirrors:
    ghcr.io: {endpoints: ['https://plain.example/v2/ghcr.io', 'https://client.example'], overridePath: true}
    docker.io: {endpoints: ['https://plain.example'], skipFallback: true}
    quay.io: {endpoints: ['https://lab.example:8443'], overridePath: false, skipFallback: false}
    '*': {endpoints: ['https://trusted.example:5000']}
registries:
  config:
    plain.example: {tls: {ca: {secret: two-cas}}, auth: {secret: corp-pull}}
    client.example:
      tls: {ca: {secret: corp-ca}, clientIdentity: {cert: {secret: client-certificate}, key: {secret: client-key}}}
      auth: {secret: token-pull}
    lab.example:8443: {tls: {insecureSkipVerify: true}}
";

#[test]
fn one_intent_says_the_same_to_a_machine_in_each_form() {
    let own = format!(
        "{OPTED_IN}registryTrust: {{enabled: true}}\nconsents: {{insecureSkipVerify: ['lab.example:8443']}}\n"
    );
    let machine = |talos: &str, form: &str| {
        let house = House::new(&own, EVERYTHING, &control_plane(talos));
        let explained = house.explain(&["/machine/registries"]);
        let settings = explained["settings"].as_array().unwrap();
        for setting in settings {
            assert_eq!(setting["readings"][0]["form"], form, "{setting:#}");
        }
        assert_eq!(settings.len(), 11);
        Machine::of(&house.render())
    };
    let json = machine("v1.11.6", "json-patch");
    assert_eq!(
        (json.mirrors.len(), json.tls.len(), json.auth.len()),
        (4, 4, 2)
    );
    assert_eq!(json.image, "plain.example/talos/installer:v1.11.6");
    assert_eq!(json.hosts.keys().collect::<Vec<_>>(), ["trusted.example"]);

    assert_eq!(machine("v1.12.0", "v1alpha1"), json);
    assert_eq!(machine("v1.13.9", "document"), json);
}

#[test]
fn no_key_is_needed_and_no_line_is_wider_than_a_terminal() {
    let long = "a-name-of-sixty-three-characters-for-a-part-of-a-registry-s-host";
    let host = format!("{}.{}.example:5000", &long[..59], &long[..50]);
    let platform = format!(
        "registries: {{config: {{'{host}': {{tls: {{ca: {{secret: corp-ca}}}}, auth: {{secret: corp-pull}}}}}}}}\n\
         talos: {{registryMirrors: {{'{host}': {{endpoints: ['https://{host}', 'https://{host}/{long}/{long}']}}}}}}\n"
    );
    let house = House::new(OPTED_IN, &platform, &control_plane("v1.11.6"));
    for about in ["", "/machine/registries", "talos", "registries.config"] {
        let mut arguments = vec!["explain", "a", "--color", "always"];
        arguments.extend((!about.is_empty()).then_some(about));
        let output = house.run(&arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("a-name-of-sixty"),
            "{text}{:?}",
            String::from_utf8_lossy(&output.stderr)
        );
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(!text.contains('\u{1b}'));
    }
}

const SENTINEL: &str = "S3NTINEL-OF-AUTH";

#[test]
fn a_secret_of_auth_is_in_no_explanation_and_in_no_error() {
    let uses = "registries: {config: {r.example: {auth: {secret: planted}, tls: {ca: {secret: planted}}}}}\n";
    let there = control_plane("v1.11.6")
        + "      configPatches:\n        - op: add\n          path: /machine/registries\n          value: {config: {r.example: {auth: {identityToken: other}}}}\n";
    let key = shared().join("test-key.txt");
    for planted in [
        format!("username: u\npassword: {SENTINEL}\n"),
        format!("password: {SENTINEL}\n"),
        format!("{SENTINEL}: x\n"),
        format!("password: [{SENTINEL}\n"),
        format!("username: {SENTINEL}\npassword: p\nidentityToken: {SENTINEL}\n"),
        format!("-----BEGIN CERTIFICATE-----\n{SENTINEL}\n-----END CERTIFICATE-----\n"),
    ] {
        let house = House::new(&format!("{OPTED_IN}{uses}"), "", &there);
        house.seal("planted", &planted);
        for format in ["human", "json"] {
            for arguments in [
                &["explain", "a"][..],
                &["explain", "a", "/machine/registries/config/r.example/auth"],
                &["explain", "a", "registries.config"],
                &["explain", "a", "/nothing"],
                &["render", "a", "-v"],
                &["render", "a", "--redact", "-v"],
            ] {
                let key = ["-i", key.to_str().unwrap(), "--format", format];
                let output = house.run(&[arguments, &key].concat());
                let (out, err) = (String::from_utf8(output.stdout).unwrap(), &output.stderr);
                let text = out + &String::from_utf8_lossy(err);
                assert!(
                    !text.contains(SENTINEL),
                    "{arguments:?} {planted:?}\n{text}"
                );
                assert!(!text.is_empty());
            }
        }
    }
}
