//! Everything that is said, setting by setting, whoever says it.

use super::{Stated, Statement};
use crate::diagnostic::Place;
use crate::fleet::{
    Address, ByKey, CaSource, ClusterDefinition, HostConfig, HostName, KeyInSecret, Mirror,
    MirrorKey, Placed, Platform, Registries, TalosSettings, TlsSettings,
};
use crate::settings::layers::{is_empty, key, without_slash};
use crate::settings::{AddressSource, ClusterSettings, Effect, Layer, Origin, Said};
use crate::talos::{Endpoint, OwnedParent, pointer_to};

/// Which part of a cluster's configuration a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Mirrors,
    Config,
    TrustHost,
    TrustCa,
    TrustAddress,
    Installer,
    ImageFactory,
}

/// A statement beside what it is about.
pub(super) struct Spoken {
    pub(super) topic: Topic,
    pub(super) path: Option<String>,
    pub(super) statement: Statement,
}

impl Topic {
    pub(super) fn effect(self) -> Effect {
        match self {
            Self::ImageFactory => Effect::Rolls,
            _ => Effect::NextBootstrap,
        }
    }
}

/// Everything that is said, the strongest layer first.
pub(super) fn all(
    definition: &ClusterDefinition,
    platform: Option<&Platform>,
    settings: &ClusterSettings,
    host: Option<&HostName>,
) -> Vec<Spoken> {
    let mut said = Sayings {
        layer: Layer::CommandLine,
        host,
        all: Vec::new(),
    };
    said.add_address_of_call(settings);
    said.layer = Layer::Cluster;
    if let Some(trust) = &definition.registry_trust {
        let trust = &trust.value;
        said.add_trust(
            trust.host.as_ref(),
            trust.ca_source(),
            trust.address.as_ref(),
        );
    }
    said.add_talos(definition.talos.as_ref());
    said.add_registries(definition.registries.as_ref());
    said.layer = Layer::Platform;
    if let Some(platform) = platform {
        if let Some(trust) = &platform.registry_trust {
            let trust = &trust.value;
            said.add_trust(
                trust.host.as_ref(),
                trust.ca_source(),
                trust.address.as_ref(),
            );
        }
        said.add_talos(platform.talos.as_ref());
        said.add_registries(platform.registries.as_ref());
    }
    said.layer = Layer::BuiltIn;
    said.add_built_in(settings);
    said.all
}

struct Sayings<'h> {
    layer: Layer,
    /// The registry that the trust is about.
    host: Option<&'h HostName>,
    all: Vec<Spoken>,
}

impl Sayings<'_> {
    /// `keys` lead to the value on the machine, `below` from the block called `key` to the value in it.
    fn say(
        &mut self,
        topic: Topic,
        keys: &[&str],
        (key, below): (&'static str, &str),
        value: Stated,
        at: Option<&Place>,
    ) {
        let origin = Origin {
            layer: self.layer,
            key,
            at: at.cloned(),
        };
        self.all.push(Spoken {
            topic,
            path: (!keys.is_empty()).then(|| pointer_to(keys.iter().copied())),
            statement: Statement {
                key: format!("{key}{below}"),
                value,
                origin,
            },
        });
    }

    fn add_trust(
        &mut self,
        host: Option<&Placed<HostName>>,
        ca: Option<(CaSource, Place)>,
        address: Option<&Placed<Address>>,
    ) {
        let entries = OwnedParent::HostEntries.keys();
        if let Some(host) = host {
            let value = Stated::Text(host.value.to_string());
            self.say(
                Topic::TrustHost,
                entries,
                (key::TRUST_HOST, ""),
                value,
                Some(&host.at),
            );
        }
        if let Some((source, at)) = ca {
            let (key, value) = match &source {
                CaSource::Secret(name) => (key::TRUST_CA, Stated::Secret(name.value.clone())),
                CaSource::Live(live) => (key::TRUST_CA_SECRET, in_cluster(&live.value)),
            };
            let host = self.host.map(HostName::as_str).unwrap_or_default();
            let keys = ["machine", "registries", "config", host, "tls", "ca"];
            let keys = if host.is_empty() { &[][..] } else { &keys };
            self.say(Topic::TrustCa, keys, (key, ""), value, Some(&at));
        }
        if let Some(address) = address {
            let value = match &address.value {
                Address::Value(value) => Stated::Text(value.value.clone()),
                Address::Secret(name) => Stated::Secret(name.value.clone()),
                Address::Service { namespace, name } => Stated::Service {
                    namespace: namespace.value.to_string(),
                    name: name.value.to_string(),
                },
            };
            let key = (key::TRUST_ADDRESS, "");
            self.say(Topic::TrustAddress, entries, key, value, Some(&address.at));
        }
    }

    fn add_address_of_call(&mut self, settings: &ClusterSettings) {
        let trust = settings.trust.as_ref();
        let address = trust.and_then(|trust| trust.address.as_ref());
        if address.is_some_and(|address| address.value == AddressSource::Given) {
            let entries = OwnedParent::HostEntries.keys();
            self.say(Topic::TrustAddress, entries, ("", ""), Stated::Given, None);
        }
    }

    fn add_talos(&mut self, talos: Option<&Placed<TalosSettings>>) {
        let Some(talos) = talos.map(|talos| &talos.value) else {
            return;
        };
        if let Some(mirrors) = &talos.registry_mirrors {
            self.add_mirrors(key::REGISTRY_MIRRORS, mirrors);
        }
        let texts = [
            (
                Topic::Installer,
                key::INSTALLER,
                &talos.installer_repository,
            ),
            (
                Topic::ImageFactory,
                key::IMAGE_FACTORY,
                &talos.image_factory_url,
            ),
        ];
        for (topic, key, said) in texts {
            if let Some(said) = said {
                let text = Said::new(self.layer, None, said.value.clone());
                let value = Stated::Text(shown_url(&without_slash(text).value));
                let keys = match topic {
                    Topic::Installer => OwnedParent::InstallImage.keys(),
                    _ => &[],
                };
                self.say(topic, keys, (key, ""), value, Some(&said.at));
            }
        }
    }

    fn add_registries(&mut self, registries: Option<&Placed<Registries>>) {
        let Some(registries) = registries.map(|registries| &registries.value) else {
            return;
        };
        if let Some(mirrors) = &registries.mirrors {
            self.add_mirrors(key::MIRRORS, mirrors);
        }
        let Some(config) = &registries.config else {
            return;
        };
        // An empty block of the platform has nobody to keep out.
        let is_speech = self.layer == Layer::Cluster;
        let keys = ["machine", "registries", "config"];
        if config.value.0.is_empty() && is_speech {
            self.say(
                Topic::Config,
                &keys,
                (key::CONFIG, ""),
                Stated::Empty,
                Some(&config.at),
            );
        }
        for (host, said) in &config.value.0 {
            self.add_host(&host.value, said, is_speech);
        }
    }

    fn add_host(&mut self, host: &HostName, said: &Placed<HostConfig>, is_speech: bool) {
        let keys = ["machine", "registries", "config", host.as_str(), "tls"];
        let below = format!(".{host}");
        if is_empty(&said.value) && is_speech {
            let key = (key::CONFIG, below.as_str());
            self.say(
                Topic::Config,
                &keys[..4],
                key,
                Stated::Empty,
                Some(&said.at),
            );
        }
        if let Some(tls) = &said.value.tls {
            self.add_tls(&keys, &format!("{below}.tls"), tls);
        }
        if let Some(auth) = &said.value.auth {
            let keys = ["machine", "registries", "config", host.as_str(), "auth"];
            let (value, below) = (Stated::secret(&auth.value), format!("{below}.auth"));
            self.say(
                Topic::Config,
                &keys,
                (key::CONFIG, &below),
                value,
                Some(&auth.at),
            );
        }
    }

    fn add_tls(&mut self, keys: &[&str], below: &str, said: &Placed<TlsSettings>) {
        let tls = &said.value;
        if *tls == TlsSettings::default() {
            let key = (key::CONFIG, below);
            self.say(Topic::Config, keys, key, Stated::Empty, Some(&said.at));
        }
        let ca = tls.ca.as_ref();
        let ca = ca.map(|ca| ("ca", Stated::secret(&ca.value), &ca.at));
        let identity = tls.client_identity.as_ref().map(|identity| {
            let value = Stated::Identity {
                cert: identity.value.cert.value.secret.value.clone(),
                key: identity.value.key.value.secret.value.clone(),
            };
            ("clientIdentity", value, &identity.at)
        });
        let skip = tls.insecure_skip_verify.as_ref();
        let skip = skip.map(|skip| ("insecureSkipVerify", Stated::Flag(skip.value), &skip.at));
        for (field, value, at) in ca.into_iter().chain(identity).chain(skip) {
            let keys: Vec<&str> = keys.iter().copied().chain([field]).collect();
            let below = format!("{below}.{field}");
            self.say(Topic::Config, &keys, (key::CONFIG, &below), value, Some(at));
        }
    }

    fn add_mirrors(&mut self, key: &'static str, said: &Placed<ByKey<MirrorKey, Mirror>>) {
        let keys = ["machine", "registries", "mirrors"];
        if said.value.0.is_empty() {
            self.say(
                Topic::Mirrors,
                &keys,
                (key, ""),
                Stated::Empty,
                Some(&said.at),
            );
        }
        for (name, mirror) in &said.value.0 {
            let text = name.value.to_string();
            let keys: Vec<&str> = keys.iter().copied().chain([text.as_str()]).collect();
            let below = format!(".{text}");
            let value = mirror_of(&mirror.value);
            self.say(Topic::Mirrors, &keys, (key, &below), value, Some(&name.at));
        }
    }

    fn add_built_in(&mut self, settings: &ClusterSettings) {
        let factory = &settings.image_factory_url;
        let weakest = factory.shadowed.last().map(|said| &said.value);
        let value = Stated::Text(weakest.unwrap_or(&factory.value).clone());
        self.say(
            Topic::ImageFactory,
            &[],
            (key::IMAGE_FACTORY, ""),
            value,
            None,
        );
        if let Some(trust) = settings
            .trust
            .as_ref()
            .filter(|trust| trust.address.is_none())
        {
            let value = Stated::Dns(trust.host.value.host().to_string());
            let entries = OwnedParent::HostEntries.keys();
            self.say(
                Topic::TrustAddress,
                entries,
                (key::TRUST_ADDRESS, ""),
                value,
                None,
            );
        }
    }
}

fn mirror_of(said: &Mirror) -> Stated {
    let endpoints = said.endpoints.as_ref();
    let endpoints =
        endpoints.map(|said| said.value.iter().map(|it| shown_url(&it.value)).collect());
    Stated::Mirror {
        endpoints,
        override_path: said.override_path.as_ref().map(|said| said.value),
        skip_fallback: said.skip_fallback.as_ref().map(|said| said.value),
    }
}

fn in_cluster(said: &KeyInSecret) -> Stated {
    Stated::InCluster {
        namespace: said.namespace.value.to_string(),
        name: said.name.value.to_string(),
        key: said.key.value.to_string(),
    }
}

/// A URL without the credentials that somebody may have written into it.
fn shown_url(url: &str) -> String {
    let has_credentials = Endpoint::parse(url).map_or(url.contains('@'), |it| it.has_credentials);
    match (has_credentials, url.split_once("://"), url.rsplit_once('@')) {
        (false, _, _) => url.to_string(),
        (true, Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        _ => "…".to_string(),
    }
}
