//! The text of an identity file, read line by line.
//!
//! The age library refuses a whole file for one line it does not know; people keep plugin
//! identities and recipients in theirs. Here such a line is skipped and named, never quoted.

use super::header::Stanza;
use super::recipients::ssh_stanza;
use crate::secret::Secret;
use age::ssh;
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// A key that may open secrets.
pub(super) enum Key {
    /// `AGE-SECRET-KEY-1…`.
    Age(age::x25519::Identity),
    /// An SSH key, and the stanza of what is sealed for it.
    Ssh {
        key: Box<ssh::Identity>,
        stanza: Stanza,
    },
    /// An SSH key with a passphrase; what it opened to, once somebody was asked.
    Locked {
        key: Box<ssh::EncryptedKey>,
        stanza: Stanza,
        opened: OnceLock<Option<ssh::Identity>>,
    },
}

impl Key {
    /// Can it be that a file with these stanzas is sealed for this key?
    pub(super) fn may_open(&self, stanzas: &[Stanza]) -> bool {
        match self {
            Self::Age(_) => stanzas.contains(&Stanza::X25519),
            Self::Ssh { stanza, .. } | Self::Locked { stanza, .. } => stanzas.contains(stanza),
        }
    }
}

/// Something in an identity file that is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Skipped {
    /// 1-based; `None` where the file as a whole is meant.
    pub(super) line: Option<usize>,
    /// What it is, and what would be right.
    pub(super) what: &'static str,
}

/// What was found in an identity file.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) keys: Vec<Key>,
    pub(super) skipped: Vec<Skipped>,
}

/// Reads the text of an identity file: a PEM SSH key is one identity, anything else is lines.
pub(super) fn parse(bytes: &[u8]) -> Contents {
    // One copy without carriage returns, as the SSH parser wants it; wiped like the original.
    let mut text = Zeroizing::new(Vec::with_capacity(bytes.len()));
    text.extend(bytes.iter().copied().filter(|byte| *byte != b'\r'));
    let Ok(text) = std::str::from_utf8(&text) else {
        return Contents::skipping(None, "this is not text; an identity file is");
    };
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with("-----BEGIN ") {
        parse_ssh(text)
    } else {
        parse_lines(text)
    }
}

impl Contents {
    fn skipping(line: Option<usize>, what: &'static str) -> Self {
        Self {
            keys: Vec::new(),
            skipped: vec![Skipped { line, what }],
        }
    }

    fn of(key: Key) -> Self {
        Self {
            keys: vec![key],
            skipped: Vec::new(),
        }
    }
}

fn parse_lines(text: &str) -> Contents {
    let mut contents = Contents::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.parse() {
            Ok(key) => contents.keys.push(Key::Age(key)),
            Err(_) => contents.skipped.push(Skipped {
                line: Some(index + 1),
                what: explain(line),
            }),
        }
    }
    contents
}

/// What a line is that is no identity.
fn explain(line: &str) -> &'static str {
    let upper = Secret::new(line.to_ascii_uppercase());
    let starts = |prefix: &str| upper.expose().starts_with(prefix);
    if starts("AGE-SECRET-KEY-PQ-1") {
        "post-quantum identities are not supported: use an X25519 identity, AGE-SECRET-KEY-1…"
    } else if starts("AGE-SECRET-KEY-1") {
        "this identity is damaged: its checksum does not fit, copy it again, whole"
    } else if starts("AGE-PLUGIN-") {
        "plugin identities are not supported: use an X25519 identity, AGE-SECRET-KEY-1…"
    } else if starts("AGE1") {
        "this is a recipient: an identity starts with AGE-SECRET-KEY-1"
    } else if starts("SSH-") {
        "this is an SSH public key: give the file of the private key, without `.pub`"
    } else {
        "this is not an identity: one starts with AGE-SECRET-KEY-1"
    }
}

fn parse_ssh(text: &str) -> Contents {
    use ssh::{Identity, UnsupportedKey};
    let unsupported = |what| Contents::skipping(None, what);
    let Ok(key) = Identity::from_buffer(text.trim_start().as_bytes(), None) else {
        return unsupported("this PEM block is no SSH key in OpenSSH's or PKCS#1's form");
    };
    let stanza = ssh::Recipient::try_from(key.clone()).map(|public| ssh_stanza(&public));
    match (key, stanza) {
        (Identity::Unsupported(UnsupportedKey::EncryptedPem), _) => unsupported(
            "this SSH key is encrypted in an old form: `ssh-keygen -o -p` brings it to the new one",
        ),
        (Identity::Unsupported(UnsupportedKey::Hardware(_)), _) => {
            unsupported("SSH keys on a security key cannot open age files")
        }
        (Identity::Unsupported(_), _) | (_, Err(_)) => {
            unsupported("SSH keys of this type cannot open age files: ed25519 and RSA can")
        }
        (Identity::Encrypted(key), Ok(stanza)) => Contents::of(Key::Locked {
            key: Box::new(key),
            stanza,
            opened: OnceLock::new(),
        }),
        (key, Ok(stanza)) => Contents::of(Key::Ssh {
            key: Box::new(key),
            stanza,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use age::secrecy::ExposeSecret as _;

    fn key() -> String {
        age::x25519::Identity::generate()
            .to_string()
            .expose_secret()
            .to_string()
    }

    fn skipped(text: &str) -> Vec<(Option<usize>, &'static str)> {
        parse(text.as_bytes())
            .skipped
            .into_iter()
            .map(|s| (s.line, s.what))
            .collect()
    }

    #[test]
    fn a_recipient_given_as_identity_is_called_one_with_its_line() {
        let recipient = age::x25519::Identity::generate().to_public().to_string();

        assert_eq!(
            skipped(&format!("# mine\n{recipient}\n")),
            [(
                Some(2),
                "this is a recipient: an identity starts with AGE-SECRET-KEY-1"
            )]
        );
    }

    #[test]
    fn plugin_and_post_quantum_lines_are_skipped_and_the_rest_counts() {
        let text = format!("AGE-PLUGIN-EXAMPLE-1QQ\n{}\nAGE-SECRET-KEY-PQ-1QQ\n", key());
        let contents = parse(text.as_bytes());

        assert_eq!(contents.keys.len(), 1);
        assert!(
            contents.skipped[0]
                .what
                .starts_with("plugin identities are not supported")
        );
        assert!(
            contents.skipped[1]
                .what
                .starts_with("post-quantum identities are not supported")
        );
    }

    #[test]
    fn an_identity_with_a_wrong_letter_is_called_damaged_and_not_quoted() {
        let text = key().replace("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1QQQ");
        let contents = parse(text.as_bytes());

        assert!(
            contents.skipped[0]
                .what
                .starts_with("this identity is damaged")
        );
        assert!(!format!("{:?}", contents.skipped).contains(&text[20..]));
    }

    #[test]
    fn windows_line_endings_comments_and_a_byte_order_mark_are_fine() {
        let text = format!("\u{feff}# created: 2026\r\n\r\n{}\r\n", key());

        assert_eq!(parse(text.as_bytes()).keys.len(), 1);
        assert_eq!(skipped(&text), []);
    }

    #[test]
    fn an_ssh_public_key_and_a_stranger_are_told_apart() {
        assert!(
            skipped("ssh-ed25519 AAAA me")[0]
                .1
                .starts_with("this is an SSH public key")
        );
        assert!(skipped("hello")[0].1.starts_with("this is not an identity"));
        assert!(
            parse(b"\xff\xfe\x00").skipped[0]
                .what
                .starts_with("this is not text")
        );
    }

    #[test]
    fn a_pem_block_that_is_no_ssh_key_is_named_and_not_read_as_lines() {
        let text = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";

        assert_eq!(
            skipped(text),
            [(
                None,
                "this PEM block is no SSH key in OpenSSH's or PKCS#1's form"
            )]
        );
    }
}
