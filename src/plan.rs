//! All that would be done to a cluster's manifests, and whether it may be.
//!
//! It reads no file and opens no store: it is handed what the repository says and what the machines must
//! have, and judges the cluster as a whole, where `manifest` judges one file.

mod repair;
mod versions;

pub use repair::{ClusterRepair, RepairedFile, repair_cluster};

use crate::diagnostic::{Code, Diagnostic};
use crate::fleet::{ClusterDefinition, Machines, Placed, Platform};
use crate::manifest::{self, HydratedTarget, Hydration, Request, Role};
use crate::secret::Secret;
use crate::talos::{PatchIntent, ProviderVersion};
use crate::text::{self, SourceFile};
use std::sync::Arc;

/// A cluster's manifests, hydrated.
#[derive(Debug)]
pub struct ClusterPlan {
    /// The manifests, in their order.
    pub files: Vec<HydratedFile>,
    /// Every target of all of them.
    pub targets: Vec<HydratedTarget>,
    /// Findings that do not stop the run.
    pub warnings: Vec<Diagnostic>,
}

/// One manifest after hydration.
#[derive(Debug)]
pub enum HydratedFile {
    /// Nothing had to change. It holds no text of its own, so it cannot differ from what is committed.
    Unchanged(Arc<SourceFile>),
    /// The text with the edits applied.
    Changed(Secret<String>),
}

/// Hydrates every manifest of a cluster that opted in, or says everything that stands in the way.
pub fn hydrate_cluster(
    definition: &ClusterDefinition,
    platform: Option<&Platform>,
    intent: &PatchIntent,
    manifests: &[Arc<SourceFile>],
) -> Result<ClusterPlan, Vec<Diagnostic>> {
    let (provider, mut findings) = provider(platform);
    let request = Request { intent, provider };
    let mut plan = ClusterPlan {
        files: Vec::new(),
        targets: Vec::new(),
        warnings: Vec::new(),
    };
    let mut all_were_read = true;
    for manifest in manifests {
        match manifest::hydrate(manifest, request) {
            Ok(Hydration {
                edits,
                mut targets,
                mut warnings,
            }) => {
                plan.targets.append(&mut targets);
                findings.append(&mut warnings);
                plan.files.push(if edits.is_empty() {
                    HydratedFile::Unchanged(Arc::clone(manifest))
                } else {
                    let text = text::apply(manifest.text(), &edits);
                    HydratedFile::Changed(text.expect("the edits are disjoint").into())
                });
            }
            Err(mut wrong) => {
                all_were_read = false;
                findings.append(&mut wrong);
            }
        }
    }
    if all_were_read {
        findings.extend(missing_roles(definition, &plan.targets));
    }
    findings.append(&mut versions::check(definition, &plan.targets));
    if findings.iter().any(Diagnostic::is_error) {
        return Err(findings);
    }
    plan.warnings = findings;
    Ok(plan)
}

/// The release of the bootstrap provider that the platform says, or what is wrong with it.
fn provider(platform: Option<&Platform>) -> (Option<ProviderVersion>, Vec<Diagnostic>) {
    let said = platform.and_then(|platform| platform.providers.as_ref());
    let Some(said) = said.and_then(|providers| providers.value.bootstrap.as_ref()) else {
        return (None, Vec::new());
    };
    let version = ProviderVersion::parse(&said.value);
    let wrong = version.is_none().then(|| {
        let message = "`providers.bootstrap` is not a release of the Talos bootstrap provider";
        Diagnostic::new(Code::InvalidValue, message, "write it like v0.6.12").at(said.at.clone())
    });
    (version, wrong.into_iter().collect())
}

/// Roles that the definition has machines for, and no target.
fn missing_roles(definition: &ClusterDefinition, targets: &[HydratedTarget]) -> Vec<Diagnostic> {
    let has = |role| targets.iter().any(|target| target.role == role);
    let mut missing = Vec::new();
    let roles = [
        (
            Role::ControlPlane,
            &definition.control_plane,
            "control plane",
            "TalosControlPlane",
        ),
        (
            Role::Worker,
            &definition.workers,
            "workers",
            "TalosConfigTemplate",
        ),
    ];
    for (role, machines, what, kind) in roles {
        if let Some(replicas) = replicas(machines.as_ref()).filter(|_| !has(role)) {
            let message =
                format!("the definition has {what}, and its manifests have no target for them");
            let help = format!(
                "add a {kind} to a manifest, list the file that has it under `manifests`, or set the \
                 replicas to 0"
            );
            missing.push(Diagnostic::new(Code::NoTarget, message, help).at(replicas));
        }
    }
    if missing.is_empty() && targets.is_empty() {
        let message = "the cluster opted in, and its manifests have no target";
        let help = "add a TalosControlPlane or TalosConfigTemplate, or opt the cluster out";
        missing.push(Diagnostic::new(Code::NoTarget, message, help).at(definition.name.at.clone()));
    }
    missing
}

/// Where machines are said, if there are any.
fn replicas(machines: Option<&Placed<Machines>>) -> Option<crate::diagnostic::Place> {
    let replicas = machines?.value.replicas.as_ref()?;
    (replicas.value > 0).then(|| replicas.at.clone())
}
