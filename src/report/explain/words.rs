//! Values, places and reasons in words.

use super::{FormName, LayerName, Mirror, Statement, StoredSecret, Value};
use crate::settings::{Layer, Lost, Why};

/// A value in one line.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Flag(flag) => flag.to_string(),
        Value::Mirror(said) => mirror(said),
        Value::Empty => "{}, and so none".to_string(),
        Value::Secret(said) => secret(said),
        Value::ClientIdentity(said) => {
            format!("cert: {}, key: {}", secret(&said.cert), secret(&said.key))
        }
        Value::Given(by) => format!("as {by} gives it"),
        Value::SecretInCluster(said) => {
            let (namespace, name) = (&said.namespace, &said.name);
            format!(
                "key {} of the Secret {namespace}/{name}, read live",
                said.key
            )
        }
        Value::Service(said) => {
            let (namespace, name) = (&said.namespace, &said.name);
            format!("status of the Service {namespace}/{name}, read live")
        }
        Value::Dns(name) => format!("what DNS answers for {name}"),
    }
}

fn mirror(said: &Mirror) -> String {
    let endpoints = match &said.endpoints {
        Some(endpoints) if !endpoints.is_empty() => endpoints.join(", "),
        _ => "no endpoint".to_string(),
    };
    let flag = |name: &str, flag: Option<bool>| flag.map(|flag| format!("; {name}: {flag}"));
    let path = flag("overridePath", said.override_path).unwrap_or_default();
    let skip = flag("skipFallback", said.skip_fallback).unwrap_or_default();
    format!("{endpoints}{path}{skip}")
}

fn secret(said: &StoredSecret) -> String {
    let fingerprint = said.fingerprint.as_deref().unwrap_or("not in the store");
    format!("secret {} ({fingerprint})", said.name)
}

/// Who said it, and where.
pub(super) fn origin(said: &Statement) -> String {
    let layer = match said.layer {
        LayerName::CommandLine => return "command line".to_string(),
        LayerName::BuiltIn => return "built-in".to_string(),
        LayerName::Cluster => "cluster",
        LayerName::Platform => "platform",
    };
    let key = said.key.as_deref().unwrap_or_default();
    format!("{layer}, {} ({key})", place(said))
}

fn place(said: &Statement) -> String {
    let file = said.file.as_deref().unwrap_or_default();
    match said.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_string(),
    }
}

/// The name of a form.
pub(super) fn form(form: FormName) -> &'static str {
    match form {
        FormName::JsonPatch => "JSON patch",
        FormName::V1alpha1 => "v1alpha1 fields",
        FormName::Document => "document",
    }
}

/// Why a statement does not count.
pub(super) fn reason(lost: &Lost) -> String {
    let own = lost.statement.origin.layer;
    match &lost.why {
        Why::Outranked { by, layer } if *layer == own => {
            format!("`{by}` comes first in the same file")
        }
        Why::Outranked { layer, .. } => format!("{} says it too, and comes first", who(*layer)),
        Why::Replaced { by, origin } => {
            let at = origin.at.as_ref().map(|place| {
                let file = place.file.path().display();
                let line = place
                    .span
                    .as_ref()
                    .map(|span| place.file.position(span.start).line);
                line.map_or(format!(" ({file})"), |line| format!(" ({file}:{line})"))
            });
            let at = at.unwrap_or_default();
            format!("`{by}` of {}{at} counts as a whole", who(origin.layer))
        }
        Why::Repeats => "`registryTrust` says it; the two must name one secret".to_string(),
        Why::NoPlatformDefaults => "the cluster does not say `platformDefaults: true`".to_string(),
        Why::NoTrust => "the cluster does not say `registryTrust.enabled: true`".to_string(),
        Why::NoHostEntry => {
            "the registry is named by an address, so nodes need no host entry".to_string()
        }
    }
}

fn who(layer: Layer) -> &'static str {
    match layer {
        Layer::CommandLine => "the command line",
        Layer::Cluster => "the cluster",
        Layer::Platform => "the platform",
        Layer::BuiltIn => "hydrant itself",
    }
}
