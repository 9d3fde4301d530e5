//! Mirrors: endpoints that are URLs, and combinations that do nothing.

use super::{Spoken, at, credentials_in, hosts_with_tls};
use crate::diagnostic::{Code, Diagnostic};
use crate::fleet::{HostName, Mirror, MirrorKey, Placed};
use crate::settings::{ClusterSettings, mirrors_of};
use crate::talos::Endpoint;

/// Judges the mirrors that count, and hands on their endpoints as far as they are URLs.
pub(super) fn check<'s>(
    settings: &'s ClusterSettings,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Spoken<'s>> {
    let mut spoken = Vec::new();
    for (key, mirror) in mirrors_of(settings) {
        let said = endpoints_of(&mirror.value);
        if said.is_empty() {
            findings.push(no_endpoints(key, &mirror.value));
        }
        for url in said {
            match Endpoint::parse(&url.value) {
                Ok(endpoint) => {
                    let (mirror, at) = (&mirror.value, &url.at);
                    spoken.push(Spoken {
                        key,
                        mirror,
                        endpoint,
                        at,
                    });
                }
                Err(why) => findings.push(
                    Diagnostic::new(
                        Code::InvalidUrl,
                        format!("an endpoint of the mirror for {} {why}", key.value),
                        "write it like `https://registry.example` or `https://registry.example:5000`",
                    )
                    .at(url.at.clone()),
                ),
            }
        }
    }
    findings.extend(spoken.iter().filter_map(with_credentials));
    findings.extend(spoken.iter().filter_map(path_without_override));
    findings.extend(spoken.iter().filter_map(override_without_path));
    for (host, tls) in hosts_with_tls(settings) {
        let plain = spoken.iter().filter(|it| it.endpoint.is_plain);
        let plain = plain.filter(|it| it.endpoint.authority == host.as_str());
        findings.extend(plain.map(|it| {
            let finding = Diagnostic::new(
                Code::TlsOnHttp,
                format!("{host} has TLS settings, and this endpoint is plain http"),
                "use `https://` here, or remove the TLS settings",
            );
            let tls = tls.map(|at| at.clone().labelled("the TLS settings"));
            at(finding.at(it.at.clone()), tls.as_ref())
        }));
        findings.extend(without_itself(settings, host));
    }
    spoken
}

fn endpoints_of(mirror: &Mirror) -> &[Placed<String>] {
    mirror.endpoints.as_ref().map_or(&[], |said| &said.value)
}

fn no_endpoints(key: &Placed<MirrorKey>, mirror: &Mirror) -> Diagnostic {
    let skips = mirror.skip_fallback.as_ref().filter(|said| said.value);
    let what = match skips {
        Some(_) => "`skipFallback` for a mirror without endpoints",
        None => "a mirror without endpoints",
    };
    let at = skips.map_or(&key.at, |said| &said.at);
    Diagnostic::new(
        Code::NoEndpoints,
        format!(
            "{what}: images of {} are pulled as if it were not there",
            key.value
        ),
        "name an endpoint, or remove the mirror",
    )
    .at(at.clone())
}

/// The line itself is not shown: it would repeat the credentials.
fn with_credentials(spoken: &Spoken<'_>) -> Option<Diagnostic> {
    spoken.endpoint.has_credentials.then(|| {
        let host = &spoken.endpoint.authority;
        let help = format!(
            "revoke them, store new ones with `hydrant secret set`, and name that secret at \
             `registries.config.{host}.auth`"
        );
        let what = format!("the URL of an endpoint at {host}");
        credentials_in(&what, spoken.at, help)
    })
}

fn path_without_override(spoken: &Spoken<'_>) -> Option<Diagnostic> {
    let path = &spoken.endpoint.path;
    let is_open = spoken.mirror.override_path.is_none();
    (is_open && !path.is_empty() && path != "/v2").then(|| {
        Diagnostic::new(
            Code::PathEndpoint,
            format!("nodes will ask for {path}/v2 here, because `overridePath` is not said"),
            "add `overridePath: true` to take the path as it is, or `overridePath: false` if this is meant",
        )
        .at(spoken.at.clone())
    })
}

fn override_without_path(spoken: &Spoken<'_>) -> Option<Diagnostic> {
    let said = spoken.mirror.override_path.as_ref()?;
    (said.value && spoken.endpoint.path.is_empty()).then(|| {
        Diagnostic::new(
            Code::PathEndpoint,
            "`overridePath: true` for an endpoint without a path: nodes will not ask for /v2 there",
            "add the path, such as `/v2`, to the endpoint, or remove `overridePath`",
        )
        .at(spoken.at.clone())
        .at(said.at.clone().labelled("said here"))
    })
}

/// The registry of `host` is also mirrored, and its mirror does not list it.
fn without_itself(settings: &ClusterSettings, host: &HostName) -> Option<Diagnostic> {
    let mirrors = &settings.mirrors.as_ref()?.value;
    let is_of_host = |key: &MirrorKey| matches!(key, MirrorKey::Host(name) if name == host);
    let (key, mirror) = mirrors.0.iter().find(|(key, _)| is_of_host(&key.value))?;
    let skips = mirror.value.skip_fallback.as_ref();
    let lists_itself = endpoints_of(&mirror.value)
        .iter()
        .any(|url| Endpoint::parse(&url.value).is_ok_and(|it| it.authority == host.as_str()));
    if lists_itself || skips.is_some_and(|skips| skips.value) {
        return None;
    }
    let finding = Diagnostic::new(
        Code::MirrorWithoutItself,
        format!("{host} has TLS settings and a mirror that does not list it"),
        format!("add `https://{host}` to the mirror's endpoints, or `skipFallback: true`"),
    );
    Some(finding.at(key.at.clone()))
}
