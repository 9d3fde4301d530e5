//! hydrant under strace, for the tests that look at what it does to the world.

use std::path::Path;
use std::process::Command;

/// The program under strace, which writes to `trace`; `start` makes a command in the house of the test.
///
/// The program closes itself to everyone but root, so others become root in a namespace of their own.
pub(crate) fn hydrant_under_strace(
    start: impl Fn(&str) -> Command,
    trace: &Path,
    options: &[&str],
) -> Command {
    let mut command = if rustix::process::geteuid().is_root() {
        start("strace")
    } else {
        let mut command = start("unshare");
        command.args(["-r", "strace"]);
        command
    };
    command
        .args(["-f", "-y", "-v", "-s", "100000", "-o"])
        .arg(trace)
        .args(options)
        .arg(env!("CARGO_BIN_EXE_hydrant"));
    command
}
