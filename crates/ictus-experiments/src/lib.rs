//! The collision, impact, friction and string figures of five papers, run by ictus and judged against numbers measured independently.
//!
//! | id | shows |
//! |---|---|
//! | `cw14-2`, `cw14-3`, `cw14-4` | a string on a flat and on a curved barrier, by Hamilton's equations (CW14) |
//! | `d21-1`, `d21-2` | a mass against a barrier by three methods, and their order of convergence (D21) |
//! | `d21-3`, `d21-4` | a hammer on a string, iterative and not |
//! | `d21-5`, `d21-6` | a string on a backboard and on frets, by finite differences and by modes |
//! | `d21-7`, `d21-10` | a wire on a membrane, and the tromba marina |
//! | `so8-8.1`, `so8-8.7` | modes of a membrane, spectra of fractal noise (SO8) |
//! | `so8-8.3`, `so8-8.9`, `so8-8.10` | impacts: hysteresis, hardness, micro-impacts |
//! | `so8-8.5` | the Stribeck curve, and bristles that settle on it |
//! | `so8-table8.1` | what each parameter of the friction model does to the sound |
//! | `fr-displacement`, `fr-balance`, `fr-energy` | a bowed string: motion, power balance, energies (FR) |
//! | `rb14-4`, `rb14-5`, `rb14-6`, `rb14-7` | the force of one and of two adhering points as roots of polynomials (RB14) |
//! | `rb14-8`, `rb14-9`, `rb14-divergence` | a nonlinear string held at rest and along a way; where the published method diverges |
//! | `rb14-secular`, `rb14-order` | how long a Volterra series holds; convergence of the engine's string [handbook §6] |
//! | `hard-barrier` | which method converges when the barrier is nearly rigid [handbook §7] |
//!
//! A [`Figure`] knows its parameters and runs to an [`Outcome`]: metrics, pictures, curves as tables, animations. The
//! papers' own solvers live beside ours as controls ([`cw14`], [`d21`], [`so8`], [`rb14`]): where a paper counts its Newton steps, the
//! count of its solver is the reference and ours stands beside it.
//!
//! ```
//! let figure = ictus_experiments::find("d21-2").unwrap();
//! let outcome = figure.run(&figure.defaults())?;
//! assert!(outcome.metrics.iter().all(|metric| metric.pass != Some(false)));
//! # Ok::<(), ictus_experiments::Error>(())
//! ```

pub mod animation;
pub mod contour;
pub mod cw14;
pub mod d21;
pub mod figure;
pub mod fr;
pub mod hard_barrier;
pub mod measure;
pub mod metric;
pub mod outcome;
pub mod papers;
pub mod rb14;
pub mod recording;
pub mod report;
pub mod rig;
pub mod so8;
pub mod view;

pub use animation::Animation;
pub use figure::{Error, Figure, Parameter, Values};
pub use metric::{Check, Metric};
pub use outcome::{Outcome, Picture, Plots, Table};

use ictus_analysis::plot::PlotError;
use rayon::prelude::*;
use std::path::Path;

/// All figures, in the order of the papers.
pub static FIGURES: &[&Figure] = &[
    &cw14::flat::FIGURE,
    &cw14::curved::FIGURE,
    &cw14::stiff::FIGURE,
    &d21::mass::FIGURE,
    &d21::order::FIGURE,
    &d21::hammer::SNAPSHOTS,
    &d21::hammer::OUTPUTS,
    &d21::fretboard::BACKBOARD,
    &d21::fretboard::FRETS,
    &d21::wire::FIGURE,
    &d21::tromba::FIGURE,
    &so8::membrane::FIGURE,
    &so8::portrait::FIGURE,
    &so8::stribeck::FIGURE,
    &so8::fractal::FIGURE,
    &so8::hardness::FIGURE,
    &so8::oscillating::FIGURE,
    &so8::table::FIGURE,
    &fr::displacement::FIGURE,
    &fr::balance::FIGURE,
    &fr::energy::FIGURE,
    &rb14::roots::WHOLE,
    &rb14::roots::ZOOM,
    &rb14::surfaces::LEVELS,
    &rb14::surfaces::CROSSINGS,
    &rb14::sounds::HELD,
    &rb14::sounds::GLIDE,
    &rb14::divergence::FIGURE,
    &rb14::secular::FIGURE,
    &rb14::order::FIGURE,
    &hard_barrier::FIGURE,
];

/// The figure with this id.
pub fn find(id: &str) -> Option<&'static Figure> {
    FIGURES.iter().copied().find(|figure| figure.id == id)
}

/// The figures of a paper.
pub fn of_paper(paper: &str) -> Vec<&'static Figure> {
    FIGURES.iter().copied().filter(|figure| figure.paper == paper).collect()
}

/// Runs several figures at the same time; the answers are in the order asked.
pub fn run_all(runs: &[(&'static Figure, Values)]) -> Vec<Result<Outcome, Error>> {
    runs.par_iter().with_max_len(1).map(|(figure, values)| figure.run(values)).collect()
}

/// Writes the files of several figures at the same time.
pub fn write_all(runs: &[(&'static Figure, Values)], outcomes: &[Outcome], folder: &Path) -> Result<(), PlotError> {
    runs.par_iter()
        .zip(outcomes)
        .with_max_len(1)
        .try_for_each(|((figure, _), outcome)| outcome.write(figure.id, folder).map(|_| ()))
}
