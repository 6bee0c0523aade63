//! RB14 Fig. 4 and 5: the velocity of the held point as a polynomial in the force, sample by sample, and its roots.

use super::kernel::Kernel;
use super::polynomial::Polynomial;
use super::published::Root;
use super::series::{Order, Series};
use super::take::{DIVERGED, Volterra};
use super::wire::{AMPLITUDE, DAMPING, LENGTH, MODES, RATE, SPEED, Scene, Wire};
use crate::figure::{Figure, Parameter, Values, within};
use crate::metric::{Check, Metric, short};
use crate::outcome::{Outcome, Table};
use crate::view::{BLUE, GREY, MILLI, RED, grid};
use ictus_analysis::plot::{Axis, Curve, Lines, Stroke};
use ictus_core::BuildError;

const PARAMETERS: &[Parameter] = &[
    AMPLITUDE,
    MODES,
    LENGTH,
    SPEED,
    DAMPING,
    RATE,
    within("shown", 1600.0, "", "samples of adherence shown", (100.0, 20_000.0)),
];

const NOTES: &[&str] = &[
    "The paper gives neither excitation nor damping: those of the handbook are used, at an amplitude that the method survives.",
    "The surfaces of the print are drawn as curves at successive times, each raised to its time.",
];

/// Fig. 4.
pub static WHOLE: Figure = Figure {
    id: "rb14-4",
    paper: "rb14",
    title: "Velocity of the held point as a polynomial in the force, and its three roots over time",
    parameters: PARAMETERS,
    notes: NOTES,
    run: |values| run(values, Part::Whole),
};

/// Fig. 5.
pub static ZOOM: Figure = Figure {
    id: "rb14-5",
    paper: "rb14",
    title: "The same near the root of least magnitude, which is the force",
    parameters: PARAMETERS,
    notes: NOTES,
    run: |values| run(values, Part::Zoom),
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Zoom,
}

/// Curves in the left plot.
const CURVES: usize = 17;
/// Points of a curve.
const POINTS: usize = 121;

/// One sample of adherence.
struct Instant {
    polynomial: Polynomial,
    force: f64,
    left: f64, // |velocity| of the point afterwards, m/s
}

/// All samples of adherence up to the one at which the method diverges, if it does.
fn instants(values: &Values) -> Result<Vec<Instant>, BuildError> {
    let wire = Wire::from_values(values, values.count("modes"));
    let scene = Scene::of_paper(wire, values.get("amplitude")).held_for(values.count("shown"));
    let series = Series::new(Kernel::new(&wire)?, Order::Third);
    let mut player = Volterra::new(&scene, series, Some(Root::Smallest));
    let mut instants = Vec::new();
    let mut before = 0.0f64;
    for at in 0..scene.samples {
        let holds = scene.hold.contains(&at);
        let (series, shapes) = player.prepare(&scene, at);
        let polynomial = if holds { series.velocity_polynomial(&shapes[0]) } else { Polynomial::default() };
        let force = player.finish(holds);
        let energy = player.energy();
        if !holds {
            before = before.max(energy);
        } else if force.is_finite() && energy <= DIVERGED * before {
            instants.push(Instant { polynomial, force, left: player.held().abs() });
        } else {
            break;
        }
    }
    if instants.is_empty() {
        let expected = "small enough for the method to survive a sample".to_owned();
        return Err(BuildError::Parameter { what: "height of the push", value: scene.amplitude, expected });
    }
    Ok(instants)
}

fn run(values: &Values, part: Part) -> Result<Outcome, BuildError> {
    let instants = instants(values)?;
    let time = |i: usize| i as f64 / values.get("rate") * MILLI;
    let roots: Vec<Vec<f64>> = instants.iter().map(|now| now.polynomial.roots().as_slice().to_vec()).collect();
    let farthest = roots.iter().flatten().fold(0.0f64, |most, root| most.max(root.abs()));
    let strongest = instants.iter().fold(0.0f64, |most, now| most.max(now.force.abs()));
    let reach = if part == Part::Whole { 1.15 * farthest } else { 1.6 * strongest };
    let force_axis = || Axis::linear("Force F (m³/s²)").with_range(-reach, reach);

    let every = (instants.len() / (CURVES - 1)).max(1);
    let shown: Vec<usize> = (0..instants.len()).step_by(every).collect();
    let fastest = shown
        .iter()
        .flat_map(|&i| grid_points(reach).map(move |x| (i, x)))
        .map(|(i, x)| instants[i].polynomial.at(x).abs())
        .fold(f64::MIN_POSITIVE, f64::max);
    // curves may reach into their neighbours
    let rise = 2.2 * time(every) / fastest;
    let raised = Axis::linear("Time (ms), each curve raised to its own");
    let title = format!("Velocity over force; {} m/s are {:.0} ms of height", short(fastest), rise * fastest);
    let mut surface = Lines::new(title, force_axis(), raised);
    for &i in &shown {
        let at = |x: f64| (x, time(i) + rise * instants[i].polynomial.at(x));
        let rest = vec![(-reach, time(i)), (reach, time(i))];
        surface = surface
            .with(Curve::new("", rest).stroke(Stroke::Dotted).color(GREY))
            .with(Curve::new(if i == 0 { "velocity" } else { "" }, grid_points(reach).map(at).collect()).color(BLUE));
    }
    let seen = |root: &&f64| root.abs() <= reach;
    let marks = shown.iter().flat_map(|&i| roots[i].iter().filter(seen).map(move |root| (*root, time(i)))).collect();
    surface = surface.with(Curve::new("roots", marks).stroke(Stroke::Points).color(RED));

    let mut over_time = Lines::new("Roots over time", force_axis(), Axis::linear("Time (ms)"));
    let line = |nth: usize| -> Vec<(f64, f64)> {
        let root = |i: usize| roots[i].get(nth).filter(|_| roots[i].len() == 3).copied().unwrap_or(f64::NAN);
        (0..roots.len()).map(|i| (root(i), time(i))).collect()
    };
    if part == Part::Whole {
        over_time =
            over_time.with(Curve::new("outer roots", line(0)).color(RED)).with(Curve::new("", line(2)).color(RED));
    }
    let taken: Vec<(f64, f64)> = instants.iter().enumerate().map(|(i, now)| (now.force, time(i))).collect();
    over_time = over_time.with(Curve::new("root of least magnitude: the force", taken).color(BLUE));

    let three = roots.iter().filter(|roots| roots.len() == 3).count() as f64 / roots.len() as f64;
    let left = instants.iter().fold(0.0f64, |most, now| most.max(now.left));
    let stop = Metric::at_most(
        "largest velocity of the point while it adheres (m/s)",
        "the velocity vanishes",
        left,
        0.0,
        1e-12,
    );
    let mut metrics = match part {
        Part::Whole => vec![
            Metric::within("share of samples with three real roots", "three possible roots", three, 1.0, 0.0),
            stop.law(),
            Metric::shown("farthest root over largest force taken", "", farthest / strongest),
        ],
        Part::Zoom => {
            let forces: Vec<f64> = instants.iter().map(|now| now.force).collect();
            let turns = forces.windows(2).filter(|w| (w[0] < 0.0) != (w[1] < 0.0)).count() as f64;
            let bend = instants.iter().map(Instant::bend).fold(0.0, f64::max);
            vec![
                Metric::new(
                    "times the force changes its sign",
                    "the force is alternately negative and positive",
                    turns,
                    Check::AtLeast { reference: 2.0, bound: 2.0 },
                ),
                stop.law(),
                Metric::shown("largest force (m³/s²)", "", strongest),
                Metric::shown(
                    "the force against the tangent's root, largest difference over largest force",
                    "",
                    bend / strongest,
                ),
            ]
        }
    };
    if instants.len() < values.count("shown") {
        metrics.push(Metric::shown("samples of adherence until it diverged", "", instants.len() as f64));
    }
    let at = |i: usize, nth: usize| roots[i].get(nth).copied().unwrap_or(instants[i].force);
    let column = |nth: usize| (0..roots.len()).map(|i| at(i, nth)).collect::<Vec<f64>>();
    let table = Table::new("")
        .with("time_ms", (0..roots.len()).map(time).collect())
        .with("force", instants.iter().map(|now| now.force).collect())
        .with("root_1", column(0))
        .with("root_2", column(1))
        .with("root_3", column(2));
    let name = if part == Part::Whole { "[RB14 Fig. 4]" } else { "[RB14 Fig. 5]" };
    let pictures = vec![grid("", format!("The force of an adhering point {name}"), 2, vec![surface, over_time])];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

impl Instant {
    /// How far the force is from the root of the tangent at F = 0.
    fn bend(&self) -> f64 {
        let slope = self.polynomial.derivative().at(0.0);
        (self.force + self.polynomial.at(0.0) / slope).abs()
    }
}

fn grid_points(reach: f64) -> impl Iterator<Item = f64> {
    (0..POINTS).map(move |i| reach * (2.0 * i as f64 / (POINTS - 1) as f64 - 1.0))
}
