//! Rewriting what hydration refuses, where the rewrite is proven to make the same machines.

use super::bases::{self, Base};
use super::channels::{check_channels, delivery_of};
use super::comments;
use super::compose::{cannot_edit, unreadable};
use super::embedded::{self, Embedded};
use super::engine::Step;
use super::operations::{self, Operation, wrong_shape};
use super::target::{self, Role, Target, TargetName};
use super::{migrate, shorten};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{Form, OwnedParent, ProviderVersion, TalosVersion};
use crate::text::{SourceFile, TextEdit, apply};
use crate::yaml::{self, Change, Document, Reading, Stream};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is wanted of a manifest.
#[derive(Clone, Copy, Debug)]
pub struct FixRequest<'r> {
    /// What hydration would write to: patches around these are consolidated.
    pub parents: &'r [OwnedParent],
    /// The bootstrap provider's release, where the platform says it.
    pub provider: Option<ProviderVersion>,
    /// The Talos version to make every target ready for, 1.12 or later, with its text as it is to be
    /// written; `None` leaves versions alone.
    pub to: Option<(TalosVersion, &'r str)>,
}

/// A manifest's repair.
#[derive(Debug, Default)]
pub struct Fix {
    /// The edits of the committed text, disjoint.
    pub edits: Vec<TextEdit>,
    /// Every target that changes.
    pub targets: Vec<FixedTarget>,
    /// Comments that the edits take with them.
    pub lost_comments: Vec<Place>,
}

/// One target that changes.
#[derive(Clone, Debug)]
pub struct FixedTarget {
    /// Which object and block.
    pub name: TargetName,
    /// Are its machines replaced only when somebody deletes them (`OnDelete`)?
    pub is_patient: bool,
    /// What is done to it.
    pub deeds: Vec<Deed>,
    /// The bases on which the config before and after was found to be the same.
    pub proven_on: Vec<String>,
}

/// One thing done to a target.
#[derive(Clone, Debug)]
pub enum Deed {
    /// JSON patches in and around a parent became one at it, or none.
    Consolidated {
        /// The parent.
        parent: OwnedParent,
        /// The patches, as they are committed.
        patches: Vec<Place>,
    },
    /// All JSON patches became strategic ones.
    Migrated {
        /// The patches, as they are committed.
        patches: Vec<Place>,
        /// How what hydrant owns is said now; `None` where nothing of it was said.
        form: Option<Form>,
    },
    /// `talosVersion` was set.
    Versioned {
        /// What it was; `None` where there was none.
        from: Option<String>,
        /// What it is.
        to: String,
    },
}

/// Repairs every target of the manifest, or says everything that cannot be repaired.
///
/// A file without anything to repair makes no edit. After the edits hydration does not refuse any
/// patch on the parents.
pub fn fix(file: &Arc<SourceFile>, request: FixRequest<'_>) -> Result<Fix, Vec<Diagnostic>> {
    let stream = Stream::parse(file.text()).map_err(|problems| unreadable(file, problems))?;
    let (mut findings, mut fix) = (Vec::new(), Fix::default());
    let mut changes: BTreeMap<usize, Vec<Change>> = BTreeMap::new();
    for target in target::find(file, &stream, &mut findings) {
        let repaired = repair(file, &target, request, &mut findings);
        if let Some((fixed, wanted)) = repaired.filter(|(_, wanted)| !wanted.is_empty()) {
            changes.entry(target.document).or_default().extend(wanted);
            fix.targets.push(fixed);
        }
    }
    for (document, changes) in changes {
        match yaml::edit(file.text(), &stream.documents[document].range(), &changes) {
            Ok(edits) => fix.edits.extend(edits),
            Err(refused) => findings.push(cannot_edit(file, &refused)),
        }
    }
    if !findings.iter().any(Diagnostic::is_error) {
        findings.extend(still_refused(file, &fix.edits, request));
    }
    if findings.iter().any(Diagnostic::is_error) {
        return Err(findings);
    }
    let lost = comments::lost(file.text(), &stream, &fix.edits);
    fix.lost_comments = lost.into_iter().map(|it| Place::new(file, it)).collect();
    Ok(fix)
}

/// A target with its JSON patches, as they are read for repair.
pub(super) struct Subject<'s, 'd> {
    pub(super) file: &'s Arc<SourceFile>,
    pub(super) target: &'s Target<'d>,
    pub(super) operations: &'s [Operation<'d>],
    /// The same, as the provider sees them.
    pub(super) steps: Vec<Step>,
}

impl Subject<'_, '_> {
    /// Where the path of a patch stands.
    pub(super) fn place(&self, index: usize) -> Place {
        Place::new(self.file, self.operations[index].path.span())
    }
}

fn repair(
    file: &Arc<SourceFile>,
    target: &Target<'_>,
    request: FixRequest<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(FixedTarget, Vec<Change>)> {
    let known = findings.len();
    let operations = operations::read(file, target.spec, findings);
    let generate_type = target.spec.get("generateType");
    let has_data = generate_type.and_then(|it| it.resolved().text()) == Some("none");
    let mut embedded = Vec::new();
    if has_data || request.to.is_some() {
        embedded = embedded::read(file, target.spec, &target.route, findings);
    }
    let steps = operations.iter().map(|operation| step(file, operation));
    let steps = steps.collect::<Result<Vec<_>, _>>();
    let steps = steps.map_err(|finding| findings.push(finding)).ok()?;
    if findings.len() > known {
        return None;
    }
    let subject = Subject {
        file,
        target,
        operations: &operations,
        steps,
    };
    let mut fixed = FixedTarget {
        name: target.name.clone(),
        is_patient: target.is_patient,
        deeds: Vec::new(),
        proven_on: Vec::new(),
    };
    let mut changes = match request.to {
        Some((to, _)) if !has_data => {
            migrate::migrate(&subject, &embedded, to, request, &mut fixed, findings)?
        }
        _ => consolidate(&subject, &embedded, request, &mut fixed, findings)?,
    };
    if let Some((to, text)) = request.to {
        match migrate::version(&subject, to, text, &mut fixed) {
            Ok(change) => changes.extend(change),
            Err(finding) => findings.push(finding),
        }
    }
    Some((fixed, changes))
}

fn step(file: &Arc<SourceFile>, operation: &Operation<'_>) -> Result<Step, Diagnostic> {
    let value = operation
        .value
        .map(|node| node.meaning(Reading::Kubernetes));
    let value = value.unwrap_or(Ok(Value::Null));
    Ok(Step {
        op: operation.op.to_string(),
        path: operation
            .path
            .resolved()
            .text()
            .unwrap_or_default()
            .to_string(),
        value: value.map_err(|problem| {
            let span = problem.span;
            let mut finding = wrong_shape(file, operation.item, problem.message);
            finding.places = vec![Place::new(file, span)];
            finding
        })?,
    })
}

/// One patch for many, on the parents that hydration would refuse as they are.
fn consolidate(
    subject: &Subject<'_, '_>,
    embedded: &[Embedded<'_>],
    request: FixRequest<'_>,
    fixed: &mut FixedTarget,
    findings: &mut Vec<Diagnostic>,
) -> Option<Vec<Change>> {
    let troubles = shorten::troubles(subject, request.parents);
    let (file, target) = (subject.file, subject.target);
    let mut unknown = Vec::new();
    let decided = delivery_of(file, target, embedded, request.provider, &mut unknown);
    if let Some((_, delivery)) = decided.filter(|(_, delivery)| !delivery.json_patches) {
        check_channels(file, target, delivery, subject.operations, findings);
        return Some(Vec::new());
    }
    if troubles.is_empty() {
        return Some(Vec::new());
    }
    findings.append(&mut unknown);
    let (talos, _) = decided?;
    let bases = bases_of(target.role, embedded, talos);
    shorten::shorten(subject, troubles, &bases, fixed, findings)
}

/// The target's own `data`, or what the provider generates for its version.
fn bases_of(role: Role, embedded: &[Embedded<'_>], talos: Option<TalosVersion>) -> Vec<Base> {
    let Some(data) = embedded.iter().find(|string| string.is_base) else {
        return bases::of_one_document(role, talos);
    };
    let roots = data.stream.documents.iter().filter_map(Document::root);
    let base = |document| Base {
        maker: "its own `data`".into(),
        document,
    };
    let documents = roots.filter_map(|root| root.meaning(Reading::Kubernetes).ok());
    documents.map(base).collect()
}

/// What hydration would still refuse after the edits: nothing, unless this room errs.
fn still_refused(
    file: &Arc<SourceFile>,
    edits: &[TextEdit],
    request: FixRequest<'_>,
) -> Vec<Diagnostic> {
    if edits.is_empty() {
        return Vec::new();
    }
    let Ok(text) = apply(file.text(), edits) else {
        return vec![not_proven(file, "its edits overlap")];
    };
    let after = Arc::new(SourceFile::new(file.path(), text.to_string()));
    let Ok(stream) = Stream::parse(after.text()) else {
        return vec![not_proven(file, "its edited text is not valid")];
    };
    let mut findings = Vec::new();
    for target in target::find(&after, &stream, &mut findings) {
        let operations = operations::read(&after, target.spec, &mut findings);
        operations::owned(&after, &operations, request.parents, &mut findings);
    }
    let of_file = |finding: Diagnostic| not_proven(file, &format!("after it: {}", finding.message));
    findings.into_iter().map(of_file).collect()
}

fn not_proven(file: &Arc<SourceFile>, why: &str) -> Diagnostic {
    let message = format!("the repair of this file is not proven: {why}");
    let help = "consolidate the patches by hand";
    Diagnostic::new(Code::NotProvable, message, help).at(Place::whole(file))
}

#[cfg(test)]
mod laws;
#[cfg(test)]
pub(super) mod tests;
