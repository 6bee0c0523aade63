//! CW14 Fig. 4: the same barrier under a stiff string with losses.

use super::curved::{ALPHA, CURVE, K_B, NOTES, WIDTH, bridge};
use super::{AMPLITUDE, DENSITY, LENGTH, RATE, SECONDS, SPACING, TENSION, reference};
use crate::figure::{Figure, Values, positive, within};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::recording::Recording;
use crate::rig::step_count;
use crate::view::{MILLI, displacement, grid, milliseconds, points};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::BuildError;

/// How much of the motion is drawn, s.
const DRAWN_S: f64 = 0.05;

/// Fig. 4.
pub static FIGURE: Figure = Figure {
    id: "cw14-4",
    paper: "cw14",
    title: "Stiff, lossy string on a curved barrier: energy only falls",
    parameters: &[
        LENGTH,
        DENSITY,
        TENSION,
        AMPLITUDE,
        SPACING,
        RATE,
        SECONDS,
        K_B,
        ALPHA,
        CURVE,
        WIDTH,
        positive("stiffness", 0.012, "N m²", "EI, bending stiffness"),
        within("gamma", 100.0, "1/s", "γ, loss to the air", (0.0, 1e6)),
        within("eta", 1e-5, "s", "η, loss in the string", (0.0, 1.0)),
    ],
    notes: NOTES,
    run,
};

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (rate, amplitude) = (values.get("rate"), values.get("amplitude"));
    let steps = step_count(values.get("seconds").max(DRAWN_S), rate)?;
    let mut setup = bridge(values)?;
    setup.string.stiffness = values.get("stiffness");
    // γ acts on the momentum, 2σ0 on the velocity of u: γ = 2σ0
    setup.string.damping = 0.5 * values.get("gamma");
    setup.string.kelvin_voigt = values.get("eta");
    let rig = setup.build()?;
    let recording = Recording::run(&rig, rig.released(amplitude), steps, |_| false);
    let plain = reference(&setup, amplitude, steps);

    let rise = |energy: &[f64]| energy.windows(2).map(|w| (w[1] - w[0]) / w[0]).fold(f64::NEG_INFINITY, f64::max);
    let claim_fall = "energy never grows";
    let claim_balance = "what is missing was lost to air and friction";
    let metrics = vec![
        Metric::at_most("largest relative change of energy in a step", claim_fall, rise(&recording.stored), 0.0, 0.0)
            .law(),
        Metric::at_most("the same, paper's solver", claim_fall, rise(&plain.energy), 0.0, 0.0),
        Metric::at_most("loss balance, of the initial energy", claim_balance, recording.residual, 2.7e-14, 1e-11).law(),
        Metric::at_most("loss balance, paper's solver", claim_balance, plain.imbalance, 2.7e-14, 1e-11),
        Metric::shown("Newton steps, ours: mean", "few", recording.counts.mean_iterations()),
        Metric::at_most("solves missed", "Newton converges", recording.counts.missed as f64, 0.0, 0.0).law(),
        Metric::shown("peak force (N)", "as before", recording.peak_force()),
    ];

    let drawn = ((DRAWN_S * rate) as usize).min(steps);
    let time = &recording.time[..=drawn];
    let curve = |label: &str, y: &[f64], scale: f64| Curve::new(label, points(time, MILLI, y, scale));
    let elastic = recording.elastic();
    let top = Lines::new("Middle of the string", milliseconds(DRAWN_S), displacement()).with(curve(
        "",
        &recording.middle,
        MILLI,
    ));
    let bottom = Lines::new("Energy", milliseconds(DRAWN_S), Axis::linear("Energy (mJ)"))
        .with(curve("kinetic", &recording.kinetic, MILLI))
        .with(curve("potential", &elastic, MILLI).dashed())
        .with(curve("barrier", &recording.contact, MILLI))
        .with(curve("total", &recording.stored, MILLI));
    let table = Table::new("")
        .with("time_s", recording.time)
        .with("middle_m", recording.middle)
        .with("kinetic_j", recording.kinetic)
        .with("potential_j", elastic)
        .with("barrier_j", recording.contact)
        .with("total_j", recording.stored);
    let title = "A stiff, lossy string on a curved barrier [CW14 Fig. 4]";
    Ok(Outcome {
        metrics,
        pictures: vec![grid("", title, 1, vec![top, bottom])],
        tables: vec![table],
        animations: Vec::new(),
    })
}
