//! Which statement counts, read off the resolved settings, and why the others do not.

use super::gather::{Spoken, Topic};
use super::{Account, Lost, Stated, Statement, Why};
use crate::diagnostic::Place;
use crate::fleet::{ClusterDefinition, HostName, TlsSettings};
use crate::settings::intent::install_image;
use crate::settings::layers::key;
use crate::settings::{ClusterSettings, Layer, Origin, Resolved, mirrors_of};
use std::collections::BTreeMap;

/// One account for each setting, in a fixed order.
pub(super) fn accounts(
    definition: &ClusterDefinition,
    settings: &ClusterSettings,
    said: Vec<Spoken>,
) -> Vec<Account> {
    let judge = Judge {
        definition,
        settings,
        winning: winning(settings),
    };
    let mut grouped: BTreeMap<(Option<String>, Topic), Vec<Spoken>> = BTreeMap::new();
    for spoken in said {
        let topic = spoken.topic.for_order();
        let subject = (spoken.path.clone(), topic);
        grouped.entry(subject).or_default().push(spoken);
    }
    let mut accounts: Vec<(Topic, Account)> = grouped
        .into_iter()
        .map(|((path, topic), spoken)| (topic, judge.account(path, topic, spoken)))
        .collect();
    accounts.sort_by_key(|(topic, _)| *topic);
    accounts.into_iter().map(|(_, account)| account).collect()
}

impl Topic {
    /// The trust's CA stands among the TLS settings of its host.
    fn for_order(self) -> Self {
        match self {
            Self::TrustCa => Self::Config,
            topic => topic,
        }
    }
}

/// The places of the statements that count.
fn winning(settings: &ClusterSettings) -> Vec<String> {
    let mut places: Vec<&Place> = Vec::new();
    places.extend(mirrors_of(settings).map(|(key, _)| &key.at));
    places.extend(
        settings
            .mirrors
            .iter()
            .filter_map(|it| it.origin.at.as_ref()),
    );
    for host in settings.hosts.values() {
        if let Some(tls) = &host.tls {
            places.extend(&tls.origin.at);
            places.extend(places_in(&tls.value));
        }
        places.extend(host.auth.iter().filter_map(|auth| auth.origin.at.as_ref()));
    }
    if let Some(trust) = &settings.trust {
        places.extend(&trust.host.origin.at);
        places.extend(&trust.ca.origin.at);
        let address = trust.address.as_ref();
        places.extend(address.and_then(|address| address.origin.at.as_ref()));
    }
    let installer = settings.installer_repository.as_ref();
    places.extend(installer.and_then(|said| said.origin.at.as_ref()));
    places.extend(&settings.image_factory_url.origin.at);
    places.into_iter().map(Place::locator).collect()
}

fn places_in(tls: &TlsSettings) -> impl Iterator<Item = &Place> {
    let ca = tls.ca.as_ref().map(|said| &said.at);
    let identity = tls.client_identity.as_ref().map(|said| &said.at);
    let skip = tls.insecure_skip_verify.as_ref().map(|said| &said.at);
    ca.into_iter().chain(identity).chain(skip)
}

struct Judge<'j> {
    definition: &'j ClusterDefinition,
    settings: &'j ClusterSettings,
    winning: Vec<String>,
}

impl Judge<'_> {
    fn account(&self, path: Option<String>, topic: Topic, spoken: Vec<Spoken>) -> Account {
        let needs_entry = self.needs_host_entry(topic);
        let mut won: Option<Statement> = None;
        let mut others = Vec::new();
        for said in spoken {
            let counts = needs_entry && self.counts(&said);
            // Of two that count and say one CA, the trust's is the one that is asked for.
            if counts && won.is_none() {
                won = Some(said.statement);
            } else {
                others.push((said, counts));
            }
        }
        let lost = others.into_iter().map(|(said, counts)| {
            let why = if counts {
                Why::Repeats
            } else {
                self.why(&said, won.as_ref())
            };
            Lost {
                statement: said.statement,
                why,
            }
        });
        let lost = lost.collect();
        Account {
            path,
            effect: topic.effect(),
            on_machine: self.image(topic),
            made_with: self.made_with(topic, won.as_ref()),
            won,
            lost,
        }
    }

    fn counts(&self, said: &Spoken) -> bool {
        let origin = &said.statement.origin;
        match &origin.at {
            Some(at) => {
                // An empty block of the definition always counts: it is what keeps the platform out.
                let keeps_out = said.topic == Topic::Config
                    && said.statement.value == Stated::Empty
                    && origin.layer == Layer::Cluster;
                keeps_out || self.winning.contains(&at.locator())
            }
            None => match said.topic {
                Topic::ImageFactory => self.settings.image_factory_url.origin.layer == origin.layer,
                _ => true,
            },
        }
    }

    fn needs_host_entry(&self, topic: Topic) -> bool {
        let trust = self.settings.trust.as_ref();
        topic != Topic::TrustAddress || !trust.is_some_and(|it| it.host.value.is_address())
    }

    fn why(&self, said: &Spoken, won: Option<&Statement>) -> Why {
        let origin = &said.statement.origin;
        let is_trust = matches!(
            said.topic,
            Topic::TrustHost | Topic::TrustCa | Topic::TrustAddress
        );
        if is_trust && self.settings.trust.is_none() {
            return Why::NoTrust;
        }
        let takes = self.definition.takes_platform_defaults();
        if !is_trust && origin.layer == Layer::Platform && !takes {
            return Why::NoPlatformDefaults;
        }
        if !self.needs_host_entry(said.topic) {
            return Why::NoHostEntry;
        }
        match (won, self.block_over(said)) {
            (Some(won), _) => Why::Outranked {
                by: won.key.clone(),
                layer: won.origin.layer,
            },
            (None, Some((by, origin))) => Why::Replaced { by, origin },
            (None, None) => Why::Outranked {
                by: origin.key.to_string(),
                layer: origin.layer,
            },
        }
    }

    /// The block that counts in the place of the one that `said` lies in.
    fn block_over(&self, said: &Spoken) -> Option<(String, Origin)> {
        if said.topic == Topic::Mirrors {
            let mirrors = self.settings.mirrors.as_ref()?;
            return Some((mirrors.origin.key.to_string(), mirrors.origin.clone()));
        }
        let below = said.statement.key.strip_prefix(key::CONFIG)?;
        let below = below.strip_prefix('.')?;
        let (host, block) = host_in(below)?;
        let said = self.settings.hosts.get(&host);
        let tls = said.and_then(|host| host.tls.as_ref().map(origin_of));
        let auth = said.and_then(|host| host.auth.as_ref().map(origin_of));
        let over = match block {
            "auth" => auth,
            _ => tls,
        };
        match over {
            Some(origin) => Some((format!("{}.{host}.{block}", key::CONFIG), origin)),
            None => self.empty_block(&host),
        }
    }

    /// `config: {}` or `config: {HOST: {}}` of the definition.
    fn empty_block(&self, host: &HostName) -> Option<(String, Origin)> {
        let registries = self.definition.registries.as_ref()?;
        let config = registries.value.config.as_ref()?;
        let own = config.value.get(host);
        let (at, by) = match own {
            Some(own) => (&own.at, format!("{}.{host}", key::CONFIG)),
            None => (&config.at, key::CONFIG.to_string()),
        };
        let origin = Origin {
            layer: Layer::Cluster,
            key: key::CONFIG,
            at: Some(at.clone()),
        };
        Some((by, origin))
    }

    fn image(&self, topic: Topic) -> Option<String> {
        let said = self.settings.installer_repository.as_ref();
        let said = said.filter(|_| topic == Topic::Installer)?;
        install_image(&said.value, self.definition)
    }

    /// The schematic and the version that the installer's image has beside its repository.
    fn made_with(&self, topic: Topic, won: Option<&Statement>) -> Vec<Statement> {
        if topic != Topic::Installer || won.is_none() {
            return Vec::new();
        }
        let os = self.definition.os.as_ref();
        let schematic = os.and_then(|os| os.value.schematic_id.as_ref());
        let versions = self.definition.versions.as_ref();
        let version = versions.and_then(|versions| versions.value.talos.as_ref());
        let said = [("os.schematic_id", schematic), ("versions.talos", version)];
        let said = said
            .into_iter()
            .filter_map(|(key, said)| Some((key, said?)));
        said.map(|(key, said)| Statement {
            key: key.to_string(),
            value: Stated::Text(said.value.clone()),
            origin: Origin {
                layer: Layer::Cluster,
                key,
                at: Some(said.at.clone()),
            },
        })
        .collect()
    }
}

/// The host in `HOST.tls…` or `HOST.auth`, and which of the two.
fn host_in(below: &str) -> Option<(HostName, &'static str)> {
    let (host, block) = match below.split_once(".tls") {
        Some((host, rest)) if rest.is_empty() || rest.starts_with('.') => (host, "tls"),
        _ => (below.strip_suffix(".auth")?, "auth"),
    };
    Some((host.parse().ok()?, block))
}

fn origin_of<T>(resolved: &Resolved<T>) -> Origin {
    resolved.origin.clone()
}
