//! `hydrant secret …` as it is typed.

use crate::command::secret::{Check, Edit, Init, Rekey, SecretRequest, Set, Show};
use crate::secret::SecretName;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The verbs of the age store.
#[derive(Debug, Args)]
pub(super) struct SecretArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Makes a store and says who may open it
    Init {
        /// age1…, "ssh-ed25519 …" or "ssh-rsa …"; may be given several times
        #[arg(long = "recipient", short = 'r', value_name = "RECIPIENT")]
        recipients: Vec<String>,
        /// A file of recipients, one a line
        #[arg(long, short = 'R', value_name = "FILE")]
        recipients_file: Option<PathBuf>,
        /// Writes a new identity to FILE, which must not be there, and makes it a recipient
        #[arg(long, value_name = "FILE")]
        generate_identity: Option<PathBuf>,
    },
    /// Names the secrets; needs no key
    List,
    /// Puts a value in: every byte of stdin, or a line typed twice without echo
    Set {
        /// What it is called, such as registry-ca or ok-edge/pull
        name: SecretName,
        /// Replace a value that is there
        #[arg(long)]
        overwrite: bool,
        /// Write the file as text
        #[arg(long, short = 'a')]
        armor: bool,
        /// Seal with a passphrase instead of for the recipients
        #[arg(long, short = 'p')]
        passphrase: bool,
    },
    /// Prints a value, byte for byte
    Show {
        /// Which one
        name: SecretName,
        /// Print it although stdout is not a terminal
        #[arg(long)]
        yes_print: bool,
    },
    /// Changes a value in $VISUAL or $EDITOR, in memory
    Edit {
        /// Which one
        name: SecretName,
        /// Start an editor that hydrant does not know how to keep from writing copies to disk
        #[arg(long)]
        trust_editor: bool,
    },
    /// Seals again for the recipients of today
    Rekey {
        /// Which ones; all if none is named
        names: Vec<SecretName>,
    },
    /// Looks for what is wrong; needs no key
    Check {
        /// Also open every secret
        #[arg(long)]
        decrypt: bool,
    },
}

impl SecretArgs {
    pub(super) fn request(self) -> SecretRequest {
        self.verb.into()
    }
}

impl From<Verb> for SecretRequest {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Init {
                recipients,
                recipients_file,
                generate_identity,
            } => Self::Init(Init {
                recipients,
                recipients_file,
                generate_identity,
            }),
            Verb::List => Self::List,
            Verb::Set {
                name,
                overwrite,
                armor,
                passphrase,
            } => Self::Set(Set {
                name,
                overwrite,
                armor,
                passphrase,
            }),
            Verb::Show { name, yes_print } => Self::Show(Show { name, yes_print }),
            Verb::Edit { name, trust_editor } => Self::Edit(Edit { name, trust_editor }),
            Verb::Rekey { names } => Self::Rekey(Rekey { names }),
            Verb::Check { decrypt } => Self::Check(Check { decrypt }),
        }
    }
}
