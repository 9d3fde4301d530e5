//! A sentinel in a secret and in an identity, and where it turns up: nowhere but on stdout when
//! asked for.
//!
//! Needs `strace`, which looks into a process that is closed to everyone else: as root, or in a
//! user namespace of its own (`unshare`).
//!
//! Tools: strace unshare
#![expect(
    clippy::disallowed_methods,
    reason = "tests start the program and look at files"
)]

mod house;
mod strace;

use house::{House, SENTINEL, feed, shows};
use std::os::unix::fs::PermissionsExt as _;

const EVERYTHING_WRITTEN: &[&str] = &[
    "-e",
    "trace=open,openat,openat2,creat,write,writev,pwrite64,sendto,sendmsg,execve",
];

/// The lines of a trace that show the sentinel or the key, without the start of the program itself.
fn telling<'t>(trace: &'t str, key: &str) -> Vec<&'t str> {
    trace
        .lines()
        .skip(1)
        .filter(|line| shows(line.as_bytes(), key))
        .collect()
}

#[test]
fn show_writes_the_value_to_stdout_and_opens_no_file_for_writing() {
    let house = House::new();
    let key = house.key.clone();
    let variables = [
        ("HYDRANT_IDENTITY", key.as_str()),
        ("HOME", "/nowhere"),
        ("TMPDIR", "/nowhere"),
    ];
    let arguments = ["show", "a", "--yes-print"];
    let (output, trace) = house.traced(EVERYTHING_WRITTEN, &arguments, "", &variables);

    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "S3NTINEL value of a\n"
    );
    let telling = telling(&trace, &key);
    assert_eq!(
        telling.len(),
        1,
        "the control: strace sees what is written: {trace}"
    );
    assert!(telling[0].contains("write(1<"), "{}", telling[0]);
    let writing = |line: &&str| {
        ["O_WRONLY", "O_RDWR", "O_CREAT"]
            .iter()
            .any(|f| line.contains(f))
    };
    let opened: Vec<&str> = trace
        .lines()
        .filter(|l| l.contains("open"))
        .filter(writing)
        .collect();
    assert_eq!(opened, [""; 0]);
}

#[test]
fn set_and_rekey_write_ciphertext_only() {
    let house = House::new();
    let value = format!("{SENTINEL} new");
    let identity = house.path("keys/mine");
    let identity = identity.to_str().expect("text");
    for arguments in [&["set", "a", "--overwrite"][..], &["rekey", "-i", identity]] {
        let (output, trace) = house.traced(EVERYTHING_WRITTEN, arguments, &value, &[]);

        assert!(output.status.success(), "{arguments:?}");
        assert!(
            trace.contains("age-encryption.org/v1"),
            "the control: ciphertext is seen"
        );
        assert_eq!(telling(&trace, &house.key), [""; 0], "{arguments:?}");
        house.assert_no_file_shows(arguments[0]);
    }
    assert_eq!(house.read("a"), value);
}

/// Kills the program when it makes the `n`th of one of these calls; was it killed?
fn killed_at(house: &House, call: &str, n: usize, arguments: &[&str], stdin: &str) -> bool {
    let inject = format!("inject={call}:signal=KILL:when={n}");
    let options = ["-e", &format!("trace={call}"), "-e", &inject];
    house
        .traced(&options, arguments, stdin, &[])
        .1
        .contains("killed by SIGKILL")
}

#[test]
fn killed_at_any_step_of_writing_there_is_the_old_secret_or_the_new_one_and_no_plaintext() {
    let house = House::new();
    let (old, new) = (house.read("a"), format!("{SENTINEL} new"));
    let identity = house.path("keys/mine");
    let identity = identity.to_str().expect("text");
    for arguments in [&["set", "a", "--overwrite"][..], &["rekey", "-i", identity]] {
        for call in [
            "openat",
            "fchmod",
            "write",
            "fsync",
            "rename,renameat,renameat2",
        ] {
            // The last round is the one that was not killed any more.
            let rounds = (1..100).take_while(|n| killed_at(&house, call, *n, arguments, &new));
            let kills = rounds.inspect(|n| {
                let when = format!("{arguments:?} killed at {call} {n}");
                house.assert_no_file_shows(&when);
                let found = house.read("a");
                assert!(found == old || found == new, "{when}");
            });
            assert!(
                kills.count() > 0,
                "the control: {arguments:?} was never killed at {call}"
            );
            house.put("a", &old);
        }
    }
}

#[test]
fn an_editor_gets_the_value_through_a_descriptor_and_neither_key_nor_value_in_any_other_way() {
    let house = House::new();
    let script = "#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/environ > \"$HOME/environ\"\n\
                  tr '\\0' '\\n' < /proc/$$/cmdline > \"$HOME/cmdline\"\n\
                  wc -c < \"$1\" > \"$HOME/size\"\nprintf 'S3NTINEL edited' > \"$1\"\n";
    let editor = house.file("keys/editor", script);
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).expect("mode");
    let key = house.key.clone();
    let variables = [
        ("HYDRANT_IDENTITY", key.as_str()),
        ("SOPS_AGE_KEY", key.as_str()),
        ("HYDRANT_PASSPHRASE", SENTINEL),
        ("VISUAL", editor.to_str().expect("text")),
    ];
    let arguments = ["edit", "a", "--trust-editor"];
    let (output, trace) = house.traced(EVERYTHING_WRITTEN, &arguments, "", &variables);

    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let size = std::fs::read_to_string(house.path("home/size")).expect("the editor ran");
    assert_eq!(size.trim(), "20", "the control: the editor saw the value");
    house.assert_no_file_shows("edit");
    let telling = telling(&trace, &key);
    assert!(
        !telling.is_empty(),
        "the control: strace sees the anonymous file"
    );
    for line in telling {
        assert!(line.contains("</memfd:hydrant"), "{line}");
    }
    assert_eq!(house.read("a"), "S3NTINEL edited");
}

/// Ways to fail: a name, what is done to the house first, and what is then called.
type Failure = (&'static str, fn(&House), &'static [&'static str]);

const SHOW: &[&str] = &["show", "a", "--yes-print", "-i", "../keys/mine"];

const FAILURES: &[Failure] = &[
    ("no key", |_| {}, &["show", "a", "--yes-print"]),
    (
        "not a terminal",
        |_| {},
        &["show", "a", "-i", "../keys/mine"],
    ),
    ("wrong key", give_a_wrong_key, SHOW),
    ("malformed key", give_a_malformed_key, SHOW),
    (
        "cut off",
        |house| damage(house, |bytes| bytes.truncate(bytes.len() - 3)),
        SHOW,
    ),
    (
        "tampered",
        |house| damage(house, |bytes| *bytes.last_mut().expect("some") ^= 1),
        SHOW,
    ),
    (
        "plaintext",
        |house| damage(house, |bytes| *bytes = format!("{SENTINEL}: x").into()),
        SHOW,
    ),
    (
        "plaintext on check",
        |house| {
            let text = format!("-----BEGIN X-----\n{SENTINEL}");
            damage(house, |bytes| *bytes = text.clone().into());
        },
        &["check"],
    ),
    (
        "key among recipients",
        key_among_recipients,
        &["set", "new"],
    ),
    (
        "key among recipients on check",
        key_among_recipients,
        &["check"],
    ),
    (
        "key among recipients on rekey",
        key_among_recipients,
        &["rekey", "-i", "../keys/mine"],
    ),
    (
        "key as recipient",
        |_| {},
        &["init", "--recipients-file", "../keys/mine"],
    ),
    ("overwriting", |_| {}, &["set", "a"]),
    (
        "store gone",
        |house| std::fs::remove_dir_all(house.path("fleet/secrets")).expect("gone"),
        &["set", "a"],
    ),
];

fn give_a_wrong_key(house: &House) {
    use age::secrecy::ExposeSecret as _;
    let other = age::x25519::Identity::generate().to_string();
    house.file(
        "keys/mine",
        &format!("# {SENTINEL}\n{}\n", other.expose_secret()),
    );
}

fn give_a_malformed_key(house: &House) {
    let cut = &house.key[..house.key.len() - 1];
    house.file(
        "keys/mine",
        &format!("{SENTINEL}\n{cut}\nAGE-PLUGIN-{SENTINEL}-1\nage1{SENTINEL}\n"),
    );
}

fn damage(house: &House, how: impl Fn(&mut Vec<u8>)) {
    let path = house.path("fleet/secrets/a.age");
    let mut bytes = std::fs::read(&path).expect("read");
    how(&mut bytes);
    std::fs::write(&path, bytes).expect("written");
}

fn key_among_recipients(house: &House) {
    let list = format!("{}\n# {SENTINEL}\n{SENTINEL}\n", house.key);
    house.file("fleet/secrets/.age-recipients", &list);
}

#[test]
fn no_failure_shows_a_value_or_a_key_or_changes_a_file() {
    for (failure, arrange, arguments) in FAILURES {
        let house = House::new();
        arrange(&house);
        let before = house.files();
        let output = house.hydrant(arguments, &format!("{SENTINEL} from stdin"));

        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && !stderr.is_empty(),
            "{failure} must fail aloud"
        );
        assert!(!shows(&output.stderr, &house.key), "{failure}: {stderr}");
        assert!(!shows(&output.stdout, &house.key), "{failure}: stdout");
        assert!(house.files() == before, "{failure}: a file changed");
    }
}

#[test]
fn a_new_identity_is_in_its_file_and_nowhere_else() {
    let house = House::new();
    let file = house.path("keys/new");
    let fleet = house.path("tmp/other");
    std::fs::create_dir(&fleet).expect("made");
    let mut command = house.command(env!("CARGO_BIN_EXE_hydrant"));
    command
        .arg("--fleet")
        .arg(&fleet)
        .args(["secret", "init", "--generate-identity"])
        .arg(&file);
    let output = feed(&mut command, "");

    let text = std::fs::read_to_string(&file).expect("written");
    let key = text
        .lines()
        .find(|line| line.starts_with("AGE-SECRET-KEY-1"))
        .expect("a key");
    assert!(!shows(&output.stdout, key) && !shows(&output.stderr, key));
    assert!(house.files().values().all(|bytes| !shows(bytes, key)));
}

#[test]
fn the_process_is_closed_before_the_first_byte_of_a_value_comes_in() {
    let house = House::new();
    let options = ["-e", "trace=prctl,prlimit64,setrlimit,read"];
    let value = format!("{SENTINEL} new");
    let (_, trace) = house.traced(&options, &["set", "a", "--overwrite"], &value, &[]);

    let at = |what: &str| {
        trace
            .find(what)
            .unwrap_or_else(|| panic!("no {what}: {trace}"))
    };
    let first_byte = at("read(0<");
    assert!(
        at("PR_SET_DUMPABLE") < first_byte && at("RLIMIT_CORE") < first_byte,
        "{trace}"
    );
}

#[test]
fn errors_name_the_file_the_user_knows() {
    let house = House::new();
    damage(&house, |bytes| bytes.truncate(10));
    let output = house.hydrant(SHOW, "");

    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("secrets/a.age"), "{stderr}");
    assert_eq!(output.status.code(), Some(3));
}
