//! What a user can mend: what was found, where, why it matters and the way out.
//!
//! This room decides nothing and prints nothing: rooms that find something say so with a
//! [`Diagnostic`], `report` shows it.

mod catalogue;

pub use catalogue::{CATALOGUE, Class, Code, Severity};

use crate::text::{SourceFile, Span};
use std::sync::Arc;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its entry in the catalogue, which brings severity, class and the reason it matters.
    pub code: Code,
    /// What was found, in one sentence without a full stop.
    pub message: String,
    /// Where: the first place is the finding's own, others are what it stands against.
    pub places: Vec<Place>,
    /// What the user can do.
    pub help: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The bytes meant; `None` where the finding is about the file as a whole.
    pub span: Option<Span>,
    /// A few words beside the underlined text; empty where the message says it all.
    pub label: String,
}

impl Place {
    /// `span` of `file`.
    pub fn new(file: &Arc<SourceFile>, span: Span) -> Self {
        Self {
            file: Arc::clone(file),
            span: Some(span),
            label: String::new(),
        }
    }

    /// The file as a whole.
    pub fn whole(file: &Arc<SourceFile>) -> Self {
        Self {
            file: Arc::clone(file),
            span: None,
            label: String::new(),
        }
    }

    /// With a few words beside it.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// `path:line:column`, or the path alone.
    pub fn locator(&self) -> String {
        let path = self.file.path().display();
        match &self.span {
            Some(span) => {
                let at = self.file.position(span.start);
                format!("{path}:{}:{}", at.line, at.column)
            }
            None => path.to_string(),
        }
    }
}

impl Diagnostic {
    /// A finding without a place yet.
    pub fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            places: Vec::new(),
            help: help.into(),
        }
    }

    /// With one more place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }

    /// Does it stop the run, or is it only worth knowing?
    pub fn is_error(&self) -> bool {
        self.code.severity() == Severity::Error
    }
}

/// The name in `known` that `typed` was most likely meant to be.
///
/// Close means: at most one edit in a short word and two in a longer one, or the same but for case.
pub fn did_you_mean<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let allowed = if typed.chars().count() < 5 { 1 } else { 2 };
    known
        .into_iter()
        .map(|name| (distance(&typed.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Levenshtein distance in characters, where swapping two neighbours is one edit: it is the slip that
/// fingers make most.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![(0..=right.len()).collect::<Vec<usize>>()];
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let changed = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            let is_swap =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if is_swap {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_recognised_and_a_stranger_is_not() {
        let known = ["enabled", "host", "caSecret"];

        assert_eq!(did_you_mean("enable", known), Some("enabled"));
        assert_eq!(did_you_mean("casecret", known), Some("caSecret"));
        assert_eq!(did_you_mean("hots", known), Some("host"));
        assert_eq!(did_you_mean("colour", known), None);
    }

    #[test]
    fn a_locator_counts_from_one() {
        let file = Arc::new(SourceFile::new("a.yaml", "a: 1\nb: 2\n"));

        assert_eq!(Place::new(&file, 8..9).locator(), "a.yaml:2:4");
        assert_eq!(Place::whole(&file).locator(), "a.yaml");
    }
}
