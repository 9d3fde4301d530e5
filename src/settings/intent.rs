//! From settings and facts to what the machines must have.

use super::facts::placeholder;
use super::{AddressSource, ClusterSettings, Fact, Facts, Need, mirrors_of};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{Address, CaSource, ClusterDefinition, HostName, Placed, TlsSettings};
use crate::secret::{Secret, SecretName};
use crate::talos::{HostEntry, Mirror, NodeAddress, PatchIntent, PemText, Tls};

/// How facts enter an intent.
#[derive(Clone, Copy)]
pub struct Sources<'s> {
    /// What was read out of the store.
    pub facts: &'s Facts,
    /// The address that the call gives.
    pub address: Option<&'s Secret<String>>,
    /// Are the facts placeholders? Then an address in the definition is one too.
    pub is_redacted: bool,
}

impl ClusterSettings {
    /// The intent, or everything that stands in its way.
    ///
    /// A fact that is missing from `sources` has its finding already and is passed over here: the run
    /// ends with that finding.
    pub fn intent(
        &self,
        definition: &ClusterDefinition,
        sources: Sources<'_>,
    ) -> Result<PatchIntent, Vec<Diagnostic>> {
        let mut findings = Vec::new();
        let mut intent = PatchIntent::default();
        for (key, mirror) in mirrors_of(self) {
            let mirror = mirror_of(&mirror.value);
            if mirror != Mirror::default() {
                intent.mirrors.insert(key.value.to_string(), mirror);
            }
        }
        for (host, settings) in &self.hosts {
            // An empty `tls: {}` only keeps the platform's out.
            let tls = settings.tls.as_ref();
            if let Some(tls) = tls.filter(|tls| tls.value != TlsSettings::default()) {
                intent
                    .tls
                    .insert(host.to_string(), tls_of(&tls.value, sources.facts));
            }
            if let Some(auth) = &settings.auth {
                let secret = &auth.value.secret.value;
                if let Some(Fact::Auth(auth)) = sources.facts.get(secret, Need::Auth) {
                    intent.auth.insert(host.to_string(), auth.clone());
                }
            }
        }
        self.add_trust(&mut intent, sources, &mut findings);
        self.add_installer(&mut intent, definition, &mut findings);
        if findings.is_empty() {
            Ok(intent)
        } else {
            Err(findings)
        }
    }

    fn add_trust(
        &self,
        intent: &mut PatchIntent,
        sources: Sources<'_>,
        findings: &mut Vec<Diagnostic>,
    ) {
        let Some(trust) = &self.trust else { return };
        let host = &trust.host.value;
        match &trust.ca.value {
            CaSource::Secret(secret) => {
                let ca = pem(sources.facts, &secret.value, Need::Ca);
                let tls = intent.tls.entry(host.to_string()).or_default();
                match self.other_ca(host, secret) {
                    Some(other) => findings.push(other),
                    None => tls.ca = ca,
                }
            }
            CaSource::Live(_) if sources.is_redacted => {
                let tls = intent.tls.entry(host.to_string()).or_default();
                tls.ca = Some(PemText::placeholder(&placeholder("registry CA")));
            }
            CaSource::Live(live) => findings.push(not_yet(
                "reading the CA from a cluster (`caSecret`)",
                "store it with `hydrant secret set`, and name it with `ca: {secret: …}`",
                &live.at,
            )),
        }
        if host.is_address() {
            return;
        }
        let at = trust.host.origin.at.clone();
        if let Some(ip) = self.address(sources, at.as_ref(), findings) {
            intent.hosts.push(HostEntry {
                alias: host.host().to_string(),
                ip,
            });
        }
    }

    /// `registries.config` may say a CA for the trusted registry too; then it must be the same.
    fn other_ca(&self, host: &HostName, secret: &Placed<SecretName>) -> Option<Diagnostic> {
        let tls = self.hosts.get(host)?.tls.as_ref()?;
        let other = tls.value.ca.as_ref()?;
        (other.value.secret.value != secret.value).then(|| {
            Diagnostic::new(
                Code::SaidTwice,
                format!("two CAs for {host}"),
                "name one secret in both places, or keep one of the places",
            )
            .at(other.at.clone())
            .at(secret
                .at
                .clone()
                .labelled("the registry trust says this one"))
        })
    }

    fn address(
        &self,
        sources: Sources<'_>,
        host: Option<&Place>,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Secret<String>> {
        let address = self.trust.as_ref()?.address.as_ref();
        match address.map(|address| &address.value) {
            Some(AddressSource::Given) => sources.address.cloned(),
            None | Some(AddressSource::Said(Address::Value(_) | Address::Service { .. }))
                if sources.is_redacted =>
            {
                Some(Secret::new(placeholder("registry address")))
            }
            Some(AddressSource::Said(Address::Secret(secret))) => {
                match sources.facts.get(&secret.value, Need::Address) {
                    Some(Fact::Address(ip)) => Some(ip.clone()),
                    _ => None,
                }
            }
            Some(AddressSource::Said(Address::Value(value))) => {
                match NodeAddress::parse(&value.value) {
                    Ok(address) => Some(Secret::new(address.ip().to_string())),
                    Err(why) => {
                        findings.push(
                            Diagnostic::new(
                                Code::InvalidAddress,
                                format!("the registry's address cannot be used: {why}"),
                                "write one IPv4 or IPv6 unicast address",
                            )
                            .at(value.at.clone()),
                        );
                        None
                    }
                }
            }
            Some(AddressSource::Said(Address::Service { name, .. })) => {
                findings.push(not_yet(
                    "reading the address from a Service",
                    ADDRESS_HELP,
                    &name.at,
                ));
                None
            }
            None => {
                let place = host.cloned();
                let finding = Diagnostic::new(
                    Code::NotYet,
                    "looking the registry's address up in DNS is not built yet",
                    ADDRESS_HELP,
                );
                findings.push(place.into_iter().fold(finding, Diagnostic::at));
                None
            }
        }
    }

    fn add_installer(
        &self,
        intent: &mut PatchIntent,
        definition: &ClusterDefinition,
        findings: &mut Vec<Diagnostic>,
    ) {
        let Some(repository) = &self.installer_repository else {
            return;
        };
        let image = install_image(&repository.value, definition);
        if image.is_none() {
            let finding = Diagnostic::new(
                Code::MissingKey,
                "the installer image needs a Talos version, and the definition has none",
                "add `versions: {talos: …}` to the definition",
            );
            let place = repository.origin.at.clone();
            findings.push(place.into_iter().fold(finding, Diagnostic::at));
        }
        intent.install_image = image;
    }
}

/// `<repository>/<schematic>:<version>`, or without the schematic where the definition has none; `None`
/// where it has no version.
pub(super) fn install_image(repository: &str, definition: &ClusterDefinition) -> Option<String> {
    let versions = definition.versions.as_ref();
    let version = versions.and_then(|versions| versions.value.talos.as_ref())?;
    let os = definition.os.as_ref();
    let schematic = os.and_then(|os| os.value.schematic_id.as_ref());
    let schematic = schematic.map(|id| format!("/{}", id.value));
    let schematic = schematic.unwrap_or_default();
    let version = version.value.strip_prefix('v').unwrap_or(&version.value);
    Some(format!("{repository}{schematic}:v{version}"))
}

const ADDRESS_HELP: &str =
    "give it with `--address`, or say `address: {value: …}` or `address: {secret: …}`";

fn not_yet(what: &str, help: &str, at: &Place) -> Diagnostic {
    Diagnostic::new(Code::NotYet, format!("{what} is not built yet"), help).at(at.clone())
}

fn pem(facts: &Facts, secret: &SecretName, need: Need) -> Option<PemText> {
    match facts.get(secret, need) {
        Some(Fact::Pem(pem)) => Some(pem.clone()),
        _ => None,
    }
}

fn tls_of(said: &TlsSettings, facts: &Facts) -> Tls {
    let ca = said
        .ca
        .as_ref()
        .and_then(|ca| pem(facts, &ca.value.secret.value, Need::Ca));
    let client_identity = said.client_identity.as_ref().and_then(|identity| {
        let certificate = pem(
            facts,
            &identity.value.cert.value.secret.value,
            Need::Certificate,
        )?;
        Some((
            certificate,
            pem(
                facts,
                &identity.value.key.value.secret.value,
                Need::PrivateKey,
            )?,
        ))
    });
    let insecure_skip_verify = said.insecure_skip_verify.as_ref().map(|skip| skip.value);
    Tls {
        ca,
        client_identity,
        insecure_skip_verify,
    }
}

fn mirror_of(said: &crate::fleet::Mirror) -> Mirror {
    let endpoints = said.endpoints.as_ref().map(|said| {
        said.value
            .iter()
            .map(|endpoint| endpoint.value.clone())
            .collect()
    });
    Mirror {
        endpoints: endpoints.unwrap_or_default(),
        override_path: said.override_path.as_ref().map(|said| said.value),
        skip_fallback: said.skip_fallback.as_ref().map(|said| said.value),
    }
}
