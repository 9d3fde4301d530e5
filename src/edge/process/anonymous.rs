//! A file without a name, in memory, for programs that only take files.

use super::ProcessError;
use crate::secret::Secret;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// A `memfd`: it has no path in any file system, is never written to a disk by anyone but swap, and
/// is gone with the last program that holds it.
#[derive(Debug)]
pub struct AnonymousFile(File);

impl AnonymousFile {
    /// One that holds `value`.
    pub fn holding(value: &Secret<Vec<u8>>) -> Result<Self, ProcessError> {
        let fd =
            memfd_create("hydrant", MemfdFlags::CLOEXEC).map_err(|e| failed("made", e.kind()))?;
        let mut file = File::from(fd);
        file.write_all(value.expose())
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .map_err(|e| failed("filled", e.kind()))?;
        Ok(Self(file))
    }

    /// The path under which a child finds it, once [`Self::share`] was called.
    ///
    /// It names the child's own descriptor: this process's `/proc` is closed to everyone.
    pub fn path_in_child(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    /// From now on children inherit it; call it right before the one that is meant is started.
    pub fn share(&self) -> Result<(), ProcessError> {
        fcntl_setfd(&self.0, FdFlags::empty()).map_err(|e| failed("shared", e.kind()))
    }

    /// What is in it now, at most `limit` bytes.
    pub fn read_back(&self, limit: usize) -> Result<Secret<Vec<u8>>, ProcessError> {
        self.contents(limit)
            .map(Secret::from)
            .map_err(|e| failed("read back", e.kind()))
    }

    fn contents(&self, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
        let size = usize::try_from(self.0.metadata()?.len()).unwrap_or(usize::MAX);
        if size > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Zeroizing::new(vec![0; size]);
        self.0.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

fn failed(deed: &'static str, kind: io::ErrorKind) -> ProcessError {
    ProcessError::Anonymous { deed, kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_comes_back_unless_it_grew_too_large() {
        let file = AnonymousFile::holding(&Secret::new(b"value".to_vec())).expect("made");

        assert_eq!(file.read_back(5).expect("read").expose(), b"value");
        assert!(file.read_back(4).is_err());
    }
}
