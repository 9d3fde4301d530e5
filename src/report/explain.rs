//! Why a cluster's settings are what they are: for people as a table, for programs as JSON.
//!
//! Secrets appear by name and fingerprint; nothing here was ever decrypted.

mod table;
mod words;

use super::json::to_json;
use crate::diagnostic::Place;
use crate::fleet::ClusterDefinition;
use crate::manifest::HydratedTarget;
use crate::secret::SecretName;
use crate::settings::{self, Account, Effect, Lost, Origin, Stated, Why};
use crate::talos;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Why a cluster's settings are what they are. The shape is stable: keys may come, none goes or changes
/// its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The cluster's name.
    pub cluster: String,
    /// What it opted in to. With neither, its manifests are copied byte for byte, and there are no
    /// settings.
    pub opt_ins: OptIns,
    /// The one thing that was asked about, where it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// The settings: all that anybody says, or those that were asked about.
    pub settings: Vec<Setting>,
}

/// What a cluster opted in to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptIns {
    /// `registryTrust.enabled: true`.
    pub registry_trust: bool,
    /// `platformDefaults: true`.
    pub platform_defaults: bool,
}

/// The one thing that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// As it was typed.
    pub asked: String,
    /// Does anybody say it?
    pub is_said: bool,
    /// What may have been meant, where nobody says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// Where it is on the machine, as a JSON Pointer. Absent for what is never rendered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What changing it does.
    pub effect: EffectName,
    /// The value on the machine, where it is made of more than the winner's: the installer's image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_machine: Option<String>,
    /// What counts. Absent where nothing of what was said does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Statement>,
    /// What does not count, strongest layer first.
    pub losers: Vec<Loser>,
    /// What the value on the machine is made of beside the winner's.
    pub made_with: Vec<Statement>,
    /// The forms that carry it in the manifests. Empty where it is not rendered, or where the manifests
    /// cannot be hydrated.
    pub readings: Vec<Reading>,
}

/// What changing a setting does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectName {
    /// Machines get it when they are made.
    NextBootstrap,
    /// It replaces every machine, so it is never rendered.
    Rolls,
}

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    /// Who.
    pub layer: LayerName,
    /// The key, down to the setting. Absent for what the call says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The file, as seen from the working directory. Absent for the built-in layer and the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The value.
    pub value: Value,
}

/// Who says something, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LayerName {
    /// The call: `--address`, or `REGISTRY_ADDRESS`.
    CommandLine,
    /// The cluster's definition.
    Cluster,
    /// `platform.yaml`.
    Platform,
    /// What holds when nobody says anything.
    BuiltIn,
}

/// A statement that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Loser {
    /// What was said.
    #[serde(flatten)]
    pub statement: Statement,
    /// Why it does not count.
    pub why: WhyName,
    /// The same in words.
    pub reason: String,
}

/// Why a statement does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhyName {
    /// A stronger layer, or a stronger key of its layer, says something else.
    Outranked,
    /// It lies in a block that another block replaces as a whole.
    Replaced,
    /// It names the secret that the winner must name too.
    Repeats,
    /// It is the platform's, and the cluster does not say `platformDefaults: true`.
    NoPlatformDefaults,
    /// It is about the registry trust, and the cluster does not say `registryTrust.enabled: true`.
    NoTrust,
    /// The registry is named by an address, so that nodes need no host entry.
    NoHostEntry,
}

/// A value. A secret is its name and the fingerprint of its file, never what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Value {
    /// Text.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A mirror.
    Mirror(Mirror),
    /// An empty mapping, of which the mapping is the message: nothing weaker counts.
    Empty,
    /// An entry of the age store.
    Secret(StoredSecret),
    /// A certificate and its key, entries of the age store.
    ClientIdentity(ClientIdentity),
    /// Given with the call, by this option or variable.
    Given(String),
    /// A key of a Kubernetes Secret, read live.
    SecretInCluster(SecretInCluster),
    /// The status of a Service, read live.
    Service(Service),
    /// Whatever DNS answers for this name.
    Dns(String),
}

/// A mirror.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mirror {
    /// URLs in the order in which they are tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoints: Option<Vec<String>>,
    /// Are the endpoints' paths taken as they are?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_path: Option<bool>,
    /// Is the registry itself never asked?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_fallback: Option<bool>,
}

/// An entry of the age store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredSecret {
    /// Its name.
    pub name: String,
    /// The beginning of the SHA-256 of its encrypted file. Absent where the store has no such file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// A certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientIdentity {
    /// The certificate.
    pub cert: StoredSecret,
    /// The key.
    pub key: StoredSecret,
}

/// A key of a Kubernetes Secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretInCluster {
    /// The Secret's namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The key.
    pub key: String,
}

/// A Kubernetes Service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// A form, and the targets in which it carries the setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    /// The form.
    pub form: FormName,
    /// The targets, as kind and name.
    pub targets: Vec<String>,
}

/// A form that a setting can take in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FormName {
    /// A JSON patch in `configPatches`.
    JsonPatch,
    /// `machine:` fields in `strategicPatches`.
    V1alpha1,
    /// A document of its own kind in `strategicPatches`.
    Document,
}

/// What an explanation is made of.
#[derive(Clone, Copy, Debug)]
pub struct Explained<'e> {
    /// The cluster.
    pub definition: &'e ClusterDefinition,
    /// Its manifests' targets, as far as they could be hydrated.
    pub targets: &'e [HydratedTarget],
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
        }
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
            let form = match form {
                talos::Form::JsonPatch => FormName::JsonPatch,
                talos::Form::V1Alpha1 => FormName::V1alpha1,
                talos::Form::Documents => FormName::Document,
            };
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
