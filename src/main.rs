//! The program: reads what was typed, does it, ends with its exit code.

use clap::Parser as _;
use std::process::ExitCode;
use zeroizing_alloc::ZeroAlloc;

/// Wipes whatever is freed: libraries below keep copies of keys and values that nobody else can
/// wipe.
#[global_allocator]
static WIPING: ZeroAlloc<std::alloc::System> = ZeroAlloc(std::alloc::System);

fn main() -> ExitCode {
    hydrant::cli::run(hydrant::cli::Cli::parse())
}
