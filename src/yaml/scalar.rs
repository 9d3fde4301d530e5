//! What a plain scalar is taken for, as go-yaml v2 (under `sigs.k8s.io/yaml`) and v3 (in Talos) do.
//!
//! Both read YAML 1.1 numbers (`0644`, `1_000`, `0b11`); only v2 takes `yes`, `on` and `n` for
//! booleans, only v3 takes dates for times. Base 60 is read by neither.

use super::Reading;
use serde_json::Number;
use std::borrow::Cow;

/// The value of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    /// The text itself.
    Str,
    Null,
    Bool(bool),
    /// A whole value is an integer, however it is written: that is how JSON has it.
    Number(Number),
    /// `.inf`, `.nan`: JSON has no such number.
    NotInJson,
    /// A date or time, which only v3 knows.
    Time,
}

/// What the plain scalar `text` is.
pub(super) fn resolve(text: &str, reading: Reading) -> Scalar {
    let Some(first) = text.bytes().next() else {
        return Scalar::Null;
    };
    match first {
        b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O' => {
            word(text, reading)
        }
        b'.' => dotted(text),
        b'+' | b'-' if infinite(&text[1..]) => Scalar::NotInJson,
        b'0'..=b'9' if reading == Reading::Talos && is_time(text) => Scalar::Time,
        b'0'..=b'9' | b'+' | b'-' => number(text).map_or(Scalar::Str, Scalar::Number),
        _ => Scalar::Str,
    }
}

fn word(text: &str, reading: Reading) -> Scalar {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON"
            if reading == Reading::Kubernetes =>
        {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF"
            if reading == Reading::Kubernetes =>
        {
            Scalar::Bool(false)
        }
        _ => Scalar::Str,
    }
}

fn infinite(text: &str) -> bool {
    matches!(text, ".inf" | ".Inf" | ".INF")
}

fn dotted(text: &str) -> Scalar {
    if infinite(text) || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Scalar::NotInJson;
    }
    // Go's own parser reads it, which lets an underscore stand between digits only.
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| text.as_bytes().get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let mut underscores = text.match_indices('_').map(|(at, _)| at);
    let plain = without_underscores(text);
    let number = underscores
        .all(|at| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1)))
        .then(|| float(&plain))
        .flatten();
    number.map_or(Scalar::Str, Scalar::Number)
}

/// The number that `text` is, if it is one.
fn number(text: &str) -> Option<Number> {
    let plain = without_underscores(text);
    integer(&plain).or_else(|| float(&plain)).or_else(|| {
        // Go parses what follows these prefixes with its sign: `0b-1` is -1.
        let (radix, digits) = match plain.get(..2)? {
            "0b" => (2, &plain[2..]),
            "0o" => (8, &plain[2..]),
            _ => return None,
        };
        i64::from_str_radix(digits, radix).ok().map(Number::from)
    })
}

/// Is it read as an integer, rather than as a float of the same value?
pub(super) fn is_integer(text: &str) -> bool {
    integer(&without_underscores(text)).is_some()
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// As Go's `strconv.ParseInt(text, 0, 64)`, then `ParseUint`.
fn integer(text: &str) -> Option<Number> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.bytes().all(|digit| digit.is_ascii_alphanumeric()) {
        return None;
    }
    let size = u64::from_str_radix(digits, radix).ok()?;
    if !negative {
        // Go reads a plus sign only before what fits a signed integer.
        let fits = !text.starts_with('+') || i64::try_from(size).is_ok();
        return fits.then(|| Number::from(size));
    }
    0i64.checked_sub_unsigned(size).map(Number::from)
}

/// As go-yaml's `yamlStyleFloat`: `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn float(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa
        .split_once('.')
        .map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let has_digits = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    if !has_digits || !digits(whole) || !digits(fraction.unwrap_or("")) || !exponent_fits {
        return None;
    }
    text.parse().ok().and_then(in_json)
}

/// A number as JSON has it: a whole one is an integer. `None` where JSON cannot hold it.
pub(super) fn in_json(value: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

/// Would go-yaml v3 take it for a `time.Time`?
///
/// `2006-1-2`, alone or with a time `15:4:5` behind a blank, or behind `T` and then with a zone.
pub(super) fn is_time(text: &str) -> bool {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some((&text[at..=at], &text[at + 1..]))),
        None => (text, None),
    };
    is_date(date) && time.is_none_or(|(mark, time)| is_time_of_day(time, mark != " "))
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(year), Some(month), Some(day), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let Some(year) = (year.len() == 4).then(|| short(year, 9999)).flatten() else {
        return false;
    };
    let Some(month @ 1..) = short(month, 12) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    short(day, days).is_some_and(|day| day > 0)
}

fn is_time_of_day(text: &str, zoned: bool) -> bool {
    let time = match text.find(['Z', '+', '-']) {
        Some(at) if zoned && is_zone(&text[at..]) => &text[..at],
        None if !zoned => text,
        _ => return false,
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = time.split(':');
    let (Some(hour), Some(minute), Some(second), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|digit| digit.is_ascii_digit());
    is_fraction
        && short(hour, 23).is_some()
        && short(minute, 59).is_some()
        && short(second, 59).is_some()
}

fn is_zone(text: &str) -> bool {
    text == "Z"
        || (text.len() == 6
            && text[1..].split_once(':').is_some_and(|(hour, minute)| {
                short(hour, 24).is_some() && short(minute, 60).is_some()
            }))
}

/// A number of at most four digits (two where `most` has two), up to `most`.
fn short(text: &str, most: u32) -> Option<u32> {
    let fits = matches!(text.len(), 1 | 2) || (most > 99 && text.len() == 4);
    let digits = text.bytes().all(|digit| digit.is_ascii_digit());
    (fits && digits)
        .then(|| text.parse().ok())
        .flatten()
        .filter(|number| *number <= most)
}

/// A float as `strconv.FormatFloat(value, 'g', -1, 32)` writes it: how `sigs.k8s.io/yaml` makes a
/// key of one.
pub(super) fn float_key(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "Go rounds to 32 bits here, too"
    )]
    let scientific = format!("{:e}", value as f32);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa
        .strip_prefix('-')
        .map_or(("", mantissa), |rest| ("-", rest));
    if !(-4..6).contains(&exponent) {
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{mantissa}e{exponent_sign}{:02}", exponent.abs());
    }
    #[expect(clippy::cast_possible_truncation, reason = "as above")]
    let plain = format!("{}", value as f32);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str, reading: Reading) -> String {
        match resolve(text, reading) {
            Scalar::Number(number) => number.to_string(),
            Scalar::Bool(value) => value.to_string(),
            other => format!("{other:?}"),
        }
    }

    /// Measured with `sigs.k8s.io/yaml` 1.4.0 and go-yaml 3.0.1.
    #[test]
    fn scalars_mean_what_go_yaml_reads() {
        for (text, kubernetes, talos) in [
            ("yes", "true", "Str"),
            ("n", "false", "Str"),
            ("TRUE", "true", "true"),
            ("~", "Null", "Null"),
            ("", "Null", "Null"),
            ("0644", "420", "420"),
            ("0o644", "420", "420"),
            ("-0o17", "-15", "-15"),
            ("0800", "800", "800"),
            ("08.5", "8.5", "8.5"),
            ("1_000", "1000", "1000"),
            ("1_", "1", "1"),
            ("0_7", "7", "7"),
            ("0b11", "3", "3"),
            ("0b-1", "-1", "-1"),
            ("0x1F", "31", "31"),
            ("0x-1", "Str", "Str"),
            ("0b", "Str", "Str"),
            ("1e3", "1000", "1000"),
            ("1.", "1", "1"),
            ("+1", "1", "1"),
            ("-0", "0", "0"),
            (".5", "0.5", "0.5"),
            ("._5", "Str", "Str"),
            (".5_0", "0.5", "0.5"),
            (".5__0", "Str", "Str"),
            (".", "Str", "Str"),
            ("-.Inf", "NotInJson", "NotInJson"),
            (".nan", "NotInJson", "NotInJson"),
            ("1:30", "Str", "Str"),
            ("12:30:45", "Str", "Str"),
            ("e3", "Str", "Str"),
            ("1e", "Str", "Str"),
            ("1e400", "Str", "Str"),
            ("_1", "Str", "Str"),
            ("+", "Str", "Str"),
            ("2024-01-01", "Str", "Time"),
            ("2024-1-1T1:2:3Z", "Str", "Time"),
            ("2024-01-01 10:00:00", "Str", "Time"),
            ("2024-01-01T00:00:00", "Str", "Str"),
            ("2024-02-30", "Str", "Str"),
            (
                "18446744073709551615",
                "18446744073709551615",
                "18446744073709551615",
            ),
            (
                "-9223372036854775808",
                "-9223372036854775808",
                "-9223372036854775808",
            ),
            (
                "123456789012345678901234567890",
                "1.2345678901234568e+29",
                "1.2345678901234568e+29",
            ),
            ("192.0.2.10", "Str", "Str"),
            ("2001:db8::10", "Str", "Str"),
        ] {
            assert_eq!(json(text, Reading::Kubernetes), kubernetes, "{text}");
            assert_eq!(json(text, Reading::Talos), talos, "{text}");
        }
    }

    #[test]
    fn float_keys_are_written_as_go_writes_them() {
        for (value, key) in [
            (1.5, "1.5"),
            (1e6, "1e+06"),
            (123_456_789.0, "1.2345679e+08"),
            (0.000_01, "1e-05"),
            (100_000.0, "100000"),
        ] {
            assert_eq!(float_key(value), key);
        }
    }
}
