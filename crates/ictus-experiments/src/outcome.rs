//! What a figure gives: metrics, pictures, tables, animations; and the files they become.

use crate::animation::Animation;
use crate::metric::Metric;
use ictus_analysis::plot::{self, Lines, PlotError, Sheet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A grid of plots.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What follows the figure's id in the file's name; empty for the figure itself.
    pub name: &'static str,
    /// Title above all plots.
    pub title: String,
    /// Plots in a row.
    pub columns: usize,
    /// The plots, row by row.
    pub plots: Plots,
}

/// What a picture is made of.
#[derive(Clone, Debug)]
pub enum Plots {
    /// Curves.
    Lines(Vec<Lines>),
    /// Spectrograms.
    Spectrograms {
        /// Names and sounds.
        sounds: Vec<(String, Vec<f64>)>,
        /// Samples per second.
        rate: f64,
        /// Highest frequency shown, Hz.
        highest: f64,
    },
}

impl Picture {
    /// Draws it into a file, PNG or SVG by its extension.
    pub fn draw(&self, path: &Path) -> Result<(), PlotError> {
        match &self.plots {
            Plots::Lines(lines) => plot::panels(path, &self.title, self.columns, lines),
            Plots::Spectrograms { sounds, rate, highest } => {
                let named: Vec<(&str, &[f64])> = sounds.iter().map(|(name, sound)| (&**name, &**sound)).collect();
                let sheet = Sheet::new(self.columns, *rate).titled(&self.title).up_to(*highest);
                plot::spectrogram_sheet(path, sheet, &named)
            }
        }
    }
}

/// Curves as numbers.
#[derive(Clone, Debug)]
pub struct Table {
    /// What follows the figure's id in the file's name; empty for the figure's main curves.
    pub name: String,
    /// Names of the columns with their units, such as `time_s`.
    pub columns: Vec<String>,
    /// Values, one vector per column; shorter ones leave cells empty.
    pub values: Vec<Vec<f64>>,
}

/// Everything a figure gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The table of metrics.
    pub metrics: Vec<Metric>,
    /// The figure, and more pictures if it has some.
    pub pictures: Vec<Picture>,
    /// The curves.
    pub tables: Vec<Table>,
    /// Moving pictures.
    pub animations: Vec<Animation>,
}

impl Table {
    /// A table without columns yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), columns: Vec::new(), values: Vec::new() }
    }

    /// The same table with one more column.
    pub fn with(mut self, column: impl Into<String>, values: Vec<f64>) -> Self {
        self.columns.push(column.into());
        self.values.push(values);
        self
    }

    /// As comma-separated text; numbers keep all their digits.
    pub fn csv(&self) -> String {
        let mut text = self.columns.join(",") + "\n";
        let rows = self.values.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            for (i, column) in self.values.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                // writing to a string cannot fail
                let _ = match column.get(row) {
                    Some(value) => write!(text, "{comma}{value:e}"),
                    None => write!(text, "{comma}"),
                };
            }
            text.push('\n');
        }
        text
    }
}

impl Outcome {
    /// True if no metric failed.
    pub fn passed(&self) -> bool {
        self.metrics.iter().all(|metric| metric.pass != Some(false))
    }

    /// Writes pictures (PNG and SVG), tables (CSV), animations (APNG) and the metrics (CSV) into `folder`; gives the files.
    pub fn write(&self, id: &str, folder: &Path) -> Result<Vec<PathBuf>, PlotError> {
        let mut files = Vec::new();
        for picture in &self.pictures {
            for extension in ["png", "svg"] {
                let path = folder.join(file_name(id, picture.name, extension));
                picture.draw(&path)?;
                files.push(path);
            }
        }
        for table in &self.tables {
            files.push(write(folder.join(file_name(id, &table.name, "csv")), table.csv().as_bytes())?);
        }
        for animation in &self.animations {
            files.push(write(folder.join(file_name(id, animation.name, "apng")), &animation.apng(folder)?)?);
        }
        files.push(write(folder.join(file_name(id, "metrics", "csv")), self.metrics_csv().as_bytes())?);
        Ok(files)
    }

    fn metrics_csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
        let mut text = "name,claim,test,reference,tolerance,measured,pass\n".to_owned();
        for m in &self.metrics {
            let pass = m.pass.map_or(String::new(), |pass| pass.to_string());
            let (name, claim) = (quoted(&m.name), quoted(&m.claim));
            let (reference, tolerance) = (number(m.reference()), number(m.tolerance()));
            let _ = writeln!(text, "{name},{claim},{},{reference},{tolerance},{:e},{pass}", m.test(), m.measured);
        }
        text
    }
}

/// `d21-3`, `d21-3-filmstrip`, …
pub(crate) fn file_name(id: &str, name: &str, extension: &str) -> String {
    if name.is_empty() { format!("{id}.{extension}") } else { format!("{id}-{name}.{extension}") }
}

fn write(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, PlotError> {
    match std::fs::write(&path, bytes) {
        Ok(()) => Ok(path),
        Err(error) => Err(PlotError::Io { path, error }),
    }
}
