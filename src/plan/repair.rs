//! What `fix` would do to a cluster's manifests.

use super::provider;
use crate::diagnostic::{Diagnostic, Place};
use crate::fleet::{ClusterDefinition, Platform};
use crate::manifest::{self, Fix, FixRequest, Reference};
use crate::settings::{ClusterSettings, mirrors_of};
use crate::talos::{OwnedParent, TalosVersion};
use crate::text::{self, SourceFile};
use std::sync::Arc;

/// A cluster's manifests, repaired.
#[derive(Debug)]
pub struct ClusterRepair {
    /// The manifests that change.
    pub files: Vec<RepairedFile>,
    /// Who names a bootstrap template, in any of the manifests.
    pub references: Vec<Reference>,
    /// Where the definition says another Talos minor than the targets now do.
    pub other_version: Option<Place>,
}

/// One manifest that changes.
#[derive(Debug)]
pub struct RepairedFile {
    /// As it is committed.
    pub file: Arc<SourceFile>,
    /// As it is to be.
    pub text: String,
    /// What is done to it.
    pub fix: Fix,
}

/// Repairs every manifest of a cluster that opted in, or says everything that cannot be repaired.
///
/// `to` is the Talos version to make every target ready for, with its text.
pub fn repair_cluster(
    definition: &ClusterDefinition,
    platform: Option<&Platform>,
    settings: &ClusterSettings,
    manifests: &[Arc<SourceFile>],
    to: Option<(TalosVersion, &str)>,
) -> Result<ClusterRepair, Vec<Diagnostic>> {
    let (provider, mut findings) = provider(platform);
    let parents = parents(settings);
    let request = FixRequest {
        parents: &parents,
        provider,
        to,
    };
    let mut files = Vec::new();
    for file in manifests {
        match manifest::fix(file, request) {
            Ok(fix) if fix.edits.is_empty() => {}
            Ok(fix) => {
                let text = text::apply(file.text(), &fix.edits);
                files.push(RepairedFile {
                    file: Arc::clone(file),
                    text: text.expect("the edits are disjoint").to_string(),
                    fix,
                });
            }
            Err(mut wrong) => findings.append(&mut wrong),
        }
    }
    if findings.iter().any(Diagnostic::is_error) {
        return Err(findings);
    }
    Ok(ClusterRepair {
        files,
        references: manifests.iter().flat_map(manifest::references).collect(),
        other_version: to.and_then(|(to, _)| other_version(definition, to)),
    })
}

/// What hydration of the cluster writes to.
fn parents(settings: &ClusterSettings) -> Vec<OwnedParent> {
    let trusts = settings.trust.is_some();
    let has_mirrors = mirrors_of(settings).next().is_some();
    [
        (
            trusts || has_mirrors || !settings.hosts.is_empty(),
            OwnedParent::Registries,
        ),
        (trusts, OwnedParent::HostEntries),
        (
            settings.installer_repository.is_some(),
            OwnedParent::InstallImage,
        ),
    ]
    .into_iter()
    .filter_map(|(is_written, parent)| is_written.then_some(parent))
    .collect()
}

fn other_version(definition: &ClusterDefinition, to: TalosVersion) -> Option<Place> {
    let said = definition.versions.as_ref()?.value.talos.as_ref()?;
    let version = TalosVersion::parse(&said.value)?;
    (version.minor != to.minor).then(|| said.at.clone())
}
