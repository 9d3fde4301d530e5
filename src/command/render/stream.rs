//! Several manifests as one YAML stream, without touching a byte of any of them.

use super::Piece;

/// The pieces with what must stand between them.
///
/// What follows a separator is read by tools that cut a stream at `\n---` (kubectl) as well as by YAML
/// parsers, so both must see the border: an end of line, then `---`, unless the next text brings its own.
pub(super) fn join(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut stream: Vec<Piece> = Vec::with_capacity(pieces.len() * 2);
    for piece in pieces {
        if piece.bytes().is_empty() {
            continue;
        }
        if let Some(before) = stream.last() {
            let separator = separator(before.bytes(), piece.bytes());
            if !separator.is_empty() {
                stream.push(Piece::Committed(separator.into_bytes()));
            }
        }
        stream.push(piece);
    }
    stream
}

fn separator(before: &[u8], after: &[u8]) -> String {
    let line_end = if before.ends_with(b"\r\n") || before.windows(2).any(|it| it == b"\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut separator = String::new();
    match before.last() {
        Some(b'\n') => {}
        // Together with this carriage return it is one line end, and kubectl sees it.
        Some(b'\r') => separator.push('\n'),
        _ => separator.push_str(line_end),
    }
    if begins_with_directive(after) {
        // A directive is one only after the end of the document before it.
        separator.push_str("...");
        separator.push_str(line_end);
    } else if !begins_document(after) {
        separator.push_str("---");
        separator.push_str(line_end);
    }
    separator
}

/// Is the very first thing a `---`? A comment before it would be taken for the tail of the text before,
/// and empty lines there would even change a block scalar at its end.
fn begins_document(text: &[u8]) -> bool {
    text.strip_prefix(b"---")
        .is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\r' | b'\n')))
}

/// Is the first line that is neither empty nor a comment a `%` directive?
fn begins_with_directive(text: &[u8]) -> bool {
    let lines = text.split(|byte| matches!(byte, b'\n' | b'\r'));
    let mut lines =
        lines.filter(|line| !matches!(line.trim_ascii_start().first(), None | Some(b'#')));
    lines.next().is_some_and(|line| line.starts_with(b"%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(texts: &[&str]) -> String {
        let pieces = texts
            .iter()
            .map(|text| Piece::Committed(text.as_bytes().to_vec()));
        let bytes: Vec<u8> = join(pieces.collect())
            .iter()
            .flat_map(|it| it.bytes().to_vec())
            .collect();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn one_text_is_itself() {
        for text in ["", "a: 1", "\u{feff}a: 1\r", "%YAML 1.2\n---\n", "\0"] {
            assert_eq!(joined(&[text]), text);
            assert_eq!(joined(&["", text, ""]), text);
        }
    }

    #[test]
    fn a_border_is_added_only_where_the_next_text_brings_none() {
        assert_eq!(joined(&["a: 1\n", "---\nb: 2\n"]), "a: 1\n---\nb: 2\n");
        assert_eq!(
            joined(&["a: 1\n", "--- # b\nb: 2\n"]),
            "a: 1\n--- # b\nb: 2\n"
        );
        assert_eq!(joined(&["a: 1\n", "b: 2\n"]), "a: 1\n---\nb: 2\n");
        assert_eq!(joined(&["a: 1\n", "---b: 2\n"]), "a: 1\n---\n---b: 2\n");
    }

    #[test]
    fn a_comment_before_the_border_stays_out_of_the_text_before() {
        assert_eq!(
            joined(&["a: |+\n  x\n", "\n# b\n---\nb: 2\n"]),
            "a: |+\n  x\n---\n\n# b\n---\nb: 2\n"
        );
    }

    #[test]
    fn a_missing_final_newline_is_added_in_the_files_own_style() {
        assert_eq!(joined(&["a: 1", "---\nb: 2"]), "a: 1\n---\nb: 2");
        assert_eq!(
            joined(&["a: 1\r\nb: 2", "c: 3"]),
            "a: 1\r\nb: 2\r\n---\r\nc: 3"
        );
        assert_eq!(joined(&["a: 1\r\n", "c: 3"]), "a: 1\r\n---\r\nc: 3");
        assert_eq!(joined(&["a: 1\r", "---\nb: 2"]), "a: 1\r\n---\nb: 2");
    }

    #[test]
    fn a_directive_gets_the_end_of_document_that_it_needs() {
        assert_eq!(
            joined(&["a: 1\n", "# x\n%YAML 1.2\n---\nb: 2\n"]),
            "a: 1\n...\n# x\n%YAML 1.2\n---\nb: 2\n"
        );
        assert_eq!(joined(&["a: 1\n...\n", "b: 2\n"]), "a: 1\n...\n---\nb: 2\n");
    }
}
