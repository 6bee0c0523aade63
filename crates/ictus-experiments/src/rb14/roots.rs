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

/// The samples of adherence with the real roots of their polynomials.
struct Adherence {
    instants: Vec<Instant>,
    roots: Vec<Vec<f64>>,
    rate: f64, // Hz
    /// Largest magnitude of a root and of the force, m³/s².
    farthest: f64,
    strongest: f64,
}

impl Adherence {
    fn new(values: &Values) -> Result<Self, BuildError> {
        let instants = instants(values)?;
        let roots: Vec<Vec<f64>> = instants.iter().map(|now| now.polynomial.roots().as_slice().to_vec()).collect();
        let farthest = roots.iter().flatten().fold(0.0f64, |most, root| most.max(root.abs()));
        let strongest = instants.iter().fold(0.0f64, |most, now| most.max(now.force.abs()));
        Ok(Self { instants, roots, rate: values.get("rate"), farthest, strongest })
    }

    fn time(&self, sample: usize) -> f64 {
        sample as f64 / self.rate * MILLI
    }

    /// Largest force that the plots show.
    fn reach(&self, part: Part) -> f64 {
        if part == Part::Whole { 1.15 * self.farthest } else { 1.6 * self.strongest }
    }

    /// The polynomial at successive times, each curve raised to its time, with its roots.
    fn surface(&self, part: Part) -> Lines {
        let reach = self.reach(part);
        let every = (self.instants.len() / (CURVES - 1)).max(1);
        let shown: Vec<usize> = (0..self.instants.len()).step_by(every).collect();
        let fastest = shown
            .iter()
            .flat_map(|&i| grid_points(reach).map(move |x| (i, x)))
            .map(|(i, x)| self.instants[i].polynomial.at(x).abs())
            .fold(f64::MIN_POSITIVE, f64::max);
        // curves may reach into their neighbours
        let rise = 2.2 * self.time(every) / fastest;
        let raised = Axis::linear("Time (ms), each curve raised to its own");
        let title = format!("Velocity over force; {} m/s are {:.0} ms of height", short(fastest), rise * fastest);
        let mut surface = Lines::new(title, force_axis(reach), raised);
        for &i in &shown {
            let time = self.time(i);
            let at = |x: f64| (x, time + rise * self.instants[i].polynomial.at(x));
            let name = if i == 0 { "velocity" } else { "" };
            surface = surface
                .with(Curve::new("", vec![(-reach, time), (reach, time)]).stroke(Stroke::Dotted).color(GREY))
                .with(Curve::new(name, grid_points(reach).map(at).collect()).color(BLUE));
        }
        let visible = |root: &&f64| root.abs() <= reach;
        let marks = shown
            .iter()
            .flat_map(|&i| self.roots[i].iter().filter(visible).map(move |root| (*root, self.time(i))))
            .collect();
        surface.with(Curve::new("roots", marks).stroke(Stroke::Points).color(RED))
    }

    fn roots_over_time(&self, part: Part) -> Lines {
        let mut plot = Lines::new("Roots over time", force_axis(self.reach(part)), Axis::linear("Time (ms)"));
        let line = |nth: usize| -> Vec<(f64, f64)> {
            let root = |roots: &Vec<f64>| roots.get(nth).filter(|_| roots.len() == 3).copied().unwrap_or(f64::NAN);
            self.roots.iter().enumerate().map(|(i, roots)| (root(roots), self.time(i))).collect()
        };
        if part == Part::Whole {
            plot = plot.with(Curve::new("outer roots", line(0)).color(RED)).with(Curve::new("", line(2)).color(RED));
        }
        let taken = self.instants.iter().enumerate().map(|(i, now)| (now.force, self.time(i))).collect();
        plot.with(Curve::new("root of least magnitude: the force", taken).color(BLUE))
    }

    fn metrics(&self, part: Part) -> Vec<Metric> {
        let left = self.instants.iter().fold(0.0f64, |most, now| most.max(now.left));
        let stop = Metric::at_most(
            "largest velocity of the point while it adheres (m/s)",
            "the velocity vanishes",
            left,
            0.0,
            1e-12,
        )
        .law();
        match part {
            Part::Whole => {
                let three = self.roots.iter().filter(|roots| roots.len() == 3).count() as f64 / self.roots.len() as f64;
                vec![
                    Metric::within("share of samples with three real roots", "three possible roots", three, 1.0, 0.0),
                    stop,
                    Metric::shown("farthest root over largest force taken", "", self.farthest / self.strongest),
                ]
            }
            Part::Zoom => {
                let turns = self.instants.windows(2).filter(|w| (w[0].force < 0.0) != (w[1].force < 0.0)).count();
                let bend = self.instants.iter().map(Instant::bend).fold(0.0, f64::max);
                vec![
                    Metric::new(
                        "times the force changes its sign",
                        "the force is alternately negative and positive",
                        turns as f64,
                        Check::AtLeast { reference: 2.0, bound: 2.0 },
                    ),
                    stop,
                    Metric::shown("largest force (m³/s²)", "", self.strongest),
                    Metric::shown(
                        "the force against the tangent's root, largest difference over largest force",
                        "",
                        bend / self.strongest,
                    ),
                ]
            }
        }
    }

    fn table(&self) -> Table {
        let samples = || self.instants.iter().zip(&self.roots);
        let column = |nth: usize| {
            samples().map(|(now, roots)| roots.get(nth).copied().unwrap_or(now.force)).collect::<Vec<f64>>()
        };
        Table::new("")
            .with("time_ms", (0..self.roots.len()).map(|i| self.time(i)).collect())
            .with("force", self.instants.iter().map(|now| now.force).collect())
            .with("root_1", column(0))
            .with("root_2", column(1))
            .with("root_3", column(2))
    }
}

fn run(values: &Values, part: Part) -> Result<Outcome, BuildError> {
    let adherence = Adherence::new(values)?;
    let mut metrics = adherence.metrics(part);
    let survived = adherence.instants.len();
    if survived < values.count("shown") {
        metrics.push(Metric::shown("samples of adherence until it diverged", "", survived as f64));
    }
    let name = if part == Part::Whole { "[RB14 Fig. 4]" } else { "[RB14 Fig. 5]" };
    let plots = vec![adherence.surface(part), adherence.roots_over_time(part)];
    let pictures = vec![grid("", format!("The force of an adhering point {name}"), 2, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![adherence.table()], animations: Vec::new() })
}

impl Instant {
    /// How far the force is from the root of the tangent at F = 0.
    fn bend(&self) -> f64 {
        let slope = self.polynomial.derivative().at(0.0);
        (self.force + self.polynomial.at(0.0) / slope).abs()
    }
}

fn force_axis(reach: f64) -> Axis {
    Axis::linear("Force F (m³/s²)").with_range(-reach, reach)
}

fn grid_points(reach: f64) -> impl Iterator<Item = f64> {
    (0..POINTS).map(move |i| reach * (2.0 * i as f64 / (POINTS - 1) as f64 - 1.0))
}
