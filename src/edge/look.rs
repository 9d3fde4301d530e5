//! Looking at what is there without reading it.
//!
//! It follows links, as a user who opens a file would, and tells a link that leads nowhere from nothing.

#![expect(
    clippy::disallowed_methods,
    reason = "this is where files are looked for"
)]

use super::disk::DiskError;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Is it a regular file, or a link to one?
pub(super) fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Is it a link, wherever it leads?
pub(super) fn is_link(path: &Path) -> bool {
    path.is_symlink()
}

/// Is it a folder, or a link to one? An error where there is nothing, or a link that leads nowhere.
pub(super) fn probe_folder(path: &Path) -> Result<bool, DiskError> {
    fs::metadata(path)
        .map(|found| found.is_dir())
        .map_err(|source| failed("look at", path, source))
}

/// The names of the folders directly in `path`, sorted, without hidden ones. A link that leads nowhere is
/// among them: it may have been meant for one.
pub(super) fn folders(path: &Path) -> Result<Vec<OsString>, DiskError> {
    list(path).map_err(|source| failed("list", path, source))
}

fn list(path: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let is_folder = kind.is_dir()
            || kind.is_symlink() && fs::metadata(entry.path()).map_or(true, |it| it.is_dir());
        let name = entry.file_name();
        if is_folder && !name.as_encoded_bytes().starts_with(b".") {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn failed(deed: &'static str, path: &Path, source: io::Error) -> DiskError {
    DiskError {
        path: path.to_path_buf(),
        deed,
        source,
    }
}
