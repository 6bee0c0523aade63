//! Where an instrument comes from: a file, a preset, or standard input.

use crate::failure::Failure;
use crate::preset_name;
use ictus_engine::presets;
use std::io::Read;
use std::path::Path;

/// Files longer than this are refused before they are read whole.
const MAX_BYTES: u64 = 16 << 20;

/// The text of an instrument and what to call it.
pub struct Source {
    /// For messages.
    pub name: String,
    /// For files made from it.
    pub stem: String,
    pub text: String,
    /// Presets that begin with the same word, where the user named no more than that.
    pub others: Vec<&'static str>,
}

impl Source {
    /// Says which of several presets was taken, where the name left it open.
    pub fn note_choice(&self) {
        if !self.others.is_empty() {
            eprintln!("  using {}; the name also fits {}", self.stem, self.others.join(", "));
        }
    }
}

/// Finds what the user named; the default preset if nothing.
pub fn find(argument: Option<&str>) -> Result<Source, Failure> {
    match argument {
        None => Ok(Source { stem: "ictus".to_owned(), ..preset_source(presets::DEFAULT) }),
        Some("-") => {
            let mut bytes = Vec::new();
            let stdin = std::io::stdin().lock();
            stdin
                .take(MAX_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::file(Path::new("standard input"), "read", &error))?;
            Ok(Source {
                name: "standard input".into(),
                stem: "ictus".into(),
                text: text(bytes, "standard input")?,
                others: Vec::new(),
            })
        }
        Some(word) if is_file_name(word) => read_file(Path::new(word)),
        // a folder may be named like a preset, as by `sweep gong -o gong`
        Some(word) => preset(word)
            .or_else(|unknown| if Path::new(word).exists() { read_file(Path::new(word)) } else { Err(unknown) }),
    }
}

/// The preset a word names.
pub fn preset(word: &str) -> Result<Source, Failure> {
    let found = preset_name::find(word)?;
    Ok(Source { others: found.others, ..preset_source(found.preset.stem) })
}

fn preset_source(stem: &str) -> Source {
    let preset = presets::find(stem).unwrap_or(&presets::ALL[0]);
    Source {
        name: format!("{}.toml", preset.stem),
        stem: preset.stem.into(),
        text: preset.text.into(),
        others: Vec::new(),
    }
}

fn is_file_name(word: &str) -> bool {
    word.ends_with(".toml") || word.contains(['/', '\\']) || Path::new(word).is_file()
}

fn read_file(path: &Path) -> Result<Source, Failure> {
    let failed = |error: &std::io::Error| Failure::file(path, "read", error);
    let metadata = std::fs::metadata(path).map_err(|error| failed(&error))?;
    if metadata.is_dir() {
        return Err(Failure::new(
            format!("{} is a folder, expected an instrument file", path.display()),
            "name a .toml file inside it",
        ));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    let name = path.display().to_string();
    let stem = path.file_stem().map_or("ictus".into(), |stem| stem.to_string_lossy().into_owned());
    Ok(Source { stem, text: text(bytes, &name)?, name, others: Vec::new() })
}

fn text(bytes: Vec<u8>, name: &str) -> Result<String, Failure> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::new(
            format!("{name} is longer than 16 MiB"),
            "an instrument file is text of some kilobytes",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        Failure::new(format!("{name}:{line}: not UTF-8 text"), "an instrument is a TOML text file")
    })
}
