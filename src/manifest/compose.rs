//! From an intent to the edits of one manifest.

use super::channels::{check_channels, delivery_of};
use super::embedded::{self, Content, Embedded, Part, Rules};
use super::merge::{self, NotAMapping};
use super::operations::{self, Operation, wrong_shape};
use super::target::{self, Role, Target, TargetName};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{Delivery, Form, OwnedParent, PatchIntent, ProviderVersion, TalosVersion};
use crate::text::{SourceFile, Span, TextEdit};
use crate::yaml::{self, CannotEdit, Change, Node, Reading, Route, Stream};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is wanted of a manifest.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// What its machines must have.
    pub intent: &'r PatchIntent,
    /// The bootstrap provider's release, where the platform says it.
    pub provider: Option<ProviderVersion>,
}

/// A manifest's hydration.
#[derive(Debug, Default)]
pub struct Hydration {
    /// The edits of the committed text, disjoint.
    pub edits: Vec<TextEdit>,
    /// What was found in it.
    pub targets: Vec<HydratedTarget>,
    /// Findings that do not stop the run.
    pub warnings: Vec<Diagnostic>,
}

/// One target and what was decided for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HydratedTarget {
    /// Which object and block.
    pub name: TargetName,
    /// What its machines are.
    pub role: Role,
    /// Its `talosVersion`, where it says one.
    pub talos: Option<TalosVersion>,
    /// Where each setting ended up: its path on the machine, and the form that carries it.
    pub placed: Vec<(String, Form)>,
    /// Did anything have to change?
    pub is_changed: bool,
}

/// Brings the intent into every target of the manifest.
///
/// Errors are all findings of the whole file, warnings among them; there are no edits then.
pub fn hydrate(file: &Arc<SourceFile>, request: Request<'_>) -> Result<Hydration, Vec<Diagnostic>> {
    let stream = Stream::parse(file.text()).map_err(|problems| unreadable(file, problems))?;
    let mut findings = Vec::new();
    let mut hydration = Hydration::default();
    let mut changes: BTreeMap<usize, Vec<Change>> = BTreeMap::new();
    for target in target::find(file, &stream, &mut findings) {
        let (done, wanted) = compose(file, &target, request, &mut findings);
        hydration.targets.extend(done);
        changes.entry(target.document).or_default().extend(wanted);
    }
    for (document, changes) in changes {
        let range = stream.documents[document].range();
        // Editing what was refused would only repeat it in other words.
        if is_refused(&findings, &range) {
            continue;
        }
        match yaml::edit(file.text(), &range, &changes) {
            Ok(edits) => hydration.edits.extend(edits),
            Err(refused) => findings.push(cannot_edit(file, &refused)),
        }
    }
    if findings.iter().any(Diagnostic::is_error) {
        return Err(findings);
    }
    hydration.warnings = findings;
    Ok(hydration)
}

fn is_refused(findings: &[Diagnostic], document: &Span) -> bool {
    let errors = findings.iter().filter(|finding| finding.is_error());
    let mut spans = errors.filter_map(|finding| finding.places.first()?.span.as_ref());
    spans.any(|span| document.start <= span.start && span.end <= document.end)
}

pub(super) fn unreadable(file: &Arc<SourceFile>, problems: Vec<yaml::Problem>) -> Vec<Diagnostic> {
    let finding = |problem: yaml::Problem| {
        let place = Place::new(file, problem.span);
        match problem.duplicate_of {
            Some(first) => {
                Diagnostic::new(Code::DuplicateKey, problem.message, "keep one of the two")
                    .at(place)
                    .at(Place::new(file, first).labelled("the first is here"))
            }
            None => Diagnostic::new(
                Code::InvalidYaml,
                problem.message,
                "mend it, or opt the cluster out: then it is copied byte for byte",
            )
            .at(place),
        }
    };
    problems.into_iter().map(finding).collect()
}

pub(super) fn cannot_edit(file: &Arc<SourceFile>, refused: &CannotEdit) -> Diagnostic {
    Diagnostic::new(
        Code::CannotEdit,
        format!("hydrant cannot edit this: {}", refused.reason),
        "write this place in plain block style",
    )
    .at(Place::new(file, refused.span.clone()))
}

/// A target on its way: what it says, and where what is wanted shall go.
pub(super) struct Composition<'c, 'd> {
    pub(super) file: &'c Arc<SourceFile>,
    pub(super) target: &'c Target<'d>,
    pub(super) delivery: Delivery,
    /// The patch on each owned parent.
    pub(super) owned: BTreeMap<OwnedParent, &'c Operation<'d>>,
    pub(super) embedded: &'c [Embedded<'d>],
    pub(super) parts: &'c [Part<'c>],
    pub(super) sinks: Sinks,
    /// The form that carries each setting, by its path on the machine.
    pub(super) placed: Vec<(String, Form)>,
    pub(super) findings: Vec<Diagnostic>,
}

/// What shall be said where. Trees are merged once all is known, so that two settings below one
/// missing key do not insert it twice.
#[derive(Default)]
pub(super) struct Sinks {
    /// Per owned parent, the tree at it, in `configPatches`.
    pub(super) json: BTreeMap<OwnedParent, Value>,
    /// Edits of host entry lists in `configPatches`, by routes from the document's root.
    pub(super) json_lists: Vec<Change>,
    /// Per part, the tree from its root.
    pub(super) parts: BTreeMap<usize, Value>,
    /// Per part, edits of its host entries, by routes from its root.
    pub(super) part_lists: BTreeMap<usize, Vec<Change>>,
    /// A new strategic patch of v1alpha1 fields.
    pub(super) v1alpha1: Value,
    /// New strategic patches, a document each.
    pub(super) documents: Vec<Value>,
}

fn compose(
    file: &Arc<SourceFile>,
    target: &Target<'_>,
    request: Request<'_>,
    findings: &mut Vec<Diagnostic>,
) -> (Option<HydratedTarget>, Vec<Change>) {
    let spec = target.spec;
    let parents = request.intent.parents();
    let operations = operations::read(file, spec, findings);
    let embedded = embedded::read(file, spec, &target.route, findings);
    let Some((talos, delivery)) = delivery_of(file, target, &embedded, request.provider, findings)
    else {
        return (None, Vec::new());
    };
    check_channels(file, target, delivery, &operations, findings);
    let owned = operations::owned(file, &operations, &parents, findings);
    let rules = Rules {
        file,
        talos,
        provider: request.provider,
        parents: &parents,
    };
    let parts = embedded::parts(&rules, &embedded, findings);
    let mut composition = Composition {
        file,
        target,
        delivery,
        owned,
        embedded: &embedded,
        parts: &parts,
        sinks: Sinks::default(),
        placed: Vec::new(),
        findings: Vec::new(),
    };
    for setting in request.intent.settings() {
        composition.place(&setting);
    }
    for host in &request.intent.hosts {
        composition.place_host(host);
    }
    let faults = composition.faults(request.intent);
    let changes = composition.changes();
    composition.add_new(faults);
    findings.append(&mut composition.findings);
    let target = HydratedTarget {
        name: target.name.clone(),
        role: target.role,
        talos,
        placed: composition.placed,
        is_changed: !changes.is_empty(),
    };
    (Some(target), changes)
}

impl<'c> Composition<'c, '_> {
    /// The changes of the target's document that say what the sinks hold.
    fn changes(&mut self) -> Vec<Change> {
        let mut changes = self.operation_changes();
        changes.append(&mut self.part_changes());
        let (v1alpha1, documents) = (
            std::mem::take(&mut self.sinks.v1alpha1),
            std::mem::take(&mut self.sinks.documents),
        );
        let trees = Some(v1alpha1)
            .filter(|tree| !tree.is_null())
            .into_iter()
            .chain(documents);
        let strings = trees
            .map(|tree| Value::String(yaml::text_of(&tree).to_string()))
            .collect();
        changes.append(&mut self.list_changes("strategicPatches", strings));
        changes
    }

    /// Merges into the patches on owned parents, and appends a patch where there is none.
    fn operation_changes(&mut self) -> Vec<Change> {
        let mut changes = std::mem::take(&mut self.sinks.json_lists);
        let mut appended = Vec::new();
        for (parent, tree) in std::mem::take(&mut self.sinks.json) {
            let Some(operation) = self.owned.get(&parent) else {
                appended.push(json!({"op": "add", "path": parent.path(), "value": tree}));
                continue;
            };
            let at = self
                .target
                .route
                .key("configPatches")
                .index(operation.index);
            match operation.value {
                None => changes.push(Change::Insert {
                    into: at,
                    key: "value".into(),
                    value: tree,
                }),
                // It is refused already.
                Some(value) if value.is_shared() => {}
                Some(value) => {
                    let at = at.key("value");
                    let merged =
                        merge::changes(value, &at, &tree, Reading::Kubernetes, &mut changes);
                    if let Err(NotAMapping(node)) = merged {
                        self.findings.push(not_a_mapping(self.file, node));
                    }
                }
            }
        }
        changes.append(&mut self.list_changes("configPatches", appended));
        changes
    }

    /// Appends to a list of the spec, or makes it.
    fn list_changes(&self, key: &str, items: Vec<Value>) -> Vec<Change> {
        if items.is_empty() {
            return Vec::new();
        }
        let (spec, route) = (self.target.spec, &self.target.route);
        if spec.get(key).is_none() {
            let value = Value::Array(items);
            return vec![Change::Insert {
                into: route.clone(),
                key: key.into(),
                value,
            }];
        }
        let append = |value| Change::Append {
            to: route.key(key),
            value,
        };
        items.into_iter().map(append).collect()
    }

    /// One rewrite per embedded string whose documents must change.
    fn part_changes(&mut self) -> Vec<Change> {
        let mut edits: BTreeMap<usize, Vec<TextEdit>> = BTreeMap::new();
        for (index, part) in self.parts.iter().enumerate() {
            let mut changes = self.sinks.part_lists.remove(&index).unwrap_or_default();
            if let Some(tree) = self.sinks.parts.remove(&index) {
                let (root, at) = (part.root, Route::root());
                if let Err(NotAMapping(node)) =
                    merge::changes(root, &at, &tree, Reading::Talos, &mut changes)
                {
                    self.push_inner(part, not_a_mapping(self.file, node));
                }
            }
            if !changes.is_empty() {
                edits
                    .entry(part.embedded)
                    .or_default()
                    .extend(self.edit_part(part, &changes));
            }
        }
        let rewrite = |(string, edits): (usize, Vec<TextEdit>)| Change::Rewrite {
            at: self.embedded[string].route.clone(),
            edits,
        };
        edits.into_iter().map(rewrite).collect()
    }

    fn edit_part(&mut self, part: &Part<'c>, changes: &[Change]) -> Vec<TextEdit> {
        let string = &self.embedded[part.embedded];
        if !string.is_editable() {
            let span = string.scalar.span();
            let reason = "it changes a Talos config that is not in a literal block (`|`)";
            self.findings
                .push(cannot_edit(self.file, &CannotEdit { span, reason }));
            return Vec::new();
        }
        let text = string.scalar.text().unwrap_or_default();
        let range = string.stream.documents[part.document].range();
        yaml::edit(text, &range, changes).unwrap_or_else(|refused| {
            let span = string.outer(&refused.span);
            self.findings
                .push(cannot_edit(self.file, &CannotEdit { span, ..refused }));
            Vec::new()
        })
    }

    /// Records a finding whose places are in the part's text, moved to where that is in the manifest.
    pub(super) fn push_inner(&mut self, part: &Part<'c>, mut finding: Diagnostic) {
        for place in &mut finding.places {
            place.span = place
                .span
                .take()
                .map(|span| self.embedded[part.embedded].outer(&span));
        }
        self.findings.push(finding);
    }

    /// The place of a node of a part, in the manifest.
    pub(super) fn inner_place(&self, part: &Part<'c>, node: Node<'_>) -> Place {
        Place::new(self.file, self.embedded[part.embedded].outer(&node.span()))
    }

    /// Is the part a strategic patch of v1alpha1 fields (`data` counts only until JSON patches replace
    /// the owned parent)?
    pub(super) fn applies(&self, part: &Part<'c>, parent: OwnedParent) -> bool {
        part.content == Content::V1Alpha1
            && !(self.embedded[part.embedded].is_base && self.owned.contains_key(&parent))
    }
}

pub(super) fn not_a_mapping(file: &Arc<SourceFile>, node: Node<'_>) -> Diagnostic {
    wrong_shape(file, node, "a mapping is needed here, to merge into")
}
