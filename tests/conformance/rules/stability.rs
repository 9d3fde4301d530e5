//! H10: other bytes would replace machines.

use super::{REGISTRY, entries, host, registries, tls};
use crate::case::Spec;
use crate::stage::{literal, worker};
use crate::trust::{CA, Wanted, respelt};
use crate::units;

#[test]
fn h10_what_is_right_keeps_every_byte_in_every_form_and_spelling() {
    let right = |ca: &str| [tls(ca), host(Wanted::PLAIN.ip, &["a.example", REGISTRY])];
    for ca in [CA.clone(), respelt(&CA)] {
        let units = right(&ca);
        let json = worker("v1.9.5")
            .op(registries(&units))
            .op(entries(&units))
            .template();
        let fields = worker("v1.13.9")
            .string(literal(units::v1alpha1(&units)))
            .template();
        let strings = units.iter().map(|unit| literal(unit.document()));
        let documents = strings.fold(worker("v1.12.6"), Spec::string).template();
        for case in [json, fields, documents] {
            assert_eq!(case.hydrated_text(), case.manifest());
        }
    }
}

#[test]
fn h10_the_output_does_not_change_between_runs() {
    for talos in ["v1.9.5", "v1.12.0", "v1.13.9"] {
        let mut case = worker(talos).template();
        case.wanted.has_defaults = true;
        assert_eq!(case.hydrated_text(), case.hydrated_text(), "{talos}");
    }
}
