//! `hydrant secret init`: makes a store and says who may open it.

use super::{Outcome, counted};
use crate::diagnostic::{Code, Diagnostic};
use crate::edge::disk;
use crate::edge::vault::{
    NewIdentity, RECIPIENTS_FILE, Recipients, Store, StoreError, parse_recipient,
};
use std::path::{Path, PathBuf};

/// The largest `--recipients-file`, in bytes.
const LARGEST_FILE: usize = 1 << 20;

/// Makes a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Init {
    /// `--recipient`: `age1…`, `ssh-ed25519 …` or `ssh-rsa …`.
    pub recipients: Vec<String>,
    /// `--recipients-file`: a file of such lines, taken over with its comments.
    pub recipients_file: Option<PathBuf>,
    /// `--generate-identity`: a new identity is written there and becomes a recipient.
    pub generate_identity: Option<PathBuf>,
}

pub(super) fn run(root: &Path, request: &Init) -> Outcome {
    let mut text = String::new();
    let mut outcome = Outcome::default();
    outcome.add(take_flags(&request.recipients, &mut text));
    outcome.add(take_file(request.recipients_file.as_deref(), &mut text));
    if outcome.diagnostics.is_empty() {
        create(root, request, text).unwrap_or_else(Into::into)
    } else {
        outcome
    }
}

fn create(root: &Path, request: &Init, mut text: String) -> Result<Outcome, StoreError> {
    // Asked before anything is generated: a new identity for a store that is there would be of no
    // use.
    if Store::is_at(root) {
        return Err(StoreError::store_is_there(root));
    }
    let mut notes = Vec::new();
    if let Some(file) = &request.generate_identity {
        let identity = NewIdentity::generate()?;
        identity.write(file, root)?;
        push_line(&mut text, &identity.recipient().to_string());
        notes.push(format!(
            "{}: a new identity, readable by you alone; keep it out of Git, and keep a copy",
            file.display()
        ));
        notes.push(format!("its recipient is {}", identity.recipient()));
    }
    let store = Store::create(root, &text)?;
    let file = store.root().join(RECIPIENTS_FILE);
    let count = Recipients::parse(&file, &text).map_or(0, |recipients| recipients.all.len());
    notes.push(format!(
        "{}: a store for {}",
        root.display(),
        counted(count, "recipient")
    ));
    Ok(Outcome {
        notes,
        ..Outcome::default()
    })
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn take_flags(recipients: &[String], text: &mut String) -> Vec<Diagnostic> {
    let mut bad = Vec::new();
    for (index, one) in recipients.iter().map(|one| one.trim()).enumerate() {
        match parse_recipient(one) {
            Ok(recipient) => push_line(text, &recipient.to_string()),
            Err((what, help)) => {
                let message = format!("--recipient (number {}): {what}", index + 1);
                bad.push(Diagnostic::new(Code::BadRecipient, message, help));
            }
        }
    }
    bad
}

fn take_file(file: Option<&Path>, text: &mut String) -> Vec<Diagnostic> {
    let Some(file) = file else { return Vec::new() };
    let bytes = match disk::read_named(file, LARGEST_FILE) {
        Ok(bytes) => bytes,
        Err(error) => {
            let help = "correct the path, or give recipients with --recipient";
            return vec![Diagnostic::new(
                Code::UnreadableFile,
                error.to_string(),
                help,
            )];
        }
    };
    let said = String::from_utf8_lossy(&bytes);
    match Recipients::parse(file, &said) {
        Ok(_) => {
            text.push_str(&said);
            if !said.is_empty() && !said.ends_with('\n') {
                text.push('\n');
            }
            Vec::new()
        }
        Err(lines) => StoreError::BadRecipients {
            file: file.to_path_buf(),
            lines,
        }
        .diagnostics(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, codes};
    use super::*;

    fn fixture() -> Fixture {
        Fixture::without_store()
    }

    #[test]
    fn a_store_for_nobody_is_not_made() {
        let here = fixture();
        let outcome = run(&here.store(), &Init::default());

        assert_eq!(codes(&outcome), [Code::NoRecipients]);
        assert!(!here.has("secrets"));
    }

    #[test]
    fn every_bad_recipient_is_reported_and_nothing_is_made() {
        let here = fixture();
        let list = here.file("list", "nonsense\n\nage1yubikey1qqq\n");
        let request = Init {
            recipients: vec!["ssh-dss AAAA".into(), here.recipient()],
            recipients_file: Some(list),
            generate_identity: Some(here.path("new.txt")),
        };
        let outcome = run(&here.store(), &request);

        assert_eq!(codes(&outcome), [Code::BadRecipient; 3]);
        assert!(!here.has("secrets") && !here.has("new.txt"));
    }

    #[test]
    fn a_store_that_is_there_is_left_and_no_identity_is_made_for_it() {
        let here = fixture();
        let request = Init {
            recipients: vec![here.recipient()],
            ..Init::default()
        };
        assert_eq!(codes(&run(&here.store(), &request)), []);

        let again = Init {
            generate_identity: Some(here.path("new.txt")),
            ..request
        };
        assert_eq!(codes(&run(&here.store(), &again)), [Code::SecretExists]);
        assert!(!here.has("new.txt"));
    }

    #[test]
    fn a_new_identity_is_for_its_owner_alone_and_opens_what_is_sealed() {
        let here = fixture();
        let file = here.path("new.txt");
        let request = Init {
            generate_identity: Some(file.clone()),
            ..Init::default()
        };
        let outcome = run(&here.store(), &request);

        assert_eq!((codes(&outcome), here.mode("new.txt")), (vec![], 0o600));
        here.put("a", b"value");
        assert_eq!(
            here.read_with("a", &[file]).expect("opened").expose(),
            b"value"
        );
    }

    #[test]
    fn an_identity_that_is_there_is_never_overwritten() {
        let here = fixture();
        let file = here.file("mine.txt", "precious");
        let outcome = run(
            &here.store(),
            &Init {
                generate_identity: Some(file.clone()),
                ..Init::default()
            },
        );

        assert_eq!(codes(&outcome), [Code::SecretExists]);
        assert_eq!(here.text("mine.txt"), "precious");
        assert!(!here.has("secrets"));
    }

    #[test]
    fn an_identity_inside_the_store_is_refused() {
        let here = fixture();
        let file = here.store().join("key.txt");
        let outcome = run(
            &here.store(),
            &Init {
                generate_identity: Some(file),
                ..Init::default()
            },
        );

        assert_eq!(codes(&outcome), [Code::PlaintextInStore]);
    }

    #[test]
    fn a_recipients_file_keeps_its_comments() {
        let here = fixture();
        let list = here.file("list", &format!("# ops team\n{}", here.recipient()));
        run(
            &here.store(),
            &Init {
                recipients_file: Some(list),
                ..Init::default()
            },
        );

        assert!(
            here.text("secrets/.age-recipients")
                .starts_with("# ops team\n")
        );
    }
}
