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
        folders.iter().any(|name| {
            let folder = self.real.join(name);
            look::is_file(&folder.join(DEFINITION)) || look::is_file(&folder.join(MISNAMED))
        })
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

    /// The names of the folders that could be clusters, sorted.
    pub fn folder_names(&self) -> Result<Vec<String>, Diagnostic> {
        let names =
            look::folders(&self.real).map_err(|error| self.finding(Path::new(""), &error))?;
        Ok(names
            .iter()
            .map(|name| name.to_string_lossy().into_owned())
            .collect())
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
mod tests {
    use super::*;
    use crate::fleet::FleetRepo;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    const PLATFORM_TEXT: &str = "apiVersion: hydrant.dev/v1alpha1\nkind: Platform\n";

    fn tree(files: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            disk::make_folder(path.parent().unwrap()).unwrap();
            disk::write(&path, text.as_bytes(), disk::Overwrite::Never).unwrap();
        }
        folder
    }

    fn shown(found: Result<FleetRoot, Diagnostic>) -> String {
        found.unwrap().shown(PLATFORM).display().to_string()
    }

    fn codes(root: &FleetRoot) -> Vec<&'static str> {
        let repo = FleetRepo::read(root.read_all());
        repo.findings.iter().map(|it| it.code.name()).collect()
    }

    #[test]
    fn both_layouts_are_found_from_any_depth() {
        let flat = tree(&[("a/cluster-config.yaml", "name: a\n"), ("a/x/y", "")]);
        let below = tree(&[
            ("clusters/a/cluster-config.yaml", "name: a\n"),
            ("docs/x", ""),
        ]);
        let find = |at: &TempDir, below: &str| FleetRoot::find(&at.path().join(below), None);

        assert_eq!(shown(find(&flat, "")), "platform.yaml");
        assert_eq!(shown(find(&flat, "a/x")), "../../platform.yaml");
        assert_eq!(shown(find(&below, "")), "clusters/platform.yaml");
        assert_eq!(shown(find(&below, "docs")), "../clusters/platform.yaml");
        assert_eq!(shown(find(&below, "clusters/a")), "../platform.yaml");
    }

    #[test]
    fn a_platform_is_the_stronger_sign_of_a_root_than_definitions_beside_it() {
        let both = tree(&[
            ("clusters/platform.yaml", PLATFORM_TEXT),
            ("example/cluster-config.yaml", "name: example\n"),
        ]);

        assert_eq!(
            shown(FleetRoot::find(both.path(), None)),
            "clusters/platform.yaml"
        );
    }

    #[test]
    fn a_root_that_was_asked_for_is_shown_as_it_was_typed() {
        let below = tree(&[("repo/clusters/a/cluster-config.yaml", "name: a\n")]);
        let find = |asked: &str| FleetRoot::find(below.path(), Some(Path::new(asked)));

        assert_eq!(shown(find("repo")), "repo/clusters/platform.yaml");
        assert_eq!(shown(find("repo/clusters")), "repo/clusters/platform.yaml");
        assert_eq!(find("nowhere").unwrap_err().code, Code::NoFleet);
        assert_eq!(find("repo/clusters/a").unwrap_err().code, Code::NoFleet);
    }

    #[test]
    fn a_loop_of_links_is_a_finding_and_no_hang() {
        let fleet = tree(&[("a/cluster-config.yaml", "name: a\n"), ("b/x", "")]);
        let path = |below: &str| fleet.path().join(below);
        symlink(path("loop"), path("loop")).unwrap();
        symlink("cluster-config.yaml", path("b/cluster-config.yaml")).unwrap();
        symlink("nowhere", path("dangling")).unwrap();
        symlink("..", path("a/up")).unwrap();
        let root = FleetRoot::find(fleet.path(), None).unwrap();

        assert_eq!(codes(&root), ["unreadable-file"; 3]);
    }

    #[test]
    fn a_pipe_in_place_of_a_definition_is_not_waited_for() {
        let fleet = tree(&[("a/cluster-config.yaml", "name: a\n"), ("b/x", "")]);
        let pipe = fleet.path().join("b/cluster-config.yaml");
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();

        assert_eq!(
            codes(&FleetRoot::find(fleet.path(), None).unwrap()),
            ["unreadable-file"]
        );
    }

    #[test]
    fn a_definition_that_is_no_text_or_too_large_is_refused_by_name() {
        let fleet = tree(&[
            ("a/cluster-config.yaml", "name: a\n"),
            ("b/x", ""),
            ("c/x", ""),
        ]);
        let write = |below: &str, bytes: &[u8]| {
            disk::write(&fleet.path().join(below), bytes, disk::Overwrite::Never).unwrap();
        };
        write("b/cluster-config.yaml", b"name: \xff\n");
        write("c/cluster-config.yaml", &vec![b'#'; LARGEST_TEXT + 1]);
        let root = FleetRoot::find(fleet.path(), None).unwrap();

        assert_eq!(codes(&root), ["not-utf-8", "file-too-large"]);
        assert_eq!(
            root.read_bytes(Path::new("b/cluster-config.yaml")).unwrap(),
            b"name: \xff\n"
        );
    }

    #[test]
    fn asking_for_some_reads_no_other_folder() {
        let fleet = tree(&[
            ("a/cluster-config.yaml", "name: a\n"),
            ("b/cluster-config.yaml", "{{"),
        ]);
        let root = FleetRoot::find(fleet.path(), None).unwrap();
        let files = root.read_some(&["a".parse().unwrap(), "none".parse().unwrap()]);

        assert_eq!(files.cluster_names().collect::<Vec<_>>(), ["a"]);
        assert!(FleetRepo::read(files).findings.is_empty());
        assert_eq!(root.folder_names().unwrap(), ["a", "b"]);
    }

    #[test]
    fn hidden_folders_and_files_are_not_clusters() {
        let fleet = tree(&[
            ("a/cluster-config.yaml", "name: a\n"),
            (".git/cluster-config.yaml", "{{"),
            ("notes.md", ""),
        ]);

        assert_eq!(
            FleetRoot::find(fleet.path(), None)
                .unwrap()
                .folder_names()
                .unwrap(),
            ["a"]
        );
    }
}
