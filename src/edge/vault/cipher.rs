//! Sealing and unsealing one age file.
//!
//! Nothing here touches a file, and no byte of plaintext leaves before the end of the file is
//! authenticated.

use super::header::{Broken, Form, decryptor};
use crate::secret::Secret;
use age::armor::{ArmoredWriter, Format};
use age::{DecryptError, Encryptor};
use std::io::{self, Read, Write};
use zeroize::Zeroizing;

/// The largest value that the store takes, in bytes: 16 MiB.
pub const LARGEST_VALUE: usize = 16 << 20;

/// The largest age file that is read: the largest value, armored, with room for many recipients.
pub(super) const LARGEST_FILE: usize = 24 << 20;

/// scrypt's work factor is a file's own word for how long opening it takes; 2^22 is 4 GiB of
/// memory, and where the age command ends too.
const LARGEST_WORK_FACTOR: u8 = 22;

/// The bytes of an age file: the only thing the store writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ciphertext(Vec<u8>);

impl Ciphertext {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
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
/// A plaintext is shorter than its file, so a buffer of the file's size never has to grow, and
/// growing is what would leave copies on the heap. Every early return wipes what was collected.
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
}
