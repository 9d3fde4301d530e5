//! Files: bounded reading, atomic writing, walking a folder.
//!
//! It does not know what is in a file, follows no link while walking, and waits for nothing: a pipe
//! or a device where a file was expected is refused, not read.

mod together;

pub use together::{Replacement, replace_all};

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// What could not be done to which file.
#[derive(Debug, thiserror::Error)]
#[error("cannot {deed} {}: {}", path.display(), reason(source))]
pub struct DiskError {
    /// The file or folder.
    pub path: PathBuf,
    /// `read`, `write`, …
    pub deed: &'static str,
    /// What the system said.
    pub source: io::Error,
}

/// The reason without Rust's `(os error 2)`, which helps nobody.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

impl DiskError {
    fn new(deed: &'static str, path: &Path, source: io::Error) -> Self {
        Self {
            path: path.to_path_buf(),
            deed,
            source,
        }
    }

    /// Is there simply nothing at that path?
    pub fn is_missing(&self) -> bool {
        matches!(
            self.source.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
    }

    /// Was there something already, where nothing may be overwritten?
    pub fn is_in_the_way(&self) -> bool {
        self.source.kind() == io::ErrorKind::AlreadyExists
    }

    /// What the system said, in a few words.
    pub fn reason(&self) -> String {
        reason(&self.source)
    }
}

/// Reads a regular file of at most `limit` bytes. What is read is wiped when dropped, and the
/// buffer has its size from the start: growing it would leave copies behind.
pub fn read(path: &Path, limit: usize) -> Result<Zeroizing<Vec<u8>>, DiskError> {
    read_regular(path, limit).map_err(|e| DiskError::new("read", path, e))
}

#[expect(clippy::disallowed_methods, reason = "this is where files are read")]
fn read_regular(path: &Path, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    // Opening a named pipe would otherwise wait for a writer for ever.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let size = usize::try_from(found.len()).unwrap_or(usize::MAX);
    if size > limit {
        return Err(too_large(limit));
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    let read = file.take(size as u64 + 1).read_to_end(&mut bytes)?;
    if read > size {
        return Err(io::Error::other("it grew while it was read"));
    }
    Ok(bytes)
}

/// Reads what a user named, which may be a pipe such as the shell's `<(…)`: at most `limit` bytes,
/// and it waits for them.
#[expect(clippy::disallowed_methods, reason = "this is where files are read")]
pub fn read_named(path: &Path, limit: usize) -> Result<Zeroizing<Vec<u8>>, DiskError> {
    File::open(path)
        .and_then(|file| drain(file, limit))
        .map_err(|e| DiskError::new("read", path, e))
}

/// Reads to the end, at most `limit` bytes, into a buffer that never grows and is wiped when
/// dropped.
pub fn drain(reader: impl Read, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(limit + 1));
    let read = reader.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if read > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn too_large(limit: usize) -> io::Error {
    let reason = format!("it is larger than {limit} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

/// Is there anything at that path, be it a link that leads nowhere?
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether an existing file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Something at the path is an error ([`DiskError::is_in_the_way`]).
    Never,
    /// A file at the path is replaced, and its mode kept.
    Allowed,
}

/// Writes `bytes` to `path` so that there is the old file or the new one at any moment, and never a
/// part.
///
/// A neighbour takes the bytes first, is brought to the disk and then gets the name.
pub fn write(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), DiskError> {
    let failed = |e| DiskError::new("write", path, e);
    let neighbour = stage(path, bytes).map_err(failed)?;
    match overwrite {
        Overwrite::Never => neighbour.persist_noclobber(path),
        Overwrite::Allowed => neighbour.persist(path),
    }
    .map_err(|e| failed(e.error))?;
    sync_folder(folder_of(path)).map_err(failed)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// A neighbour of `path` that holds `bytes`, on the disk, with the mode of what is at `path`.
fn stage(path: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut neighbour = tempfile::Builder::new()
        .prefix(".hydrant-")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder_of(path))?;
    if let Some(mode) = mode_of(path) {
        neighbour.as_file().set_permissions(mode)?;
    }
    neighbour.write_all(bytes)?;
    neighbour.as_file().sync_all()?;
    Ok(neighbour)
}

fn mode_of(path: &Path) -> Option<Permissions> {
    let found = fs::symlink_metadata(path).ok()?;
    found.is_file().then(|| found.permissions())
}

/// Without this the rename may not survive a power cut.
#[expect(clippy::disallowed_methods, reason = "this is where files are written")]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Creates a file that only its owner can read, and never touches one that is there.
#[expect(clippy::disallowed_methods, reason = "this is where files are written")]
pub fn create_private(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .map_err(|e| DiskError::new("create", path, e))
}

/// Makes a folder and those above it.
#[expect(clippy::disallowed_methods, reason = "this is where folders are made")]
pub fn make_folder(path: &Path) -> Result<(), DiskError> {
    fs::create_dir_all(path).map_err(|e| DiskError::new("make the folder", path, e))
}

/// The path without links and `..`, which only exists for what exists.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where files are looked for"
)]
pub fn resolve(path: &Path) -> Result<PathBuf, DiskError> {
    path.canonicalize()
        .map_err(|e| DiskError::new("find", path, e))
}

/// Is it a folder, or a link to one?
#[expect(
    clippy::disallowed_methods,
    reason = "this is where files are looked for"
)]
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Is it a regular file, or a link to one, that somebody may execute?
#[expect(
    clippy::disallowed_methods,
    reason = "this is where files are looked for"
)]
pub fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What was met while walking a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The path below the folder that was walked.
    pub path: PathBuf,
    /// Is it something else than a regular file or a link to one (a link to a folder, a pipe)?
    pub is_odd: bool,
}

/// Everything below `root` that is not a folder, sorted by path; links to folders are not entered.
pub fn walk(root: &Path) -> Result<Vec<Found>, DiskError> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        list(&path, &folder, &mut folders, &mut found)
            .map_err(|e| DiskError::new("list", &path, e))?;
    }
    found.sort();
    Ok(found)
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where folders are walked"
)]
fn list(
    path: &Path,
    below_root: &Path,
    folders: &mut Vec<PathBuf>,
    found: &mut Vec<Found>,
) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = below_root.join(entry.file_name());
        if kind.is_dir() {
            folders.push(name);
        } else {
            let is_file = kind.is_file() || (kind.is_symlink() && !entry.path().is_dir());
            found.push(Found {
                path: name,
                is_odd: !is_file,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn a_named_pipe_is_refused_and_not_waited_for() {
        let folder = folder();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a named pipe");

        let error = read(&pipe, 10).expect_err("a pipe is no file");
        assert!(
            error.to_string().ends_with("it is not a regular file"),
            "{error}"
        );
    }

    #[test]
    fn a_file_of_the_limit_is_read_and_one_byte_more_is_not() {
        let folder = folder();
        let path = folder.path().join("file");
        write(&path, b"12345", Overwrite::Never).expect("written");

        assert_eq!(read(&path, 5).expect("read").as_slice(), b"12345");
        assert!(read(&path, 4).is_err());
    }

    #[test]
    fn a_stream_that_is_longer_than_the_limit_is_refused_whole() {
        assert_eq!(drain(&b"12345"[..], 5).expect("fits").as_slice(), b"12345");
        let error = drain(&b"123456"[..], 5).expect_err("one byte more");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn writing_never_overwrites_what_it_was_not_told_to() {
        let folder = folder();
        let path = folder.path().join("file");
        write(&path, b"old", Overwrite::Never).expect("written");

        assert!(
            write(&path, b"new", Overwrite::Never)
                .expect_err("refused")
                .is_in_the_way()
        );
        assert_eq!(read(&path, 9).expect("read").as_slice(), b"old");
        assert_eq!(
            walk(folder.path()).expect("walked").len(),
            1,
            "no temporary file stays"
        );
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let folder = folder();
        let path = folder.path().join("file");
        write(&path, b"old", Overwrite::Never).expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("mode set");
        write(&path, b"new", Overwrite::Allowed).expect("replaced");

        assert_eq!(mode_of(&path).expect("there").mode() & 0o777, 0o640);
    }

    #[test]
    fn a_private_file_is_readable_by_its_owner_alone_and_never_replaced() {
        let folder = folder();
        let path = folder.path().join("identity");
        create_private(&path, b"key").expect("created");

        assert_eq!(mode_of(&path).expect("there").mode() & 0o777, 0o600);
        assert!(
            create_private(&path, b"other")
                .expect_err("refused")
                .is_in_the_way()
        );
    }

    #[test]
    fn walking_does_not_enter_a_link_that_leads_back() {
        let folder = folder();
        make_folder(&folder.path().join("a/b")).expect("made");
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/b/loop")).expect("link");

        let found = walk(folder.path()).expect("walked");
        assert_eq!(
            found,
            [Found {
                path: "a/b/loop".into(),
                is_odd: true
            }]
        );
    }
}
