//! What was found, and why settings are what they are, as text for people and as JSON for programs.
//!
//! This room decides nothing and writes nowhere: it is handed findings and accounts and hands back text.

mod diff;
mod exit_code;
mod explain;
mod human;
mod json;
mod printable;
mod repair;
mod schema;

pub use diff::diff;
pub use exit_code::ExitCode;
pub use explain::{
    ClientIdentity, EffectName, Explained, Explanation, FormName, InManifest, LayerName, Loser,
    Mirror, OptIns, Question, Reading, SecretInCluster, Service, Setting, Statement, StoredSecret,
    Value, WhyName,
};
pub use human::{Color, human};
pub use json::{Finding, Location, Report, Summary, json};
pub use printable::printable;
pub use repair::{proof_of_repair, words_of_repair};
pub use schema::SchemaOf;
