//! Versions that must go together: of Talos in definition and targets, and of Kubernetes.

use crate::diagnostic::{Code, Diagnostic};
use crate::fleet::{ClusterDefinition, Versions};
use crate::manifest::HydratedTarget;
use crate::talos::{TalosVersion, kubernetes_range};

/// Pairs that upstream does not support. They are warnings: the cluster may be in the middle of an
/// upgrade, and hydration itself does not depend on them.
pub(super) fn check(definition: &ClusterDefinition, targets: &[HydratedTarget]) -> Vec<Diagnostic> {
    let Some(versions) = definition.versions.as_ref() else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let Some(said) = &versions.value.talos else {
        return findings;
    };
    let Some(talos) = TalosVersion::parse(&said.value) else {
        findings.push(
            Diagnostic::new(
                Code::TalosVersionInvalid,
                "`versions.talos` is not a Talos version",
                "write it like v1.11.6",
            )
            .at(said.at.clone()),
        );
        return findings;
    };
    for target in targets {
        if let Some(other) = target.talos.filter(|other| other.minor != talos.minor) {
            findings.push(
                Diagnostic::new(
                    Code::VersionsDiffer,
                    format!("{} says talosVersion {other}, the definition {talos}", target.name),
                    "make the two agree; `talosVersion` is the shape of the config, not what is installed",
                )
                .at(said.at.clone()),
            );
        }
    }
    findings.extend(check_kubernetes(&versions.value, talos));
    findings
}

fn check_kubernetes(versions: &Versions, talos: TalosVersion) -> Option<Diagnostic> {
    let said = versions.kubernetes.as_ref()?;
    let version = TalosVersion::parse(&said.value)?;
    let (min, max) = kubernetes_range(talos)?;
    (version.minor < min || version.minor > max).then(|| {
        let (min, max) = (
            format!("{}.{}", min.0, min.1),
            format!("{}.{}", max.0, max.1),
        );
        Diagnostic::new(
            Code::KubernetesRange,
            format!("Talos {talos} supports Kubernetes {min} to {max}"),
            "choose a Kubernetes version in that range, or a newer Talos",
        )
        .at(said.at.clone())
    })
}
