//! `hydrant secret rekey`: seals again for the recipients of today.

use super::{Doors, Outcome, counted};
use crate::edge::vault::{Identities, Rekeyed, Store};
use crate::secret::SecretName;
use std::io;
use std::path::Path;

/// Seals again, always, because that somebody else was a recipient cannot be seen from outside.
///
/// Each file is replaced at once or left as it was; one that fails does not keep the others back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rekey {
    /// Which ones; none means all.
    pub names: Vec<SecretName>,
}

pub(super) fn run(
    root: &Path,
    request: &Rekey,
    identities: &Identities,
    doors: &mut Doors<'_>,
) -> io::Result<Outcome> {
    let store = match Store::open(root) {
        Ok(store) => store,
        Err(error) => return Ok(error.into()),
    };
    let names = match (request.names.is_empty(), store.names()) {
        (true, Ok(all)) => all,
        (true, Err(error)) => return Ok(error.into()),
        (false, _) => request.names.clone(),
    };
    let mut outcome = Outcome::default();
    for name in &names {
        let line = rekey(&store, name, identities, &mut outcome);
        writeln!(doors.stdout, "{line}")?;
    }
    doors.stdout.flush()?;
    if names.is_empty() {
        outcome
            .notes
            .push(format!("no secrets in {}", root.display()));
    }
    Ok(outcome)
}

/// What became of one secret, as a line for people; the reason of a failure goes to `outcome`.
fn rekey(
    store: &Store,
    name: &SecretName,
    identities: &Identities,
    outcome: &mut Outcome,
) -> String {
    match store.rekey(name, identities) {
        Ok(Rekeyed::For(count)) => format!("rekeyed {name} for {}", counted(count, "recipient")),
        Ok(Rekeyed::KeptPassphrase) => format!("kept {name}, which is sealed with a passphrase"),
        Err(error) => {
            outcome.add(error.diagnostics());
            format!("failed {name}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, codes};
    use super::*;
    use crate::command::secret::SecretRequest;
    use crate::diagnostic::Code;

    fn rekey(here: &Fixture) -> (Outcome, String) {
        let (outcome, stdout) = here.run(&SecretRequest::Rekey(Rekey::default()), b"");
        (outcome, String::from_utf8(stdout).expect("text"))
    }

    #[test]
    fn one_secret_that_cannot_be_opened_does_not_keep_the_others_back_and_is_left() {
        let here = Fixture::new();
        for name in ["a", "b", "c"] {
            here.put(name, b"value");
        }
        here.file(
            "secrets/b.age",
            "age-encryption.org/v1\nnonsense that is long enough\n",
        );
        let (outcome, stdout) = rekey(&here);

        assert_eq!(codes(&outcome), [Code::BrokenCiphertext]);
        assert_eq!(
            stdout,
            "rekeyed a for 1 recipient\nfailed b\nrekeyed c for 1 recipient\n"
        );
        assert!(here.text("secrets/b.age").contains("nonsense"));
    }

    #[test]
    fn a_broken_recipients_file_is_reported_once_and_no_secret_changes() {
        let here = Fixture::new();
        here.put("a", b"value");
        here.put("b", b"value");
        let before = here.bytes("secrets/a.age");
        here.file("secrets/.age-recipients", "nonsense\n");

        assert_eq!(codes(&rekey(&here).0), [Code::BadRecipient]);
        assert_eq!(here.bytes("secrets/a.age"), before);
    }

    #[test]
    fn whoever_was_added_can_open_it_and_whoever_left_cannot() {
        use age::secrecy::ExposeSecret as _;
        let here = Fixture::new();
        here.put("a", b"value");
        let added = age::x25519::Identity::generate();
        let file = here.file("added", added.to_string().expose_secret());
        here.file(
            "secrets/.age-recipients",
            &format!("{}\n", added.to_public()),
        );

        assert_eq!(codes(&rekey(&here).0), []);
        assert_eq!(
            here.read_with("a", &[file]).expect("opened").expose(),
            b"value"
        );
        assert_eq!(
            here.read("a").expect_err("left").diagnostics()[0].code,
            Code::WrongKey
        );
    }

    #[test]
    fn an_armored_file_stays_armored() {
        use crate::edge::vault::Form;
        let here = Fixture::new();
        here.put_as("a", b"value", Form::Armored);
        here.put_as("b", b"value", Form::Binary);
        rekey(&here);

        assert_eq!(here.header("a").form, Form::Armored);
        assert_eq!(here.header("b").form, Form::Binary);
    }
}
