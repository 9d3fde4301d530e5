//! Line starts, line ends and the blank stretches between tokens.

/// Where the line that holds `at` starts; a byte order mark is not part of a line.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at];
    match memchr::memrchr2(b'\n', b'\r', before) {
        Some(end) => end + 1,
        None if at >= 3 && text.starts_with('\u{feff}') => 3,
        None => 0,
    }
}

/// Where the line that holds `at` ends, before its line ending.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |more| at + more)
}

/// Where the line after the one that holds `at` starts; the end of the text where there is none.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    let ending = if text.as_bytes()[end..].starts_with(b"\r\n") {
        2
    } else {
        usize::from(end < text.len())
    };
    end + ending
}

/// The first byte at or after `at` that is neither blank, nor a line ending, nor in a comment.
///
/// `at` must not lie inside a scalar: a `#` found there would be taken for a comment.
pub(super) fn skip_gap(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'#' => at = line_end(text, at),
            _ => break,
        }
    }
    at
}

/// The first byte at or after `at` that is not a space or a tab.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let blanks = text.as_bytes()[at..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'));
    at + blanks.count()
}

/// How many spaces the line at `start` begins with.
pub(super) fn indent_at(text: &str, start: usize) -> usize {
    let spaces = text.as_bytes()[start..].iter();
    spaces.take_while(|byte| **byte == b' ').count()
}

/// Is what follows `at` on its line blank, or a comment?
pub(super) fn is_rest_empty(text: &str, at: usize) -> bool {
    let rest = skip_blanks(text, at);
    rest == line_end(text, at) || (rest > at && text.as_bytes()[rest] == b'#')
}

/// Is `line` a `...`, which ends a document?
pub(super) fn is_document_end(line: &str) -> bool {
    line.strip_prefix("...")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// The line ending that `text` uses first; a line feed where it has none.
pub(super) fn line_ending(text: &str) -> &'static str {
    let end = line_end(text, 0);
    match text.as_bytes().get(end..next_line(text, 0)) {
        Some(b"\r\n") => "\r\n",
        Some(b"\r") => "\r",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crlf_is_one_line_ending_and_a_lone_carriage_return_is_one_too() {
        let text = "a\r\nb\rc";

        assert_eq!(next_line(text, 0), 3);
        assert_eq!(next_line(text, 3), 5);
        assert_eq!(next_line(text, 5), 6);
        assert_eq!(line_start(text, 4), 3);
        assert_eq!(line_ending(text), "\r\n");
        assert_eq!(line_ending("a\rb"), "\r");
    }

    #[test]
    fn a_byte_order_mark_does_not_shift_the_first_line() {
        assert_eq!(line_start("\u{feff}a: b", 6), 3);
    }

    #[test]
    fn a_comment_needs_a_blank_before_it() {
        assert!(is_rest_empty("a # b", 1));
        assert!(!is_rest_empty("a# b", 1));
        assert_eq!(skip_gap(" # - x\n\t- y", 0), 8);
    }
}
