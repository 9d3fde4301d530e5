//! Why the store could not do what was asked, and what the user sees of it.
//!
//! No variant holds a value, a key, a passphrase, or a line of an identity or recipients file.

use super::cipher::LARGEST_VALUE;
use super::header::Broken;
use super::recipients::{BadLine, RECIPIENTS_FILE};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::edge::disk::DiskError;
use crate::edge::memory::MemoryError;
use crate::secret::{BadSecretName, SecretName};
use crate::text::SourceFile;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the store could not do. Paths are as the caller gave the store's folder.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no folder.
    #[error("there is no store at {}", root.display())]
    NoStore {
        /// Where it was looked for.
        root: PathBuf,
    },
    /// Something is where a new store or file should go.
    #[error("{} is there already", file.display())]
    Exists {
        /// What is there.
        file: PathBuf,
        /// The way out, which differs.
        help: &'static str,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The process could not be closed before reading keys.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// No such secret.
    #[error("there is no secret `{name}` in the store")]
    UnknownSecret {
        /// What was asked for.
        name: SecretName,
        /// Its file, which is not there.
        file: PathBuf,
        /// A name that is there and close.
        near: Option<String>,
    },
    /// A file in the store whose name cannot be said.
    #[error("{} cannot be named: {why}", file.display())]
    BadName {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: BadSecretName,
    },
    /// A key would lie beside what it opens.
    #[error("an identity must not lie in the store: {}", file.display())]
    KeyInStore {
        /// Where it was to be written.
        file: PathBuf,
    },
    /// A link leads out of the store.
    #[error("{} leads outside the store", file.display())]
    LeadsOutside {
        /// The link, or a file below it.
        file: PathBuf,
    },
    /// No recipients file from the secret's folder up to the store's, or none in it.
    #[error("nobody is a recipient of {}", file.display())]
    NoRecipients {
        /// What should be sealed.
        file: PathBuf,
        /// The recipients file that is empty; `None` where there is none.
        empty: Option<PathBuf>,
    },
    /// Lines of a recipients file that are none.
    #[error("{} has lines that are no recipients", file.display())]
    BadRecipients {
        /// The recipients file.
        file: PathBuf,
        /// All of them.
        lines: Vec<BadLine>,
    },
    /// No identity was found anywhere.
    #[error("there is no identity to open {} with; looked at {}", file.display(), looked_at.join("; "))]
    NoIdentity {
        /// The secret's file.
        file: PathBuf,
        /// All sources in order, each with what was found.
        looked_at: Vec<String>,
    },
    /// An identity file that was named is not there.
    #[error("the identity file {} ({named_by}) cannot be read: {reason}", path.display())]
    MissingIdentity {
        /// The flag or variable.
        named_by: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// An identity fits, and stays locked.
    #[error("{} is sealed for {identity}, which its passphrase did not open", file.display())]
    Locked {
        /// The secret's file.
        file: PathBuf,
        /// The file or variable of the identity.
        identity: String,
    },
    /// Identities were found, and none fits.
    #[error(
        "{} is sealed for none of the identities that were tried ({tried} in all: {})",
        file.display(), tried_from.join("; ")
    )]
    WrongKey {
        /// The secret's file.
        file: PathBuf,
        /// How many.
        tried: usize,
        /// The sources that had some, in order.
        tried_from: Vec<String>,
        /// Types of recipients that hydrant cannot be.
        foreign: Vec<String>,
    },
    /// Sealed with a passphrase, and none was given.
    #[error("{} is sealed with a passphrase, and there is none", file.display())]
    NoPassphrase {
        /// The secret's file.
        file: PathBuf,
    },
    /// Sealed with another passphrase.
    #[error("the passphrase does not open {}", file.display())]
    WrongPassphrase {
        /// The secret's file.
        file: PathBuf,
    },
    /// Not a whole, unchanged age file.
    #[error("{} cannot be opened: {why}", file.display())]
    Broken {
        /// The secret's file.
        file: PathBuf,
        /// What is wrong with it.
        why: Broken,
    },
    /// Nothing to seal.
    #[error("the value for `{name}` is empty")]
    EmptyValue {
        /// What it is for.
        name: SecretName,
    },
    /// Too much to seal.
    #[error("the value for `{name}` is larger than {} MiB", LARGEST_VALUE >> 20)]
    LargeValue {
        /// What it is for.
        name: SecretName,
    },
    /// The age library could not seal.
    #[error("{} could not be sealed", file.display())]
    Seal {
        /// The secret's file.
        file: PathBuf,
    },
}

const STORE_IS_THERE: &str =
    "the store is ready: change its recipients in that file and run `hydrant secret rekey`";
const SECRET_IS_THERE: &str = "`--overwrite` replaces it, `hydrant secret edit` changes it";

impl StoreError {
    /// A store is at `root` already.
    pub fn store_is_there(root: &Path) -> Self {
        Self::Exists {
            file: root.join(RECIPIENTS_FILE),
            help: STORE_IS_THERE,
        }
    }

    /// A secret is at `file` already.
    pub fn secret_is_there(file: &Path) -> Self {
        Self::Exists {
            file: file.to_path_buf(),
            help: SECRET_IS_THERE,
        }
    }

    /// What the user sees: one finding, or one for each bad line.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Self::BadRecipients { file, lines } => {
                lines.iter().map(|bad| bad_recipient(file, bad)).collect()
            }
            _ => vec![self.diagnostic()],
        }
    }

    fn diagnostic(&self) -> Diagnostic {
        let mut found = Diagnostic::new(self.code(), self.to_string(), self.help());
        if let Some(file) = self.file() {
            found = found.at(Place::whole(&Arc::new(SourceFile::unread(file))));
        }
        found
    }

    fn code(&self) -> Code {
        match self {
            Self::NoStore { .. } => Code::NoStore,
            Self::Exists { .. } => Code::SecretExists,
            Self::Disk(_) | Self::Memory(_) | Self::Seal { .. } => Code::StoreFailed,
            Self::UnknownSecret { .. } => Code::UnknownSecret,
            Self::BadName { .. } | Self::LeadsOutside { .. } => Code::InvalidValue,
            Self::NoRecipients { .. } => Code::NoRecipients,
            Self::BadRecipients { .. } => Code::BadRecipient,
            Self::NoIdentity { .. } | Self::Locked { .. } | Self::NoPassphrase { .. } => {
                Code::NoIdentity
            }
            Self::MissingIdentity { .. } => Code::BadIdentity,
            Self::WrongKey { .. } | Self::WrongPassphrase { .. } => Code::WrongKey,
            Self::KeyInStore { .. }
            | Self::Broken {
                why: Broken::Plaintext,
                ..
            } => Code::PlaintextInStore,
            Self::Broken { .. } => Code::BrokenCiphertext,
            Self::EmptyValue { .. } | Self::LargeValue { .. } => Code::InvalidSecret,
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::NoStore { root: file }
            | Self::Exists { file, .. }
            | Self::UnknownSecret { file, .. }
            | Self::BadName { file, .. }
            | Self::LeadsOutside { file }
            | Self::KeyInStore { file }
            | Self::NoRecipients { file, .. }
            | Self::BadRecipients { file, .. }
            | Self::NoIdentity { file, .. }
            | Self::Locked { file, .. }
            | Self::WrongKey { file, .. }
            | Self::NoPassphrase { file }
            | Self::WrongPassphrase { file }
            | Self::Broken { file, .. }
            | Self::Seal { file } => Some(file),
            Self::MissingIdentity { path, .. } => Some(path),
            Self::Disk(error) => Some(&error.path),
            Self::Memory(_) | Self::EmptyValue { .. } | Self::LargeValue { .. } => None,
        }
    }

    fn help(&self) -> String {
        let text = match self {
            Self::Exists { help, .. } => help,
            Self::UnknownSecret {
                near: Some(near), ..
            } => return format!("did you mean `{near}`?"),
            Self::NoRecipients {
                empty: Some(file), ..
            } => {
                return format!(
                    "add a line to {}: age1…, ssh-ed25519 … or ssh-rsa …",
                    file.display()
                );
            }
            Self::NoRecipients { .. } => {
                return format!(
                    "list who may open it in {RECIPIENTS_FILE}, beside the secret or in a folder above \
                     it; `hydrant secret init` makes one"
                );
            }
            Self::WrongKey { foreign, .. } if !foreign.is_empty() => {
                return format!(
                    "it is also sealed for recipients that hydrant cannot be ({}); have somebody who \
                     can open it add your X25519 recipient and run `hydrant secret rekey`",
                    foreign.join(", ")
                );
            }
            Self::Broken { why, .. } => broken_help(why),
            _ => self.plain_help(),
        };
        text.to_string()
    }

    fn plain_help(&self) -> &'static str {
        match self {
            Self::NoStore { .. } => "`hydrant secret init --recipient age1…` makes one",
            Self::UnknownSecret { .. } => {
                "`hydrant secret list` shows what is there, `hydrant secret set` adds one"
            }
            Self::BadName { .. } => "rename the file",
            Self::KeyInStore { .. } => {
                "write it outside the repository, such as to ~/.config/hydrant/identity.txt"
            }
            Self::LeadsOutside { .. } => "put the file itself into the store instead of a link",
            Self::NoIdentity { .. } => {
                "give one with --identity FILE or HYDRANT_IDENTITY; `age-keygen` makes one"
            }
            Self::MissingIdentity { .. } => "correct the path, or leave it out",
            Self::Locked { .. } | Self::NoPassphrase { .. } | Self::WrongPassphrase { .. } => {
                "run it on a terminal, or set HYDRANT_PASSPHRASE"
            }
            Self::WrongKey { .. } => {
                "give the right one with --identity FILE, or have somebody who can open it add your \
                 recipient to .age-recipients and run `hydrant secret rekey`"
            }
            Self::EmptyValue { .. } => "give the value on stdin: `hydrant secret set NAME < FILE`",
            Self::LargeValue { .. } => {
                "the store is for keys and certificates; keep large files elsewhere"
            }
            _ => "look at the path, its permissions and the free space there",
        }
    }
}

fn broken_help(why: &Broken) -> &'static str {
    match why {
        Broken::Plaintext => {
            "take it out of the repository and its history, treat what it holds as leaked, and put the \
             new value in with `hydrant secret set`"
        }
        Broken::LfsPointer => "`git lfs pull` fetches the file",
        Broken::NewerFormat => "seal it again with age v1: `age -r …`",
        Broken::ExcessiveWork(_) => "do not trust where the file came from; seal it again yourself",
        Broken::TooLarge => "the store is for keys and certificates; keep large files elsewhere",
        _ => "take the file from Git's history, or set the secret again",
    }
}

fn bad_recipient(file: &Path, bad: &BadLine) -> Diagnostic {
    let blanked = bad.blanked(file);
    let start = bad.line.saturating_sub(1);
    let message = format!("{}:{}: {}", file.display(), bad.line, bad.what);
    Diagnostic::new(Code::BadRecipient, message, bad.help)
        .at(Place::new(&blanked, start..blanked.text().len() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_line_becomes_a_finding_at_its_line() {
        let line = |line| BadLine {
            line,
            what: "what",
            help: "help",
        };
        let error = StoreError::BadRecipients {
            file: "secrets/.age-recipients".into(),
            lines: vec![line(1), line(7)],
        };

        let places: Vec<_> = error
            .diagnostics()
            .iter()
            .map(|d| d.places[0].locator())
            .collect();
        assert_eq!(
            places,
            ["secrets/.age-recipients:1:1", "secrets/.age-recipients:7:1"]
        );
    }

    #[test]
    fn a_missing_secret_with_a_neighbour_asks_whether_that_was_meant() {
        let error = StoreError::UnknownSecret {
            name: "registry-cq".parse().expect("a name"),
            file: "secrets/registry-cq.age".into(),
            near: Some("registry-ca".into()),
        };

        assert_eq!(error.diagnostics()[0].help, "did you mean `registry-ca`?");
    }
}
