//! `hydrant explain` as it is typed.

use super::render::said_address;
use crate::command::explain::Request;
use crate::edge::environment::Environment;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// Say where a cluster's settings come from, who lost, and what changing them does
///
/// Secrets are shown by name and by the fingerprint of their file: no key is needed. With `--format json`
/// the answer is JSON (`hydrant schema explain`).
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The cluster, by name
    #[arg(value_name = "CLUSTER")]
    cluster: String,
    /// One setting in full: a path on the machine such as `/machine/registries/mirrors/ghcr.io`, any
    /// beginning of one, or a key such as `talos.registryMirrors`
    #[arg(value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    about: Option<String>,
    /// The registry's address; wins over the environment variable `REGISTRY_ADDRESS` and the definition
    #[arg(long, value_name = "IP", value_parser = NonEmptyStringValueParser::new())]
    address: Option<String>,
}

impl ExplainArgs {
    pub(super) fn request(self, environment: &Environment, as_json: bool) -> Request {
        Request {
            cluster: self.cluster,
            about: self.about,
            as_json,
            address: said_address(self.address, environment),
        }
    }
}
