//! The command line: what was typed, as a request.
//!
//! It does nothing of what it was asked. `main` alone reads the arguments and writes to stdout and stderr.

mod explain;
mod fix;
mod render;
mod schema;
mod secret;

use crate::command::{Invocation, Request};
use crate::edge::environment::Environment;
use clap::{
    Arg, ArgAction, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand,
    ValueEnum, value_parser,
};
use std::ffi::OsString;
use std::path::PathBuf;

/// Hydrates the Talos cluster manifests in a Git repository, byte for byte, and says why.
#[derive(Debug, Parser)]
#[command(name = "hydrant", version, about, after_help = EXIT_CODES)]
struct Typed {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  clean
  1  findings
  2  wrong usage or broken input
  3  the world failed (network, tool, key)
  4  refused for safety";

#[derive(Debug, Args)]
struct Options {
    /// The folder that holds the clusters, or a repository with a `clusters` folder [default: the
    /// nearest one from here upward]
    #[arg(long, global = true, value_name = "DIR")]
    fleet: Option<PathBuf>,
    /// How findings are written
    #[arg(long, global = true, value_enum, default_value_t)]
    format: Format,
    /// When findings are coloured
    #[arg(long, global = true, value_enum, default_value_t)]
    color: ColorWish,
    /// Say more on stderr
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Render(render::RenderArgs),
    Explain(explain::ExplainArgs),
    Fix(fix::FixArgs),
    Secret(secret::SecretArgs),
    Schema(schema::SchemaArgs),
}

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// For programs: one JSON object.
    Json,
}

/// When findings are coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWish {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Wherever they go.
    Always,
    /// Nowhere.
    Never,
}

/// How much is said on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors alone.
    Quiet,
    /// Warnings and notes as well.
    Normal,
    /// Details as well.
    Verbose,
}

/// What was typed, understood.
#[derive(Debug)]
pub struct Command {
    /// What every verb is told.
    pub invocation: Invocation,
    /// The verb.
    pub request: Request,
    /// How findings are written.
    pub format: Format,
    /// When they are coloured.
    pub color: ColorWish,
    /// How much is said.
    pub verbosity: Verbosity,
}

/// The whole command line, for parsing and for completions.
pub fn definition() -> clap::Command {
    with_identities(Typed::command())
}

const IDENTITY: &str = "identity";

/// `--identity` at every level, so that it may stand anywhere and all of them count: of a global option,
/// clap keeps only those of the innermost level at which it was given.
fn with_identities(command: clap::Command) -> clap::Command {
    let identity = Arg::new(IDENTITY)
        .long(IDENTITY)
        .short('i')
        .value_name("FILE")
        .help("A file with age identities or an SSH private key; may be given several times")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf));
    command.arg(identity).mut_subcommands(with_identities)
}

fn identities(matches: &ArgMatches) -> Vec<PathBuf> {
    let here = matches.get_many(IDENTITY).into_iter().flatten().cloned();
    let below = matches.subcommand().map(|(_, matches)| identities(matches));
    here.chain(below.into_iter().flatten()).collect()
}

/// Understands the arguments, program name first. The error may be the help that was asked for.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    environment: Environment,
) -> Result<Command, clap::Error> {
    let matches = definition().try_get_matches_from(arguments)?;
    let Typed { options, verb } = Typed::from_arg_matches(&matches)?;
    let request = match verb {
        Verb::Render(typed) => Request::Render(typed.request(&environment)),
        Verb::Explain(typed) => {
            let as_json = options.format == Format::Json;
            Request::Explain(typed.request(&environment, as_json))
        }
        Verb::Fix(typed) => Request::Fix(typed.request()),
        Verb::Secret(typed) => Request::Secret(typed.request()),
        Verb::Schema(typed) => Request::Schema(typed.request()),
    };
    let verbosity = match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    Ok(Command {
        invocation: Invocation {
            environment,
            fleet: options.fleet,
            identities: identities(&matches),
        },
        request,
        format: options.format,
        color: options.color,
        verbosity,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::render::Selection;

    fn parsed(line: &str) -> Result<Command, clap::Error> {
        let words = line.split(' ').map(OsString::from);
        parse(words, Environment::default())
    }

    fn render(line: &str) -> crate::command::render::Request {
        let Request::Render(request) = parsed(line).unwrap().request else {
            panic!("{line} renders");
        };
        request
    }

    #[test]
    fn clap_finds_nothing_wrong_with_the_definition() {
        definition().debug_assert();
    }

    #[test]
    fn rendering_nothing_in_particular_is_wrong_usage() {
        for line in [
            "hydrant",
            "hydrant render",
            "hydrant render a --all",
            "hydrant render -q -v a",
        ] {
            assert_eq!(parsed(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn options_may_stand_before_and_after_the_verb() {
        let command = parsed("hydrant --identity a render x --identity b --fleet f -v").unwrap();

        assert_eq!(
            command.invocation.identities,
            [PathBuf::from("a"), PathBuf::from("b")]
        );
        assert_eq!(command.invocation.fleet, Some(PathBuf::from("f")));
        assert_eq!(command.verbosity, Verbosity::Verbose);
        assert_eq!(
            render("hydrant render x").clusters,
            Selection::Named(vec!["x".into()])
        );
        assert_eq!(render("hydrant render --all").clusters, Selection::All);
    }

    #[test]
    fn identities_count_wherever_they_stand() {
        let files = |line: &str| parsed(line).unwrap().invocation.identities;

        assert_eq!(
            files("hydrant -i a secret -i b show x -i c --identity d"),
            ["a", "b", "c", "d"].map(PathBuf::from)
        );
        assert_eq!(files("hydrant secret list"), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn the_address_on_the_command_line_beats_the_environment() {
        let environment = Environment {
            registry_address: Some("192.0.2.1".into()),
            ..Environment::default()
        };
        let said = |line: &str| {
            let words = line.split(' ').map(OsString::from);
            let request = parse(words, environment.clone()).unwrap().request;
            let Request::Render(request) = request else {
                panic!("{line} renders");
            };
            request.address.map(|it| (it.value, it.by)).unwrap()
        };

        assert_eq!(
            said("hydrant render x"),
            ("192.0.2.1".into(), "REGISTRY_ADDRESS")
        );
        assert_eq!(
            said("hydrant render x --address 192.0.2.2"),
            ("192.0.2.2".into(), "--address")
        );
    }
}
