//! Where a registry setting, or the installer image, goes: into the place that already says it, or into
//! a new one of the target's form.

use super::compose::Composition;
use super::embedded::{Content, Part};
use super::merge::{self, graft};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{Aspect, DocumentKind, Form, OwnedParent, Setting};
use crate::yaml::{Node, NodeKind, Reading};
use serde_json::Value;

/// A place that speaks about a setting.
#[derive(Clone)]
struct Spot<'c> {
    carrier: Carrier,
    /// The node at the setting: the mapping of its fields, or the image's string.
    node: Node<'c>,
}

#[derive(Clone, Copy)]
enum Carrier {
    /// The JSON patch on an owned parent.
    Operation(OwnedParent),
    /// The v1alpha1 part of an embedded string.
    Fields(usize),
    /// A document of its own.
    Document(usize),
}

impl Spot<'_> {
    fn form(&self) -> Form {
        match self.carrier {
            Carrier::Operation(_) => Form::JsonPatch,
            Carrier::Fields(_) => Form::V1Alpha1,
            Carrier::Document(_) => Form::Documents,
        }
    }
}

impl<'c> Composition<'c, '_> {
    /// Finds the one place for the setting, or says why there is none.
    pub(super) fn place(&mut self, setting: &Setting) {
        let spots = self.spots(setting);
        if setting.aspect == Aspect::Tls {
            self.check_verification(setting, &spots);
        }
        if setting.aspect != Aspect::InstallImage {
            self.check_neighbours(setting);
        }
        let speakers: Vec<_> = spots
            .iter()
            .filter(|spot| speaks(spot, setting))
            .cloned()
            .collect();
        match (&speakers[..], spots.last()) {
            ([], None) => self.place_new(setting, false),
            ([], Some(last)) if self.is_editable(last) => self.merge_into(last, setting),
            ([], Some(last)) => match last.carrier {
                // Only a document of the same name adds to a document: it wins over fields.
                Carrier::Document(_) => self.place_document(setting),
                _ => self.place_new(setting, true),
            },
            ([only], _) => self.merge_into(only, setting),
            (several, _) => {
                let is_list = setting.aspect == Aspect::Mirror;
                if is_list || !several.iter().all(|spot| already_says(spot, setting)) {
                    self.refuse_said_twice(setting, several);
                } else if let Some(spot) = several.first() {
                    self.placed.push((setting.path(), spot.form()));
                }
            }
        }
    }

    /// Every place that speaks about this setting's aspect. A document replaces what v1alpha1 fields
    /// say about the same name wholly (Talos' container accessors), so where there are documents only
    /// they count.
    fn spots(&self, setting: &Setting) -> Vec<Spot<'c>> {
        let documents: Vec<_> = self
            .parts
            .iter()
            .enumerate()
            .filter(|(_, part)| is_document_of(part, setting))
            .map(|(index, part)| Spot {
                carrier: Carrier::Document(index),
                node: part.root,
            })
            .collect();
        if !documents.is_empty() {
            return documents;
        }
        let (keys, parent) = (setting.keys(), setting.parent());
        let operation = self
            .owned
            .get(&parent)
            .and_then(|operation| operation.value);
        let below = &keys[parent.keys().len()..];
        let operation = operation.and_then(|value| descend(value, below));
        let operation = operation.map(|node| Spot {
            carrier: Carrier::Operation(parent),
            node,
        });
        let fields = self.parts.iter().enumerate().filter_map(|(index, part)| {
            let node = descend(part.root, &keys)?;
            self.applies(part, parent).then_some(Spot {
                carrier: Carrier::Fields(index),
                node,
            })
        });
        operation.into_iter().chain(fields).collect()
    }

    fn is_editable(&self, spot: &Spot<'c>) -> bool {
        match spot.carrier {
            Carrier::Operation(_) => true,
            Carrier::Fields(index) | Carrier::Document(index) => {
                self.embedded[self.parts[index].embedded].is_editable()
            }
        }
    }

    fn merge_into(&mut self, spot: &Spot<'c>, setting: &Setting) {
        self.check_credentials(spot, setting);
        self.report_replaced_endpoints(spot, setting);
        self.placed.push((setting.path(), spot.form()));
        let keys = setting.keys();
        match spot.carrier {
            Carrier::Operation(parent) => {
                let tree = self.sinks.json.entry(parent).or_insert(Value::Null);
                graft(tree, &keys[parent.keys().len()..], setting.value.clone());
            }
            Carrier::Fields(index) => {
                let tree = self.sinks.parts.entry(index).or_insert(Value::Null);
                graft(tree, &keys, setting.value.clone());
            }
            Carrier::Document(index) => {
                let tree = self.sinks.parts.entry(index).or_insert(Value::Null);
                graft(tree, &[], setting.document.clone().unwrap_or_default());
            }
        }
    }

    /// A place of its own, in the target's form; `keeps_fields` where v1alpha1 fields say more about the
    /// same name, which a document would drop.
    fn place_new(&mut self, setting: &Setting, keeps_fields: bool) {
        let parent = setting.parent();
        let keys = setting.keys();
        let form = match (self.delivery.preferred, &setting.document) {
            (Form::Documents, None) => Form::V1Alpha1,
            (Form::Documents, _) if keeps_fields => Form::V1Alpha1,
            (Form::V1Alpha1, _)
                if self.delivery.json_patches && self.owned.contains_key(&parent) =>
            {
                Form::JsonPatch
            }
            (form, _) => form,
        };
        self.placed.push((setting.path(), form));
        match form {
            Form::JsonPatch => {
                self.check_base_is_kept(parent);
                let tree = self.sinks.json.entry(parent).or_insert(Value::Null);
                graft(tree, &keys[parent.keys().len()..], setting.value.clone());
            }
            Form::V1Alpha1 => {
                let home = self.home(parent);
                let tree = match home {
                    Some(part) => self.sinks.parts.entry(part).or_insert(Value::Null),
                    None => &mut self.sinks.v1alpha1,
                };
                graft(tree, &keys, setting.value.clone());
            }
            Form::Documents => self.sinks.documents.extend(setting.document.clone()),
        }
    }

    fn place_document(&mut self, setting: &Setting) {
        self.placed.push((setting.path(), Form::Documents));
        self.sinks.documents.extend(setting.document.clone());
    }

    /// The one editable strategic patch that already says something below `parent`.
    pub(super) fn home(&self, parent: OwnedParent) -> Option<usize> {
        let mut homes = self.parts.iter().enumerate().filter(|(_, part)| {
            let string = &self.embedded[part.embedded];
            part.content == Content::V1Alpha1
                && !string.is_base
                && string.is_editable()
                && descend(part.root, parent.keys()).is_some()
        });
        let home = homes.next().map(|(index, _)| index);
        home.filter(|_| homes.next().is_none())
    }

    /// An `add` of a whole parent would erase what `data` says below it.
    pub(super) fn check_base_is_kept(&mut self, parent: OwnedParent) {
        let erased = self.parts.iter().find(|part| {
            self.embedded[part.embedded].is_base
                && !self.owned.contains_key(&parent)
                && descend(part.root, parent.keys()).is_some()
        });
        if let Some(part) = erased {
            let place = self.inner_place(part, part.root);
            self.findings.push(
                Diagnostic::new(
                    Code::NoStrategicPatches,
                    format!(
                        "a JSON patch on `{}` would erase what `data` says there",
                        parent.path()
                    ),
                    "upgrade the bootstrap provider to v0.6.5 or later, or say it in `data`",
                )
                .at(place),
            );
        }
    }

    /// `insecureSkipVerify: true` survives a later patch that only sets the CA; an explicit later
    /// `false` clears it.
    fn check_verification(&mut self, setting: &Setting, spots: &[Spot<'c>]) {
        let wants_insecure = setting.value.get("insecureSkipVerify").is_some();
        if setting.value.get("ca").is_none() || wants_insecure {
            return;
        }
        let mut said = spots.iter().filter_map(|spot| {
            let node = spot.node.get("insecureSkipVerify")?;
            Some((spot.clone(), node))
        });
        let Some((spot, node)) = said.next_back() else {
            return;
        };
        if node.meaning(Reading::Talos) == Ok(Value::Bool(true)) {
            let place = self.place_of(&spot, node);
            self.findings.push(
                Diagnostic::new(
                    Code::InsecureBesideCa,
                    format!("`insecureSkipVerify: true` for {}", setting.name),
                    "remove it: with the CA in place the registry verifies",
                )
                .at(place),
            );
        }
    }

    /// Two ways to log in at once: Talos refuses it in a document and picks one silently in fields.
    fn check_credentials(&mut self, spot: &Spot<'c>, setting: &Setting) {
        if setting.aspect != Aspect::Auth {
            return;
        }
        let credentials = ["username", "password", "auth", "identityToken"];
        let other = credentials.into_iter().find_map(|key| {
            let node = spot.node.get(key).filter(|node| !node.is_null())?;
            setting.value.get(key).is_none().then_some(node)
        });
        if let Some(node) = other {
            let place = self.place_of(spot, node);
            self.findings.push(
                Diagnostic::new(
                    Code::SaidTwice,
                    format!("other credentials for {} are here already", setting.name),
                    "remove them: the definition says which to use",
                )
                .at(place),
            );
        }
    }

    fn report_replaced_endpoints(&mut self, spot: &Spot<'c>, setting: &Setting) {
        let wanted = match spot.carrier {
            Carrier::Document(_) => setting.document.as_ref(),
            _ => Some(&setting.value),
        };
        let Some(wanted) = wanted.and_then(|value| value.get("endpoints")) else {
            return;
        };
        let Some(there) = spot.node.get("endpoints") else {
            return;
        };
        if there.items().next().is_some() && !merge::says(there, wanted, Reading::Talos) {
            let place = self.place_of(spot, there);
            self.findings.push(
                Diagnostic::new(
                    Code::MirrorReplaced,
                    format!(
                        "the endpoints of {} differ from the definition's",
                        setting.name
                    ),
                    "make the two agree, or remove them here",
                )
                .at(place),
            );
        }
    }

    fn refuse_said_twice(&mut self, setting: &Setting, spots: &[Spot<'c>]) {
        let what = match setting.aspect {
            Aspect::Tls => format!("TLS settings for {}", setting.name),
            Aspect::Auth => format!("credentials for {}", setting.name),
            Aspect::Mirror => format!("endpoints for {}", setting.name),
            Aspect::InstallImage => "the installer image".to_string(),
        };
        let message = format!("{what} are in {} places", spots.len());
        let mut finding = Diagnostic::new(Code::SaidTwice, message, "keep one of them");
        for spot in spots.iter().rev() {
            finding = finding.at(self.place_of(spot, spot.node));
        }
        self.findings.push(finding);
    }

    fn place_of(&self, spot: &Spot<'c>, node: Node<'c>) -> Place {
        match spot.carrier {
            Carrier::Operation(_) => Place::new(self.file, node.span()),
            Carrier::Fields(index) | Carrier::Document(index) => {
                self.inner_place(&self.parts[index], node)
            }
        }
    }
}

/// The node at `keys` below `node`, unless something on the way is absent or null.
pub(super) fn descend<'n>(node: Node<'n>, keys: &[&str]) -> Option<Node<'n>> {
    let found = keys.iter().try_fold(node, |node, key| node.get(key))?;
    (!found.is_null()).then_some(found)
}

fn is_document_of(part: &Part<'_>, setting: &Setting) -> bool {
    let kind = match setting.aspect {
        Aspect::Tls => DocumentKind::RegistryTls,
        Aspect::Auth => DocumentKind::RegistryAuth,
        Aspect::Mirror => DocumentKind::RegistryMirror,
        Aspect::InstallImage => return false,
    };
    part.content == Content::Owned(kind, setting.name.clone())
}

/// Does the spot say one of the very fields that the setting says?
fn speaks(spot: &Spot<'_>, setting: &Setting) -> bool {
    match &setting.value {
        Value::Object(fields) if setting.aspect != Aspect::Auth => fields
            .keys()
            .any(|key| spot.node.get(key).is_some_and(|node| !node.is_null())),
        Value::Object(_) => spot.node.kind() == NodeKind::Mapping,
        _ => true,
    }
}

fn already_says(spot: &Spot<'_>, setting: &Setting) -> bool {
    let want = match spot.carrier {
        Carrier::Document(_) => setting.document.as_ref().unwrap_or(&setting.value),
        _ => &setting.value,
    };
    let reading = match spot.carrier {
        Carrier::Operation(_) => Reading::Kubernetes,
        _ => Reading::Talos,
    };
    let mut changes = Vec::new();
    merge::changes(
        spot.node,
        &crate::yaml::Route::root(),
        want,
        reading,
        &mut changes,
    )
    .is_ok()
        && changes.is_empty()
}
