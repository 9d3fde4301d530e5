//! Making an identity file: the one place where key material is written to a file, as it was asked
//! for.

use super::StoreError;
use super::recipients::Recipient;
use crate::edge::{disk, memory};
use age::secrecy::ExposeSecret as _;
use std::path::Path;
use zeroize::Zeroizing;

/// A new X25519 identity, not yet written anywhere.
pub struct NewIdentity(age::x25519::Identity);

impl NewIdentity {
    /// Makes one.
    pub fn generate() -> Result<Self, StoreError> {
        memory::close()?;
        Ok(Self(age::x25519::Identity::generate()))
    }

    /// Its public half.
    pub fn recipient(&self) -> Recipient {
        Recipient::X25519(self.0.to_public())
    }

    /// Writes it to `file` in the form of `age-keygen`, readable by the owner alone. Whatever is at
    /// `file` already is left alone, and inside the store at `store` no key is written.
    pub fn write(&self, file: &Path, store: &Path) -> Result<(), StoreError> {
        if leads_into(file, store) {
            return Err(StoreError::KeyInStore {
                file: file.to_path_buf(),
            });
        }
        let key = self.0.to_string();
        let comment = format!("# public key: {}\n", self.recipient());
        let mut text = Zeroizing::new(Vec::with_capacity(comment.len() + 128));
        text.extend_from_slice(comment.as_bytes());
        text.extend_from_slice(key.expose_secret().as_bytes());
        text.push(b'\n');
        disk::create_private(file, &text).map_err(|error| {
            if error.is_in_the_way() {
                let help =
                    "choose another file: whoever lost an identity lost what is sealed for it";
                StoreError::Exists {
                    file: file.to_path_buf(),
                    help,
                }
            } else {
                error.into()
            }
        })
    }
}

/// The store's folder may not be there yet; then only the spelling can tell.
fn leads_into(file: &Path, store: &Path) -> bool {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match (
        disk::resolve(folder.unwrap_or(Path::new("."))),
        disk::resolve(store),
    ) {
        (Ok(folder), Ok(store)) => folder.starts_with(store),
        _ => file.starts_with(store),
    }
}
