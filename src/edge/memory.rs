//! Keeping what was decrypted inside this process: no core dump, no debugger, no `/proc/<pid>/mem`.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use std::io;
use std::sync::OnceLock;

/// The kernel did not let the process be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the process could not be kept from being dumped ({what}: {kind})")]
pub struct MemoryError {
    what: &'static str,
    kind: io::ErrorKind,
}

/// Switches core dumps off and makes the process not dumpable, once; later calls cost nothing.
///
/// The store calls this before it reads the first identity, so no caller can forget it. Children
/// inherit the core limit of zero; they are dumpable again after `exec`, which is what lets an
/// editor open `/proc/self/fd/N`.
pub fn close() -> Result<(), MemoryError> {
    static CLOSED: OnceLock<Result<(), MemoryError>> = OnceLock::new();
    *CLOSED.get_or_init(|| {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        setrlimit(Resource::Core, none).map_err(|e| failed("core limit", e))?;
        set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|e| failed("prctl", e))
    })
}

fn failed(what: &'static str, error: rustix::io::Errno) -> MemoryError {
    MemoryError {
        what,
        kind: error.kind(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_closing_the_kernel_says_that_nothing_is_dumped() {
        close().expect("Linux lets a process close itself");

        let limit = rustix::process::getrlimit(Resource::Core);
        assert_eq!((limit.current, limit.maximum), (Some(0), Some(0)));
        assert_eq!(
            rustix::process::dumpable_behavior().expect("prctl answers"),
            DumpableBehavior::NotDumpable
        );
    }
}
