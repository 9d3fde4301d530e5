//! Which objects of a manifest carry patches for Talos machines.

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::text::SourceFile;
use crate::yaml::{Document, Node, NodeKind, Reading, Route, Stream};
use std::sync::Arc;

/// What the machines of a target are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// They run the control plane.
    ControlPlane,
    /// They are workers.
    Worker,
}

/// Which block of which object a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Block {
    /// `TalosControlPlane`, `spec.controlPlaneConfig.controlplane`.
    ControlPlane,
    /// `TalosControlPlane`, `spec.controlPlaneConfig.init`: the first machine is made from it.
    Init,
    /// `TalosConfigTemplate`, `spec.template.spec`.
    Template,
    /// `TalosConfig`, `spec`.
    Config,
}

/// A target's name for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetName {
    /// The block, which says the kind.
    pub block: Block,
    /// `metadata.name`, empty where there is none.
    pub name: String,
}

impl std::fmt::Display for TargetName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, suffix) = match self.block {
            Block::ControlPlane => ("TalosControlPlane", ""),
            Block::Init => ("TalosControlPlane", " (init)"),
            Block::Template => ("TalosConfigTemplate", ""),
            Block::Config => ("TalosConfig", ""),
        };
        write!(f, "{kind} {}{suffix}", self.name)
    }
}

/// One spec with patches: `generateType`, `talosVersion`, `configPatches`, `strategicPatches`.
#[derive(Clone)]
pub(super) struct Target<'d> {
    pub(super) name: TargetName,
    pub(super) role: Role,
    /// The index of its document in the stream.
    pub(super) document: usize,
    pub(super) route: Route,
    pub(super) spec: Node<'d>,
    /// Does a change wait until somebody deletes the machines (`rolloutStrategy: {type: OnDelete}`)?
    pub(super) is_patient: bool,
}

/// The API groups of the Talos providers; any version of them.
const CONTROL_PLANE_GROUP: &str = "controlplane.cluster.x-k8s.io/";
const BOOTSTRAP_GROUP: &str = "bootstrap.cluster.x-k8s.io/";

/// Every target of the stream, in its order.
pub(super) fn find<'d>(
    file: &Arc<SourceFile>,
    stream: &'d Stream<'d>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Target<'d>> {
    let mut targets = Vec::new();
    for (index, document) in stream.documents.iter().enumerate() {
        if let Some(root) = document.root() {
            let mut finder = Finder {
                file,
                index,
                root,
                findings,
                targets: &mut targets,
            };
            finder.look();
        }
    }
    targets
}

struct Finder<'f, 'd> {
    file: &'f Arc<SourceFile>,
    index: usize,
    root: Node<'d>,
    findings: &'f mut Vec<Diagnostic>,
    targets: &'f mut Vec<Target<'d>>,
}

impl<'d> Finder<'_, 'd> {
    fn look(&mut self) {
        let text = |key| {
            self.root
                .get(key)
                .and_then(|node| node.resolved().text())
                .unwrap_or("")
        };
        let (kind, group) = (text("kind"), text("apiVersion"));
        let is_control_plane = group.starts_with(CONTROL_PLANE_GROUP);
        let is_bootstrap = group.starts_with(BOOTSTRAP_GROUP);
        match kind {
            "TalosControlPlane" if is_control_plane => self.look_into_control_plane(),
            "TalosConfigTemplate" if is_bootstrap => {
                self.take(Block::Template, &["spec", "template", "spec"], true);
            }
            "TalosConfig" if is_bootstrap => self.take(Block::Config, &["spec"], true),
            "TalosControlPlaneTemplate" | "ClusterClass" => self.refuse_kind(
                kind,
                "use a TalosControlPlane and TalosConfigTemplates, or opt the cluster out",
            ),
            "List" if self.lists_talos_objects() => self.refuse_kind(
                kind,
                "write each object of the list as a document of its own, after a `---` line",
            ),
            _ => {}
        }
    }

    fn look_into_control_plane(&mut self) {
        self.take(
            Block::ControlPlane,
            &["spec", "controlPlaneConfig", "controlplane"],
            true,
        );
        self.take(Block::Init, &["spec", "controlPlaneConfig", "init"], false);
    }

    /// Takes the block at `keys` as a target. `init` may be absent, the others must be there.
    fn take(&mut self, block: Block, keys: &[&str], is_required: bool) {
        let (mut node, mut route) = (self.root, Route::root());
        for key in keys {
            if node.has_merge_key() {
                return self.refuse_shared(node);
            }
            let Some(next) = node.get(key).filter(|next| !next.is_null()) else {
                if is_required {
                    self.refuse_shape(block, keys, node);
                }
                return;
            };
            if next.is_alias() {
                return self.refuse_shared(next);
            }
            (node, route) = (next, route.key(*key));
        }
        if node.kind() != NodeKind::Mapping {
            return self.refuse_shape(block, keys, node);
        }
        if node.has_merge_key() {
            return self.refuse_shared(node);
        }
        let role = role_of(block, node);
        let name = TargetName {
            block,
            name: self.object_name(),
        };
        self.targets.push(Target {
            name,
            role,
            document: self.index,
            route,
            spec: node,
            is_patient: self.is_patient(),
        });
    }

    fn is_patient(&self) -> bool {
        let keys = ["spec", "rolloutStrategy", "type"];
        let said = keys.iter().try_fold(self.root, |node, key| node.get(key));
        said.and_then(|said| said.resolved().text()) == Some("OnDelete")
    }

    fn object_name(&self) -> String {
        let name = self
            .root
            .get("metadata")
            .and_then(|metadata| metadata.get("name"));
        name.and_then(|name| name.resolved().text())
            .unwrap_or_default()
            .to_string()
    }

    fn lists_talos_objects(&self) -> bool {
        let is_talos = |item: Node<'d>| {
            let kind = item.get("kind").and_then(|kind| kind.resolved().text());
            kind.is_some_and(|kind| kind.starts_with("TalosCon"))
        };
        self.root
            .get("items")
            .is_some_and(|items| items.items().any(is_talos))
    }

    fn refuse_kind(&mut self, kind: &str, help: &str) {
        let place = self.root.get("kind").map_or(self.root.span(), Node::span);
        let name = self.object_name();
        let message = format!("{} is not supported", format!("{kind} {name}").trim_end());
        self.findings.push(
            Diagnostic::new(Code::UnsupportedKind, message, help).at(Place::new(self.file, place)),
        );
    }

    fn refuse_shared(&mut self, node: Node<'d>) {
        self.findings.push(
            Diagnostic::new(
                Code::OwnedAlias,
                "the patches of this object are behind an alias or a merge key",
                "write the block out where it is used",
            )
            .at(Place::new(self.file, node.span())),
        );
    }

    fn refuse_shape(&mut self, block: Block, keys: &[&str], node: Node<'d>) {
        let name = TargetName {
            block,
            name: self.object_name(),
        };
        let message = format!("{name} has no mapping at `{}`", keys.join("."));
        self.findings.push(
            Diagnostic::new(
                Code::WrongShape,
                message,
                "give it at least a `generateType`",
            )
            .at(Place::new(self.file, node.span())),
        );
    }
}

/// A control-plane block makes control-plane machines, whatever else it says.
fn role_of(block: Block, spec: Node<'_>) -> Role {
    let text = |key| {
        spec.get(key)
            .and_then(|node| node.resolved().text())
            .unwrap_or("")
    };
    let is_control_plane = match (block, text("generateType")) {
        (Block::ControlPlane | Block::Init, _) | (_, "controlplane" | "init") => true,
        (_, "none") => says_control_plane(text("data")),
        _ => false,
    };
    if is_control_plane {
        Role::ControlPlane
    } else {
        Role::Worker
    }
}

/// Does a given machine config say `type: controlplane` (or `init`) under `machine`?
fn says_control_plane(data: &str) -> bool {
    let Ok(stream) = Stream::parse(data) else {
        return false;
    };
    stream
        .documents
        .iter()
        .filter_map(Document::root)
        .any(|root| {
            let kind = root.get("machine").and_then(|machine| machine.get("type"));
            kind.and_then(|kind| kind.string(Reading::Talos))
                .is_some_and(|kind| matches!(kind, "controlplane" | "init"))
        })
}
