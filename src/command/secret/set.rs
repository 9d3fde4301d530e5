//! `hydrant secret set NAME`: puts a value into the store.

use super::{Doors, Ended, Outcome, counted};
use crate::diagnostic::{Code, Diagnostic};
use crate::edge::disk::{self, Overwrite};
use crate::edge::vault::{Form, Identities, LARGEST_VALUE, Seal, Store, StoreError};
use crate::secret::{Secret, SecretName};
use std::io;
use std::path::Path;

/// Puts a value in: every byte of stdin, or a line typed twice without echo, which then has no line
/// ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// What it is called.
    pub name: SecretName,
    /// `--overwrite`: a value that is there may go.
    pub overwrite: bool,
    /// `--armor`: as text; otherwise in the form of the value before, or binary.
    pub armor: bool,
    /// `--passphrase`: sealed with a passphrase instead of for the recipients.
    pub passphrase: bool,
}

pub(super) fn run(
    root: &Path,
    request: &Set,
    identities: &Identities,
    doors: &mut Doors<'_>,
) -> Outcome {
    put(root, request, identities, doors).unwrap_or_else(Into::into)
}

/// Whatever can be refused is refused before the value is asked for.
fn put(
    root: &Path,
    request: &Set,
    identities: &Identities,
    doors: &mut Doors<'_>,
) -> Result<Outcome, Ended> {
    let store = Store::open(root)?;
    let name = &request.name;
    let is_there = store.has(name);
    if is_there && !request.overwrite {
        return Err(Ended::Store(StoreError::secret_is_there(
            &store.file_of(name),
        )));
    }
    let (seal, whom) = seal_for(&store, request, identities)?;
    let value = read_value(name, doors)?;
    let overwrite = if request.overwrite {
        Overwrite::Allowed
    } else {
        Overwrite::Never
    };
    let form = match (request.armor, store.header(name)) {
        (false, Ok(before)) => before.form,
        (false, Err(_)) => Form::Binary,
        (true, _) => Form::Armored,
    };
    store.write(name, &value, &seal, form, overwrite)?;
    let deed = if is_there { "replaced" } else { "added" };
    Ok(Outcome::done(format!("{deed} {name}, sealed {whom}")))
}

fn seal_for(
    store: &Store,
    request: &Set,
    identities: &Identities,
) -> Result<(Seal, String), Ended> {
    if request.passphrase {
        let file = store.file_of(&request.name);
        let passphrase = identities.passphrase(&file.display().to_string());
        let passphrase = passphrase.ok_or(StoreError::NoPassphrase { file })?;
        return Ok((
            Seal::Passphrase(passphrase),
            "with a passphrase".to_string(),
        ));
    }
    let recipients = store.recipients_of(&request.name)?;
    let count = counted(recipients.all.len(), "recipient");
    Ok((
        Seal::Recipients,
        format!("for {count} ({})", recipients.file.display()),
    ))
}

fn read_value(name: &SecretName, doors: &mut Doors<'_>) -> Result<Secret<Vec<u8>>, Ended> {
    if doors.stdin_is_terminal {
        return type_value(name, doors);
    }
    match disk::drain(&mut *doors.stdin, LARGEST_VALUE) {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(Ended::Store(StoreError::LargeValue { name: name.clone() }))
        }
        Err(error) => Err(unusable(&format!(
            "stdin could not be read: {}",
            error.kind()
        ))),
    }
}

fn type_value(name: &SecretName, doors: &Doors<'_>) -> Result<Secret<Vec<u8>>, Ended> {
    let ask = |prompt: String| {
        doors
            .ask
            .ask(&prompt)
            .map_err(|error| unusable(&error.to_string()))
    };
    let value = ask(format!("Value for {name} (not shown)"))?;
    if ask(format!("{name} again"))? != value {
        return Err(unusable("the two values differ"));
    }
    Ok(Secret::new(value.expose().clone().into_bytes()))
}

fn unusable(what: &str) -> Ended {
    let help = "type one line twice, or give any bytes on stdin: `hydrant secret set NAME < FILE`";
    Ended::Found(Diagnostic::new(Code::InvalidSecret, what, help))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, codes};
    use super::*;
    use crate::command::secret::SecretRequest;

    fn set(name: &str) -> Set {
        let name = name.parse().expect("a name");
        Set {
            name,
            overwrite: false,
            armor: false,
            passphrase: false,
        }
    }

    fn codes_of(here: &Fixture, request: Set, stdin: &[u8]) -> Vec<Code> {
        codes(&here.run(&SecretRequest::Set(request), stdin).0)
    }

    #[test]
    fn an_empty_value_is_refused_and_leaves_no_file() {
        let here = Fixture::new();

        assert_eq!(codes_of(&here, set("a"), b""), [Code::InvalidSecret]);
        assert!(!here.has("secrets/a.age"));
    }

    #[test]
    fn a_value_that_is_there_stays_unless_overwriting_was_asked_for() {
        let here = Fixture::new();
        here.put("a", b"old");

        assert_eq!(codes_of(&here, set("a"), b"new"), [Code::SecretExists]);
        assert_eq!(here.read("a").expect("opened").expose(), b"old");
        let overwriting = Set {
            overwrite: true,
            ..set("a")
        };
        assert_eq!(codes_of(&here, overwriting, b"new"), []);
        assert_eq!(here.read("a").expect("opened").expose(), b"new");
    }

    #[test]
    fn without_recipients_stdin_is_not_even_read() {
        let here = Fixture::new();
        here.file("secrets/.age-recipients", "# nobody yet\n");
        let mut stdin: &[u8] = b"value";
        let outcome = here
            .run_with(&SecretRequest::Set(set("a")), &mut stdin, false)
            .0;

        assert_eq!(
            (codes(&outcome), stdin),
            (vec![Code::NoRecipients], &b"value"[..])
        );
    }

    #[test]
    fn every_byte_of_stdin_is_kept_the_last_newline_too() {
        let here = Fixture::new();
        let value = b"\x00\xff line\r\n\n";

        assert_eq!(codes_of(&here, set("deep/er/a"), value), []);
        assert_eq!(here.read("deep/er/a").expect("opened").expose(), value);
    }

    #[test]
    fn a_typed_value_has_no_newline_and_two_that_differ_are_refused() {
        let mut here = Fixture::new();
        here.answers(&["typed", "typo", "typed", "typed"]);
        let mut nothing: &[u8] = b"";

        let differing = here
            .run_with(&SecretRequest::Set(set("a")), &mut nothing, true)
            .0;
        assert_eq!(codes(&differing), [Code::InvalidSecret]);
        let same = here
            .run_with(&SecretRequest::Set(set("a")), &mut nothing, true)
            .0;
        assert_eq!(codes(&same), []);
        assert_eq!(here.read("a").expect("opened").expose(), b"typed");
    }

    #[test]
    fn an_overwritten_value_keeps_the_form_of_its_file() {
        let here = Fixture::new();
        codes_of(
            &here,
            Set {
                armor: true,
                ..set("a")
            },
            b"old",
        );
        codes_of(
            &here,
            Set {
                overwrite: true,
                ..set("a")
            },
            b"new",
        );

        assert!(
            here.text("secrets/a.age")
                .starts_with("-----BEGIN AGE ENCRYPTED FILE-----")
        );
    }

    #[test]
    fn a_folder_with_its_own_recipients_is_sealed_for_those_alone() {
        let here = Fixture::new();
        let other = age::x25519::Identity::generate().to_public();
        here.file("secrets/edge/.age-recipients", &format!("{other}\n"));

        assert_eq!(codes_of(&here, set("edge/a"), b"value"), []);
        assert_eq!(
            here.read("edge/a").expect_err("not ours").diagnostics()[0].code,
            Code::WrongKey
        );
    }

    #[test]
    fn nothing_is_written_through_a_link_that_leads_out_of_the_store() {
        let here = Fixture::new();
        here.file("secrets/sub/.keep", "");
        here.move_behind_link("secrets/sub", "outside");

        assert_eq!(
            codes_of(&here, set("sub/deeper/a"), b"value"),
            [Code::InvalidValue]
        );
        assert!(!here.has("outside/deeper"));
    }
}
