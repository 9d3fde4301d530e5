//! How a document is written, told from what is there.

use super::arena::{NOWHERE, Shape};
use super::emit::{Literal, Style};
use super::lines::{indent_at, line_end, line_ending, line_start, next_line};
use super::quote::Context;
use super::{Document, Node, Reading};

/// The style that most of `document` has; two spaces where it shows none.
pub(super) fn style_of(document: &Document<'_>) -> Style {
    let mut steps = Tally::default();
    let mut dashes = Tally::default();
    if let Some(root) = document.root() {
        look(root, &mut steps, &mut dashes);
    }
    let step = steps.most().filter(|step| *step > 0).unwrap_or(2);
    Style {
        ending: line_ending(document.whole_text()),
        step,
        dash: dashes.most().unwrap_or(step),
        literal: Literal::Any,
    }
}

/// Which text may be a literal block in front of `at`, below a key or dash at `column`.
pub(super) fn literal_before(text: &str, at: usize, column: usize) -> Literal {
    if at == text.len() && !text.ends_with(['\n', '\r']) {
        return Literal::Never;
    }
    let mut start = at;
    while start < text.len() && line_end(text, start) == start + indent_at(text, start) {
        // Blanks deeper than the text would be text.
        if indent_at(text, start) > column {
            return Literal::Never;
        }
        start = next_line(text, start);
    }
    let indentation = indent_at(text, start);
    if indentation > column && text[start + indentation..].starts_with('#') {
        Literal::Never
    } else if start > at {
        Literal::Unkept
    } else {
        Literal::Any
    }
}

/// How often each indentation occurs, from 0 to 15.
#[derive(Default)]
struct Tally([usize; 16]);

impl Tally {
    fn count(&mut self, indentation: usize) {
        if let Some(count) = self.0.get_mut(indentation) {
            *count += 1;
        }
    }

    /// The most frequent one; of two, the smaller.
    fn most(&self) -> Option<usize> {
        let counted = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        counted
            .rev()
            .max_by_key(|(_, count)| **count)
            .map(|(indentation, _)| indentation)
    }
}

fn look(node: Node<'_>, steps: &mut Tally, dashes: &mut Tally) {
    for item in node.items() {
        look(item, steps, dashes);
    }
    for (_, value) in node.entries() {
        let indentation = column(value)
            .zip(column(node))
            .and_then(|(inner, outer)| inner.checked_sub(outer));
        match (value.slot().shape, indentation) {
            (Shape::BlockMapping, Some(indentation)) => steps.count(indentation),
            (Shape::BlockSequence, Some(indentation)) => dashes.count(indentation),
            _ => {}
        }
        look(value, steps, dashes);
    }
}

/// The column that a block collection stands in, counted from 0; `None` where a tab makes it vague.
pub(super) fn column(node: Node<'_>) -> Option<usize> {
    column_of(node.document().whole_text(), node.span().start)
}

/// The column of `at`, counted in characters from 0.
pub(super) fn column_of(text: &str, at: usize) -> Option<usize> {
    let before = &text[line_start(text, at)..at];
    (!before.contains('\t')).then(|| before.chars().count())
}

/// How many blanks stand between the dashes of `sequence` and their items.
pub(super) fn dash_gap(sequence: Node<'_>) -> usize {
    let text = sequence.document().whole_text();
    let gap = |item: Node<'_>| {
        let slot = item.slot();
        let gap = text.get((slot.lead as usize).checked_add(1)?..slot.outer as usize)?;
        let is_usual =
            slot.lead != NOWHERE && !gap.is_empty() && gap.bytes().all(|byte| byte == b' ');
        is_usual.then_some(gap.len())
    };
    sequence.items().find_map(gap).unwrap_or(1)
}

/// How strings are written inside the flow collection `node`: as JSON where all its keys, or without
/// keys all its strings, are in double quotes.
pub(super) fn flow_context(node: Node<'_>) -> Context {
    let (mut keys, mut scalars) = (Signs::default(), Signs::default());
    count_quotes(node, &mut keys, &mut scalars);
    let signs = if keys == Signs::default() {
        scalars
    } else {
        keys
    };
    if signs.double > 0 && signs.other == 0 {
        Context::Json
    } else {
        Context::Flow
    }
}

#[derive(Default, PartialEq, Eq)]
struct Signs {
    double: usize,
    other: usize,
}

fn count_quotes(node: Node<'_>, keys: &mut Signs, scalars: &mut Signs) {
    let count = |node: Node<'_>, signs: &mut Signs| match node.slot().shape {
        Shape::Double => signs.double += 1,
        _ if node.string(Reading::Kubernetes).is_some() => signs.other += 1,
        _ => {}
    };
    for (key, value) in node.entries() {
        count(key, keys);
        count_quotes(value, keys, scalars);
    }
    for item in node.items() {
        count_quotes(item, keys, scalars);
    }
    count(node, scalars);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(text: &str) -> (usize, usize, &'static str) {
        let style = style_of(&Document::parse(text, 0..text.len()).unwrap());
        (style.step, style.dash, style.ending)
    }

    #[test]
    fn most_of_the_document_decides() {
        assert_eq!(
            style("a:\n    b:\n        c: d\n    e:\n    - f\n"),
            (4, 0, "\n")
        );
        assert_eq!(
            style("a:\r\n  - b\r\nc:\r\n  - d\r\ne:\r\n- f\r\n"),
            (2, 2, "\r\n")
        );
    }

    #[test]
    fn a_document_that_shows_nothing_gets_two_spaces() {
        assert_eq!(style("a: b"), (2, 2, "\n"));
    }
}
