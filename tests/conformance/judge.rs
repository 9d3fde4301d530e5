//! What must hold of a hydrated manifest, by Talos' own word.

use super::case::{Case, Label};
use super::oracle::{Auth, Endpoint, Facts, Host, Mirror, Oracles, Tls};
use super::reading::{self, Manifest};
use super::releases;
use super::seam;
use super::trust::{self, CA, Wanted};
use hydrant::talos::TalosVersion;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// What came of one case.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Pairs of provider and node that took the spec before hydration, and so must take it after.
    pub(crate) compared: usize,
    /// Pairs that did not take it before.
    pub(crate) skipped: usize,
    pub(crate) faults: Vec<String>,
    /// Whether hydrant refused it.
    pub(crate) is_refused: bool,
}

/// A manifest's text to its hydrated text, or to its findings, each `code: message`.
pub(crate) type Hydrate = fn(&str, &Wanted, Option<&str>) -> Result<String, Vec<String>>;

/// Hydrates the case and holds the result against its label and against Talos.
pub(crate) fn judge(oracles: &Oracles, case: &Case) -> Verdict {
    judge_with(oracles, case, seam::hydrate)
}

/// The same with another hydration, to see that the suite finds out a wrong one.
pub(crate) fn judge_with(oracles: &Oracles, case: &Case, hydrate: Hydrate) -> Verdict {
    let before = case.manifest();
    let mut verdict = Verdict::default();
    let after = match hydrate(&before, &case.wanted, case.provider) {
        Ok(after) => after,
        Err(findings) => {
            verdict.is_refused = true;
            match case.label {
                Label::Plain => verdict
                    .faults
                    .push(format!("refused: {}", findings.join(", "))),
                Label::Refused(code) if !findings.iter().any(|found| code_of(found) == code) => {
                    verdict.faults.push(format!(
                        "code: {code} expected, got {}",
                        findings.join(", ")
                    ));
                }
                Label::Refused(_) | Label::Either => {}
            }
            return verdict;
        }
    };
    if let Label::Refused(code) = case.label {
        verdict.faults.push(format!("accepted: {code} expected"));
        return verdict;
    }
    if case.is_settled && after != before {
        verdict
            .faults
            .push("settled: it changed what was right".into());
    }
    match hydrate(&after, &case.wanted, case.provider) {
        Ok(again) if again == after => {}
        Ok(_) => verdict
            .faults
            .push("twice: the second hydration changed the first's".into()),
        Err(findings) => verdict
            .faults
            .push(format!("twice: refused: {}", findings.join(", "))),
    }
    compare(oracles, case, &before, &after, &mut verdict);
    verdict
}

/// The code of a finding.
pub(crate) fn code_of(finding: &str) -> &str {
    finding.split_once(':').map_or(finding, |(code, _)| code)
}

fn compare(oracles: &Oracles, case: &Case, before: &str, after: &str, verdict: &mut Verdict) {
    let (before, after) = match (reading::read(before), reading::read(after)) {
        (Ok(before), Ok(after)) => (before, after),
        (before, after) => {
            verdict
                .faults
                .push(format!("yaml: {:?} {:?}", before.err(), after.err()));
            return;
        }
    };
    if before.others != after.others || names(&before) != names(&after) {
        verdict
            .faults
            .push("manifest: something besides the patch lists changed".into());
        return;
    }
    for ((name, old), (_, new)) in before.specs.iter().zip(&after.specs) {
        let mut pairs = Pairs {
            oracles,
            wanted: &case.wanted,
            verdict,
            name,
        };
        pairs.compare(case.provider, old, new);
    }
}

fn names(manifest: &Manifest) -> Vec<&str> {
    manifest
        .specs
        .iter()
        .map(|(name, _)| name.as_str())
        .collect()
}

/// One spec before and after, through every provider and node that fit it.
struct Pairs<'p> {
    oracles: &'p Oracles,
    wanted: &'p Wanted,
    verdict: &'p mut Verdict,
    name: &'p str,
}

impl Pairs<'_> {
    fn compare(&mut self, provider: Option<&str>, old: &Value, new: &Value) {
        let talos = old["talosVersion"].as_str().and_then(TalosVersion::parse);
        for machinery in releases::providers(provider, talos) {
            let nodes = releases::nodes(talos, machinery);
            let Ok(before) = self.oracles.build(machinery, old) else {
                self.verdict.skipped += nodes.len();
                continue;
            };
            match self.oracles.build(machinery, new) {
                Ok(after) => {
                    for node in nodes {
                        self.compare_at(machinery, node, &before, &after);
                    }
                }
                Err(error) => self.fault("provider", machinery, &error),
            }
        }
    }

    fn compare_at(&mut self, machinery: &str, node: &str, before: &str, after: &str) {
        let Ok(before) = self.oracles.read(node, before) else {
            self.verdict.skipped += 1;
            return;
        };
        if before.refused.contains_key("cloud") {
            self.verdict.skipped += 1;
            return;
        }
        self.verdict.compared += 1;
        let at = format!("{machinery} → {node}");
        let after = match self.oracles.read(node, after) {
            Ok(after) => after,
            Err(error) => return self.fault("node", &at, &error),
        };
        for (mode, error) in &after.refused {
            if !before.refused.contains_key(mode) {
                self.fault("validation", &at, &format!("{mode}: {error}"));
            }
        }
        for difference in differences(
            self.wanted,
            &before.facts,
            &after.facts,
            releases::sorts_hosts(node),
        ) {
            self.fault("machine", &at, &difference);
        }
    }

    fn fault(&mut self, what: &str, at: &str, message: &str) {
        self.verdict
            .faults
            .push(format!("{what}: {} at {at}: {message}", self.name));
    }
}

/// Everything about the machine that is not as it must be.
pub(crate) fn differences(
    wanted: &Wanted,
    before: &Facts,
    after: &Facts,
    sorts_hosts: bool,
) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(trust_fault(wanted, before, after));
    let (old, new) = (other_tls(wanted, before), other_tls(wanted, after));
    if old != new {
        found.push(format!("TLS of others: {old:?} became {new:?}"));
    }
    let mut expected = before.auth.clone();
    let mut mirrors = before.mirrors.clone();
    if wanted.has_defaults {
        expected.insert(trust::PULLED.into(), credentials());
        let skip_fallback = mirrors
            .get(trust::MIRRORED)
            .is_some_and(|mirror| mirror.skip_fallback);
        let endpoint = Endpoint {
            url: trust::MIRROR_URL.into(),
            override_path: true,
        };
        mirrors.insert(
            trust::MIRRORED.into(),
            Mirror {
                endpoints: vec![endpoint],
                skip_fallback,
            },
        );
    }
    if expected != after.auth {
        found.push(format!("auth: {expected:?} became {:?}", after.auth));
    }
    if mirrors != after.mirrors {
        found.push(format!("mirrors: {mirrors:?} became {:?}", after.mirrors));
    }
    let image = if wanted.has_defaults {
        trust::IMAGE
    } else {
        &before.install_image
    };
    if image != after.install_image {
        found.push(format!(
            "installer: {image:?} became {:?}",
            after.install_image
        ));
    }
    found.extend(hosts_fault(wanted, before, after, sorts_hosts));
    if before.rest != after.rest {
        found.push(format!(
            "the rest: {}",
            rest_difference(&before.rest, &after.rest)
        ));
    }
    found
}

fn trust_fault(wanted: &Wanted, before: &Facts, after: &Facts) -> Option<String> {
    let Some(tls) = after.tls.get(wanted.registry) else {
        return Some("the CA is not there".into());
    };
    if trust::bodies(&tls.ca) != trust::bodies(&CA) {
        return Some("the CA is another".into());
    }
    if tls.insecure_skip_verify {
        return Some("the CA is there and verification is off".into());
    }
    let identity = |tls: &Tls| (tls.crt.clone(), tls.key.clone());
    let (old, new) = (
        before
            .tls
            .get(wanted.registry)
            .map(identity)
            .unwrap_or_default(),
        identity(tls),
    );
    (old != new).then(|| "the client identity changed".into())
}

fn other_tls(wanted: &Wanted, facts: &Facts) -> BTreeMap<String, Tls> {
    let mut others = facts.tls.clone();
    others.remove(wanted.registry);
    others
}

fn credentials() -> Auth {
    let text = |text: &str| text.to_string();
    Auth {
        username: text("pull"),
        password: text("not-a-secret"),
        auth: String::new(),
        identity_token: String::new(),
    }
}

fn hosts_fault(wanted: &Wanted, before: &Facts, after: &Facts, sorts: bool) -> Option<String> {
    let ours = |(_, alias): &&(String, String)| alias.eq_ignore_ascii_case(wanted.alias());
    let (old, new) = (pairs(&before.hosts), pairs(&after.hosts));
    let at: Vec<&str> = new.iter().filter(ours).map(|(ip, _)| ip.as_str()).collect();
    let parse = |ip: &str| ip.parse::<IpAddr>().ok();
    if at.len() != 1 || parse(at[0]) != parse(wanted.ip) {
        return Some(format!("{} is on {at:?}", wanted.alias()));
    }
    let others = |pairs: &[(String, String)]| {
        let mut others: Vec<_> = pairs.iter().filter(|pair| !ours(pair)).cloned().collect();
        if sorts {
            others.sort();
        }
        others
    };
    let (old, new) = (others(&old), others(&new));
    (old != new).then(|| format!("other names: {old:?} became {new:?}"))
}

fn pairs(hosts: &[Host]) -> Vec<(String, String)> {
    let of = |host: &Host| {
        let aliases = host.aliases.clone().unwrap_or_default();
        aliases
            .into_iter()
            .map(|alias| (host.ip.clone(), alias))
            .collect::<Vec<_>>()
    };
    hosts.iter().flat_map(of).collect()
}

/// The first path at which two trees differ.
fn rest_difference(before: &[Value], after: &[Value]) -> String {
    fn descend(path: &str, before: &Value, after: &Value) -> Option<String> {
        match (before, after) {
            (Value::Object(old), Value::Object(new)) => {
                let keys: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
                keys.into_iter().find_map(|key| {
                    descend(
                        &format!("{path}/{key}"),
                        &before[key.as_str()],
                        &after[key.as_str()],
                    )
                })
            }
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                let mut pairs = old.iter().zip(new).enumerate();
                pairs.find_map(|(index, (old, new))| descend(&format!("{path}/{index}"), old, new))
            }
            (old, new) => (old != new).then(|| format!("{path}: {old} became {new}")),
        }
    }
    let whole = |list: &[Value]| Value::Array(list.to_vec());
    descend("", &whole(before), &whole(after)).unwrap_or_else(|| "null became absent".into())
}
