//! Running the command in an empty folder.

use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A small valid instrument that the tests bend.
pub const GOOD: &str = r#"format = 1
title = "Test bar"

[[resonator]]
id = "mallet"
kind = "mass"
mass_kg = 0.02

[[resonator]]
id = "bar"
kind = "modes"
frequency_hz = [440.0, 1212.9, 2377.7]
decay_s = [1.8, 0.7, 0.3]
mass_kg = [0.11, 0.11, 0.11]
ports = { strike = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }

[[resonator]]
id = "wire"
kind = "string"
length_m = 0.65
density_kg_m = 0.005
tension_n = 100.0
ports = { middle = 0.5 }

[[interaction]]
id = "contact"
kind = "collision"
between = ["mallet", "bar.strike"]
stiffness = 4.0e8
exponent = 2.3
gap_m = 0.001

[[gesture]]
throw = { what = "mallet", velocity_m_s = 1.5 }

[[tap]]
from = "bar.air"
gain = 2.0

[[control]]
id = "hardness"
map = [{ to = "contact.stiffness", curve = "exponential", range = [1e7, 1e9] }]
"#;

/// An empty folder in which the command runs.
pub struct TempFolder {
    pub folder: TempDir,
}

impl TempFolder {
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a writable folder");
    }

    /// Names of all files there.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .expect("a readable folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ictus"));
        command.current_dir(self.folder.path()).env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).output().expect("the command starts")
    }
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on stdout")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on stderr")
}

/// The report of `--json`.
pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_str(&stdout(output))
        .unwrap_or_else(|error| panic!("{error}\n{}{}", stdout(output), stderr(output)))
}
