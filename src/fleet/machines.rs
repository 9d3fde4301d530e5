//! What a definition says of a cluster's machines, in blocks that other tools read as well.

use super::Placed;
use super::reader::{Block, Keys, Unknown};
use schemars::JsonSchema;

/// Machines of one role.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
pub struct Machines {
    /// How many there are.
    pub replicas: Option<Placed<u32>>,
}

/// The versions that a cluster runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
pub struct Versions {
    /// Kubernetes, such as `v1.34.1`.
    #[schemars(regex(pattern = "^v?[0-9]+\\.[0-9]+"))]
    pub kubernetes: Option<Placed<String>>,
    /// Talos, such as `v1.9.5`.
    #[schemars(regex(pattern = "^v?[0-9]+\\.[0-9]+($|\\.)"))]
    pub talos: Option<Placed<String>>,
}

/// The operating system of a cluster's machines.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
pub struct Os {
    /// The Image Factory schematic: 64 hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub schematic_id: Option<Placed<String>>,
}

impl Block for Machines {
    const UNKNOWN: Unknown = Unknown::Ignored;

    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            replicas: keys.optional("replicas"),
        })
    }
}

impl Block for Versions {
    const UNKNOWN: Unknown = Unknown::Ignored;

    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            kubernetes: keys.optional("kubernetes"),
            talos: keys.optional("talos"),
        })
    }
}

impl Block for Os {
    const UNKNOWN: Unknown = Unknown::Ignored;

    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            schematic_id: keys.optional("schematic_id"),
        })
    }
}
