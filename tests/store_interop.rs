//! Files of the store against the age command: what one made, the other opens, byte for byte.
//!
//! Needs `age` and `age-keygen` (written against 1.1.1), `ssh-keygen`, and `script` for a terminal
//! on which age asks for a passphrase.
//!
//! Tools: age age-keygen ssh-keygen script
#![expect(
    clippy::disallowed_methods,
    reason = "tests start the real tools and look at files"
)]

use hydrant::edge::disk::Overwrite;
use hydrant::edge::environment::Environment;
use hydrant::edge::terminal::Nobody;
use hydrant::edge::vault::{Form, Identities, NewIdentity, Rekeyed, Seal, Store};
use hydrant::secret::{Secret, SecretName};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

const PASSPHRASE: &str = "correct horse";

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// A store whose recipients file has these lines.
    fn with_recipients(recipients: &[String]) -> Self {
        let bench = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        Store::create(&bench.path("secrets"), &recipients.join("\n")).expect("a store");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> Store {
        Store::open(&self.path("secrets")).expect("a store")
    }

    fn write(&self, value: &[u8], seal: &Seal, form: Form) -> PathBuf {
        let value = Secret::new(value.to_vec());
        self.store()
            .write(&name(), &value, seal, form, Overwrite::Allowed)
            .expect("sealed");
        self.store().file_of(&name())
    }

    fn read(&self, identity: &Path) -> Vec<u8> {
        let environment = Environment {
            passphrase: Some(Secret::new(PASSPHRASE.to_string())),
            ..Environment::default()
        };
        let files = [identity.to_path_buf()];
        let identities = Identities::new(&files, &environment, Arc::new(Nobody));
        self.store()
            .read(&name(), &identities)
            .expect("opened")
            .expose()
            .clone()
    }
}

fn name() -> SecretName {
    "ok-edge/secret".parse().expect("a name")
}

/// Runs a tool to its end and gives its stdout.
fn tool(program: &str, arguments: &[&str], stdin: &[u8]) -> Vec<u8> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("this test needs the `{program}` command (Debian: age, openssh-client, bsdutils): {e}"));
    let mut pipe = child.stdin.take().expect("piped");
    let stdin = stdin.to_vec();
    // On its own thread: a tool may answer before it has read everything.
    let feeding = std::thread::spawn(move || pipe.write_all(&stdin));
    let output = child.wait_with_output().expect("waited for");
    feeding
        .join()
        .expect("no panic")
        .expect("the tool reads its stdin");
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        output.status
    );
    output.stdout
}

/// Runs age on a terminal of its own and types `PASSPHRASE` as often as it asks.
fn age_on_a_terminal(arguments: &str, times: usize) {
    let typed = format!("{PASSPHRASE}\n").repeat(times);
    tool(
        "script",
        &["-qec", &format!("age {arguments}"), "/dev/null"],
        typed.as_bytes(),
    );
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}

/// An identity file made by age-keygen, and its recipient.
fn age_key(folder: &Path, name: &str) -> (PathBuf, String) {
    let file = folder.join(name);
    tool("age-keygen", &["-o", text(&file)], b"");
    let recipient = tool("age-keygen", &["-y", text(&file)], b"");
    (
        file,
        String::from_utf8(recipient)
            .expect("text")
            .trim()
            .to_string(),
    )
}

/// An SSH key made by ssh-keygen, and its public half with the comment that it comes with.
fn ssh_key(folder: &Path, kind: &str, passphrase: &str) -> (PathBuf, String) {
    let file = folder.join(format!("{kind}{}", passphrase.len()));
    let common = [
        "-q",
        "-t",
        kind,
        "-N",
        passphrase,
        "-C",
        "me@host.example",
        "-f",
        text(&file),
    ];
    tool("ssh-keygen", &common, b"");
    let public = std::fs::read_to_string(file.with_extension("pub")).expect("a public key");
    (file, public.trim().to_string())
}

/// Values that end before, at and after age's chunks of 64 KiB.
fn values() -> Vec<Vec<u8>> {
    let bytes = |size: usize| {
        (0..size)
            .map(|i| u8::try_from(i % 251).expect("small"))
            .collect()
    };
    vec![
        b"\xff\x00\r\n".to_vec(),
        bytes(65_536),
        bytes(65_537),
        bytes(200_000),
    ]
}

fn age_decrypt(identity: &Path, file: &Path) -> Vec<u8> {
    tool("age", &["-d", "-i", text(identity), text(file)], b"")
}

#[test]
fn what_age_sealed_for_several_recipients_opens_here_binary_and_armored() {
    let keys = tempfile::tempdir().expect("a temporary folder");
    let (first, one) = age_key(keys.path(), "first");
    let (second, two) = age_key(keys.path(), "second");
    let bench = Bench::with_recipients(&[one.clone(), two.clone()]);
    let file = bench.write(b"placeholder", &Seal::Recipients, Form::Binary);

    for value in values() {
        for form in [&[][..], &["-a"]] {
            let to = ["-r", &one, "-r", &two, "-o", text(&file)];
            tool("age", &[form, &to].concat(), &value);
            assert!(
                bench.read(&first) == value && bench.read(&second) == value,
                "{}",
                value.len()
            );
        }
    }
}

#[test]
fn what_is_sealed_here_for_several_recipients_opens_with_age_binary_and_armored() {
    let keys = tempfile::tempdir().expect("a temporary folder");
    let (first, one) = age_key(keys.path(), "first");
    let (second, two) = age_key(keys.path(), "second");
    let bench = Bench::with_recipients(&["# ops".to_string(), one, two]);

    for value in values() {
        for form in [Form::Binary, Form::Armored] {
            let file = bench.write(&value, &Seal::Recipients, form);
            assert!(
                age_decrypt(&first, &file) == value,
                "{form:?} {}",
                value.len()
            );
            assert!(
                age_decrypt(&second, &file) == value,
                "{form:?} {}",
                value.len()
            );
        }
    }
}

#[test]
fn ssh_keys_open_what_the_other_side_sealed_locked_ones_with_their_passphrase() {
    let keys = tempfile::tempdir().expect("a temporary folder");
    for (kind, passphrase) in [("ed25519", ""), ("rsa", ""), ("ed25519", PASSPHRASE)] {
        let (private, public) = ssh_key(keys.path(), kind, passphrase);
        let bench = Bench::with_recipients(std::slice::from_ref(&public));

        let file = bench.write(b"from here", &Seal::Recipients, Form::Binary);
        if passphrase.is_empty() {
            assert_eq!(age_decrypt(&private, &file), b"from here", "{kind}");
        }
        tool("age", &["-r", &public, "-o", text(&file)], b"from age");
        assert_eq!(bench.read(&private), b"from age", "{kind}");
    }
}

#[test]
fn an_armored_file_for_an_age_key_and_an_ssh_key_opens_with_either_on_both_sides() {
    let keys = tempfile::tempdir().expect("a temporary folder");
    let (age_file, recipient) = age_key(keys.path(), "age");
    let (ssh_file, public) = ssh_key(keys.path(), "ed25519", "");
    let bench = Bench::with_recipients(&[recipient.clone(), public.clone()]);

    let file = bench.write(b"from here", &Seal::Recipients, Form::Armored);
    assert_eq!(age_decrypt(&age_file, &file), b"from here");
    assert_eq!(age_decrypt(&ssh_file, &file), b"from here");
    tool(
        "age",
        &["-a", "-r", &recipient, "-r", &public, "-o", text(&file)],
        b"from age",
    );
    assert_eq!(
        (bench.read(&age_file), bench.read(&ssh_file)),
        (b"from age".to_vec(), b"from age".to_vec())
    );
}

#[test]
fn a_passphrase_opens_what_the_other_side_sealed_with_it() {
    let keys = tempfile::tempdir().expect("a temporary folder");
    let (unused, recipient) = age_key(keys.path(), "unused");
    let bench = Bench::with_recipients(&[recipient]);
    let (plain, out) = (bench.path("plain"), bench.path("out"));
    std::fs::write(&plain, "from age").expect("written");

    let seal = Seal::Passphrase(Secret::new(PASSPHRASE.to_string()));
    let file = bench.write(b"from here", &seal, Form::Armored);
    age_on_a_terminal(&format!("-d -o {} {}", text(&out), text(&file)), 1);
    assert_eq!(std::fs::read(&out).expect("opened"), b"from here");

    age_on_a_terminal(&format!("-p -o {} {}", text(&file), text(&plain)), 2);
    assert_eq!(bench.read(&unused), b"from age");
}

#[test]
fn an_identity_made_here_is_one_that_age_reads() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("identity");
    let identity = NewIdentity::generate().expect("made");
    identity
        .write(&file, &folder.path().join("secrets"))
        .expect("written");

    let public = tool("age-keygen", &["-y", text(&file)], b"");
    assert_eq!(
        String::from_utf8(public).expect("text").trim(),
        identity.recipient().to_string()
    );
}

#[test]
fn a_file_that_age_sealed_and_rekey_sealed_again_opens_with_the_new_recipient_alone() {
    let keys = tempfile::tempdir().expect("a temporary folder");
    let (leaving, old) = age_key(keys.path(), "old");
    let (joining, new) = age_key(keys.path(), "new");
    let bench = Bench::with_recipients(&[new]);
    let file = bench.write(b"placeholder", &Seal::Recipients, Form::Binary);
    tool("age", &["-a", "-r", &old, "-o", text(&file)], b"value");

    let files = [leaving];
    let identities = Identities::new(&files, &Environment::default(), Arc::new(Nobody));
    let rekeyed = bench.store().rekey(&name(), &identities).expect("rekeyed");
    assert_eq!(rekeyed, Rekeyed::For(1));
    assert_eq!(age_decrypt(&joining, &file), b"value");
    assert!(bench.store().read(&name(), &identities).is_err());
    assert!(
        std::fs::read(&file)
            .expect("read")
            .starts_with(b"-----BEGIN AGE")
    );
}
