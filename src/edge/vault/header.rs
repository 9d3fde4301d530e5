//! What can be read of an age file without a key.
//!
//! Format: <https://c2sp.org/age>. Nothing here is authenticated: it tells people what a file
//! claims.

use super::cipher::LARGEST_VALUE;
use age::armor::ArmoredReader;
use age::{DecryptError, Decryptor};
use std::io::{self, BufRead};

const BINARY_START: &[u8] = b"age-encryption.org/";
const ARMOR_START: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";

/// How the bytes of an age file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As bytes, which is smallest.
    Binary,
    /// As PEM-like text, which survives copying and pasting.
    Armored,
}

/// Why an age file cannot be used, whatever the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It starts like nothing that age writes.
    #[error("it is not an age file")]
    NotAge,
    /// Git LFS keeps the file elsewhere.
    #[error("it is a Git LFS pointer, not the age file itself")]
    LfsPointer,
    /// Key material or a certificate in the clear.
    #[error("it is not encrypted: it holds a PEM block or an identity in the clear")]
    Plaintext,
    /// A version after v1.
    #[error("it is in a newer age format")]
    NewerFormat,
    /// The header ends early or does not parse.
    #[error("its header is damaged or cut off")]
    Header,
    /// The header was changed after it was written.
    #[error("its header does not authenticate: it was changed")]
    HeaderChanged,
    /// The payload is cut off or was changed.
    #[error("it does not authenticate to its end: it was cut off or changed")]
    Payload,
    /// Text armor with an error in it.
    #[error("its armor is damaged")]
    Armor,
    /// More than [`LARGEST_VALUE`].
    #[error("it holds more than {} MiB", LARGEST_VALUE >> 20)]
    TooLarge,
    /// scrypt with more work than is reasonable.
    #[error("opening it would take more work than is reasonable (scrypt 2^{0})")]
    ExcessiveWork(u8),
}

/// What a recipient left in the header.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stanza {
    /// Some X25519 recipient; which one cannot be seen.
    X25519,
    /// A passphrase.
    Passphrase,
    /// An SSH key, by type and the first four bytes of its SHA-256 (base64).
    Ssh {
        /// `ssh-ed25519` or `ssh-rsa`.
        kind: String,
        /// Six characters.
        tag: String,
    },
    /// A type that hydrant cannot open, such as a plugin's or a post-quantum one.
    Foreign(String),
}

/// The readable part of an age file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// In the file's order, without the random stanzas that tools add to keep parsers honest.
    pub stanzas: Vec<Stanza>,
    /// Binary or armored.
    pub form: Form,
}

impl Header {
    /// Reads the header and proves nothing about the rest.
    pub fn read(file: &[u8]) -> Result<Self, Broken> {
        let form = form_of(file)?;
        // The library's own reader judges the structure first; what follows only names what is
        // there.
        decryptor(file)?;
        let mut stanzas = Vec::new();
        for line in ArmoredReader::new(file).split(b'\n') {
            let line = String::from_utf8_lossy(&line.map_err(|_| Broken::Header)?).into_owned();
            if line.starts_with("--- ") {
                break;
            }
            if let Some(stanza) = line.strip_prefix("-> ") {
                stanzas.extend(read_stanza(stanza));
            }
        }
        Ok(Self { stanzas, form })
    }

    /// Is it sealed with a passphrase, so that recipients and identities do not count?
    pub fn is_passphrase(&self) -> bool {
        self.stanzas == [Stanza::Passphrase]
    }

    /// The types of stanzas that no identity of hydrant can open, each once.
    pub(super) fn foreign_stanzas(&self) -> Vec<String> {
        let mut foreign: Vec<String> = Vec::new();
        for stanza in &self.stanzas {
            match stanza {
                Stanza::Foreign(kind) if !foreign.contains(kind) => foreign.push(kind.clone()),
                _ => {}
            }
        }
        foreign
    }
}

fn form_of(file: &[u8]) -> Result<Form, Broken> {
    let start = file.trim_ascii_start();
    if start.is_empty() {
        Err(Broken::Empty)
    } else if file.starts_with(BINARY_START) {
        Ok(Form::Binary)
    } else if start.starts_with(ARMOR_START) {
        Ok(Form::Armored)
    } else if start.starts_with(b"version https://git-lfs.github.com/") {
        Err(Broken::LfsPointer)
    } else if looks_like_plaintext(file) {
        Err(Broken::Plaintext)
    } else {
        Err(Broken::NotAge)
    }
}

/// Does it hold a PEM block or an age identity in the clear?
pub(super) fn looks_like_plaintext(file: &[u8]) -> bool {
    let holds = |needle: &[u8]| memchr::memmem::find(file, needle).is_some();
    !file.trim_ascii_start().starts_with(ARMOR_START)
        && (holds(b"-----BEGIN ") || holds(b"AGE-SECRET-KEY-"))
}

/// Is it an age file, by its first bytes?
pub(super) fn looks_like_age(file: &[u8]) -> bool {
    form_of(file).is_ok()
}

fn read_stanza(line: &str) -> Option<Stanza> {
    let mut words = line.split(' ');
    let kind = words.next()?.to_string();
    match kind.as_str() {
        "X25519" => Some(Stanza::X25519),
        "scrypt" => Some(Stanza::Passphrase),
        "ssh-ed25519" | "ssh-rsa" => Some(Stanza::Ssh {
            kind,
            tag: words.next().unwrap_or_default().to_string(),
        }),
        _ if kind.ends_with("-grease") => None,
        _ => Some(Stanza::Foreign(kind)),
    }
}

pub(super) type Reading<'f> = Decryptor<ArmoredReader<io::BufReader<&'f [u8]>>>;

/// The library's reader of `file`, which judged the header's structure.
pub(super) fn decryptor(file: &[u8]) -> Result<Reading<'_>, Broken> {
    form_of(file)?;
    Decryptor::new_buffered(ArmoredReader::new(file)).map_err(|e| match e {
        DecryptError::UnknownFormat => Broken::NewerFormat,
        DecryptError::Io(e) if e.kind() == io::ErrorKind::InvalidData => Broken::Armor,
        _ => Broken::Header,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_its_stanzas_in_order_without_the_grease() {
        let word = "A".repeat(43);
        let stanza = |kind: &str| format!("-> {kind} {word}\n{word}\n");
        let file = format!(
            "age-encryption.org/v1\n{}{}{}{}--- {word}\nnonce of 16 bytes",
            stanza("ssh-ed25519 AbCdEf"),
            stanza("piv-p256"),
            stanza("X25519"),
            stanza("9q-grease"),
        );
        let header = Header::read(file.as_bytes()).expect("a header");

        let ssh = Stanza::Ssh {
            kind: "ssh-ed25519".into(),
            tag: "AbCdEf".into(),
        };
        let foreign = Stanza::Foreign("piv-p256".into());
        assert_eq!(header.stanzas, [ssh, foreign, Stanza::X25519]);
        assert_eq!(header.foreign_stanzas(), ["piv-p256"]);
    }
}
