//! Stories: a small repository, a command, and everything that comes of it.
//!
//! Each folder `tests/cases/VERB/SENTENCE/` is one test:
//!
//! | file | what it is | where it is absent |
//! | --- | --- | --- |
//! | `command` | the lines to run (see `step::Step`) | must be there |
//! | `before/` | the repository, over that of `_shared/before/` | the shared one alone |
//! | `alone` | the only files of `_shared/before/` that are there, a path a line | all are |
//! | `stdout`, `stderr` | whole outputs | nothing is printed |
//! | `code` | exit codes, one a command | all are 0 |
//! | `removed` | lines of the manifest that `render` does not print again | none |
//! | `after/` | files that were made or changed, whole; of a `.age` file, only that it was | none was |
//!
//! A story names a value of the shared store instead of spelling it out, in what is there before as in
//! what is expected: `[registry-ca/base64]`, or `[registry-ca/base64 1/2]` and `2/2`, of the PEM;
//! `[registry-ca/1]` and so on for the lines between BEGIN and END; `[registry-ca/fingerprint]` of the sealed
//! file; `[test-key]` and `[test-recipient]`. So `_shared/make.sh` may make it all anew.
//!
//! Beyond what the files say, every story must hold that a second `render` of the output changes
//! nothing, and that no decrypted value is in stderr, the home or the temporary folder (`tells`).
//!
//! `SNAPSHOTS=overwrite cargo test --test cases [NAME]` writes what came instead of comparing: read the
//! diff before it is committed. Comparing is by bytes, because line ends are what some stories are
//! about.
#![expect(
    clippy::disallowed_methods,
    reason = "the test stands outside: it makes files and runs the program"
)]

mod house;
mod step;
mod story;
mod tells;

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use story::Story;

fn main() -> ExitCode {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let trials = folders(&cases)
        .into_iter()
        .filter(|verb| !verb.ends_with("_shared"))
        .flat_map(|verb| folders(&verb))
        .map(|case| {
            let name = case.strip_prefix(&cases).expect("it is below");
            let name = name.display().to_string();
            Trial::test(name, move || Story::read(&case).play().map_err(Into::into))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn folders(above: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(above).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
