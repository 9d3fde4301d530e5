//! Text that cannot steer the terminal it is shown on.

use std::borrow::Cow;

/// The text with every character that could move the cursor, change colours or turn the reading
/// direction written as `\u{…}`. Line feeds and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unprintable(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Controls (C0 and C1), and the marks that reorder what follows them (UAX #9).
pub(super) fn is_unprintable(c: char) -> bool {
    let reorders = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let breaks = matches!(c, '\u{2028}' | '\u{2029}');
    reorders || breaks || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_sequence_is_shown_and_not_obeyed() {
        assert_eq!(printable("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(printable("\u{9b}31m\u{202e}"), "\\u{9b}31m\\u{202e}");
        assert_eq!(printable("tab\tand\nline ö"), "tab\tand\nline ö");
    }
}
