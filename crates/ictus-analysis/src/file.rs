//! Files that appear whole or not at all: written under another name beside the target, then renamed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file that takes its name on [`commit`](Self::commit); dropped before that, it leaves nothing behind.
pub(crate) struct AtomicFile {
    writer: Option<BufWriter<File>>,
    /// What is written to and what it becomes; the same for devices and pipes, which must not be replaced.
    temporary: PathBuf,
    target: PathBuf,
}

impl AtomicFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        // A link stays a link: what it points to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Ok(existing) = fs::metadata(&target) {
            if existing.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
            }
            if !existing.is_file() {
                let file = OpenOptions::new().write(true).open(&target)?;
                return Ok(Self { writer: Some(BufWriter::new(file)), temporary: target.clone(), target });
            }
        }
        let temporary = beside(&target)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        Ok(Self { writer: Some(BufWriter::new(file)), temporary, target })
    }

    /// Writes out what is buffered and gives the file its name.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        let file = self.writer.take().expect("open until here").into_inner().map_err(io::IntoInnerError::into_error);
        let renamed = file
            .map(drop)
            .and_then(|()| if self.in_place() { Ok(()) } else { fs::rename(&self.temporary, &self.target) });
        if renamed.is_err() {
            self.discard();
        }
        renamed
    }

    fn in_place(&self) -> bool {
        self.temporary == self.target
    }

    fn discard(&self) {
        if !self.in_place() {
            // Nothing sensible can be done about a file that cannot be removed.
            let _ = fs::remove_file(&self.temporary);
        }
    }

    fn inner(&mut self) -> &mut BufWriter<File> {
        self.writer.as_mut().expect("open until committed")
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            self.discard();
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner().seek(to)
    }
}

/// Writes a whole file at once.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// A hidden name in the same folder, not taken by another writer of this or another process.
fn beside(target: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "names no file"))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    Ok(target.with_file_name(hidden))
}

/// A folder for tests, removed afterwards.
#[cfg(test)]
pub(crate) mod scratch {
    use std::path::{Path, PathBuf};

    pub(crate) struct Folder(PathBuf);

    impl Folder {
        pub(crate) fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("ictus-analysis-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        pub(crate) fn path(&self) -> &Path {
            &self.0
        }

        pub(crate) fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_and_replaces_the_old_one() {
        let folder = scratch::Folder::new("whole");
        let path = folder.path().join("a.txt");
        write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn nothing_is_left_of_an_abandoned_file() {
        let folder = scratch::Folder::new("abandoned");
        let mut file = AtomicFile::create(&folder.path().join("a.txt")).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(folder.names().len(), 1);
        drop(file);
        assert!(folder.names().is_empty());
    }

    #[test]
    fn folders_and_missing_folders_are_errors() {
        let folder = scratch::Folder::new("errors");
        assert!(write(folder.path(), b"x").is_err());
        assert!(write(&folder.path().join("no/such/a.txt"), b"x").is_err());
        assert!(folder.names().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = scratch::Folder::new("links");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        write(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
