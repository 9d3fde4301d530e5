//! `platform.yaml`: what the whole platform says once.

use super::reader::{Block, Keys, Reader};
use super::{NetworkPools, Placed, Registries, TalosSettings, TrustDefaults};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::SourceFile;
use schemars::JsonSchema;
use std::sync::Arc;

const API_VERSION: &str = "hydrant.dev/v1alpha1";
const KIND: &str = "Platform";

/// The platform-wide defaults.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Platform {
    /// The file they stand in.
    #[schemars(skip)]
    pub file: Arc<SourceFile>,
    /// `hydrant.dev/v1alpha1`.
    #[schemars(rename = "apiVersion", extend("const" = API_VERSION))]
    pub api_version: Placed<String>,
    /// `Platform`.
    #[schemars(extend("const" = KIND))]
    pub kind: Placed<String>,
    /// The registry that clusters which opt in trust.
    #[schemars(rename = "registryTrust")]
    pub registry_trust: Option<Placed<TrustDefaults>>,
    /// Where images come from, for clusters with `platformDefaults: true`.
    pub talos: Option<Placed<TalosSettings>>,
    /// How registries are spoken to, for clusters with `platformDefaults: true`.
    pub registries: Option<Placed<Registries>>,
    /// What new clusters take their addresses from.
    pub network: Option<Placed<NetworkPools>>,
    /// Provider versions, where they decide how settings are delivered.
    pub providers: Option<Placed<Providers>>,
    /// Where the fleet has Cozystack tenants.
    pub cozystack: Option<Placed<Cozystack>>,
}

/// The providers of the management cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Providers {
    /// The version of the Talos bootstrap provider (CABPT).
    pub bootstrap: Option<Placed<String>>,
}

/// Cozystack, where the fleet has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Cozystack {
    /// The chart whose values the tenants set.
    pub chart: Option<Placed<String>>,
    /// The package that sets the platform's values, as a path from the fleet root.
    pub package: Option<Placed<String>>,
}

impl Platform {
    /// Reads `platform.yaml`. Where an error is among the findings there is no platform.
    pub(super) fn read(file: &Arc<SourceFile>) -> (Option<Self>, Vec<Diagnostic>) {
        Reader::read(file)
    }
}

impl Block for Platform {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let api_version = exactly(keys, "apiVersion", API_VERSION);
        let kind = exactly(keys, "kind", KIND);
        let registry_trust = keys.optional("registryTrust");
        let talos = keys.optional("talos");
        let registries = keys.optional("registries");
        let network = keys.optional("network");
        let providers = keys.optional("providers");
        let cozystack = keys.optional("cozystack");
        Some(Self {
            file: Arc::clone(&keys.value().reader.file),
            api_version: api_version?,
            kind: kind?,
            registry_trust,
            talos,
            registries,
            network,
            providers,
            cozystack,
        })
    }
}

fn exactly(keys: &mut Keys<'_>, key: &'static str, value: &str) -> Option<Placed<String>> {
    let said = keys.required::<String>(key)?;
    if said.value != value {
        let message = format!(
            "`{key}` is `{}`, which this hydrant does not know",
            said.value
        );
        let help = format!("write `{key}: {value}`");
        let finding = Diagnostic::new(Code::InvalidValue, message, help).at(said.at.clone());
        keys.value().reader.report(finding);
    }
    Some(said)
}

impl Block for Providers {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let bootstrap = keys.optional("bootstrap");
        Some(Self { bootstrap })
    }
}

impl Block for Cozystack {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            chart: keys.optional("chart"),
            package: keys.optional("package"),
        })
    }
}
