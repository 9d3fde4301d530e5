//! A fleet's folders on disk: where its root is, and what lies in it.
//!
//! It understands no definition. Paths are handed on as a user in the working directory would type
//! them, so that a finding can be clicked on.

use super::disk::{self, DiskError};
use super::look;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::fleet::{ClusterFolder, ClusterName, DEFINITION, FleetFiles, PLATFORM};
use crate::text::SourceFile;
use rayon::prelude::*;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest file that is parsed, in bytes. Real manifests have a few thousand.
pub const LARGEST_TEXT: usize = 8 << 20;

/// The largest file that is copied as it is, in bytes.
pub const LARGEST_COPY: usize = 64 << 20;

/// Definitions that are easily written by those who are used to the other ending.
const MISNAMED: &str = "cluster-config.yml";

/// The folder that may stand between a repository's root and its clusters.
const CLUSTERS: &str = "clusters";

/// Where the fleet is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetRoot {
    real: PathBuf,
    shown: PathBuf,
}

impl FleetRoot {
    /// The fleet root: `asked`, or the nearest one from `working_directory` upward.
    pub fn find(working_directory: &Path, asked: Option<&Path>) -> Result<Self, Diagnostic> {
        match asked {
            Some(asked) => Self::at(working_directory, asked),
            None => Self::upward(working_directory),
        }
    }

    /// The fleet root, or the folder that would be it once it holds a cluster: `asked`, or the working
    /// directory, or the `clusters` in it.
    pub fn find_or_expect(working_directory: &Path, asked: Option<&Path>) -> Self {
        Self::find(working_directory, asked).unwrap_or_else(|_| {
            let asked = asked.unwrap_or(Path::new(""));
            let here = Self {
                real: working_directory.join(asked),
                shown: asked.to_path_buf(),
            };
            let below = here.below();
            if disk::is_folder(&below.real) {
                below
            } else {
                here
            }
        })
    }

    fn below(&self) -> Self {
        Self {
            real: self.real.join(CLUSTERS),
            shown: self.shown.join(CLUSTERS),
        }
    }

    fn at(working_directory: &Path, asked: &Path) -> Result<Self, Diagnostic> {
        let real = working_directory.join(asked);
        if !disk::is_folder(&real) {
            let message = format!("`{}` is not a folder", asked.display());
            let help = "name the folder that holds the clusters with `--fleet`";
            return Err(Diagnostic::new(Code::NoFleet, message, help));
        }
        let shown = match asked {
            here if here == Path::new(".") => PathBuf::new(),
            there => there.to_path_buf(),
        };
        Self { real, shown }.settle().ok_or_else(|| {
            let message = format!("there is no fleet in `{}`", asked.display());
            Diagnostic::new(Code::NoFleet, message, no_fleet_help())
        })
    }

    fn upward(working_directory: &Path) -> Result<Self, Diagnostic> {
        let mut shown = PathBuf::new();
        for real in working_directory.ancestors() {
            let real = real.to_path_buf();
            let here = Self {
                real,
                shown: shown.clone(),
            };
            if let Some(root) = here.settle() {
                return Ok(root);
            }
            shown.push("..");
        }
        let message = "there is no fleet here, nor in any folder above";
        Err(Diagnostic::new(Code::NoFleet, message, no_fleet_help()))
    }

    /// This folder or the `clusters` in it, whichever is a fleet's root.
    fn settle(self) -> Option<Self> {
        let below = self.below();
        // `platform.yaml` says it outright; definitions alone are the weaker sign.
        if look::is_file(&self.real.join(PLATFORM)) {
            Some(self)
        } else if look::is_file(&below.real.join(PLATFORM)) {
            Some(below)
        } else if self.holds_definitions() {
            Some(self)
        } else {
            Some(below).filter(Self::holds_definitions)
        }
    }

    fn holds_definitions(&self) -> bool {
        let folders = look::folders(&self.real).unwrap_or_default();
        folders.iter().any(|name| self.holds_definition(name))
    }

    /// The path of a file below the root, as the system needs it.
    pub fn real(&self, below: impl AsRef<Path>) -> PathBuf {
        self.real.join(below)
    }

    /// The path of a file below the root, as a user would type it.
    pub fn shown(&self, below: impl AsRef<Path>) -> PathBuf {
        self.shown.join(below)
    }

    /// The age store's folder, which may not be there.
    pub fn store(&self) -> PathBuf {
        self.shown("secrets")
    }

    /// The names of the folders that hold a definition, sorted.
    pub fn cluster_names(&self) -> Result<Vec<String>, Diagnostic> {
        let names =
            look::folders(&self.real).map_err(|error| self.finding(Path::new(""), &error))?;
        let names = names.iter().filter(|name| self.holds_definition(name));
        Ok(names
            .map(|name| name.to_string_lossy().into_owned())
            .collect())
    }

    fn holds_definition(&self, name: &OsStr) -> bool {
        let folder = self.real.join(name);
        [DEFINITION, MISNAMED]
            .iter()
            .any(|file| look::is_file(&folder.join(file)))
    }

    /// Every definition of the fleet, and its platform's.
    pub fn read_all(&self) -> FleetFiles {
        match look::folders(&self.real) {
            Ok(names) => {
                let read = names.par_iter().map(|name| self.read_folder(name));
                self.gather(read.collect())
            }
            Err(error) => FleetFiles {
                findings: vec![self.finding(Path::new(""), &error)],
                ..FleetFiles::default()
            },
        }
    }

    /// The definitions of some clusters, and the platform's. A cluster without a folder is left out.
    pub fn read_some(&self, names: &[ClusterName]) -> FleetFiles {
        let names = names.iter().map(|name| OsStr::new(name.as_str()));
        self.gather(names.map(|name| self.read_folder(name)).collect())
    }

    fn gather(&self, folders: Vec<Result<Option<ClusterFolder>, Diagnostic>>) -> FleetFiles {
        let mut files = FleetFiles {
            platform: self.read_if_there(Path::new(PLATFORM)),
            ..FleetFiles::default()
        };
        for folder in folders {
            match folder {
                Ok(folder) => files.folders.extend(folder),
                Err(finding) => files.findings.push(finding),
            }
        }
        files
    }

    /// `None` where there is no such folder: whoever asked for it has to say so.
    fn read_folder(&self, name: &OsStr) -> Result<Option<ClusterFolder>, Diagnostic> {
        let below = Path::new(name);
        let real = self.real(below);
        match look::probe_folder(&real) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) if error.is_missing() && !look::is_link(&real) => return Ok(None),
            Err(error) => return Err(self.finding(below, &error)),
        }
        let misnamed = below.join(MISNAMED);
        let is_misnamed = look::is_file(&self.real(&misnamed));
        Ok(Some(ClusterFolder {
            name: name.to_string_lossy().into_owned(),
            definition: self.read_if_there(&below.join(DEFINITION)),
            misnamed: is_misnamed.then(|| self.shown(&misnamed)),
        }))
    }

    fn read_if_there(&self, below: &Path) -> Option<Result<Arc<SourceFile>, Diagnostic>> {
        match disk::read(&self.real(below), LARGEST_TEXT) {
            Err(error) if error.is_missing() && !look::is_link(&self.real(below)) => None,
            read => Some(self.understand_text(below, read)),
        }
    }

    /// A file below the root that must be there, as text.
    pub fn read_text(&self, below: &Path) -> Result<Arc<SourceFile>, Diagnostic> {
        self.understand_text(below, disk::read(&self.real(below), LARGEST_TEXT))
    }

    /// A file below the root that must be there, as the bytes it has.
    pub fn read_bytes(&self, below: &Path) -> Result<Vec<u8>, Diagnostic> {
        disk::read(&self.real(below), LARGEST_COPY)
            .map(|mut bytes| std::mem::take(&mut *bytes))
            .map_err(|error| self.finding(below, &error))
    }

    fn understand_text(
        &self,
        below: &Path,
        read: Result<zeroize::Zeroizing<Vec<u8>>, DiskError>,
    ) -> Result<Arc<SourceFile>, Diagnostic> {
        let mut bytes = read.map_err(|error| self.finding(below, &error))?;
        match String::from_utf8(std::mem::take(&mut *bytes)) {
            Ok(text) => Ok(Arc::new(SourceFile::new(self.shown(below), text))),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let message = format!("the byte at offset {at} is not UTF-8 text");
                let help = "save the file as UTF-8";
                Err(Diagnostic::new(Code::NotUtf8, message, help).at(self.whole(below)))
            }
        }
    }

    fn finding(&self, below: &Path, error: &DiskError) -> Diagnostic {
        if error.is_missing() && !look::is_link(&self.real(below)) {
            let message = "there is no such file";
            let help = "add the file, or correct the name that the definition gives";
            return Diagnostic::new(Code::MissingManifest, message, help).at(self.whole(below));
        }
        let (code, help) = match error.source.kind() {
            io::ErrorKind::FileTooLarge => (
                Code::FileTooLarge,
                "split the file, or take it out of the fleet",
            ),
            _ => (
                Code::UnreadableFile,
                "make it a readable file, or take it out of the fleet",
            ),
        };
        let message = format!("it cannot be read: {}", error.reason());
        Diagnostic::new(code, message, help).at(self.whole(below))
    }

    fn whole(&self, below: &Path) -> Place {
        Place::whole(&Arc::new(SourceFile::unread(self.shown(below))))
    }
}

fn no_fleet_help() -> String {
    format!(
        "name its folder with `--fleet`; it holds `{PLATFORM}`, or folders with a `{DEFINITION}`"
    )
}

#[cfg(test)]
mod tests;
