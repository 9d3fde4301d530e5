//! A file's text and where in it things are.

use super::Span;
use std::path::{Path, PathBuf};

/// A file as it was read: its path as the user would name it, and its text.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
}

/// A place for people: 1-based line and 1-based column, the column counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// 1-based; LF, CRLF and a lone CR each end a line.
    pub line: usize,
    /// 1-based, in characters, so that a cursor in an editor lands on it.
    pub column: usize,
}

impl SourceFile {
    /// A file that was read.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    /// A file that could not be read, or does not exist: findings about it have a path and no line.
    pub fn unread(path: impl Into<PathBuf>) -> Self {
        Self::new(path, "")
    }

    /// The path as it is shown.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where `offset` (in bytes) is; an offset past the end is taken for the end.
    pub fn position(&self, offset: usize) -> Position {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let (mut line, mut start) = (1, 0);
        for (at, byte) in before.iter().enumerate() {
            let crlf = *byte == b'\r' && self.text.as_bytes().get(at + 1) == Some(&b'\n');
            if *byte == b'\n' || (*byte == b'\r' && !crlf) {
                (line, start) = (line + 1, at + 1);
            }
        }
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        Position { line, column }
    }

    /// The text of the line that `span` starts in, without its line ending.
    pub fn line(&self, span: &Span) -> &str {
        let start = span.start.min(self.text.len());
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let bytes = self.text.as_bytes();
        let from = bytes[..start]
            .iter()
            .rposition(is_end)
            .map_or(0, |at| at + 1);
        let to = bytes[start..]
            .iter()
            .position(is_end)
            .map_or(bytes.len(), |at| start + at);
        self.text.get(from..to).unwrap_or("")
    }
}

/// The text may be long and is never what a reader of a debug print looks for.
impl std::fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "SourceFile({}, {} bytes)",
            self.path.display(),
            self.text.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_carriage_return_ends_a_line_and_crlf_ends_only_one() {
        let file = SourceFile::new("a", "one\rtwo\r\nthree\nfour");

        assert_eq!(file.position(4), Position { line: 2, column: 1 });
        assert_eq!(file.position(9), Position { line: 3, column: 1 });
        assert_eq!(file.position(15), Position { line: 4, column: 1 });
    }

    #[test]
    fn columns_are_characters_not_bytes() {
        let file = SourceFile::new("a", "größe: x");

        assert_eq!(file.position("größe: ".len()).column, 8);
    }

    #[test]
    fn the_line_of_a_span_has_no_line_ending() {
        let file = SourceFile::new("a", "one\r\ntwo\r\n");

        assert_eq!(file.line(&(5..6)), "two");
        assert_eq!(file.line(&(99..100)), "");
    }
}
