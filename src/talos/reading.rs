//! From v1alpha1 fields to the intent that they express, read as strictly as Talos loads them.

use super::{Auth, HostEntry, Mirror, PatchIntent, PemText, Tls, pointer_to};
use crate::secret::Secret;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// A place in the fields that Talos would refuse, or that this release of hydrant does not know: its
/// JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit(pub String);

impl PatchIntent {
    /// Reads `machine.registries` and `machine.network.extraHostEntries`; absent and `null` say nothing.
    ///
    /// Every name of a host entry becomes an entry of its own, in the order of the list. An error is
    /// every place with an unknown key, a value of another type, or a `ca` that is not base64.
    pub fn from_v1alpha1(
        registries: Option<&Value>,
        hosts: Option<&Value>,
    ) -> Result<Self, Vec<Misfit>> {
        let mut reader = Reader::default();
        let mut intent = Self::default();
        let registries = registries.filter(|value| !value.is_null());
        if let Some(value) = registries {
            reader.registries(value, &mut intent);
        }
        if let Some(value) = hosts.filter(|value| !value.is_null()) {
            reader.hosts(value, &mut intent);
        }
        if reader.misfits.is_empty() {
            Ok(intent)
        } else {
            Err(reader.misfits)
        }
    }
}

#[derive(Default)]
struct Reader {
    misfits: Vec<Misfit>,
}

impl Reader {
    fn refuse(&mut self, path: &[&str]) {
        self.misfits.push(Misfit(pointer_to(path.iter().copied())));
    }

    /// The mapping at `path`, whose keys must be among `known`; with `known` empty, any.
    fn fields<'v>(
        &mut self,
        value: &'v Value,
        path: &[&str],
        known: &[&str],
    ) -> Option<&'v Map<String, Value>> {
        let Some(fields) = value.as_object() else {
            self.refuse(path);
            return None;
        };
        for key in fields.keys() {
            if !known.is_empty() && !known.contains(&key.as_str()) {
                self.refuse(&[path, &[key]].concat());
            }
        }
        Some(fields)
    }

    fn registries(&mut self, value: &Value, intent: &mut PatchIntent) {
        let path = ["machine", "registries"];
        let Some(fields) = self.fields(value, &path, &["mirrors", "config"]) else {
            return;
        };
        let empty = Map::new();
        let mut entries = |key: &'static str| {
            let value = fields.get(key);
            let map = value.map(|value| self.fields(value, &["machine", "registries", key], &[]));
            map.flatten().unwrap_or(&empty)
        };
        let (mirrors, config) = (entries("mirrors"), entries("config"));
        for (name, value) in mirrors {
            let mirror = self.mirror(value, &["machine", "registries", "mirrors", name]);
            intent.mirrors.insert(name.clone(), mirror);
        }
        for (name, value) in config {
            let path = ["machine", "registries", "config", name];
            let Some(aspects) = self.fields(value, &path, &["tls", "auth"]) else {
                continue;
            };
            if let Some(value) = aspects.get("tls") {
                let tls = self.tls(value, &[&path[..], &["tls"]].concat());
                intent.tls.insert(name.clone(), tls);
            }
            if let Some(value) = aspects.get("auth") {
                let auth = self.auth(value, &[&path[..], &["auth"]].concat());
                intent.auth.insert(name.clone(), auth);
            }
        }
    }

    fn mirror(&mut self, value: &Value, path: &[&str]) -> Mirror {
        let known = ["endpoints", "overridePath", "skipFallback"];
        let Some(fields) = self.fields(value, path, &known) else {
            return Mirror::default();
        };
        Mirror {
            endpoints: self.texts(fields, "endpoints", path),
            override_path: self.flag(fields, "overridePath", path),
            skip_fallback: self.flag(fields, "skipFallback", path),
        }
    }

    fn tls(&mut self, value: &Value, path: &[&str]) -> Tls {
        let known = ["ca", "clientIdentity", "insecureSkipVerify"];
        let Some(fields) = self.fields(value, path, &known) else {
            return Tls::default();
        };
        let client_identity = fields.get("clientIdentity").and_then(|value| {
            let path = [path, &["clientIdentity"]].concat();
            let fields = self.fields(value, &path, &["crt", "key"])?;
            let (certificate, key) = (
                self.pem(fields, "crt", &path),
                self.pem(fields, "key", &path),
            );
            if certificate.is_none() || key.is_none() {
                self.refuse(&path);
            }
            certificate.zip(key)
        });
        Tls {
            ca: self.pem(fields, "ca", path),
            client_identity,
            insecure_skip_verify: self.flag(fields, "insecureSkipVerify", path),
        }
    }

    fn auth(&mut self, value: &Value, path: &[&str]) -> Auth {
        let known = ["username", "password", "auth", "identityToken"];
        let Some(fields) = self.fields(value, path, &known) else {
            return Auth::default();
        };
        let mut secret = |key| {
            let text = self.text(fields, key, path)?;
            Some(Secret::new(text.to_string()))
        };
        Auth {
            username: secret("username"),
            password: secret("password"),
            auth: secret("auth"),
            identity_token: secret("identityToken"),
        }
    }

    fn hosts(&mut self, value: &Value, intent: &mut PatchIntent) {
        let path = ["machine", "network", "extraHostEntries"];
        let Some(items) = value.as_array() else {
            return self.refuse(&path);
        };
        for (index, item) in items.iter().enumerate() {
            let index = index.to_string();
            let path = [&path[..], &[&index]].concat();
            let Some(fields) = self.fields(item, &path, &["ip", "aliases"]) else {
                continue;
            };
            let Some(ip) = self.text(fields, "ip", &path) else {
                self.refuse(&path);
                continue;
            };
            for alias in self.texts(fields, "aliases", &path) {
                let ip = Secret::new(ip.to_string());
                intent.hosts.push(HostEntry { alias, ip });
            }
        }
    }

    fn text<'v>(
        &mut self,
        fields: &'v Map<String, Value>,
        key: &str,
        path: &[&str],
    ) -> Option<&'v str> {
        let value = fields.get(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.refuse(&[path, &[key]].concat());
        }
        text
    }

    fn flag(&mut self, fields: &Map<String, Value>, key: &str, path: &[&str]) -> Option<bool> {
        let value = fields.get(key)?;
        let flag = value.as_bool();
        if flag.is_none() {
            self.refuse(&[path, &[key]].concat());
        }
        flag
    }

    fn texts(&mut self, fields: &Map<String, Value>, key: &str, path: &[&str]) -> Vec<String> {
        let Some(value) = fields.get(key) else {
            return Vec::new();
        };
        let items = value.as_array().map(|items| {
            let texts = items.iter().map(|item| item.as_str().map(str::to_string));
            texts.collect::<Option<Vec<_>>>()
        });
        items.flatten().unwrap_or_else(|| {
            self.refuse(&[path, &[key]].concat());
            Vec::new()
        })
    }

    /// Go's decoder skips line ends.
    fn pem(&mut self, fields: &Map<String, Value>, key: &str, path: &[&str]) -> Option<PemText> {
        let text = self.text(fields, key, path)?;
        let joined: String = text.split(['\n', '\r']).collect();
        let bytes = STANDARD.decode(joined).ok();
        let pem = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        if pem.is_none() {
            self.refuse(&[path, &[key]].concat());
        }
        pem.map(|pem| PemText::new(Secret::new(pem)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn misfits(registries: &Value, hosts: &Value) -> Vec<String> {
        let read = PatchIntent::from_v1alpha1(Some(registries), Some(hosts));
        let misfits = read.err().unwrap_or_default();
        misfits.into_iter().map(|Misfit(path)| path).collect()
    }

    #[test]
    fn what_a_setting_says_is_read_back_as_the_same_setting() {
        let registries = json!({
            "mirrors": {"ghcr.io": {"endpoints": ["https://m.example"], "overridePath": true}},
            "config": {"r.example:5000": {
                "tls": {
                    "ca": "UEVNCg==",
                    "clientIdentity": {"crt": "Q1JU", "key": "S0VZ"},
                    "insecureSkipVerify": false,
                },
                "auth": {"username": "u", "password": "p"},
            }},
        });
        let intent = PatchIntent::from_v1alpha1(Some(&registries), None).unwrap();

        let settings = intent.settings();
        let said: Vec<_> = settings.iter().map(|it| (it.path(), &it.value)).collect();
        let config = &registries["config"]["r.example:5000"];
        let at = "/machine/registries/config/r.example:5000";
        assert_eq!(
            said,
            [
                (
                    "/machine/registries/mirrors/ghcr.io".to_string(),
                    &registries["mirrors"]["ghcr.io"]
                ),
                (format!("{at}/tls"), &config["tls"]),
                (format!("{at}/auth"), &config["auth"]),
            ]
        );
    }

    #[test]
    fn unknown_keys_and_other_types_are_told_by_their_path() {
        let registries = json!({
            "mirrors": {"a/b": {"endpoint": []}},
            "config": {"r": {"tls": {"ca": "not base64!"}, "auth": {"username": 5}}, "s": null},
        });
        let hosts = json!([{"ip": "192.0.2.1", "names": []}, {"aliases": ["a"]}]);

        assert_eq!(
            misfits(&registries, &hosts),
            [
                "/machine/registries/mirrors/a~1b/endpoint",
                "/machine/registries/config/r/tls/ca",
                "/machine/registries/config/r/auth/username",
                "/machine/registries/config/s",
                "/machine/network/extraHostEntries/0/names",
                "/machine/network/extraHostEntries/1",
            ]
        );
    }

    #[test]
    fn every_name_is_an_entry_of_its_own() {
        let hosts = json!([{"ip": "192.0.2.1", "aliases": ["a", "b"]}, {"ip": "192.0.2.2"}]);
        let intent = PatchIntent::from_v1alpha1(None, Some(&hosts)).unwrap();

        let said: Vec<_> = intent
            .hosts
            .iter()
            .map(|it| (&*it.alias, &**it.ip.expose()))
            .collect();
        assert_eq!(said, [("a", "192.0.2.1"), ("b", "192.0.2.1")]);
    }
}
