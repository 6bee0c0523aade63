//! A folder that is gone afterwards.

use std::path::{Path, PathBuf};

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder among the system's temporary ones.
    pub fn new(name: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("ictus-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // nothing can be done where it fails, and nothing is lost
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
