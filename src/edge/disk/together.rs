//! Several files, changed together.

use super::{DiskError, Overwrite, folder_of, read_regular, stage, sync_folder, write};
use std::fs;
use std::io;
use std::path::Path;

/// One file's content, and what takes its place.
#[derive(Clone, Copy, Debug)]
pub struct Replacement<'r> {
    /// The file, which must be one and no link: what a link leads to may be others' as well.
    pub path: &'r Path,
    /// What it must still hold.
    pub old: &'r [u8],
    /// What it will hold.
    pub new: &'r [u8],
}

/// Replaces the content of several files, all of them or none: every new content is on the disk before
/// the first file gets it, and where one cannot, those before it get back what they had. Modes are
/// kept.
pub fn replace_all(files: &[Replacement<'_>]) -> Result<(), DiskError> {
    let failed = |file: &Replacement<'_>, error| DiskError::new("replace", file.path, error);
    let mut staged = Vec::new();
    for file in files {
        let neighbour = check(file).and_then(|()| stage(file.path, file.new));
        staged.push((file, neighbour.map_err(|e| failed(file, e))?));
    }
    for (index, (file, neighbour)) in staged.into_iter().enumerate() {
        if let Err(error) = neighbour.persist(file.path) {
            for done in &files[..index] {
                write(done.path, done.old, Overwrite::Allowed)?;
            }
            return Err(failed(file, error.error));
        }
    }
    for file in files {
        sync_folder(folder_of(file.path)).map_err(|e| failed(file, e))?;
    }
    Ok(())
}

fn check(file: &Replacement<'_>) -> io::Result<()> {
    if fs::symlink_metadata(file.path)?.is_symlink() {
        let reason = "it is a link, and what it leads to may belong to others as well";
        return Err(io::Error::other(reason));
    }
    let there = read_regular(file.path, file.old.len());
    if there.is_ok_and(|there| *there == file.old) {
        Ok(())
    } else {
        Err(io::Error::other("it is no longer what was read"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{mode_of, read, walk};
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn several_files_are_replaced_together_and_keep_their_modes() {
        let folder = folder();
        let paths = ["a", "b"].map(|name| folder.path().join(name));
        for path in &paths {
            write(path, b"old", Overwrite::Never).expect("written");
        }
        fs::set_permissions(&paths[0], Permissions::from_mode(0o640)).expect("mode set");

        replace_all(&paths.each_ref().map(|path| replacement(path))).expect("replaced");
        for path in &paths {
            assert_eq!(read(path, 9).expect("read").as_slice(), b"new");
        }
        assert_eq!(mode_of(&paths[0]).expect("there").mode() & 0o777, 0o640);
    }

    fn replacement(path: &Path) -> Replacement<'_> {
        Replacement {
            path,
            old: b"old",
            new: b"new",
        }
    }

    #[test]
    fn where_one_of_several_files_cannot_be_replaced_none_is() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        for (name, bytes) in [("a", b"old"), ("other", b"mid")] {
            write(&at(name), bytes, Overwrite::Never).expect("written");
        }
        std::os::unix::fs::symlink("a", at("link")).expect("link");
        for (name, reason) in [
            ("gone", "No such file or directory"),
            ("other", "it is no longer what was read"),
            (
                "link",
                "it is a link, and what it leads to may belong to others as well",
            ),
        ] {
            let (good, bad) = (at("a"), at(name));
            let error = replace_all(&[replacement(&good), replacement(&bad)]);

            assert_eq!(error.expect_err("refused").reason(), reason);
            assert_eq!(read(&good, 9).expect("read").as_slice(), b"old");
            assert_eq!(walk(folder.path()).expect("walked").len(), 3);
        }
    }
}
