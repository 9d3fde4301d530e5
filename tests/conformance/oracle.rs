//! The programs that answer as Talos does: one process a release, a line of JSON each way.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};

#[derive(Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Question<'q> {
    Build { spec: &'q Value },
    Read { config: &'q str },
    Kind { kind: &'q str },
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    config: String,
    stage: String,
    error: String,
    refused: BTreeMap<String, String>,
    facts: Option<Facts>,
    known: bool,
}

/// What a node would act on, whichever form carried it, and everything else of its config.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facts {
    pub(crate) mirrors: BTreeMap<String, Mirror>,
    pub(crate) tls: BTreeMap<String, Tls>,
    pub(crate) auth: BTreeMap<String, Auth>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) install_image: String,
    pub(crate) rest: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mirror {
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) skip_fallback: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Endpoint {
    pub(crate) url: String,
    pub(crate) override_path: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tls {
    pub(crate) ca: String,
    pub(crate) insecure_skip_verify: bool,
    pub(crate) crt: String,
    pub(crate) key: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "Talos names them so")]
pub(crate) struct Auth {
    pub(crate) username: String,
    pub(crate) password: String,
    pub(crate) auth: String,
    pub(crate) identity_token: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Host {
    pub(crate) ip: String,
    /// Absent where the config says none.
    pub(crate) aliases: Option<Vec<String>>,
}

/// A config as a node of one release reads it.
pub(crate) struct Read {
    /// The error of every mode that it is not valid in.
    pub(crate) refused: BTreeMap<String, String>,
    pub(crate) facts: Facts,
}

/// One release's process. It ends when its questions do, so nobody waits for it.
struct Oracle {
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// All of them, each started when it is first asked.
pub(crate) struct Oracles(BTreeMap<&'static str, Mutex<Option<Oracle>>>);

/// All tests ask the same processes: each makes its keys once, which is the slow part of an answer.
static ORACLES: LazyLock<Oracles> = LazyLock::new(|| {
    let releases = super::releases::MACHINERY.iter();
    Oracles(
        releases
            .map(|release| (*release, Mutex::default()))
            .collect(),
    )
});

impl Oracles {
    pub(crate) fn shared() -> &'static Self {
        &ORACLES
    }

    /// The bootstrap data that the provider with this machinery makes of a spec, or where it fails.
    pub(crate) fn build(&self, machinery: &str, spec: &Value) -> Result<String, String> {
        let answer = self.ask(machinery, &Question::Build { spec });
        if answer.error.is_empty() {
            Ok(answer.config)
        } else {
            Err(format!("{}: {}", answer.stage, answer.error))
        }
    }

    /// What a node of this release makes of its bootstrap data.
    pub(crate) fn read(&self, node: &str, config: &str) -> Result<Read, String> {
        let answer = self.ask(node, &Question::Read { config });
        match answer.facts {
            Some(facts) if answer.error.is_empty() => {
                let refused = answer.refused;
                Ok(Read { refused, facts })
            }
            _ => Err(format!("{}: {}", answer.stage, answer.error)),
        }
    }

    /// Does this release load documents of the kind?
    pub(crate) fn knows(&self, machinery: &str, kind: &str) -> bool {
        self.ask(machinery, &Question::Kind { kind }).known
    }

    fn ask(&self, release: &str, question: &Question<'_>) -> Answer {
        let slot = self.0.get(release).expect("a release of the list");
        let mut slot = slot.lock().expect("no thread panics while it asks");
        let oracle = slot.get_or_insert_with(|| Oracle::start(release));
        let mut line = serde_json::to_string(question).expect("a question is JSON");
        line.push('\n');
        oracle
            .questions
            .write_all(line.as_bytes())
            .expect("the oracle listens");
        let mut answer = String::new();
        oracle
            .answers
            .read_line(&mut answer)
            .expect("the oracle answers");
        serde_json::from_str(&answer).expect("an answer is JSON")
    }
}

impl Oracle {
    #[expect(clippy::zombie_processes, reason = "it lives as long as the tests do")]
    fn start(release: &str) -> Self {
        let folder = std::env::var("HYDRANT_CONFORMANCE_ORACLES").map_or_else(
            |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/talos"),
            PathBuf::from,
        );
        let program = folder.join(format!("oracle-{release}"));
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{}: {error}; `tests/talos/build.sh` makes it",
                    program.display()
                )
            });
        let questions = child.stdin.take().expect("piped");
        let answers = BufReader::new(child.stdout.take().expect("piped"));
        Self { questions, answers }
    }
}
