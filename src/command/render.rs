//! `hydrant render`: the manifests of some clusters, or of all, as one stream.
//!
//! A cluster that did not opt in is copied: its manifests are never parsed. One failing cluster leaves
//! the run without any output.

mod facts;
mod stream;

use self::facts::GatheredFacts;
use super::{Invocation, Outcome, Piece};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::edge::tree::FleetRoot;
use crate::fleet::{
    ClusterDefinition, ClusterName, FleetRepo, InvalidName, Platform, no_such_cluster,
};
use crate::manifest::{Block, HydratedTarget};
use crate::plan::{self, HydratedFile};
use crate::secret::Secret;
use crate::settings::ClusterSettings;
use crate::talos::NodeAddress;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whose manifests.
    pub clusters: Selection,
    /// Print named placeholders where facts would stand.
    pub redact: bool,
    /// The registry's address, where it was said on the command line or in the environment.
    pub address: Option<SaidAddress>,
}

/// An address beside who said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidAddress {
    /// As it was typed.
    pub value: String,
    /// `--address` or `REGISTRY_ADDRESS`.
    pub by: &'static str,
}

impl SaidAddress {
    /// The address in its usual spelling.
    pub(super) fn parse(&self) -> Result<Secret<String>, Diagnostic> {
        let address = NodeAddress::parse(&self.value).map_err(|why| {
            let message = format!("the address that {} gives cannot be used: {why}", self.by);
            let help = "give one IPv4 or IPv6 unicast address";
            Diagnostic::new(Code::InvalidAddress, message, help)
        })?;
        Ok(Secret::new(address.ip().to_string()))
    }
}

/// Which clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every one there is.
    All,
    /// These, by name as it was typed.
    Named(Vec<String>),
}

/// Renders.
pub fn run(invocation: &Invocation, request: &Request) -> Outcome {
    let mut outcome = Outcome::default();
    match gather(invocation, &request.clusters) {
        Ok((root, mut repo)) => {
            outcome.findings = std::mem::take(&mut repo.findings);
            render_all(invocation, request, &root, &repo, &mut outcome);
        }
        Err(findings) => outcome.findings = findings,
    }
    if outcome.findings.iter().any(Diagnostic::is_error) {
        outcome.output.clear();
    }
    outcome.output = stream::join(std::mem::take(&mut outcome.output));
    outcome
}

fn render_all(
    invocation: &Invocation,
    request: &Request,
    root: &FleetRoot,
    repo: &FleetRepo,
    outcome: &mut Outcome,
) {
    let platform = repo.platform.as_ref();
    let clusters = repo.resolvable();
    let resolved = resolve_each(clusters, platform, request.address.is_some(), outcome);
    let facts = facts::gather(invocation, request, root, resolved.values(), outcome);
    let rendered: Vec<_> = repo
        .clusters
        .par_iter()
        .map(|cluster| match resolved.get(&cluster.name.value) {
            Some(settings) => hydrate(root, platform, cluster, settings, &facts),
            None if cluster.is_opted_in() => Ok(Rendered::default()),
            None => copy(root, cluster),
        })
        .collect();
    for cluster in rendered {
        match cluster {
            Ok(rendered) => {
                outcome.output.extend(rendered.pieces);
                outcome.findings.extend(rendered.warnings);
                outcome.details.extend(rendered.details);
            }
            Err(findings) => outcome.findings.extend(findings),
        }
    }
    if !outcome.findings.iter().any(Diagnostic::is_error) {
        tell_sources(request, &resolved, outcome);
    }
}

/// The settings of every cluster that opted in. What is wrong with a value of the platform is told
/// once, not for every cluster that takes it.
fn resolve_each<'c>(
    clusters: &'c [ClusterDefinition],
    platform: Option<&Platform>,
    address_is_given: bool,
    outcome: &mut Outcome,
) -> BTreeMap<&'c ClusterName, ClusterSettings> {
    let (mut resolved, mut told) = (BTreeMap::new(), BTreeSet::new());
    for cluster in clusters.iter().filter(|cluster| cluster.is_opted_in()) {
        let findings = match ClusterSettings::resolve(cluster, platform, address_is_given) {
            Ok(mut settings) => {
                let warnings = std::mem::take(&mut settings.warnings);
                resolved.insert(&cluster.name.value, settings);
                warnings
            }
            Err(findings) => findings,
        };
        let fresh = findings
            .into_iter()
            .filter(|finding| told.insert(identity(finding)));
        outcome.findings.extend(fresh);
    }
    resolved
}

/// What makes two findings the same one. The help counts: it may name what each cluster has to do.
fn identity(finding: &Diagnostic) -> (Code, String, String, Vec<String>) {
    let places = finding.places.iter().map(Place::locator).collect();
    let (message, help) = (finding.message.clone(), finding.help.clone());
    (finding.code, message, help, places)
}

/// Which source of the address won; the value itself is never told.
fn tell_sources(
    request: &Request,
    resolved: &BTreeMap<&ClusterName, ClusterSettings>,
    outcome: &mut Outcome,
) {
    let is_few = matches!(request.clusters, Selection::Named(_));
    let lines = if is_few {
        &mut outcome.notes
    } else {
        &mut outcome.details
    };
    for (cluster, settings) in resolved {
        let Some(address) = settings
            .trust
            .as_ref()
            .and_then(|trust| trust.address.as_ref())
        else {
            continue;
        };
        let said_by = request.address.as_ref().map_or("", |address| address.by);
        let at = address
            .origin
            .at
            .as_ref()
            .map_or(said_by.to_string(), Place::locator);
        lines.push(format!("{cluster}: the registry's address is from {at}"));
    }
}

/// The clusters that were asked for, as the repository says them.
pub(super) fn gather(
    invocation: &Invocation,
    clusters: &Selection,
) -> Result<(FleetRoot, FleetRepo), Vec<Diagnostic>> {
    let here = &invocation.environment.working_directory;
    let root = FleetRoot::find(here, invocation.fleet.as_deref()).map_err(|it| vec![it])?;
    let repo = match clusters {
        Selection::All => all(&root),
        Selection::Named(names) => some(&root, names)?,
    };
    Ok((root, repo))
}

fn all(root: &FleetRoot) -> FleetRepo {
    let mut repo = FleetRepo::read(root.read_all());
    if repo.clusters.is_empty() && repo.findings.is_empty() {
        let message = "the fleet has no cluster";
        let help = "a cluster is a folder of the fleet that holds a `cluster-config.yaml`";
        repo.findings
            .push(Diagnostic::new(Code::NoCluster, message, help));
    }
    repo
}

fn some(root: &FleetRoot, typed: &[String]) -> Result<FleetRepo, Vec<Diagnostic>> {
    let mut names = BTreeSet::new();
    let mut findings = Vec::new();
    for typed in typed {
        match typed.parse::<ClusterName>() {
            Ok(name) => {
                names.insert(name);
            }
            Err(InvalidName(reason)) => {
                let message = format!("{typed:?} {reason}");
                let help = "name the cluster as its folder is called, without a path";
                findings.push(Diagnostic::new(Code::ClusterName, message, help));
            }
        }
    }
    let names: Vec<ClusterName> = names.into_iter().collect();
    let files = root.read_some(&names);
    let seen: BTreeSet<String> = files.cluster_names().map(str::to_owned).collect();
    // A folder that could not be looked into has its finding.
    let is_told = |name: &ClusterName| {
        let folder = root.shown(name.as_str());
        let mut places = files.findings.iter().flat_map(|finding| &finding.places);
        places.any(|place| place.file.path() == folder)
    };
    let unseen = names.iter().filter(|name| !seen.contains(name.as_str()));
    let unseen: Vec<&ClusterName> = unseen.filter(|name| !is_told(name)).collect();
    if !unseen.is_empty() {
        let known = root.cluster_names().map_err(|finding| vec![finding])?;
        let known = || known.iter().map(String::as_str);
        findings.extend(
            unseen
                .into_iter()
                .map(|name| no_such_cluster(name.as_str(), known())),
        );
    }
    let mut repo = FleetRepo::read(files);
    findings.append(&mut repo.findings);
    repo.findings = findings;
    Ok(repo)
}

/// A cluster's output, and what there is to say about it.
#[derive(Default)]
struct Rendered {
    pieces: Vec<Piece>,
    warnings: Vec<Diagnostic>,
    details: Vec<String>,
}

fn copy(root: &FleetRoot, cluster: &ClusterDefinition) -> Result<Rendered, Vec<Diagnostic>> {
    let copied = read_each(cluster, |path| root.read_bytes(path))?;
    let pieces = copied.into_iter().map(Piece::Committed).collect();
    Ok(Rendered {
        pieces,
        ..Rendered::default()
    })
}

fn hydrate(
    root: &FleetRoot,
    platform: Option<&Platform>,
    cluster: &ClusterDefinition,
    settings: &ClusterSettings,
    facts: &GatheredFacts,
) -> Result<Rendered, Vec<Diagnostic>> {
    let intent = settings.intent(cluster, facts.sources());
    let manifests = read_each(cluster, |path| root.read_text(path));
    let (intent, manifests) = match (intent, manifests) {
        (Ok(intent), Ok(manifests)) => (intent, manifests),
        (intent, manifests) => {
            let wrong = intent.err().into_iter().chain(manifests.err());
            return Err(wrong.flatten().collect());
        }
    };
    let plan = plan::hydrate_cluster(cluster, platform, &intent, &manifests)?;
    let piece = |file| match file {
        HydratedFile::Unchanged(file) => Piece::Committed(file.text().as_bytes().to_vec()),
        HydratedFile::Changed(text) => Piece::Hydrated(text),
    };
    let details = plan
        .targets
        .iter()
        .map(|target| detail(cluster, target))
        .collect();
    let pieces = plan.files.into_iter().map(piece).collect();
    Ok(Rendered {
        pieces,
        warnings: plan.warnings,
        details,
    })
}

/// What was done to a target, and what applying that over the committed object would do to machines.
///
/// A control plane is replaced when anything in its patches changes (CACPPT compares them deeply); a
/// worker template cannot be changed in place (CABPT's webhook).
fn detail(cluster: &ClusterDefinition, target: &HydratedTarget) -> String {
    let what = match (target.is_changed, target.name.block) {
        (false, _) => "already says all of it; unchanged",
        (true, Block::ControlPlane | Block::Init) => {
            "hydrated; applied over the committed object this replaces its control-plane machines"
        }
        (true, Block::Template | Block::Config) => {
            "hydrated; the committed object, once applied, can only be replaced under a new name"
        }
    };
    format!("{}: {}: {what}", cluster.name.value, target.name)
}

/// Every manifest of the cluster, or what is wrong with each that cannot be read.
pub(super) fn read_each<T>(
    cluster: &ClusterDefinition,
    read: impl Fn(&PathBuf) -> Result<T, Diagnostic>,
) -> Result<Vec<T>, Vec<Diagnostic>> {
    let (mut texts, mut findings) = (Vec::new(), Vec::new());
    for manifest in &cluster.manifests {
        let path = PathBuf::from(cluster.name.value.as_str()).join(&manifest.value);
        match read(&path) {
            Ok(text) => texts.push(text),
            Err(finding) => findings.push(finding.at(manifest.at.clone().labelled("named here"))),
        }
    }
    if findings.is_empty() {
        Ok(texts)
    } else {
        Err(findings)
    }
}
