//! A place to play a story in: a repository, and around it the folders where a careless program
//! leaves things.

use crate::tells::{SHARED, replace_all};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Files by path below a folder; a link is its target.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// One run of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    /// Beside the house's own.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) arguments: Vec<String>,
    /// A file of the repository.
    pub(crate) stdin: Option<PathBuf>,
    /// Can no file grow?
    pub(crate) disk_is_full: bool,
}

/// Every write to a file fails, whoever runs it.
const FULL_DISK: &str = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";

/// Folders that are gone with it.
pub(crate) struct House {
    folder: tempfile::TempDir,
}

impl House {
    /// With an empty repository, home and temporary folder, and the test key outside all of them.
    pub(crate) fn new(key: &Path) -> Self {
        let house = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        for folder in ["repo", "home", "tmp", "keys"] {
            fs::create_dir(house.path(folder)).expect("a folder");
        }
        fs::copy(key, house.path("keys/test-key.txt")).expect("the test key");
        house
    }

    /// A path in it.
    pub(crate) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(below)
    }

    /// The text with `[house]` where it names the house, which has another name each time.
    pub(crate) fn name_itself(&self, text: &[u8]) -> Vec<u8> {
        let folder = self.folder.path().display().to_string();
        replace_all(text, [(folder.as_str(), "[house]")].into_iter())
    }

    /// Copies those of a folder's files into the repository that are taken, with values where they
    /// name them.
    pub(crate) fn bring_in(&self, from: &Path, is_taken: impl Fn(&Path) -> bool) {
        for (path, bytes) in files(from).into_iter().filter(|(path, _)| is_taken(path)) {
            let to = self.path("repo").join(&path);
            fs::create_dir_all(to.parent().expect("it is below the repository")).expect("made");
            // A secret's file holds no names, and must stay as it is.
            let is_sealed = path.extension().is_some_and(|end| end == "age");
            let bytes = if is_sealed {
                bytes
            } else {
                SHARED.spell_out(&bytes)
            };
            fs::write(to, bytes).expect("written");
        }
    }

    /// The files of the repository.
    pub(crate) fn repository(&self) -> Files {
        files(&self.path("repo"))
    }

    /// What a program left in the home and the temporary folder.
    pub(crate) fn leavings(&self) -> Vec<PathBuf> {
        let folders = [self.path("home"), self.path("tmp")];
        let left = folders.iter().flat_map(|folder| files(folder).into_keys());
        left.collect()
    }

    /// A program in the repository, with an environment of its own.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("HYDRANT_IDENTITY_FILE", "../keys/test-key.txt")
            .current_dir(self.path("repo"));
        command
    }

    /// Runs the program in the repository.
    pub(crate) fn hydrant(&self, call: &Call) -> Output {
        let program = env!("CARGO_BIN_EXE_hydrant");
        let stdin = call.stdin.as_ref();
        let stdin = stdin.map(|file| fs::read(self.path("repo").join(file)).expect("the input"));
        let mut command = if call.disk_is_full {
            let mut shell = self.command("sh");
            shell.args(["-c", FULL_DISK, "sh", program]);
            shell
        } else {
            self.command(program)
        };
        let mut child = command
            .envs(call.variables.iter().map(|(name, value)| (name, value)))
            .args(&call.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        // A program that refuses before it reads closes the pipe, which is its right.
        let _ = std::io::Write::write_all(&mut pipe, &stdin.unwrap_or_default());
        drop(pipe);
        child.wait_with_output().expect("the program ends")
    }
}

/// Every file below `folder`; links are not followed.
pub(crate) fn files(folder: &Path) -> Files {
    let entries = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.expect("walked"));
    let mut files = Files::new();
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type());
        let bytes = if kind.is_file() {
            fs::read(path).expect("read")
        } else if kind.is_symlink() {
            fs::read_link(path)
                .expect("read")
                .display()
                .to_string()
                .into_bytes()
        } else {
            continue;
        };
        let below = path.strip_prefix(folder).expect("it is below");
        files.insert(below.to_path_buf(), bytes);
    }
    files
}
