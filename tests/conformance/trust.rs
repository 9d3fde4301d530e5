//! What the machines are to have, and the certificates for it.

use base64::{Engine, engine::general_purpose::STANDARD};
use hydrant::secret::Secret;
use hydrant::talos::{Auth, CaBundle, HostEntry, Mirror, PatchIntent, PemText, Tls};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, SerialNumber, date_time_ymd};
use std::sync::LazyLock;

/// The CA that is to be trusted, in standard PEM.
pub(crate) static CA: LazyLock<String> = LazyLock::new(|| certificate(1, true));
/// The one before it.
pub(crate) static OLD_CA: LazyLock<String> = LazyLock::new(|| certificate(2, true));
/// A certificate and key that a machine shows to a registry.
pub(crate) static IDENTITY: LazyLock<(String, String)> =
    LazyLock::new(|| (certificate(3, false), key(3)));

/// The settings that one hydration brings.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// `host` or `host:port`.
    pub(crate) registry: &'static str,
    pub(crate) ip: &'static str,
    /// A mirror, credentials and an installer beside the trust, as platform defaults bring them.
    pub(crate) has_defaults: bool,
}

pub(crate) const MIRRORED: &str = "mirror.gcr.io";
pub(crate) const MIRROR_URL: &str = "https://registry.fleet.internal/v2/mirror.gcr.io";
pub(crate) const PULLED: &str = "pull.fleet.internal";
pub(crate) const IMAGE: &str = "registry.fleet.internal/talos/installer:v1.9.5";

impl Wanted {
    pub(crate) const PLAIN: Self = Self {
        registry: "registry.fleet.internal",
        ip: "198.51.100.27",
        has_defaults: false,
    };

    /// The registry's name without its port: what the nodes resolve.
    pub(crate) fn alias(&self) -> &'static str {
        self.registry
            .split_once(':')
            .map_or(self.registry, |(host, _)| host)
    }

    pub(crate) fn intent(&self) -> PatchIntent {
        let now = 1_780_000_000;
        let bundle = CaBundle::parse(CA.as_bytes(), now).expect("the CA is one");
        let tls = Tls {
            ca: Some(PemText::from(&bundle)),
            ..Tls::default()
        };
        let mut intent = PatchIntent {
            tls: [(self.registry.to_string(), tls)].into(),
            hosts: vec![HostEntry {
                alias: self.alias().into(),
                ip: Secret::new(self.ip.into()),
            }],
            ..PatchIntent::default()
        };
        if self.has_defaults {
            let secret = |text: &str| Some(Secret::new(text.to_string()));
            let (username, password) = (secret("pull"), secret("not-a-secret"));
            let mirror = Mirror {
                endpoints: vec![MIRROR_URL.into()],
                override_path: Some(true),
                skip_fallback: None,
            };
            intent.auth.insert(
                PULLED.into(),
                Auth {
                    username,
                    password,
                    ..Auth::default()
                },
            );
            intent.mirrors.insert(MIRRORED.into(), mirror);
            intent.install_image = Some(IMAGE.into());
        }
        intent
    }
}

pub(crate) fn base64(text: &str) -> String {
    STANDARD.encode(text)
}

/// The same certificate as a person may have pasted it: with a heading, and the lines broken elsewhere.
pub(crate) fn respelt(pem: &str) -> String {
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let lines: Vec<String> = body
        .as_bytes()
        .chunks(48)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    format!(
        "# fleet CA\n-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        lines.join("\n")
    )
}

/// The bodies of the certificates in PEM, whatever stands around them.
pub(crate) fn bodies(pem: &str) -> Vec<String> {
    let blocks = pem.split("-----BEGIN CERTIFICATE-----").skip(1);
    let body = |block: &str| {
        block
            .split("-----END")
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect()
    };
    blocks.map(body).collect()
}

/// An Ed25519 key out of a number, so that the same seed always writes the same manifest.
fn key(number: u8) -> String {
    let mut der = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20".to_vec();
    der.extend([number; 32]);
    format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(der)
    )
}

fn certificate(number: u8, is_ca: bool) -> String {
    let mut params = CertificateParams::new(vec![format!("n{number}.example")]).expect("a name");
    if is_ca {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    }
    params.serial_number = Some(SerialNumber::from(u64::from(number)));
    (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2120, 1, 1));
    let pair = KeyPair::from_pem(&key(number)).expect("a key");
    params
        .self_signed(&pair)
        .expect("it signs")
        .pem()
        .replace("\r\n", "\n")
}

#[test]
fn the_certificates_are_the_same_in_every_run() {
    assert_eq!(certificate(1, true), *CA);
    assert_ne!(*CA, *OLD_CA);
    assert_eq!(bodies(&respelt(&CA)), bodies(&CA));
}
