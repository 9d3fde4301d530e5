//! Why a cluster's settings are what they are: for people as a table, for programs as JSON.
//!
//! Secrets appear by name and fingerprint; nothing here was ever decrypted.

mod shape;
mod table;
mod words;

pub use shape::{
    ClientIdentity, EffectName, Explanation, FormName, InManifest, LayerName, Loser, Mirror,
    OptIns, Question, Reading, SecretInCluster, Service, Setting, Statement, StoredSecret, Value,
    WhyName,
};

use super::json::to_json;
use crate::diagnostic::Place;
use crate::fleet::ClusterDefinition;
use crate::manifest::{self, HydratedTarget};
use crate::secret::SecretName;
use crate::settings::{self, Account, Effect, Lost, Origin, Stated, Why};
use crate::talos;
use crate::text::SourceFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an explanation is made of.
#[derive(Clone, Copy, Debug)]
pub struct Explained<'e> {
    /// The cluster.
    pub definition: &'e ClusterDefinition,
    /// Its manifests' targets, as far as they could be hydrated.
    pub targets: &'e [HydratedTarget],
    /// Its manifests, as they are committed.
    pub manifests: &'e [Arc<SourceFile>],
    /// The fingerprints of the secrets that are in the store.
    pub fingerprints: &'e BTreeMap<SecretName, String>,
    /// What gives the call's address, where it does.
    pub address_by: Option<&'static str>,
}

impl Explanation {
    /// Puts accounts into their shape for readers.
    pub fn new(
        explained: Explained<'_>,
        question: Option<Question>,
        accounts: &[&Account],
    ) -> Self {
        Self {
            cluster: explained.definition.name.value.to_string(),
            opt_ins: OptIns {
                registry_trust: explained.definition.trusts_registry(),
                platform_defaults: explained.definition.takes_platform_defaults(),
            },
            question,
            settings: accounts.iter().map(|it| explained.setting(it)).collect(),
        }
    }

    /// As one JSON object with a line feed at its end.
    pub fn json(&self) -> String {
        to_json(self)
    }

    /// For people, in at most 100 columns.
    pub fn table(&self) -> String {
        table::table(self)
    }
}

impl Explained<'_> {
    fn setting(&self, account: &Account) -> Setting {
        let losers = account.lost.iter().map(|lost| self.loser(lost)).collect();
        Setting {
            path: account.path.clone(),
            effect: match account.effect {
                Effect::NextBootstrap => EffectName::NextBootstrap,
                Effect::Rolls => EffectName::Rolls,
            },
            on_machine: account.on_machine.clone(),
            winner: account.won.as_ref().map(|it| self.statement(it)),
            losers,
            made_with: account
                .made_with
                .iter()
                .map(|it| self.statement(it))
                .collect(),
            readings: self.readings(account),
            in_manifests: account
                .path
                .iter()
                .flat_map(|path| self.in_manifests(path))
                .collect(),
        }
    }

    /// Where the manifests say something at a path on the machine.
    pub fn in_manifests(&self, path: &str) -> Vec<InManifest> {
        let committed = self
            .manifests
            .iter()
            .flat_map(|file| manifest::committed(file, path));
        let places = committed.filter_map(|said| {
            let span = said.at.span.as_ref()?;
            let at = said.at.file.position(span.start);
            Some(InManifest {
                target: said.target.to_string(),
                form: form_name(said.form),
                file: said.at.file.path().to_string_lossy().into_owned(),
                line: at.line,
                column: at.column,
            })
        });
        places.collect()
    }

    fn loser(&self, lost: &Lost) -> Loser {
        Loser {
            statement: self.statement(&lost.statement),
            why: match lost.why {
                Why::Outranked { .. } => WhyName::Outranked,
                Why::Replaced { .. } => WhyName::Replaced,
                Why::Repeats => WhyName::Repeats,
                Why::NoPlatformDefaults => WhyName::NoPlatformDefaults,
                Why::NoTrust => WhyName::NoTrust,
                Why::NoHostEntry => WhyName::NoHostEntry,
            },
            reason: words::reason(lost),
        }
    }

    fn statement(&self, said: &settings::Statement) -> Statement {
        let (file, line, column) = place(&said.origin);
        Statement {
            layer: match said.origin.layer {
                settings::Layer::CommandLine => LayerName::CommandLine,
                settings::Layer::Cluster => LayerName::Cluster,
                settings::Layer::Platform => LayerName::Platform,
                settings::Layer::BuiltIn => LayerName::BuiltIn,
            },
            key: Some(said.key.clone()).filter(|key| !key.is_empty()),
            file,
            line,
            column,
            value: self.value(&said.value),
        }
    }

    fn value(&self, said: &Stated) -> Value {
        let own = Clone::clone;
        match said {
            Stated::Text(text) => Value::Text(own(text)),
            Stated::Flag(flag) => Value::Flag(*flag),
            Stated::Mirror {
                endpoints,
                override_path,
                skip_fallback,
            } => Value::Mirror(Mirror {
                endpoints: endpoints.clone(),
                override_path: *override_path,
                skip_fallback: *skip_fallback,
            }),
            Stated::Empty => Value::Empty,
            Stated::Secret(name) => Value::Secret(self.stored(name)),
            Stated::Identity { cert, key } => Value::ClientIdentity(ClientIdentity {
                cert: self.stored(cert),
                key: self.stored(key),
            }),
            Stated::Given => Value::Given(self.address_by.unwrap_or_default().to_string()),
            Stated::InCluster {
                namespace,
                name,
                key,
            } => Value::SecretInCluster(SecretInCluster {
                namespace: own(namespace),
                name: own(name),
                key: own(key),
            }),
            Stated::Service { namespace, name } => Value::Service(Service {
                namespace: own(namespace),
                name: own(name),
            }),
            Stated::Dns(name) => Value::Dns(own(name)),
        }
    }

    fn stored(&self, name: &SecretName) -> StoredSecret {
        StoredSecret {
            name: name.as_str().to_string(),
            fingerprint: self.fingerprints.get(name).cloned(),
        }
    }

    /// The forms in the order of their first target.
    fn readings(&self, account: &Account) -> Vec<Reading> {
        let mut readings: Vec<Reading> = Vec::new();
        let path = account.path.as_ref().filter(|_| account.won.is_some());
        let Some(path) = path else {
            return readings;
        };
        for target in self.targets {
            let mut placed = target
                .placed
                .iter()
                .filter(|(placed, _)| holds(placed, path));
            let Some((_, form)) = placed.next() else {
                continue;
            };
            let form = form_name(*form);
            let name = target.name.to_string();
            match readings.iter_mut().find(|reading| reading.form == form) {
                Some(reading) => reading.targets.push(name),
                None => readings.push(Reading {
                    form,
                    targets: vec![name],
                }),
            }
        }
        readings
    }
}

fn form_name(form: talos::Form) -> FormName {
    match form {
        talos::Form::JsonPatch => FormName::JsonPatch,
        talos::Form::V1Alpha1 => FormName::V1alpha1,
        talos::Form::Documents => FormName::Document,
    }
}

/// Is `path` in the value that was placed?
fn holds(placed: &str, path: &str) -> bool {
    let rest = path.strip_prefix(placed);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn place(origin: &Origin) -> (Option<String>, Option<usize>, Option<usize>) {
    let file = |place: &Place| place.file.path().to_string_lossy().into_owned();
    let at = origin.at.as_ref().and_then(|place| {
        let span = place.span.as_ref()?;
        Some(place.file.position(span.start))
    });
    (
        origin.at.as_ref().map(file),
        at.map(|at| at.line),
        at.map(|at| at.column),
    )
}
