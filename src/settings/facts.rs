//! What must be read out of the store, and what it is once it was read.

use super::{AddressSource, ClusterSettings};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{Address, CaSource};
use crate::secret::{Secret, SecretName};
use crate::talos::{Auth, CaBundle, NodeAddress, PemText};
use std::collections::BTreeMap;

/// What a secret is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// PEM certificates of a CA.
    Ca,
    /// The registry's address.
    Address,
    /// YAML with credentials.
    Auth,
    /// The certificate that a node shows, in PEM.
    Certificate,
    /// Its private key, in PEM.
    PrivateKey,
}

/// A secret that a cluster needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// Its name in the store.
    pub secret: SecretName,
    /// What for.
    pub need: Need,
    /// Where it is named.
    pub at: Place,
}

/// A secret's value, checked and in the shape that its use needs.
#[derive(Clone, Debug)]
pub enum Fact {
    /// PEM: a CA, a certificate or a key.
    Pem(PemText),
    /// An address, as it is written to machines.
    Address(Secret<String>),
    /// Credentials.
    Auth(Auth),
}

/// The facts of a run, by secret and use.
#[derive(Clone, Debug, Default)]
pub struct Facts(BTreeMap<(SecretName, Need), Fact>);

impl Facts {
    /// No facts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn insert(&mut self, secret: SecretName, need: Need, fact: Fact) {
        self.0.insert((secret, need), fact);
    }

    /// The fact for a secret and use.
    pub fn get(&self, secret: &SecretName, need: Need) -> Option<&Fact> {
        self.0.get(&(secret.clone(), need))
    }
}

impl Fact {
    /// Checks decrypted bytes for their use; `now` is in seconds since the Unix epoch.
    ///
    /// Findings name the secret and the reason, never its content.
    pub fn read(
        required: &Required,
        bytes: &Secret<Vec<u8>>,
        now: i64,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let name = &required.secret;
        let refuse = |code, why: String, help: &str| {
            let message = format!("the secret `{name}` cannot be used: {why}");
            vec![Diagnostic::new(code, message, help).at(required.at.clone())]
        };
        let text = std::str::from_utf8(bytes.expose());
        match required.need {
            Need::Ca => match CaBundle::parse(bytes.expose(), now) {
                Ok(bundle) => {
                    let expired = bundle.not_valid_now().iter().map(|n| expired(required, *n));
                    Ok((Self::Pem(PemText::from(&bundle)), expired.collect()))
                }
                Err(problems) => Err(problems
                    .into_iter()
                    .flat_map(|problem| {
                        let help = "store the CA's certificates in PEM, and nothing else";
                        refuse(Code::InvalidCa, problem.to_string(), help)
                    })
                    .collect()),
            },
            Need::Address => {
                let address = text
                    .map_err(|_| "it is not text")
                    .and_then(NodeAddress::parse);
                let help = "store one IPv4 or IPv6 unicast address";
                address
                    .map(|address| {
                        (
                            Self::Address(Secret::new(address.ip().to_string())),
                            Vec::new(),
                        )
                    })
                    .map_err(|why| refuse(Code::InvalidAddress, why.to_string(), help))
            }
            Need::Auth => {
                let help =
                    "store YAML with `username` and `password`, or `auth`, or `identityToken`";
                text.map_err(|_| "it is not text".to_string())
                    .and_then(Auth::parse)
                    .map(|auth| (Self::Auth(auth), Vec::new()))
                    .map_err(|why| refuse(Code::InvalidSecret, why, help))
            }
            Need::Certificate | Need::PrivateKey => {
                let label = match required.need {
                    Need::Certificate => "CERTIFICATE",
                    _ => "PRIVATE KEY",
                };
                let is_pem = |text: &&str| {
                    text.contains("-----BEGIN ") && text.contains(&format!("{label}-----"))
                };
                let Some(text) = text.ok().filter(is_pem) else {
                    let why = format!("it holds no PEM block `{label}`");
                    return Err(refuse(Code::InvalidSecret, why, "store it in PEM"));
                };
                let pem = PemText::new(Secret::new(text.to_string()));
                Ok((Self::Pem(pem), Vec::new()))
            }
        }
    }

    /// A named placeholder in the value's place, for output that is shown.
    pub fn placeholder(secret: &SecretName, need: Need) -> Self {
        let text = placeholder(secret.as_str());
        let value = || Some(Secret::new(text.clone()));
        match need {
            Need::Ca | Need::Certificate | Need::PrivateKey => {
                Self::Pem(PemText::placeholder(&text))
            }
            Need::Address => Self::Address(Secret::new(text)),
            Need::Auth => Self::Auth(Auth {
                username: value(),
                password: value(),
                ..Auth::default()
            }),
        }
    }
}

/// How a redacted value is shown.
pub(super) fn placeholder(name: &str) -> String {
    format!("<redacted: {name}>")
}

fn expired(required: &Required, n: usize) -> Diagnostic {
    Diagnostic::new(
        Code::ExpiredCa,
        format!(
            "certificate {n} of the secret `{}` is not valid now",
            required.secret
        ),
        "remove it from the bundle when no registry uses it any more",
    )
    .at(required.at.clone())
}

impl ClusterSettings {
    /// Every secret that the cluster's intent needs, in a fixed order.
    pub fn required(&self) -> Vec<Required> {
        let mut required = Vec::new();
        let mut need = |secret: &crate::fleet::Placed<SecretName>, need| {
            required.push(Required {
                secret: secret.value.clone(),
                need,
                at: secret.at.clone(),
            });
        };
        if let Some(trust) = &self.trust {
            if let CaSource::Secret(secret) = &trust.ca.value {
                need(secret, Need::Ca);
            }
            let address = trust.address.as_ref().map(|address| &address.value);
            if let Some(AddressSource::Said(Address::Secret(secret))) = address {
                need(secret, Need::Address);
            }
        }
        for host in self.hosts.values() {
            if let Some(tls) = &host.tls {
                if let Some(ca) = &tls.value.ca {
                    need(&ca.value.secret, Need::Ca);
                }
                if let Some(identity) = &tls.value.client_identity {
                    need(&identity.value.cert.value.secret, Need::Certificate);
                    need(&identity.value.key.value.secret, Need::PrivateKey);
                }
            }
            if let Some(auth) = &host.auth {
                need(&auth.value.secret, Need::Auth);
            }
        }
        required
    }
}
