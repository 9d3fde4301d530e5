//! The shape of an explanation for programs.

use schemars::JsonSchema;
use serde::Serialize;

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
    /// Where the manifests say it all the same, as they are committed. It stays as it is.
    pub in_manifests: Vec<InManifest>,
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
    /// Where the manifests say something there already, as they are committed. The winner is merged into
    /// it.
    pub in_manifests: Vec<InManifest>,
}

/// A place in a manifest as it is committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InManifest {
    /// The target, as kind and name.
    pub target: String,
    /// The form.
    pub form: FormName,
    /// The file, as seen from the working directory.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
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
