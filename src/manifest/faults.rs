//! What is wrong with the owned values of a target as they will be.

use super::compose::Composition;
use super::embedded::{Content, Part};
use super::judge::{Fault, Judge};
use super::settings::descend;
use super::shape::Shape;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{Aspect, DocumentKind, Endpoint, OwnedParent, PatchIntent, Setting};
use crate::yaml::{Node, NodeKind, Reading};
use serde_json::Value;

impl<'c> Composition<'c, '_> {
    /// Everything in the owned values that Talos does not load, or that does nothing. To be asked once
    /// all settings have their place, and before that is turned into changes.
    pub(super) fn faults(&self, intent: &PatchIntent) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for parent in intent.parents() {
            self.judge_operation(parent, &mut findings);
        }
        for (index, part) in self.parts.iter().enumerate() {
            self.judge_part(index, part, &intent.parents(), &mut findings);
        }
        for setting in intent.settings() {
            if setting.aspect == Aspect::Tls && !intent.mirrors.contains_key(&setting.name) {
                self.judge_mirror_of(&setting, &mut findings);
            }
        }
        findings
    }

    /// Adds findings at places that have none yet.
    pub(super) fn add_new(&mut self, findings: Vec<Diagnostic>) {
        for finding in findings {
            let is_told = |told: &Diagnostic| told.places.first() == finding.places.first();
            if !self.findings.iter().any(is_told) {
                self.findings.push(finding);
            }
        }
    }

    fn judge_operation(&self, parent: OwnedParent, findings: &mut Vec<Diagnostic>) {
        let owned = self.owned.get(&parent);
        let Some(value) = owned.and_then(|operation| operation.value) else {
            return;
        };
        let mut judge = Judge::new(Reading::Kubernetes);
        let overlay = self.sinks.json.get(&parent);
        judge.judge(value, name_of(parent), Shape::of_parent(parent), overlay);
        let place = |node: Node<'_>| Place::new(self.file, node.span());
        findings.extend(judge.faults.into_iter().map(|fault| told(fault, place)));
    }

    fn judge_part(
        &self,
        index: usize,
        part: &Part<'c>,
        parents: &[OwnedParent],
        findings: &mut Vec<Diagnostic>,
    ) {
        let overlay = self.sinks.parts.get(&index);
        let mut judge = Judge::new(Reading::Talos);
        match &part.content {
            Content::Owned(kind, name) if parents.contains(&parent_of(*kind)) => {
                judge.judge(part.root, kind.name(), Shape::of_document(*kind), overlay);
                judge.judge_document(part.root, *kind, name);
            }
            Content::V1Alpha1 => {
                for parent in parents.iter().filter(|parent| self.applies(part, **parent)) {
                    let Some(node) = descend(part.root, parent.keys()) else {
                        continue;
                    };
                    let keys = parent.keys().iter();
                    let overlay = keys.fold(overlay, |tree, key| tree.and_then(|it| it.get(*key)));
                    judge.judge(node, name_of(*parent), Shape::of_parent(*parent), overlay);
                }
            }
            Content::Owned(..) | Content::Other => {}
        }
        let place = |node: Node<'_>| self.inner_place(part, node);
        findings.extend(judge.faults.into_iter().map(|fault| told(fault, place)));
    }

    /// The manifest mirrors a registry that has TLS settings, and its mirror does not list it.
    fn judge_mirror_of(&self, setting: &Setting, findings: &mut Vec<Diagnostic>) {
        let host = setting.name.as_str();
        let keys = ["machine", "registries", "mirrors", host];
        let owned = self.owned.get(&OwnedParent::Registries);
        let operation = owned.and_then(|operation| descend(operation.value?, &keys[2..]));
        let mut mirrors: Vec<(Node<'c>, Place)> = Vec::new();
        mirrors.extend(operation.map(|node| (node, Place::new(self.file, node.span()))));
        for part in self.parts {
            let node = match &part.content {
                Content::V1Alpha1 => descend(part.root, &keys),
                Content::Owned(DocumentKind::RegistryMirror, name) if name == host => {
                    Some(part.root)
                }
                _ => None,
            };
            mirrors.extend(node.map(|node| (node, self.inner_place(part, node))));
        }
        let is_open = mirrors
            .iter()
            .all(|(node, _)| !skips_fallback(*node) && !lists(*node, host));
        if let Some((_, place)) = mirrors.into_iter().next().filter(|_| is_open) {
            let message = format!("{host} has TLS settings and a mirror that does not list it");
            let help = format!("add `https://{host}` to its endpoints, or `skipFallback: true`");
            findings.push(Diagnostic::new(Code::MirrorWithoutItself, message, help).at(place));
        }
    }
}

fn skips_fallback(mirror: Node<'_>) -> bool {
    let said = mirror.get("skipFallback");
    said.is_some_and(|said| said.meaning(Reading::Talos) == Ok(Value::Bool(true)))
}

/// Is the registry at `host` among the mirror's endpoints, in v1alpha1 or document form?
fn lists(mirror: Node<'_>, host: &str) -> bool {
    let mut endpoints = mirror.get("endpoints").into_iter().flat_map(Node::items);
    endpoints.any(|item| {
        let url = item.get("url").unwrap_or(item);
        let endpoint = url.text().map(Endpoint::parse);
        endpoint.is_some_and(|it| it.is_ok_and(|endpoint| endpoint.authority == host))
    })
}

fn told<'d>(fault: Fault<'d>, place: impl Fn(Node<'d>) -> Place) -> Diagnostic {
    Diagnostic::new(fault.code, fault.message, fault.help).at(place(fault.node))
}

fn parent_of(kind: DocumentKind) -> OwnedParent {
    match kind {
        DocumentKind::StaticHost => OwnedParent::HostEntries,
        _ => OwnedParent::Registries,
    }
}

fn name_of(parent: OwnedParent) -> &'static str {
    parent.keys().last().copied().unwrap_or_default()
}

impl<'d> Judge<'d> {
    /// What a document needs beyond the shape of its fields.
    fn judge_document(&mut self, root: Node<'d>, kind: DocumentKind, name: &str) {
        if name.is_empty() {
            let message = format!("a {} must have a `name`", kind.name());
            self.push(Code::WrongField, message, "name what it is for", root);
        }
        match kind {
            DocumentKind::RegistryMirror => {
                root.get("name")
                    .into_iter()
                    .for_each(|it| self.judge_mirror_name(it));
                self.judge_urls(root);
            }
            DocumentKind::RegistryTls if name == "*" => {
                let help = "say them for each endpoint by its name";
                self.push(Code::WildcardTls, "TLS settings for `*`", help, root);
            }
            DocumentKind::RegistryAuth => self.judge_credentials(root),
            DocumentKind::StaticHost => {
                let names = root.get("hostnames");
                if names.is_none_or(|names| names.is_null() || is_empty_list(names)) {
                    let message = "a StaticHostConfig must have at least one of `hostnames`";
                    self.push(Code::WrongField, message, "name a host, or remove it", root);
                }
            }
            DocumentKind::RegistryTls => {}
        }
    }

    fn judge_urls(&mut self, root: Node<'d>) {
        let endpoints = root.get("endpoints").into_iter().flat_map(Node::items);
        for item in endpoints.filter(|item| item.kind() == NodeKind::Mapping) {
            if item.get("url").is_none_or(Node::is_null) {
                let message = "an endpoint must have a `url`";
                self.push(
                    Code::WrongField,
                    message,
                    "add it, or remove the endpoint",
                    item,
                );
            }
        }
    }

    fn judge_credentials(&mut self, root: Node<'d>) {
        let says = |key| {
            root.get(key)
                .is_some_and(|it| it.text().is_some_and(|it| !it.is_empty()))
        };
        let ways = [says("username"), says("auth"), says("identityToken")];
        if ways.iter().filter(|is_said| **is_said).count() > 1 {
            let message = "two ways to log in: Talos refuses a RegistryAuthConfig with both";
            let help = "keep one of `username` with `password`, `auth` and `identityToken`";
            self.push(Code::WrongField, message, help, root);
        }
    }
}

fn is_empty_list(node: Node<'_>) -> bool {
    node.kind() == NodeKind::Sequence && node.items().next().is_none()
}

#[cfg(test)]
mod tests;
