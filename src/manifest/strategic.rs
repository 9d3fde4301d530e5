//! What a patch list makes of a base, said as strategic patches.
//!
//! What hydrant owns is said as documents where those say all of it, else as fields.
//!
//! Source: the precedence in Talos' machinery, `config/container`.

use super::merge::graft;
use super::supplement::{Supplement, is_empty};
use crate::talos::{
    Auth, DocumentKind, Form, Mirror, OwnedParent, PatchIntent, Setting, Tls, holds_certificates,
};
use serde_json::{Value, json};
use std::net::IpAddr;

/// Strategic patches, each the tree of one string.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Patches {
    pub(super) trees: Vec<Value>,
    /// How what hydrant owns is said; `None` where nothing of it is said.
    pub(super) form: Option<Form>,
}

/// Says what is to be supplemented: first what is taken away, then what hydrant owns as documents where those say all of it
/// and `may_be_documents`, else as fields; everything else as fields, in a patch of its own.
///
/// An error is every owned place that Talos would refuse to load.
pub(super) fn patches(
    supplement: Supplement,
    may_be_documents: bool,
) -> Result<Patches, Vec<String>> {
    let mut tree = supplement.additions;
    let registries = cut(&mut tree, OwnedParent::Registries);
    let hosts = cut(&mut tree, OwnedParent::HostEntries);
    let intent =
        PatchIntent::from_v1alpha1(registries.as_ref(), hosts.as_ref()).map_err(|misfits| {
            misfits
                .into_iter()
                .map(|misfit| misfit.0)
                .collect::<Vec<_>>()
        })?;
    let documents = documents(&intent, registries.as_ref(), hosts.as_ref());
    let mut fields = Value::Null;
    for (parent, value) in [
        (OwnedParent::Registries, registries),
        (OwnedParent::HostEntries, hosts),
    ] {
        if let Some(value) = value {
            graft(&mut fields, parent.keys(), value);
        }
    }
    let (mut trees, form) = match documents.filter(|_| may_be_documents) {
        _ if fields.is_null() => (Vec::new(), None),
        Some(documents) => (documents, Some(Form::Documents)),
        None => (vec![fields], Some(Form::V1Alpha1)),
    };
    trees.extend(Some(tree).filter(|tree| !is_empty(tree)));
    let deletions = supplement.deletions;
    trees.splice(0..0, Some(deletions).filter(|tree| !is_empty(tree)));
    Ok(Patches { trees, form })
}

/// Takes the value at the parent out of the tree, with mappings that are left empty on the way. What
/// says nothing is not there: an empty list or mapping is no setting.
fn cut(tree: &mut Value, parent: OwnedParent) -> Option<Value> {
    fn take(tree: &mut Value, keys: &[&str]) -> Option<Value> {
        let (first, rest) = keys.split_first()?;
        let fields = tree.as_object_mut()?;
        let found = match rest {
            [] => fields.shift_remove(*first),
            _ => take(fields.get_mut(*first)?, rest),
        };
        if fields.get(*first).is_some_and(is_empty) {
            fields.shift_remove(*first);
        }
        found
    }
    let mut found = take(tree, parent.keys())?;
    if parent == OwnedParent::Registries
        && let Some(fields) = found.as_object_mut()
    {
        fields.retain(|key, value| !(["mirrors", "config"].contains(&&**key) && is_empty(value)));
    }
    Some(found).filter(|found| !is_empty(found))
}

/// The documents that say all that the fields say; `None` where some of it has no document that every
/// node is sure to take.
fn documents(
    intent: &PatchIntent,
    registries: Option<&Value>,
    hosts: Option<&Value>,
) -> Option<Vec<Value>> {
    let settings = intent.settings();
    if registries != said_as_fields(&settings).as_ref() {
        return None;
    }
    let is_plain = intent.mirrors.values().all(is_plain_mirror)
        && intent.tls.values().all(is_plain_tls)
        && intent.auth.values().all(is_plain_auth);
    if !is_plain {
        return None;
    }
    let settings = settings.into_iter().map(|setting| setting.document);
    let mut documents: Vec<Value> = settings.collect::<Option<_>>()?;
    documents.extend(host_documents(hosts)?);
    Some(documents)
}

/// The v1alpha1 reading of the settings, from `machine.registries` on.
fn said_as_fields(settings: &[Setting]) -> Option<Value> {
    let mut tree = Value::Null;
    for setting in settings {
        let below = &setting.keys()[setting.parent().keys().len()..];
        graft(&mut tree, below, setting.value.clone());
    }
    Some(tree).filter(|tree| !tree.is_null())
}

fn is_plain_mirror(mirror: &Mirror) -> bool {
    let is_plain = |url: &String| {
        let rest = url.strip_prefix("https://").or(url.strip_prefix("http://"));
        // Talos parses the URL; these are what no parser reads in two ways.
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/".contains(c);
        rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain))
    };
    !mirror.endpoints.is_empty() && mirror.endpoints.iter().all(is_plain)
}

/// A client identity stays in fields: a node checks the document's more strictly.
fn is_plain_tls(tls: &Tls) -> bool {
    let has_content = tls.ca.is_some() || tls.insecure_skip_verify.is_some();
    let ca = tls.ca.as_ref();
    let is_sound = ca.is_none_or(|ca| holds_certificates(ca.pem().expose()));
    tls.client_identity.is_none() && has_content && is_sound
}

/// One way to log in: Talos refuses a document with two.
fn is_plain_auth(auth: &Auth) -> bool {
    let said = |field: &Option<crate::secret::Secret<String>>| {
        field.as_ref().is_some_and(|text| !text.expose().is_empty())
    };
    let pair = auth.username.is_some() || auth.password.is_some();
    match (pair, &auth.auth, &auth.identity_token) {
        (true, None, None) => said(&auth.username) && said(&auth.password),
        (false, Some(_), None) => said(&auth.auth),
        (false, None, Some(_)) => said(&auth.identity_token),
        _ => false,
    }
}

/// A document for each address. Nodes that know them write one line for each address anyway, with its
/// names in their order.
fn host_documents(hosts: Option<&Value>) -> Option<Vec<Value>> {
    let mut grouped: Vec<(IpAddr, String, Vec<Value>)> = Vec::new();
    for entry in hosts.and_then(Value::as_array).into_iter().flatten() {
        let text = entry.get("ip")?.as_str()?;
        let ip: IpAddr = text.parse().ok()?;
        let names = entry.get("aliases")?.as_array()?;
        let is_named = |name: &Value| name.as_str().is_some_and(|name| !name.is_empty());
        if names.is_empty() || !names.iter().all(is_named) {
            return None;
        }
        match grouped.iter_mut().find(|(other, ..)| *other == ip) {
            Some((_, said, all)) if said == text => all.extend(names.iter().cloned()),
            Some(_) => return None,
            None => grouped.push((ip, text.to_string(), names.clone())),
        }
    }
    let document = |(_, ip, names): (IpAddr, String, Vec<Value>)| {
        let kind = DocumentKind::StaticHost.name();
        json!({"apiVersion": "v1alpha1", "kind": kind, "name": ip, "hostnames": names})
    };
    Some(grouped.into_iter().map(document).collect())
}

/// Do a new tree and one that is there speak about one place in other ways than by holding keys beside
/// each other? Then the order of their merges counts.
pub(super) fn overlap(new: &Value, old: &Value) -> bool {
    match (new, old) {
        (Value::Object(new), Value::Object(old)) => {
            let shared = new.iter().filter_map(|(key, value)| {
                let other = old.get(key)?;
                Some((value, other))
            });
            new.contains_key("$patch")
                || old.contains_key("$patch")
                || shared.into_iter().any(|(new, old)| overlap(new, old))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests;
