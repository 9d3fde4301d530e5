//! What the environment says, read once at the start and handed on from there.

use crate::secret::Secret;
use std::ffi::OsString;
use std::path::PathBuf;

/// The variables that hold a key or a passphrase themselves: no child gets them.
pub const SECRET_VARIABLES: &[&str] = &["HYDRANT_IDENTITY", "HYDRANT_PASSPHRASE", "SOPS_AGE_KEY"];

/// The environment variables that hydrant listens to. One that is set to nothing counts as unset.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `HYDRANT_IDENTITY`: the text of an identity file.
    pub identity: Option<Secret<String>>,
    /// `HYDRANT_IDENTITY_FILE`.
    pub identity_file: Option<PathBuf>,
    /// `HYDRANT_PASSPHRASE`: what opens passphrase-encrypted secrets and identities without a
    /// terminal.
    pub passphrase: Option<Secret<String>>,
    /// `SOPS_AGE_KEY`: the text of an identity file.
    pub sops_key: Option<Secret<String>>,
    /// `SOPS_AGE_KEY_FILE`.
    pub sops_key_file: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub config_home: Option<PathBuf>,
    /// `REGISTRY_ADDRESS`: the registry's address, for every cluster of a run.
    pub registry_address: Option<String>,
    /// `NO_COLOR`, or a terminal that shows none (`TERM=dumb`).
    pub no_color: bool,
    /// The folder that relative paths are meant from.
    pub working_directory: PathBuf,
    /// `VISUAL`, else `EDITOR`: a program with its arguments.
    pub editor: Option<String>,
    /// `PATH`.
    pub path: Option<OsString>,
}

impl Environment {
    /// Reads this process's environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the environment is read"
    )]
    pub fn read() -> Self {
        Self {
            // A folder that was removed under us: relative paths then fail with their own message.
            working_directory: std::env::current_dir().unwrap_or_default(),
            ..Self::from_lookup(|name| std::env::var_os(name))
        }
    }

    /// Takes each variable's value from `lookup`.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let said = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let text = |name: &str| said(name).map(|value| value.to_string_lossy().into_owned());
        let secret = |name: &str| text(name).map(Secret::new);
        let path = |name: &str| said(name).map(PathBuf::from);
        Self {
            identity: secret("HYDRANT_IDENTITY"),
            identity_file: path("HYDRANT_IDENTITY_FILE"),
            passphrase: secret("HYDRANT_PASSPHRASE"),
            sops_key: secret("SOPS_AGE_KEY"),
            sops_key_file: path("SOPS_AGE_KEY_FILE"),
            home: path("HOME"),
            config_home: path("XDG_CONFIG_HOME"),
            registry_address: text("REGISTRY_ADDRESS"),
            no_color: said("NO_COLOR").is_some() || text("TERM").as_deref() == Some("dumb"),
            working_directory: PathBuf::new(),
            editor: text("VISUAL").or_else(|| text("EDITOR")),
            path: said("PATH"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_set_to_nothing_counts_as_unset() {
        let read = Environment::from_lookup(|name| match name {
            "VISUAL" | "HYDRANT_IDENTITY" => Some(OsString::new()),
            "EDITOR" => Some("nano".into()),
            _ => None,
        });

        assert_eq!(read.editor.as_deref(), Some("nano"));
        assert!(read.identity.is_none());
    }

    #[test]
    fn a_debug_print_of_the_environment_shows_no_key() {
        let read = Environment::from_lookup(|_| Some("S3NTINEL".into()));
        let shown = format!(
            "{:?} {:?} {:?}",
            read.identity, read.passphrase, read.sops_key
        );

        assert!(!shown.contains("S3NTINEL"), "{shown}");
    }
}
