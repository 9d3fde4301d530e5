//! A cluster's settings: what its definition and the platform say, resolved.

use super::layers::{Layers, at_layer, key};
use super::{Layer, Resolved, Said, checks, resolve};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{
    Address, ByKey, CaSource, ClusterDefinition, HostName, Mirror, MirrorKey, Placed, Platform,
    SecretRef, TlsSettings, TrustDefaults,
};
use std::collections::BTreeMap;

/// Everything that a cluster's machines are to have, with who said it.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// The registry trust, where the cluster opted in to it.
    pub trust: Option<TrustSettings>,
    /// Mirrors, as one map.
    pub mirrors: Option<Resolved<ByKey<MirrorKey, Mirror>>>,
    /// TLS and credentials, by endpoint.
    pub hosts: BTreeMap<HostName, HostSettings>,
    /// The installer's repository.
    pub installer_repository: Option<Resolved<String>>,
    /// Where disk images come from. It is never rendered: changing it replaces machines.
    pub image_factory_url: Resolved<String>,
    /// Does the platform count for more than the trust?
    pub takes_platform_defaults: bool,
    /// What is worth knowing about them and does not stop the run.
    pub warnings: Vec<Diagnostic>,
}

/// The registry to trust.
#[derive(Clone, Debug)]
pub struct TrustSettings {
    /// Its name, with its port where it has one.
    pub host: Resolved<HostName>,
    /// Its CA.
    pub ca: Resolved<CaSource>,
    /// Its address; `None` leaves it to DNS, and where the name is an address there is nothing to say.
    pub address: Option<Resolved<AddressSource>>,
}

/// Where the address comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressSource {
    /// Given with the call.
    Given,
    /// As the definition or the platform says.
    Said(Address),
}

/// How one endpoint is spoken to.
#[derive(Clone, Debug, Default)]
pub struct HostSettings {
    /// TLS, as one block.
    pub tls: Option<Resolved<TlsSettings>>,
    /// Its credentials in the store.
    pub auth: Option<Resolved<SecretRef>>,
}

impl ClusterSettings {
    /// Resolves what `definition` and `platform` say; `address_is_given` where the call says the
    /// address.
    ///
    /// Errors are everything that a cluster which opted in must say and nobody says, and every value
    /// that must not reach machines; warnings come among them.
    pub fn resolve(
        definition: &ClusterDefinition,
        platform: Option<&Platform>,
        address_is_given: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let takes_platform_defaults = definition.takes_platform_defaults();
        let layers = Layers {
            definition,
            defaults: platform.filter(|_| takes_platform_defaults),
        };
        let (trust, mut findings) = match trust(definition, platform, address_is_given) {
            Ok(trust) => (trust, Vec::new()),
            Err(findings) => (None, findings),
        };
        let mut settings = Self {
            trust,
            mirrors: resolve(layers.mirrors()),
            hosts: layers.hosts(),
            installer_repository: resolve(layers.installer_repository()),
            image_factory_url: resolve(layers.image_factory())
                .expect("the built-in layer always speaks"),
            takes_platform_defaults,
            warnings: Vec::new(),
        };
        findings.extend(checks::check(&settings, definition));
        if findings.iter().any(Diagnostic::is_error) {
            return Err(findings);
        }
        settings.warnings = findings;
        Ok(settings)
    }
}

/// The mirrors that count, whose endpoints are said.
pub fn mirrors_of(
    settings: &ClusterSettings,
) -> impl Iterator<Item = (&Placed<MirrorKey>, &Placed<Mirror>)> {
    let said = settings
        .mirrors
        .iter()
        .flat_map(|mirrors| mirrors.value.0.iter());
    said.map(|(key, mirror)| (key, mirror))
}

fn trust(
    definition: &ClusterDefinition,
    platform: Option<&Platform>,
    address_is_given: bool,
) -> Result<Option<TrustSettings>, Vec<Diagnostic>> {
    let Some(said) = definition
        .registry_trust
        .as_ref()
        .filter(|_| definition.trusts_registry())
    else {
        return Ok(None);
    };
    let own = &said.value;
    let defaults = platform.and_then(|platform| platform.registry_trust.as_ref());
    let defaults: Option<&TrustDefaults> = defaults.map(|defaults| &defaults.value);
    let host = both(
        key::TRUST_HOST,
        own.host.as_ref(),
        defaults.and_then(|defaults| defaults.host.as_ref()),
    );
    let own_ca = own.ca_source().map(|said| (Layer::Cluster, said));
    let platform_ca = defaults.and_then(TrustDefaults::ca_source);
    let platform_ca = platform_ca.map(|said| (Layer::Platform, said));
    let ca = own_ca
        .into_iter()
        .chain(platform_ca)
        .map(|(layer, (source, at))| Said::new(layer, Some(at), source).under(key::TRUST_CA));
    let address = both(
        key::TRUST_ADDRESS,
        own.address.as_ref(),
        defaults.and_then(|defaults| defaults.address.as_ref()),
    );
    let given = Said::new(Layer::CommandLine, None, AddressSource::Given);
    let address = address
        .into_iter()
        .map(|said| Said {
            value: AddressSource::Said(said.value),
            origin: said.origin,
        })
        .chain(address_is_given.then_some(given));
    match (resolve(host), resolve(ca)) {
        (Some(host), Some(ca)) => Ok(Some(TrustSettings {
            address: resolve(address).filter(|_| !host.value.is_address()),
            host,
            ca,
        })),
        (host, ca) => {
            let missing = [("host", host.is_none()), ("ca", ca.is_none())];
            let missing = missing.into_iter().filter(|(_, is_missing)| *is_missing);
            Err(missing
                .map(|(key, _)| lacks(key, &own.enabled.at))
                .collect())
        }
    }
}

/// What the cluster and the platform say under one key.
fn both<T: Clone>(
    key: &'static str,
    cluster: Option<&Placed<T>>,
    platform: Option<&Placed<T>>,
) -> Vec<Said<T>> {
    let cluster = cluster.map(|placed| at_layer(Layer::Cluster, placed));
    let platform = platform.map(|placed| at_layer(Layer::Platform, placed));
    let said = cluster.into_iter().chain(platform);
    said.map(|said| said.under(key)).collect()
}

fn lacks(key: &str, at: &Place) -> Diagnostic {
    Diagnostic::new(
        Code::MissingKey,
        format!("the registry trust is enabled, and nothing says its `{key}`"),
        format!("add `registryTrust.{key}` here, or as the platform's default in `platform.yaml`"),
    )
    .at(at.clone())
}

#[cfg(test)]
mod tests;
