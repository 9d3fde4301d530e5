//! `registryTrust`: whose CA the nodes trust, and under which address they find it.

use super::reader::{Block, Keys};
use super::{HostName, ObjectName, Placed, SecretKey};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::secret::SecretName;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

/// An entry of the age store: `{secret: NAME}`.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SecretRef {
    /// Its name: the path in `secrets/` without `.age`.
    #[schemars(with = "String")]
    pub secret: Placed<SecretName>,
}

/// One key of a Kubernetes Secret, read live through kubectl.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KeyInSecret {
    /// The Secret's namespace.
    pub namespace: Placed<ObjectName>,
    /// The Secret's name.
    pub name: Placed<ObjectName>,
    /// The key in its `data`.
    pub key: Placed<SecretKey>,
}

/// Where the registry's address comes from, where nothing on the command line says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Written in the definition.
    Value(Placed<String>),
    /// In the age store.
    Secret(Placed<SecretName>),
    /// The status of a Service, read live through kubectl.
    Service {
        /// Its namespace.
        namespace: Placed<ObjectName>,
        /// Its name.
        name: Placed<ObjectName>,
    },
}

/// `registryTrust` of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields, extend("not" = {"required": ["ca", "caSecret"]}))]
pub struct RegistryTrust {
    /// Does the cluster opt in?
    pub enabled: Placed<bool>,
    /// The registry, as it stands in image references.
    pub host: Option<Placed<HostName>>,
    /// The registry's CA in the age store, in PEM.
    pub ca: Option<Placed<SecretRef>>,
    /// The registry's CA in a cluster.
    #[schemars(rename = "caSecret")]
    pub ca_secret: Option<Placed<KeyInSecret>>,
    /// The registry's address.
    pub address: Option<Placed<Address>>,
    /// The cluster's talosconfig, for the runtime procedure.
    #[schemars(rename = "talosconfigSecret")]
    pub talosconfig_secret: Option<Placed<KeyInSecret>>,
}

/// `registryTrust` of the platform: what clusters that opt in need not say themselves.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields, extend("not" = {"required": ["ca", "caSecret"]}))]
pub struct TrustDefaults {
    /// The registry, as it stands in image references.
    pub host: Option<Placed<HostName>>,
    /// The registry's CA in the age store, in PEM.
    pub ca: Option<Placed<SecretRef>>,
    /// The registry's CA in a cluster.
    #[schemars(rename = "caSecret")]
    pub ca_secret: Option<Placed<KeyInSecret>>,
    /// The registry's address.
    pub address: Option<Placed<Address>>,
}

/// Where the CA comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaSource {
    /// The age store.
    Secret(Placed<SecretName>),
    /// A Secret in a cluster, read live.
    Live(Box<Placed<KeyInSecret>>),
}

impl RegistryTrust {
    /// The CA's source, and where it is said.
    pub fn ca_source(&self) -> Option<(CaSource, Place)> {
        ca_source(self.ca.as_ref(), self.ca_secret.as_ref())
    }
}

impl TrustDefaults {
    /// The CA's source, and where it is said.
    pub fn ca_source(&self) -> Option<(CaSource, Place)> {
        ca_source(self.ca.as_ref(), self.ca_secret.as_ref())
    }
}

fn ca_source(
    ca: Option<&Placed<SecretRef>>,
    live: Option<&Placed<KeyInSecret>>,
) -> Option<(CaSource, Place)> {
    let stored = ca.map(|ca| (CaSource::Secret(ca.value.secret.clone()), ca.at.clone()));
    stored.or_else(|| live.map(|live| (CaSource::Live(Box::new(live.clone())), live.at.clone())))
}

/// Two sources of one CA would leave open which of them the nodes get.
fn refuse_two_cas(
    keys: &Keys<'_>,
    ca: Option<&Placed<SecretRef>>,
    live: Option<&Placed<KeyInSecret>>,
) {
    if let (Some(ca), Some(live)) = (ca, live) {
        let message = format!("{} says both `ca` and `caSecret`", keys.value().name());
        let finding = Diagnostic::new(Code::InvalidValue, message, "keep one of the two");
        let first = ca.at.clone();
        let finding = finding.at(live.at.clone()).at(first.labelled("the other"));
        keys.value().reader.report(finding);
    }
}

impl Block for SecretRef {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let secret = keys.required("secret")?;
        Some(Self { secret })
    }
}

impl Block for KeyInSecret {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let namespace = keys.required("namespace");
        let name = keys.required("name");
        let key = keys.required("key");
        Some(Self {
            namespace: namespace?,
            name: name?,
            key: key?,
        })
    }
}

impl Block for RegistryTrust {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let enabled = keys.required("enabled");
        let host = keys.optional("host");
        let ca = keys.optional("ca");
        let ca_secret = keys.optional("caSecret");
        let address = keys.optional("address");
        let talosconfig_secret = keys.optional("talosconfigSecret");
        refuse_two_cas(keys, ca.as_ref(), ca_secret.as_ref());
        Some(Self {
            enabled: enabled?,
            host,
            ca,
            ca_secret,
            address,
            talosconfig_secret,
        })
    }
}

impl Block for TrustDefaults {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let host = keys.optional("host");
        let ca = keys.optional("ca");
        let ca_secret = keys.optional("caSecret");
        let address = keys.optional("address");
        refuse_two_cas(keys, ca.as_ref(), ca_secret.as_ref());
        Some(Self {
            host,
            ca,
            ca_secret,
            address,
        })
    }
}

/// The keys of an address in a file; exactly one form must be there.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Address", extend("oneOf" = [
    {"required": ["value"]},
    {"required": ["secret"]},
    {"anyOf": [{"required": ["serviceNamespace"]}, {"required": ["serviceName"]}]},
], "dependentRequired" = {
    "serviceNamespace": ["serviceName"],
    "serviceName": ["serviceNamespace"],
}))]
#[expect(dead_code, reason = "only its schema is used")]
struct AddressKeys {
    /// The address itself.
    value: Option<String>,
    /// An entry of the age store that holds the address.
    secret: Option<String>,
    /// The namespace of the Service whose status holds the address.
    #[schemars(rename = "serviceNamespace")]
    service_namespace: Option<String>,
    /// The name of that Service.
    #[schemars(rename = "serviceName")]
    service_name: Option<String>,
}

impl JsonSchema for Address {
    fn schema_name() -> Cow<'static, str> {
        AddressKeys::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        AddressKeys::json_schema(generator)
    }
}

impl Block for Address {
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self> {
        let value = keys.optional("value");
        let secret = keys.optional("secret");
        let is_service = keys.has("serviceNamespace") || keys.has("serviceName");
        let said = usize::from(keys.has("value"))
            + usize::from(keys.has("secret"))
            + usize::from(is_service);
        if said != 1 {
            let message = format!("names {said} sources, and exactly one must count");
            let help = "write `value`, or `secret`, or `serviceNamespace` with `serviceName`";
            keys.value().refuse(Code::InvalidValue, message, help);
        }
        let service = if is_service {
            keys.required("serviceNamespace")
                .zip(keys.required("serviceName"))
        } else {
            // Asked for all the same, so that a near miss of theirs is recognised.
            keys.optional("serviceNamespace")
                .zip(keys.optional("serviceName"))
        };
        let service = service.map(|(namespace, name)| Self::Service { namespace, name });
        let value = value.map(Self::Value);
        value.or(secret.map(Self::Secret)).or(service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::reader::Reader;
    use crate::text::SourceFile;
    use std::sync::Arc;

    fn codes<T: Block>(text: &str) -> Vec<&'static str> {
        let file = Arc::new(SourceFile::new("file.yaml", text));
        let (_, findings) = Reader::read::<T>(&file);
        findings.iter().map(|it| it.code.name()).collect()
    }

    #[test]
    fn two_sources_of_one_ca_are_refused_in_a_cluster_and_in_the_platform() {
        let both = "ca: {secret: a}\ncaSecret: {namespace: pki, name: s, key: ca.crt}\n";

        assert_eq!(
            codes::<RegistryTrust>(&format!("enabled: true\n{both}")),
            ["invalid-value"]
        );
        assert_eq!(codes::<TrustDefaults>(both), ["invalid-value"]);
    }

    #[test]
    fn an_address_has_exactly_one_source() {
        for (text, expected) in [
            ("value: 192.0.2.1", &[][..]),
            ("secret: a", &[]),
            ("{serviceNamespace: pki, serviceName: s}", &[]),
            ("{}", &["invalid-value"]),
            (
                "{value: 192.0.2.1, serviceName: s}",
                &["invalid-value", "missing-key"],
            ),
            ("serviceNamespace: pki", &["missing-key"]),
        ] {
            assert_eq!(codes::<Address>(text), expected, "{text}");
        }
    }
}
