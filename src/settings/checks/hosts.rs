//! `registries.config`: keys that apply to nothing, and credentials.

use super::{Spoken, at, trusted};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{HostName, MirrorKey};
use crate::settings::{ClusterSettings, HostSettings, mirrors_of};
use crate::talos::host_of;

/// Judges the hosts that have TLS settings or credentials of their own.
pub(super) fn check(
    settings: &ClusterSettings,
    endpoints: &[Spoken<'_>],
    findings: &mut Vec<Diagnostic>,
) {
    for (host, said) in &settings.hosts {
        findings.extend(unmatched(settings, endpoints, host, said));
        if let Some(auth) = &said.auth {
            let finding = Diagnostic::new(
                Code::AuthNeedsReboot,
                format!("nodes that already run take credentials for {host} only after a reboot"),
                "reboot them one by one once they have the new config; new machines need nothing",
            );
            findings.push(at(finding, auth.origin.at.as_ref()));
        }
    }
}

/// Where what is said about a host is said.
fn place_of(said: &HostSettings) -> Option<&Place> {
    let tls = said.tls.as_ref().and_then(|tls| tls.origin.at.as_ref());
    tls.or_else(|| said.auth.as_ref().and_then(|auth| auth.origin.at.as_ref()))
}

fn unmatched(
    settings: &ClusterSettings,
    endpoints: &[Spoken<'_>],
    host: &HostName,
    said: &HostSettings,
) -> Option<Diagnostic> {
    let place = place_of(said)?;
    let asked = asked_hosts(settings, endpoints);
    if asked.iter().any(|(name, _)| *name == host.as_str()) {
        return None;
    }
    let other = asked.iter().find(|(name, _)| host_of(name) == host.host());
    if let Some((name, there)) = other {
        let finding = Diagnostic::new(
            Code::PortDiffers,
            format!("settings for {host}, and nodes ask for {name}"),
            format!("write the key as `{name}`, letter by letter as the endpoint's URL has it"),
        );
        let there = there.map(|at| at.clone().labelled("this is where they ask"));
        return Some(at(finding.at(place.clone()), there.as_ref()));
    }
    // Without mirrors every registry is asked directly, and any key may be one.
    mirrors_of(settings).next()?;
    Some(
        Diagnostic::new(
            Code::UnmatchedConfig,
            format!("no endpoint of any mirror is at {host}"),
            "correct the key, or leave it if images are pulled from there without a mirror",
        )
        .at(place.clone()),
    )
}

/// Every host that nodes are told to ask: endpoints, mirrored registries themselves (where the mirror
/// fails), the trusted registry, and the installer's.
fn asked_hosts<'s>(
    settings: &'s ClusterSettings,
    endpoints: &'s [Spoken<'_>],
) -> Vec<(&'s str, Option<&'s Place>)> {
    let listed = endpoints
        .iter()
        .map(|it| (it.endpoint.authority.as_str(), Some(it.at)));
    let mirrored = mirrors_of(settings).filter_map(|(key, _)| match &key.value {
        MirrorKey::Host(host) => Some((host.as_str(), Some(&key.at))),
        MirrorKey::Any => None,
    });
    let trusted = trusted(settings).map(|(host, at)| (host.as_str(), at));
    let installer = settings.installer_repository.as_ref().map(|said| {
        let host = said.value.split('/').next().unwrap_or_default();
        (host, said.origin.at.as_ref())
    });
    listed
        .chain(trusted)
        .chain(installer)
        .chain(mirrored)
        .collect()
}
