//! Manifests with a list of JSON patches, drawn at random: nothing in them is ambiguous, so that hydrant
//! must accept every one.

use crate::model::{ADDRESS, CA_BASE64, HOST};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One item of `configPatches`.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub(crate) op: &'static str,
    pub(crate) path: String,
    pub(crate) value: Value,
}

impl Patch {
    pub(crate) fn is_owned(&self) -> bool {
        self.path == "/machine/registries" || self.path == "/machine/network/extraHostEntries"
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({"op": self.op, "path": self.path, "value": self.value})
    }
}

/// How a patch is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    Block,
    Flow,
    FlowInBlock,
}

/// A manifest of one target, between other documents.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) patches: Vec<(Patch, Style)>,
    pub(crate) is_crlf: bool,
    wants_cut_off: bool,
}

pub(crate) const BEFORE: &str = "# one\nkind: Other\nmode: 0644\n---\n";
const AFTER: &str = "---\nkind: Other # two\nat: *nobody\n";

impl Case {
    pub(crate) fn text(&self) -> String {
        let head = "apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\nkind: TalosConfigTemplate\n\
                    metadata: {name: workers}\nspec:\n  template:\n    spec:\n      generateType: worker\n      \
                    talosVersion: v1.11\n";
        let mut text = format!("{BEFORE}{head}");
        if !self.patches.is_empty() {
            text.push_str("      configPatches:\n");
        }
        for (number, (patch, style)) in self.patches.iter().enumerate() {
            text.push_str(&written(patch, *style, number));
        }
        if self.is_cut_off() {
            text.pop();
        } else {
            text.push_str(&AFTER.replace("*nobody", "nobody"));
        }
        self.with_line_ends(&text)
    }

    /// Does the text lack its last line end? Not after a literal block, of which it is a part.
    pub(crate) fn is_cut_off(&self) -> bool {
        let last = self.patches.last();
        let is_literal = last
            .is_some_and(|(patch, style)| patch.value.is_string() && matches!(style, Style::Block));
        self.wants_cut_off && !is_literal
    }

    pub(crate) fn with_line_ends(&self, text: &str) -> String {
        if self.is_crlf {
            text.replace('\n', "\r\n")
        } else {
            text.to_string()
        }
    }
}

/// A patch as a list item below a comment of its own.
pub(crate) fn written(patch: &Patch, style: Style, number: usize) -> String {
    let comment = format!("        # patch {number}\n");
    match style {
        Style::Flow => format!("{comment}        - {}\n", patch.as_json()),
        Style::FlowInBlock => {
            let Patch { op, path, value } = patch;
            format!(
                "{comment}        - op: {op}\n          path: {path}\n          value: {value}\n"
            )
        }
        Style::Block => {
            let block = serde_yaml::to_string(&[patch.as_json()]).expect("it is YAML");
            let lines = block.lines().map(|line| format!("        {line}\n"));
            lines.fold(comment, |text, line| text + &line)
        }
    }
}

fn host_config() -> impl Strategy<Value = Value> {
    let tls = prop_oneof![
        Just(None),
        Just(Some(json!({}))),
        Just(Some(json!({"ca": "b2xk"}))),
        Just(Some(json!({"ca": CA_BASE64}))),
        Just(Some(
            json!({"clientIdentity": {"crt": "Y3J0", "key": "a2V5"}})
        )),
        Just(Some(json!({"insecureSkipVerify": false, "ca": "b2xk"}))),
    ];
    let auth = prop_oneof![
        Just(None),
        Just(Some(
            json!({"username": "puller", "password": "pass: word"})
        ))
    ];
    (tls, auth).prop_map(|(tls, auth)| {
        let said = [("tls", tls), ("auth", auth)];
        let said = said
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_string(), value?)));
        Value::Object(said.collect())
    })
}

fn registries() -> impl Strategy<Value = Value> {
    let hosts = prop::sample::subsequence(vec![HOST, "other.example", "third.example:5000"], 0..=3);
    let config = hosts.prop_flat_map(|hosts| {
        let configs = prop::collection::vec(host_config(), hosts.len());
        configs.prop_map(move |configs| -> Value {
            hosts.iter().map(ToString::to_string).zip(configs).collect()
        })
    });
    let mirrors = prop_oneof![
        Just(json!({})),
        Just(json!({"ghcr.io": {"endpoints": ["https://mirror.example"], "skipFallback": true}})),
    ];
    let optional = |it| prop::option::of(it);
    (prop::option::of(config), optional(mirrors)).prop_map(|(config, mirrors)| {
        let said = [("mirrors", mirrors), ("config", config)];
        let said = said
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_string(), value?)));
        Value::Object(said.collect())
    })
}

/// Entries in which every name but ours stands once.
fn host_entries() -> impl Strategy<Value = Value> {
    let address = prop_oneof![Just(ADDRESS), Just("192.0.2.77"), Just("2001:db8::77")];
    let entry = (address, prop::collection::vec(any::<bool>(), 0..3));
    prop::collection::vec(entry, 0..4).prop_map(|entries| {
        let entry = |(number, (ip, ours)): (usize, &(&str, Vec<bool>))| {
            let name = |(at, is_ours): (usize, &bool)| match is_ours {
                true => HOST.to_string(),
                false => format!("n{number}-{at}.example"),
            };
            json!({"ip": ip, "aliases": ours.iter().enumerate().map(name).collect::<Vec<_>>()})
        };
        entries.iter().enumerate().map(entry).collect()
    })
}

fn owned_op() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("add"), Just("replace")]
}

fn unrelated() -> impl Strategy<Value = Patch> {
    let paths = [
        "/cluster/a",
        "/machine/sysctls/b",
        "/machine/network/hostname",
        "/cluster/c~1d",
        "/machine/registry",
    ];
    let value = prop_oneof![
        Just(json!("yes")),
        Just(json!({"x": [1, "2", null]})),
        Just(json!("two\nlines\n")),
        Just(json!({})),
    ];
    (prop::sample::select(paths.to_vec()), value).prop_map(|(path, value)| Patch {
        op: "add",
        path: path.to_string(),
        value,
    })
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    let registries = (owned_op(), registries()).prop_map(|(op, value)| Patch {
        op,
        path: "/machine/registries".into(),
        value,
    });
    let hosts = (owned_op(), host_entries()).prop_map(|(op, value)| Patch {
        op,
        path: "/machine/network/extraHostEntries".into(),
        value,
    });
    let style = prop_oneof![
        Just(Style::Block),
        Just(Style::Flow),
        Just(Style::FlowInBlock)
    ];
    let unrelated = prop::collection::vec(unrelated(), 0..4);
    (
        prop::option::of(registries),
        prop::option::of(hosts),
        unrelated,
    )
        .prop_map(|(registries, hosts, unrelated)| {
            registries
                .into_iter()
                .chain(hosts)
                .chain(unrelated)
                .collect::<Vec<_>>()
        })
        .prop_shuffle()
        .prop_flat_map(move |patches| {
            let styles = prop::collection::vec(style.clone(), patches.len());
            (Just(patches), styles, any::<bool>(), any::<bool>())
        })
        .prop_map(|(patches, styles, is_crlf, wants_cut_off)| Case {
            patches: patches.into_iter().zip(styles).collect(),
            is_crlf,
            wants_cut_off,
        })
}
