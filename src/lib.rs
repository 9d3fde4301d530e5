//! hydrant as a library: the rooms behind the command line.

pub mod diagnostic;
pub mod manifest;
pub mod secret;
pub mod talos;
pub mod text;
pub mod yaml;
