//! How a string is written so that every reader takes it for that string.
//!
//! Unquoted only in a tight class: go-yaml v2 and v3, libyaml and YAML 1.2 readers disagree about
//! what plain text is, and what one of them takes for a number must not be left to it.

use super::Reading;
use super::scalar::{Scalar, resolve};

/// Where the string will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// In block style.
    Block,
    /// Between brackets, where commas and colons end a plain string.
    Flow,
    /// Between brackets in a text that quotes everything, as JSON does.
    Json,
}

/// `text` on one line: plain where that is safe, in double quotes otherwise.
pub(super) fn shortest(text: &str, context: Context) -> String {
    if is_plain_safe(text, context) {
        text.to_string()
    } else {
        double(text)
    }
}

/// May `text` stand without quotes?
pub(super) fn is_plain_safe(text: &str, context: Context) -> bool {
    let starts_well = text.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '/');
    let only_safe = text.bytes().all(|byte| match byte {
        b'-' | b'.' | b'/' | b'_' | b'+' | b'=' | b'@' => true,
        b':' => context == Context::Block,
        _ => byte.is_ascii_alphanumeric(),
    });
    starts_well
        && only_safe
        && context != Context::Json
        && !text.ends_with(':')
        && !looks_numeric(text)
        && resolve(text, Reading::Kubernetes) == Scalar::Str
        && resolve(text, Reading::Talos) == Scalar::Str
}

/// What some YAML 1.1 or 1.2 reader takes for a base 60 number, a float or a date, though go-yaml
/// may not.
fn looks_numeric(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_sixty = bytes
        .iter()
        .all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'_' | b'.'))
        && text.contains(':');
    let is_dated = bytes.len() > 5
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5].is_ascii_digit();
    let without_underscores = text.replace('_', "");
    let is_float = !text.starts_with(|first: char| first.is_ascii_alphabetic())
        && without_underscores.parse::<f64>().is_ok();
    is_sixty
        || is_dated
        || is_float
        || matches!(bytes, [b'0', b'x' | b'o' | b'b' | b'X' | b'O' | b'B', ..])
}

/// `text` in double quotes, on one line.
pub(super) fn double(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2 + 2);
    out.push('"');
    for sign in text.chars() {
        match sign {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_printable(sign) => out.push(sign),
            _ => escape(sign, &mut out),
        }
    }
    out.push('"');
    out
}

/// UTF-16 escapes, which JSON readers know too; only what they cannot say takes the long form.
fn escape(sign: char, out: &mut String) {
    let code = u32::from(sign);
    let (mark, width) = if code > 0xffff { ('U', 8) } else { ('u', 4) };
    out.push('\\');
    out.push(mark);
    out.extend(
        (0..width)
            .rev()
            .filter_map(|place| char::from_digit(code >> (4 * place) & 0xf, 16)),
    );
}

/// `text` in single quotes; `None` where those cannot say it on one line.
pub(super) fn single(text: &str) -> Option<String> {
    let fits = text.chars().all(|sign| sign != '\t' && is_printable(sign));
    fits.then(|| format!("'{}'", text.replace('\'', "''")))
}

/// May `text` be a literal block scalar (`|`)?
///
/// Not a line of blanks alone, which readers count as indentation in different ways, and not a line
/// ending that is not LF, which would come back as one.
pub(super) fn fits_literal(text: &str) -> bool {
    let blank = |line: &str| line.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    let mut lines = text.split('\n').filter(|line| !line.is_empty());
    let first = lines.clone().next();
    text.contains('\n')
        && is_printable_text(text)
        && first.is_some_and(|line| !line.starts_with('\t'))
        && !lines.any(blank)
}

/// Is every character printable, or a tab or line feed?
pub(super) fn is_printable_text(text: &str) -> bool {
    text.chars()
        .all(|sign| matches!(sign, '\n' | '\t') || is_printable(sign))
}

/// Printable in YAML, and no line ending for any version of it.
fn is_printable(sign: char) -> bool {
    matches!(sign, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        && !matches!(sign, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> String {
        shortest(text, Context::Block)
    }

    #[test]
    fn addresses_hosts_paths_and_base64_stay_plain() {
        for text in [
            "192.0.2.10",
            "10.96.0.0/12",
            "registry.example.internal:5000",
            "https://registry.example/v2/ghcr.io",
            "/machine/network/extraHostEntries",
            "v1.9.5",
            "2001:db8::10",
            "LS0tLS1CRUdJTi+/AB==",
            "4Gi",
            "factory.example/installer@sha256:0a1b",
        ] {
            assert_eq!(block(text), text);
        }
    }

    #[test]
    fn what_some_reader_takes_for_something_else_is_quoted() {
        for text in [
            "",
            "~",
            "null",
            "yes",
            "on",
            "n",
            "NO",
            "true",
            "1.34",
            "0644",
            "0o644",
            "1_000",
            "1_",
            "0_7",
            "0x1F",
            "0xZ",
            "1e3",
            "12:30:45",
            "190:20:30",
            "1:30",
            "012:30",
            "1:30.5",
            "2024-01-01",
            "2024-01-99",
            ".inf",
            "::1",
            "2001:db8::",
            "<<",
            "=",
            "-",
            "---",
            "...",
            "a: b",
            "a #b",
            "*a",
            "&a",
            "!a",
            "@a",
            "%a",
            "`a",
            "? a",
            "[a]",
            "{a}",
            "a,b",
            "a b",
            "größe",
            "'a'",
            "- a",
            "a:",
            "0b12",
            "1e400",
            "123456789012345678901234567890",
        ] {
            assert_eq!(block(text), double(text), "{text}");
        }
    }

    #[test]
    fn colons_are_quoted_between_brackets_and_everything_is_in_json() {
        assert_eq!(shortest("a:b", Context::Flow), "\"a:b\"");
        assert_eq!(shortest("192.0.2.10", Context::Flow), "192.0.2.10");
        assert_eq!(shortest("a", Context::Json), "\"a\"");
    }

    #[test]
    fn double_quotes_escape_what_does_not_print() {
        assert_eq!(
            double("a\"\\\n\t\r\u{7}\u{85}\u{2028}\u{feff}ö😀"),
            r#""a\"\\\n\t\r\u0007\u0085\u2028\ufeffö😀""#
        );
    }

    #[test]
    fn single_quotes_double_themselves_and_refuse_line_endings() {
        assert_eq!(single("it's").as_deref(), Some("'it''s'"));
        assert_eq!(single("a\nb"), None);
    }

    #[test]
    fn text_that_would_not_come_back_is_no_literal() {
        for text in [
            "a",
            "\n",
            "a\r\nb",
            "a\n  \nb",
            "\ta\nb",
            "a\n\u{7}",
            "a\u{2028}\n",
            " \na",
        ] {
            assert!(!fits_literal(text), "{text:?}");
        }
        for text in ["a\nb", "a\n", "\n\na\n", "  a\nb\n\n\n", "a\n\tb\n"] {
            assert!(fits_literal(text), "{text:?}");
        }
    }
}
