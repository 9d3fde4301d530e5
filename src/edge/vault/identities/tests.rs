use super::*;
use crate::diagnostic::Code;
use crate::edge::disk::Overwrite;
use crate::edge::terminal::{NoAnswer, Nobody};
use crate::edge::vault::{Form, NewIdentity, Seal, Store};
use age::secrecy::ExposeSecret as _;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A store with one secret for a fresh identity, and a folder for identity files.
struct Fixture {
    folder: tempfile::TempDir,
    key: String,
    recipient: String,
}

impl Fixture {
    fn new() -> Self {
        let key = age::x25519::Identity::generate();
        let here = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            key: key.to_string().expose_secret().to_string(),
            recipient: key.to_public().to_string(),
        };
        let store = Store::create(&here.path("secrets"), &here.recipient).expect("a store");
        let value = Secret::new(b"value".to_vec());
        let name = "a".parse().expect("a name");
        store
            .write(
                &name,
                &value,
                &Seal::Recipients,
                Form::Binary,
                Overwrite::Never,
            )
            .expect("sealed");
        here
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        disk::make_folder(path.parent().expect("in the folder")).expect("made");
        disk::write(&path, text.as_bytes(), Overwrite::Never).expect("written");
        path
    }

    fn read(&self, identities: &Identities) -> Result<Secret<Vec<u8>>, StoreError> {
        let store = Store::open(&self.path("secrets")).expect("a store");
        store.read(&"a".parse().expect("a name"), identities)
    }
}

fn with_files(files: &[PathBuf]) -> Identities {
    Identities::new(files, &Environment::default(), Arc::new(Nobody))
}

fn code(error: &StoreError) -> Code {
    error.diagnostics()[0].code
}

/// A key that fits nothing.
fn stranger() -> String {
    age::x25519::Identity::generate()
        .to_string()
        .expose_secret()
        .to_string()
}

/// Gives one answer to everything and counts the questions.
struct Parrot(&'static str, AtomicUsize);

impl Ask for Parrot {
    fn ask(&self, _: &str) -> Result<Secret<String>, NoAnswer> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Ok(Secret::new(self.0.to_string()))
    }
}

#[test]
fn a_named_identity_file_that_is_missing_is_an_error_even_where_another_would_fit() {
    let here = Fixture::new();
    let files = [here.file("mine", &here.key), here.path("gone")];

    let error = here.read(&with_files(&files)).expect_err("refused");
    assert_eq!(code(&error), Code::BadIdentity);
    assert!(error.to_string().contains("gone (--identity)"), "{error}");
}

#[test]
fn a_default_file_that_is_missing_is_silently_absent() {
    let here = Fixture::new();
    let environment = Environment {
        home: Some(here.path("nobody")),
        ..Environment::default()
    };
    let identities = Identities::new(&[], &environment, Arc::new(Nobody));

    let error = here.read(&identities).expect_err("no identity");
    assert_eq!(code(&error), Code::NoIdentity);
    assert_eq!(identities.notes(), []);
    assert!(
        error.to_string().contains(".ssh/id_rsa: no such file"),
        "{error}"
    );
}

#[test]
fn a_stale_variable_of_sops_is_noted_and_the_next_source_still_counts() {
    let here = Fixture::new();
    here.file("home/.config/sops/age/keys.txt", &here.key);
    let environment = Environment {
        sops_key_file: Some(here.path("gone")),
        home: Some(here.path("home")),
        ..Environment::default()
    };
    let identities = Identities::new(&[], &environment, Arc::new(Nobody));

    assert!(here.read(&identities).is_ok());
    assert!(identities.notes()[0].place.ends_with("gone"));
}

#[test]
fn once_a_key_fits_later_sources_are_not_even_read() {
    let here = Fixture::new();
    here.file("home/.ssh/id_ed25519", "not a key");
    let environment = Environment {
        identity: Some(Secret::new(here.key.clone())),
        home: Some(here.path("home")),
        ..Environment::default()
    };
    let identities = Identities::new(&[], &environment, Arc::new(Nobody));

    assert!(here.read(&identities).is_ok());
    assert_eq!(identities.notes(), []);
}

#[test]
fn a_wrong_key_says_how_many_were_tried_and_from_where() {
    let here = Fixture::new();
    let two = here.file("two", &format!("{}\n{}\n", stranger(), stranger()));
    let environment = Environment {
        sops_key: Some(Secret::new(stranger())),
        ..Environment::default()
    };
    let identities = Identities::new(&[two], &environment, Arc::new(Nobody));

    let error = here.read(&identities).expect_err("not ours");
    assert_eq!(code(&error), Code::WrongKey);
    let text = error.to_string();
    assert!(
        text.contains("3 in all") && text.contains("SOPS_AGE_KEY: 1 identity"),
        "{text}"
    );
}

#[test]
fn a_line_of_an_unknown_kind_is_noted_with_its_line_and_the_key_beside_it_is_used() {
    let here = Fixture::new();
    let file = here.file(
        "mine",
        &format!("{}\r\n# me\r\n{}\r\n", here.recipient, here.key),
    );
    let identities = with_files(std::slice::from_ref(&file));

    assert!(here.read(&identities).is_ok());
    let note = identities.notes()[0].to_string();
    assert!(
        note.starts_with(&format!("{}:1: this is a recipient", file.display())),
        "{note}"
    );
    assert!(!note.contains(&here.recipient));
}

#[test]
fn an_identity_on_a_pipe_is_read_once_and_opens_every_secret() {
    let here = Fixture::new();
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    std::io::Write::write_all(&mut writer, here.key.as_bytes()).expect("fits a pipe");
    drop(writer);
    let fd = std::os::fd::AsRawFd::as_raw_fd(&reader);
    let identities = with_files(&[PathBuf::from(format!("/dev/fd/{fd}"))]);

    assert!(here.read(&identities).is_ok());
    assert!(here.read(&identities).is_ok());
}

/// An identity file that is itself sealed with the passphrase `open`, at the least work there is.
fn locked_file(here: &Fixture) -> PathBuf {
    let mut recipient = age::scrypt::Recipient::new("open".to_string().into());
    recipient.set_work_factor(1);
    let text = Secret::new(here.key.clone().into_bytes());
    let sealed = cipher::seal(&text, &[&recipient], Form::Armored).expect("sealed");
    let path = here.path("locked");
    disk::write(&path, sealed.bytes(), Overwrite::Never).expect("written");
    path
}

#[test]
fn a_locked_identity_file_is_asked_for_once() {
    let here = Fixture::new();
    let parrot = Arc::new(Parrot("open", AtomicUsize::new(0)));
    let ask: Arc<dyn Ask> = Arc::clone(&parrot) as _;
    let identities = Identities::new(&[locked_file(&here)], &Environment::default(), ask);

    assert!(here.read(&identities).is_ok());
    assert!(here.read(&identities).is_ok());
    assert_eq!(parrot.1.load(Ordering::Relaxed), 1);
}

#[test]
fn a_locked_identity_file_without_anybody_to_ask_says_so() {
    let here = Fixture::new();
    let error = here
        .read(&with_files(&[locked_file(&here)]))
        .expect_err("stays locked");

    assert_eq!(code(&error), Code::NoIdentity);
    assert!(
        error
            .to_string()
            .contains("no terminal to ask for its passphrase"),
        "{error}"
    );
}

#[test]
fn a_wrong_passphrase_is_not_taken_for_a_damaged_file() {
    let here = Fixture::new();
    let ask = Arc::new(Parrot("wrong", AtomicUsize::new(0)));
    let identities = Identities::new(&[locked_file(&here)], &Environment::default(), ask);
    let error = here.read(&identities).expect_err("stays locked");

    assert!(
        error
            .to_string()
            .contains("the passphrase does not open it"),
        "{error}"
    );
}

#[test]
fn a_secret_given_as_identity_file_is_named_and_nobody_is_asked() {
    let here = Fixture::new();
    let ask = Arc::new(Parrot("x", AtomicUsize::new(0)));
    let files = [here.path("secrets/a.age")];
    let identities = Identities::new(
        &files,
        &Environment::default(),
        Arc::clone(&ask) as Arc<dyn Ask>,
    );
    let error = here.read(&identities).expect_err("no identity");

    assert!(error.to_string().contains("this is a secret"), "{error}");
    assert_eq!(ask.1.load(Ordering::Relaxed), 0);
}

#[test]
fn a_generated_identity_file_opens_what_is_sealed_for_it() {
    let here = Fixture::new();
    let identity = NewIdentity::generate().expect("made");
    let file = here.path("new");
    identity
        .write(&file, &here.path("secrets"))
        .expect("written");
    let lists = format!("{}\n", identity.recipient());
    disk::write(
        &here.path("secrets/.age-recipients"),
        lists.as_bytes(),
        Overwrite::Allowed,
    )
    .expect("written");
    let name = "a".parse().expect("a name");
    let store = Store::open(&here.path("secrets")).expect("a store");
    let owner = with_files(&[here.file("mine", &here.key)]);
    store.rekey(&name, &owner).expect("rekeyed");

    assert!(here.read(&with_files(&[file])).is_ok());
}

#[test]
fn no_error_and_no_note_shows_key_text() {
    let here = Fixture::new();
    let damaged = here.key.replace("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1X");
    let files = [
        here.file("damaged", &damaged),
        here.file("stranger", &stranger()),
    ];
    let identities = with_files(&files);
    let error = here.read(&identities).expect_err("not ours");

    let shown = format!(
        "{error} {error:?} {:?} {:?}",
        error.diagnostics(),
        identities.notes()
    );
    assert!(
        !shown.contains(&damaged[20..]) && !shown.contains(&here.key[18..]),
        "{shown}"
    );
}
