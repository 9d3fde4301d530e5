//! What the repository says: cluster definitions and platform defaults, every leaf with its place.
//!
//! This room reads no file, resolves no precedence and decides nothing about machines: it is handed
//! texts and says what stands in them, or everything that is wrong with them.

mod definition;
mod machines;
mod name;
mod network;
mod platform;
mod reader;
mod registries;
mod repository;
mod trust;

pub use definition::{ClusterDefinition, Consents};
pub use machines::{Machines, Os, Versions};
pub use name::{ClusterName, HostName, InvalidName, MirrorKey, ObjectName, SecretKey};
pub use network::{AddressPool, NetworkPools};
pub use platform::{Cozystack, Platform, Providers};
pub use registries::{
    ByKey, ClientIdentity, HostConfig, Mirror, Registries, TalosSettings, TlsSettings,
};
pub use repository::{ClusterFolder, DEFINITION, FleetFiles, FleetRepo, PLATFORM, no_such_cluster};
pub use trust::{Address, CaSource, KeyInSecret, RegistryTrust, SecretRef, TrustDefaults};

use crate::diagnostic::Place;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

/// A value and where it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// What was said.
    pub value: T,
    /// Where.
    pub at: Place,
}

impl<T> Placed<T> {
    /// `value`, said at `at`.
    pub fn new(value: T, at: Place) -> Self {
        Self { value, at }
    }
}

/// In a schema a place does not show: the file holds the value alone.
impl<T: JsonSchema> JsonSchema for Placed<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
