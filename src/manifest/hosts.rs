//! Host entries: a name resolves to one address, said once.
//!
//! Talos concatenates the lists of all patches and documents, without removing duplicates, so the name
//! may stand in one of them only. An entry that already says the right thing stays as it is: moving it
//! would replace machines for nothing.

use super::compose::Composition;
use super::embedded::Content;
use super::merge::graft;
use super::operations::wrong_shape;
use super::settings::descend;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{DocumentKind, Form, HostEntry, OwnedParent};
use crate::yaml::{Change, Node, NodeKind, Reading, Route};
use serde_json::{Value, json};
use std::net::IpAddr;

/// Where a host entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// The JSON patch on `extraHostEntries`.
    Operation,
    /// `machine.network.extraHostEntries` of a part.
    Fields(usize),
    /// A `StaticHostConfig`.
    Document(usize),
}

impl List {
    fn form(self) -> Form {
        match self {
            Self::Operation => Form::JsonPatch,
            Self::Fields(_) => Form::V1Alpha1,
            Self::Document(_) => Form::Documents,
        }
    }
}

/// One entry: an address and its names.
struct Entry<'c> {
    list: List,
    /// Its index in the list; 0 for a document.
    index: usize,
    ip: Node<'c>,
    names: Vec<Node<'c>>,
}

impl Entry<'_> {
    fn says(&self, name: &str) -> bool {
        self.names.iter().any(|node| is_name(*node, name))
    }

    fn is_at(&self, ip: &str) -> bool {
        let there = self.ip.text().unwrap_or_default();
        let parsed: (Result<IpAddr, _>, Result<IpAddr, _>) = (there.parse(), ip.parse());
        there == ip || matches!(parsed, (Ok(there), Ok(wanted)) if there == wanted)
    }

    /// Where the name stands among its names.
    fn positions(&self, name: &str) -> Vec<usize> {
        let named = self
            .names
            .iter()
            .enumerate()
            .filter(|(_, node)| is_name(**node, name));
        named.map(|(index, _)| index).collect()
    }

    fn is_exclusive(&self, name: &str) -> bool {
        self.names.iter().all(|node| is_name(*node, name))
    }
}

/// Host names are compared without regard to case, as resolvers do.
fn is_name(node: Node<'_>, name: &str) -> bool {
    node.text()
        .is_some_and(|text| text.eq_ignore_ascii_case(name))
}

impl<'c> Composition<'c, '_> {
    /// Makes the name resolve to the address, and to it only.
    pub(super) fn place_host(&mut self, host: &HostEntry) {
        let entries = self.entries();
        self.check_other_names(&entries, &host.alias);
        let ours: Vec<&Entry<'c>> = entries
            .iter()
            .filter(|entry| entry.says(&host.alias))
            .collect();
        match &ours[..] {
            [] => self.new_entry(host),
            [only] if only.is_at(host.ip.expose()) && only.positions(&host.alias).len() == 1 => {
                self.record_host(only.list.form());
            }
            [first, rest @ ..] if rest.iter().all(|entry| entry.list == first.list) => {
                self.record_host(first.list.form());
                match first.list {
                    List::Document(part) => self.move_document(part, first, &entries, host),
                    list => self.merge_list(list, &entries, host),
                }
            }
            several => self.refuse_scattered(host, several),
        }
    }

    fn entries(&mut self) -> Vec<Entry<'c>> {
        let parent = OwnedParent::HostEntries;
        let mut lists: Vec<(List, Node<'c>)> = Vec::new();
        let operation = self
            .owned
            .get(&parent)
            .and_then(|operation| operation.value);
        lists.extend(operation.map(|node| (List::Operation, node)));
        let mut entries = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            if self.applies(part, parent) {
                let list = descend(part.root, parent.keys());
                lists.extend(list.map(|node| (List::Fields(index), node)));
            }
            if let Content::Owned(DocumentKind::StaticHost, _) = &part.content {
                let names = part.root.get("hostnames");
                let names = names
                    .map(|names| names.items().collect())
                    .unwrap_or_default();
                let ip = part.root.get("name").unwrap_or(part.root);
                entries.push(Entry {
                    list: List::Document(index),
                    index: 0,
                    ip,
                    names,
                });
            }
        }
        for (list, node) in lists.into_iter().filter(|(_, node)| !node.is_null()) {
            if node.kind() != NodeKind::Sequence {
                self.refuse_entry(list, node);
                continue;
            }
            for (index, item) in node.items().enumerate() {
                match entry(list, index, item) {
                    Some(entry) => entries.push(entry),
                    None => self.refuse_entry(list, item),
                }
            }
        }
        entries
    }

    fn record_host(&mut self, form: Form) {
        self.placed.push((OwnedParent::HostEntries.path(), form));
    }

    fn new_entry(&mut self, host: &HostEntry) {
        let parent = OwnedParent::HostEntries;
        let has_operation = self.delivery.json_patches && self.owned.contains_key(&parent);
        let form = match self.delivery.preferred {
            Form::V1Alpha1 if has_operation => Form::JsonPatch,
            form => form,
        };
        self.record_host(form);
        match form {
            Form::Documents => self.sinks.documents.push(host.document()),
            Form::V1Alpha1 => match self.home(parent) {
                Some(part) => {
                    let to = route(parent.keys());
                    let append = Change::Append {
                        to,
                        value: host.entry(),
                    };
                    self.sinks.part_lists.entry(part).or_default().push(append);
                }
                None => {
                    graft(
                        &mut self.sinks.v1alpha1,
                        parent.keys(),
                        json!([host.entry()]),
                    );
                }
            },
            Form::JsonPatch => self.append_to_operation(host),
        }
    }

    fn append_to_operation(&mut self, host: &HostEntry) {
        let parent = OwnedParent::HostEntries;
        match self
            .owned
            .get(&parent)
            .map(|operation| (operation.index, operation.value))
        {
            Some((index, Some(value))) if value.kind() == NodeKind::Sequence || value.is_null() => {
                let to = self.operation_route(index);
                self.sinks.json_lists.push(Change::Append {
                    to,
                    value: host.entry(),
                });
            }
            // A value of another kind has its finding already.
            Some((_, Some(_))) => {}
            _ => {
                self.check_base_is_kept(parent);
                self.sinks.json.insert(parent, json!([host.entry()]));
            }
        }
    }

    /// The name in one list: out of every other entry, entries left without a name go, and one entry
    /// says it at the end.
    fn merge_list(&mut self, list: List, entries: &[Entry<'c>], host: &HostEntry) {
        let at = match list {
            List::Fields(_) | List::Document(_) => route(OwnedParent::HostEntries.keys()),
            List::Operation => self.operation_route(self.owned[&OwnedParent::HostEntries].index),
        };
        let all: Vec<_> = entries.iter().filter(|entry| entry.list == list).collect();
        let mut changes = Vec::new();
        let tail = all.last().filter(|entry| {
            entry.says(&host.alias)
                && entry.is_exclusive(&host.alias)
                && entry.positions(&host.alias).len() == 1
        });
        match tail {
            Some(entry) if entry.is_at(host.ip.expose()) => {}
            Some(entry) => changes.push(Change::Set {
                at: at.index(entry.index).key("ip"),
                value: Value::String(host.ip.expose().clone()),
            }),
            None => changes.push(Change::Append {
                to: at.clone(),
                value: host.entry(),
            }),
        }
        let kept = tail.map(|entry| entry.index);
        let others = all.iter().rev().filter(|entry| Some(entry.index) != kept);
        for entry in others.filter(|entry| entry.says(&host.alias)) {
            let at = at.index(entry.index);
            if entry.is_exclusive(&host.alias) {
                changes.push(Change::Remove { at });
                continue;
            }
            let positions = entry.positions(&host.alias).into_iter().rev();
            changes.extend(positions.map(|name| Change::Remove {
                at: at.key("aliases").index(name),
            }));
        }
        match list {
            List::Fields(part) | List::Document(part) => {
                self.sinks
                    .part_lists
                    .entry(part)
                    .or_default()
                    .append(&mut changes);
            }
            List::Operation => self.sinks.json_lists.append(&mut changes),
        }
    }

    /// The name in one document: the document is renamed where the name is all that it has, else the
    /// name leaves it for a document of its own.
    fn move_document(
        &mut self,
        part: usize,
        entry: &Entry<'c>,
        entries: &[Entry<'c>],
        host: &HostEntry,
    ) {
        let string = self.parts[part].embedded;
        let is_taken = entries.iter().any(|other| match other.list {
            List::Document(index) => {
                index != part
                    && self.parts[index].embedded == string
                    && other.is_at(host.ip.expose())
            }
            _ => false,
        });
        let positions = entry.positions(&host.alias);
        let mut changes = Vec::new();
        // A name that stands there twice is left once.
        let surplus = usize::from(entry.is_exclusive(&host.alias) || entry.is_at(host.ip.expose()));
        for name in positions.iter().skip(surplus).rev() {
            changes.push(Change::Remove {
                at: Route::root().key("hostnames").index(*name),
            });
        }
        if entry.is_exclusive(&host.alias) && is_taken {
            return self.refuse_scattered(host, &[entry]);
        }
        if entry.is_exclusive(&host.alias) && !entry.is_at(host.ip.expose()) {
            let value = Value::String(host.ip.expose().clone());
            changes.push(Change::Set {
                at: Route::root().key("name"),
                value,
            });
        } else if !entry.is_at(host.ip.expose()) {
            self.sinks.documents.push(host.document());
        }
        self.sinks
            .part_lists
            .entry(part)
            .or_default()
            .append(&mut changes);
    }

    /// Another name on two addresses of one family resolves differently by Talos version.
    fn check_other_names(&mut self, entries: &[Entry<'c>], ours: &str) {
        let mut seen: Vec<(&str, IpAddr, Place)> = Vec::new();
        for entry in entries {
            let Ok(ip) = entry.ip.text().unwrap_or_default().parse::<IpAddr>() else {
                continue;
            };
            for node in &entry.names {
                let Some(name) = node.text().filter(|name| !name.eq_ignore_ascii_case(ours)) else {
                    continue;
                };
                let place = self.place_of_entry(entry.list, *node);
                let other = seen.iter().find(|(seen, at, _)| {
                    seen.eq_ignore_ascii_case(name) && *at != ip && at.is_ipv4() == ip.is_ipv4()
                });
                if let Some((_, _, first)) = other {
                    let first = first.clone().labelled("it is on another address here");
                    self.findings.push(
                        Diagnostic::new(
                            Code::ConflictingAlias,
                            format!("the name {name} is on two addresses"),
                            "keep it on one of them",
                        )
                        .at(place.clone())
                        .at(first),
                    );
                }
                seen.push((name, ip, place));
            }
        }
    }

    fn refuse_scattered(&mut self, host: &HostEntry, entries: &[&Entry<'c>]) {
        let mut finding = Diagnostic::new(
            Code::ConflictingAlias,
            format!(
                "the name {} stands in lists that Talos concatenates",
                host.alias
            ),
            "keep it in one of these places, or in none: hydrant then writes it",
        );
        for entry in entries.iter().rev() {
            finding = finding.at(self.place_of_entry(entry.list, entry.ip));
        }
        self.findings.push(finding);
    }

    fn refuse_entry(&mut self, list: List, node: Node<'c>) {
        let message = "a host entry is a mapping of `ip` and a list of `aliases`";
        let mut finding = wrong_shape(self.file, node, message);
        finding.places = vec![self.place_of_entry(list, node)];
        self.findings.push(finding);
    }

    fn place_of_entry(&self, list: List, node: Node<'c>) -> Place {
        match list {
            List::Operation => Place::new(self.file, node.span()),
            List::Fields(part) | List::Document(part) => self.inner_place(&self.parts[part], node),
        }
    }

    fn operation_route(&self, index: usize) -> Route {
        self.target
            .route
            .key("configPatches")
            .index(index)
            .key("value")
    }
}

fn entry(list: List, index: usize, item: Node<'_>) -> Option<Entry<'_>> {
    let ip = item
        .get("ip")
        .filter(|ip| ip.string(Reading::Talos).is_some())?;
    let names = match item.get("aliases") {
        Some(names) if names.kind() == NodeKind::Sequence => names.items().collect(),
        Some(names) if !names.is_null() => return None,
        _ => Vec::new(),
    };
    Some(Entry {
        list,
        index,
        ip,
        names,
    })
}

fn route(keys: &[&str]) -> Route {
    keys.iter()
        .fold(Route::root(), |route, key| route.key(*key))
}
