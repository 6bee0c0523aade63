//! FR: displacement of the string under the bow at three places.

use super::bow::{Bow, Moment, PARAMETERS, STICK, ramped};
use crate::figure::{Figure, Values};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREY, MILLI, displacement, grid};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::BuildError;

/// Places and the shares of time for which the string sticks there. [handbook §5]
const PLACES: [(f64, &str, f64); 3] = [(0.1, "L/10", 0.884), (0.25, "L/4", 0.742), (0.5, "L/2", 0.488)];
/// Time of a run, s; the last second is measured.
const SECONDS: f64 = 2.0;

/// Displacements.
pub static FIGURE: Figure = Figure {
    id: "fr-displacement",
    paper: "fr",
    title: "A string bowed at a tenth, a quarter and a half of its length",
    parameters: PARAMETERS,
    notes: &[
        "The paper prints no values for its pictures; the string, the surfaces and the reference numbers are the handbook's.",
        "The string sticks while it moves within a tenth of the bow's speed.",
        "Ideal Helmholtz motion sticks for 1 − β of the period and swings by v_c (1 − β)/f (grey).",
    ],
    run,
};

/// Pitch (Hz) of a motion from its rising crossings of the mean.
pub(super) fn pitch(values: &[f64], rate: f64) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let rises: Vec<f64> = (1..values.len())
        .filter(|&i| values[i - 1] < mean && values[i] >= mean)
        .map(|i| i as f64 - (values[i] - mean) / (values[i] - values[i - 1]))
        .collect();
    match rises.len() {
        0 | 1 => 0.0,
        n => (n - 1) as f64 * rate / (rises[n - 1] - rises[0]),
    }
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let bow = Bow::new(values);
    let (speed, ramp, normal) = (values.get("speed"), values.get("ramp"), values.get("normal"));
    let steps = step_count(SECONDS, bow.rate)?;
    let mut outcome = Outcome::default();
    let (mut plots, mut table) = (Vec::new(), Table::new(""));
    for (place, name, stick) in PLACES {
        let mut string = bow.at(place)?;
        let moments: Vec<Moment> =
            (0..steps).map(|n| string.step(normal, ramped(speed, ramp, n as f64 / bow.rate))).collect();
        let last = &moments[steps / 2..];
        let swing: Vec<f64> = last.iter().map(|moment| moment.displacement).collect();
        let stuck =
            last.iter().filter(|moment| moment.sliding.abs() < STICK * speed).count() as f64 / last.len() as f64;
        let heard = pitch(&swing, bow.rate);
        let (low, high) = swing.iter().fold((f64::MAX, f64::MIN), |(low, high), &u| (low.min(u), high.max(u)));
        let ideal = speed * (1.0 - place) / bow.pitch;
        let claim = "the string moves as Helmholtz saw it";
        let metrics = &mut outcome.metrics;
        metrics.push(Metric::within(format!("{name}: share of time that it sticks"), claim, stuck, stick, 0.03));
        metrics.push(Metric::within(format!("{name}: pitch (Hz)"), claim, heard, 196.0, 0.5));
        let relative = (high - low) / ideal;
        metrics.push(Metric::new(
            format!("{name}: swing over the ideal"),
            claim,
            relative,
            Check::Within { reference: 0.985, tolerance: 0.025 },
        ));
        let periods = (4.0 * bow.rate / bow.pitch) as usize;
        let mean = 0.5 * (low + high);
        let shown: Vec<f64> = swing.iter().take(periods).map(|u| (u - mean) * MILLI).collect();
        let time: Vec<f64> = (0..shown.len()).map(|n| n as f64 / bow.rate).collect();
        let curve = Curve::sampled("", 0.0, MILLI / bow.rate, &shown).color(BLUE);
        let line = |y: f64| Curve::new("", vec![(0.0, y), (MILLI * 4.0 / bow.pitch, y)]).dashed().color(GREY);
        let axis = Axis::linear("Time (ms)").with_range(0.0, MILLI * 4.0 / bow.pitch);
        let half = 0.5 * ideal * MILLI;
        plots.push(
            Lines::new(format!("Bow at {name}"), axis, displacement()).with(line(half)).with(line(-half)).with(curve),
        );
        if table.columns.is_empty() {
            table = table.with("time_s", time);
        }
        table = table.with(format!("displacement_{name}_mm"), shown);
    }
    outcome.pictures.push(grid("", "Displacement of the string under the bow [FR]", 3, plots));
    outcome.tables.push(table);
    Ok(outcome)
}
