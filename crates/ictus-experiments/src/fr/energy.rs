//! FR: energies of the string and of the bristles from the first touch on.

use super::bow::{Bow, PARAMETERS, ramped};
use crate::figure::{Figure, Values};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREEN, MILLI, RED, grid};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::BuildError;

/// Where it is bowed, a share of the length.
const PLACE: f64 = 0.1;
/// Time of the run, s.
const SECONDS: f64 = 1.0;

/// Energies.
pub static FIGURE: Figure = Figure {
    id: "fr-energy",
    paper: "fr",
    title: "Energies of string and bristles, and what the bow gave",
    parameters: PARAMETERS,
    notes: &[
        "The bow's work is what friction force times bow speed gives; it ends in the string, in the bristles, or as loss.",
    ],
    run,
};

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let bow = Bow::new(values);
    let mut run = bow.at(PLACE)?;
    let (mut string, mut bristles, mut given, mut lost) = (vec![], vec![], vec![], vec![]);
    for n in 0..step_count(SECONDS, bow.rate)? {
        run.step(values.get("normal"), ramped(values.get("speed"), values.get("ramp"), n as f64 / bow.rate));
        string.push(run.string_energy());
        bristles.push(run.bristle_energy());
        given.push(run.state.ledger.total.supplied.value());
        lost.push(run.state.ledger.total.dissipated.value());
    }
    let end = string.len() - 1;
    let sum = string[end] + bristles[end] + lost[end];
    let peak = string.iter().copied().fold(0.0, f64::max);
    let most_bent = bristles.iter().copied().fold(0.0, f64::max);
    let limit = values.get("sticking") * values.get("normal");
    let claim = "energy is neither made nor lost";
    let metrics = vec![
        Metric::at_most("stored and lost less given, over given", claim, (sum / given[end] - 1.0).abs(), 0.0, 1e-11)
            .law(),
        Metric::at_most(
            "largest energy of the bristles over f_s²/2k_e",
            "bristles hold no more than sticking allows",
            most_bent * 2.0 * values.get("stiffness") / (limit * limit),
            1.0,
            1.0 + 1e-12,
        )
        .law(),
        Metric::shown("largest energy of the string (mJ)", "", peak * MILLI),
        Metric::shown("work of the bow in one second (mJ)", "", given[end] * MILLI),
    ];
    let every = 8;
    let thin = |data: &[f64], scale: f64| -> Vec<f64> { data.iter().step_by(every).map(|x| x * scale).collect() };
    let curve =
        |label: &str, data: &[f64], scale| Curve::sampled(label, 0.0, every as f64 / bow.rate, &thin(data, scale));
    let time = || Axis::linear("Time (s)").with_range(0.0, SECONDS);
    let plots = vec![
        Lines::new("String", time(), Axis::linear("Energy (mJ)")).with(curve("", &string, MILLI).color(BLUE)),
        Lines::new("Bristles", time(), Axis::linear("Energy (µJ)")).with(curve("", &bristles, 1e6).color(GREEN)),
        Lines::new("Since the start", time(), Axis::linear("Energy (mJ)"))
            .with(curve("given by the bow", &given, MILLI).color(BLUE))
            .with(curve("lost", &lost, MILLI).color(RED)),
    ];
    let table = Table::new("")
        .with("time_s", (0..string.len()).map(|n| n as f64 / bow.rate).collect())
        .with("string_j", string)
        .with("bristles_j", bristles)
        .with("given_j", given)
        .with("lost_j", lost);
    let pictures = vec![grid("", "Energies of the bowed string [FR]", 3, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}
