//! Other programs: how they are started, and what they must not see.
//!
//! No program gets a key in its environment or a value in its arguments, and what a program writes
//! to stderr is never repeated: it may hold what it was given.

mod anonymous;
mod editor;

pub use anonymous::AnonymousFile;
pub use editor::{Editor, Trust};

use crate::edge::environment::SECRET_VARIABLES;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Why another program did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// It is nowhere on `PATH`.
    #[error("the program `{0}` was not found")]
    NotFound(String),
    /// It could not be started.
    #[error("the program `{program}` could not be started: {kind}")]
    NotStarted {
        /// As it was asked for.
        program: String,
        /// What the system said.
        kind: std::io::ErrorKind,
    },
    /// It says that it failed.
    #[error("the program `{program}` failed: {status}")]
    Failed {
        /// As it was asked for.
        program: String,
        /// Its exit status.
        status: ExitStatus,
    },
    /// No memory for an anonymous file, or it could not be read back.
    #[error("the anonymous file for the value could not be {deed}: {kind}")]
    Anonymous {
        /// `made`, `filled`, `read back`.
        deed: &'static str,
        /// What the system said.
        kind: std::io::ErrorKind,
    },
    /// An editor that may write copies.
    #[error("hydrant does not know how to keep `{0}` from writing copies of the value to disk")]
    UnknownEditor(String),
}

/// A command that gets the environment without the variables that hold keys.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for name in SECRET_VARIABLES {
        command.env_remove(name);
    }
    command
}

/// Where `program` is: as it stands where it has a slash, else in the first folder of `path` that
/// has it.
fn locate(program: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let there = |candidate: &PathBuf| crate::edge::disk::is_program(candidate);
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(there);
    }
    let folders = path.map(std::env::split_paths);
    folders
        .into_iter()
        .flatten()
        .map(|folder| folder.join(Path::new(program)))
        .find(there)
}
