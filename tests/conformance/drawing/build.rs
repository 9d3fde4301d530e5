//! How it is written down.

use super::Drawing;
use crate::case::{Op, Patch};
use crate::chance::Chance;
use crate::generate::Carrier;
use crate::hand::{Quoting, Tree};
use crate::menu;
use crate::units::{self, Unit, tree};
use serde_json::json;

impl Drawing<'_> {
    fn units_of(&self, of: Carrier) -> Vec<Unit> {
        self.placed
            .iter()
            .filter(|(_, carrier)| *carrier == of)
            .map(|(unit, _)| unit.clone())
            .collect()
    }

    /// Writes the placed units down, each carrier in its own way.
    pub(super) fn build(&mut self) {
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

    pub(super) fn add_unrelated(&mut self) {
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
