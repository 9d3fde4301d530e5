//! The verbs, one file each: gather facts with `edge`, call the pure rooms, hand back an outcome.
//!
//! A verb prints nothing and knows no exit code: both follow from the [`Outcome`].

pub mod render;
pub mod secret;

use crate::diagnostic::Diagnostic;
use crate::edge::environment::Environment;
use crate::edge::terminal::Terminal;
use crate::edge::tree::FleetRoot;
use crate::edge::vault::Identities;
use crate::secret::Secret;
use secret::Doors;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// What every verb is told.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The environment, as it was when the program started.
    pub environment: Environment,
    /// `--fleet`.
    pub fleet: Option<PathBuf>,
    /// `--identity`, in order.
    pub identity_files: Vec<PathBuf>,
}

impl Invocation {
    /// The keys that may open the store. None is read before a secret has to be opened.
    pub fn identities(&self) -> Identities {
        Identities::new(&self.identity_files, &self.environment, Arc::new(Terminal))
    }

    /// The folder of the age store, as a user would type it: in the fleet root, or where the root would
    /// be in a repository that has no cluster yet.
    pub fn store(&self) -> PathBuf {
        let here = &self.environment.working_directory;
        FleetRoot::find_or_expect(here, self.fleet.as_deref()).shown(SECRETS)
    }
}

/// The folder of the age store in the fleet root.
const SECRETS: &str = "secrets";

/// One verb and what it was asked.
#[derive(Clone, Debug)]
pub enum Request {
    /// `hydrant render`.
    Render(render::Request),
    /// `hydrant secret`.
    Secret(secret::SecretRequest),
}

/// What a run leaves.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What goes to stdout, one piece after the other.
    pub output: Vec<Piece>,
    /// What was found.
    pub findings: Vec<Diagnostic>,
    /// What the user should hear beside it, a line each.
    pub notes: Vec<String>,
    /// What only an attentive user wants to hear (`-v`), a line each.
    pub details: Vec<String>,
}

/// A piece of output.
#[derive(Debug)]
pub enum Piece {
    /// Bytes as they are committed.
    Committed(Vec<u8>),
    /// Text that may hold decrypted values.
    Hydrated(Secret<String>),
}

impl Piece {
    /// The bytes, for stdout and nothing else.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Committed(bytes) => bytes,
            Self::Hydrated(text) => text.expose().as_bytes(),
        }
    }
}

/// Does what was asked. An error is one of writing to stdout.
pub fn run(
    invocation: &Invocation,
    request: &Request,
    doors: &mut Doors<'_>,
) -> io::Result<Outcome> {
    match request {
        Request::Render(request) => Ok(render::run(invocation, request)),
        Request::Secret(request) => {
            let (store, identities) = (invocation.store(), invocation.identities());
            secret::run(&store, request, &identities, doors).map(Outcome::from)
        }
    }
}

impl From<secret::Outcome> for Outcome {
    fn from(outcome: secret::Outcome) -> Self {
        Self {
            findings: outcome.diagnostics,
            notes: outcome.notes,
            ..Self::default()
        }
    }
}
