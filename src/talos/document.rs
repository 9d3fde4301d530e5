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
/// know, which may be newer than this release. Kinds that 1.9 has count as known to older ones too.
pub fn is_known(kind: &str, talos: TalosVersion) -> Option<bool> {
    KINDS
        .iter()
        .find(|(name, _)| *name == kind)
        .map(|(_, since)| talos.minor.max((1, 9)) >= *since)
}

/// Every kind that Talos 1.9 to 1.13 load, sorted by name, with the minor that it came with (1.9 for
/// older ones). None was ever taken away.
///
/// Source: the registry of the machinery library at v1.9.0, v1.10.0, v1.11.6, v1.12.6 and v1.13.9, and
/// the answer of its loader.
pub const KINDS: &[(&str, (u32, u32))] = &[
    ("BlackholeRouteConfig", (1, 13)),
    ("BondConfig", (1, 12)),
    ("BridgeConfig", (1, 12)),
    ("DHCPv4Config", (1, 12)),
    ("DHCPv6Config", (1, 12)),
    ("DummyLinkConfig", (1, 12)),
    ("EnvironmentConfig", (1, 13)),
    ("EthernetConfig", (1, 10)),
    ("EventSinkConfig", (1, 9)),
    ("ExistingVolumeConfig", (1, 11)),
    ("ExtensionServiceConfig", (1, 9)),
    ("ExternalVolumeConfig", (1, 13)),
    ("HCloudVIPConfig", (1, 12)),
    ("HostnameConfig", (1, 12)),
    ("ImageVerificationConfig", (1, 13)),
    ("KmsgLogConfig", (1, 9)),
    ("KubeSpanConfig", (1, 13)),
    ("KubeSpanEndpointsConfig", (1, 9)),
    ("Layer2VIPConfig", (1, 12)),
    ("LinkAliasConfig", (1, 12)),
    ("LinkConfig", (1, 12)),
    ("NetworkDefaultActionConfig", (1, 9)),
    ("NetworkRuleConfig", (1, 9)),
    ("OOMConfig", (1, 12)),
    ("PCIDriverRebindConfig", (1, 10)),
    ("RawVolumeConfig", (1, 11)),
    ("RegistryAuthConfig", (1, 12)),
    ("RegistryMirrorConfig", (1, 12)),
    ("RegistryTLSConfig", (1, 12)),
    ("ResolverConfig", (1, 12)),
    ("RoutingRuleConfig", (1, 13)),
    ("SideroLinkConfig", (1, 9)),
    ("StaticHostConfig", (1, 12)),
    ("SwapVolumeConfig", (1, 11)),
    ("TCPProbeConfig", (1, 13)),
    ("TimeSyncConfig", (1, 12)),
    ("TrustedRootsConfig", (1, 9)),
    ("UserVolumeConfig", (1, 10)),
    ("VLANConfig", (1, 12)),
    ("VRFConfig", (1, 13)),
    ("VolumeConfig", (1, 9)),
    ("WatchdogTimerConfig", (1, 9)),
    ("WireguardConfig", (1, 12)),
    ("ZswapConfig", (1, 11)),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn known(kind: &str, talos: &str) -> Option<bool> {
        is_known(kind, TalosVersion::parse(talos).unwrap())
    }

    #[test]
    fn a_kind_is_known_from_the_minor_that_brought_it() {
        assert_eq!(known("StaticHostConfig", "v1.11.6"), Some(false));
        assert_eq!(known("StaticHostConfig", "v1.12.0"), Some(true));
        assert_eq!(known("UserVolumeConfig", "v1.9.5"), Some(false));
        assert_eq!(known("VolumeConfig", "v1.9.5"), Some(true));
        assert_eq!(known("KubeSpanConfig", "v1.12.6"), Some(false));
    }

    #[test]
    fn a_kind_in_another_case_or_newer_than_this_release_is_not_known() {
        assert_eq!(known("volumeconfig", "v1.13.9"), None);
        assert_eq!(known("UnattendedInstallConfig", "v1.13.9"), None);
    }

    #[test]
    fn every_owned_kind_is_in_the_table() {
        for kind in OWNED_DOCUMENTS {
            assert_eq!(known(kind.name(), "v1.12.0"), Some(true), "{}", kind.name());
        }
    }
}
