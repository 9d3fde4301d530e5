//! The program: arguments in, stdout and stderr out, and the exit code.

use hydrant::cli::{self, ColorWish, Command, Format, Verbosity};
use hydrant::command::{self, Outcome};
use hydrant::diagnostic::Diagnostic;
use hydrant::edge::environment::Environment;
use hydrant::report::{self, Color, ExitCode};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process;

/// Wipes memory when it is freed, also what libraries leave behind of decrypted values.
#[global_allocator]
static ALLOCATOR: zeroizing_alloc::ZeroAlloc<std::alloc::System> =
    zeroizing_alloc::ZeroAlloc(std::alloc::System);

fn main() -> process::ExitCode {
    let code = match cli::parse(std::env::args_os(), Environment::read()) {
        Ok(command) => finish(
            &command,
            &command::run(&command.invocation, &command.request),
        ),
        Err(instead) => {
            // Help that was asked for goes to stdout, everything else to stderr; both may be closed.
            let _ = instead.print();
            u8::try_from(instead.exit_code()).unwrap_or(ExitCode::Input as u8)
        }
    };
    process::ExitCode::from(code)
}

fn finish(command: &Command, outcome: &Outcome) -> u8 {
    let code = ExitCode::of(&outcome.findings) as u8;
    // Nobody is left to be told that stderr is closed.
    let _ = io::stderr().write_all(words(command, outcome).as_bytes());
    match print(outcome) {
        Ok(()) => code,
        // The reader has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => code,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "error: stdout cannot be written: {}",
                error.kind()
            );
            ExitCode::World as u8
        }
    }
}

fn print(outcome: &Outcome) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for piece in &outcome.output {
        out.write_all(piece.bytes())?;
    }
    out.flush()
}

/// All that goes to stderr.
fn words(command: &Command, outcome: &Outcome) -> String {
    let quiet = command.verbosity == Verbosity::Quiet;
    let findings = outcome
        .findings
        .iter()
        .filter(|finding| finding.is_error() || !quiet);
    let findings: Vec<Diagnostic> = findings.cloned().collect();
    if command.format == Format::Json {
        return report::json(&findings);
    }
    let mut text = report::human(&findings, color(command));
    let notes = outcome
        .notes
        .iter()
        .filter(|_| command.verbosity >= Verbosity::Normal);
    let details = outcome
        .details
        .iter()
        .filter(|_| command.verbosity >= Verbosity::Verbose);
    for line in notes.chain(details) {
        text.push_str(&report::printable(line));
        text.push('\n');
    }
    text
}

fn color(command: &Command) -> Color {
    let no_color = command.invocation.environment.no_color;
    match command.color {
        ColorWish::Always => Color::Styled,
        ColorWish::Auto if io::stderr().is_terminal() && !no_color => Color::Styled,
        ColorWish::Auto | ColorWish::Never => Color::Plain,
    }
}
