//! Where the lines of a block scalar (`|`, `>`) are.

use super::lines::{indent_at, is_document_end, line_end, next_line, skip_gap};
use crate::text::{Span, TextEdit};

/// Where the `|` or `>` is that follows `at`, past anchor and tag.
pub(super) fn find_header(text: &str, mut at: usize) -> usize {
    loop {
        at = skip_gap(text, at);
        let rest = &text[at..];
        if !rest.starts_with(['&', '!']) {
            return at;
        }
        at += rest.find([' ', '\t', '\n', '\r']).unwrap_or(rest.len());
    }
}

/// Where the block scalar ends: its last line of content, or its header where it has none.
///
/// Blank lines at the end are content only under `+`.
pub(super) fn end(text: &str, header: usize, limit: usize, decoded: &str) -> usize {
    let layout = Layout::new(text, header, limit, decoded);
    layout
        .lines()
        .last()
        .map_or(layout.header.end, |line| line.end)
}

/// What happens to line endings after the last line of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chomping {
    /// `|-`: none is kept.
    Strip,
    /// `|`: one is kept.
    Clip,
    /// `|+`: all are kept.
    Keep,
}

/// How a block scalar is laid out.
#[derive(Clone, Debug)]
pub(super) struct Layout<'t> {
    text: &'t str,
    /// The `|` or `>` with its indicators.
    pub(super) header: Span,
    pub(super) chomping: Chomping,
    /// The digit in the header: the indentation counted from the parent's.
    pub(super) indicator: Option<usize>,
    /// How many spaces every line of content starts with; `None` where there is no content.
    pub(super) indent: Option<usize>,
    /// Where the line after the header starts.
    pub(super) first_line: usize,
    limit: usize,
}

impl<'t> Layout<'t> {
    /// The layout of the scalar whose header is at `header` and whose document ends at `limit`.
    pub(super) fn new(text: &'t str, header: usize, limit: usize, decoded: &str) -> Self {
        let rest = text[header..].bytes().skip(1);
        let signs = rest
            .take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'))
            .count();
        let header = header..header + 1 + signs;
        let signs = &text[header.clone()];
        let chomping = match (signs.contains('-'), signs.contains('+')) {
            (true, _) => Chomping::Strip,
            (_, true) => Chomping::Keep,
            _ => Chomping::Clip,
        };
        let indicator = signs
            .bytes()
            .find(u8::is_ascii_digit)
            .map(|digit| usize::from(digit - b'0'));
        let first_line = next_line(text, header.end).min(limit);
        let indent = content_indent(text, first_line, decoded);
        Self {
            text,
            header,
            chomping,
            indicator,
            indent,
            first_line,
            limit,
        }
    }

    /// The edit of the header that makes it `|-` or `>-`.
    pub(super) fn strip(&self) -> TextEdit {
        let signs = &self.text[self.header.clone()];
        match signs.find('+') {
            Some(plus) => {
                let at = self.header.start + plus;
                TextEdit::new(at..at + 1, "-")
            }
            None => TextEdit::new(self.header.end..self.header.end, "-"),
        }
    }

    /// The lines of content, each without its line ending; blank lines at the end only under `+`.
    pub(super) fn lines(&self) -> Vec<Span> {
        let mut lines = Vec::new();
        let mut content = 0;
        let mut at = self.first_line;
        let indent = self.indent.unwrap_or(usize::MAX);
        while at < self.limit {
            let end = line_end(self.text, at).min(self.limit);
            let spaces = indent_at(self.text, at);
            let is_blank = at + spaces >= end;
            if !is_blank
                && (spaces < indent || (indent == 0 && is_document_end(&self.text[at..end])))
            {
                break;
            }
            // A last line of blanks without an ending is no line.
            if is_blank && end == self.limit && spaces <= indent {
                break;
            }
            lines.push(at..end);
            if !is_blank || spaces > indent {
                content = lines.len();
            }
            at = next_line(self.text, at);
        }
        if self.chomping != Chomping::Keep {
            lines.truncate(content);
        }
        lines
    }

    /// The content of `line`, without its indentation.
    pub(super) fn content(&self, line: &Span) -> Span {
        let indentation = indent_at(self.text, line.start).min(self.indent.unwrap_or(usize::MAX));
        (line.start + indentation).min(line.end)..line.end
    }

    /// Where byte `offset` of the decoded text of a literal scalar is.
    pub(super) fn outer_offset(&self, offset: usize) -> Option<usize> {
        let mut decoded = 0;
        let mut after = self.first_line;
        for line in self.lines() {
            let content = self.content(&line);
            if offset <= decoded + content.len() {
                return Some(content.start + (offset - decoded));
            }
            decoded += content.len() + 1;
            after = next_line(self.text, line.end);
        }
        (offset == decoded).then_some(after)
    }
}

/// The first line that decodes to something shows how much of it is indentation.
fn content_indent(text: &str, first_line: usize, decoded: &str) -> Option<usize> {
    let at = decoded.bytes().position(|byte| byte != b'\n')?;
    let mut start = first_line;
    for _ in 0..at {
        start = next_line(text, start);
    }
    indent_at(text, start).checked_sub(indent_at(decoded, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &str, decoded: &str) -> Vec<String> {
        let header = text.find(['|', '>']).unwrap();
        let layout = Layout::new(text, header, text.len(), decoded);
        layout
            .lines()
            .into_iter()
            .map(|line| text[line].to_string())
            .collect()
    }

    #[test]
    fn less_indented_comments_after_the_text_are_not_in_it() {
        let text = "a: |\n  x\n\n  y\n\n # less\nb: c\n";

        assert_eq!(lines_of(text, "x\n\ny\n"), ["  x", "", "  y"]);
    }

    #[test]
    fn keep_owns_the_blank_lines_at_the_end() {
        assert_eq!(
            lines_of("a: |+\n  x\n\n\nb: c\n", "x\n\n\n"),
            ["  x", "", ""]
        );
        assert_eq!(lines_of("a: |+\n\n\nb: c\n", "\n\n"), ["", ""]);
    }

    #[test]
    fn an_explicit_indicator_leaves_leading_spaces_to_the_text() {
        let text = "a: |2\n    x\n  y\n";
        let layout = Layout::new(text, 3, text.len(), "  x\ny\n");

        assert_eq!((layout.indicator, layout.indent), (Some(2), Some(2)));
    }

    #[test]
    fn a_line_of_more_spaces_than_the_indentation_is_content() {
        assert_eq!(
            lines_of("a: |\n  x\n    \n\nb: c\n", "x\n  \n"),
            ["  x", "    "]
        );
    }
}
