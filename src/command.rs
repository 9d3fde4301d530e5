//! The verbs, one file each: gather facts with `edge`, call the pure rooms, hand back an outcome.
//!
//! A verb prints nothing and knows no exit code: both follow from the [`Outcome`].

pub mod explain;
pub mod fix;
pub mod render;
pub mod schema;
pub mod secret;

use crate::diagnostic::Diagnostic;
use crate::edge::environment::Environment;
use crate::secret::Secret;
use std::path::PathBuf;

/// What every verb is told.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The environment, as it was when the program started.
    pub environment: Environment,
    /// `--fleet`.
    pub fleet: Option<PathBuf>,
    /// `--identity`, in order.
    pub identities: Vec<PathBuf>,
}

/// One verb and what it was asked.
#[derive(Clone, Debug)]
pub enum Request {
    /// `hydrant render`.
    Render(render::Request),
    /// `hydrant explain`.
    Explain(explain::Request),
    /// `hydrant fix`.
    Fix(fix::Request),
    /// `hydrant secret`.
    Secret(secret::SecretRequest),
    /// `hydrant schema`.
    Schema(schema::Request),
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
    /// A report, without any decrypted value.
    Shown(String),
    /// A difference between committed text and what it becomes.
    Diff(String),
    /// What a verb of the store prints: a decrypted value, where it was asked for.
    Opened(Secret<Vec<u8>>),
}

impl Piece {
    /// The bytes, for stdout and nothing else.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Committed(bytes) => bytes,
            Self::Hydrated(text) => text.expose().as_bytes(),
            Self::Shown(text) | Self::Diff(text) => text.as_bytes(),
            Self::Opened(bytes) => bytes.expose(),
        }
    }
}

/// Does what was asked.
pub fn run(invocation: &Invocation, request: &Request) -> Outcome {
    match request {
        Request::Render(request) => render::run(invocation, request),
        Request::Explain(request) => explain::run(invocation, request),
        Request::Fix(request) => fix::run(invocation, request),
        Request::Secret(request) => secret::answer(invocation, request),
        Request::Schema(request) => schema::run(request),
    }
}
