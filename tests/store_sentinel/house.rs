//! A house to search: a fleet with a store, and the folders where a careless program leaves things.

use super::strace::hydrant_under_strace;
use hydrant::edge::disk::Overwrite;
use hydrant::edge::environment::Environment;
use hydrant::edge::terminal::Nobody;
use hydrant::edge::vault::{Form, Identities, Seal, Store};
use hydrant::secret::Secret;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

pub(crate) const SENTINEL: &str = "S3NTINEL";

/// A fleet with a store, a home, a temporary folder, and an identity outside all of them.
pub(crate) struct House {
    folder: tempfile::TempDir,
    pub(crate) key: String,
}

impl House {
    pub(crate) fn new() -> Self {
        use age::secrecy::ExposeSecret as _;
        let key = age::x25519::Identity::generate();
        let house = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            key: key.to_string().expose_secret().to_string(),
        };
        for folder in ["fleet", "home", "tmp", "keys", "traces"] {
            std::fs::create_dir(house.path(folder)).expect("made");
        }
        house.file(
            "fleet/platform.yaml",
            "apiVersion: hydrant.dev/v1alpha1\nkind: Platform\n",
        );
        house.file(
            "keys/mine",
            &format!("# {SENTINEL} of mine\n{}\n", house.key),
        );
        Store::create(
            &house.path("fleet/secrets"),
            &format!("{}\n", key.to_public()),
        )
        .expect("a store");
        for name in ["a", "b"] {
            house.put(name, &format!("{SENTINEL} value of {name}\n"));
        }
        house
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).expect("written");
        self.path(name)
    }

    pub(crate) fn put(&self, name: &str, value: &str) {
        let store = Store::open(&self.path("fleet/secrets")).expect("a store");
        let value = Secret::new(value.as_bytes().to_vec());
        let name = name.parse().expect("a name");
        store
            .write(
                &name,
                &value,
                &Seal::Recipients,
                Form::Binary,
                Overwrite::Allowed,
            )
            .expect("sealed");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let files = [self.path("keys/mine")];
        let identities = Identities::new(&files, &Environment::default(), Arc::new(Nobody));
        let store = Store::open(&self.path("fleet/secrets")).expect("a store");
        let value = store
            .read(&name.parse().expect("a name"), &identities)
            .expect("opened");
        String::from_utf8(value.expose().clone()).expect("text")
    }

    /// What is in the fleet, the home and the temporary folder.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let folders = ["fleet", "home", "tmp"].map(|folder| self.path(folder));
        let walked = folders.iter().flat_map(walkdir::WalkDir::new);
        let entries = walked.map(|entry| entry.expect("walked"));
        let files = entries.filter(|entry| entry.file_type().is_file());
        files
            .map(|f| {
                (
                    f.path().to_path_buf(),
                    std::fs::read(f.path()).expect("read"),
                )
            })
            .collect()
    }

    pub(crate) fn assert_no_file_shows(&self, when: &str) {
        for (path, bytes) in self.files() {
            assert!(!shows(&bytes, &self.key), "{when}: {}", path.display());
        }
    }

    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .current_dir(self.path("fleet"));
        command
    }

    pub(crate) fn hydrant(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_hydrant"));
        command
            .arg("--fleet")
            .arg(self.path("fleet"))
            .arg("secret")
            .args(arguments);
        feed(&mut command, stdin)
    }

    /// Runs the program under strace, with what it should watch for and do, and gives the trace
    /// too.
    pub(crate) fn traced(
        &self,
        options: &[&str],
        arguments: &[&str],
        stdin: &str,
        variables: &[(&str, &str)],
    ) -> (Output, String) {
        let trace = self.path("traces/trace");
        let start = |program: &str| self.command(program);
        let mut command = hydrant_under_strace(start, &trace, options);
        command
            .arg("--fleet")
            .arg(self.path("fleet"))
            .arg("secret")
            .args(arguments);
        command.envs(variables.iter().copied());
        let output = feed(&mut command, stdin);
        let trace = std::fs::read(&trace).expect("strace wrote its trace");
        (output, String::from_utf8_lossy(&trace).into_owned())
    }
}

pub(crate) fn feed(command: &mut Command, stdin: &str) -> Output {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|e| {
        panic!("this test needs `strace` and `unshare` (Debian: strace, util-linux): {e}")
    });
    let mut pipe = child.stdin.take().expect("piped");
    // A program that refuses before it reads closes the pipe, and that is right.
    pipe.write_all(stdin.as_bytes()).unwrap_or_default();
    drop(pipe);
    child.wait_with_output().expect("waited for")
}

/// Does it hold the sentinel, or the key itself?
pub(crate) fn shows(bytes: &[u8], key: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.contains(SENTINEL) || text.contains(&key["AGE-SECRET-KEY-".len()..])
}
