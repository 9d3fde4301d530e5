//! `hydrant secret check`: looks for what is wrong in the store, without a key unless asked.

use super::{Doors, Outcome, counted};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::edge::vault::{
    Header, Identities, RECIPIENTS_FILE, Recipients, Store, StoreError, Stray, Survey,
};
use crate::secret::SecretName;
use crate::text::SourceFile;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Looks for what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// `--decrypt`: also opens every secret, so that what no identity of this run opens is an
    /// error.
    pub decrypt: bool,
}

pub(super) fn run(
    root: &Path,
    request: &Check,
    identities: &Identities,
    doors: &mut Doors<'_>,
) -> io::Result<Outcome> {
    let (store, survey) = match Store::open(root).and_then(|s| s.survey().map(|found| (s, found))) {
        Ok(both) => both,
        Err(error) => return Ok(error.into()),
    };
    let mut outcome = Outcome::default();
    check_files(&store, &survey, &mut outcome);
    for name in &survey.secrets {
        if let Err(error) = check_secret(&store, name, &mut outcome) {
            outcome.add(error.diagnostics());
        } else if request.decrypt
            && let Err(error) = store.read(name, identities)
        {
            outcome.add(error.diagnostics());
        }
    }
    let (secrets, lists) = (survey.secrets.len(), survey.recipients.len());
    let verb = if request.decrypt {
        "opened and checked"
    } else {
        "checked"
    };
    let secrets = counted(secrets, "secret");
    let lists = counted(lists, "recipients file");
    writeln!(
        doors.stdout,
        "{verb} {secrets} and {lists} in {}",
        root.display()
    )?;
    doors.stdout.flush()?;
    Ok(outcome)
}

fn check_files(store: &Store, survey: &Survey, outcome: &mut Outcome) {
    let root_list = store.root().join(RECIPIENTS_FILE);
    if survey.recipients.is_empty() {
        outcome.add(
            StoreError::NoRecipients {
                file: root_list,
                empty: None,
            }
            .diagnostics(),
        );
    }
    for file in &survey.recipients {
        if let Err(error) = store.check_recipients(file) {
            outcome.add(error.diagnostics());
        }
    }
    for error in &survey.unnameable {
        outcome.add(error.diagnostics());
    }
    outcome.add(survey.strays.iter().map(stray));
}

fn stray(stray: &Stray) -> Diagnostic {
    let file = stray.file.display();
    let found = if stray.looks_like_plaintext {
        Diagnostic::new(
            Code::PlaintextInStore,
            format!("{file} holds a PEM block or an identity in the clear"),
            "take it out of the repository and its history, and treat what it holds as leaked",
        )
    } else {
        Diagnostic::new(
            Code::StrayFile,
            format!("{file} is not a secret"),
            "move it out of the store, or put it in with `hydrant secret set`",
        )
    };
    found.at(Place::whole(&Arc::new(SourceFile::unread(&stray.file))))
}

fn check_secret(store: &Store, name: &SecretName, outcome: &mut Outcome) -> Result<(), StoreError> {
    let header = store.header(name)?;
    if !header.is_passphrase() {
        let recipients = store.recipients_of(name)?;
        outcome.add(stale(store, name, &header, &recipients));
    }
    Ok(())
}

/// X25519 stanzas do not tell whose they are, so only their number can differ; SSH ones tell by a
/// tag.
fn stale(
    store: &Store,
    name: &SecretName,
    header: &Header,
    recipients: &Recipients,
) -> Option<Diagnostic> {
    let mut sealed = header.stanzas.clone();
    sealed.sort();
    (sealed != recipients.stanzas()).then(|| {
        let file = store.file_of(name);
        let message = format!(
            "{} is sealed for {}, and not for {} of {}",
            file.display(),
            counted(sealed.len(), "recipient"),
            if sealed.len() == recipients.all.len() {
                "those".to_string()
            } else {
                format!("the {}", recipients.all.len())
            },
            recipients.file.display()
        );
        Diagnostic::new(
            Code::StaleRecipients,
            message,
            format!("`hydrant secret rekey {name}`"),
        )
        .at(Place::whole(&Arc::new(SourceFile::unread(&file))))
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, codes};
    use super::*;
    use crate::command::secret::SecretRequest;

    const ONE: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIJUPGv0Ircgnsew9gM0YZ0lEnqHW0CetyD0bGgdYHkQu";
    const OTHER: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIK1095lf+Un/u+a5Sn4O+LBq7lYkl+1vHwLpj6SwLE63";

    fn check(here: &Fixture, decrypt: bool) -> Vec<Code> {
        let mut codes = codes(&here.run(&SecretRequest::Check(Check { decrypt }), b"").0);
        codes.sort();
        codes
    }

    #[test]
    fn a_sound_store_has_no_findings_and_needs_no_key() {
        let mut here = Fixture::new();
        here.put("a", b"value");
        here.forget_identity();

        assert_eq!(check(&here, false), []);
        assert_eq!(check(&here, true), [Code::NoIdentity]);
    }

    #[test]
    fn everything_that_is_wrong_is_reported_at_once() {
        let here = Fixture::new();
        here.put("a", b"value");
        here.file("secrets/b.age", "password: hunter2\n");
        here.file("secrets/c.age", "-----BEGIN PRIVATE KEY-----\n");
        here.file("secrets/not a name.age", "x");
        here.file("secrets/notes.txt", "see the wiki");
        here.file("secrets/ca.pem", "-----BEGIN CERTIFICATE-----\n");
        here.file("secrets/.gitignore", "*.tmp\n");
        here.file("secrets/sub/.age-recipients", "nonsense\n");

        let mut expected = [
            Code::BrokenCiphertext,
            Code::PlaintextInStore,
            Code::InvalidValue,
            Code::StrayFile,
            Code::PlaintextInStore,
            Code::BadRecipient,
        ];
        expected.sort();
        assert_eq!(check(&here, false), expected);
    }

    #[test]
    fn a_key_in_a_hidden_file_of_the_store_is_found_and_not_quoted() {
        let here = Fixture::new();
        here.file("secrets/.key", "AGE-SECRET-KEY-1S3NTINEL\n");
        let outcome = here.run(&SecretRequest::Check(Check::default()), b"").0;

        assert_eq!(codes(&outcome), [Code::PlaintextInStore]);
        assert!(!format!("{outcome:?}").contains("S3NTINEL"));
    }

    #[test]
    fn a_recipient_who_was_added_and_not_yet_sealed_for_is_noticed() {
        let here = Fixture::new();
        here.put("a", b"value");
        let other = age::x25519::Identity::generate().to_public();
        here.file(
            "secrets/.age-recipients",
            &format!("{}\n{other}\n", here.recipient()),
        );

        assert_eq!(check(&here, false), [Code::StaleRecipients]);
    }

    #[test]
    fn an_ssh_recipient_who_was_exchanged_is_noticed_by_the_tag() {
        let here = Fixture::new();
        let list = |key: &str| format!("{}\nssh-ed25519 {key} me@host.example\n", here.recipient());
        here.file("secrets/.age-recipients", &list(ONE));
        here.put("a", b"value");
        assert_eq!(check(&here, false), []);

        here.file("secrets/.age-recipients", &list(OTHER));
        assert_eq!(check(&here, false), [Code::StaleRecipients]);
    }

    #[test]
    fn a_store_without_recipients_is_an_error_even_while_it_is_empty() {
        let here = Fixture::new();
        here.remove("secrets/.age-recipients");

        assert_eq!(check(&here, false), [Code::NoRecipients]);
    }
}
