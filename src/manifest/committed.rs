//! Where a manifest, as it is committed, already says something.
//!
//! It tells places and no values: what stands there may be a secret that somebody left in the open.

use super::embedded;
use super::operations;
use super::target::{self, Target, TargetName};
use crate::diagnostic::Place;
use crate::talos::{DocumentKind, Form, OwnedParent, Pointer};
use crate::text::SourceFile;
use crate::yaml::{Document, Node, Stream};
use std::sync::Arc;

/// A place that says something about a path on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The target.
    pub target: TargetName,
    /// In which form.
    pub form: Form,
    /// Where.
    pub at: Place,
}

/// Every place in the targets of `file` that says something at, below or above `path`, a JSON Pointer into
/// a machine config, as far as it reaches down to it. Nothing of a file that is not YAML.
pub fn committed(file: &Arc<SourceFile>, path: &str) -> Vec<Committed> {
    let Ok(stream) = Stream::parse(file.text()) else {
        return Vec::new();
    };
    let pointer = Pointer::parse(path);
    let keys: Vec<&str> = pointer.segments().iter().map(String::as_str).collect();
    // What is wrong with the file is told where it is hydrated.
    let mut findings = Vec::new();
    let targets = target::find(file, &stream, &mut findings);
    let places = targets
        .iter()
        .flat_map(|target| in_target(file, target, &keys));
    places.collect()
}

fn in_target(file: &Arc<SourceFile>, target: &Target<'_>, keys: &[&str]) -> Vec<Committed> {
    let mut findings = Vec::new();
    let mut found = Vec::new();
    let mut push = |form, at| {
        found.push(Committed {
            target: target.name.clone(),
            form,
            at,
        });
    };
    for operation in operations::read(file, target.spec, &mut findings) {
        let at: Vec<&str> = operation
            .pointer
            .segments()
            .iter()
            .map(String::as_str)
            .collect();
        let says = match (keys.strip_prefix(&at[..]), operation.value) {
            (Some(rest), Some(value)) => reach(value, rest),
            _ => at.starts_with(keys).then_some(operation.path),
        };
        if let Some(node) = says {
            push(Form::JsonPatch, Place::new(file, node.span()));
        }
    }
    for string in embedded::read(file, target.spec, &target.route, &mut findings) {
        for root in string.stream.documents.iter().filter_map(Document::root) {
            let kind = root.get("kind").and_then(Node::text);
            let (form, says) = match kind {
                None => (Form::V1Alpha1, reach(root, keys)),
                Some(kind) => (Form::Documents, in_document(root, kind, keys)),
            };
            if let Some(node) = says {
                push(form, Place::new(file, string.outer(&node.span())));
            }
        }
    }
    found
}

/// The node at `keys`, through aliases; the key itself, so that the place is the line that names it.
fn reach<'n>(node: Node<'n>, keys: &[&str]) -> Option<Node<'n>> {
    let (last, above) = match keys {
        [] => return Some(node),
        [above @ .., last] => (last, above),
    };
    let step = |node: Node<'n>, key: &&str| node.resolved().get(key);
    let parent = above.iter().try_fold(node, step)?.resolved();
    match last.parse::<usize>() {
        Ok(index) => parent.items().nth(index).or_else(|| parent.key(last)),
        Err(_) => parent.key(last),
    }
}

/// A document stands for the v1alpha1 value of its name.
fn in_document<'n>(root: Node<'n>, kind: &str, keys: &[&str]) -> Option<Node<'n>> {
    let name = root.get("name").and_then(Node::text).unwrap_or_default();
    let registries = OwnedParent::Registries.keys();
    let [machine, registries] = registries else {
        return None;
    };
    let own = match DocumentKind::of(kind)? {
        DocumentKind::RegistryMirror => vec![*machine, *registries, "mirrors", name],
        DocumentKind::RegistryTls => vec![*machine, *registries, "config", name, "tls"],
        DocumentKind::RegistryAuth => vec![*machine, *registries, "config", name, "auth"],
        DocumentKind::StaticHost => OwnedParent::HostEntries.keys().to_vec(),
    };
    match keys.strip_prefix(&own[..]) {
        Some(rest) => reach(root, rest),
        None => own.starts_with(keys).then_some(root),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: w}
spec:
  template:
    spec:
      generateType: worker
      configPatches:
        - op: add
          path: /machine/registries
          value:
            mirrors:
              ghcr.io: {endpoints: [https://a.example]}
        - {op: add, path: /machine/kubelet/image, value: x}
      strategicPatches:
        - |
          machine:
            registries:
              mirrors:
                quay.io: {endpoints: [https://a.example]}
        - |
          apiVersion: v1alpha1
          kind: RegistryTLSConfig
          name: a.example
          ca: x
";

    fn lines(path: &str) -> Vec<(Form, usize)> {
        let file = Arc::new(SourceFile::new("cluster-base.yaml", MANIFEST));
        let line = |at: &Place| at.file.position(at.span.as_ref().unwrap().start).line;
        let found = committed(&file, path);
        found.iter().map(|it| (it.form, line(&it.at))).collect()
    }

    #[test]
    fn a_value_is_found_in_every_form_and_by_any_beginning_of_its_path() {
        use Form::{Documents, JsonPatch, V1Alpha1};

        assert_eq!(
            lines("/machine/registries/mirrors/ghcr.io"),
            [(JsonPatch, 13)]
        );
        assert_eq!(
            lines("/machine/registries/mirrors/quay.io/endpoints"),
            [(V1Alpha1, 20)]
        );
        assert_eq!(
            lines("/machine/registries/config/a.example/tls"),
            [(Documents, 22)]
        );
        assert_eq!(
            lines("/machine/registries/config/a.example/tls/ca"),
            [(Documents, 25)]
        );
        assert_eq!(
            lines("/machine/registries"),
            [(JsonPatch, 12), (V1Alpha1, 18), (Documents, 22)]
        );
    }

    #[test]
    fn what_nobody_wrote_is_nowhere() {
        for path in [
            "/machine/registries/mirrors/gcr.io",
            "/machine/registries/config/a.example/auth",
            "/machine/network/extraHostEntries",
        ] {
            assert_eq!(lines(path), [], "{path}");
        }
    }
}
