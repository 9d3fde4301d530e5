//! The fleet as a whole: its platform and its clusters.

use super::{ClusterDefinition, ClusterName, Platform};
use crate::diagnostic::{Code, Diagnostic, Place, did_you_mean};
use crate::text::SourceFile;
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The file name of a cluster's definition.
pub const DEFINITION: &str = "cluster-config.yaml";

/// The file name of the platform's defaults.
pub const PLATFORM: &str = "platform.yaml";

/// A fleet's files as they were read; nothing in them is understood yet.
#[derive(Debug, Default)]
pub struct FleetFiles {
    /// The platform's defaults, where there is such a file; or why it could not be read.
    pub platform: Option<Result<Arc<SourceFile>, Diagnostic>>,
    /// The cluster folders, by name.
    pub folders: Vec<ClusterFolder>,
    /// What could not be looked at.
    pub findings: Vec<Diagnostic>,
}

/// A folder that may be a cluster's.
#[derive(Debug)]
pub struct ClusterFolder {
    /// Its own name.
    pub name: String,
    /// `cluster-config.yaml`, where there is one; or why it could not be read.
    pub definition: Option<Result<Arc<SourceFile>, Diagnostic>>,
    /// A definition under a name that is not read, `cluster-config.yml`, as a user would type its path.
    pub misnamed: Option<PathBuf>,
}

impl FleetFiles {
    /// The names of the folders that hold a definition, readable or not, under any name.
    pub fn cluster_names(&self) -> impl Iterator<Item = &str> {
        let clusters = self.folders.iter();
        let clusters = clusters.filter(|it| it.definition.is_some() || it.misnamed.is_some());
        clusters.map(|folder| folder.name.as_str())
    }
}

/// What the repository says.
#[derive(Debug, Default)]
pub struct FleetRepo {
    /// The platform's defaults.
    pub platform: Option<Platform>,
    /// Is there a platform's file, and something wrong with it? Then nothing follows from what it lacks.
    pub platform_is_unusable: bool,
    /// The clusters whose definitions could be understood, by name.
    pub clusters: Vec<ClusterDefinition>,
    /// Everything that is wrong, in the order of the files.
    pub findings: Vec<Diagnostic>,
}

impl FleetRepo {
    /// The clusters whose settings can be resolved: none where the platform's file is wrong, because
    /// then its own finding is the one that helps.
    pub fn resolvable(&self) -> &[ClusterDefinition] {
        if self.platform_is_unusable {
            &[]
        } else {
            &self.clusters
        }
    }

    /// Understands what was read.
    pub fn read(files: FleetFiles) -> Self {
        let mut findings = files.findings;
        let has_platform = files.platform.is_some();
        let platform = files.platform.and_then(|file| {
            let (platform, wrong) = understand(file, Platform::read);
            findings.extend(wrong);
            platform
        });
        let read = files.folders.into_par_iter().map(read_folder);
        let mut clusters = Vec::new();
        for (cluster, wrong) in read.collect::<Vec<_>>() {
            clusters.extend(cluster);
            findings.extend(wrong);
        }
        findings.extend(duplicates(&clusters));
        clusters.retain(|(folder, cluster)| folder == cluster.name.value.as_str());
        let mut clusters: Vec<_> = clusters.into_iter().map(|(_, cluster)| cluster).collect();
        clusters.sort_by(|left, right| left.name.value.cmp(&right.name.value));
        Self {
            platform_is_unusable: has_platform && platform.is_none(),
            platform,
            clusters,
            findings,
        }
    }
}

type Understood<T> = (Option<T>, Vec<Diagnostic>);

fn understand<T>(
    file: Result<Arc<SourceFile>, Diagnostic>,
    read: impl Fn(&Arc<SourceFile>) -> Understood<T>,
) -> Understood<T> {
    match file {
        Ok(file) => {
            let (understood, findings) = read(&file);
            let usable = !findings.iter().any(Diagnostic::is_error);
            (understood.filter(|_| usable), findings)
        }
        Err(finding) => (None, vec![finding]),
    }
}

/// The cluster of a folder, beside the folder's name.
fn read_folder(folder: ClusterFolder) -> Understood<(String, ClusterDefinition)> {
    let Some(definition) = folder.definition else {
        let misnamed = folder.misnamed.map(|path| {
            Diagnostic::new(
                Code::MisnamedDefinition,
                format!("a definition must be called `{DEFINITION}`"),
                format!("rename it to `{DEFINITION}`"),
            )
            .at(Place::whole(&Arc::new(SourceFile::unread(path))))
        });
        return (None, misnamed.into_iter().collect());
    };
    let (cluster, mut findings) = understand(definition, ClusterDefinition::read);
    if let Some(path) = folder.misnamed {
        let second = Arc::new(SourceFile::unread(path));
        let finding = Diagnostic::new(
            Code::TwoDefinitions,
            format!("the folder `{}` holds two definitions", folder.name),
            format!("keep `{DEFINITION}` and remove this one"),
        );
        findings.push(finding.at(Place::whole(&second)));
    }
    if let Some(cluster) = cluster
        .as_ref()
        .filter(|it| it.name.value.as_str() != folder.name)
    {
        findings.push(misplaced(&folder.name, cluster));
    }
    (cluster.map(|cluster| (folder.name, cluster)), findings)
}

fn misplaced(folder: &str, cluster: &ClusterDefinition) -> Diagnostic {
    let name = &cluster.name;
    let help = match folder.parse::<ClusterName>() {
        Ok(_) => format!(
            "write `name: {folder}`, or rename the folder to `{}`",
            name.value
        ),
        Err(_) => format!("rename the folder to `{}`", name.value),
    };
    let message = format!(
        "the cluster `{}` is defined in the folder `{folder}`",
        name.value
    );
    Diagnostic::new(Code::ClusterName, message, help).at(name.at.clone())
}

fn duplicates(clusters: &[(String, ClusterDefinition)]) -> Vec<Diagnostic> {
    let mut first: HashMap<&ClusterName, &ClusterDefinition> = HashMap::new();
    let mut findings = Vec::new();
    for (_, cluster) in clusters {
        if let Some(earlier) = first.get(&cluster.name.value) {
            findings.push(
                Diagnostic::new(
                    Code::DuplicateCluster,
                    format!(
                        "a second definition of the cluster `{}`",
                        cluster.name.value
                    ),
                    "give each cluster its own name, which is its folder's",
                )
                .at(cluster.name.at.clone())
                .at(earlier.name.at.clone().labelled("the first")),
            );
        } else {
            first.insert(&cluster.name.value, cluster);
        }
    }
    findings
}

/// There is no cluster of that name; `known` are the names of the folders there are.
pub fn no_such_cluster<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Diagnostic {
    let help = match did_you_mean(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("a cluster is a folder of the fleet that holds a `{DEFINITION}`"),
    };
    Diagnostic::new(
        Code::NoCluster,
        format!("there is no cluster `{name}`"),
        help,
    )
}

#[cfg(test)]
mod tests;
