//! Single values that become parts of references and URLs.

use super::{Spoken, at, credentials_in, trusted};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{ClusterDefinition, HostName, MirrorKey};
use crate::settings::{ClusterSettings, Resolved};
use crate::talos::{Endpoint, host_of};

/// Judges the installer's repository, what its image is made of, and the Image Factory.
pub(super) fn check(
    settings: &ClusterSettings,
    definition: &ClusterDefinition,
    endpoints: &[Spoken<'_>],
    findings: &mut Vec<Diagnostic>,
) {
    for spoken in endpoints {
        let path = &spoken.endpoint.path;
        findings.extend(shell_character("an endpoint", path, Some(spoken.at)));
    }
    if let Some(repository) = &settings.installer_repository {
        check_repository(repository, findings);
        check_image_parts(definition, findings);
        findings.extend(first_boot(settings, repository, endpoints));
    }
    check_factory(&settings.image_factory_url, findings);
}

fn check_repository(said: &Resolved<String>, findings: &mut Vec<Diagnostic>) {
    let place = said.origin.at.as_ref();
    let what = "`installerRepository`";
    findings.extend(shell_character(what, &said.value, place));
    if said.value.ends_with('/') {
        return findings.push(trailing_slashes(what, place));
    }
    if let Some(why) = repository_fault(&said.value) {
        let help = "write it like `registry.example/talos/installer`";
        let finding = Diagnostic::new(Code::InvalidRepository, format!("{what} {why}"), help);
        findings.push(at(finding, place));
    }
}

/// What keeps a text from being an image's repository, as the end of a sentence.
fn repository_fault(text: &str) -> Option<&'static str> {
    if text.contains("://") {
        return Some("has a scheme, and an image reference has none");
    }
    let (host, path) = text.split_once('/').unwrap_or((text, ""));
    if path.is_empty() {
        return Some("names a host and no path in it");
    }
    if host.parse::<HostName>().is_err() || !is_registry(host) {
        return Some("does not begin with a registry's host");
    }
    if path.contains('@') {
        return Some("has a digest, where the version's tag goes");
    }
    if path.contains(':') {
        return Some("has a tag, where the definition's Talos version goes");
    }
    let is_part = |part: &str| {
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
        !part.is_empty() && part.bytes().all(allowed)
    };
    (!path.split('/').all(is_part)).then_some(
        "has a path that is none of an image: lower-case letters, digits, `.`, `_` and `-`",
    )
}

/// Image references take a first part without a dot or a port for a path on Docker Hub.
fn is_registry(host: &str) -> bool {
    host.contains(['.', ':']) || host == "localhost"
}

/// The schematic and the version that the image's path and tag are made of.
fn check_image_parts(definition: &ClusterDefinition, findings: &mut Vec<Diagnostic>) {
    let os = definition.os.as_ref();
    if let Some(id) = os.and_then(|os| os.value.schematic_id.as_ref()) {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if id.value.len() != 64 || !id.value.bytes().all(is_hex) {
            findings.push(
                Diagnostic::new(
                    Code::InvalidValue,
                    "`os.schematic_id` is no schematic of an Image Factory",
                    "write the 64 lower-case hexadecimal digits that the factory gave",
                )
                .at(id.at.clone()),
            );
        }
    }
    let versions = definition.versions.as_ref();
    if let Some(version) = versions.and_then(|versions| versions.value.talos.as_ref()) {
        findings.extend(shell_character(
            "`versions.talos`",
            &version.value,
            Some(&version.at),
        ));
    }
}

fn check_factory(said: &Resolved<String>, findings: &mut Vec<Diagnostic>) {
    let place = said.origin.at.as_ref();
    let what = "`imageFactoryURL`";
    findings.extend(shell_character(what, &said.value, place));
    if said.value.ends_with('/') {
        findings.push(trailing_slashes(what, place));
    }
    match Endpoint::parse(&said.value) {
        Err(why) => {
            let help = "write it like `https://factory.example`";
            let finding = Diagnostic::new(Code::InvalidUrl, format!("{what} {why}"), help);
            findings.push(at(finding, place));
        }
        Ok(endpoint) if endpoint.has_credentials => {
            let help = "revoke them, and let the factory be reached without";
            let told = place.map(|place| credentials_in(what, place, help));
            findings.extend(told);
        }
        Ok(_) => {}
    }
}

fn trailing_slashes(what: &str, place: Option<&Place>) -> Diagnostic {
    let message = format!("{what} ends in several slashes");
    let finding = Diagnostic::new(
        Code::TrailingSlashes,
        message,
        "write it without a slash at the end",
    );
    at(finding, place)
}

fn shell_character(what: &str, value: &str, place: Option<&Place>) -> Option<Diagnostic> {
    let found = value.chars().find(|c| matches!(c, '$' | '`' | '\\'))?;
    let name = match found {
        '$' => "a dollar sign",
        '`' => "a backtick",
        _ => "a backslash",
    };
    let message = format!("{what} has {name} in it");
    let finding = Diagnostic::new(
        Code::ShellCharacter,
        message,
        "write the value out, without it",
    );
    Some(at(finding, place))
}

/// The installer's registry, or a mirror of it, is found through the host entry of the trust alone.
fn first_boot(
    settings: &ClusterSettings,
    repository: &Resolved<String>,
    endpoints: &[Spoken<'_>],
) -> Option<Diagnostic> {
    let (host, entry) = trusted(settings).filter(|(host, _)| !host.is_address())?;
    let registry = repository.value.split('/').next().unwrap_or_default();
    let is_exact = |key: &MirrorKey| matches!(key, MirrorKey::Host(it) if it.as_str() == registry);
    let is_mirrored = endpoints.iter().any(|it| is_exact(&it.key.value));
    let mut mirrors = endpoints.iter().filter(|it| match it.key.value {
        MirrorKey::Any => !is_mirrored,
        MirrorKey::Host(_) => is_exact(&it.key.value),
    });
    let is_needed = host_of(registry) == host.host()
        || mirrors.any(|mirror| mirror.endpoint.host() == host.host());
    is_needed.then(|| {
        let finding = Diagnostic::new(
            Code::InstallerHost,
            format!("the installer is pulled from {}, which nodes find by a host entry", host.host()),
            "make sure that DNS answers for it as well, or boot from an image that has Talos installed",
        );
        let entry = entry.map(|place| place.clone().labelled("the host entry is for this one"));
        at(at(finding, repository.origin.at.as_ref()), entry.as_ref())
    })
}
