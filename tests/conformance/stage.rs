//! Small cases written by hand, for the rows and rules.

use super::case::{Case, Kind, Label, Object, Op, Patch, Spec};
use super::hand::{Hand, Quoting};
use super::judge::{code_of, judge};
use super::oracle::Oracles;
use super::reading;
use super::seam;
use super::trust::Wanted;
use super::units::tree;
use serde_json::Value;

/// A spec that the provider generates the base for.
pub(crate) fn spec(generate_type: &'static str, talos: &'static str) -> Spec {
    Spec {
        generate_type,
        talos: Some(talos).filter(|talos| !talos.is_empty()),
        ..Spec::default()
    }
}

pub(crate) fn worker(talos: &'static str) -> Spec {
    spec("worker", talos)
}

/// A strategic patch in a literal block.
pub(crate) fn literal(document: Value) -> Patch {
    Patch::new(vec![tree(document)], Quoting::Literal)
}

impl Spec {
    pub(crate) fn op(mut self, op: Op) -> Self {
        self.ops.push(op);
        self
    }

    pub(crate) fn string(mut self, patch: Patch) -> Self {
        self.strings.push(patch);
        self
    }

    pub(crate) fn data(mut self, documents: &[Value]) -> Self {
        self.generate_type = "none";
        let documents = documents.iter().cloned().map(tree).collect();
        self.data = Some(Patch::new(documents, Quoting::Literal));
        self
    }

    pub(crate) fn template(self) -> Case {
        case(vec![Object {
            kind: Kind::Template,
            specs: vec![self],
        }])
    }
}

pub(crate) fn case(objects: Vec<Object>) -> Case {
    Case {
        provider: None,
        wanted: Wanted::PLAIN,
        objects,
        label: Label::Plain,
        is_settled: false,
        hand: Hand::default(),
        is_crlf: false,
        lacks_end: false,
        mood: 0,
    }
}

impl Case {
    pub(crate) fn with(mut self, provider: &'static str) -> Self {
        self.provider = Some(provider).filter(|provider| !provider.is_empty());
        self
    }

    /// Hydrates it, lets Talos judge it, and gives the specs as they are then.
    #[track_caller]
    pub(crate) fn hydrated(&self, oracles: &Oracles) -> Vec<Value> {
        let verdict = judge(oracles, self);
        assert!(
            verdict.faults.is_empty(),
            "{}\n{}",
            verdict.faults.join("\n"),
            self.findings()
        );
        assert!(
            verdict.compared > 0,
            "nothing was compared:\n{}",
            self.manifest()
        );
        let text = self.hydrated_text();
        reading::read(&text)
            .expect("it is YAML")
            .specs
            .into_iter()
            .map(|(_, spec)| spec)
            .collect()
    }

    #[track_caller]
    pub(crate) fn hydrated_text(&self) -> String {
        seam::hydrate(&self.manifest(), &self.wanted, self.provider).expect("it is hydrated")
    }

    /// The codes of all errors; none where it is hydrated.
    pub(crate) fn codes(&self) -> Vec<String> {
        let hydrated = seam::hydrate(&self.manifest(), &self.wanted, self.provider);
        let findings = hydrated.err().unwrap_or_default();
        findings
            .iter()
            .map(|finding| code_of(finding).to_string())
            .collect()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        seam::warnings(&self.manifest(), &self.wanted, self.provider)
    }

    /// Everything that hydrant says to it, and its text.
    pub(crate) fn findings(&self) -> String {
        let text = self.manifest();
        let findings = seam::findings(&text, &self.wanted, self.provider);
        format!("{}\n{text}", findings.join("\n"))
    }

    #[track_caller]
    pub(crate) fn is_refused(&self, code: &str) {
        let codes = self.codes();
        assert!(
            codes.iter().any(|found| found == code),
            "{code}: {codes:?}\n{}",
            self.manifest()
        );
    }

    /// The first spec as it is committed, for questions to Talos.
    pub(crate) fn committed(&self) -> Value {
        reading::read(&self.manifest())
            .expect("it is YAML")
            .specs
            .swap_remove(0)
            .1
    }
}

/// The paths of the JSON patches.
pub(crate) fn paths(spec: &Value) -> Vec<&str> {
    let ops = spec["configPatches"].as_array().into_iter().flatten();
    ops.filter_map(|op| op["path"].as_str()).collect()
}

/// Every document of the strategic patches, parsed.
pub(crate) fn documents(spec: &Value) -> Vec<Value> {
    let strings = spec["strategicPatches"].as_array().into_iter().flatten();
    let texts = strings.filter_map(Value::as_str);
    texts
        .flat_map(|text| reading::read(text).expect("it is YAML").others)
        .collect()
}

/// The kinds of the strategic patches' documents; `v1alpha1` for fields.
pub(crate) fn kinds(spec: &Value) -> Vec<String> {
    let kind = |document: Value| document["kind"].as_str().unwrap_or("v1alpha1").to_string();
    documents(spec).into_iter().map(kind).collect()
}
