//! hydrant as a library: the rooms behind the command line.

pub mod cli;
pub mod command;
pub mod diagnostic;
pub mod edge;
pub mod secret;
pub mod text;
pub mod yaml;
