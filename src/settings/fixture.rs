//! Repositories of one cluster, for the tests of this room.

use super::ClusterSettings;
use crate::diagnostic::Diagnostic;
use crate::fleet::{ClusterFolder, FleetFiles, FleetRepo};
use crate::text::SourceFile;
use std::sync::Arc;

/// What a repository with the cluster `a` says: `definition` behind its name and type, and `platform`
/// behind its head, unless that is empty.
pub(super) fn repo(definition: &str, platform: &str) -> FleetRepo {
    let file = |path: &str, text: String| Some(Ok(Arc::new(SourceFile::new(path, text))));
    let head = "apiVersion: hydrant.dev/v1alpha1\nkind: Platform\n";
    let platform = (!platform.is_empty())
        .then(|| file("platform.yaml", format!("{head}{platform}")))
        .flatten();
    let folder = ClusterFolder {
        name: "a".to_string(),
        definition: file(
            "a/cluster-config.yaml",
            format!("name: a\ntype: talos\n{definition}"),
        ),
        misnamed: None,
    };
    FleetRepo::read(FleetFiles {
        platform,
        folders: vec![folder],
        findings: Vec::new(),
    })
}

/// The cluster's settings, or everything that is wrong with the files or with what they say.
pub(super) fn settings(
    definition: &str,
    platform: &str,
) -> Result<ClusterSettings, Vec<Diagnostic>> {
    let repo = repo(definition, platform);
    if repo.findings.iter().any(Diagnostic::is_error) {
        return Err(repo.findings);
    }
    ClusterSettings::resolve(&repo.clusters[0], repo.platform.as_ref(), false)
}
