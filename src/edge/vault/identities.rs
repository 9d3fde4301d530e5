//! Whose keys are tried, in which order, and what was found on the way.
//!
//! Nothing is read before a secret has to be opened, and then only until one key fits; only what
//! was named on the command line or by hydrant's own variable must be there from the start.

use super::cipher;
use super::error::StoreError;
use super::header::{self, Header};
use super::identity_file::{self, Contents, Key};
use super::source::{Source, sources};
use crate::edge::disk::{self, DiskError};
use crate::edge::environment::Environment;
use crate::edge::terminal::Ask;
use crate::secret::Secret;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use zeroize::Zeroizing;

/// The largest identity file that is read, in bytes.
const LARGEST_IDENTITY_FILE: usize = 1 << 20;

/// Something about an identity that the user should know; it never holds key text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file or the variable.
    pub place: String,
    /// 1-based; `None` where the whole is meant.
    pub line: Option<usize>,
    /// What was found there.
    pub what: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {} (line skipped)", self.place, self.what),
            None => write!(f, "{}: {}", self.place, self.what),
        }
    }
}

/// A source, and what was read from it once it was its turn.
struct Lazy {
    source: Source,
    /// A file's bytes; read once, since a pipe gives them once.
    bytes: OnceLock<Result<Zeroizing<Vec<u8>>, DiskError>>,
    loaded: OnceLock<Loaded>,
}

struct Loaded {
    keys: Vec<Key>,
    /// A few words for people, such as `not set` or `2 identities`.
    found: String,
}

/// All identities of this run, in the order in which they are tried.
///
/// `--identity` files, `HYDRANT_IDENTITY`, `HYDRANT_IDENTITY_FILE`, `SOPS_AGE_KEY`,
/// `SOPS_AGE_KEY_FILE`, the key file of sops, and the user's SSH keys.
pub struct Identities {
    sources: Vec<Lazy>,
    passphrase: Option<Secret<String>>,
    ask: Arc<dyn Ask>,
    notes: Mutex<Vec<Note>>,
    /// What opened which file, so that a file that is edited is sealed as it was.
    passphrases: Mutex<HashMap<PathBuf, Secret<String>>>,
}

impl Identities {
    /// Reads nothing yet. `files` are those of `--identity`; `ask` is asked for passphrases that
    /// `HYDRANT_PASSPHRASE` does not give.
    pub fn new(files: &[PathBuf], environment: &Environment, ask: Arc<dyn Ask>) -> Self {
        Self {
            sources: sources(files, environment)
                .into_iter()
                .map(Lazy::new)
                .collect(),
            passphrase: environment.passphrase.clone(),
            ask,
            notes: Mutex::default(),
            passphrases: Mutex::default(),
        }
    }

    /// What should be said about the identities that were read so far.
    pub fn notes(&self) -> Vec<Note> {
        lock(&self.notes).clone()
    }

    fn note(&self, note: Note) {
        lock(&self.notes).push(note);
    }

    /// The passphrase that opened `file` before.
    pub(super) fn passphrase_of(&self, file: &Path) -> Option<Secret<String>> {
        lock(&self.passphrases).get(file).cloned()
    }

    /// The passphrase for `what`: `HYDRANT_PASSPHRASE`, else what the person says. An empty one is
    /// none.
    pub fn passphrase(&self, what: &str) -> Option<Secret<String>> {
        match &self.passphrase {
            Some(given) => Some(given.clone()),
            None => self.ask.ask(&format!("Passphrase for {what}")).ok(),
        }
        .filter(|passphrase| !passphrase.expose().is_empty())
    }

    /// Opens the age file `bytes`, which lies at `file`, with the first identity that fits.
    pub(super) fn open(&self, file: &Path, bytes: &[u8]) -> Result<Secret<Vec<u8>>, StoreError> {
        let broken = |why| StoreError::Broken {
            file: file.to_path_buf(),
            why,
        };
        let header = Header::read(bytes).map_err(broken)?;
        if header.is_passphrase() {
            return self.open_with_passphrase(file, bytes);
        }
        self.require_named_files()?;
        let mut locked = None;
        for lazy in &self.sources {
            let keys = &self.load(lazy).keys;
            let fitting: Vec<&Key> = keys
                .iter()
                .filter(|k| k.may_open(&header.stanzas))
                .collect();
            let usable: Vec<_> = fitting
                .iter()
                .filter_map(|key| self.unlock(key, lazy))
                .collect();
            if usable.len() < fitting.len() {
                locked.get_or_insert_with(|| lazy.source.place());
            }
            if usable.is_empty() {
                continue;
            }
            if let Some(value) = cipher::unseal(bytes, &usable).map_err(broken)? {
                return Ok(value);
            }
        }
        Err(self.nothing_fits(file, &header, locked))
    }

    fn open_with_passphrase(
        &self,
        file: &Path,
        bytes: &[u8],
    ) -> Result<Secret<Vec<u8>>, StoreError> {
        let (shown, file) = (file.display().to_string(), file.to_path_buf());
        let Some(passphrase) = self.passphrase(&shown) else {
            return Err(StoreError::NoPassphrase { file });
        };
        match cipher::unseal_with_passphrase(bytes, &passphrase) {
            Ok(Some(value)) => {
                lock(&self.passphrases).insert(file, passphrase);
                Ok(value)
            }
            Ok(None) => Err(StoreError::WrongPassphrase { file }),
            Err(why) => Err(StoreError::Broken { file, why }),
        }
    }

    /// A file that was asked for and is not there would hide why nothing opens.
    fn require_named_files(&self) -> Result<(), StoreError> {
        for lazy in &self.sources {
            let Source::File {
                path,
                named_by,
                is_required: true,
            } = &lazy.source
            else {
                continue;
            };
            if let Err(error) = lazy.bytes_of(path) {
                return Err(StoreError::MissingIdentity {
                    named_by: named_by.unwrap_or_default().to_string(),
                    path: path.clone(),
                    reason: error.reason(),
                });
            }
        }
        Ok(())
    }

    fn nothing_fits(&self, file: &Path, header: &Header, locked: Option<String>) -> StoreError {
        let file = file.to_path_buf();
        if let Some(identity) = locked {
            return StoreError::Locked { file, identity };
        }
        let all: Vec<(String, &Loaded)> = self
            .sources
            .iter()
            .map(|lazy| (lazy.source.label(), self.load(lazy)))
            .collect();
        let tried: usize = all.iter().map(|(_, loaded)| loaded.keys.len()).sum();
        let describe = |(label, loaded): &(String, &Loaded)| format!("{label}: {}", loaded.found);
        if tried == 0 {
            return StoreError::NoIdentity {
                file,
                looked_at: all.iter().map(describe).collect(),
            };
        }
        let with_keys = all.iter().filter(|(_, loaded)| !loaded.keys.is_empty());
        StoreError::WrongKey {
            file,
            tried,
            tried_from: with_keys.map(describe).collect(),
            foreign: header.foreign_stanzas(),
        }
    }

    /// The key as the library takes it; a locked one is opened first, and `None` where it stays
    /// locked.
    fn unlock<'k>(&self, key: &'k Key, lazy: &Lazy) -> Option<&'k dyn age::Identity> {
        match key {
            Key::Age(key) => Some(key),
            Key::Ssh { key, .. } => Some(key.as_ref()),
            Key::Locked { key, opened, .. } => opened
                .get_or_init(|| {
                    let passphrase = self.passphrase(&lazy.source.place())?;
                    let key = key.decrypt(passphrase.expose().clone().into()).ok();
                    if key.is_none() {
                        self.note(lazy.note("the passphrase does not open this SSH key"));
                    }
                    key.map(age::ssh::Identity::from)
                })
                .as_ref()
                .map(|key| key as &dyn age::Identity),
        }
    }

    fn load<'l>(&self, lazy: &'l Lazy) -> &'l Loaded {
        lazy.loaded.get_or_init(|| match &lazy.source {
            Source::Unused(_) => Loaded::nothing("not given"),
            Source::Text(_, text) => self.take(lazy, text.expose().as_bytes()),
            Source::File { path, named_by, .. } => match lazy.bytes_of(path) {
                Ok(bytes) => self.take(lazy, bytes),
                Err(error) => {
                    if named_by.is_some() || !error.is_missing() {
                        self.note(lazy.note(&error.reason()));
                    }
                    Loaded::nothing(&error.reason().to_lowercase())
                }
            },
        })
    }

    fn take(&self, lazy: &Lazy, bytes: &[u8]) -> Loaded {
        let contents = if header::looks_like_age(bytes) {
            match self.open_identity_file(lazy, bytes) {
                Ok(bytes) => identity_file::parse(&bytes),
                Err(why) => {
                    self.note(lazy.note(why));
                    return Loaded::nothing(why);
                }
            }
        } else {
            identity_file::parse(bytes)
        };
        self.count(lazy, contents)
    }

    fn count(&self, lazy: &Lazy, contents: Contents) -> Loaded {
        for skipped in &contents.skipped {
            self.note(Note {
                line: skipped.line,
                ..lazy.note(skipped.what)
            });
        }
        let found = match contents.keys.len() {
            0 => "no identity in it".to_string(),
            1 => "1 identity".to_string(),
            count => format!("{count} identities"),
        };
        Loaded {
            keys: contents.keys,
            found,
        }
    }

    /// An identity file that is itself an age file, sealed with a passphrase.
    fn open_identity_file(
        &self,
        lazy: &Lazy,
        bytes: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, &'static str> {
        let header = Header::read(bytes).map_err(|_| "this encrypted identity file is damaged")?;
        if !header.is_passphrase() {
            return Err(
                "this is a secret, or an identity file sealed for a key, which is not supported",
            );
        }
        let passphrase = self
            .passphrase(&lazy.source.place())
            .ok_or("encrypted, and there is no terminal to ask for its passphrase")?;
        match cipher::unseal_with_passphrase(bytes, &passphrase) {
            Ok(Some(text)) => Ok(Zeroizing::new(text.expose().clone())),
            Ok(None) => Err("encrypted, and the passphrase does not open it"),
            Err(_) => Err("this encrypted identity file is damaged"),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Loaded {
    fn nothing(found: &str) -> Self {
        Self {
            keys: Vec::new(),
            found: found.to_string(),
        }
    }
}

impl Lazy {
    fn new(source: Source) -> Self {
        Self {
            source,
            bytes: OnceLock::new(),
            loaded: OnceLock::new(),
        }
    }

    fn bytes_of(&self, path: &Path) -> &Result<Zeroizing<Vec<u8>>, DiskError> {
        self.bytes.get_or_init(|| match self.source {
            Source::File {
                named_by: Some(_), ..
            } => disk::read_named(path, LARGEST_IDENTITY_FILE),
            _ => disk::read(path, LARGEST_IDENTITY_FILE),
        })
    }

    fn note(&self, what: &str) -> Note {
        Note {
            place: self.source.place(),
            line: None,
            what: what.to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
