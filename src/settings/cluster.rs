//! A cluster's settings: what its definition and the platform say, resolved.

use super::{Layer, Resolved, Said, resolve};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{
    Address, ByKey, CaSource, ClusterDefinition, HostConfig, HostName, Mirror, MirrorKey, Placed,
    Platform, Registries, SecretRef, TalosSettings, TlsSettings, TrustDefaults,
};
use std::collections::BTreeMap;

/// What holds for the disk image where nobody says anything: the public Image Factory.
const BUILT_IN_IMAGE_FACTORY: &str = "https://factory.talos.dev";

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
    /// Errors are everything that a cluster which opted in must say and nobody says.
    pub fn resolve(
        definition: &ClusterDefinition,
        platform: Option<&Platform>,
        address_is_given: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let takes_platform_defaults = definition.takes_platform_defaults();
        let defaults = platform.filter(|_| takes_platform_defaults);
        let layers = Layers {
            definition,
            defaults,
        };
        let settings = Self {
            trust: trust(definition, platform, address_is_given)?,
            mirrors: resolve(layers.mirrors()),
            hosts: layers.hosts(),
            installer_repository: resolve(
                layers.of_talos(|talos| talos.installer_repository.as_ref()),
            ),
            image_factory_url: resolve(layers.image_factory())
                .expect("the built-in layer always speaks"),
            takes_platform_defaults,
        };
        settings.check_consents(definition)?;
        Ok(settings)
    }

    /// `insecureSkipVerify: true` needs the cluster's own consent, and never stands beside a CA.
    fn check_consents(&self, definition: &ClusterDefinition) -> Result<(), Vec<Diagnostic>> {
        let mut findings = Vec::new();
        for (host, settings) in &self.hosts {
            let Some(tls) = &settings.tls else { continue };
            let Some(skip) = tls
                .value
                .insecure_skip_verify
                .as_ref()
                .filter(|skip| skip.value)
            else {
                continue;
            };
            if !definition.consents_to_insecure(host) {
                findings.push(
                    Diagnostic::new(
                        Code::NoConsent,
                        format!("`insecureSkipVerify: true` for {host}, without this cluster's consent"),
                        format!(
                            "trust its CA instead, or add `consents: {{insecureSkipVerify: [{host}]}}` \
                             to {}",
                            definition.file.path().display()
                        ),
                    )
                    .at(skip.at.clone()),
                );
            }
            let trusted = self
                .trust
                .as_ref()
                .is_some_and(|trust| trust.host.value == *host);
            if trusted || tls.value.ca.is_some() {
                findings.push(
                    Diagnostic::new(
                        Code::InsecureBesideCa,
                        format!("`insecureSkipVerify: true` for {host}, which has a CA"),
                        "remove it: with the CA in place the registry verifies",
                    )
                    .at(skip.at.clone()),
                );
            }
        }
        if findings.is_empty() {
            Ok(())
        } else {
            Err(findings)
        }
    }
}

/// The layers that count for a cluster: the platform only where it opted in to its defaults.
struct Layers<'l> {
    definition: &'l ClusterDefinition,
    defaults: Option<&'l Platform>,
}

impl<'l> Layers<'l> {
    fn of_talos<T: Clone + 'l>(
        &self,
        pick: impl Fn(&'l TalosSettings) -> Option<&'l Placed<T>>,
    ) -> Vec<Said<T>> {
        let cluster = self
            .definition
            .talos
            .as_ref()
            .and_then(|talos| pick(&talos.value));
        let platform = self.defaults.and_then(|platform| platform.talos.as_ref());
        let platform = platform.and_then(|talos| pick(&talos.value));
        both(cluster, platform)
    }

    fn of_registries<T: Clone + 'l>(
        &self,
        pick: impl Fn(&'l Registries) -> Option<&'l Placed<T>>,
    ) -> Vec<Said<T>> {
        let cluster = self
            .definition
            .registries
            .as_ref()
            .and_then(|said| pick(&said.value));
        let platform = self
            .defaults
            .and_then(|platform| platform.registries.as_ref());
        let platform = platform.and_then(|said| pick(&said.value));
        both(cluster, platform)
    }

    /// `talos.registryMirrors`, where set, wins over `registries.mirrors` of its layer as a whole map.
    fn mirrors(&self) -> Vec<Said<ByKey<MirrorKey, Mirror>>> {
        let mut said = self.of_talos(|talos| talos.registry_mirrors.as_ref());
        said.extend(self.of_registries(|registries| registries.mirrors.as_ref()));
        said
    }

    fn image_factory(&self) -> Vec<Said<String>> {
        let mut said = self.of_talos(|talos| talos.image_factory_url.as_ref());
        said.push(Said::new(
            Layer::BuiltIn,
            None,
            BUILT_IN_IMAGE_FACTORY.to_string(),
        ));
        said
    }

    /// `registries.config` is resolved host by host, and there TLS and auth each as a whole. An empty
    /// `config: {}` in the definition is speech: none of the platform's counts.
    fn hosts(&self) -> BTreeMap<HostName, HostSettings> {
        let said = self.of_registries(|registries| registries.config.as_ref());
        let is_emptied = |said: &Said<ByKey<HostName, HostConfig>>| {
            said.origin.layer == Layer::Cluster && said.value.0.is_empty()
        };
        if said.iter().any(is_emptied) {
            return BTreeMap::new();
        }
        let mut tls: BTreeMap<HostName, Vec<Said<TlsSettings>>> = BTreeMap::new();
        let mut auth: BTreeMap<HostName, Vec<Said<SecretRef>>> = BTreeMap::new();
        for map in &said {
            for (host, config) in &map.value.0 {
                let said_tls = config
                    .value
                    .tls
                    .as_ref()
                    .map(|tls| at_layer(map.origin.layer, tls));
                let said_auth = config
                    .value
                    .auth
                    .as_ref()
                    .map(|auth| at_layer(map.origin.layer, auth));
                tls.entry(host.value.clone()).or_default().extend(said_tls);
                auth.entry(host.value.clone())
                    .or_default()
                    .extend(said_auth);
            }
        }
        tls.into_iter()
            .map(|(host, tls)| {
                let auth = auth.remove(&host).and_then(resolve);
                (
                    host,
                    HostSettings {
                        tls: resolve(tls),
                        auth,
                    },
                )
            })
            .collect()
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

fn at_layer<T: Clone>(layer: Layer, placed: &Placed<T>) -> Said<T> {
    Said::new(layer, Some(placed.at.clone()), placed.value.clone())
}

fn both<T: Clone>(cluster: Option<&Placed<T>>, platform: Option<&Placed<T>>) -> Vec<Said<T>> {
    let cluster = cluster.map(|placed| at_layer(Layer::Cluster, placed));
    let platform = platform.map(|placed| at_layer(Layer::Platform, placed));
    cluster.into_iter().chain(platform).collect()
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
        own.host.as_ref(),
        defaults.and_then(|defaults| defaults.host.as_ref()),
    );
    let mut ca = Vec::new();
    ca.extend(
        own.ca_source()
            .map(|(source, at)| Said::new(Layer::Cluster, Some(at), source)),
    );
    ca.extend(
        defaults
            .and_then(TrustDefaults::ca_source)
            .map(|(source, at)| Said::new(Layer::Platform, Some(at), source)),
    );
    let address = both(
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

fn lacks(key: &str, at: &Place) -> Diagnostic {
    Diagnostic::new(
        Code::MissingKey,
        format!("the registry trust is enabled, and nothing says its `{key}`"),
        format!("add `registryTrust.{key}` here, or as the platform's default in `platform.yaml`"),
    )
    .at(at.clone())
}
