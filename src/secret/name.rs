//! What a secret of the store is called.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The name of an entry of the age store: segments of `A-Z a-z 0-9 . _ -` with `/` between them.
///
/// It cannot lead outside the store: no segment starts with a dot, and none is empty. It is the
/// file's path below `secrets/` without the ending `.age`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretName(String);

/// Why a text is not the name of a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSecretName {
    /// Nothing there, or nothing between two slashes.
    #[error("a secret's name has no empty part: it neither starts nor ends with `/`, nor has `//`")]
    EmptyPart,
    /// `..`, `.`, or a hidden file.
    #[error("no part of a secret's name starts with a dot")]
    LeadingDot,
    /// A character that is not one of the allowed ones.
    #[error("a secret's name is made of letters, digits, `.`, `_`, `-` and `/`, not of {0:?}")]
    Character(char),
    /// The ending belongs to the file.
    #[error("a secret's name goes without the ending `.age` of its file")]
    Ending,
    /// File systems end at 255 bytes for a part; the ending and a temporary name need room.
    #[error(
        "a part of a secret's name is at most {} characters long",
        SecretName::LONGEST_PART
    )]
    TooLong,
}

impl SecretName {
    /// The longest part between two slashes, in bytes.
    pub const LONGEST_PART: usize = 200;

    /// The name as it was said.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file's path below the store's folder: `<name>.age`.
    pub fn file(&self) -> PathBuf {
        PathBuf::from(format!("{}.age", self.0))
    }

    /// The name of the secret in `file`, a path below the store's folder that ends in `.age`.
    pub fn of_file(file: &Path) -> Result<Self, BadSecretName> {
        let text = file.to_string_lossy();
        text.strip_suffix(".age").unwrap_or(&text).parse()
    }
}

impl FromStr for SecretName {
    type Err = BadSecretName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        for part in text.split('/') {
            check_part(part)?;
        }
        if Path::new(text)
            .extension()
            .is_some_and(|ending| ending == "age")
        {
            return Err(BadSecretName::Ending);
        }
        Ok(Self(text.to_string()))
    }
}

fn check_part(part: &str) -> Result<(), BadSecretName> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if part.is_empty() {
        return Err(BadSecretName::EmptyPart);
    }
    if part.starts_with('.') {
        return Err(BadSecretName::LeadingDot);
    }
    if let Some(stranger) = part.chars().find(|c| !allowed(c)) {
        return Err(BadSecretName::Character(stranger));
    }
    if part.len() > SecretName::LONGEST_PART {
        return Err(BadSecretName::TooLong);
    }
    Ok(())
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<SecretName, BadSecretName> {
        text.parse()
    }

    #[test]
    fn no_spelling_leads_outside_the_store() {
        for text in ["..", "../ca", "a/../../ca", "a/..", ".", "./ca"] {
            assert_eq!(parse(text), Err(BadSecretName::LeadingDot), "{text}");
        }
        for text in ["/etc/passwd", "", "a//b", "a/"] {
            assert_eq!(parse(text), Err(BadSecretName::EmptyPart), "{text}");
        }
        assert_eq!(parse("a\\..\\b"), Err(BadSecretName::Character('\\')));
        assert_eq!(parse("a\0b"), Err(BadSecretName::Character('\0')));
    }

    #[test]
    fn a_hidden_file_is_no_secret() {
        assert_eq!(parse(".age-recipients"), Err(BadSecretName::LeadingDot));
    }

    #[test]
    fn the_files_ending_is_not_part_of_the_name() {
        assert_eq!(parse("registry-ca.age"), Err(BadSecretName::Ending));
        assert_eq!(
            parse("ages").expect("only the ending is refused").as_str(),
            "ages"
        );
    }

    #[test]
    fn a_part_longer_than_file_systems_take_is_refused_before_anything_is_written() {
        assert_eq!(parse(&"a".repeat(201)), Err(BadSecretName::TooLong));
    }

    #[test]
    fn name_and_file_lead_to_each_other() {
        let name = parse("ok-edge/registry.ca_1").expect("a name with a folder");

        assert_eq!(name.file(), Path::new("ok-edge/registry.ca_1.age"));
        assert_eq!(SecretName::of_file(&name.file()), Ok(name));
    }
}
