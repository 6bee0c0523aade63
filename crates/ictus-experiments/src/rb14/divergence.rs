//! RB14 §V.C: when the published inversion diverges, over amplitude, duration and number of modes; and that nothing else does.
//!
//! One run over the longest adherence answers for all shorter ones: until it lets go a finger does not know how long it will hold, and a string let go is
//! free and stable. So the map is: how many samples of adherence are survived.

use super::published::Root;
use super::series::Order;
use super::take::{Method, Take};
use super::wire::{DAMPING, LENGTH, RATE, SPEED, Scene, Wire};
use crate::figure::{Figure, Values, within};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::view::{BLUE, GREEN, GREY, OCHRE, RED, VIOLET, grid};
use ictus_analysis::plot::{Axis, Curve, Lines, Rgb, Stroke};
use ictus_core::{BuildError, Scheme};
use rayon::prelude::*;

/// §V.C.
pub static FIGURE: Figure = Figure {
    id: "rb14-divergence",
    paper: "rb14",
    title: "Where the published inversion diverges, over amplitude, duration and modes; ours does not",
    parameters: &[
        within("duration", 20_000.0, "", "longest adherence, samples", (100.0, 100_000.0)),
        LENGTH,
        SPEED,
        DAMPING,
        RATE,
    ],
    notes: &[
        "Divergence is an energy a million times the largest before adherence: a finger can only take energy. The handbook does not say where it draws the \
         line; a factor of ten in amplitude shifts the sample by some 90, so that its samples are met within 200.",
        "The cause is not the choice of the root: F cancels v₁ + v₃ but drives u₁, so that u₃ feeds back into u₁. With forces for each order nothing feeds back.",
        "The handbook has the linear string stable to 500 modes. It is to 396; from there on modes lie above half the sample rate, a force held over a step \
         moves them the wrong way, and energy grows slowly: at 500 modes the paper's 10 000 samples are survived, 20 000 are not.",
        "Growth is the largest energy while held over the largest before; energies of a series are those of small vibrations of the sum of its orders.",
        "`Far` amplitudes are up to 500 times that at which the published method fails at every number of modes.",
    ],
    run,
};

/// Heights of the push.
const AMPLITUDES: [f64; 8] = [500.0, 700.0, 850.0, 1000.0, 1200.0, 1500.0, 2000.0, 3000.0];
/// Numbers of modes.
const MODES: [usize; 3] = [10, 20, 40];
const COLORS: [Rgb; 3] = [BLUE, GREEN, VIOLET];
/// The published method survives up to here and fails from there on. [handbook §6]
const SAFE: f64 = 850.0;
const LOST: f64 = 1500.0;
/// Amplitude at which it depends on the modes, and the sample of divergence.
const BETWEEN: f64 = 1000.0;
const SAMPLES: [(usize, f64); 2] = [(20, 46_005.0), (40, 45_049.0)];
/// Two powers of ten in the amplitude that is called divergence.
const SAMPLE_TOLERANCE: f64 = 200.0;
/// Amplitudes beyond the map for the methods that do not diverge.
const FAR: [f64; 3] = [10_000.0, 100_000.0, 750_000.0];
/// Modes of linear strings: all that sound below half the sample rate, and the handbook's 500.
const MANY: [usize; 2] = [396, 500];
/// The paper's adherence, samples.
const ADHERENCE: f64 = 10_000.0;

const PUBLISHED: [(&str, Method); 3] = [
    ("published, order 3", Method::Published(Order::Third, Root::Smallest)),
    ("published, order 5", Method::Published(Order::Fifth, Root::Smallest)),
    ("largest root, order 3", Method::Published(Order::Third, Root::Largest)),
];
const OURS: [(&str, Method, Rgb); 4] = [
    ("order by order, order 3", Method::Separated(Order::Third), OCHRE),
    ("order by order, order 5", Method::Separated(Order::Fifth), RED),
    ("engine, midpoint", Method::Kirchhoff(Scheme::Midpoint), BLUE),
    ("engine, leapfrog", Method::Kirchhoff(Scheme::Leapfrog), GREEN),
];

/// One run.
struct Cell {
    method: Method,
    modes: usize,
    amplitude: f64,
    /// Samples of adherence survived; `None` for all.
    survived: Option<usize>,
    growth: f64,
}

fn play(values: &Values, method: Method, modes: usize, amplitude: f64) -> Result<Cell, BuildError> {
    let wire = Wire::from_values(values, modes);
    let scene = Scene::of_paper(wire, amplitude).held_for(values.count("duration"));
    let Take { diverged, growth, .. } = method.play(&scene)?;
    Ok(Cell { method, modes, amplitude, survived: diverged.map(|at| at - scene.hold.start), growth })
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let methods = PUBLISHED.iter().map(|(_, method)| *method).chain(OURS.iter().map(|(_, method, _)| *method));
    let mut plan: Vec<(Method, usize, f64)> = Vec::new();
    for method in methods {
        plan.extend(MODES.iter().flat_map(|&modes| AMPLITUDES.map(|amplitude| (method, modes, amplitude))));
        if OURS.iter().any(|(_, ours, _)| *ours == method) {
            plan.extend(FAR.map(|amplitude| (method, MODES[2], amplitude)));
        }
    }
    let linear = Method::Published(Order::First, Root::Smallest);
    plan.extend(MANY.map(|modes| (linear, modes, BETWEEN)));
    let cells = plan
        .into_par_iter()
        .with_max_len(1)
        .map(|(method, modes, amplitude)| play(values, method, modes, amplitude))
        .collect::<Result<Vec<Cell>, _>>()?;
    let of = |method: Method| cells.iter().filter(move |cell| cell.method == method);

    let mut metrics = published_metrics(&of(PUBLISHED[0].1).collect::<Vec<_>>());
    let failed = |cells: &mut dyn Iterator<Item = &Cell>| cells.filter(|cell| cell.survived.is_some()).count() as f64;
    let all = (MODES.len() * AMPLITUDES.len()) as f64;
    let claim = "the root with the lowest absolute value is taken";
    let largest = failed(&mut of(PUBLISHED[2].1));
    metrics.push(Metric::within("largest root: runs that diverge", claim, largest, all, 0.0));
    let claim = "nothing is said about order 5";
    metrics.push(Metric::shown("published, order 5: runs that diverge", claim, failed(&mut of(PUBLISHED[1].1))));
    let claim = "linear adherence is stable";
    let [audible, many] = MANY.map(|modes| of(linear).find(|cell| cell.modes == modes));
    let growth = audible.filter(|cell| cell.survived.is_none()).map_or(f64::INFINITY, |cell| cell.growth);
    let name = format!("linear, {} modes: largest energy while held over that before", MANY[0]);
    metrics.push(Metric::at_most(name, claim, growth, 0.07, 1.0));
    let survived = many.map_or(0.0, |cell| cell.survived.map_or(values.get("duration"), |n| n as f64));
    let name = format!("linear, {} modes: samples survived", MANY[1]);
    metrics.push(Metric::new(name, claim, survived, Check::AtLeast { reference: ADHERENCE, bound: ADHERENCE }));
    for (name, method, _) in OURS {
        let claim = "simulations are not always completed: ours are";
        metrics.push(
            Metric::at_most(format!("{name}: runs that diverge"), claim, failed(&mut of(method)), 0.0, 0.0).law(),
        );
        let growth = of(method).map(|cell| cell.growth).fold(0.0, f64::max);
        let name = format!("{name}: largest energy while held over that before, all runs");
        metrics.push(Metric::at_most(name, claim, growth, 0.0, 1.0).law());
    }

    let duration = values.get("duration");
    let span = Axis::log("Height of the push (m²/s²)").with_range(450.0, 3300.0);
    let mut plots = Vec::new();
    for (name, method) in &PUBLISHED[..2] {
        let lasted = Axis::log("Samples of adherence survived").with_range(20.0, 2.0 * duration);
        let mut plot = Lines::new(*name, span.clone(), lasted);
        plot = plot.with(Curve::new("all of them", vec![(450.0, duration), (3300.0, duration)]).dashed().color(GREY));
        for (modes, color) in MODES.into_iter().zip(COLORS) {
            let here = of(*method).filter(|cell| cell.modes == modes);
            let points =
                here.map(|cell| (cell.amplitude, cell.survived.map_or(duration, |n| n.max(1) as f64))).collect();
            plot = plot.with(Curve::new(format!("{modes} modes"), points).marked().color(color));
        }
        plots.push(plot);
    }
    let growth = Axis::log("Energy while held over before").with_range(1e-3, 10.0);
    let mut plot = Lines::new("40 modes, none diverges", Axis::log("Height of the push (m²/s²)"), growth);
    plot = plot.with(Curve::new("", vec![(450.0, 1.0), (8e5, 1.0)]).stroke(Stroke::Dotted).color(GREY));
    for (name, method, color) in OURS {
        let points =
            of(method).filter(|cell| cell.modes == MODES[2]).map(|cell| (cell.amplitude, cell.growth)).collect();
        // the two schemes lie on each other: both must show
        let stroke = if name == OURS[3].0 { Stroke::Points } else { Stroke::Marked };
        plot = plot.with(Curve::new(name, points).stroke(stroke).color(color));
    }
    plots.push(plot);
    let pictures = vec![grid("", "Divergence while a point adheres [RB14 §V.C]", 3, plots)];
    let tables = vec![table(&cells, duration)];
    Ok(Outcome { metrics, pictures, tables, animations: Vec::new() })
}

fn published_metrics(cells: &[&Cell]) -> Vec<Metric> {
    let claim = "a high excitation, a long interaction and many modes cause divergence";
    let failing = |from: f64, to: f64| {
        cells.iter().filter(|cell| (from..=to).contains(&cell.amplitude) && cell.survived.is_some()).count() as f64
    };
    let high = cells.iter().filter(|cell| cell.amplitude >= LOST);
    let longest = high.clone().filter_map(|cell| cell.survived).max().unwrap_or(0);
    let mut metrics = vec![
        Metric::within(format!("order 3: runs up to {SAFE} that diverge"), claim, failing(0.0, SAFE), 0.0, 0.0),
        Metric::within(
            format!("order 3: runs from {LOST} on that diverge"),
            claim,
            failing(LOST, f64::MAX),
            high.count() as f64,
            0.0,
        ),
        Metric::shown(format!("order 3: samples survived at most from {LOST} on"), claim, longest as f64),
    ];
    let at = |modes: usize| cells.iter().find(move |cell| cell.modes == modes && cell.amplitude == BETWEEN);
    let few = at(MODES[0]).map_or(f64::NAN, |cell| f64::from(u8::from(cell.survived.is_some())));
    metrics.push(Metric::within(format!("order 3, {BETWEEN}, 10 modes: diverges"), claim, few, 0.0, 0.0));
    let start = Scene::of_paper(Wire::steel(1), BETWEEN).hold.start as f64;
    for (modes, sample) in SAMPLES {
        let found = at(modes).and_then(|cell| cell.survived).map_or(0.0, |n| start + n as f64);
        let name = format!("order 3, {BETWEEN}, {modes} modes: sample of divergence");
        metrics.push(Metric::new(name, claim, found, Check::Within { reference: sample, tolerance: SAMPLE_TOLERANCE }));
    }
    metrics
}

/// Method 1 to 3 is published (order 3, order 5, largest root), 4 to 7 ours in the order of the metrics, 0 linear.
fn table(cells: &[Cell], duration: f64) -> Table {
    let order: Vec<Method> =
        PUBLISHED.iter().map(|(_, method)| *method).chain(OURS.iter().map(|(_, method, _)| *method)).collect();
    let column = |f: &dyn Fn(&Cell) -> f64| cells.iter().map(f).collect::<Vec<f64>>();
    Table::new("")
        .with("method", column(&|cell| order.iter().position(|m| *m == cell.method).map_or(0.0, |i| i as f64 + 1.0)))
        .with("modes", column(&|cell| cell.modes as f64))
        .with("amplitude", column(&|cell| cell.amplitude))
        .with("survived_samples", column(&|cell| cell.survived.map_or(duration, |n| n as f64)))
        .with("growth", column(&|cell| cell.growth))
}
