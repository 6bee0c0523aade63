//! The words of the command line. The doc comments are the help texts.

use crate::quantity;
use clap::{Args, Parser, Subcommand, ValueEnum};
use ictus_sweep::Vary;
use std::path::PathBuf;

/// Sound of things that touch: strike, pluck, rattle, buzz, with every joule accounted for.
///
/// Without a command, renders the default preset to ictus.wav.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render an instrument to a WAV or FLAC file and report on level, pitch and energy
    Render(Render),
    /// Check the energy ledger of an instrument; exit code 1 if it does not close
    Audit(Audit),
    /// Film the strings, membranes and plates of an instrument: a filmstrip and an animation of each
    Film(Film),
    /// Validate an instrument file without rendering it
    Check(Check),
    /// List the presets and their knobs, or the materials and shapes of which objects can be made
    List(List),
    /// Print the file of a preset, as a start for your own; its knobs on standard error
    Show(Show),
    /// Print the JSON schema of the instrument file, for editors
    Schema,
    /// Find the modes of a struck object in a recording and write them as an instrument
    Extract(Extract),
    /// Render an instrument many times with varied parameters: sounds and a table of parameters, forces and energies
    Sweep(Sweep),
    /// Play a bow at every force and place (schelleng) or acceleration (guettler) and draw what each plays
    Map(Map),
    /// Reproduce the figures of the papers behind the physics; exit code 1 if a number is not met
    Repro(Repro),
    /// Measure how fast the engine is on this machine, against plain loops, the machine's own limits and Faust
    ///
    /// Every row is a ratio of things that ran alternately, the median of many short runs: more is better. Faust takes part
    /// where it and a C++ compiler are installed. All of it takes two minutes, longer if other programs use the same core: a run waits until the core is free.
    Bench(Bench),
}

impl Default for Command {
    fn default() -> Self {
        Self::Render(Render::default())
    }
}

/// What to play, shared by the commands that play.
#[derive(Debug, Clone, Args)]
pub struct Play {
    /// Instrument file, preset (its id, first word, or a part only it has), or - for standard input
    #[arg(value_name = "FILE|PRESET")]
    pub source: Option<String>,
    /// Length, such as 2, 2s or 500ms [default: what the file suggests]
    #[arg(long, short = 's', value_name = "SECONDS", allow_negative_numbers = true, value_parser = quantity::seconds)]
    pub seconds: Option<f64>,
    /// Sample rate, such as 48000 or 44.1k
    #[arg(long, short = 'r', value_name = "HZ", default_value_t = 48_000, value_parser = quantity::sample_rate)]
    pub sample_rate: u32,
    /// Seed of every random choice [default: the file's]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Turn a knob (hardness=0.8) or set a parameter (mallet.mass_kg=0.03, "mallet.mass_kg=30 g")
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub settings: Vec<(String, String)>,
    /// Play only the first gesture of every kind (throw, pluck, strike, …), once: one hit instead of a phrase
    #[arg(long)]
    pub hit: bool,
    /// Also play the events of a take, one line of JSON each
    #[arg(long, value_name = "TAKE.JSONL")]
    pub events: Option<PathBuf>,
    /// Print the report as JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

impl Default for Play {
    fn default() -> Self {
        Self {
            source: None,
            seconds: None,
            sample_rate: 48_000,
            seed: None,
            settings: Vec::new(),
            hit: false,
            events: None,
            json: false,
            quiet: false,
        }
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct Render {
    #[command(flatten)]
    pub play: Play,
    /// Where to write the sound: .wav, .flac, or - for standard output [default: the preset's or file's name with .wav]
    #[arg(long, short = 'o', value_name = "OUT.WAV|OUT.FLAC")]
    pub output: Option<PathBuf>,
    /// How samples are stored
    #[arg(long, value_enum, default_value_t)]
    pub format: SampleFormat,
    /// Write waveform.png, spectrogram.png and energy.png into this folder
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
    /// Also write one mono file per tap, named after it: OUT.TAP.wav
    #[arg(long)]
    pub stems: bool,
    /// Fade out over the last seconds, 0.5 if no number is given, 0 for no fade [default: the file's `fade_s`]
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "0.5", allow_negative_numbers = true)]
    pub fade: Option<f64>,
    /// Render until the sound has fallen this far below its peak, 60 dB if no number is given; at most --seconds, or a minute
    #[arg(long, value_name = "DB", num_args = 0..=1, default_missing_value = "60", allow_negative_numbers = true)]
    pub until_silent: Option<f64>,
    /// Scale the sound to this loudness, such as -18
    #[arg(long, value_name = "LUFS", allow_negative_numbers = true)]
    pub normalise: Option<f64>,
    /// Write one channel, the mean of left and right
    #[arg(long)]
    pub mono: bool,
}

/// Sample formats of the sound file.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum SampleFormat {
    /// 16-bit integers
    #[value(name = "16")]
    Sixteen,
    /// 24-bit integers
    #[default]
    #[value(name = "24")]
    TwentyFour,
    /// 32-bit floats
    #[value(name = "32f")]
    Float,
}

#[derive(Debug, Clone, Args)]
pub struct Audit {
    #[command(flatten)]
    pub play: Play,
    /// Largest residual allowed, as a share of the peak energy
    #[arg(long, value_name = "SHARE", default_value_t = 1e-9)]
    pub tolerance: f64,
}

#[derive(Debug, Clone, Args)]
pub struct Film {
    #[command(flatten)]
    pub play: Play,
    /// Folder for NAME-filmstrip.png, NAME-filmstrip.svg and NAME.apng, NAME being that of the body
    #[arg(long, value_name = "DIR", default_value = "film")]
    pub out: PathBuf,
    /// When to begin [default: 0 with --to, else where something begins to move]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = quantity::seconds)]
    pub from: Option<f64>,
    /// When to end [default: 20 ms after the beginning]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = quantity::seconds)]
    pub to: Option<f64>,
    /// Frames of the animation
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u16).range(2..=600))]
    pub frames: u16,
}

#[derive(Debug, Clone, Args)]
pub struct Check {
    #[command(flatten)]
    pub play: Play,
    /// Show the modes of every modal body: pitch, decay, mass, and shapes at its ports
    #[arg(long)]
    pub modes: bool,
}

#[derive(Debug, Clone, Args)]
pub struct List {
    /// Show only presets whose name, category or tags contain this; materials and shapes by their name
    pub filter: Option<String>,
    /// List the materials instead
    #[arg(long, conflicts_with = "shapes")]
    pub materials: bool,
    /// List the shapes and their parameters instead
    #[arg(long)]
    pub shapes: bool,
    /// List what can be moved while an instrument sounds, the filter being a file or a preset: its inputs and its knobs
    #[arg(long, conflicts_with_all = ["materials", "shapes"])]
    pub parameters: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Show {
    /// Preset (its id, first word, or a part only it has)
    pub preset: String,
    /// Print the file only
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Extract {
    /// Recording (WAV, FLAC or Ogg Vorbis) of one stroke or of several in a row, its channels being microphones; several files are single strokes of the same object
    #[arg(value_name = "RECORDING", required = true)]
    pub recordings: Vec<PathBuf>,
    /// Where to write the instrument, - for standard output [default: the recording's name with .toml]
    #[arg(long, short = 'o', value_name = "OBJECT.TOML")]
    pub output: Option<PathBuf>,
    /// Also write the hits and the decaying sinusoids they set ringing, to compare by ear
    #[arg(long, value_name = "OUT.WAV")]
    pub resynthesis: Option<PathBuf>,
    /// Draw the recording against the render of the instrument: spectrograms and third octaves
    #[arg(long, value_name = "OUT.PNG|OUT.SVG")]
    pub plot: Option<PathBuf>,
    /// Most modes
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=400))]
    pub modes: u16,
    /// Lowest frequency
    #[arg(long, value_name = "HZ", default_value_t = 30.0, allow_negative_numbers = true)]
    pub min_hz: f64,
    /// Highest frequency [default: 0.45 of the sample rate, 20 kHz at most]
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub max_hz: Option<f64>,
    /// Seconds analysed after the first onset
    #[arg(long, short = 's', value_name = "SECONDS", default_value_t = 3.0, allow_negative_numbers = true, value_parser = quantity::seconds)]
    pub seconds: f64,
    /// Print the report as JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Sweep {
    /// Instrument file, preset (its id, first word, or a part only it has), or - for standard input
    #[arg(value_name = "FILE|PRESET")]
    pub source: String,
    /// Vary what --set could set: evenly (hardness=0..1), in equal ratios (mallet.mass_kg=5g..50g:log), in whole
    /// numbers (seed=1..1000:int), or from a list (bar.material=steel,oak,glass)
    #[arg(long, value_name = "KEY=RANGE", required = true)]
    pub vary: Vec<Vary>,
    /// Number of samples
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub number: Option<u64>,
    /// Folder for the sounds, table.csv, sweep.json and instrument.toml; the command resumes an interrupted sweep
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: PathBuf,
    /// How the samples lie: independent (random), even at every length (sobol), or every combination (grid)
    #[arg(long, value_enum, default_value_t)]
    pub order: SweepOrder,
    /// Seed of the order; the instrument's own is --set seed=N
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Length of a sample, such as 2, 2s or 500ms [default: what the file suggests]
    #[arg(long, short = 's', value_name = "SECONDS", allow_negative_numbers = true, value_parser = quantity::seconds)]
    pub seconds: Option<f64>,
    /// Sample rate, such as 48000 or 44.1k
    #[arg(long, short = 'r', value_name = "HZ", default_value_t = 48_000, value_parser = quantity::sample_rate)]
    pub sample_rate: u32,
    /// Turn a knob or set a parameter in all samples
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub settings: Vec<(String, String)>,
    /// How samples are stored
    #[arg(long, value_enum, default_value_t)]
    pub format: SampleFormat,
    /// Write FLAC files, which hold the same in about half the space
    #[arg(long)]
    pub flac: bool,
    /// Also measure the pitch, which may take longer than the rendering
    #[arg(long)]
    pub pitch: bool,
    /// Threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

/// How the samples of a sweep lie in the space of the varied keys.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum SweepOrder {
    /// Independent and uniform
    #[default]
    Random,
    /// Sobol's sequence: even at every length
    Sobol,
    /// Every combination, the last key fastest
    Grid,
}

#[derive(Debug, Clone, Args)]
pub struct Map {
    /// Which: schelleng (bow force against place) or guettler (bow force against acceleration)
    #[arg(value_name = "MAP")]
    pub map: String,
    /// Where picture and table go
    #[arg(long, short = 'o', value_name = "DIR", default_value = "map")]
    pub out: PathBuf,
    /// Change a parameter (columns=40, speed=0.1, damping=5)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = key_value)]
    pub settings: Vec<(String, String)>,
    /// Print the cells as JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Repro {
    /// Figure (d21-1) or paper (cw14, d21)
    #[arg(value_name = "FIGURE|PAPER", conflicts_with = "all")]
    pub figure: Option<String>,
    /// Run all figures and write one page with everything, index.html
    #[arg(long)]
    pub all: bool,
    /// List the figures
    #[arg(long, conflicts_with_all = ["figure", "all"])]
    pub list: bool,
    /// Where pictures, curves and animations go
    #[arg(long, short = 'o', value_name = "DIR", default_value = "repro")]
    pub out: PathBuf,
    /// Change a parameter of the figure (k_b=1e9); numbers that belong to the published value are then not judged
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = key_value)]
    pub settings: Vec<(String, String)>,
    /// Print the metrics as JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Bench {
    /// Measure only what has one of these in its name (contact, string, "300 modes") [default: everything but `scale`, how cost grows, and `presets`, the load of every preset]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Some seconds instead of minutes: rougher, and without Faust
    #[arg(long)]
    pub quick: bool,
    /// Draw the curves of `scale` as scale.png into this folder
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
    /// Exit with 1 if a goal is missed
    #[arg(long)]
    pub check: bool,
    /// Print JSON on standard output: name, value, unit, against, ratio, goal, pass
    #[arg(long)]
    pub json: bool,
    /// Print neither progress nor notes
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as hardness=0.8")?;
    match (key.trim(), value.trim()) {
        ("", _) => Err("expected a key before ="),
        (_, "") => Err("expected a value after ="),
        (key, value) => Ok((key.to_owned(), value.to_owned())),
    }
    .map_err(str::to_owned)
}
