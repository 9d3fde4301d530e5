//! `hydrant fix` as it is typed.

use crate::command::fix::{Migration, Request};
use crate::command::render::Selection;
use crate::talos::TalosVersion;
use clap::{ArgGroup, Args};

/// Rewrite JSON patches that hydration refuses, where that provably changes no machine config
///
/// Patches in and around a value that hydrant owns become one patch at it. With `--to`, all JSON patches
/// become strategic ones, as Talos 1.12 and later need them. Nothing outside those patches changes. If
/// anything cannot be proven for one of the clusters, nothing is written.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("whose").required(true))]
pub(super) struct FixArgs {
    /// The clusters, by name
    #[arg(value_name = "CLUSTER", group = "whose")]
    clusters: Vec<String>,
    /// Every cluster of the fleet
    #[arg(long, group = "whose")]
    all: bool,
    /// Print a diff and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Make every target ready for this Talos version, 1.12 or later
    #[arg(long, value_name = "VERSION", value_parser = migration)]
    to: Option<Migration>,
}

fn migration(text: &str) -> Result<Migration, &'static str> {
    let version = TalosVersion::parse(text).ok_or("write it like v1.13.2")?;
    if !version.has_documents() {
        return Err("up to 1.11 JSON patches stay as they are; name a version from 1.12 on");
    }
    Ok(Migration {
        version,
        text: text.to_string(),
    })
}

impl FixArgs {
    pub(super) fn request(self) -> Request {
        Request {
            clusters: if self.all {
                Selection::All
            } else {
                Selection::Named(self.clusters)
            },
            is_dry: self.dry_run,
            to: self.to,
        }
    }
}
