//! What is said: of others, of us, and by whom.

use super::Drawing;
use crate::case::Op;
use crate::chance::Chance;
use crate::generate::Carrier;
use crate::trust::{CA, MIRROR_URL, MIRRORED, OLD_CA, respelt};
use crate::units::{Unit, host};
use serde_json::json;

impl Drawing<'_> {
    pub(super) fn place_others(&mut self, carriers: &[Carrier]) {
        let mut units = Vec::new();
        for name in ["ghcr.io", "docker.io", "registry.k8s.io", "*"] {
            if self.chance.percent(25) {
                units.push(self.mirror(name));
            }
        }
        let old = || Some(OLD_CA.clone());
        let tls = |host: &str, ca, has_identity, insecure| Unit::Tls {
            host: host.into(),
            ca,
            has_identity,
            insecure,
        };
        let more = [
            tls("harbor.partner.example", old(), false, None),
            tls("client.partner.example:8443", old(), true, Some(false)),
            tls("lab.example:5000", None, false, Some(true)),
            Unit::Auth {
                host: "harbor.partner.example".into(),
            },
            Unit::Auth {
                host: self.wanted.registry.into(),
            },
            host("192.0.2.10", &["git.fleet.internal", "git"]),
            host("192.0.2.11", &["ntp.fleet.internal"]),
            host("2001:db8::12", &["git6.fleet.internal"]),
        ];
        for unit in more {
            if self.chance.percent(22) {
                units.push(unit);
            }
        }
        for unit in units {
            let carrier = if carriers.is_empty() {
                continue;
            } else {
                *self.chance.pick(carriers)
            };
            self.put(unit, carrier);
        }
    }

    /// The trust itself: absent, right, or stale, each half for itself.
    pub(super) fn place_ours(&mut self, carriers: &[Carrier]) {
        let (tls_state, host_state) = (self.chance.below(5), self.chance.below(7));
        self.is_settled = false;
        if carriers.is_empty() {
            return;
        }
        let (tls_at, host_at) = (*self.chance.pick(carriers), *self.chance.pick(carriers));
        let is_right = self.place_our_tls(tls_state, tls_at);
        self.is_settled = self.place_our_host(host_state, host_at) && is_right;
    }

    /// The name and the address as somebody else may have written them.
    fn spelling(&mut self) -> (String, &'static str) {
        let (alias, ip) = (self.wanted.alias(), self.wanted.ip);
        let alias = if self.chance.percent(8) {
            alias.to_uppercase()
        } else {
            alias.to_string()
        };
        let is_long = ip.contains(':') && self.chance.percent(20);
        (alias, if is_long { "2001:0db8:0::27" } else { ip })
    }

    /// What platform defaults bring may be there already: right, or as it was before.
    pub(super) fn place_defaults(&mut self, carriers: &[Carrier]) {
        if carriers.is_empty() {
            return;
        }
        let at = *self.chance.pick(carriers);
        let endpoint = *self
            .chance
            .pick(&[MIRROR_URL, "https://old.partner.example/v2/mirror"]);
        let unit = Unit::Mirror {
            name: MIRRORED.into(),
            endpoints: vec![endpoint.into()],
            override_path: *self.chance.pick(&[None, Some(true), Some(false)]),
            skip_fallback: *self.chance.pick(&[None, Some(true)]),
        };
        if self.chance.percent(40) {
            self.put(unit, at);
        }
        if self.channels.json && self.chance.percent(30) {
            let image = json!("registry.example/installer:v1.9.4");
            self.spec.ops.push(Op::add("/machine/install/image", image));
        }
    }

    fn place_our_tls(&mut self, state: usize, carrier: Carrier) -> bool {
        let ca = match state {
            0 | 1 => return false,
            2 => OLD_CA.clone(),
            3 => CA.clone(),
            _ if self.chance.percent(40) => respelt(&CA),
            _ => String::new(),
        };
        let ca = Some(ca).filter(|ca| !ca.is_empty());
        let has_identity = ca.is_none() || self.chance.percent(30);
        let insecure = self.chance.percent(25).then_some(false);
        let is_right = ca.as_ref().is_some_and(|ca| *ca != *OLD_CA);
        if !is_right && ca.is_some() {
            self.edited.push(carrier);
        }
        let unit = Unit::Tls {
            host: self.wanted.registry.into(),
            ca,
            has_identity,
            insecure,
        };
        self.put(unit, carrier);
        is_right
    }

    fn place_our_host(&mut self, state: usize, carrier: Carrier) -> bool {
        let (alias, ip) = self.spelling();
        let alias = alias.as_str();
        let old = "192.0.2.99";
        let hosts = match state {
            0 | 1 => return false,
            2 => vec![host(ip, &[alias])],
            3 => vec![host(ip, &["mirror.fleet.internal", alias])],
            4 => vec![host(old, &[alias])],
            5 => vec![host(old, &["old.fleet.internal", alias])],
            // The same name twice in one list, which a document does not have.
            _ if carrier == Carrier::Document => return false,
            _ => vec![
                host(old, &[alias]),
                host(ip, &[alias, "mirror.fleet.internal"]),
            ],
        };
        let is_right = state < 4;
        if !is_right {
            self.edited.push(carrier);
        }
        for host in hosts {
            self.put(host, carrier);
        }
        is_right
    }

    fn mirror(&mut self, name: &str) -> Unit {
        let mut endpoints = vec![format!(
            "https://cache.partner.example/v2/{}",
            name.replace('*', "all")
        )];
        if self.chance.percent(40) {
            endpoints.push("http://192.0.2.60:5001".into());
        }
        let flag = |chance: &mut Chance| *chance.pick(&[None, None, Some(true), Some(false)]);
        let (override_path, skip_fallback) = (flag(self.chance), flag(self.chance));
        Unit::Mirror {
            name: name.into(),
            endpoints,
            override_path,
            skip_fallback,
        }
    }
}
