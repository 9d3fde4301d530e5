//! Every setting of a cluster with everyone who spoke for it: the answer to "why is my setting ignored?"
//!
//! Who counts is read off the resolved settings and never decided here a second time.

mod asked;
mod gather;
mod verdict;

pub use asked::{Asked, ask};

use super::{ClusterSettings, Effect, Layer, Origin};
use crate::fleet::{ClusterDefinition, HostName, Platform, SecretRef};
use crate::secret::SecretName;

/// One setting: what counts, and what does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Where it is on the machine, as a JSON Pointer; `None` for what is never rendered.
    pub path: Option<String>,
    /// What changing it does.
    pub effect: Effect,
    /// The value on the machine, where it is made of more than what counts: the installer's image.
    pub on_machine: Option<String>,
    /// What counts; `None` where something was said and nothing of it counts.
    pub won: Option<Statement>,
    /// What does not, strongest layer first.
    pub lost: Vec<Lost>,
    /// What the value on the machine is made of beside it.
    pub made_with: Vec<Statement>,
}

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The key, down to the setting: `talos.registryMirrors.ghcr.io`.
    pub key: String,
    /// The value; of a secret, where it is.
    pub value: Stated,
    /// Who, and where.
    pub origin: Origin,
}

/// A statement that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What was said.
    pub statement: Statement,
    /// Why it does not count.
    pub why: Why,
}

/// Why a statement does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A stronger layer, or a stronger key of its layer, says something else.
    Outranked {
        /// By this key.
        by: String,
        /// Of this layer.
        layer: Layer,
    },
    /// It lies in a block that another block replaces as a whole.
    Replaced {
        /// By this block.
        by: String,
        /// Where that is said.
        origin: Origin,
    },
    /// It says the same secret as the one that counts.
    Repeats,
    /// It is the platform's, and the cluster does not say `platformDefaults: true`.
    NoPlatformDefaults,
    /// It is about the registry trust, and the cluster does not say `registryTrust.enabled: true`.
    NoTrust,
    /// The registry is named by an address, so that nodes need no host entry.
    NoHostEntry,
}

/// A value, as far as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stated {
    /// Text.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A mirror.
    Mirror {
        /// URLs in order, without credentials.
        endpoints: Option<Vec<String>>,
        /// `overridePath`.
        override_path: Option<bool>,
        /// `skipFallback`.
        skip_fallback: Option<bool>,
    },
    /// An empty mapping.
    Empty,
    /// An entry of the age store.
    Secret(SecretName),
    /// A certificate and its key, entries of the age store.
    Identity {
        /// The certificate.
        cert: SecretName,
        /// The key.
        key: SecretName,
    },
    /// Given with the call.
    Given,
    /// A key of a Kubernetes Secret, read live.
    InCluster {
        /// The Secret's namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// The key.
        key: String,
    },
    /// The status of a Service, read live.
    Service {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// Whatever DNS answers for this name.
    Dns(String),
}

impl Stated {
    fn secret(said: &SecretRef) -> Self {
        Self::Secret(said.secret.value.clone())
    }

    /// The entries of the store that it names.
    pub fn secrets(&self) -> Vec<&SecretName> {
        match self {
            Self::Secret(name) => vec![name],
            Self::Identity { cert, key } => vec![cert, key],
            _ => Vec::new(),
        }
    }
}

/// Accounts for every setting that the definition, the platform or the built-in layer speaks about.
///
/// `given` says whether the call gives the address.
pub fn account(
    definition: &ClusterDefinition,
    platform: Option<&Platform>,
    settings: &ClusterSettings,
) -> Vec<Account> {
    let host = trusted_host(definition, platform, settings);
    let said = gather::all(definition, platform, settings, host.as_ref());
    verdict::accounts(definition, settings, said)
}

/// The registry that the trust is about, or would be if it were enabled.
fn trusted_host(
    definition: &ClusterDefinition,
    platform: Option<&Platform>,
    settings: &ClusterSettings,
) -> Option<HostName> {
    if let Some(trust) = &settings.trust {
        return Some(trust.host.value.clone());
    }
    let own = definition.registry_trust.as_ref();
    let own = own.and_then(|trust| trust.value.host.as_ref());
    let platform = platform.and_then(|platform| platform.registry_trust.as_ref());
    let platform = platform.and_then(|trust| trust.value.host.as_ref());
    own.or(platform).map(|host| host.value.clone())
}
