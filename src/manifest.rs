//! Cluster API documents: the Talos targets in a manifest, their patch lists, and the composition that
//! brings an intent into them.
//!
//! What comes out is edits of the committed text, each proven by the `yaml` room. This room reads no
//! file, knows no cluster definition and never decides a value: the intent is handed in.

mod bases;
mod channels;
mod comments;
mod committed;
mod compose;
mod consolidate;
mod difference;
mod embedded;
mod engine;
mod faults;
mod fix;
mod hosts;
mod judge;
mod merge;
mod migrate;
mod neighbours;
mod operations;
mod placeholders;
mod references;
mod settings;
mod shape;
mod shorten;
mod strategic;
mod supplement;
mod target;

pub use committed::{Committed, committed};
pub use compose::{HydratedTarget, Hydration, Request, hydrate};
pub use fix::{Deed, Fix, FixRequest, FixedTarget, fix};
pub use references::{Reference, references};
pub use target::{Block, Role, TargetName};
