//! `hydrant secret …`: the verbs of the age store.
//!
//! They decide what may be shown, overwritten or left; how a file is sealed is `edge::vault`'s.

mod check;
mod edit;
mod init;
mod rekey;
mod set;
mod show;

pub use check::Check;
pub use edit::Edit;
pub use init::Init;
pub use rekey::Rekey;
pub use set::Set;
pub use show::Show;

use super::Invocation;
use crate::diagnostic::{Code, Diagnostic};
use crate::edge::environment::Environment;
use crate::edge::memory;
use crate::edge::terminal::{Ask, Terminal};
use crate::edge::tree::FleetRoot;
use crate::edge::vault::{Identities, Store, StoreError};
use crate::secret::Secret;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// What the user wants of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretRequest {
    /// Make a store.
    Init(Init),
    /// Name its secrets.
    List,
    /// Put a value in.
    Set(Set),
    /// Give a value out.
    Show(Show),
    /// Change a value in an editor.
    Edit(Edit),
    /// Seal for the recipients of today.
    Rekey(Rekey),
    /// Look for what is wrong.
    Check(Check),
}

/// The ways in and out that a verb may use.
pub struct Doors<'d> {
    /// Where a value comes from.
    pub stdin: &'d mut dyn Read,
    /// Would reading it wait for a person?
    pub stdin_is_terminal: bool,
    /// Where data goes.
    pub stdout: &'d mut dyn Write,
    /// Does it end at a person's eyes?
    pub stdout_is_terminal: bool,
    /// Who is asked for what must not be shown.
    pub ask: &'d dyn Ask,
    /// What the environment says.
    pub environment: &'d Environment,
}

/// What a verb has to say beside its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For people, one line each: what was done, and what was noticed on the way.
    pub notes: Vec<String>,
    /// What the user can mend; the exit code follows from them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Does what was asked, in the fleet's store. What a verb prints is handed back as one piece.
pub fn answer(invocation: &Invocation, request: &SecretRequest) -> super::Outcome {
    let here = &invocation.environment.working_directory;
    // A store may be made before the first cluster.
    let store = FleetRoot::find_or_expect(here, invocation.fleet.as_deref()).store();
    let terminal = Arc::new(Terminal);
    let ask: Arc<dyn Ask> = terminal.clone();
    let identities = Identities::new(&invocation.identities, &invocation.environment, ask);
    let mut printed = Vec::new();
    let mut doors = Doors {
        stdin: &mut io::stdin(),
        stdin_is_terminal: io::stdin().is_terminal(),
        stdout: &mut printed,
        stdout_is_terminal: io::stdout().is_terminal(),
        ask: terminal.as_ref(),
        environment: &invocation.environment,
    };
    let outcome = run(&store, request, &identities, &mut doors).unwrap_or_else(|error| {
        let message = format!("the output could not be kept: {}", error.kind());
        Diagnostic::new(Code::StoreFailed, message, "free some memory").into()
    });
    super::Outcome {
        output: vec![super::Piece::Opened(Secret::new(printed))],
        findings: outcome.diagnostics,
        notes: outcome.notes,
        ..super::Outcome::default()
    }
}

/// Does `request` on the store in the folder `store`. An error is one of writing to stdout.
pub fn run(
    store: &Path,
    request: &SecretRequest,
    identities: &Identities,
    doors: &mut Doors<'_>,
) -> io::Result<Outcome> {
    // Before anything that must not be seen comes in, be it from stdin or the terminal.
    if let Err(error) = memory::close() {
        return Ok(StoreError::from(error).into());
    }
    let mut outcome = match request {
        SecretRequest::Init(request) => init::run(store, request),
        SecretRequest::List => list(store, doors)?,
        SecretRequest::Set(request) => set::run(store, request, identities, doors),
        SecretRequest::Show(request) => show::run(store, request, identities, doors)?,
        SecretRequest::Edit(request) => edit::run(store, request, identities, doors),
        SecretRequest::Rekey(request) => rekey::run(store, request, identities, doors)?,
        SecretRequest::Check(request) => check::run(store, request, identities, doors)?,
    };
    let notes = identities.notes();
    outcome
        .notes
        .splice(0..0, notes.iter().map(ToString::to_string));
    Ok(outcome)
}

/// Names only: no key is needed, and nothing is opened.
fn list(store: &Path, doors: &mut Doors<'_>) -> io::Result<Outcome> {
    let names = match Store::open(store).and_then(|store| store.names()) {
        Ok(names) => names,
        Err(error) => return Ok(error.into()),
    };
    for name in &names {
        writeln!(doors.stdout, "{name}")?;
    }
    doors.stdout.flush()?;
    let empty = names
        .is_empty()
        .then(|| format!("no secrets in {}", store.display()));
    Ok(Outcome {
        notes: empty.into_iter().collect(),
        ..Outcome::default()
    })
}

impl Outcome {
    fn done(note: String) -> Self {
        Self {
            notes: vec![note],
            ..Self::default()
        }
    }

    /// Adds what is not said yet: one broken recipients file is the reason of many failures.
    fn add(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        for one in found {
            if !self.diagnostics.contains(&one) {
                self.diagnostics.push(one);
            }
        }
    }
}

/// Why a verb ended before its work was done.
enum Ended {
    Store(StoreError),
    Found(Diagnostic),
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Ended> for Outcome {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Store(error) => error.into(),
            Ended::Found(found) => found.into(),
        }
    }
}

impl From<Diagnostic> for Outcome {
    fn from(found: Diagnostic) -> Self {
        Self {
            diagnostics: vec![found],
            ..Self::default()
        }
    }
}

impl From<StoreError> for Outcome {
    fn from(error: StoreError) -> Self {
        Self {
            diagnostics: error.diagnostics(),
            ..Self::default()
        }
    }
}

/// `1 recipient`, `2 recipients`.
fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod fixture;
