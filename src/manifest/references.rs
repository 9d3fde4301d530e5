//! Who names a worker template: what must follow when a template takes a new name.

use crate::diagnostic::Place;
use crate::text::SourceFile;
use crate::yaml::{Document, Node, Stream};
use std::sync::Arc;

/// An object that makes machines from a bootstrap template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The template's name.
    pub template: String,
    /// The object's kind and name: `MachineDeployment edge-workers`.
    pub by: String,
    /// Where the template's name stands.
    pub at: Place,
}

/// Every reference to a bootstrap template in the manifest; none where it cannot be parsed.
pub fn references(file: &Arc<SourceFile>) -> Vec<Reference> {
    let stream = Stream::parse(file.text()).unwrap_or_default();
    let roots = stream.documents.iter().filter_map(Document::root);
    roots.filter_map(|root| reference(file, root)).collect()
}

fn reference(file: &Arc<SourceFile>, root: Node<'_>) -> Option<Reference> {
    let keys = ["spec", "template", "spec", "bootstrap", "configRef", "name"];
    let way = keys
        .iter()
        .try_fold(root, |node, key| node.resolved().get(key));
    let template = way?;
    let text = |keys: &[&str]| {
        let node = keys
            .iter()
            .try_fold(root, |node, key| node.resolved().get(key));
        node.and_then(|node| node.resolved().text())
            .unwrap_or_default()
    };
    Some(Reference {
        template: template.resolved().text()?.to_string(),
        by: format!("{} {}", text(&["kind"]), text(&["metadata", "name"])),
        at: Place::new(file, template.span()),
    })
}
