//! What was found, as text for people and as JSON for programs.
//!
//! This room decides nothing and writes nowhere: it is handed findings and hands back text.

mod diff;
mod exit_code;
mod human;
mod json;
mod printable;
mod repair;

pub use diff::diff;
pub use exit_code::ExitCode;
pub use human::{Color, human};
pub use json::{Finding, Location, Report, Summary, json};
pub use printable::printable;
pub use repair::{proof_of_repair, words_of_repair};
