//! The folder of a sweep on disk: begun, or found as an interrupted one left it.
//!
//! Sounds appear before their rows, and rows in order, so the table says what is done. Whatever lies beyond it is made again.

use crate::Summary;
use crate::error::{Error, GOES_ON};
use crate::recipe::{self, Recipe};
use crate::table::{FIRST, Status, TableRow};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The table's name.
pub const TABLE: &str = "table.csv";
const INSTRUMENT: &str = "instrument.toml";
/// Sounds per sub-folder: file managers and backup programs stay usable.
const PER_FOLDER: u64 = 1000;
/// Ends the names of files that are being written.
const PART: &str = ".part";

/// Where the sound of a sample lies, relative to the folder.
pub(crate) fn file_name(index: u64, extension: &str) -> String {
    format!("{:03}/{index:06}.{extension}", index / PER_FOLDER)
}

/// What a folder is begun with, or must have been.
pub(crate) struct Contents<'a> {
    pub recipe: &'a Recipe,
    /// Text of the instrument.
    pub text: &'a str,
    /// First line of the table.
    pub header: &'a str,
    /// Columns of contacts in it.
    pub contacts: usize,
    /// Of the sounds.
    pub extension: &'static str,
}

/// A folder being written.
pub(crate) struct Folder {
    path: PathBuf,
    table: File,
    contacts: usize,
    /// What is done so far.
    pub summary: Summary,
}

impl Folder {
    /// Begins a folder or goes on with one.
    pub fn open(path: &Path, contents: &Contents) -> Result<Self, Error> {
        let Contents { recipe, text, header, contacts, extension } = *contents;
        fs::create_dir_all(path).map_err(|error| {
            let message = format!("cannot create the folder {}: {error}", path.display());
            Error::new(message, "choose a folder that can be written")
        })?;
        let recipe_path = path.join(recipe::NAME);
        match fs::read_to_string(&recipe_path) {
            Ok(old) => recipe.check_goes_on(&old, &recipe_path)?,
            Err(error) if error.kind() == ErrorKind::NotFound => check_empty(path)?,
            Err(error) => return Err(Error::file(&recipe_path, "read", &error)),
        }
        // the recipe first: from then on the folder is known as a sweep's
        write_whole(&recipe_path, &recipe.text())?;
        write_whole(&path.join(INSTRUMENT), text)?;
        let table_path = path.join(TABLE);
        let failed = |error: &std::io::Error| Error::file(&table_path, "open", error);
        let table = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&table_path);
        let mut table = table.map_err(|error| failed(&error))?;
        match table.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another sweep is writing to {}", path.display());
                return Err(Error::new(message, "wait for it, or choose another folder"));
            }
            // a file system without locks is still a file system
            Err(TryLockError::Error(_)) => {}
        }
        let (end, mut summary) = read_table(path, &table, header, extension)?;
        table.set_len(end).map_err(|error| failed(&error))?;
        table.seek(SeekFrom::End(0)).map_err(|error| failed(&error))?;
        if end == 0 {
            table.write_all(header.as_bytes()).map_err(|error| failed(&error))?;
        }
        summary.found = summary.done();
        remove_parts(path, summary.found)?;
        Ok(Self { path: path.to_owned(), table, contacts, summary })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a row; the next one must follow in number.
    pub fn append(&mut self, row: &TableRow) -> Result<(), Error> {
        let written = self.table.write_all(row.line(self.contacts).as_bytes());
        written.map_err(|error| Error::file(&self.path.join(TABLE), "write", &error))?;
        self.summary.count(row.status);
        Ok(())
    }
}

/// Makes the sub-folder of a sound.
pub(crate) fn make_room(path: &Path) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| Error::file(folder, "create the folder", &error))
}

fn check_empty(path: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(path).map_err(|error| Error::file(path, "read the folder", &error))?;
    let is_part = |name: &OsStr| name.to_string_lossy().ends_with(PART);
    match entries.filter_map(Result::ok).find(|entry| !is_part(&entry.file_name())) {
        None => Ok(()),
        Some(entry) => {
            let name = entry.file_name();
            let message = format!("{} already holds other files: {}", path.display(), name.to_string_lossy());
            Err(Error::new(message, "choose a new or empty folder, or the folder of an earlier sweep"))
        }
    }
}

fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let mut part = path.as_os_str().to_owned();
    part.push(PART);
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| Error::file(path, "write", &error))
}

/// Where the sound rows of the table end, and what they say. An incomplete row, and all from the first whose sound is missing, do not count.
fn read_table(path: &Path, table: &File, header: &str, extension: &str) -> Result<(u64, Summary), Error> {
    let table_path = path.join(TABLE);
    let mut reader = BufReader::new(table);
    let mut summary = Summary::default();
    let (mut end, mut line) = (0, String::new());
    loop {
        line.clear();
        let length = reader.read_line(&mut line).map_err(|error| Error::file(&table_path, "read", &error))?;
        if !line.ends_with('\n') {
            return Ok((end, summary));
        }
        if end == 0 {
            if line != header {
                let message = format!("{} has other columns than this sweep", table_path.display());
                return Err(Error::new(message, "choose another folder"));
            }
        } else {
            let index = summary.done();
            let mut cells = line.splitn(FIRST.len() + 1, ',');
            let [number, file, status] = std::array::from_fn(|_| cells.next().unwrap_or_default());
            let Some(status) = Status::read(status).filter(|_| number.parse() == Ok(index)) else {
                let message = format!("{}:{} is not the row of sample {index}", table_path.display(), index + 2);
                return Err(Error::new(message, "remove that line and all after it; the sweep renders them again"));
            };
            let sound = file_name(index, extension);
            if status != Status::Refused && (file != sound || !path.join(&sound).is_file()) {
                return Ok((end, summary));
            }
            summary.count(status);
        }
        end += length as u64;
    }
}

/// Removes what a killed sweep was writing: in the folders of the samples that follow.
fn remove_parts(path: &Path, next: u64) -> Result<(), Error> {
    for number in next / PER_FOLDER..=next / PER_FOLDER + 1 {
        let Ok(entries) = fs::read_dir(path.join(format!("{number:03}"))) else { continue };
        for entry in entries.filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().ends_with(PART) {
                let part = entry.path();
                fs::remove_file(&part)
                    .map_err(|error| Error::new(format!("cannot remove {}: {error}", part.display()), GOES_ON))?;
            }
        }
    }
    Ok(())
}
