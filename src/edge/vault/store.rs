//! The folder: where a secret's file is, who it is for, reading and writing it.

use super::cipher::{self, Ciphertext};
use super::header::{Form, Header};
use super::identities::Identities;
use super::recipients::{RECIPIENTS_FILE, Recipients};
use super::{LARGEST_VALUE, StoreError};
use crate::diagnostic::did_you_mean;
use crate::edge::disk::{self, Overwrite};
use crate::edge::memory;
use crate::secret::{Secret, SecretName};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The largest recipients file that is read, in bytes.
const LARGEST_RECIPIENTS_FILE: usize = 1 << 20;

/// Who a new file is sealed for.
pub enum Seal {
    /// The recipients that the store says: see [`Store::recipients_of`].
    Recipients,
    /// Whoever knows this passphrase.
    Passphrase(Secret<String>),
}

/// What sealing again did to one secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rekeyed {
    /// It is now sealed for this many recipients.
    For(usize),
    /// It is sealed with a passphrase and was left alone: for recipients it would open to others.
    KeptPassphrase,
}

/// A folder of secrets.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store in the folder `root`, which must be there.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        if disk::is_folder(root) {
            Ok(Self {
                root: root.to_path_buf(),
            })
        } else {
            Err(StoreError::NoStore {
                root: root.to_path_buf(),
            })
        }
    }

    /// Makes a store at `root` whose recipients file has the text `recipients`, which must hold at
    /// least one recipient and nothing wrong.
    pub fn create(root: &Path, recipients: &str) -> Result<Self, StoreError> {
        let file = root.join(RECIPIENTS_FILE);
        parse_recipients(&file, recipients, &file)?;
        disk::make_folder(root)?;
        disk::write(&file, recipients.as_bytes(), Overwrite::Never).map_err(|e| {
            if e.is_in_the_way() {
                StoreError::store_is_there(root)
            } else {
                e.into()
            }
        })?;
        Self::open(root)
    }

    /// Is the folder `root` a store already: is there a recipients file in it?
    pub fn is_at(root: &Path) -> bool {
        disk::exists(&root.join(RECIPIENTS_FILE))
    }

    /// The folder, as it was given.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a secret's file, whether it is there or not.
    pub fn file_of(&self, name: &SecretName) -> PathBuf {
        self.root.join(name.file())
    }

    /// Is there such a secret?
    pub fn has(&self, name: &SecretName) -> bool {
        disk::exists(&self.file_of(name))
    }

    /// Opens a secret. Nothing of it is given out unless all of it is authentic.
    pub fn read(
        &self,
        name: &SecretName,
        identities: &Identities,
    ) -> Result<Secret<Vec<u8>>, StoreError> {
        memory::close()?;
        let (file, sealed) = self.sealed(name)?;
        identities.open(&file, &sealed)
    }

    /// The first 12 hex digits of the SHA-256 of the secret's file: changes whenever the file does,
    /// and says nothing about the value.
    pub fn fingerprint(&self, name: &SecretName) -> Result<String, StoreError> {
        let (_, sealed) = self.sealed(name)?;
        let digest = Sha256::digest(&sealed);
        let mut hex = String::with_capacity(12);
        for byte in &digest[..6] {
            write!(hex, "{byte:02x}").expect("writing to a string does not fail");
        }
        Ok(hex)
    }

    /// The readable part of a secret's file; needs no key and proves nothing.
    pub fn header(&self, name: &SecretName) -> Result<Header, StoreError> {
        let (file, sealed) = self.sealed(name)?;
        Header::read(&sealed).map_err(|why| StoreError::Broken { file, why })
    }

    /// Seals `value` and puts it at `name`: the old file or the new one is there at any moment.
    pub fn write(
        &self,
        name: &SecretName,
        value: &Secret<Vec<u8>>,
        seal: &Seal,
        form: Form,
        overwrite: Overwrite,
    ) -> Result<(), StoreError> {
        if value.expose().is_empty() {
            return Err(StoreError::EmptyValue { name: name.clone() });
        }
        if value.expose().len() > LARGEST_VALUE {
            return Err(StoreError::LargeValue { name: name.clone() });
        }
        let file = self.file_of(name);
        let sealed = match seal {
            Seal::Recipients => cipher::seal(value, &self.recipients_of(name)?.as_age(), form),
            Seal::Passphrase(passphrase) => cipher::seal_with_passphrase(value, passphrase, form),
        };
        let sealed = sealed.map_err(|_| StoreError::Seal { file: file.clone() })?;
        self.put(&file, &sealed, overwrite)
    }

    /// Puts another value at `name`, sealed for the same kind of people and in the same form. A
    /// file that is sealed with a passphrase keeps the one that `identities` opened it with.
    pub fn rewrite(
        &self,
        name: &SecretName,
        value: &Secret<Vec<u8>>,
        identities: &Identities,
    ) -> Result<(), StoreError> {
        let header = self.header(name)?;
        let file = self.file_of(name);
        let seal = match identities.passphrase_of(&file) {
            Some(passphrase) if header.is_passphrase() => Seal::Passphrase(passphrase),
            None if header.is_passphrase() => return Err(StoreError::NoPassphrase { file }),
            _ => Seal::Recipients,
        };
        self.write(name, value, &seal, header.form, Overwrite::Allowed)
    }

    /// Seals a secret again for the recipients of today, in the form that it has.
    pub fn rekey(&self, name: &SecretName, identities: &Identities) -> Result<Rekeyed, StoreError> {
        let header = self.header(name)?;
        if header.is_passphrase() {
            return Ok(Rekeyed::KeptPassphrase);
        }
        let recipients = self.recipients_of(name)?;
        let value = self.read(name, identities)?;
        self.write(
            name,
            &value,
            &Seal::Recipients,
            header.form,
            Overwrite::Allowed,
        )?;
        Ok(Rekeyed::For(recipients.all.len()))
    }

    /// The recipients that `name` is sealed for when it is written: those of the nearest recipients
    /// file, from its folder up to the store's own and no further.
    pub fn recipients_of(&self, name: &SecretName) -> Result<Recipients, StoreError> {
        let secret = self.file_of(name);
        for folder in name.file().ancestors().skip(1) {
            let file = self.root.join(folder).join(RECIPIENTS_FILE);
            match read_recipients(&file, &secret) {
                Err(StoreError::Disk(error)) if error.is_missing() => {}
                read => return read,
            }
        }
        Err(StoreError::NoRecipients {
            file: secret,
            empty: None,
        })
    }

    /// The bytes of a secret's file, and its path.
    fn sealed(&self, name: &SecretName) -> Result<(PathBuf, Zeroizing<Vec<u8>>), StoreError> {
        let file = self.file_of(name);
        self.stay_inside(&file)?;
        match disk::read(&file, cipher::LARGEST_FILE) {
            Ok(bytes) => Ok((file, bytes)),
            Err(error) if error.is_missing() => Err(self.unknown(name, file)),
            Err(error) => Err(error.into()),
        }
    }

    fn unknown(&self, name: &SecretName, file: PathBuf) -> StoreError {
        let names = self
            .survey()
            .map(|survey| survey.secrets)
            .unwrap_or_default();
        let near = did_you_mean(name.as_str(), names.iter().map(SecretName::as_str));
        StoreError::UnknownSecret {
            name: name.clone(),
            file,
            near: near.map(str::to_string),
        }
    }

    /// The only door through which files of the store are written: it takes ciphertext alone.
    fn put(
        &self,
        file: &Path,
        sealed: &Ciphertext,
        overwrite: Overwrite,
    ) -> Result<(), StoreError> {
        let folder = file.parent().unwrap_or(&self.root);
        self.stay_inside(folder)?;
        disk::make_folder(folder)?;
        disk::write(file, sealed.bytes(), overwrite).map_err(|e| {
            if e.is_in_the_way() {
                StoreError::secret_is_there(file)
            } else {
                e.into()
            }
        })
    }

    /// A link in a repository could make hydrant open, or replace, somebody else's file.
    fn stay_inside(&self, path: &Path) -> Result<(), StoreError> {
        let root = disk::resolve(&self.root)?;
        // What is not there yet lies where the nearest folder that is there leads.
        match path.ancestors().find_map(|part| disk::resolve(part).ok()) {
            Some(resolved) if resolved.starts_with(root) => Ok(()),
            _ => Err(StoreError::LeadsOutside {
                file: path.to_path_buf(),
            }),
        }
    }
}

/// Reads one recipients file; `secret` is what somebody wants to seal for those in it.
pub(super) fn read_recipients(file: &Path, secret: &Path) -> Result<Recipients, StoreError> {
    let bytes = disk::read(file, LARGEST_RECIPIENTS_FILE)?;
    parse_recipients(file, &String::from_utf8_lossy(&bytes), secret)
}

fn parse_recipients(file: &Path, text: &str, secret: &Path) -> Result<Recipients, StoreError> {
    match Recipients::parse(file, text) {
        Ok(recipients) if recipients.all.is_empty() => Err(StoreError::NoRecipients {
            file: secret.to_path_buf(),
            empty: Some(file.to_path_buf()),
        }),
        Ok(recipients) => Ok(recipients),
        Err(lines) => Err(StoreError::BadRecipients {
            file: file.to_path_buf(),
            lines,
        }),
    }
}
