//! `hydrant fix`: committed manifests, rewritten where hydration refuses them and a proof allows it.
//!
//! It opens no store and asks nobody: it works on what is committed. All files are written or none.

use super::render::{Selection, gather, read_each};
use super::{Invocation, Outcome, Piece};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::edge::disk::{self, DiskError, Replacement};
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

struct Repaired {
    repair: ClusterRepair,
    /// Where the files are that change, in their order.
    paths: Vec<PathBuf>,
}

/// Repairs.
pub fn run(invocation: &Invocation, request: &Request) -> Outcome {
    let mut outcome = Outcome::default();
    let (root, mut repo) = match gather(invocation, &request.clusters) {
        Ok(gathered) => gathered,
        Err(findings) => {
            outcome.findings = findings;
            return outcome;
        }
    };
    outcome.findings = std::mem::take(&mut repo.findings);
    let platform = repo.platform.as_ref();
    let clusters = repo.resolvable().par_iter().filter(|it| it.is_opted_in());
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
    let path_of = |changed: &RepairedFile| {
        let mut files = files.iter();
        let found = files.find(|(_, file)| Arc::ptr_eq(file, &changed.file));
        found.map(|(path, _)| path.clone())
    };
    let paths = repair.files.iter().filter_map(path_of).collect();
    Ok(Repaired { repair, paths })
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

fn finish(request: &Request, repaired: &[Repaired], outcome: &mut Outcome) {
    let changed = repaired
        .iter()
        .flat_map(|it| it.paths.iter().zip(&it.repair.files));
    if request.is_dry {
        let diff = |(_, it): (_, &RepairedFile)| {
            Piece::Diff(report::diff(it.file.path(), it.file.text(), &it.text))
        };
        outcome.output.extend(changed.clone().map(diff));
    } else {
        let replacements: Vec<_> = changed
            .clone()
            .map(|(path, it)| Replacement {
                path,
                old: it.file.text().as_bytes(),
                new: it.text.as_bytes(),
            })
            .collect();
        if let Err(error) = disk::replace_all(&replacements) {
            let named = |(path, _): &(&PathBuf, &RepairedFile)| **path == error.path;
            let shown = changed.clone().find(named);
            let shown = shown.map_or(error.path.as_path(), |(_, it)| it.file.path());
            return outcome.findings.push(unwritten(shown, &error));
        }
    }
    if changed.count() == 0 && outcome.notes.is_empty() {
        outcome.notes.push("there is nothing to fix".into());
    }
    for Repaired { repair, .. } in repaired {
        outcome.notes.extend(report::words_of_repair(repair));
        outcome.details.extend(report::proof_of_repair(repair));
    }
}

fn unwritten(path: &Path, error: &DiskError) -> Diagnostic {
    let message = format!("it cannot be replaced: {}", error.reason());
    let help = "no file was changed: put it right, and run it again";
    let file = Arc::new(SourceFile::unread(path));
    Diagnostic::new(Code::UnwritableFile, message, help).at(Place::whole(&file))
}
