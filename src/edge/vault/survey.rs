//! What lies in the store's folder, secret or not.

use super::recipients::RECIPIENTS_FILE;
use super::store::read_recipients;
use super::{Store, StoreError, header};
use crate::edge::disk;
use crate::secret::SecretName;
use std::path::{Path, PathBuf};

/// The files below a store, sorted.
#[derive(Debug, Default)]
pub struct Survey {
    /// What is named `<name>.age`.
    pub secrets: Vec<SecretName>,
    /// `.age` files whose name cannot be said.
    pub unnameable: Vec<StoreError>,
    /// The recipients files.
    pub recipients: Vec<PathBuf>,
    /// Anything else that is not hidden, and whatever is hidden and looks like plaintext.
    pub strays: Vec<Stray>,
}

/// A file in the store that is not a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// The file.
    pub file: PathBuf,
    /// Does it hold a PEM block or an age identity?
    pub looks_like_plaintext: bool,
}

/// A larger file is not searched for keys to its end.
const SEARCHED: usize = 16 << 20;

impl Store {
    /// Walks the folder; opens no secret.
    pub fn survey(&self) -> Result<Survey, StoreError> {
        let mut survey = Survey::default();
        for found in disk::walk(self.root())? {
            let file = self.root().join(&found.path);
            if found.is_odd {
                survey.strays.push(Stray {
                    file,
                    looks_like_plaintext: false,
                });
            } else if is_secret(&found.path) {
                match SecretName::of_file(&found.path) {
                    Ok(name) => survey.secrets.push(name),
                    Err(why) => survey.unnameable.push(StoreError::BadName { file, why }),
                }
            } else if found
                .path
                .file_name()
                .is_some_and(|name| name == RECIPIENTS_FILE)
            {
                survey.recipients.push(file);
            } else {
                survey.strays.extend(stray(&found.path, file));
            }
        }
        survey.secrets.sort();
        Ok(survey)
    }

    /// What is wrong with a recipients file that the survey found.
    pub fn check_recipients(&self, file: &Path) -> Result<(), StoreError> {
        read_recipients(file, file.parent().unwrap_or(self.root())).map(drop)
    }

    /// The names of all secrets, sorted.
    pub fn names(&self) -> Result<Vec<SecretName>, StoreError> {
        Ok(self.survey()?.secrets)
    }
}

fn is_secret(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "age") && !is_hidden(path)
}

fn is_hidden(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

fn stray(path: &Path, file: PathBuf) -> Option<Stray> {
    let looks_like_plaintext =
        disk::read(&file, SEARCHED).is_ok_and(|bytes| header::looks_like_plaintext(&bytes));
    (looks_like_plaintext || !is_hidden(path)).then_some(Stray {
        file,
        looks_like_plaintext,
    })
}
