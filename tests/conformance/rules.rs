//! The rules that hydration must respect (H1 to H11), each with a case that fails without it, and with
//! Talos' own word that the rule is needed.
//!
//! H12 and H13 are about live nodes and H14 about output: they are tested where those are built.

mod delivery;
mod patches;
mod stability;
mod values;

use super::case::Op;
use super::hand::Tree;
use super::trust::Wanted;
use super::units::{self, Unit, tree};
use serde_json::json;

const REGISTRY: &str = Wanted::PLAIN.registry;

fn tls(ca: &str) -> Unit {
    Unit::Tls {
        host: REGISTRY.into(),
        ca: Some(ca.into()),
        has_identity: false,
        insecure: None,
    }
}

fn host(ip: &str, aliases: &[&str]) -> Unit {
    units::host(ip, aliases)
}

fn registries(units: &[Unit]) -> Op {
    Op::add("/machine/registries", tree(units::registries(units)))
}

fn entries(units: &[Unit]) -> Op {
    Op::add(
        "/machine/network/extraHostEntries",
        tree(json!(units::entries(units))),
    )
}

fn no_mirrors() -> Tree {
    tree(json!({"mirrors": {}}))
}
