//! A store in a temporary folder, with an identity beside it, for the tests of the verbs.

#![expect(
    clippy::disallowed_methods,
    reason = "tests look at files behind the back of `edge::disk`"
)]

use super::{Doors, Outcome, SecretRequest, run};
use crate::diagnostic::Code;
use crate::edge::disk::Overwrite;
use crate::edge::environment::Environment;
use crate::edge::terminal::{Ask, NoAnswer};
use crate::edge::vault::{Form, Header, Identities, Seal, Store, StoreError};
use crate::secret::Secret;
use age::secrecy::ExposeSecret as _;
use std::collections::VecDeque;
use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub(super) struct Fixture {
    folder: tempfile::TempDir,
    recipient: String,
    environment: Environment,
    typist: Arc<Typist>,
}

/// Types what it was told to, and then nothing.
#[derive(Default)]
struct Typist(Mutex<VecDeque<String>>);

impl Ask for Typist {
    fn ask(&self, _: &str) -> Result<Secret<String>, NoAnswer> {
        let next = self.0.lock().expect("one thread").pop_front();
        next.map(Secret::new).ok_or(NoAnswer)
    }
}

impl Fixture {
    /// A store for one recipient, whose identity is in the environment.
    pub(super) fn new() -> Self {
        let here = Self::without_store();
        here.file("secrets/.age-recipients", &format!("{}\n", here.recipient));
        here
    }

    pub(super) fn without_store() -> Self {
        let identity = age::x25519::Identity::generate();
        let text = identity.to_string().expose_secret().to_string();
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            recipient: identity.to_public().to_string(),
            environment: Environment {
                identity: Some(Secret::new(text)),
                ..Environment::default()
            },
            typist: Arc::default(),
        }
    }

    pub(super) fn recipient(&self) -> String {
        self.recipient.clone()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn store(&self) -> PathBuf {
        self.path("secrets")
    }

    pub(super) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("made");
        std::fs::write(&path, text).expect("written");
        path
    }

    pub(super) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("read")
    }

    pub(super) fn cut_off(&self, name: &str, size: usize) {
        std::fs::write(self.path(name), &self.bytes(name)[..size]).expect("written");
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    pub(super) fn mode(&self, name: &str) -> u32 {
        let found = std::fs::metadata(self.path(name)).expect("there");
        found.permissions().mode() & 0o777
    }

    pub(super) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).expect("removed");
    }

    /// Moves `name` to `to` and leaves a link in its place.
    pub(super) fn move_behind_link(&self, name: &str, to: &str) {
        std::fs::rename(self.path(name), self.path(to)).expect("moved");
        std::os::unix::fs::symlink(self.path(to), self.path(name)).expect("link");
    }

    pub(super) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("text")
    }

    pub(super) fn answers(&mut self, typed: &[&str]) {
        let typed = typed.iter().map(ToString::to_string).collect();
        self.typist = Arc::new(Typist(Mutex::new(typed)));
    }

    pub(super) fn forget_identity(&mut self) {
        self.environment.identity = None;
    }

    /// Makes `name`, a shell script, the user's editor.
    pub(super) fn editor(&mut self, name: &str, script: &str) {
        let path = self.file(name, &format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("mode");
        self.environment.editor = Some(path.display().to_string());
    }

    pub(super) fn put(&self, name: &str, value: &[u8]) {
        self.put_as(name, value, Form::Binary);
    }

    pub(super) fn put_as(&self, name: &str, value: &[u8], form: Form) {
        let store = Store::open(&self.store()).expect("a store");
        let name = name.parse().expect("a name");
        let value = Secret::new(value.to_vec());
        store
            .write(&name, &value, &Seal::Recipients, form, Overwrite::Never)
            .expect("sealed");
    }

    pub(super) fn read(&self, name: &str) -> Result<Secret<Vec<u8>>, StoreError> {
        self.read_by(name, &self.identities())
    }

    /// Reads with identity files alone.
    pub(super) fn read_with(
        &self,
        name: &str,
        files: &[PathBuf],
    ) -> Result<Secret<Vec<u8>>, StoreError> {
        let typist: Arc<dyn Ask> = Arc::clone(&self.typist) as _;
        self.read_by(
            name,
            &Identities::new(files, &Environment::default(), typist),
        )
    }

    fn read_by(&self, name: &str, identities: &Identities) -> Result<Secret<Vec<u8>>, StoreError> {
        Store::open(&self.store())?.read(&name.parse().expect("a name"), identities)
    }

    pub(super) fn header(&self, name: &str) -> Header {
        let store = Store::open(&self.store()).expect("a store");
        store
            .header(&name.parse().expect("a name"))
            .expect("a header")
    }

    fn identities(&self) -> Identities {
        Identities::new(&[], &self.environment, Arc::clone(&self.typist) as _)
    }

    pub(super) fn run(&self, request: &SecretRequest, mut stdin: &[u8]) -> (Outcome, Vec<u8>) {
        self.run_with(request, &mut stdin, false)
    }

    /// Runs a verb; stdout is a pipe.
    pub(super) fn run_with(
        &self,
        request: &SecretRequest,
        stdin: &mut dyn Read,
        stdin_is_terminal: bool,
    ) -> (Outcome, Vec<u8>) {
        let mut stdout = Vec::new();
        let mut doors = Doors {
            stdin,
            stdin_is_terminal,
            stdout: &mut stdout,
            stdout_is_terminal: false,
            ask: self.typist.as_ref(),
            environment: &self.environment,
        };
        let outcome = run(&self.store(), request, &self.identities(), &mut doors);
        (outcome.expect("a vector takes everything"), stdout)
    }
}

pub(super) fn codes(outcome: &Outcome) -> Vec<Code> {
    outcome.diagnostics.iter().map(|found| found.code).collect()
}
