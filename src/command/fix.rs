//! `hydrant fix`: committed manifests, rewritten where hydration refuses them and a proof allows it.
//!
//! It opens no store and asks nobody: it works on what is committed. All files are written or none.

use super::render::{Selection, gather, read_each};
use super::{Invocation, Outcome, Piece};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::edge::disk;
use crate::edge::tree::FleetRoot;
use crate::fleet::{ClusterDefinition, Platform};
use crate::plan::{self, ClusterRepair, RepairedFile};
use crate::report;
use crate::settings::ClusterSettings;
use crate::talos::TalosVersion;
use crate::text::SourceFile;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whose manifests.
    pub clusters: Selection,
    /// Print a diff and write nothing.
    pub is_dry: bool,
    /// The Talos version to make every target ready for.
    pub to: Option<Migration>,
}

/// A Talos version to migrate to, 1.12 or later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The version.
    pub version: TalosVersion,
    /// As it was typed, and will be written.
    pub text: String,
}

/// A cluster's repair, and where each of its manifests is, by the path that is shown.
type Repaired = (ClusterRepair, Vec<(PathBuf, Arc<SourceFile>)>);

/// Repairs.
pub fn run(invocation: &Invocation, request: &Request) -> Outcome {
    let mut outcome = Outcome::default();
    let (root, repo) = match gather(invocation, &request.clusters) {
        Ok(gathered) => gathered,
        Err(findings) => {
            outcome.findings = findings;
            return outcome;
        }
    };
    outcome.findings = repo.findings;
    let platform = repo.platform.as_ref();
    let clusters = repo.clusters.par_iter().filter(|it| it.is_opted_in());
    let repaired = clusters.map(|cluster| repair(&root, platform, cluster, request));
    let mut repairs = Vec::new();
    for repaired in repaired.collect::<Vec<_>>() {
        match repaired {
            Ok(repaired) => repairs.push(repaired),
            Err(findings) => outcome.findings.extend(findings),
        }
    }
    tell_untouched(request, &repo.clusters, &mut outcome);
    if !outcome.findings.iter().any(Diagnostic::is_error) {
        finish(request, &repairs, &mut outcome);
    }
    outcome
}

fn repair(
    root: &FleetRoot,
    platform: Option<&Platform>,
    cluster: &ClusterDefinition,
    request: &Request,
) -> Result<Repaired, Vec<Diagnostic>> {
    // An address may still be given when it is needed: a repair needs none.
    let settings = ClusterSettings::resolve(cluster, platform, true)?;
    let files = read_each(cluster, |path| {
        root.read_text(path).map(|file| (root.real(path), file))
    })?;
    let to = request.to.as_ref().map(|to| (to.version, to.text.as_str()));
    let manifests: Vec<_> = files.iter().map(|(_, file)| Arc::clone(file)).collect();
    let repair = plan::repair_cluster(cluster, platform, &settings, &manifests, to)?;
    Ok((repair, files))
}

/// A cluster that was asked for by name and did not opt in stays as it is, and its user hears why.
fn tell_untouched(request: &Request, clusters: &[ClusterDefinition], outcome: &mut Outcome) {
    let is_named = matches!(request.clusters, Selection::Named(_));
    for cluster in clusters.iter().filter(|it| is_named && !it.is_opted_in()) {
        let name = &cluster.name.value;
        outcome
            .notes
            .push(format!("{name}: it did not opt in and stays as it is"));
    }
}

fn finish(request: &Request, repairs: &[Repaired], outcome: &mut Outcome) {
    let changed = repairs.iter().flat_map(|(repair, _)| &repair.files);
    let changed: Vec<&RepairedFile> = changed.collect();
    if request.is_dry {
        let diff = |it: &&RepairedFile| report::diff(it.file.path(), it.file.text(), &it.text);
        let pieces = changed.iter().map(diff).map(Piece::Diff);
        outcome.output.extend(pieces);
    } else {
        let paths = repairs.iter().flat_map(|(_, files)| files);
        let real = |wanted: &RepairedFile| {
            let mut paths = paths.clone();
            let found = paths.find(|(_, file)| Arc::ptr_eq(file, &wanted.file));
            found.map(|(path, _)| (path.clone(), wanted.text.clone().into_bytes()))
        };
        let writes: Vec<_> = changed.iter().filter_map(|it| real(it)).collect();
        if let Err(error) = disk::replace_all(&writes) {
            let mut paths = repairs.iter().flat_map(|(_, files)| files);
            let shown = paths.find(|(path, _)| *path == error.path);
            let shown = shown.map_or(error.path.as_path(), |(_, file)| file.path());
            return outcome.findings.push(unwritten(&error, shown));
        }
    }
    for (repair, _) in repairs {
        outcome.notes.extend(report::words_of_repair(repair));
        outcome.details.extend(report::proof_of_repair(repair));
    }
    if changed.is_empty() {
        outcome.notes.push("there is nothing to fix".into());
    }
}

fn unwritten(error: &disk::DiskError, shown: &Path) -> Diagnostic {
    let message = format!("it cannot be replaced: {}", error.reason());
    let help = "make the file and its folder writable; no file was changed";
    let file = Arc::new(SourceFile::unread(shown));
    Diagnostic::new(Code::UnwritableFile, message, help).at(Place::whole(&file))
}
