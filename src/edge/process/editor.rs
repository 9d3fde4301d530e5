//! Editing a value without a file on a disk.
//!
//! Editors keep swap files, backups, undo histories and lists of what was open, wherever their
//! configuration says. So an editor that hydrant knows is started without the user's configuration
//! and with all of that off; one that it does not know is only started by somebody who vouches for
//! it.

use super::{AnonymousFile, ProcessError, command, locate};
use crate::edge::disk;
use crate::edge::environment::Environment;
use crate::secret::Secret;
use std::path::{Path, PathBuf};

/// What is started where neither `VISUAL` nor `EDITOR` is set.
const DEFAULT_EDITOR: &str = "vi";

/// Whether an unknown editor may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Only those that hydrant knows how to keep from writing files.
    KnownEditors,
    /// The user vouches for theirs.
    AnyEditor,
}

/// An editor, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor {
    shown: String,
    program: PathBuf,
    arguments: Vec<String>,
}

impl Editor {
    /// The one that `VISUAL` or `EDITOR` names: a program and arguments with blanks between them.
    pub fn choose(environment: &Environment, trust: Trust) -> Result<Self, ProcessError> {
        let said = environment.editor.as_deref().unwrap_or(DEFAULT_EDITOR);
        let mut words = said.split_whitespace().map(str::to_string);
        let shown = words.next().unwrap_or_else(|| DEFAULT_EDITOR.to_string());
        let Some(program) = locate(&shown, environment.path.as_deref()) else {
            return Err(ProcessError::NotFound(shown));
        };
        let mut arguments: Vec<String> = words.collect();
        match closed(&program) {
            Some(flags) => arguments.extend(flags.iter().map(|flag| (*flag).to_string())),
            None if trust == Trust::AnyEditor => {}
            None => return Err(ProcessError::UnknownEditor(shown)),
        }
        Ok(Self {
            shown,
            program,
            arguments,
        })
    }

    /// Gives the value to the editor in an anonymous file, waits, and takes back at most `limit`
    /// bytes.
    pub fn edit(
        &self,
        value: &Secret<Vec<u8>>,
        limit: usize,
    ) -> Result<Secret<Vec<u8>>, ProcessError> {
        let file = AnonymousFile::holding(value)?;
        file.share()?;
        let status = command(&self.program)
            .args(&self.arguments)
            .arg(file.path_in_child())
            .status()
            .map_err(|e| ProcessError::NotStarted {
                program: self.shown.clone(),
                kind: e.kind(),
            })?;
        if !status.success() {
            return Err(ProcessError::Failed {
                program: self.shown.clone(),
                status,
            });
        }
        file.read_back(limit)
    }
}

/// `-u NONE` and `--noplugin` leave out what could write on its own, `-i NONE` the viminfo or shada
/// file, `-n` the swap file. `backupcopy=yes` because a descriptor cannot be renamed over, and
/// `nofixendofline` because the value's last byte is the value's.
const VIM: &[&str] = &[
    "-u",
    "NONE",
    "-U",
    "NONE",
    "-i",
    "NONE",
    "-n",
    "--noplugin",
    "--cmd",
    "set nobackup nowritebackup backupcopy=yes noswapfile nomodeline",
    "-c",
    "silent! set noundofile nofixendofline",
];

/// No rc file, so no backups, histories, positions or lock files; no newline added at the end.
const NANO: &[&str] = &["--ignorercfiles", "--nonewlines"];

/// No init files, no backups, no auto-save, no lock files, no newline added at the end.
const EMACS: &[&str] = &[
    "-Q",
    "--eval",
    "(setq make-backup-files nil auto-save-default nil auto-save-list-file-prefix nil \
     create-lockfiles nil require-final-newline nil mode-require-final-newline nil)",
];

/// The flags that keep an editor from writing anything but the file, where hydrant knows them.
///
/// `vi` may be vim, nvi or busybox: the program behind the links decides. nvi is not known: it
/// keeps recovery files.
fn closed(program: &Path) -> Option<&'static [&'static str]> {
    let program = disk::resolve(program).ok()?;
    let name = program.file_name()?.to_str()?;
    let family = name.split(['.', '-']).next()?;
    match family {
        "vi" | "vim" | "nvim" => Some(VIM),
        "nano" => Some(NANO),
        _ if family
            .strip_prefix("emacs")
            .is_some_and(|v| v.chars().all(|c| c.is_ascii_digit())) =>
        {
            Some(EMACS)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    /// An environment whose `PATH` has one program, `name`, a shell script.
    fn with_program(name: &str, script: &str) -> (tempfile::TempDir, Environment) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(name);
        let script = format!("#!/bin/sh\n{script}\n");
        disk::write(&path, script.as_bytes(), disk::Overwrite::Never).expect("written");
        std::fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("executable");
        let environment = Environment {
            editor: Some(name.to_string()),
            path: Some(folder.path().into()),
            ..Environment::default()
        };
        (folder, environment)
    }

    fn value() -> Secret<Vec<u8>> {
        Secret::new(b"old".to_vec())
    }

    #[test]
    fn an_unknown_editor_is_refused_until_somebody_vouches_for_it() {
        let (_folder, environment) = with_program("code", "");

        let refused = Editor::choose(&environment, Trust::KnownEditors).expect_err("refused");
        assert!(matches!(refused, ProcessError::UnknownEditor(_)));
        assert!(Editor::choose(&environment, Trust::AnyEditor).is_ok());
    }

    #[test]
    fn a_vi_that_is_something_else_behind_its_link_is_not_taken_for_vim() {
        let (folder, environment) = with_program("nvi", "");
        let link = folder.path().join("vi");
        std::os::unix::fs::symlink(folder.path().join("nvi"), link).expect("link");
        let environment = Environment {
            editor: None,
            ..environment
        };

        let refused = Editor::choose(&environment, Trust::KnownEditors).expect_err("refused");
        assert!(matches!(refused, ProcessError::UnknownEditor(name) if name == "vi"));
    }

    #[test]
    fn a_missing_editor_is_named() {
        let (_folder, environment) = with_program("x", "");
        let environment = Environment {
            editor: Some("gone -f".into()),
            ..environment
        };

        let missing = Editor::choose(&environment, Trust::AnyEditor).expect_err("missing");
        assert!(matches!(missing, ProcessError::NotFound(name) if name == "gone"));
    }

    #[test]
    fn an_editor_that_fails_changes_nothing() {
        let (_folder, environment) = with_program("ed1", "exit 7");
        let editor = Editor::choose(&environment, Trust::AnyEditor).expect("there");

        assert!(matches!(
            editor.edit(&value(), 99),
            Err(ProcessError::Failed { .. })
        ));
    }

    #[test]
    fn the_editor_reads_and_writes_the_value_through_its_own_descriptor() {
        crate::edge::memory::close().expect("closed");
        let script = "IFS= read -r old < \"$1\"\nprintf 'new from %s' \"$old\" > \"$1\"";
        let (_folder, environment) = with_program("ed1", script);
        let editor = Editor::choose(&environment, Trust::AnyEditor).expect("there");

        let edited = editor.edit(&value(), 99).expect("edited");
        assert_eq!(edited.expose(), b"new from old");
    }

    #[test]
    fn known_editors_by_name() {
        for name in [
            "vim.basic",
            "vim.tiny",
            "nvim",
            "nano",
            "emacs",
            "emacs-nox",
            "emacs29-nox",
        ] {
            let (_folder, environment) = with_program(name, "");
            assert!(
                Editor::choose(&environment, Trust::KnownEditors).is_ok(),
                "{name}"
            );
        }
        for name in ["emacsclient", "nvi", "vimpager", "ed", "code"] {
            let (_folder, environment) = with_program(name, "");
            assert!(
                Editor::choose(&environment, Trust::KnownEditors).is_err(),
                "{name}"
            );
        }
    }
}
