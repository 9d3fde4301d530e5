//! Findings for programs.

use super::ExitCode;
use super::printable::is_unprintable;
use crate::diagnostic::{Diagnostic, Place, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// Everything a run found. The shape is stable: keys may come, none goes or changes its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The findings, in the order in which they are shown to people.
    pub findings: Vec<Finding>,
    /// The run in numbers.
    pub summary: Summary,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Its name in the catalogue, such as `nested-patch`.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    /// What was found.
    pub message: String,
    /// Why it matters.
    pub why: String,
    /// What can be done.
    pub help: String,
    /// Where: the finding's own place first, then what it stands against.
    pub places: Vec<Location>,
}

/// A place in a file. A finding about a file as a whole has no numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The file, as seen from the working directory.
    pub file: String,
    /// The first line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The first column, from 1, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The line after the last character meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<usize>,
    /// The column after the last character meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<usize>,
    /// A few words about the place; may be empty.
    pub label: String,
}

/// The run in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// How many findings are errors.
    pub errors: usize,
    /// How many are warnings.
    pub warnings: usize,
    /// The exit code that follows from them.
    pub exit_code: u8,
}

/// The findings as one JSON object with a line feed at its end.
pub fn json(findings: &[Diagnostic]) -> String {
    to_json(&Report::of(findings))
}

/// A report of strings, numbers and truth values as one JSON object with a line feed at its end.
pub(super) fn to_json(report: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(report).expect("strings and numbers serialize");
    // JSON leaves most of these as they are. They can only stand inside strings, where an escape means
    // the same and a terminal does not obey it.
    let mut shown = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if is_unprintable(c) {
            write!(shown, "\\u{:04x}", u32::from(c)).expect("a string takes everything");
        } else {
            shown.push(c);
        }
    }
    shown.push('\n');
    shown
}

impl Report {
    /// The findings in their shape for programs.
    pub fn of(findings: &[Diagnostic]) -> Self {
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        Self {
            findings: findings.iter().map(Finding::of).collect(),
            summary: Summary {
                errors,
                warnings: findings.len() - errors,
                exit_code: ExitCode::of(findings) as u8,
            },
        }
    }
}

impl Finding {
    fn of(finding: &Diagnostic) -> Self {
        let severity = match finding.code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        Self {
            code: finding.code.name().to_owned(),
            severity: severity.to_owned(),
            message: finding.message.clone(),
            why: finding.code.why().to_owned(),
            help: finding.help.clone(),
            places: finding.places.iter().map(Location::of).collect(),
        }
    }
}

impl Location {
    fn of(place: &Place) -> Self {
        let start = place
            .span
            .as_ref()
            .map(|span| place.file.position(span.start));
        let end = place
            .span
            .as_ref()
            .map(|span| place.file.position(span.end));
        Self {
            file: place.file.path().to_string_lossy().into_owned(),
            line: start.map(|at| at.line),
            column: start.map(|at| at.column),
            end_line: end.map(|at| at.line),
            end_column: end.map(|at| at.column),
            label: place.label.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::text::SourceFile;
    use std::sync::Arc;

    #[test]
    fn the_shape_is_what_programs_rely_on() {
        let file = Arc::new(SourceFile::new("a.yaml", "a: 1\nb: 2\n"));
        let finding = Diagnostic::new(Code::UnknownKey, "no key `b`", "remove it")
            .at(Place::new(&file, 5..6).labelled("here"))
            .at(Place::whole(&file));

        let expected = r#"{
  "findings": [
    {
      "code": "unknown-key",
      "severity": "error",
      "message": "no key `b`",
      "why": "a misspelt key would silently have no effect",
      "help": "remove it",
      "places": [
        {
          "file": "a.yaml",
          "line": 2,
          "column": 1,
          "endLine": 2,
          "endColumn": 2,
          "label": "here"
        },
        {
          "file": "a.yaml",
          "label": ""
        }
      ]
    }
  ],
  "summary": {
    "errors": 1,
    "warnings": 0,
    "exitCode": 2
  }
}
"#;
        assert_eq!(json(&[finding]), expected);
    }

    #[test]
    fn a_control_character_is_escaped_and_reads_back_the_same() {
        let message = "\u{1b}[2J\u{9b}\u{202e}\u{7f}";
        let text = json(&[Diagnostic::new(Code::UnknownKey, message, "")]);

        assert!(!text.chars().any(is_unprintable), "{text:?}");
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["findings"][0]["message"], message);
    }
}
