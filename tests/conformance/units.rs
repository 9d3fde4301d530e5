//! Settings of a registry and names of hosts, each said in v1alpha1 fields or in a document.

use super::hand::Tree;
use super::trust::{IDENTITY, base64};
use serde_json::{Value, json};

/// One thing that a machine is told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unit {
    Mirror {
        name: String,
        endpoints: Vec<String>,
        override_path: Option<bool>,
        skip_fallback: Option<bool>,
    },
    Auth {
        host: String,
    },
    Tls {
        host: String,
        ca: Option<String>,
        has_identity: bool,
        insecure: Option<bool>,
    },
    Host {
        ip: String,
        aliases: Vec<String>,
    },
}

impl Unit {
    /// What no two documents of one string may share.
    pub(crate) fn document_name(&self) -> (&'static str, &str) {
        match self {
            Self::Mirror { name, .. } => ("RegistryMirrorConfig", name),
            Self::Auth { host } => ("RegistryAuthConfig", host),
            Self::Tls { host, .. } => ("RegistryTLSConfig", host),
            Self::Host { ip, .. } => ("StaticHostConfig", ip),
        }
    }

    pub(crate) fn document(&self) -> Value {
        let (kind, name) = self.document_name();
        let mut document = json!({"apiVersion": "v1alpha1", "kind": kind, "name": name});
        let fields = match self {
            Self::Mirror {
                endpoints,
                override_path,
                skip_fallback,
                ..
            } => {
                let endpoint = |url: &String| match override_path {
                    Some(is) => json!({"url": url, "overridePath": is}),
                    None => json!({"url": url}),
                };
                let endpoints: Vec<Value> = endpoints.iter().map(endpoint).collect();
                with(
                    json!({"endpoints": endpoints}),
                    "skipFallback",
                    *skip_fallback,
                )
            }
            Self::Auth { .. } => credentials(),
            Self::Tls {
                ca,
                has_identity,
                insecure,
                ..
            } => {
                let identity = || json!({"cert": IDENTITY.0.as_str(), "key": IDENTITY.1.as_str()});
                let fields = with(json!({}), "ca", ca.as_ref());
                let fields = with(fields, "clientIdentity", has_identity.then(identity));
                with(fields, "insecureSkipVerify", *insecure)
            }
            Self::Host { aliases, .. } => json!({"hostnames": aliases}),
        };
        merge(&mut document, fields);
        document
    }

    /// The fields below `machine.registries`; nothing for a host entry.
    fn fields(&self) -> Value {
        match self {
            Self::Mirror {
                name,
                endpoints,
                override_path,
                skip_fallback,
            } => {
                let fields = with(
                    json!({"endpoints": endpoints}),
                    "overridePath",
                    *override_path,
                );
                json!({"mirrors": {name: with(fields, "skipFallback", *skip_fallback)}})
            }
            Self::Auth { host } => json!({"config": {host: {"auth": credentials()}}}),
            Self::Tls {
                host,
                ca,
                has_identity,
                insecure,
            } => {
                let identity = || json!({"crt": base64(&IDENTITY.0), "key": base64(&IDENTITY.1)});
                let fields = with(json!({}), "ca", ca.as_ref().map(|pem| base64(pem)));
                let fields = with(fields, "clientIdentity", has_identity.then(identity));
                json!({"config": {host: {"tls": with(fields, "insecureSkipVerify", *insecure)}}})
            }
            Self::Host { .. } => json!({}),
        }
    }

    fn entry(&self) -> Option<Value> {
        match self {
            Self::Host { ip, aliases } => Some(json!({"ip": ip, "aliases": aliases})),
            _ => None,
        }
    }
}

/// The value of `machine.registries` that says the units.
pub(crate) fn registries(units: &[Unit]) -> Value {
    let mut value = json!({});
    for unit in units {
        merge(&mut value, unit.fields());
    }
    value
}

/// The list of `machine.network.extraHostEntries` that says the units.
pub(crate) fn entries(units: &[Unit]) -> Vec<Value> {
    units.iter().filter_map(Unit::entry).collect()
}

/// A v1alpha1 patch that says the units.
pub(crate) fn v1alpha1(units: &[Unit]) -> Value {
    let mut machine = json!({});
    let (registries, entries) = (registries(units), entries(units));
    if registries != json!({}) {
        merge(&mut machine, json!({"registries": registries}));
    }
    if !entries.is_empty() {
        merge(
            &mut machine,
            json!({"network": {"extraHostEntries": entries}}),
        );
    }
    json!({"machine": machine})
}

pub(crate) fn host(ip: &str, aliases: &[&str]) -> Unit {
    Unit::Host {
        ip: ip.into(),
        aliases: aliases.iter().map(|alias| (*alias).to_string()).collect(),
    }
}

pub(crate) fn tree(value: Value) -> Tree {
    value.into()
}

fn credentials() -> Value {
    json!({"username": "robot", "password": "not-a-secret"})
}

fn with(mut fields: Value, key: &str, value: Option<impl serde::Serialize>) -> Value {
    if let Some(value) = value {
        fields[key] = json!(value);
    }
    fields
}

pub(crate) fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}
