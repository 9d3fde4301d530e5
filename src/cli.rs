//! What was typed: command-line types become requests, outcomes become exit codes.
//!
//! It decides nothing about clusters or secrets; it is the only room, with `main`, that prints.

pub mod secret;

use crate::command;
use crate::command::secret::{Doors, Outcome};
use crate::diagnostic::{Class, Severity};
use crate::edge::environment::Environment;
use crate::edge::terminal::{Ask, Terminal};
use crate::edge::vault::Identities;
use clap::{Parser, Subcommand};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Hydrates Talos cluster manifests in Git.
#[derive(Debug, Parser)]
#[command(name = "hydrant", version)]
pub struct Cli {
    /// The folder with the cluster definitions
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    fleet: PathBuf,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// The age store
    Secret(secret::SecretArgs),
}

/// Does what was typed.
pub fn run(cli: Cli) -> ExitCode {
    let environment = Environment::read();
    let Verb::Secret(args) = cli.verb;
    let (files, request) = args.into_request();
    let ask: Arc<dyn Ask> = Arc::new(Terminal);
    let identities = Identities::new(&files, &environment, Arc::clone(&ask));
    let mut doors = Doors {
        stdin: &mut io::stdin(),
        stdin_is_terminal: io::stdin().is_terminal(),
        stdout: &mut io::stdout(),
        stdout_is_terminal: io::stdout().is_terminal(),
        ask: ask.as_ref(),
        environment: &environment,
    };
    let store = cli.fleet.join("secrets");
    match command::secret::run(&store, &request, &identities, &mut doors) {
        Ok(outcome) => finish(&outcome),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: stdout: {}", error.kind()));
            ExitCode::from(3)
        }
    }
}

fn finish(outcome: &Outcome) -> ExitCode {
    for note in &outcome.notes {
        say(note);
    }
    for found in &outcome.diagnostics {
        let severity = match found.code.severity() {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        say(&format!(
            "{severity}[{}]: {}",
            found.code.name(),
            found.message
        ));
        say(&format!(
            "   = why: {}\n  help: {}",
            found.code.why(),
            found.help
        ));
    }
    let errors = outcome.diagnostics.iter().filter(|found| found.is_error());
    match errors.map(|found| found.code.class()).max() {
        None => ExitCode::SUCCESS,
        Some(Class::Finding) => ExitCode::from(1),
        Some(Class::Input) => ExitCode::from(2),
        Some(Class::World) => ExitCode::from(3),
        Some(Class::Safety) => ExitCode::from(4),
    }
}

/// A stderr that is closed is no reason to fail.
fn say(line: &str) {
    writeln!(io::stderr(), "{line}").unwrap_or_default();
}
