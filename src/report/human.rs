//! Findings for people: what, where with the line itself, why, and the way out.

use super::printable::{is_unprintable, printable};
use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::text::Span;
use annotate_snippets::renderer::{DEFAULT_HELP_STYLE, DEFAULT_NOTE_STYLE, Style};
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};

/// Does the text go to something that shows colours?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// ANSI colours.
    Styled,
    /// None: a file, a pipe, or the user's wish.
    Plain,
}

/// The findings, one after the other with a blank line between them.
pub fn human(findings: &[Diagnostic], color: Color) -> String {
    let mut text = String::new();
    for (index, finding) in findings.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        show(finding, color, &mut text);
    }
    text
}

/// Lines longer than this are located and not shown: nobody reads them, and somebody minified them.
const LONGEST_LINE: usize = 4096;

fn show(finding: &Diagnostic, color: Color, text: &mut String) {
    let level = match finding.code.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = printable(&finding.message);
    let title = level.primary_title(message).id(finding.code.name());
    let places = finding.places.iter().enumerate();
    let group = title.elements(places.map(|(index, place)| element(place, index == 0)));
    let renderer = match color {
        Color::Styled => Renderer::styled(),
        Color::Plain => Renderer::plain(),
    };
    let lines = finding.places.iter().filter_map(line_number).max();
    let upper = renderer.render(&[group]);
    // Without line numbers the renderer leaves no room for the arrow.
    text.push_str(&match lines {
        Some(_) => upper,
        None => upper.replace('\n', "\n "),
    });
    let gutter = lines.map_or(1, |line| line.to_string().len());
    text.push_str(&reason_and_way_out(finding, color, gutter));
}

fn reason_and_way_out(finding: &Diagnostic, color: Color, gutter: usize) -> String {
    let named = |name: &str, style: Style| match color {
        Color::Styled => format!("{style}{name}{style:#}"),
        Color::Plain => name.to_owned(),
    };
    let (why, help) = (
        named("why", DEFAULT_NOTE_STYLE),
        named("help", DEFAULT_HELP_STYLE),
    );
    let reason = finding.code.why();
    let way_out = printable(&finding.help).replace('\n', " ");
    let indent = " ".repeat(gutter);
    format!("\n{indent} = {why}: {reason}\n{indent} {help}: {way_out}\n")
}

fn line_number(place: &Place) -> Option<usize> {
    let span = place.span.as_ref()?;
    Some(place.file.position(span.start).line)
}

fn element(place: &Place, is_first: bool) -> Element<'_> {
    let path = place.file.path().to_string_lossy();
    let path = printable(&path).into_owned();
    let Some(span) = &place.span else {
        return Origin::path(path).into();
    };
    let at = place.file.position(span.start);
    let line = place.file.line(span);
    if line.len() > LONGEST_LINE {
        return Origin::path(path)
            .line(at.line)
            .char_column(at.column)
            .into();
    }
    let (line, marked) = line_to_show(line, span, place.file.text());
    let kind = if is_first {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    };
    let label = (!place.label.is_empty()).then(|| printable(&place.label).into_owned());
    Snippet::source(line)
        .path(path)
        .line_start(at.line)
        .annotation(kind.span(marked).label(label))
        .into()
}

/// The line with nothing in it that a terminal would obey, and the part of `span` that is in it.
fn line_to_show(line: &str, span: &Span, text: &str) -> (String, Span) {
    let start = line_start(line, text);
    let from = span.start.saturating_sub(start).min(line.len());
    let to = span.end.saturating_sub(start).clamp(from, line.len());
    let (mut shown, mut marked) = (String::with_capacity(line.len()), 0..0);
    for (at, c) in line.char_indices() {
        if at <= from {
            marked.start = shown.len();
        }
        shown.push(if is_unprintable(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        });
        if at < to {
            marked.end = shown.len();
        }
    }
    if from == line.len() {
        marked.start = shown.len();
    }
    marked.end = marked.end.max(marked.start);
    (shown, marked)
}

/// Where `line`, a part of `text`, begins in it.
fn line_start(line: &str, text: &str) -> usize {
    (line.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::text::SourceFile;
    use std::sync::Arc;

    fn finding(text: &str, span: Span) -> Diagnostic {
        let file = Arc::new(SourceFile::new("clusters/ok-ai/cluster-base.yaml", text));
        Diagnostic::new(Code::NestedPatch, "`/x` patches inside", "do this")
            .at(Place::new(&file, span))
    }

    #[test]
    fn a_finding_shows_place_line_reason_and_way_out() {
        let text = format!(
            "{}        path: /machine/registries/mirrors\n",
            "\n".repeat(60)
        );
        let start = text.find("/machine").unwrap();
        let shown = human(&[finding(&text, start..start + 27)], Color::Plain);

        let expected = "\
error[nested-patch]: `/x` patches inside
  --> clusters/ok-ai/cluster-base.yaml:61:15
   |
61 |         path: /machine/registries/mirrors
   |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^
   = why: after a parent patch it would be applied to our value, before one it would be erased: the order would decide
   help: do this
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_finding_without_a_line_names_its_file() {
        let file = Arc::new(SourceFile::unread("clusters/a/cluster-config.yml"));
        let finding = Diagnostic::new(Code::NoCluster, "there is none", "do this");
        let shown = human(
            &[finding.clone(), finding.at(Place::whole(&file))],
            Color::Plain,
        );

        let expected = "\
error[no-cluster]: there is none
  = why: a run that matches nothing would look like a success
  help: do this

error[no-cluster]: there is none
 --> clusters/a/cluster-config.yml
  = why: a run that matches nothing would look like a success
  help: do this
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_control_character_in_a_file_reaches_the_terminal_neither_as_source_nor_as_message() {
        let text = "key: \u{1b}]0;x\u{7}\u{9b}2J\u{202e}\n";
        let mut finding = finding(text, 5..text.len() - 1);
        finding.message = text.to_owned();
        finding.help = text.to_owned();
        let finding = finding.at(Place::whole(&Arc::new(SourceFile::unread(text))));
        let shown = human(&[finding], Color::Plain);

        assert!(!shown.chars().any(is_unprintable), "{shown:?}");
    }

    #[test]
    fn the_mark_stays_under_its_text_when_something_before_it_is_replaced() {
        let text = "\u{1b}ö: wrong\n";
        let start = text.find("wrong").unwrap();
        let shown = human(&[finding(text, start..start + 5)], Color::Plain);

        let column = |line: &str, of: char| line.chars().position(|c| c == of);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(column(lines[3], 'w'), column(lines[4], '^'), "{shown}");
        assert!(
            lines[4].ends_with("^^^^^") && !lines[4].ends_with("^^^^^^"),
            "{shown}"
        );
    }

    #[test]
    fn a_span_over_several_lines_shows_its_first() {
        let shown = human(&[finding("a:\n  b: 1\n  c: 2\n", 0..17)], Color::Plain);

        assert!(
            shown.contains("1 | a:") && !shown.contains("b: 1"),
            "{shown}"
        );
    }

    #[test]
    fn a_minified_line_is_located_and_not_shown() {
        let text = format!("{}x", "a".repeat(LONGEST_LINE));
        let shown = human(
            &[finding(&text, LONGEST_LINE..LONGEST_LINE + 1)],
            Color::Plain,
        );

        assert!(shown.contains("cluster-base.yaml:1:4097"), "{shown}");
        assert!(!shown.contains("aaaa"));
    }

    #[test]
    fn without_colour_there_is_no_escape_sequence_and_with_it_there_is() {
        let finding = [finding("a: 1\n", 0..1)];

        assert!(!human(&finding, Color::Plain).contains('\u{1b}'));
        assert!(human(&finding, Color::Styled).contains('\u{1b}'));
    }
}
