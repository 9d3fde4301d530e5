//! What a cluster's machines must have, said once, and read in each form that Talos accepts.
//!
//! Sources of the shapes: Talos' v1alpha1 types (`RegistriesConfig`, `ExtraHost`) and its documents of
//! 1.12 (`RegistryTLSConfig`, `RegistryAuthConfig`, `RegistryMirrorConfig`, `StaticHostConfig`).

use super::{CaBundle, DocumentKind, OwnedParent};
use crate::secret::Secret;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Everything that hydrant wants on the machines of one target.
#[derive(Clone, Debug, Default)]
pub struct PatchIntent {
    /// TLS by registry endpoint, `host` or `host:port`.
    pub tls: BTreeMap<String, Tls>,
    /// Credentials by registry endpoint, `host` or `host:port`.
    pub auth: BTreeMap<String, Auth>,
    /// Mirrors by the registry that an image names, or `*`.
    pub mirrors: BTreeMap<String, Mirror>,
    /// Names that the nodes resolve by themselves.
    pub hosts: Vec<HostEntry>,
    /// The installer image.
    pub install_image: Option<String>,
}

/// How to verify one registry endpoint.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// What to trust.
    pub ca: Option<PemText>,
    /// Certificate and key to show.
    pub client_identity: Option<(PemText, PemText)>,
    /// Whether to skip verification.
    pub insecure_skip_verify: Option<bool>,
}

/// PEM text, which v1alpha1 fields hold as base64 and documents as it is.
#[derive(Clone, Debug)]
pub struct PemText {
    pem: Secret<String>,
    base64: Secret<String>,
}

impl PemText {
    /// The PEM as it is to stand in a document.
    pub fn new(pem: Secret<String>) -> Self {
        let base64 = Secret::new(STANDARD.encode(pem.expose().as_bytes()));
        Self { pem, base64 }
    }

    /// As it stands in a document.
    pub fn pem(&self) -> &Secret<String> {
        &self.pem
    }

    /// The same placeholder in both forms, for output that is shown.
    pub fn placeholder(text: &str) -> Self {
        Self {
            pem: Secret::new(text.to_string()),
            base64: Secret::new(text.to_string()),
        }
    }
}

impl From<&CaBundle> for PemText {
    fn from(bundle: &CaBundle) -> Self {
        Self::new(bundle.pem().clone())
    }
}

/// Credentials for one registry endpoint; what is `None` is not said.
#[derive(Clone, Debug, Default)]
pub struct Auth {
    /// User name, with `password`.
    pub username: Option<Secret<String>>,
    /// Password, with `username`.
    pub password: Option<Secret<String>>,
    /// Base64 of `user:password`.
    pub auth: Option<Secret<String>>,
    /// An identity token.
    pub identity_token: Option<Secret<String>>,
}

/// Where images of one registry are pulled from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mirror {
    /// URLs, tried in this order; none says nothing about them.
    pub endpoints: Vec<String>,
    /// Take the endpoints' paths as they are, without appending `/v2`.
    pub override_path: Option<bool>,
    /// Do not fall back to the registry itself.
    pub skip_fallback: Option<bool>,
}

/// A name and the one address that it resolves to.
#[derive(Clone, Debug)]
pub struct HostEntry {
    /// The name, without a port.
    pub alias: String,
    /// The address, as it is written.
    pub ip: Secret<String>,
}

/// Which aspect of a registry a setting is about: Talos keeps and replaces them separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// `registries.config.<host>.tls` or a `RegistryTLSConfig`.
    Tls,
    /// `registries.config.<host>.auth` or a `RegistryAuthConfig`.
    Auth,
    /// `registries.mirrors.<host>` or a `RegistryMirrorConfig`.
    Mirror,
    /// `install.image`, which has no document up to Talos 1.13.
    InstallImage,
}

/// One setting in its readings.
#[derive(Clone, PartialEq)]
pub struct Setting {
    /// What it is about.
    pub aspect: Aspect,
    /// The registry or endpoint that it is for; empty for the installer image.
    pub name: String,
    /// Its v1alpha1 value: the mapping (for the image, the string) at [`Setting::keys`].
    pub value: Value,
    /// Its own document, whole, where a kind for it exists.
    pub document: Option<Value>,
}

impl Setting {
    /// Where its v1alpha1 value stands, from the root of a config.
    pub fn keys(&self) -> Vec<&str> {
        match self.aspect {
            Aspect::Tls => vec!["machine", "registries", "config", &self.name, "tls"],
            Aspect::Auth => vec!["machine", "registries", "config", &self.name, "auth"],
            Aspect::Mirror => vec!["machine", "registries", "mirrors", &self.name],
            Aspect::InstallImage => OwnedParent::InstallImage.keys().to_vec(),
        }
    }

    /// Its path on the machine, as a JSON Pointer.
    pub fn path(&self) -> String {
        pointer_to(self.keys())
    }

    /// The owned parent that it lies in.
    pub fn parent(&self) -> OwnedParent {
        match self.aspect {
            Aspect::InstallImage => OwnedParent::InstallImage,
            _ => OwnedParent::Registries,
        }
    }
}

/// A JSON Pointer (RFC 6901) to the value at `keys`.
pub fn pointer_to<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    keys.into_iter().fold(String::new(), |pointer, key| {
        pointer + "/" + &key.replace('~', "~0").replace('/', "~1")
    })
}

impl PatchIntent {
    /// The owned parents that this intent writes to.
    pub fn parents(&self) -> Vec<OwnedParent> {
        let says_registries =
            !(self.tls.is_empty() && self.auth.is_empty() && self.mirrors.is_empty());
        [
            (says_registries, OwnedParent::Registries),
            (!self.hosts.is_empty(), OwnedParent::HostEntries),
            (self.install_image.is_some(), OwnedParent::InstallImage),
        ]
        .into_iter()
        .filter_map(|(is_said, parent)| is_said.then_some(parent))
        .collect()
    }

    /// Every setting but the host entries, in a fixed order: mirrors, TLS, auth, installer.
    pub fn settings(&self) -> Vec<Setting> {
        let mirrors = self
            .mirrors
            .iter()
            .map(|(name, mirror)| mirror.setting(name));
        let tls = self.tls.iter().map(|(name, tls)| tls.setting(name));
        let auth = self.auth.iter().map(|(name, auth)| auth.setting(name));
        let image = self.install_image.iter().map(|image| Setting {
            aspect: Aspect::InstallImage,
            name: String::new(),
            value: json!(image),
            document: None,
        });
        mirrors.chain(tls).chain(auth).chain(image).collect()
    }
}

impl HostEntry {
    /// As an entry of `extraHostEntries`.
    pub fn entry(&self) -> Value {
        json!({"ip": self.ip.expose(), "aliases": [self.alias]})
    }

    /// As a document of its own.
    pub fn document(&self) -> Value {
        let mut document = DocumentKind::StaticHost.head(self.ip.expose());
        document.insert("hostnames".into(), json!([self.alias]));
        Value::Object(document)
    }
}

impl Tls {
    fn setting(&self, name: &str) -> Setting {
        let (mut value, mut document) = (Map::new(), DocumentKind::RegistryTls.head(name));
        if let Some(ca) = &self.ca {
            value.insert("ca".into(), json!(ca.base64.expose()));
            document.insert("ca".into(), json!(ca.pem.expose()));
        }
        if let Some((certificate, key)) = &self.client_identity {
            let (crt, key64) = (certificate.base64.expose(), key.base64.expose());
            value.insert("clientIdentity".into(), json!({"crt": crt, "key": key64}));
            let pem = json!({"cert": certificate.pem.expose(), "key": key.pem.expose()});
            document.insert("clientIdentity".into(), pem);
        }
        if let Some(skip) = self.insecure_skip_verify {
            value.insert("insecureSkipVerify".into(), json!(skip));
            document.insert("insecureSkipVerify".into(), json!(skip));
        }
        Setting {
            aspect: Aspect::Tls,
            name: name.into(),
            value: Value::Object(value),
            document: Some(Value::Object(document)),
        }
    }
}

impl Auth {
    fn setting(&self, name: &str) -> Setting {
        let fields = [
            ("username", &self.username),
            ("password", &self.password),
            ("auth", &self.auth),
            ("identityToken", &self.identity_token),
        ];
        let (mut value, mut document) = (Map::new(), DocumentKind::RegistryAuth.head(name));
        for (key, field) in fields {
            if let Some(field) = field {
                value.insert(key.into(), json!(field.expose()));
                document.insert(key.into(), json!(field.expose()));
            }
        }
        Setting {
            aspect: Aspect::Auth,
            name: name.into(),
            value: Value::Object(value),
            document: Some(Value::Object(document)),
        }
    }
}

impl Mirror {
    /// In a document `overridePath` belongs to each endpoint, in v1alpha1 to the mirror.
    fn setting(&self, name: &str) -> Setting {
        let (mut value, mut document) = (Map::new(), DocumentKind::RegistryMirror.head(name));
        let endpoint = |url: &String| match self.override_path {
            Some(path) => json!({"url": url, "overridePath": path}),
            None => json!({"url": url}),
        };
        if !self.endpoints.is_empty() {
            value.insert("endpoints".into(), json!(self.endpoints));
            let endpoints = self.endpoints.iter().map(endpoint).collect();
            document.insert("endpoints".into(), endpoints);
        }
        if let Some(path) = self.override_path {
            value.insert("overridePath".into(), json!(path));
        }
        if let Some(skip) = self.skip_fallback {
            value.insert("skipFallback".into(), json!(skip));
            document.insert("skipFallback".into(), json!(skip));
        }
        Setting {
            aspect: Aspect::Mirror,
            name: name.into(),
            value: Value::Object(value),
            document: Some(Value::Object(document)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_ca_bytes_are_base64_in_v1alpha1_and_pem_in_the_document() {
        let ca = PemText::new(Secret::new("PEM\n".to_string()));
        let tls = Tls {
            ca: Some(ca),
            ..Tls::default()
        };
        let setting = tls.setting("registry.example");

        assert_eq!(setting.value, json!({"ca": "UEVNCg=="}));
        let document = setting.document.unwrap();
        assert_eq!(document["ca"], "PEM\n");
        assert_eq!(document["kind"], "RegistryTLSConfig");
        assert_eq!(document["name"], "registry.example");
    }

    #[test]
    fn override_path_belongs_to_the_mirror_or_to_each_endpoint() {
        let mirror = Mirror {
            endpoints: vec![
                "https://a.example/v2/x".into(),
                "https://b.example/v2/x".into(),
            ],
            override_path: Some(true),
            skip_fallback: None,
        };
        let setting = mirror.setting("ghcr.io");

        assert_eq!(setting.value["overridePath"], true);
        let document = setting.document.unwrap();
        assert_eq!(document["endpoints"][1]["overridePath"], true);
        assert_eq!(document.get("overridePath"), None);
    }

    #[test]
    fn a_mirror_that_names_no_endpoint_does_not_empty_the_list_that_is_there() {
        let mirror = Mirror {
            skip_fallback: Some(true),
            ..Mirror::default()
        };
        let setting = mirror.setting("ghcr.io");

        assert_eq!(setting.value, json!({"skipFallback": true}));
        assert_eq!(setting.document.unwrap().get("endpoints"), None);
    }

    #[test]
    fn a_debug_print_of_an_intent_shows_no_secret() {
        let password = Some(Secret::new("S3NTINEL".to_string()));
        let auth = Auth {
            password,
            ..Auth::default()
        };
        let intent = PatchIntent {
            auth: [("a".into(), auth)].into(),
            ..PatchIntent::default()
        };

        assert!(!format!("{intent:?}").contains("S3NTINEL"));
    }
}
