//! `hydrant secret edit NAME`: changes a value in the user's editor, without a file on a disk.

use super::{Doors, Ended, Outcome};
use crate::diagnostic::{Code, Diagnostic};
use crate::edge::process::{Editor, ProcessError, Trust};
use crate::edge::vault::{Identities, LARGEST_VALUE, Store};
use crate::secret::SecretName;
use std::path::Path;

/// Changes a value in an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which one.
    pub name: SecretName,
    /// `--trust-editor`: the user vouches for an editor that hydrant does not know.
    pub trust_editor: bool,
}

pub(super) fn run(
    root: &Path,
    request: &Edit,
    identities: &Identities,
    doors: &Doors<'_>,
) -> Outcome {
    // The editor comes first: nothing is opened for one that is not there or not trusted.
    let trust = if request.trust_editor {
        Trust::AnyEditor
    } else {
        Trust::KnownEditors
    };
    match Editor::choose(doors.environment, trust) {
        Ok(editor) => edit(root, &request.name, identities, &editor).unwrap_or_else(Into::into),
        Err(error) => explain(&error).into(),
    }
}

fn edit(
    root: &Path,
    name: &SecretName,
    identities: &Identities,
    editor: &Editor,
) -> Result<Outcome, Ended> {
    let store = Store::open(root)?;
    // Sealing must be possible before the user's work depends on it.
    if !store.header(name)?.is_passphrase() {
        store.recipients_of(name)?;
    }
    let before = store.read(name, identities)?;
    let after = editor
        .edit(&before, LARGEST_VALUE)
        .map_err(|error| Ended::Found(explain(&error)))?;
    if after == before {
        return Ok(Outcome::done(format!(
            "{name} is unchanged, nothing was written"
        )));
    }
    store.rewrite(name, &after, identities)?;
    Ok(Outcome::done(format!("replaced {name}")))
}

fn explain(error: &ProcessError) -> Diagnostic {
    let (code, help) = match error {
        ProcessError::UnknownEditor(_) => (
            Code::UnvettedEditor,
            "set VISUAL to vim, nvim, nano or emacs, or vouch for yours with `--trust-editor`: it must \
             write neither backups nor swap files, and wait until the editing is done",
        ),
        ProcessError::NotFound(_) => (
            Code::EditorFailed,
            "set VISUAL or EDITOR to a program on PATH",
        ),
        ProcessError::Failed { .. } => (
            Code::EditorFailed,
            "nothing was written; run it again, and leave the editor without error",
        ),
        ProcessError::NotStarted { .. } | ProcessError::Anonymous { .. } => (
            Code::EditorFailed,
            "nothing was written; `hydrant secret set --overwrite` needs no editor",
        ),
    };
    Diagnostic::new(code, error.to_string(), help)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, codes};
    use super::*;
    use crate::command::secret::SecretRequest;

    fn edit(here: &Fixture, trust_editor: bool) -> Outcome {
        let name = "a".parse().expect("a name");
        here.run(&SecretRequest::Edit(Edit { name, trust_editor }), b"")
            .0
    }

    #[test]
    fn an_editor_that_hydrant_does_not_know_is_not_given_the_value() {
        let mut here = Fixture::new();
        here.put("a", b"old");
        here.editor("strange", "printf seen > \"$0.seen\"");

        assert_eq!(codes(&edit(&here, false)), [Code::UnvettedEditor]);
        assert!(!here.has("strange.seen"));
    }

    #[test]
    fn what_the_editor_wrote_is_what_is_sealed() {
        let mut here = Fixture::new();
        here.put("a", b"old");
        here.editor("strange", "printf new > \"$1\"");

        assert_eq!(codes(&edit(&here, true)), []);
        assert_eq!(here.read("a").expect("opened").expose(), b"new");
    }

    #[test]
    fn an_unchanged_value_leaves_the_file_byte_for_byte() {
        let mut here = Fixture::new();
        here.put("a", b"old");
        let before = here.bytes("secrets/a.age");
        here.editor("strange", "exit 0");

        assert_eq!(codes(&edit(&here, true)), []);
        assert_eq!(here.bytes("secrets/a.age"), before);
    }

    #[test]
    fn an_emptied_value_and_a_failing_editor_leave_the_old_one() {
        for (script, code) in [
            (": > \"$1\"", Code::InvalidSecret),
            ("exit 1", Code::EditorFailed),
        ] {
            let mut here = Fixture::new();
            here.put("a", b"old");
            here.editor("strange", script);

            assert_eq!(codes(&edit(&here, true)), [code]);
            assert_eq!(here.read("a").expect("opened").expose(), b"old");
        }
    }
}
