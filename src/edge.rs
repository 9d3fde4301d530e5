//! The only hands: files, the environment, the terminal, other programs, and the age store.
//!
//! Nothing here decides what a manifest should say, and nothing here prints: a hand does one thing,
//! and says exactly why it could not.

pub mod clock;
pub mod disk;
pub mod environment;
mod look;
pub mod memory;
pub mod process;
pub mod terminal;
pub mod tree;
pub mod vault;
