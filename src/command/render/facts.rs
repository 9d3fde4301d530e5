//! The facts of a run: every secret that a cluster needs, opened once, checked for its use.

use super::Request;
use crate::command::{Invocation, Outcome};
use crate::diagnostic::{Diagnostic, Place};
use crate::edge::clock;
use crate::edge::terminal::Terminal;
use crate::edge::tree::FleetRoot;
use crate::edge::vault::{Identities, Store};
use crate::secret::{Secret, SecretName};
use crate::settings::{ClusterSettings, Fact, Facts, Need, Required, Sources};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was read, and the address that the call gives.
pub(super) struct GatheredFacts {
    facts: Facts,
    address: Option<Secret<String>>,
    is_redacted: bool,
}

impl GatheredFacts {
    pub(super) fn sources(&self) -> Sources<'_> {
        Sources {
            facts: &self.facts,
            address: self.address.as_ref(),
            is_redacted: self.is_redacted,
        }
    }
}

/// Reads every fact that `settings` need. What is wrong goes to the outcome, each secret once.
///
/// A redacted run opens nothing and needs no key: every fact is its placeholder.
pub(super) fn gather<'s>(
    invocation: &Invocation,
    request: &Request,
    root: &FleetRoot,
    settings: impl Iterator<Item = &'s ClusterSettings>,
    outcome: &mut Outcome,
) -> GatheredFacts {
    let mut required: BTreeMap<(SecretName, Need), Required> = BTreeMap::new();
    for needed in settings.flat_map(ClusterSettings::required) {
        required
            .entry((needed.secret.clone(), needed.need))
            .or_insert(needed);
    }
    let address = given_address(request, outcome);
    let mut facts = Facts::new();
    if request.redact {
        for (secret, need) in required.into_keys() {
            let fact = Fact::placeholder(&secret, need);
            facts.insert(secret, need, fact);
        }
    } else if !required.is_empty() {
        read(invocation, root, required.values(), &mut facts, outcome);
    }
    GatheredFacts {
        facts,
        address,
        is_redacted: request.redact,
    }
}

fn read<'r>(
    invocation: &Invocation,
    root: &FleetRoot,
    required: impl Iterator<Item = &'r Required>,
    facts: &mut Facts,
    outcome: &mut Outcome,
) {
    let store = match Store::open(&root.store()) {
        Ok(store) => store,
        Err(error) => return outcome.findings.extend(error.diagnostics()),
    };
    let (files, environment) = (&invocation.identities, &invocation.environment);
    let identities = Identities::new(files, environment, Arc::new(Terminal));
    let now = clock::seconds_since_epoch();
    for needed in required {
        match store.read(&needed.secret, &identities) {
            Ok(bytes) => match Fact::read(needed, &bytes, now) {
                Ok((fact, warnings)) => {
                    facts.insert(needed.secret.clone(), needed.need, fact);
                    outcome.findings.extend(warnings);
                }
                Err(findings) => outcome.findings.extend(findings),
            },
            Err(error) => error
                .diagnostics()
                .into_iter()
                .for_each(|finding| add(&mut outcome.findings, finding, needed.at.clone())),
        }
    }
    outcome
        .notes
        .extend(identities.notes().iter().map(ToString::to_string));
}

/// Adds a finding about what is named at `at`. One cause, such as a missing identity, keeps every secret
/// closed; it is told once, with all the places.
fn add(findings: &mut Vec<Diagnostic>, finding: Diagnostic, at: Place) {
    let same = findings.iter_mut().find(|told| {
        let own = told.places.get(..finding.places.len());
        (told.code, &told.message) == (finding.code, &finding.message)
            && own == Some(&finding.places[..])
    });
    match same {
        Some(told) => told.places.push(at),
        None => findings.push(finding.at(at)),
    }
}

/// The address of the call; of a redacted run, its placeholder.
fn given_address(request: &Request, outcome: &mut Outcome) -> Option<Secret<String>> {
    let given = request.address.as_ref()?;
    if request.redact {
        return Some(Secret::new(format!("<redacted: {}>", given.by)));
    }
    match given.parse() {
        Ok(address) => Some(address),
        Err(finding) => {
            outcome.findings.push(finding);
            None
        }
    }
}
