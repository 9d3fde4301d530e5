//! One age file: its header, sealing and unsealing.
//!
//! Format: <https://c2sp.org/age>. Nothing here touches a file, and no byte of plaintext leaves before
//! the end of the file is authenticated.

use crate::secret::Secret;
use age::armor::{ArmoredReader, ArmoredWriter, Format};
use age::{DecryptError, Decryptor, Encryptor};
use std::io::{self, BufRead, Read, Write};
use zeroize::Zeroizing;

/// The largest value that the store takes, in bytes: 16 MiB.
pub const LARGEST_VALUE: usize = 16 << 20;

/// The largest age file that is read: the largest value, armored, with room for many recipients.
pub(super) const LARGEST_FILE: usize = 24 << 20;

/// scrypt's work factor is a file's own word for how long opening it takes; 2^22 is 4 GiB of memory, and
/// where the age command ends too.
const LARGEST_WORK_FACTOR: u8 = 22;

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

/// The bytes of an age file: the only thing the store writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ciphertext(Vec<u8>);

impl Ciphertext {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
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
        // The library's own reader judges the structure first; what follows only names what is there.
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

type Reading<'f> = Decryptor<ArmoredReader<io::BufReader<&'f [u8]>>>;

fn decryptor(file: &[u8]) -> Result<Reading<'_>, Broken> {
    form_of(file)?;
    Decryptor::new_buffered(ArmoredReader::new(file)).map_err(|e| match e {
        DecryptError::UnknownFormat => Broken::NewerFormat,
        DecryptError::Io(e) if e.kind() == io::ErrorKind::InvalidData => Broken::Armor,
        _ => Broken::Header,
    })
}

/// Opens `file` with whichever of `keys` fits; `None` where none does.
pub(super) fn unseal(
    file: &[u8],
    keys: &[&dyn age::Identity],
) -> Result<Option<Secret<Vec<u8>>>, Broken> {
    match decryptor(file)?.decrypt(keys.iter().copied()) {
        Ok(reader) => read_to_the_end(reader, file.len()).map(Some),
        Err(DecryptError::NoMatchingKeys) => Ok(None),
        Err(DecryptError::InvalidMac) => Err(Broken::HeaderChanged),
        Err(DecryptError::ExcessiveWork { required, .. }) => Err(Broken::ExcessiveWork(required)),
        Err(_) => Err(Broken::Header),
    }
}

/// Opens `file`, which is sealed with a passphrase; `None` where it is another one.
pub(super) fn unseal_with_passphrase(
    file: &[u8],
    passphrase: &Secret<String>,
) -> Result<Option<Secret<Vec<u8>>>, Broken> {
    let mut key = age::scrypt::Identity::new(passphrase.expose().clone().into());
    key.set_max_work_factor(LARGEST_WORK_FACTOR);
    match decryptor(file)?.decrypt(std::iter::once(&key as &dyn age::Identity)) {
        Ok(reader) => read_to_the_end(reader, file.len()).map(Some),
        Err(DecryptError::DecryptionFailed | DecryptError::NoMatchingKeys) => Ok(None),
        Err(DecryptError::InvalidMac) => Err(Broken::HeaderChanged),
        Err(DecryptError::ExcessiveWork { required, .. }) => Err(Broken::ExcessiveWork(required)),
        Err(_) => Err(Broken::Header),
    }
}

/// Collects the plaintext, which reaches the caller only after the last chunk authenticated.
///
/// A plaintext is shorter than its file, so a buffer of the file's size never has to grow, and growing
/// is what would leave copies on the heap. Every early return wipes what was collected.
fn read_to_the_end(mut reader: impl Read, size: usize) -> Result<Secret<Vec<u8>>, Broken> {
    let mut plain = Zeroizing::new(vec![0; size]);
    let mut filled = 0;
    loop {
        match reader.read(&mut plain[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(Broken::Payload),
        }
    }
    if filled > LARGEST_VALUE {
        return Err(Broken::TooLarge);
    }
    plain.truncate(filled);
    Ok(plain.into())
}

/// Seals `value` for `recipients`.
pub(super) fn seal(
    value: &Secret<Vec<u8>>,
    recipients: &[&dyn age::Recipient],
    form: Form,
) -> io::Result<Ciphertext> {
    let encryptor = Encryptor::with_recipients(recipients.iter().copied());
    write_out(encryptor.map_err(io::Error::other)?, value, form)
}

/// Seals `value` with a passphrase.
pub(super) fn seal_with_passphrase(
    value: &Secret<Vec<u8>>,
    passphrase: &Secret<String>,
    form: Form,
) -> io::Result<Ciphertext> {
    let encryptor = Encryptor::with_user_passphrase(passphrase.expose().clone().into());
    write_out(encryptor, value, form)
}

fn write_out(encryptor: Encryptor, value: &Secret<Vec<u8>>, form: Form) -> io::Result<Ciphertext> {
    let format = match form {
        Form::Binary => Format::Binary,
        Form::Armored => Format::AsciiArmor,
    };
    let mut writer = encryptor.wrap_output(ArmoredWriter::wrap_output(Vec::new(), format)?)?;
    writer.write_all(value.expose())?;
    writer.finish()?.finish().map(Ciphertext)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(value: &[u8], form: Form) -> (age::x25519::Identity, Vec<u8>) {
        let key = age::x25519::Identity::generate();
        let recipient = key.to_public();
        let sealed = seal(&Secret::new(value.to_vec()), &[&recipient], form).expect("sealed");
        (key, sealed.0)
    }

    fn failure(file: &[u8], key: &age::x25519::Identity) -> Broken {
        unseal(file, &[key]).expect_err("refused")
    }

    #[test]
    fn what_is_no_age_file_is_told_apart() {
        let (key, _) = sealed(b"x", Form::Binary);

        assert_eq!(failure(b"", &key), Broken::Empty);
        assert_eq!(failure(b"password: hunter2\n", &key), Broken::NotAge);
        assert_eq!(
            failure(b"age-encryption.org/v9\n-> X of a type to come\n", &key),
            Broken::NewerFormat
        );
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n";
        assert_eq!(failure(pointer, &key), Broken::LfsPointer);
        assert_eq!(
            failure(b"-----BEGIN CERTIFICATE-----\n", &key),
            Broken::Plaintext
        );
    }

    #[test]
    fn a_file_cut_off_anywhere_gives_no_plaintext_not_even_whole_early_chunks() {
        let (key, file) = sealed(&vec![7; 200_000], Form::Binary);

        for size in [file.len() - 1, file.len() - 70_000, 66_000] {
            assert_eq!(failure(&file[..size], &key), Broken::Payload, "{size}");
        }
        assert_eq!(failure(&file[..60], &key), Broken::Header);
    }

    #[test]
    fn one_changed_bit_in_the_payload_or_the_header_is_noticed() {
        let (key, file) = sealed(b"value", Form::Binary);
        let mut payload = file.clone();
        *payload.last_mut().expect("not empty") ^= 1;
        assert_eq!(failure(&payload, &key), Broken::Payload);

        // The stanza of somebody else: ours still fits, and only the header's own proof notices.
        let stranger = age::x25519::Identity::generate().to_public();
        let value = Secret::new(b"value".to_vec());
        let sealed = seal(&value, &[&key.to_public(), &stranger], Form::Binary).expect("sealed");
        let mut header = sealed.0;
        let at = memchr::memmem::rfind(&header, b"-> X25519 ").expect("two recipients") + 10;
        header[at] = if header[at] == b'a' { b'b' } else { b'a' };
        assert_eq!(failure(&header, &key), Broken::HeaderChanged);
    }

    #[test]
    fn damaged_armor_is_not_taken_for_a_wrong_key() {
        let (key, mut file) = sealed(b"value", Form::Armored);
        let at = file.len() - 60;
        file[at] = b'!';

        assert!(matches!(
            failure(&file, &key),
            Broken::Armor | Broken::Payload
        ));
    }

    #[test]
    fn another_key_is_an_answer_and_not_a_failure() {
        let (_, file) = sealed(b"value", Form::Binary);
        let stranger = age::x25519::Identity::generate();

        assert_eq!(
            unseal(&file, &[&stranger]).expect("the file is whole"),
            None
        );
    }

    #[test]
    fn both_forms_open_and_armor_survives_windows_line_endings() {
        let (key, file) = sealed(b"value", Form::Armored);
        let text = String::from_utf8(file).expect("armor is text");
        let crlf = text.replace('\n', "\r\n");

        for file in [text, crlf] {
            let opened = unseal(file.as_bytes(), &[&key])
                .expect("whole")
                .expect("ours");
            assert_eq!(opened.expose(), b"value");
        }
    }

    #[test]
    fn a_header_names_its_stanzas_without_the_grease() {
        let (_, file) = sealed(b"value", Form::Binary);
        let header = Header::read(&file).expect("a header");

        assert_eq!(
            header,
            Header {
                stanzas: vec![Stanza::X25519],
                form: Form::Binary
            }
        );
    }
}
