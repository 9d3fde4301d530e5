//! One spec on its way: what is said in it, where, and how that is written down.

use super::ambiguous::Twist;
use super::case::{Case, Label, Op, Patch, Spec};
use super::chance::Chance;
use super::generate::{Carrier, Channels, channels, version};
use super::hand::{Quoting, Tree};
use super::menu;
use super::trust::{CA, OLD_CA, Wanted, respelt};
use super::units::{self, Unit, host, tree};
use hydrant::talos::TalosVersion;
use serde_json::{Value, json};

/// One spec on its way.
pub(crate) struct Drawing<'d> {
    pub(crate) chance: &'d mut Chance,
    pub(crate) wanted: Wanted,
    pub(crate) provider: Option<&'static str>,
    pub(crate) spec: Spec,
    pub(crate) channels: Channels,
    pub(crate) placed: Vec<(Unit, Carrier)>,
    /// The base config, where it is given.
    pub(crate) data: Option<Vec<Value>>,
    pub(crate) label: Label,
    pub(crate) is_settled: bool,
    /// What must be edited stands in these carriers, so their strings are literal.
    edited: Vec<Carrier>,
}

impl<'d> Drawing<'d> {
    pub(crate) fn new(chance: &'d mut Chance, case: &Case, generate_type: &'static str) -> Self {
        let talos = version(chance, case.provider);
        let blank_list = chance
            .pick(&[
                None,
                None,
                Some(Tree::Plain(Value::Null)),
                Some(Tree::List(Vec::new())),
            ])
            .clone();
        let mut spec = Spec {
            generate_type,
            talos,
            blank_list,
            ..Spec::default()
        };
        let minor = menu::common_minor(talos.and_then(TalosVersion::parse), case.provider);
        let mut data = None;
        if chance.percent(12) && talos.is_some() && case.provider != Some("v0.6.4") {
            let mut documents = vec![menu::base(generate_type != "worker")];
            if chance.percent(40) {
                documents.push(menu::document(chance, minor));
            }
            (spec.generate_type, data) = ("none", Some(documents));
        } else {
            spec.has_hostname = talos.is_some() && chance.percent(10);
        }
        let channels = channels(talos, case.provider, data.as_ref().map(Vec::len), minor);
        Self {
            chance,
            wanted: case.wanted.clone(),
            provider: case.provider,
            spec,
            channels,
            placed: Vec::new(),
            data,
            label: Label::Plain,
            is_settled: true,
            edited: Vec::new(),
        }
    }

    pub(crate) fn spec(&mut self, twist: Option<Twist>) -> Spec {
        let carriers = self.carriers();
        self.place_others(&carriers);
        self.place_ours(&carriers);
        if let Some(twist) = twist {
            twist.apply_to_units(self);
        }
        self.build();
        self.add_unrelated();
        if let Some(twist) = twist {
            twist.apply_to_lists(self);
        }
        std::mem::take(&mut self.spec)
    }

    /// One or two carriers that the target accepts.
    fn carriers(&mut self) -> Vec<Carrier> {
        let mut all = Vec::new();
        if self.channels.json {
            all.extend([Carrier::Json, Carrier::Json]);
        }
        if self.channels.strings {
            all.extend([Carrier::Fields(0), Carrier::Fields(1)]);
        }
        if self.channels.documents {
            all.extend([Carrier::Document, Carrier::Document]);
        }
        if self.data.is_some() {
            all.extend([Carrier::Data, Carrier::Data]);
        }
        self.chance.shuffle(&mut all);
        all.truncate(1 + self.chance.below(2));
        // A JSON patch on the parent replaces what the base says there.
        if all.contains(&Carrier::Json) {
            all.retain(|carrier| *carrier != Carrier::Data);
        }
        all
    }

    fn place_others(&mut self, carriers: &[Carrier]) {
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
    fn place_ours(&mut self, carriers: &[Carrier]) {
        let (tls_state, host_state) = (self.chance.below(5), self.chance.below(7));
        self.is_settled = false;
        if carriers.is_empty() {
            return;
        }
        let (tls_at, host_at) = (*self.chance.pick(carriers), *self.chance.pick(carriers));
        let is_right = self.place_our_tls(tls_state, tls_at);
        self.is_settled = self.place_our_host(host_state, host_at) && is_right;
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
        let (alias, ip) = (self.wanted.alias(), self.wanted.ip);
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

    /// A document that would crash the target's nodes goes to fields instead.
    pub(crate) fn put(&mut self, unit: Unit, carrier: Carrier) {
        let crashes = matches!(
            unit,
            Unit::Tls {
                has_identity: false,
                ..
            }
        ) && self.channels.crashes;
        let is_crash = crashes && carrier == Carrier::Document;
        let to = if is_crash {
            Carrier::Fields(0)
        } else {
            carrier
        };
        if is_crash && self.edited.contains(&carrier) {
            self.edited.push(to);
        }
        self.placed.push((unit, to));
    }

    fn units_of(&self, of: Carrier) -> Vec<Unit> {
        self.placed
            .iter()
            .filter(|(_, carrier)| *carrier == of)
            .map(|(unit, _)| unit.clone())
            .collect()
    }

    /// Writes the placed units down, each carrier in its own way.
    fn build(&mut self) {
        self.build_json();
        for number in 0..2 {
            let units = self.units_of(Carrier::Fields(number));
            if !units.is_empty() {
                let mut value = units::v1alpha1(&units);
                if self.chance.percent(25) {
                    units::merge(&mut value, menu::fields(self.chance));
                }
                let quoting = self.quoting(Carrier::Fields(number), 1);
                self.spec
                    .strings
                    .push(Patch::new(vec![tree(value)], quoting));
            }
        }
        self.build_documents();
        if let Some(mut documents) = self.data.take() {
            units::merge(
                &mut documents[0],
                units::v1alpha1(&self.units_of(Carrier::Data)),
            );
            let quoting = self.quoting(Carrier::Data, 2);
            self.spec.data = Some(Patch::new(
                documents.into_iter().map(tree).collect(),
                quoting,
            ));
        }
    }

    fn build_json(&mut self) {
        let units = self.units_of(Carrier::Json);
        let (registries, entries) = (units::registries(&units), units::entries(&units));
        let op = |chance: &mut Chance| if chance.percent(85) { "add" } else { "replace" };
        if registries != json!({}) || (self.channels.json && self.chance.percent(4)) {
            let value = Some(tree(registries));
            self.spec.ops.push(Op {
                op: op(self.chance),
                path: "/machine/registries".into(),
                value,
            });
        }
        if !entries.is_empty() {
            let (path, value) = (
                "/machine/network/extraHostEntries".into(),
                Some(tree(json!(entries))),
            );
            self.spec.ops.push(Op {
                op: op(self.chance),
                path,
                value,
            });
        }
    }

    /// Each document a string, or all of them in one.
    fn build_documents(&mut self) {
        let documents: Vec<Tree> = self
            .units_of(Carrier::Document)
            .iter()
            .map(|unit| tree(unit.document()))
            .collect();
        if documents.is_empty() {
            return;
        }
        if self.chance.percent(40) {
            let quoting = self.quoting(Carrier::Document, documents.len());
            self.spec.strings.push(Patch::new(documents, quoting));
            return;
        }
        for document in documents {
            let quoting = self.quoting(Carrier::Document, 1);
            self.spec.strings.push(Patch::new(vec![document], quoting));
        }
    }

    /// Any quoting, unless hydrant must edit what the string says.
    fn quoting(&mut self, carrier: Carrier, documents: usize) -> Quoting {
        let is_edited = self.edited.contains(&carrier) || self.wanted.has_defaults;
        if is_edited || self.chance.percent(70) {
            Quoting::Literal
        } else if documents > 1 {
            Quoting::Double
        } else {
            *self
                .chance
                .pick(&[Quoting::Double, Quoting::Single, Quoting::Folded])
        }
    }

    fn add_unrelated(&mut self) {
        while self.channels.json && self.chance.percent(35) {
            let operation = menu::operation(self.chance);
            if !self
                .spec
                .ops
                .iter()
                .any(|there| there.path == operation.path)
            {
                self.spec.ops.push(operation);
            }
        }
        self.chance.shuffle(&mut self.spec.ops);
        if self.channels.json && self.spec.data.is_none() && self.chance.percent(12) {
            self.spec.ops.insert(0, menu::harmless_ancestor());
        }
        while self.channels.strings && self.chance.percent(30) {
            let is_document = self.chance.percent(40) && self.provider != Some("v0.6.4");
            let value = if is_document {
                menu::document(self.chance, self.channels.minor)
            } else {
                menu::fields(self.chance)
            };
            let is_there = |patch: &Patch| patch.documents.contains(&tree(value.clone()));
            if !self.spec.strings.iter().any(is_there) && !self.spec.has_hostname {
                let quoting = self.quoting(Carrier::Fields(9), 1);
                self.spec
                    .strings
                    .push(Patch::new(vec![tree(value)], quoting));
            }
        }
        self.chance.shuffle(&mut self.spec.strings);
    }
}
