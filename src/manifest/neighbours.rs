//! What stands beside a registry setting and would not do what its author expects.

use super::compose::Composition;
use super::embedded::Content;
use super::settings::descend;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{Aspect, DocumentKind, OwnedParent, Setting, host_of};
use crate::yaml::Node;

/// A registry that the target says something about: its key, or a document's name.
struct Neighbour<'c> {
    name: Node<'c>,
    has_tls: bool,
    place: Place,
}

impl<'c> Composition<'c, '_> {
    /// Other registries of the same kind: `*` with TLS, and the same host with another port.
    pub(super) fn check_neighbours(&mut self, setting: &Setting) {
        if !matches!(setting.aspect, Aspect::Tls | Aspect::Auth) {
            return;
        }
        for neighbour in self.neighbours() {
            let Some(name) = neighbour.name.text() else {
                continue;
            };
            let finding = if name == "*" && neighbour.has_tls {
                Diagnostic::new(
                    Code::WildcardTls,
                    "TLS settings for `*`",
                    "say them for each endpoint by its name",
                )
            } else if name != setting.name && host_of(name) == host_of(&setting.name) {
                Diagnostic::new(
                    Code::PortDiffers,
                    format!(
                        "settings for the same host as {}, but with another port",
                        setting.name
                    ),
                    "use the host and port that the endpoint's URL says, and only those",
                )
            } else {
                continue;
            };
            let finding = finding.at(neighbour.place);
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
    }

    fn neighbours(&self) -> Vec<Neighbour<'c>> {
        let config = ["machine", "registries", "config"];
        let mut found = Vec::new();
        let operation = self
            .owned
            .get(&OwnedParent::Registries)
            .and_then(|owned| owned.value);
        let operation = operation.and_then(|value| descend(value, &config[2..]));
        for (name, value) in operation.iter().flat_map(|node| node.entries()) {
            let place = Place::new(self.file, name.span());
            found.push(Neighbour {
                name,
                has_tls: has_tls(value),
                place,
            });
        }
        for part in self.parts {
            if self.applies(part, OwnedParent::Registries) {
                for (name, value) in descend(part.root, &config)
                    .iter()
                    .flat_map(|node| node.entries())
                {
                    let place = self.inner_place(part, name);
                    found.push(Neighbour {
                        name,
                        has_tls: has_tls(value),
                        place,
                    });
                }
            }
            let has_tls = match part.content {
                Content::Owned(DocumentKind::RegistryTls, _) => true,
                Content::Owned(DocumentKind::RegistryAuth, _) => false,
                _ => continue,
            };
            found.extend(part.root.get("name").map(|name| Neighbour {
                name,
                has_tls,
                place: self.inner_place(part, name),
            }));
        }
        found
    }
}

fn has_tls(config: Node<'_>) -> bool {
    config.get("tls").is_some_and(|tls| !tls.is_null())
}
