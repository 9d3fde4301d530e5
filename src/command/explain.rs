//! `hydrant explain`: why a cluster's settings are what they are.
//!
//! It opens no secret and needs no key: the manifests are hydrated with placeholders, to learn in which
//! form each setting stands, and secrets are told apart by the fingerprints of their files.

use super::render::{SaidAddress, Selection, gather, read_each};
use super::{Invocation, Outcome, Piece};
use crate::diagnostic::{Code, Diagnostic};
use crate::edge::tree::FleetRoot;
use crate::edge::vault::Store;
use crate::fleet::{ClusterDefinition, Platform};
use crate::manifest::HydratedTarget;
use crate::plan;
use crate::report::{Explained, Explanation, Question};
use crate::secret::{Secret, SecretName};
use crate::settings::{Account, Asked, ClusterSettings, Fact, Facts, Sources, account, ask};
use crate::text::SourceFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whose settings, by name as it was typed.
    pub cluster: String,
    /// Which of them: a path on the machine or a key of the definition; all of them where it is `None`.
    pub about: Option<String>,
    /// Is the answer for a program?
    pub as_json: bool,
    /// The registry's address, where it was said on the command line or in the environment.
    pub address: Option<SaidAddress>,
}

/// Explains.
pub fn run(invocation: &Invocation, request: &Request) -> Outcome {
    let mut outcome = Outcome::default();
    if let Some(Err(finding)) = request.address.as_ref().map(SaidAddress::parse) {
        outcome.findings.push(finding);
        return outcome;
    }
    let clusters = Selection::Named(vec![request.cluster.clone()]);
    let (root, repo) = match gather(invocation, &clusters) {
        Ok(gathered) => gathered,
        Err(findings) => {
            outcome.findings = findings;
            return outcome;
        }
    };
    outcome.findings = repo.findings;
    // A value of a file that cannot be read must not be taken for one that nobody says.
    if outcome.findings.iter().any(Diagnostic::is_error) {
        return outcome;
    }
    for cluster in &repo.clusters {
        let platform = repo.platform.as_ref();
        let explanation = if cluster.is_opted_in() {
            explain(&root, cluster, platform, request, &mut outcome.findings)
        } else {
            Some(opted_out(cluster, request))
        };
        outcome.output.extend(explanation.map(|it| {
            Piece::Shown(if request.as_json {
                it.json()
            } else {
                it.table()
            })
        }));
    }
    outcome
}

fn opted_out(cluster: &ClusterDefinition, request: &Request) -> Explanation {
    let question = request.about.as_deref();
    let question = question.map(|asked| unanswered(asked, None));
    let explained = Explained {
        definition: cluster,
        targets: &[],
        manifests: &[],
        fingerprints: &BTreeMap::new(),
        address_by: None,
    };
    Explanation::new(explained, question, &[])
}

fn unanswered(asked: &str, did_you_mean: Option<String>) -> Question {
    Question {
        asked: asked.to_string(),
        is_said: false,
        did_you_mean,
        in_manifests: Vec::new(),
    }
}

fn explain(
    root: &FleetRoot,
    cluster: &ClusterDefinition,
    platform: Option<&Platform>,
    request: &Request,
    findings: &mut Vec<Diagnostic>,
) -> Option<Explanation> {
    let settings = match ClusterSettings::resolve(cluster, platform, request.address.is_some()) {
        Ok(settings) => settings,
        Err(wrong) => {
            findings.extend(wrong);
            return None;
        }
    };
    let accounts = account(cluster, platform, &settings);
    let (mut question, accounts) = match &request.about {
        None => (None, accounts.iter().collect()),
        Some(asked) => match answer(&accounts, asked) {
            Ok((question, accounts)) => (Some(question), accounts),
            Err(finding) => {
                findings.push(finding);
                return None;
            }
        },
    };
    findings.extend(settings.warnings.iter().cloned());
    let manifests = read_each(cluster, |path| root.read_text(path));
    let manifests = manifests.unwrap_or_else(|wrong| {
        findings.extend(wrong);
        Vec::new()
    });
    let targets = targets(cluster, platform, &settings, &manifests, findings);
    let explained = Explained {
        definition: cluster,
        targets: &targets,
        manifests: &manifests,
        fingerprints: &fingerprints(root, &accounts),
        address_by: request.address.as_ref().map(|address| address.by),
    };
    if let Some(question) = question.as_mut().filter(|it| !it.is_said) {
        question.in_manifests = explained.in_manifests(&question.asked);
    }
    Some(Explanation::new(explained, question, &accounts))
}

fn answer<'a>(
    accounts: &'a [Account],
    asked: &str,
) -> Result<(Question, Vec<&'a Account>), Diagnostic> {
    match ask(accounts, asked) {
        Asked::Settings(accounts) => {
            let question = Question {
                is_said: true,
                ..unanswered(asked, None)
            };
            Ok((question, accounts))
        }
        Asked::Unset(near) => Ok((unanswered(asked, near), Vec::new())),
        Asked::Unknown(near) => {
            let message = format!("hydrant neither reads nor writes anything at `{asked}`");
            let help = near.map_or_else(
                || {
                    "ask for a path like `/machine/registries/mirrors/ghcr.io`, or for a key like \
                     `talos.registryMirrors`"
                        .to_string()
                },
                |near| format!("did you mean `{near}`?"),
            );
            Err(Diagnostic::new(Code::UnknownPath, message, help))
        }
    }
}

/// The targets of the manifests, hydrated with placeholders; none where that is not possible, beside the
/// findings that say why.
fn targets(
    cluster: &ClusterDefinition,
    platform: Option<&Platform>,
    settings: &ClusterSettings,
    manifests: &[Arc<SourceFile>],
    findings: &mut Vec<Diagnostic>,
) -> Vec<HydratedTarget> {
    let mut facts = Facts::new();
    for needed in settings.required() {
        let fact = Fact::placeholder(&needed.secret, needed.need);
        facts.insert(needed.secret, needed.need, fact);
    }
    let address = Secret::new("<redacted: registry address>".to_string());
    let sources = Sources {
        facts: &facts,
        address: Some(&address),
        is_redacted: true,
    };
    let plan = settings
        .intent(cluster, sources)
        .and_then(|intent| plan::hydrate_cluster(cluster, platform, &intent, manifests));
    // What cannot be read has its finding, and would look like a manifest without targets here.
    let is_whole = manifests.len() == cluster.manifests.len();
    match plan {
        Ok(plan) => {
            findings.extend(plan.warnings);
            plan.targets
        }
        Err(wrong) => {
            findings.extend(wrong.into_iter().filter(|_| is_whole));
            Vec::new()
        }
    }
}

/// The fingerprints of every secret that the accounts name, as far as the store has it.
fn fingerprints(root: &FleetRoot, accounts: &[&Account]) -> BTreeMap<SecretName, String> {
    let Ok(store) = Store::open(&root.store()) else {
        return BTreeMap::new();
    };
    let statements = accounts.iter().flat_map(|account| {
        let lost = account.lost.iter().map(|lost| &lost.statement);
        account.won.iter().chain(lost)
    });
    let names = statements.flat_map(|statement| statement.value.secrets());
    let known = names.filter_map(|name| Some((name.clone(), store.fingerprint(name).ok()?)));
    known.collect()
}
