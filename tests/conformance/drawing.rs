//! One spec on its way: what is said in it, where, and how that is written down.

mod build;
mod place;

use super::ambiguous::Twist;
use super::case::{Case, Label, Spec};
use super::chance::Chance;
use super::generate::{Carrier, Channels, channels, version};
use super::hand::Tree;
use super::menu;
use super::trust::Wanted;
use super::units::Unit;
use hydrant::talos::TalosVersion;
use serde_json::Value;

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
        if self.wanted.has_defaults {
            self.place_defaults(&carriers);
        }
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
}
