//! CW14 Fig. 3: a flexible string on a curved barrier at one end, as on the bridge of a sitar.

use super::{AMPLITUDE, DENSITY, LENGTH, RATE, SECONDS, SPACING, TENSION, reference, setup};
use crate::animation::Animation;
use crate::figure::{Figure, Parameter, Values, positive};
use crate::measure::{drift, mean, most};
use crate::metric::Metric;
use crate::outcome::{Outcome, Picture, Table};
use crate::recording::Recording;
use crate::rig::{Setup, distributed, step_count};
use crate::view::{Layer, MILLI, along, displacement, grid, milliseconds, points, snapshot};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::BuildError;

pub(super) const K_B: Parameter = positive("k_b", 1e13, "N/m^3.5", "stiffness density of the barrier");
pub(super) const ALPHA: Parameter = positive("alpha", 2.5, "", "exponent of the contact force");
pub(super) const CURVE: Parameter =
    positive("curve", 0.01, "m", "drop of the barrier's parabola over the string's length");
pub(super) const WIDTH: Parameter = positive("width", 0.015, "m", "length of the barrier");

/// How much of the motion is drawn, s: long enough for single contacts to break up into several impacts.
const DRAWN_S: f64 = 0.05;
/// Snapshots: the first swing in steps of an eighth of the free period. The figure shows the way down, the
/// filmstrip all, near the barrier.
const SNAPSHOTS: usize = 9;
const SNAPSHOT_S: f64 = 0.000_55;
/// Frames of the animation, samples apart.
const FRAME: usize = 8;
const FRAMES: usize = 90;

pub(super) const NOTES: &[&str] = &[
    "In y_b = −0.01 x²/l² the l is the length of the string, not of the barrier.",
    "With Δx = 7 mm the barrier of 15 mm touches two grid points, at 7 and 14 mm.",
    "The force drawn is the mean over each step, which is what the method knows; the compression at the samples alone \
     would give a higher peak.",
];

/// Fig. 3.
pub static FIGURE: Figure = Figure {
    id: "cw14-3",
    paper: "cw14",
    title: "Flexible string on a curved barrier: snapshots, energy, force",
    parameters: &[LENGTH, DENSITY, TENSION, AMPLITUDE, SPACING, RATE, SECONDS, K_B, ALPHA, CURVE, WIDTH],
    notes: NOTES,
    run,
};

/// Height of the barrier, m.
fn height(values: &Values, x: f64) -> f64 {
    let share = x / values.get("length");
    -values.get("curve") * share * share
}

pub(super) fn bridge(values: &Values) -> Result<Setup, BuildError> {
    setup(values, values.get("alpha"), |length, n| {
        // a grid point on the edge belongs to the barrier
        let width = values.get("width") * (1.0 + 1e-9);
        distributed(length, n, |x| (x <= width).then(|| (height(values, x), values.get("k_b"))))
    })
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (rate, amplitude) = (values.get("rate"), values.get("amplitude"));
    let steps = step_count(values.get("seconds").max(DRAWN_S), rate)?;
    let setup = bridge(values)?;
    let rig = setup.build()?;
    let stills: Vec<usize> = (0..SNAPSHOTS).map(|i| (i as f64 * SNAPSHOT_S * rate).round() as usize).collect();
    let (recording, plain) = rayon::join(
        || {
            let wanted = |i: usize| stills.contains(&i) || (i.is_multiple_of(FRAME) && i < FRAME * FRAMES);
            Recording::run(&rig, rig.released(amplitude), steps, wanted)
        },
        || reference(&setup, amplitude, steps),
    );
    let counts = &recording.counts;
    let claim_energy = "energy is conserved to machine precision";
    let claim_newton = "Newton converges in fewer than 20 steps";
    let metrics = vec![
        Metric::within("peak force (N)", "contact comes in bursts of impacts", recording.peak_force(), 3.20, 0.02),
        Metric::at_most("largest energy error", claim_energy, drift(&recording.stored), 1.9e-14, 1e-13),
        Metric::at_most("largest energy error, paper's solver", claim_energy, drift(&plain.energy), 1.9e-14, 1e-13),
        Metric::within("Newton steps, paper's solver: mean", claim_newton, mean(&plain.iterations), 3.3, 0.2),
        Metric::within("Newton steps, paper's solver: most", claim_newton, most(&plain.iterations), 6.0, 1.0),
        Metric::shown("Newton steps, ours: mean", claim_newton, counts.mean_iterations()),
        Metric::shown("Newton steps, ours: most", claim_newton, f64::from(counts.max_iterations)),
        Metric::at_most("solves missed", claim_newton, counts.missed as f64, 0.0, 0.0).law(),
    ];

    let x = rig.places();
    let barrier = barrier_curve(values);
    let film = |name, indices: &[usize]| {
        let still = |&i: &usize| enlarged(values, &x, &recording, i, &barrier);
        grid(name, "The end of the string at the barrier", 3, indices.iter().map(still).collect())
    };
    let shown: Vec<usize> = stills.iter().filter_map(|s| recording.shapes.iter().position(|(i, _)| i == s)).collect();
    let moving: Vec<usize> =
        (0..recording.shapes.len()).filter(|&i| recording.shapes[i].0.is_multiple_of(FRAME)).collect();
    let animation = Animation {
        name: "animation",
        frames: moving.iter().map(|&i| frame(values, &x, &recording, i, &barrier)).collect(),
        frame_ms: 50,
    };

    let mut table = Table::new("snapshots").with("x_m", x.clone());
    for &i in &shown {
        let (sample, shape) = &recording.shapes[i];
        table = table.with(format!("u_m_at_{:.3}_ms", *sample as f64 / rate * MILLI), shape.clone());
    }
    let pictures = vec![
        grid(
            "",
            "A flexible string on a curved barrier [CW14 Fig. 3]",
            2,
            panels(values, &recording, &shown, &x, &barrier),
        ),
        film("filmstrip", &shown),
    ];
    let elastic = recording.elastic();
    let error = recording.energy_error();
    let curves = Table::new("")
        .with("time_s", recording.time)
        .with("middle_m", recording.middle)
        .with("kinetic_j", recording.kinetic)
        .with("potential_j", elastic)
        .with("barrier_j", recording.contact)
        .with("force_n", recording.force)
        .with("energy_error", error);
    Ok(Outcome { metrics, pictures, tables: vec![curves, table], animations: vec![animation] })
}

/// The barrier as a line, mm.
fn barrier_curve(values: &Values) -> Curve {
    let width = values.get("width");
    let places: Vec<f64> = (0..=20).map(|i| width * f64::from(i) / 20.0).collect();
    let heights: Vec<f64> = places.iter().map(|&x| height(values, x)).collect();
    Curve::new("barrier", points(&places, MILLI, &heights, MILLI))
}

/// The whole string, and the end at the barrier enlarged.
fn frame(values: &Values, x: &[f64], recording: &Recording, index: usize, barrier: &Curve) -> Picture {
    let (sample, shape) = &recording.shapes[index];
    let time = recording.time[*sample] * MILLI;
    let reach = 1.1 * values.get("amplitude") * MILLI;
    let layers = [Layer { label: "string", shape, lift: 0.0 }];
    let whole = (along(values.get("length")), displacement().with_range(-reach, reach));
    let plots = vec![
        snapshot(format!("{time:.2} ms"), whole, x, &layers, Some(barrier.clone())),
        Lines { title: "At the barrier".into(), ..enlarged(values, x, recording, index, barrier) },
    ];
    grid("", "A flexible string on a curved barrier", 2, plots)
}

/// The end at the barrier alone.
fn enlarged(values: &Values, x: &[f64], recording: &Recording, index: usize, barrier: &Curve) -> Lines {
    let (sample, shape) = &recording.shapes[index];
    let (wide, tall) = (5.0 * values.get("width") * MILLI, 0.15 * values.get("amplitude") * MILLI);
    let axes = (Axis::linear("Position (mm)").with_range(0.0, wide), displacement().with_range(-tall, tall));
    let layers = [Layer { label: "string", shape, lift: 0.0 }];
    let title = format!("{:.2} ms", recording.time[*sample] * MILLI);
    snapshot(title, axes, x, &layers, Some(barrier.clone()))
}

fn panels(values: &Values, recording: &Recording, shown: &[usize], x: &[f64], barrier: &Curve) -> Vec<Lines> {
    let drawn = ((DRAWN_S * values.get("rate")) as usize).min(recording.time.len() - 1);
    let time = &recording.time[..=drawn];
    let curve = |label: &str, y: &[f64], scale: f64| Curve::new(label, points(time, MILLI, y, scale));
    let mut shapes = Lines::new("(a) Snapshots", along(values.get("length")), displacement());
    for &i in shown.iter().take(SNAPSHOTS / 2 + 1) {
        let (sample, shape) = &recording.shapes[i];
        let label = format!("{:.1} ms", recording.time[*sample] * MILLI);
        shapes = shapes.with(Curve::new(label, points(x, MILLI, shape, MILLI)));
    }
    shapes = shapes.with(barrier.clone().color(crate::view::GREY));
    let energy = Lines::new("(b) Energy", milliseconds(DRAWN_S), Axis::linear("Energy (mJ)"))
        .with(curve("kinetic", &recording.kinetic, MILLI))
        .with(curve("potential", &recording.elastic(), MILLI).dashed())
        .with(curve("barrier", &recording.contact, MILLI))
        .with(curve("total", &recording.stored, MILLI));
    let force = Lines::new("(c) Force of the barrier", milliseconds(DRAWN_S), Axis::linear("Force (N)")).with(curve(
        "",
        &recording.force,
        1.0,
    ));
    let error = Lines::new("(d) Energy error", Axis::linear("Time (s)"), Axis::linear("H/H₀ − 1"))
        .with(Curve::new("", points(&recording.time, 1.0, &recording.energy_error(), 1.0)).color(crate::view::GREEN));
    vec![shapes, energy, force, error]
}
