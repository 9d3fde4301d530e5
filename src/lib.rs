#![doc = include_str!("README.md")]

pub mod cli;
pub mod command;
pub mod diagnostic;
pub mod edge;
pub mod fleet;
pub mod manifest;
pub mod plan;
pub mod report;
pub mod secret;
pub mod settings;
pub mod talos;
pub mod text;
pub mod yaml;
