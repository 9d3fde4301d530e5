//! What each layer says about one setting, before anybody picks.

use super::{HostSettings, Layer, Said, resolve};
use crate::fleet::{
    ByKey, ClusterDefinition, HostConfig, HostName, Mirror, MirrorKey, Placed, Platform,
    Registries, SecretRef, TalosSettings, TlsSettings,
};
use std::collections::{BTreeMap, BTreeSet};

/// What holds for the disk image where nobody says anything: the public Image Factory.
const BUILT_IN_IMAGE_FACTORY: &str = "https://factory.talos.dev";

/// The keys of settings, as definitions and the platform write them.
pub(super) mod key {
    pub(in crate::settings) const TRUST_HOST: &str = "registryTrust.host";
    pub(in crate::settings) const TRUST_CA: &str = "registryTrust.ca";
    pub(in crate::settings) const TRUST_CA_SECRET: &str = "registryTrust.caSecret";
    pub(in crate::settings) const TRUST_ADDRESS: &str = "registryTrust.address";
    pub(in crate::settings) const REGISTRY_MIRRORS: &str = "talos.registryMirrors";
    pub(in crate::settings) const MIRRORS: &str = "registries.mirrors";
    pub(in crate::settings) const CONFIG: &str = "registries.config";
    pub(in crate::settings) const INSTALLER: &str = "talos.installerRepository";
    pub(in crate::settings) const IMAGE_FACTORY: &str = "talos.imageFactoryURL";
}

/// The layers that count for a cluster: the platform only where it opted in to its defaults.
pub(super) struct Layers<'l> {
    pub(super) definition: &'l ClusterDefinition,
    pub(super) defaults: Option<&'l Platform>,
}

impl<'l> Layers<'l> {
    fn of_talos<T: Clone + 'l>(
        &self,
        key: &'static str,
        pick: impl Fn(&'l TalosSettings) -> Option<&'l Placed<T>>,
    ) -> Vec<Said<T>> {
        let cluster = self.definition.talos.as_ref();
        let platform = self.defaults.and_then(|platform| platform.talos.as_ref());
        both(cluster, platform, key, pick)
    }

    fn of_registries<T: Clone + 'l>(
        &self,
        key: &'static str,
        pick: impl Fn(&'l Registries) -> Option<&'l Placed<T>>,
    ) -> Vec<Said<T>> {
        let cluster = self.definition.registries.as_ref();
        let platform = self.defaults;
        let platform = platform.and_then(|platform| platform.registries.as_ref());
        both(cluster, platform, key, pick)
    }

    /// `talos.registryMirrors`, where set, wins over `registries.mirrors` of its layer as a whole map.
    pub(super) fn mirrors(&self) -> Vec<Said<ByKey<MirrorKey, Mirror>>> {
        let mut said = self.of_talos(key::REGISTRY_MIRRORS, |talos| {
            talos.registry_mirrors.as_ref()
        });
        said.extend(self.of_registries(key::MIRRORS, |registries| registries.mirrors.as_ref()));
        said
    }

    /// Without the one slash that may stand at its end.
    pub(super) fn installer_repository(&self) -> Vec<Said<String>> {
        let said = self.of_talos(key::INSTALLER, |talos| talos.installer_repository.as_ref());
        said.into_iter().map(without_slash).collect()
    }

    /// Without the one slash that may stand at its end.
    pub(super) fn image_factory(&self) -> Vec<Said<String>> {
        let said = self.of_talos(key::IMAGE_FACTORY, |talos| talos.image_factory_url.as_ref());
        let built_in = Said::new(Layer::BuiltIn, None, BUILT_IN_IMAGE_FACTORY.to_string());
        let said = said.into_iter().map(without_slash);
        said.chain([built_in.under(key::IMAGE_FACTORY)]).collect()
    }

    /// `registries.config` is resolved host by host, and there TLS and auth each as a whole.
    ///
    /// An empty mapping in the definition is speech: after `config: {}` nothing of the platform's counts,
    /// after `config: {HOST: {}}` nothing of what it says about that host.
    pub(super) fn hosts(&self) -> BTreeMap<HostName, HostSettings> {
        let said = self.of_registries(key::CONFIG, |registries| registries.config.as_ref());
        let mut all: BTreeMap<HostName, Spoken> = BTreeMap::new();
        let mut settled: BTreeSet<&HostName> = BTreeSet::new();
        for map in &said {
            let layer = map.origin.layer;
            for (host, config) in &map.value.0 {
                if layer == Layer::Platform && settled.contains(&host.value) {
                    continue;
                }
                let spoken = all.entry(host.value.clone()).or_default();
                spoken.tls.extend(said_by(layer, config.value.tls.as_ref()));
                spoken
                    .auth
                    .extend(said_by(layer, config.value.auth.as_ref()));
                if is_empty(&config.value) {
                    settled.insert(&host.value);
                }
            }
            if layer == Layer::Cluster && map.value.0.is_empty() {
                break;
            }
        }
        all.into_iter()
            .map(|(host, spoken)| (host, spoken.resolved()))
            .collect()
    }
}

/// What the layers say about one host.
#[derive(Default)]
struct Spoken {
    tls: Vec<Said<TlsSettings>>,
    auth: Vec<Said<SecretRef>>,
}

impl Spoken {
    fn resolved(self) -> HostSettings {
        HostSettings {
            tls: resolve(self.tls),
            auth: resolve(self.auth),
        }
    }
}

/// Is nothing said about the host?
pub(super) fn is_empty(config: &HostConfig) -> bool {
    config.tls.is_none() && config.auth.is_none()
}

pub(super) fn without_slash(mut said: Said<String>) -> Said<String> {
    if said.value.ends_with('/') {
        said.value.pop();
    }
    said
}

fn said_by<T: Clone>(layer: Layer, placed: Option<&Placed<T>>) -> Option<Said<T>> {
    placed.map(|placed| at_layer(layer, placed).under(key::CONFIG))
}

pub(super) fn at_layer<T: Clone>(layer: Layer, placed: &Placed<T>) -> Said<T> {
    Said::new(layer, Some(placed.at.clone()), placed.value.clone())
}

fn both<'l, B, T: Clone + 'l>(
    cluster: Option<&'l Placed<B>>,
    platform: Option<&'l Placed<B>>,
    key: &'static str,
    pick: impl Fn(&'l B) -> Option<&'l Placed<T>>,
) -> Vec<Said<T>> {
    let cluster = cluster.and_then(|block| pick(&block.value));
    let platform = platform.and_then(|block| pick(&block.value));
    let cluster = cluster.map(|placed| at_layer(Layer::Cluster, placed));
    let platform = platform.map(|placed| at_layer(Layer::Platform, placed));
    let said = cluster.into_iter().chain(platform);
    said.map(|said| said.under(key)).collect()
}
