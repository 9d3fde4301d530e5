//! A spec with what is expected of it, and the manifest that a person would have written for it.

use super::chance::Chance;
use super::hand::{self, Hand, Quoting, Tree};
use super::trust::Wanted;
use super::units::tree;
use serde_json::json;

/// A manifest, the platform that it is for, and what hydrant must do with it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The provider release that the platform names.
    pub(crate) provider: Option<&'static str>,
    pub(crate) wanted: Wanted,
    pub(crate) objects: Vec<Object>,
    pub(crate) label: Label,
    /// All that is wanted is there: not a byte may change.
    pub(crate) is_settled: bool,
    pub(crate) hand: Hand,
    pub(crate) is_crlf: bool,
    /// The file's last line has no line ending.
    pub(crate) lacks_end: bool,
    /// From what the hand's moods are drawn.
    pub(crate) mood: u64,
}

/// What hydrant must say to a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// Nothing is ambiguous: it must be hydrated.
    Plain,
    /// It must be refused, with this code among the findings.
    Refused(&'static str),
    /// It may be refused; where it is not, the machine must be right.
    Either,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ControlPlane,
    Template,
    Config,
}

/// One Cluster API object with its spec; a control plane may have a second one, `init`.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) specs: Vec<Spec>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Spec {
    pub(crate) generate_type: &'static str,
    pub(crate) talos: Option<&'static str>,
    pub(crate) has_hostname: bool,
    pub(crate) data: Option<Patch>,
    pub(crate) ops: Vec<Op>,
    pub(crate) strings: Vec<Patch>,
    /// An item of `strategicPatches` that is a mapping and not a string.
    pub(crate) bare: Option<Tree>,
    /// How a list without items is written: not at all, `null`, or `[]`.
    pub(crate) blank_list: Option<Tree>,
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "RFC 6902 names them so")]
pub(crate) struct Op {
    pub(crate) op: &'static str,
    pub(crate) path: String,
    pub(crate) value: Option<Tree>,
}

/// A Talos config inside a string: documents and how the string is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Patch {
    pub(crate) documents: Vec<Tree>,
    pub(crate) quoting: Quoting,
    /// Instead of the documents, for what no tree gives: comments alone, an empty last document.
    pub(crate) verbatim: Option<String>,
}

impl Patch {
    pub(crate) fn new(documents: Vec<Tree>, quoting: Quoting) -> Self {
        Self {
            documents,
            quoting,
            verbatim: None,
        }
    }

    pub(crate) fn verbatim(text: &str) -> Self {
        Self {
            documents: Vec::new(),
            quoting: Quoting::Literal,
            verbatim: Some(text.into()),
        }
    }

    /// The string; one that is not literal has one line for each document.
    fn text(&self, chance: &mut Chance) -> Tree {
        let hand = match self.quoting {
            Quoting::Literal | Quoting::Double => Hand::draw(chance),
            Quoting::Folded | Quoting::Single => Hand {
                flow: 100,
                ..Hand::default()
            },
        };
        if let Some(text) = &self.verbatim {
            return Tree::Text(text.clone(), self.quoting);
        }
        let one_line = matches!(self.quoting, Quoting::Folded | Quoting::Single);
        let mut texts = Vec::new();
        for document in &self.documents {
            texts.push(if one_line {
                hand::flow(document)
            } else {
                hand::write(document, hand, chance)
            });
        }
        let mut text = texts.join("---\n");
        if self.quoting == Quoting::Literal && self.documents.len() > 1 && chance.percent(20) {
            text.insert_str(0, "---\n");
        }
        if !one_line && chance.percent(15) {
            text.truncate(text.trim_end_matches('\n').len());
        }
        Tree::Text(text, self.quoting)
    }
}

impl Case {
    /// The manifest's text.
    pub(crate) fn manifest(&self) -> String {
        let mut chance = Chance::new(self.mood, 0);
        let mut documents = vec![bystander()];
        for (index, object) in self.objects.iter().enumerate() {
            documents.push(object.tree(index, &mut chance));
        }
        let mut text = String::new();
        for (index, document) in documents.iter().enumerate() {
            if index > 0 || chance.percent(50) {
                text.push_str("---\n");
            }
            text.push_str(&hand::write(document, self.hand, &mut chance));
        }
        if self.lacks_end {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if self.is_crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    }
}

fn bystander() -> Tree {
    tree(json!({
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": "edge", "labels": {"fleet": "internal"}},
        "spec": {"clusterNetwork": {"pods": {"cidrBlocks": ["10.35.0.0/16"]}}},
    }))
}

impl Object {
    fn tree(&self, index: usize, chance: &mut Chance) -> Tree {
        let (group, kind) = match self.kind {
            Kind::ControlPlane => (
                "controlplane.cluster.x-k8s.io/v1alpha3",
                "TalosControlPlane",
            ),
            Kind::Template => ("bootstrap.cluster.x-k8s.io/v1alpha3", "TalosConfigTemplate"),
            Kind::Config => ("bootstrap.cluster.x-k8s.io/v1alpha3", "TalosConfig"),
        };
        let mut specs = self.specs.iter().map(|spec| spec.tree(chance));
        let first = specs.next().expect("an object has a spec");
        let spec = match self.kind {
            Kind::Config => first,
            Kind::Template => map([("template", map([("spec", first)]))]),
            Kind::ControlPlane => {
                let init = specs.next().map(|init| ("init", init));
                let config = init.into_iter().chain([("controlplane", first)]);
                map([
                    ("replicas", Tree::Plain(json!(3))),
                    ("version", Tree::Plain(json!("v1.34.1"))),
                    ("controlPlaneConfig", map(config)),
                ])
            }
        };
        map([
            ("apiVersion", Tree::Plain(json!(group))),
            ("kind", Tree::Plain(json!(kind))),
            (
                "metadata",
                tree(json!({"name": format!("edge-{index}"), "namespace": "edge"})),
            ),
            ("spec", spec),
        ])
    }
}

impl Spec {
    fn tree(&self, chance: &mut Chance) -> Tree {
        let mut head = vec![("generateType", Tree::Plain(json!(self.generate_type)))];
        head.extend(
            self.talos
                .map(|talos| ("talosVersion", Tree::Plain(json!(talos)))),
        );
        if self.has_hostname {
            head.push(("hostname", tree(json!({"source": "MachineName"}))));
        }
        if chance.percent(15) {
            head.reverse();
        }
        head.extend(self.data.as_ref().map(|data| ("data", data.text(chance))));
        let ops = self.ops.iter().map(Op::tree).collect();
        let strings = self.strings.iter().map(|string| string.text(chance));
        let strings = strings.chain(self.bare.clone()).collect();
        let mut lists = [("configPatches", ops), ("strategicPatches", strings)];
        if chance.percent(30) {
            lists.reverse();
        }
        for (key, items) in lists {
            let items: Vec<Tree> = items;
            let list = if items.is_empty() {
                self.blank_list.clone()
            } else {
                Some(Tree::List(items))
            };
            head.extend(list.map(|list| (key, list)));
        }
        map(head)
    }
}

impl Op {
    pub(crate) fn add(path: &str, value: impl Into<Tree>) -> Self {
        Self {
            op: "add",
            path: path.into(),
            value: Some(value.into()),
        }
    }

    fn tree(&self) -> Tree {
        let mut fields = vec![
            ("op", Tree::Plain(json!(self.op))),
            ("path", Tree::Plain(json!(self.path))),
        ];
        fields.extend(self.value.clone().map(|value| ("value", value)));
        map(fields)
    }
}

pub(crate) fn map<'k>(entries: impl IntoIterator<Item = (&'k str, Tree)>) -> Tree {
    Tree::Map(
        entries
            .into_iter()
            .map(|(key, value)| (key.to_string(), value))
            .collect(),
    )
}
