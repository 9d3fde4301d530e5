//! Laws of hydration that hold for every input: what did not opt in is copied, and a list of JSON
//! patches is merged into exactly what an independent model says.
#![expect(
    clippy::disallowed_methods,
    reason = "the test stands outside: it makes files and runs a verb"
)]

mod drawing;
mod model;

use drawing::{BEFORE, case, written};
use hydrant::command::{self, Invocation, Request, render};
use hydrant::edge::environment::Environment;
use hydrant::manifest::{self, Hydration};
use hydrant::secret::Secret;
use hydrant::talos::{HostEntry, PatchIntent, PemText, Tls};
use hydrant::text::{self, SourceFile};
use model::{ADDRESS, HOST, machine, model, patches_in};
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;

/// What the CA is does not matter here, as long as it is PEM of some kind.
const CA: &str = "-----BEGIN CERTIFICATE-----\nb3Vycw==\n-----END CERTIFICATE-----\n";
fn intent() -> PatchIntent {
    let mut intent = PatchIntent::default();
    let ca = PemText::new(Secret::new(CA.to_string()));
    let tls = Tls {
        ca: Some(ca),
        ..Tls::default()
    };
    intent.tls.insert(HOST.to_string(), tls);
    let ip = Secret::new(ADDRESS.to_string());
    intent.hosts.push(HostEntry {
        alias: HOST.to_string(),
        ip,
    });
    intent
}

fn hydrate(text: &str) -> String {
    let intent = intent();
    let request = manifest::Request {
        intent: &intent,
        provider: None,
    };
    let file = Arc::new(SourceFile::new("cluster-base.yaml", text));
    let Hydration { edits, .. } = manifest::hydrate(&file, request).expect("nothing is ambiguous");
    text::apply(text, &edits)
        .expect("the edits are disjoint")
        .to_string()
}

proptest! {
    #[test]
    fn the_machine_is_what_the_model_says(case in case()) {
        let text = case.text();
        let before = machine(&patches_in(&text));
        let after = machine(&patches_in(&hydrate(&text)));

        prop_assert_eq!(after, model(before));
    }

    #[test]
    fn patches_keep_their_place_and_their_op_and_ours_come_last(case in case()) {
        let after = patches_in(&hydrate(&case.text()));

        for (there, (patch, _)) in after.iter().zip(&case.patches) {
            prop_assert_eq!(&there["op"], &json!(patch.op));
            prop_assert_eq!(&there["path"], &json!(patch.path));
            prop_assert!(patch.is_owned() || there["value"] == patch.value);
        }
        let added = &after[case.patches.len()..];
        prop_assert!(added.iter().all(|patch| patch["op"] == "add"));
    }

    #[test]
    fn what_hydrant_does_not_own_keeps_its_bytes(case in case()) {
        let (text, after) = (case.text(), hydrate(&case.text()));
        let mut rest = after.as_str();
        for (number, (patch, style)) in case.patches.iter().enumerate() {
            let written = case.with_line_ends(&written(patch, *style, number));
            // The last patch's line end may be the file's missing one.
            let written = if patch.is_owned() {
                case.with_line_ends(&format!("        # patch {number}\n"))
            } else {
                written.trim_end().to_string()
            };
            let at = rest.find(&written);
            prop_assert!(at.is_some(), "{written:?} is not in {after:?}");
            rest = &rest[at.unwrap_or_default() + written.len()..];
        }
        let head = case.with_line_ends(BEFORE);
        prop_assert!(after.starts_with(&head));
        let ending = |text: &str| text[text.trim_end().len()..].to_string();
        prop_assert_eq!(ending(&after), ending(&text));
        prop_assert_eq!(after.contains('\r'), case.is_crlf);
        prop_assert!(case.is_cut_off() || after.ends_with(&text[text.rfind("---").unwrap_or(0)..]));
    }

    #[test]
    fn hydrating_twice_is_hydrating_once(case in case()) {
        let once = hydrate(&case.text());

        prop_assert_eq!(hydrate(&once), once);
    }

    #[test]
    fn what_did_not_opt_in_is_copied_whatever_it_is(
        manifest in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "[-:{}\\[\\]#&*!|>'\"%@`a\r\n\t ]{0,80}".prop_map(String::into_bytes),
        ]
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let cluster = folder.path().join("edge");
        std::fs::create_dir(&cluster).expect("made");
        let definition = "name: edge\nregistryTrust: {enabled: false}\n";
        std::fs::write(cluster.join("cluster-config.yaml"), definition).expect("written");
        std::fs::write(cluster.join("cluster-base.yaml"), &manifest).expect("written");
        let environment = Environment {
            working_directory: folder.path().to_path_buf(),
            ..Environment::default()
        };
        let invocation = Invocation { environment, ..Invocation::default() };
        let request = render::Request {
            clusters: render::Selection::All,
            redact: false,
            address: None,
        };
        let outcome = command::run(&invocation, &Request::Render(request));
        let printed: Vec<u8> = outcome.output.iter().flat_map(|piece| piece.bytes().to_vec()).collect();

        prop_assert_eq!(printed, manifest);
        prop_assert!(outcome.findings.is_empty());
    }
}
