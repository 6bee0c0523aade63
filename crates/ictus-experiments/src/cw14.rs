//! CW14: a string bouncing on a barrier, by discretised Hamilton's equations.
//!
//! All three figures share the string; [`control`] is the paper's own solver, plain Newton on the banded system, as an
//! independent check of ours and as the thing whose iterations the paper counts.

pub mod control;
pub mod curved;
pub mod flat;
pub mod stiff;

use crate::figure::{Parameter, Values, positive};
use crate::rig::{ContactMethod, Medium, Post, Setup, check_grid, flexible};
use control::Control;
use ictus_core::BuildError;

const LENGTH: Parameter = positive("length", 0.7, "m", "length of the string");
const DENSITY: Parameter = positive("density", 1e-3, "kg/m", "ρA, mass per length");
const TENSION: Parameter = positive("tension", 100.0, "N", "τ");
const AMPLITUDE: Parameter =
    positive("amplitude", 2e-3, "m", "height of the half sine from which the string is released");
const SPACING: Parameter = positive("spacing", 7e-3, "m", "Δx, the grid");
const RATE: Parameter = positive("rate", 44_100.0, "Hz", "samples per second");
const SECONDS: Parameter = positive("seconds", 1.0, "s", "how long the energy is watched");

/// The paper's string on a barrier, in the midpoint scheme.
fn setup(values: &Values, exponent: f64, posts: impl FnOnce(f64, usize) -> Vec<Post>) -> Result<Setup, BuildError> {
    let length = values.get("length");
    let intervals = check_grid(intervals(values, 1))?;
    Ok(Setup {
        string: flexible(length, values.get("density"), values.get("tension")),
        intervals,
        rate: values.get("rate"),
        medium: Medium::Implicit,
        method: ContactMethod::Iterative,
        exponent,
        posts: posts(length, intervals),
    })
}

/// Grid intervals, refined by a factor.
fn intervals(values: &Values, factor: usize) -> usize {
    ((values.get("length") / values.get("spacing")).round() as usize).max(4).saturating_mul(factor)
}

/// What the paper's solver leaves behind.
struct Reference {
    middle: Vec<f64>,
    energy: Vec<f64>,
    iterations: Vec<u32>,
    /// Largest |H − H₀ + losses| / H₀.
    imbalance: f64,
}

/// Runs the paper's solver.
fn reference(setup: &Setup, amplitude: f64, steps: usize) -> Reference {
    let mut control = Control::new(setup, amplitude);
    let mut run = Reference {
        middle: vec![control.middle()],
        energy: vec![control.energy()],
        iterations: Vec::new(),
        imbalance: 0.0,
    };
    let mut lost = 0.0;
    for _ in 0..steps {
        control.step();
        lost += control.lost;
        run.middle.push(control.middle());
        run.energy.push(control.energy());
        run.iterations.push(control.iterations);
        let missing = (control.energy() - run.energy[0] + lost).abs() / run.energy[0];
        run.imbalance = run.imbalance.max(missing);
    }
    run
}
