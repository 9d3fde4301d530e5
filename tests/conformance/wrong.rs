//! The suite itself: wrong hydrations must be found out, and a right one must not be blamed.

use super::case::{Case, Label, Op};
use super::judge::{Hydrate, judge_with};
use super::oracle::Oracles;
use super::stage::worker;
use super::trust::{CA, Wanted};
use super::units::{self, Unit, tree};
use serde::Deserialize;
use serde_json::{Value, json};

const SPEC: &str = "/spec/template/spec";

fn faults(case: &Case, hydrate: Hydrate) -> String {
    let verdict = judge_with(Oracles::shared(), case, hydrate);
    verdict.faults.join("\n")
}

/// Changes the template's spec; JSON is YAML too.
fn change(text: &str, change: impl Fn(&mut Value)) -> String {
    let mut out = String::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let mut document = Value::deserialize(document).expect("it is YAML");
        if let Some(spec) = document.pointer_mut(SPEC) {
            change(spec);
        }
        out.push_str("---\n");
        out.push_str(&document.to_string());
        out.push('\n');
    }
    out
}

/// One more strategic patch, unless it is there.
fn push(spec: &mut Value, text: &str) {
    let list = &mut spec["strategicPatches"];
    if list.is_null() {
        *list = json!([]);
    }
    let list = list.as_array_mut().expect("a list");
    if !list.contains(&json!(text)) {
        list.push(json!(text));
    }
}

fn trust(hosts: &[Unit]) -> String {
    let host = Wanted::PLAIN.registry.to_string();
    let mut units = vec![Unit::Tls {
        host,
        ca: Some(CA.clone()),
        has_identity: false,
        insecure: None,
    }];
    units.extend(hosts.iter().cloned());
    units::v1alpha1(&units).to_string()
}

fn ours() -> Unit {
    units::host(Wanted::PLAIN.ip, &[Wanted::PLAIN.registry])
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of all hydrations")]
fn clumsy(text: &str, _: &Wanted, _: Option<&str>) -> Result<String, Vec<String>> {
    Ok(change(text, |spec| push(spec, &trust(&[ours()]))))
}

#[test]
fn a_right_hydration_is_not_blamed_however_it_is_written() {
    for talos in ["v1.9.5", "v1.11.6", "v1.12.0", "v1.13.9"] {
        assert_eq!(faults(&worker(talos).template(), clumsy), "", "{talos}");
    }
}

#[test]
fn a_hydration_that_does_nothing_is_found_out() {
    let nothing: Hydrate = |text, _, _| Ok(text.to_string());
    assert!(faults(&worker("v1.9.5").template(), nothing).contains("the CA is not there"));
}

#[test]
fn a_name_on_two_addresses_is_found_out() {
    let twice: Hydrate = |text, _, _| {
        let second = units::host("192.0.2.9", &["Registry.fleet.internal"]);
        Ok(change(text, |spec| {
            push(spec, &trust(&[ours(), second.clone()]));
        }))
    };
    assert!(faults(&worker("v1.9.5").template(), twice).contains("is on ["));
}

#[test]
fn what_another_part_of_the_machine_loses_or_gains_is_found_out() {
    let gains: Hydrate = |text, wanted, provider| {
        let more = json!({"machine": {"sysctls": {"a.b": "1"}}}).to_string();
        clumsy(text, wanted, provider).map(|text| change(&text, |spec| push(spec, &more)))
    };
    assert!(faults(&worker("v1.9.5").template(), gains).contains("/0/machine/sysctls"));

    let mirror = Unit::Mirror {
        name: "ghcr.io".into(),
        endpoints: vec!["https://a.example".into()],
        override_path: Some(true),
        skip_fallback: None,
    };
    let case = worker("v1.9.5")
        .op(Op::add(
            "/machine/registries",
            tree(units::registries(&[mirror])),
        ))
        .template();
    let loses: Hydrate = |text, wanted, provider| {
        clumsy(text, wanted, provider)
            .map(|text| change(&text, |spec| spec["configPatches"] = json!([])))
    };
    assert!(faults(&case, loses).contains("mirrors: "));
    assert_eq!(faults(&case, clumsy), "");
}

#[test]
fn a_form_that_the_provider_or_the_node_does_not_take_is_found_out() {
    let json_patch: Hydrate = |text, _, _| {
        Ok(change(text, |spec| {
            spec["configPatches"] = json!([{"op": "add", "path": "/debug", "value": false}]);
        }))
    };
    assert!(faults(&worker("v1.13.9").template(), json_patch).contains("provider: "));

    let document: Hydrate = |text, _, _| {
        let unit = Unit::Tls {
            host: Wanted::PLAIN.registry.into(),
            ca: Some(CA.clone()),
            has_identity: false,
            insecure: None,
        };
        Ok(change(text, |spec| {
            push(spec, &unit.document().to_string());
        }))
    };
    assert!(faults(&worker("v1.12.0").template(), document).contains("panic"));
    assert!(faults(&worker("v1.9.5").template(), document).contains("provider: "));
}

#[test]
fn a_change_beside_the_patches_is_found_out() {
    let renames: Hydrate = |text, wanted, provider| {
        clumsy(text, wanted, provider).map(|text| text.replace("edge-0", "edge-1"))
    };
    assert!(faults(&worker("v1.9.5").template(), renames).contains("manifest: "));
}

#[test]
fn a_refusal_of_what_is_plain_and_an_acceptance_of_what_is_not_are_found_out() {
    let refuses: Hydrate = |_, _, _| Err(vec!["nested-patch".into()]);
    let mut case = worker("v1.9.5").template();
    assert_eq!(faults(&case, refuses), "refused: nested-patch");

    case.label = Label::Refused("said-twice");
    assert!(faults(&case, refuses).starts_with("code: "));
    assert!(faults(&case, clumsy).starts_with("accepted: "));
}
