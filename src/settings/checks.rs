//! What is wrong, or will have no effect, in what a cluster's settings say together.
//!
//! The rules are Talos' own: how it looks registries up, what its puller refuses and what it silently
//! ignores. Values that are already in manifests are judged by `manifest`.

mod hosts;
mod mirrors;
mod values;

use super::ClusterSettings;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{ClusterDefinition, HostName, Mirror, MirrorKey, Placed, TlsSettings};
use crate::talos::Endpoint;

/// Every finding on the settings that count. What lost is not judged: it reaches no machine.
pub(super) fn check(settings: &ClusterSettings, definition: &ClusterDefinition) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let endpoints = mirrors::check(settings, &mut findings);
    hosts::check(settings, &endpoints, &mut findings);
    values::check(settings, definition, &endpoints, &mut findings);
    check_verification(settings, definition, &mut findings);
    findings
}

/// An endpoint of a mirror that counts, understood.
struct Spoken<'s> {
    key: &'s Placed<MirrorKey>,
    mirror: &'s Mirror,
    endpoint: Endpoint,
    at: &'s Place,
}

/// Does it say something that a node would do, rather than an empty block?
fn says_tls(tls: &TlsSettings) -> bool {
    tls.ca.is_some() || tls.client_identity.is_some() || skips_verification(tls).is_some()
}

fn skips_verification(tls: &TlsSettings) -> Option<&Placed<bool>> {
    let skip = tls.insecure_skip_verify.as_ref();
    skip.filter(|skip| skip.value)
}

/// The host that the cluster trusts, and where that is said.
fn trusted(settings: &ClusterSettings) -> Option<(&HostName, Option<&Place>)> {
    let trust = settings.trust.as_ref()?;
    Some((&trust.host.value, trust.host.origin.at.as_ref()))
}

/// Every host with TLS settings, the trusted one among them, and where they are said.
fn hosts_with_tls(settings: &ClusterSettings) -> impl Iterator<Item = (&HostName, Option<&Place>)> {
    let said = settings.hosts.iter().filter_map(|(host, spoken)| {
        let tls = spoken.tls.as_ref().filter(|tls| says_tls(&tls.value))?;
        Some((host, tls.origin.at.as_ref()))
    });
    let is_new = |host: &HostName| {
        let there = settings.hosts.get(host).and_then(|said| said.tls.as_ref());
        !there.is_some_and(|tls| says_tls(&tls.value))
    };
    let trusted = trusted(settings).filter(|(host, _)| is_new(host));
    said.chain(trusted)
}

/// A finding at a place that may not be known.
fn at(finding: Diagnostic, place: Option<&Place>) -> Diagnostic {
    place.cloned().into_iter().fold(finding, Diagnostic::at)
}

/// Credentials in a URL. The place has no span, because its line would show them.
fn credentials_in(what: &str, place: &Place, help: impl Into<String>) -> Diagnostic {
    let line = place
        .span
        .as_ref()
        .map(|span| place.file.position(span.start).line);
    let line = line.map_or(String::new(), |line| format!(" (line {line})"));
    let message = format!("credentials stand in {what}{line}");
    Diagnostic::new(Code::CredentialsInUrl, message, help).at(Place::whole(&place.file))
}

/// `insecureSkipVerify: true` needs the cluster's own consent, and never stands beside a CA.
fn check_verification(
    settings: &ClusterSettings,
    definition: &ClusterDefinition,
    findings: &mut Vec<Diagnostic>,
) {
    for (host, spoken) in &settings.hosts {
        let Some(tls) = spoken.tls.as_ref().map(|tls| &tls.value) else {
            continue;
        };
        let Some(skip) = skips_verification(tls) else {
            continue;
        };
        if !definition.consents_to_insecure(host) {
            let file = definition.file.path().display();
            findings.push(
                Diagnostic::new(
                    Code::NoConsent,
                    format!(
                        "`insecureSkipVerify: true` for {host}, without this cluster's consent"
                    ),
                    format!(
                        "trust its CA instead, or add `consents: {{insecureSkipVerify: [{host}]}}` \
                         to {file}"
                    ),
                )
                .at(skip.at.clone()),
            );
        }
        let is_trusted = trusted(settings).is_some_and(|(trusted, _)| trusted == host);
        if is_trusted || tls.ca.is_some() {
            findings.push(
                Diagnostic::new(
                    Code::InsecureBesideCa,
                    format!("`insecureSkipVerify: true` for {host}, which has a CA"),
                    "remove it: with the CA in place the registry verifies",
                )
                .at(skip.at.clone()),
            );
        }
    }
}

#[cfg(test)]
mod tests;
