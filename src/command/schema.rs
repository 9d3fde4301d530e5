//! `hydrant schema`: the JSON Schemas of the files that hydrant reads and the reports that it writes.

use super::{Outcome, Piece};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::report::SchemaOf;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which schema, as it was typed; the list of them where it is `None`.
    pub name: Option<String>,
}

/// Prints one schema, or what there is.
pub fn run(request: &Request) -> Outcome {
    let mut outcome = Outcome::default();
    match request
        .name
        .as_deref()
        .map(|name| (name, SchemaOf::of(name)))
    {
        None => outcome.output.push(Piece::Shown(list())),
        Some((_, Some(schema))) => outcome.output.push(Piece::Shown(schema.text())),
        Some((name, None)) => outcome.findings.push(unknown(name)),
    }
    outcome
}

fn list() -> String {
    let line = |schema: SchemaOf| format!("{:<16}{}\n", schema.name(), schema.describes());
    SchemaOf::ALL.into_iter().map(line).collect()
}

fn unknown(name: &str) -> Diagnostic {
    let names = || SchemaOf::ALL.into_iter().map(SchemaOf::name);
    let help = match did_you_mean(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::new(
        Code::UnknownSchema,
        format!("there is no schema `{name}`"),
        help,
    )
}
