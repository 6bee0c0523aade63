//! Many renders of one instrument with varied parameters: labelled data sets, variations of a sound.
//!
//! 1. A [`Plan`] says what to vary and how.
//! 2. [`Sweep::new`] parses the instrument once and tries every varied key.
//! 3. [`Sweep::run`] renders the samples on several threads into a folder: sounds, `table.csv`, `sweep.json`, `instrument.toml`.
//!
//! Sample i depends on the plan and on i only. An interrupted folder is resumed by running the same plan again, and is the
//! same byte for byte in the end, whatever the number of threads and interruptions.
//!
//! ```no_run
//! use ictus_sweep::{Plan, Sweep};
//! use std::sync::atomic::AtomicBool;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = std::fs::read_to_string("bar.toml")?;
//! let vary = vec!["hardness=0..1".parse()?, "mallet.mass_kg=5g..50g:log".parse()?];
//! let sweep = Sweep::new(Plan { count: Some(1000), ..Plan::new("bar.toml", &text, vary) })?;
//! println!("the first one: {:?}", sweep.values(0));
//! let summary = sweep.run("bars".as_ref(), 4, &AtomicBool::new(false), &|_| {})?;
//! println!("{} rendered, {} refused", summary.ok, summary.refused);
//! # Ok(())
//! # }
//! ```

mod draw;
mod error;
mod folder;
mod probe;
mod recipe;
mod run;
mod sample;
mod sobol;
mod table;
mod vary;

pub use draw::Order;
pub use error::Error;
pub use folder::TABLE;
pub use vary::Vary;

use draw::Draw;
use folder::{Contents, Folder};
use ictus_analysis::wav::Encoding;
use ictus_engine::{Patch, Results};
use ictus_instrument::{Document, Loaded};
use recipe::Recipe;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use vary::Span;

/// A day: longer is a slip of the finger.
const MAX_SECONDS: f64 = 86_400.0;
/// Bytes of results that samples share.
const RESULTS: usize = 32 << 20;

/// The kind of sound file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Container {
    /// Plain.
    #[default]
    Wav,
    /// Compressed without loss; 16 or 24 bits.
    Flac,
}

impl Container {
    /// Ends the names of the files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
        }
    }
}

/// What to render.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What messages call the instrument.
    pub name: String,
    /// Its file.
    pub text: String,
    /// Settings that hold for all samples, as of `--set`.
    pub settings: Vec<(String, String)>,
    /// What is varied.
    pub vary: Vec<Vary>,
    /// How.
    pub order: Order,
    /// Seed of the order; the instrument's own seed is its key `seed`.
    pub seed: u64,
    /// Number of samples; a grid over lists knows its own.
    pub count: Option<u64>,
    /// Length of a sample, s; otherwise what the file suggests.
    pub seconds: Option<f64>,
    /// Hz.
    pub sample_rate: u32,
    /// How a sample is stored.
    pub encoding: Encoding,
    /// In which kind of file.
    pub container: Container,
    /// Whether the pitch is measured, which may take longer than the rendering.
    pub pitch: bool,
}

impl Plan {
    /// A plan with the defaults of the command, and no number of samples.
    pub fn new(name: &str, text: &str, vary: Vec<Vary>) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            settings: Vec::new(),
            vary,
            order: Order::default(),
            seed: 0,
            count: None,
            seconds: None,
            sample_rate: 48_000,
            encoding: Encoding::default(),
            container: Container::default(),
            pitch: false,
        }
    }
}

/// What a folder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Samples rendered.
    pub ok: u64,
    /// Samples in which the engine had to silence something that was no longer finite.
    pub silenced: u64,
    /// Samples whose parameters make no instrument.
    pub refused: u64,
    /// How many of all these were there before.
    pub found: u64,
}

/// A plan that was found to make sense.
#[derive(Debug)]
pub struct Sweep {
    plan: Plan,
    document: Document,
    spans: Vec<Span>,
    draw: Draw,
    count: u64,
    /// The instrument without variation.
    base: Loaded,
    /// What samples have in common: modes of shapes that do not vary, rough profiles.
    results: Results,
    warnings: Vec<ictus_instrument::Error>,
    /// What has a column of its own for its largest force.
    contacts: Vec<String>,
}

impl Sweep {
    /// Parses the instrument, reads the ranges and tries both ends of each.
    ///
    /// # Errors
    /// A fault of the instrument, of a range or of the number of samples. What fails only in combination is no error here:
    /// such samples get a row that says so.
    pub fn new(plan: Plan) -> Result<Self, Error> {
        let document = Document::parse(&plan.name, &plan.text)?;
        let base = document.load(&plan.settings)?;
        let results = Results::new(RESULTS);
        let patch = Patch::compile_with(&base, plan.sample_rate, &results)?;
        let warnings = base.warnings.iter().chain(patch.warnings()).cloned().collect();
        if let Some(seconds) = plan.seconds.filter(|seconds| !(*seconds > 0.0 && *seconds <= MAX_SECONDS)) {
            let message = format!("--seconds is {seconds}, expected more than 0 and at most {MAX_SECONDS}");
            return Err(Error::new(message, "try --seconds 1"));
        }
        if plan.container == Container::Flac && plan.encoding == Encoding::Float32 {
            return Err(Error::new("FLAC cannot store floating-point samples", "use --format 24, or WAV"));
        }
        let spans = probe::spans(&plan, &document)?;
        let (draw, count) = Draw::new(plan.order, plan.seed, &spans, plan.count)?;
        if count == 0 {
            return Err(Error::new("a sweep needs at least one sample", "give a number with -n 1000"));
        }
        let spec = &base.spec;
        let touching = spec.interactions.iter().filter(|interaction| interaction.law.lets_go());
        let contacts = touching.map(|interaction| &interaction.id);
        let contacts = contacts.chain(spec.barriers.iter().map(|barrier| &barrier.id));
        let contacts = contacts.chain(spec.wires.iter().map(|wires| &wires.id));
        let contacts = contacts.chain(spec.fingers.iter().map(|finger| &finger.id)).cloned().collect();
        Ok(Self { plan, document, spans, draw, count, base, results, warnings, contacts })
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The instrument as it is without variation.
    pub fn base(&self) -> &Loaded {
        &self.base
    }

    /// What is odd about it, but allowed.
    pub fn warnings(&self) -> &[ictus_instrument::Error] {
        &self.warnings
    }

    /// What the varied keys are set to in a sample, in the order of the plan.
    pub fn values(&self, index: u64) -> Vec<String> {
        self.spans.iter().enumerate().map(|(key, span)| span.at(self.draw.place(index, key))).collect()
    }

    /// Renders into a folder, or goes on with it, on `jobs` threads. `each` hears of every sample handed in; `stop` ends it early.
    ///
    /// # Errors
    /// A folder that is not this sweep's, one that cannot be written, or [`Error::Interrupted`].
    pub fn run(
        &self,
        folder: &Path,
        jobs: usize,
        stop: &AtomicBool,
        each: &(dyn Fn(&Summary) + Sync),
    ) -> Result<Summary, Error> {
        let keys = self.plan.vary.iter().map(|vary| vary.key.as_str());
        let contents = Contents {
            recipe: &Recipe::new(&self.plan, self.count),
            text: &self.plan.text,
            header: &table::header(keys, &self.contacts),
            contacts: self.contacts.len(),
            extension: self.plan.container.extension(),
        };
        run::run(self, Folder::open(folder, &contents)?, jobs.max(1), stop, each)
    }
}
