//! What a machine would make of a hydrated target, read without any of hydrant's code.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What the patches of a target say, whatever their form.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Machine {
    /// By registry: endpoints, each with whether its path is taken as it is, and `skipFallback`.
    pub(crate) mirrors: BTreeMap<String, (Vec<(String, bool)>, bool)>,
    /// By endpoint: CA, certificate and key in PEM, and `insecureSkipVerify`.
    pub(crate) tls: BTreeMap<String, [String; 4]>,
    /// By endpoint: user name, password, auth and identity token.
    pub(crate) auth: BTreeMap<String, [String; 4]>,
    /// By name: its address.
    pub(crate) hosts: BTreeMap<String, String>,
    pub(crate) image: String,
}

impl Machine {
    /// Reads the first target of a manifest.
    pub(crate) fn of(manifest: &str) -> Self {
        let document = serde_yaml::Deserializer::from_str(manifest).next().unwrap();
        let document = Value::deserialize(document).unwrap();
        let spec = &document["spec"]["controlPlaneConfig"]["controlplane"];
        let mut machine = Self::default();
        for patch in items(&spec["configPatches"]) {
            let value = patch["value"].clone();
            let keys = text(&patch["path"]);
            let nested = keys.rsplit('/').filter(|key| !key.is_empty());
            let tree = nested.fold(value, |tree, key| serde_json::json!({ key: tree }));
            machine.read_fields(&tree["machine"]);
        }
        for patch in items(&spec["strategicPatches"]) {
            for document in serde_yaml::Deserializer::from_str(&text(patch)) {
                let document = Value::deserialize(document).unwrap();
                match document["kind"].as_str() {
                    None => machine.read_fields(&document["machine"]),
                    Some(kind) => machine.read_document(kind, &document),
                }
            }
        }
        machine
    }

    fn read_fields(&mut self, machine: &Value) {
        let registries = &machine["registries"];
        for (name, mirror) in entries(&registries["mirrors"]) {
            let is_whole = mirror["overridePath"] == true;
            let endpoints = items(&mirror["endpoints"]).map(|url| (text(url), is_whole));
            let mirror = (endpoints.collect(), mirror["skipFallback"] == true);
            self.mirrors.insert(name, mirror);
        }
        for (name, config) in entries(&registries["config"]) {
            let tls = &config["tls"];
            if !tls.is_null() {
                let pem = |value: &Value| String::from_utf8(STANDARD.decode(text(value)).unwrap());
                let identity = &tls["clientIdentity"];
                let [ca, cert, key] =
                    [&tls["ca"], &identity["crt"], &identity["key"]].map(|it| pem(it).unwrap());
                let skip = tls["insecureSkipVerify"].to_string();
                self.tls.insert(name.clone(), [ca, cert, key, skip]);
            }
            if !config["auth"].is_null() {
                self.auth.insert(name, credentials(&config["auth"]));
            }
        }
        for entry in items(&machine["network"]["extraHostEntries"]) {
            let names = items(&entry["aliases"]).map(|name| (text(name), text(&entry["ip"])));
            self.hosts.extend(names);
        }
        if let Some(image) = machine["install"]["image"].as_str() {
            self.image = image.to_string();
        }
    }

    fn read_document(&mut self, kind: &str, document: &Value) {
        let name = text(&document["name"]);
        match kind {
            "RegistryMirrorConfig" => {
                let endpoints = items(&document["endpoints"])
                    .map(|it| (text(&it["url"]), it["overridePath"] == true));
                let mirror = (endpoints.collect(), document["skipFallback"] == true);
                self.mirrors.insert(name, mirror);
            }
            "RegistryTLSConfig" => {
                let identity = &document["clientIdentity"];
                let skip = document["insecureSkipVerify"].to_string();
                let pem = [&document["ca"], &identity["cert"], &identity["key"]].map(text);
                let [ca, cert, key] = pem;
                self.tls.insert(name, [ca, cert, key, skip]);
            }
            "RegistryAuthConfig" => {
                self.auth.insert(name, credentials(document));
            }
            "StaticHostConfig" => {
                let names = items(&document["hostnames"]).map(|host| (text(host), name.clone()));
                self.hosts.extend(names);
            }
            other => panic!("{other} was not asked for"),
        }
    }
}

fn credentials(said: &Value) -> [String; 4] {
    ["username", "password", "auth", "identityToken"].map(|key| text(&said[key]))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> Vec<(String, &Value)> {
    let fields = value.as_object().into_iter().flatten();
    fields.map(|(name, value)| (name.clone(), value)).collect()
}
