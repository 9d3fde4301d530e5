//! Who a secret is sealed for: the lines of a `.age-recipients` file.

use super::header::Stanza;
use crate::text::SourceFile;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the file that lists recipients, one a line; passage's layout.
pub const RECIPIENTS_FILE: &str = ".age-recipients";

/// One who can open what is sealed for them.
#[derive(Clone, Debug)]
pub enum Recipient {
    /// `age1…`.
    X25519(age::x25519::Recipient),
    /// `ssh-ed25519 …` or `ssh-rsa …`.
    Ssh(age::ssh::Recipient),
}

/// The recipients of a folder, and the file they were read from.
#[derive(Clone, Debug)]
pub struct Recipients {
    /// The file.
    pub file: PathBuf,
    /// At least one, none twice.
    pub all: Vec<Recipient>,
}

/// A line that is no recipient. The line's text is not kept: it may be a key by mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// 1-based.
    pub line: usize,
    /// What it is instead.
    pub what: &'static str,
    /// The way out.
    pub help: &'static str,
}

impl BadLine {
    /// A stand-in for the file in which the line can be pointed at and nothing can be read.
    pub(super) fn blanked(&self, file: &Path) -> Arc<SourceFile> {
        let text = "\n".repeat(self.line.saturating_sub(1)) + "(not shown)\n";
        Arc::new(SourceFile::new(file, text))
    }
}

impl Recipients {
    /// Reads the text of `file`: comments, blank lines and either line ending are fine, and every
    /// line that is no recipient is reported. An empty list is the caller's to judge.
    pub fn parse(file: &Path, text: &str) -> Result<Self, Vec<BadLine>> {
        let mut all: Vec<Recipient> = Vec::new();
        let mut bad = Vec::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match parse_recipient(line) {
                Ok(one) if all.iter().any(|other| other.to_string() == one.to_string()) => {}
                Ok(one) => all.push(one),
                Err((what, help)) => bad.push(BadLine {
                    line: index + 1,
                    what,
                    help,
                }),
            }
        }
        if bad.is_empty() {
            Ok(Self {
                file: file.to_path_buf(),
                all,
            })
        } else {
            Err(bad)
        }
    }

    /// What sealing for these leaves in the header, sorted: tells whether a file was sealed for
    /// others, as far as that can be seen from outside.
    pub fn stanzas(&self) -> Vec<Stanza> {
        let mut stanzas: Vec<Stanza> = self.all.iter().map(Recipient::stanza).collect();
        stanzas.sort();
        stanzas
    }

    pub(super) fn as_age(&self) -> Vec<&dyn age::Recipient> {
        self.all
            .iter()
            .map(|one| match one {
                Recipient::X25519(key) => key as &dyn age::Recipient,
                Recipient::Ssh(key) => key,
            })
            .collect()
    }
}

impl Recipient {
    fn stanza(&self) -> Stanza {
        match self {
            Self::X25519(_) => Stanza::X25519,
            Self::Ssh(key) => ssh_stanza(key),
        }
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X25519(key) => key.fmt(f),
            Self::Ssh(key) => key.fmt(f),
        }
    }
}

/// The stanza that `key` leaves: its tag is the first four bytes of the SHA-256 of the SSH wire
/// format.
pub(super) fn ssh_stanza(key: &age::ssh::Recipient) -> Stanza {
    let text = key.to_string();
    let (kind, wire) = text.split_once(' ').unwrap_or((&text, ""));
    let wire = BASE64_STANDARD.decode(wire).unwrap_or_default();
    Stanza::Ssh {
        kind: kind.to_string(),
        tag: BASE64_STANDARD_NO_PAD.encode(&Sha256::digest(wire)[..4]),
    }
}

/// Reads one recipient; otherwise what the text is, and the way out. Neither quotes the text.
pub fn parse_recipient(text: &str) -> Result<Recipient, (&'static str, &'static str)> {
    if let Ok(key) = text.parse() {
        return Ok(Recipient::X25519(key));
    }
    match text.parse() {
        Ok(key) => Ok(Recipient::Ssh(key)),
        Err(reason) => Err(explain(text, &reason)),
    }
}

fn explain(text: &str, reason: &age::ssh::ParseRecipientKeyError) -> (&'static str, &'static str) {
    use age::ssh::ParseRecipientKeyError::{RsaModulusTooLarge, RsaModulusTooSmall, Unsupported};
    let upper = text.to_ascii_uppercase();
    if upper.contains("AGE-SECRET-KEY-") || upper.contains("PRIVATE KEY") {
        return (
            "this is a private key, not a recipient",
            "take the line out, put the public key there, and treat the key as leaked",
        );
    }
    if upper.starts_with("AGE1PQ1") || upper.starts_with("AGE1TAGPQ1") {
        return (
            "post-quantum recipients are not supported",
            "use an X25519 recipient: `age-keygen` without `-pq` makes one",
        );
    }
    if upper.starts_with("AGE1") && text.rfind('1').is_some_and(|at| at > 3) {
        return (
            "plugin recipients are not supported",
            "use an X25519 recipient (age1…) or an SSH key",
        );
    }
    if upper.starts_with("AGE1") {
        return (
            "this recipient is damaged: its checksum does not fit",
            "copy it again, whole",
        );
    }
    match reason {
        RsaModulusTooLarge => ("this RSA key is too large", "use one of at most 4096 bits"),
        RsaModulusTooSmall => ("this RSA key is too small", "use one of at least 2048 bits"),
        Unsupported(_) => (
            "SSH keys of this type cannot receive",
            "use `ssh-ed25519`, `ssh-rsa` or an age recipient",
        ),
        _ => (
            "this is not a recipient",
            "a line is age1…, ssh-ed25519 …, ssh-rsa …, a comment after `#`, or blank",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ED25519: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGlelffO9oZnD71A8S4tae8y3LAo9pAeOLYG9fIrYJIS";

    fn bad(text: &str) -> Vec<(usize, &'static str)> {
        let lines = Recipients::parse(Path::new("r"), text).expect_err("refused");
        lines.into_iter().map(|bad| (bad.line, bad.what)).collect()
    }

    fn key() -> String {
        age::x25519::Identity::generate().to_public().to_string()
    }

    #[test]
    fn every_bad_line_is_reported_not_only_the_first() {
        let text = format!("# ops\nnonsense\n{}\n\nage1yubikey1qqqq\n", key());

        assert_eq!(
            bad(&text),
            [
                (2, "this is not a recipient"),
                (5, "plugin recipients are not supported")
            ]
        );
    }

    #[test]
    fn a_private_key_among_recipients_is_named_as_one_and_never_kept() {
        use age::secrecy::ExposeSecret as _;
        let identity = age::x25519::Identity::generate().to_string();
        let lines = Recipients::parse(Path::new("r"), &format!("\n{}\n", identity.expose_secret()))
            .expect_err("refused");

        assert_eq!(lines[0].what, "this is a private key, not a recipient");
        let place = lines[0].blanked(Path::new("r"));
        assert!(!format!("{lines:?}{}", place.text()).contains(identity.expose_secret()));
    }

    #[test]
    fn a_recipient_with_one_wrong_letter_is_called_damaged() {
        let mut text = key();
        let last = text.pop().expect("not empty");
        text.push(if last == 'q' { 'p' } else { 'q' });

        assert_eq!(
            bad(&text),
            [(1, "this recipient is damaged: its checksum does not fit")]
        );
    }

    #[test]
    fn an_ssh_key_of_a_type_that_cannot_receive_is_named() {
        let ecdsa = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTY=";

        assert_eq!(bad(ecdsa), [(1, "SSH keys of this type cannot receive")]);
    }

    #[test]
    fn comments_blank_lines_crlf_and_an_ssh_comment_are_fine_and_twice_is_once() {
        let one = key();
        let text = format!("\u{feff}# ops\r\n\r\n{one}\r\n{ED25519} me@host.example\r\n{one}");
        let read = Recipients::parse(Path::new("r"), &text).expect("good");

        assert_eq!(read.all.len(), 2);
        assert_eq!(read.all[1].to_string(), ED25519);
    }
}
