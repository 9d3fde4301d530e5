//! `hydrant render` as it is typed.

use crate::command::render::{Request, SaidAddress, Selection};
use crate::edge::environment::Environment;
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};

/// Print hydrated manifests as one YAML stream
///
/// A cluster that did not opt in comes out as the bytes that are committed. If anything is wrong with one
/// of the clusters, nothing is printed.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true))]
pub(super) struct RenderArgs {
    /// The clusters, by name
    #[arg(value_name = "CLUSTER", group = "which")]
    clusters: Vec<String>,
    /// Every cluster of the fleet
    #[arg(long, group = "which")]
    all: bool,
    /// Print placeholders instead of secrets and addresses, so that the result can be shown
    #[arg(long)]
    redact: bool,
    /// The registry's address; wins over the environment variable `REGISTRY_ADDRESS` and the definition
    #[arg(long, value_name = "IP", value_parser = NonEmptyStringValueParser::new())]
    address: Option<String>,
}

impl RenderArgs {
    pub(super) fn request(self, environment: &Environment) -> Request {
        Request {
            clusters: if self.all {
                Selection::All
            } else {
                Selection::Named(self.clusters)
            },
            redact: self.redact,
            address: said_address(self.address, environment),
        }
    }
}

/// The address of the call: the option's, else the environment's.
pub(super) fn said_address(
    option: Option<String>,
    environment: &Environment,
) -> Option<SaidAddress> {
    let said = |value, by| SaidAddress { value, by };
    let option = option.map(|value| said(value, "--address"));
    let variable = environment.registry_address.clone();
    option.or(variable.map(|value| said(value, "REGISTRY_ADDRESS")))
}
