//! `cluster-config.yaml`: one cluster's definition.

use super::reader::{Block, Keys, Reader, Unknown};
use super::{
    ClusterName, HostName, Machines, Os, Placed, Registries, RegistryTrust, TalosSettings, Versions,
};
use crate::diagnostic::{Code, Diagnostic, Place, did_you_mean};
use crate::text::SourceFile;
use schemars::JsonSchema;
use std::path::{Component, Path};
use std::sync::Arc;

/// The manifest of a cluster that names none.
const DEFAULT_MANIFEST: &str = "cluster-base.yaml";

/// The one type of cluster that hydrant hydrates.
const TALOS: &str = "talos";

/// What a cluster's definition says, of what hydrant reads. Everything else in it belongs to others.
///
/// Of a cluster that did not opt in, only `name`, `type`, the opt-ins and `manifests` are read: the rest
/// is none of hydrant's business there.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("if" = {"anyOf": [
    {"required": ["platformDefaults"], "properties": {"platformDefaults": {"const": true}}},
    {"required": ["registryTrust"], "properties": {"registryTrust": {
        "type": "object",
        "required": ["enabled"],
        "properties": {"enabled": {"const": true}},
    }}},
]}, "then" = {"required": ["type"], "properties": {"type": {"const": TALOS}}}))]
pub struct ClusterDefinition {
    /// The file it stands in.
    #[schemars(skip)]
    pub file: Arc<SourceFile>,
    /// The cluster's name, which is its folder's name.
    pub name: Placed<ClusterName>,
    /// What kind of cluster it is: `talos`, where it opts in.
    #[schemars(rename = "type")]
    pub kind: Option<Placed<String>>,
    /// Trust in a registry, and with `enabled: true` the opt-in to it.
    #[schemars(rename = "registryTrust")]
    pub registry_trust: Option<Placed<RegistryTrust>>,
    /// The opt-in to `talos` and `registries` of `platform.yaml`.
    #[schemars(rename = "platformDefaults")]
    pub platform_defaults: Option<Placed<bool>>,
    /// Where this cluster's images come from; wins over the platform.
    pub talos: Option<Placed<TalosSettings>>,
    /// How this cluster speaks to registries; wins over the platform.
    pub registries: Option<Placed<Registries>>,
    /// What this cluster consents to, each danger by its own name.
    pub consents: Option<Placed<Consents>>,
    /// The manifests, in the order in which they are rendered, as paths below the cluster's folder.
    #[schemars(
        with = "Option<Vec<String>>",
        length(min = 1),
        extend("uniqueItems" = true),
        inner(regex(pattern = "^[^/\\\\]+(/[^/\\\\]+)*$"))
    )]
    pub manifests: Vec<Placed<String>>,
    /// The control-plane machines.
    #[schemars(rename = "controlPlane")]
    pub control_plane: Option<Placed<Machines>>,
    /// The worker machines.
    pub workers: Option<Placed<Machines>>,
    /// Versions.
    pub versions: Option<Placed<Versions>>,
    /// The operating system.
    pub os: Option<Placed<Os>>,
}

/// Dangers that a cluster accepts, each by its own name.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Consents {
    /// Hosts whose certificates this cluster's nodes need not verify. Without a host's name here,
    /// `insecureSkipVerify: true` for it is refused, whoever says it.
    #[schemars(rename = "insecureSkipVerify")]
    pub insecure_skip_verify: Option<Placed<Vec<Placed<HostName>>>>,
}

impl ClusterDefinition {
    /// Reads a definition. Where an error is among the findings there is nothing to use.
    pub(super) fn read(file: &Arc<SourceFile>) -> (Option<Self>, Vec<Diagnostic>) {
        Reader::read(file)
    }

    /// Does the cluster opt in, to the registry trust or to the platform's defaults?
    pub fn is_opted_in(&self) -> bool {
        self.trusts_registry() || self.takes_platform_defaults()
    }

    /// Does the cluster opt in to the registry trust?
    pub fn trusts_registry(&self) -> bool {
        self.registry_trust
            .as_ref()
            .is_some_and(|trust| trust.value.enabled.value)
    }

    /// Does the cluster opt in to the platform's defaults?
    pub fn takes_platform_defaults(&self) -> bool {
        self.platform_defaults
            .as_ref()
            .is_some_and(|said| said.value)
    }

    /// May this cluster's nodes skip verifying the certificate of `host`?
    pub fn consents_to_insecure(&self, host: &HostName) -> bool {
        let consents = self.consents.as_ref();
        let hosts = consents.and_then(|consents| consents.value.insecure_skip_verify.as_ref());
        hosts.is_some_and(|hosts| hosts.value.iter().any(|said| said.value == *host))
    }

    /// The cluster's folder, as a user would type it.
    pub fn folder(&self) -> &Path {
        self.file.path().parent().unwrap_or(Path::new(""))
    }
}

impl Block for ClusterDefinition {
    const UNKNOWN: Unknown = Unknown::Ignored;

    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let name = keys.required("name");
        let registry_trust: Option<Placed<RegistryTrust>> = keys.optional("registryTrust");
        let platform_defaults = keys.optional("platformDefaults");
        let trusts = registry_trust
            .as_ref()
            .is_some_and(|trust| trust.value.enabled.value);
        let takes = platform_defaults
            .as_ref()
            .is_some_and(|said: &Placed<bool>| said.value);
        let opted_in = trusts || takes;
        let kind = if opted_in {
            keys.required("type")
        } else {
            keys.optional_if(false, "type")
        };
        let definition = Self {
            file: Arc::clone(&keys.value().reader.file),
            kind,
            registry_trust,
            platform_defaults,
            talos: keys.optional_if(opted_in, "talos"),
            registries: keys.optional_if(opted_in, "registries"),
            consents: keys.optional_if(opted_in, "consents"),
            manifests: manifests(keys),
            control_plane: keys.optional_if(opted_in, "controlPlane"),
            workers: keys.optional_if(opted_in, "workers"),
            versions: keys.optional_if(opted_in, "versions"),
            os: keys.optional_if(opted_in, "os"),
            // Last: what else is wrong is found all the same.
            name: name?,
        };
        check_kind(keys, definition.kind.as_ref());
        warn_of_lookalikes(keys);
        Some(definition)
    }
}

impl Block for Consents {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            insecure_skip_verify: keys.optional("insecureSkipVerify"),
        })
    }
}

fn check_kind(keys: &Keys<'_>, kind: Option<&Placed<String>>) {
    if let Some(kind) = kind.filter(|kind| kind.value != TALOS) {
        let message = format!("a cluster of type `{}` cannot opt in", kind.value);
        let help = format!("only `type: {TALOS}` can be hydrated; take the opt-in out");
        let finding = Diagnostic::new(Code::InvalidValue, message, help).at(kind.at.clone());
        keys.value().reader.report(finding);
    }
}

/// The block names that are long enough not to be met by chance.
const UNMISTAKABLE: [&str; 5] = [
    "registryTrust",
    "platformDefaults",
    "manifests",
    "registries",
    "consents",
];

/// Unknown keys at the top belong to other tools, but `registryTrsut` does not.
fn warn_of_lookalikes(keys: &Keys<'_>) {
    for (key, place) in keys.strangers() {
        if let Some(near) = did_you_mean(&key, UNMISTAKABLE).filter(|near| !keys.has(near)) {
            let message = format!("`{key}` is not read, and looks like `{near}`");
            let help = format!("did you mean `{near}`?");
            let finding = Diagnostic::new(Code::LookalikeKey, message, help).at(place);
            keys.value().reader.report(finding);
        }
    }
}

fn manifests(keys: &mut Keys<'_>) -> Vec<Placed<String>> {
    let listed = keys.optional::<Vec<Placed<String>>>("manifests");
    let Some(listed) = listed else {
        let place = Place::whole(&keys.value().reader.file);
        return vec![Placed::new(DEFAULT_MANIFEST.to_owned(), place)];
    };
    let refuse = |at: &Place, message: String, help: &str| {
        let finding = Diagnostic::new(Code::InvalidValue, message, help).at(at.clone());
        keys.value().reader.report(finding);
    };
    if listed.value.is_empty() {
        let help = "name at least one file, or leave the key out";
        refuse(&listed.at, "`manifests` names no file".to_owned(), help);
    }
    for (index, manifest) in listed.value.iter().enumerate() {
        if !stays_inside(&manifest.value) {
            let message = format!(
                "the manifest `{}` is outside the cluster's folder",
                manifest.value
            );
            refuse(
                &manifest.at,
                message,
                "name a file below the cluster's own folder",
            );
        }
        if listed.value[..index]
            .iter()
            .any(|earlier| earlier.value == manifest.value)
        {
            let message = format!("the manifest `{}` is named twice", manifest.value);
            refuse(
                &manifest.at,
                message,
                "name it once: it would be applied twice",
            );
        }
    }
    listed.value
}

fn stays_inside(path: &str) -> bool {
    // `Path` drops a `.` and a doubled or trailing slash; what is left must be what was written, so
    // that one file has one spelling.
    let plain = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let parts = Path::new(path).components().count();
    plain && parts == path.split('/').count() && !path.contains('\\')
}

#[cfg(test)]
mod tests;
