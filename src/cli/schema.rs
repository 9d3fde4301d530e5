//! `hydrant schema` as it is typed.

use crate::command::schema::Request;
use clap::Args;

/// Print a JSON Schema (draft 2020-12) of a file that hydrant reads or a report that it writes
///
/// Without a name the schemas are listed. Editors take one from the first line of a file:
/// `# yaml-language-server: $schema=PATH`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Which one
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

impl SchemaArgs {
    pub(super) fn request(self) -> Request {
        Request { name: self.name }
    }
}
