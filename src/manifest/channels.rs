//! Which of a target's patch lists its provider takes, and what stands in one that it does not.

use super::embedded::Embedded;
use super::operations::Operation;
use super::target::Target;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{Delivery, GenerateType, ProviderVersion, TalosVersion, decide};
use crate::text::SourceFile;
use crate::yaml::{Node, Reading};
use std::sync::Arc;

/// The target's version and what it accepts; `None` after a finding that leaves nothing to go by.
pub(super) fn delivery_of(
    file: &Arc<SourceFile>,
    target: &Target<'_>,
    embedded: &[Embedded<'_>],
    provider: Option<ProviderVersion>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(Option<TalosVersion>, Delivery)> {
    let said = said(target, "talosVersion");
    // `1.11` without quotes is a number, which the API server rejects (and `1.10` would be 1.1).
    let talos = said
        .and_then(|node| node.resolved().string(Reading::Kubernetes))
        .and_then(TalosVersion::parse);
    if let (Some(node), None) = (said, talos) {
        findings.push(no_version(target, node).at(Place::new(file, node.span())));
        return None;
    }
    let Ok(delivery) = decide(talos, base_of(target, embedded), provider) else {
        let finding = Diagnostic::new(
            Code::TalosVersionUnset,
            format!("{} has no `talosVersion`", target.name),
            "set `talosVersion`, or `providers.bootstrap` in platform.yaml",
        );
        findings.push(finding.at(Place::new(file, target.spec.span())));
        return None;
    };
    Some((talos, delivery))
}

/// A key of the target's spec that says something.
fn said<'d>(target: &Target<'d>, key: &str) -> Option<Node<'d>> {
    target.spec.get(key).filter(|node| !node.is_null())
}

fn base_of(target: &Target<'_>, embedded: &[Embedded<'_>]) -> GenerateType {
    let generate_type = said(target, "generateType").and_then(|node| node.resolved().text());
    if generate_type != Some("none") {
        return GenerateType::Generated;
    }
    let data = embedded.iter().find(|string| string.is_base);
    let documents = data.map_or(1, |data| {
        let documents = data.stream.documents.iter();
        documents
            .filter(|document| document.root().is_some())
            .count()
    });
    GenerateType::Data { documents }
}

fn no_version(target: &Target<'_>, node: Node<'_>) -> Diagnostic {
    let text = node.resolved().text().unwrap_or_default();
    let (what, help) = if text.contains("${") {
        (
            "is substituted later, so hydrant cannot know what its provider accepts",
            "write the version out: which patches a target takes depends on it",
        )
    } else {
        (
            "is not one that the provider accepts",
            "write it like v1.11 or v1.11.6",
        )
    };
    let message = format!("the `talosVersion` of {} {what}", target.name);
    Diagnostic::new(Code::TalosVersionInvalid, message, help)
}

/// What stands in a list, or asks for something, that the provider does not take for this target.
pub(super) fn check_channels(
    file: &Arc<SourceFile>,
    target: &Target<'_>,
    delivery: Delivery,
    operations: &[Operation<'_>],
    findings: &mut Vec<Diagnostic>,
) {
    let name = &target.name;
    let mut report = |node: Node<'_>, code, message: String, help: &str| {
        findings.push(Diagnostic::new(code, message, help).at(Place::new(file, node.span())));
    };
    if let Some(first) = operations.first().filter(|_| !delivery.json_patches) {
        let message = format!("{name} has JSON patches, and its config has several documents");
        let help = "write them as `strategicPatches`: `hydrant fix --to VERSION` migrates what hydrant owns";
        report(first.item, Code::JsonPatchOnDocuments, message, help);
    }
    let strategic = said(target, "strategicPatches").filter(|list| list.items().next().is_some());
    if let Some(list) = strategic.filter(|_| !delivery.strategic_patches) {
        let message = format!("{name} has `strategicPatches`, which its provider lacks");
        let help = "upgrade the bootstrap provider to v0.6.5 or later, or use `configPatches`";
        report(list, Code::NoStrategicPatches, message, help);
    }
    let source = said(target, "hostname").and_then(|hostname| hostname.get("source"));
    let source = source.filter(|source| !source.is_null());
    if let Some(source) = source.filter(|_| said(target, "talosVersion").is_none()) {
        let message = format!("{name} has `hostname.source` and no `talosVersion`");
        report(
            source,
            Code::HostnameWithoutVersion,
            message,
            "set `talosVersion`",
        );
    }
    if delivery.untested_pair {
        let message = format!("{name} is from Talos 1.12 on, its provider is older");
        let help = "upgrade the bootstrap provider to v0.6.11 or later";
        report(target.spec, Code::UntestedPair, message, help);
    }
}
