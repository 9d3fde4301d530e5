//! Laws of repair, held against drawn patch lists.

use super::tests::{HEAD, PARENTS, request};
use super::*;
use crate::manifest::{self, Request};
use crate::talos::PatchIntent;
use proptest::prelude::*;
use serde_json::json;

fn value() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["ghcr.io", "*", "a/b~c"]);
    let mirrors = prop::collection::vec((name, "https://[a-z]{1,3}\\.example"), 0..3);
    mirrors.prop_map(|mirrors| {
        let one = |(name, url): (&str, String)| (name.to_string(), json!({"endpoints": [url]}));
        json!({"mirrors": mirrors.into_iter().map(one).collect::<serde_json::Map<_, _>>()})
    })
}

fn patch() -> impl Strategy<Value = Value> {
    let nested = prop::sample::select(vec![
        ("add", "/machine/registries/mirrors/ghcr.io"),
        ("replace", "/machine/registries/mirrors/a~1b~0c"),
        ("remove", "/machine/registries/mirrors"),
        ("add", "/machine/registries/config"),
        ("add", "/machine/network/extraHostEntries/-"),
        ("add", "/machine/network/extraHostEntries/0"),
        ("remove", "/machine/network/extraHostEntries/-1"),
        ("add", "/machine/sysctls"),
    ]);
    let entry = "[a-z]{1,3}".prop_map(|name| json!({"ip": "192.0.2.1", "aliases": [name]}));
    prop_oneof![
        value().prop_map(|value| json!({"op": "add", "path": "/machine/registries", "value": value})),
        entry.prop_map(|entry| {
            json!({"op": "add", "path": "/machine/network/extraHostEntries", "value": [entry]})
        }),
        (nested, value(), "[a-z]{1,3}").prop_map(|((op, path), value, name)| {
            let is_host = path.contains("extraHostEntries");
            let entry = json!({"ip": "192.0.2.2", "aliases": [name]});
            json!({"op": op, "path": path, "value": if is_host { entry } else { value["mirrors"].clone() }})
        }),
    ]
}

/// The manifest of a spec, in block or in flow style, with LF or CRLF.
fn manifest_of(spec: &Value, is_flow: bool, ending: &str) -> Arc<SourceFile> {
    let spec = if is_flow {
        spec.to_string()
    } else {
        yaml::text_of(spec).trim_end().replace('\n', "\n      ")
    };
    let text = format!("{HEAD}      {spec}\n").replace('\n', ending);
    Arc::new(SourceFile::new("m.yaml", text))
}

fn steps_of(text: &str) -> (Vec<Step>, usize) {
    let file = Arc::new(SourceFile::new("m.yaml", text));
    let stream = Stream::parse(file.text()).unwrap();
    let target = target::find(&file, &stream, &mut Vec::new()).pop().unwrap();
    let operations = operations::read(&file, target.spec, &mut Vec::new());
    let strategic = target.spec.get("strategicPatches");
    let steps = operations.iter().map(|it| step(&file, it).unwrap());
    (
        steps.collect(),
        strategic.map_or(0, |list| list.items().count()),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// In the text as in the model: what is repaired makes the same config of every base, is taken by
    /// hydration, and is left alone by a second run.
    #[test]
    fn a_repaired_file_means_the_same(
        patches in prop::collection::vec(patch(), 1..6),
        is_flow in prop::bool::ANY,
        ending in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let spec = json!({"generateType": "worker", "talosVersion": "v1.11", "configPatches": patches});
        let file = manifest_of(&spec, is_flow, ending);
        let Ok(repaired) = fix(&file, request(None)) else { return Ok(()) };
        let text = apply(file.text(), &repaired.edits).unwrap().to_string();

        let (before, after) = (steps_of(file.text()).0, steps_of(&text).0);
        for base in bases::of_one_document(Role::Worker, TalosVersion::parse("v1.11")) {
            if let Ok(made) = crate::manifest::engine::apply(base.document.clone(), &before) {
                prop_assert_eq!(crate::manifest::engine::apply(base.document, &after), Ok(made));
            }
        }
        let text = Arc::new(SourceFile::new("m.yaml", text));
        prop_assert!(fix(&text, request(None)).unwrap().edits.is_empty());
        let mut findings = Vec::new();
        let stream = Stream::parse(text.text()).unwrap();
        let target = target::find(&text, &stream, &mut findings).pop().unwrap();
        let operations = operations::read(&text, target.spec, &mut findings);
        operations::owned(&text, &operations, PARENTS, &mut findings);
        prop_assert_eq!(findings, Vec::new());
    }

    /// After a migration there is no JSON patch, the provider takes what is there, and a second run
    /// changes nothing.
    #[test]
    fn a_migrated_file_is_taken_by_hydration(
        patches in prop::collection::vec(patch(), 1..6),
        is_flow in prop::bool::ANY,
        to in prop::sample::select(vec!["v1.12.1", "v1.13.2"]),
    ) {
        let spec = json!({"generateType": "worker", "talosVersion": "v1.11", "configPatches": patches});
        let file = manifest_of(&spec, is_flow, "\n");
        let Ok(repaired) = fix(&file, request(Some(to))) else { return Ok(()) };
        let text = apply(file.text(), &repaired.edits).unwrap().to_string();

        prop_assert!(steps_of(&text).0.is_empty());
        let text = Arc::new(SourceFile::new("m.yaml", text));
        prop_assert!(fix(&text, request(Some(to))).unwrap().edits.is_empty());
        let nothing = PatchIntent::default();
        let wanted = Request { intent: &nothing, provider: None };
        prop_assert!(manifest::hydrate(&text, wanted).is_ok());
    }
}
