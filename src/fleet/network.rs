//! The platform's network pools, which new clusters take their addresses and ranges from.

use super::Placed;
use super::reader::{Block, Keys};
use schemars::JsonSchema;

/// `network` of the platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NetworkPools {
    /// Addresses for control-plane endpoints, as `FIRST-LAST`.
    pub endpoints: Option<Placed<String>>,
    /// Ranges for pods.
    pub pods: Option<Placed<AddressPool>>,
    /// Ranges for services.
    pub services: Option<Placed<AddressPool>>,
}

/// A range that clusters get parts of.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AddressPool {
    /// The whole, as `ADDRESS/LENGTH`.
    pub from: Placed<String>,
    /// The prefix length of one cluster's part.
    pub prefix: Placed<u32>,
}

impl Block for NetworkPools {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            endpoints: keys.optional("endpoints"),
            pods: keys.optional("pods"),
            services: keys.optional("services"),
        })
    }
}

impl Block for AddressPool {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let from = keys.required("from");
        let prefix = keys.required("prefix");
        Some(Self {
            from: from?,
            prefix: prefix?,
        })
    }
}
