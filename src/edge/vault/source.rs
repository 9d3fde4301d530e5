//! Where identities may come from, and in which order.

use crate::edge::environment::Environment;
use crate::secret::Secret;
use std::path::PathBuf;

/// Where identities may come from.
pub(super) enum Source {
    /// A flag or variable that was not used.
    Unused(&'static str),
    /// A variable that holds the text itself.
    Text(&'static str, Secret<String>),
    /// A file, who named it, and whether it must be there.
    File {
        path: PathBuf,
        named_by: Option<&'static str>,
        is_required: bool,
    },
}

impl Source {
    /// The file or the variable.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Unused(name) | Self::Text(name, _) => (*name).to_string(),
            Self::File { path, .. } => path.display().to_string(),
        }
    }

    /// The place, with who named it.
    pub(super) fn label(&self) -> String {
        match self {
            Self::File {
                path,
                named_by: Some(name),
                ..
            } => format!("{name} {}", path.display()),
            _ => self.place(),
        }
    }
}

/// All sources in the order in which they are tried, with those that were not used.
pub(super) fn sources(files: &[PathBuf], environment: &Environment) -> Vec<Source> {
    let text = |name, value: &Option<Secret<String>>| match value {
        Some(text) => Source::Text(name, text.clone()),
        None => Source::Unused(name),
    };
    let file = |name, value: &Option<PathBuf>, is_required| match value {
        Some(path) => Source::File {
            path: path.clone(),
            named_by: Some(name),
            is_required,
        },
        None => Source::Unused(name),
    };
    let mut sources: Vec<Source> = files
        .iter()
        .map(|path| file("--identity", &Some(path.clone()), true))
        .collect();
    if files.is_empty() {
        sources.push(Source::Unused("--identity"));
    }
    sources.push(text("HYDRANT_IDENTITY", &environment.identity));
    sources.push(file(
        "HYDRANT_IDENTITY_FILE",
        &environment.identity_file,
        true,
    ));
    sources.push(text("SOPS_AGE_KEY", &environment.sops_key));
    // Set for another tool: a stale one must not keep hydrant from the next source.
    sources.push(file("SOPS_AGE_KEY_FILE", &environment.sops_key_file, false));
    sources.extend(
        default_files(environment)
            .into_iter()
            .map(|path| Source::File {
                path,
                named_by: None,
                is_required: false,
            }),
    );
    sources
}

/// Where sops (`pkg: getsops/sops/v3/age`) and OpenSSH keep keys.
fn default_files(environment: &Environment) -> Vec<PathBuf> {
    let home = environment.home.as_deref();
    let config = environment
        .config_home
        .clone()
        .or_else(|| home.map(|home| home.join(".config")));
    let sops = config.map(|config| config.join("sops/age/keys.txt"));
    let ssh = |name: &str| home.map(|home| home.join(".ssh").join(name));
    [sops, ssh("id_ed25519"), ssh("id_rsa")]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_the_documented_one_and_unused_sources_are_still_named() {
        let environment = Environment {
            sops_key: Some(Secret::new("text".to_string())),
            identity_file: Some("/keys/mine".into()),
            home: Some("/home/me".into()),
            ..Environment::default()
        };
        let labels: Vec<String> = sources(&["a".into(), "b".into()], &environment)
            .iter()
            .map(Source::label)
            .collect();

        assert_eq!(
            labels,
            [
                "--identity a",
                "--identity b",
                "HYDRANT_IDENTITY",
                "HYDRANT_IDENTITY_FILE /keys/mine",
                "SOPS_AGE_KEY",
                "SOPS_AGE_KEY_FILE",
                "/home/me/.config/sops/age/keys.txt",
                "/home/me/.ssh/id_ed25519",
                "/home/me/.ssh/id_rsa",
            ]
        );
    }

    #[test]
    fn a_config_home_replaces_the_one_below_home() {
        let environment = Environment {
            config_home: Some("/cfg".into()),
            ..Environment::default()
        };

        assert_eq!(
            default_files(&environment),
            [PathBuf::from("/cfg/sops/age/keys.txt")]
        );
    }
}
