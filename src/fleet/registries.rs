//! `talos` and `registries`: where images come from, and how registries are spoken to.

use super::reader::{Block, Keys};
use super::{HostName, MirrorKey, Placed, SecretRef};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

/// A mapping in the order it was written, whose keys are checked names with places of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByKey<K, V>(pub Vec<(Placed<K>, Placed<V>)>);

impl<K: PartialEq, V> ByKey<K, V> {
    /// What is said for `key`.
    pub fn get(&self, key: &K) -> Option<&Placed<V>> {
        let said = self.0.iter().find(|(name, _)| name.value == *key);
        said.map(|(_, value)| value)
    }
}

impl<K: JsonSchema, V: JsonSchema> JsonSchema for ByKey<K, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}By{}", V::schema_name(), K::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (names, values) = (
            generator.subschema_for::<K>(),
            generator.subschema_for::<V>(),
        );
        schemars::json_schema!({
            "type": "object",
            "propertyNames": names,
            "additionalProperties": values,
        })
    }
}

/// `talos`: where a machine's images come from. Each that is absent is left to the platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TalosSettings {
    /// The Image Factory that disk images come from. Changing it replaces machines.
    #[schemars(
        rename = "imageFactoryURL",
        regex(pattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^$`\\\\]*$")
    )]
    pub image_factory_url: Option<Placed<String>>,
    /// The repository of the installer image, without a scheme.
    #[schemars(
        rename = "installerRepository",
        regex(pattern = "^[a-z0-9.\\[\\]:-]+(/[a-z0-9._-]+)+/?$")
    )]
    pub installer_repository: Option<Placed<String>>,
    /// Mirrors, by the registry they stand in for. They replace the platform's as a whole; `{}` is none.
    #[schemars(rename = "registryMirrors")]
    pub registry_mirrors: Option<Placed<ByKey<MirrorKey, Mirror>>>,
}

/// What a registry's images are pulled from instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Mirror {
    /// URLs, tried in this order.
    #[schemars(inner(regex(pattern = "^[Hh][Tt][Tt][Pp][Ss]?://")))]
    pub endpoints: Option<Placed<Vec<Placed<String>>>>,
    /// Use the endpoints' paths as they are, without a `/v2` behind them.
    #[schemars(rename = "overridePath")]
    pub override_path: Option<Placed<bool>>,
    /// Never ask the registry itself.
    #[schemars(rename = "skipFallback")]
    pub skip_fallback: Option<Placed<bool>>,
}

/// `registries`: the rest of what a machine knows about registries.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Registries {
    /// Mirrors, by the registry they stand in for; `talos.registryMirrors`, where set, wins as a whole.
    pub mirrors: Option<Placed<ByKey<MirrorKey, Mirror>>>,
    /// TLS and authentication, by the host (and port, unless it is 443) of an endpoint.
    pub config: Option<Placed<ByKey<HostName, HostConfig>>>,
}

/// How one host is spoken to.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HostConfig {
    /// TLS towards it.
    pub tls: Option<Placed<TlsSettings>>,
    /// An entry of the age store: YAML with `username` and `password`, or `auth`, or `identityToken`.
    pub auth: Option<Placed<SecretRef>>,
}

/// TLS towards one host.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TlsSettings {
    /// The CA that its certificate is verified with, in PEM.
    pub ca: Option<Placed<SecretRef>>,
    /// The certificate that a node shows.
    #[schemars(rename = "clientIdentity")]
    pub client_identity: Option<Placed<ClientIdentity>>,
    /// Do not verify its certificate. Needs the cluster's consent: `consents.insecureSkipVerify`.
    #[schemars(rename = "insecureSkipVerify")]
    pub insecure_skip_verify: Option<Placed<bool>>,
}

/// A certificate with its key, both in the age store, in PEM.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ClientIdentity {
    /// The certificate.
    pub cert: Placed<SecretRef>,
    /// Its private key.
    pub key: Placed<SecretRef>,
}

impl Block for TalosSettings {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            image_factory_url: keys.optional("imageFactoryURL"),
            installer_repository: keys.optional("installerRepository"),
            registry_mirrors: keys.optional("registryMirrors"),
        })
    }
}

impl Block for Mirror {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            endpoints: keys.optional("endpoints"),
            override_path: keys.optional("overridePath"),
            skip_fallback: keys.optional("skipFallback"),
        })
    }
}

impl Block for Registries {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            mirrors: keys.optional("mirrors"),
            config: keys.optional("config"),
        })
    }
}

impl Block for HostConfig {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            tls: keys.optional("tls"),
            auth: keys.optional("auth"),
        })
    }
}

impl Block for TlsSettings {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        Some(Self {
            ca: keys.optional("ca"),
            client_identity: keys.optional("clientIdentity"),
            insecure_skip_verify: keys.optional("insecureSkipVerify"),
        })
    }
}

impl Block for ClientIdentity {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let cert = keys.required("cert");
        let key = keys.required("key");
        Some(Self {
            cert: cert?,
            key: key?,
        })
    }
}
