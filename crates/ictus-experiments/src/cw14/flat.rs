//! CW14 Fig. 2: a flexible string on a flat barrier halfway down its swing.
//!
//! The exact motion has one and a half times the period of the free string. The middle of the string falls through zero
//! twice in that time, so a full period lasts from a fall to the fall after next.

use super::control::Control;
use super::{AMPLITUDE, DENSITY, LENGTH, RATE, Reference, SECONDS, SPACING, TENSION, intervals, reference, setup};
use crate::figure::{Figure, Values, positive, within};
use crate::measure::{drift, falls, mean, most};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::recording::Recording;
use crate::rig::{Rig, Setup, check_grid, distributed, step_count};
use crate::view::{BLUE, GREEN, GREY, MILLI, RED, displacement, grid, milliseconds, points};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::{BuildError, State, step};

/// How much of the motion is drawn, s.
const DRAWN_S: f64 = 0.014;
/// Time over which our solver and the paper's are compared: afterwards rounding grows with every bounce.
const COMPARED_S: f64 = 0.01;

/// Fig. 2.
pub static FIGURE: Figure = Figure {
    id: "cw14-2",
    paper: "cw14",
    title: "Flexible string on a flat barrier: period and energy",
    parameters: &[
        LENGTH,
        DENSITY,
        TENSION,
        AMPLITUDE,
        SPACING,
        RATE,
        SECONDS,
        positive("k_b", 1e7, "N/m²", "stiffness density of the barrier"),
        within("y_b", -1e-3, "m", "height of the barrier", (-1.0, 0.0)),
        positive("k_b_fine", 1e9, "N/m²", "stiffness density in the oversampled run"),
        within("oversampling", 20.0, "", "refinement of grid and rate in the oversampled run", (1.0, 64.0)),
    ],
    notes: &[
        "The paper gives no height of the barrier. The period ratio 1.5 belongs to a barrier halfway down the swing, \
         y_b = −A/2 = −1 mm.",
        "k_b is a density: each grid point carries k_b Δx.",
        "Eq. 35 prints Δt where ξ = Δt²/(2ρA) belongs; as printed, Newton fails hundreds of times per second. The left side of \
         eq. 31 is (q⁺+q)'(q⁺−q).",
        "The paper does not say when Newton stops; its solver here stops at a change of 1e-12 of the displacement, which gives the \
         reference counts (1e-13 adds one step at most).",
        "The middle of the string crosses zero downwards twice per period; a full period is measured from the first crossing to \
         the one nearest one and a half free periods later.",
    ],
    run,
};

fn flat(values: &Values, factor: usize, stiffness: f64) -> Result<Setup, BuildError> {
    let coarse = setup(values, 1.0, |_, _| Vec::new())?;
    let n = check_grid(intervals(values, factor))?;
    let posts = distributed(coarse.string.length, n, |_| Some((values.get("y_b"), stiffness)));
    Ok(Setup { intervals: n, rate: coarse.rate * factor as f64, posts, ..coarse })
}

/// Period of the free string and first full period on the barrier, samples.
fn periods(free: &[f64], bounced: &[f64]) -> Option<(f64, f64)> {
    let period = match falls(free)[..] {
        [first, second, ..] => second - first,
        _ => return None,
    };
    let crossings = falls(bounced);
    let expected = crossings.first()? + 1.5 * period;
    let back = crossings.iter().skip(1).min_by(|a, b| (*a - expected).abs().total_cmp(&(*b - expected).abs()))?;
    Some((period, back - crossings[0]))
}

fn ratio(periods: Option<(f64, f64)>) -> f64 {
    periods.map_or(f64::NAN, |(free, bounced)| bounced / free)
}

/// Middle of the oversampled string by the paper's solver.
fn middle_by_paper(setup: &Setup, amplitude: f64, steps: usize) -> Vec<f64> {
    let mut control = Control::new(setup, amplitude);
    let mut middle = vec![control.middle()];
    for _ in 0..steps {
        control.step();
        middle.push(control.middle());
    }
    middle
}

/// Middle of a string by ours.
fn middle(rig: &Rig, mut state: State, steps: usize) -> Vec<f64> {
    let mut middle = vec![rig.middle(&state)];
    for _ in 0..steps {
        step(&rig.model, &mut state);
        middle.push(rig.middle(&state));
    }
    middle
}

fn without_barrier(setup: &Setup) -> Setup {
    Setup { posts: Vec::new(), ..setup.clone() }
}

/// The string at the rate of the paper.
struct Coarse {
    bounced: Recording,
    free: Recording,
    by_paper: Reference,
}

impl Coarse {
    fn run(setup: &Setup, amplitude: f64, steps: usize) -> Result<Self, BuildError> {
        let (rig, free) = (setup.build()?, without_barrier(setup).build()?);
        let drawn = (DRAWN_S * setup.rate) as usize;
        Ok(Self {
            bounced: Recording::run(&rig, rig.released(amplitude), steps, |_| false),
            free: Recording::run(&free, free.released(amplitude), drawn, |_| false),
            by_paper: reference(setup, amplitude, steps),
        })
    }

    /// Largest difference between our solver and the paper's, m.
    fn apart(&self, steps: usize) -> f64 {
        let apart = |i: usize| (self.bounced.middle[i] - self.by_paper.middle[i]).abs();
        (0..=steps).map(apart).fold(0.0, f64::max)
    }
}

/// The middle of the oversampled string.
struct Fine {
    free: Vec<f64>,
    by_paper: Vec<f64>,
    ours: Vec<f64>,
}

impl Fine {
    fn run(setup: &Setup, amplitude: f64, steps: usize) -> Result<Self, BuildError> {
        let rig = setup.build()?;
        Ok(Self {
            free: middle_by_paper(&without_barrier(setup), amplitude, steps),
            by_paper: middle_by_paper(setup, amplitude, steps),
            ours: middle(&rig, rig.released(amplitude), steps),
        })
    }
}

/// `difference`: between our solver and the paper's, of the amplitude.
fn metrics(coarse: &Coarse, fine: &Fine, factor: usize, difference: f64) -> Vec<Metric> {
    let Coarse { bounced, free, by_paper } = coarse;
    let counts = &bounced.counts;
    let period = "a straight barrier halfway down the swing makes the period 1.5 times the free one";
    let energy = "energy is conserved to machine precision";
    let newton = "Newton converges in fewer than 20 steps, started from the last answer";
    let finer = "with a finer grid and a harder barrier the ratio comes very close to 1.5";
    let fine_name = format!("period ratio, {factor}× oversampled");
    let fine_ratio =
        |name: String, middle: &[f64]| Metric::within(name, finer, ratio(periods(&fine.free, middle)), 1.502, 0.004);
    vec![
        Metric::within("period ratio", period, ratio(periods(&free.middle, &bounced.middle)), 1.518, 0.01),
        fine_ratio(fine_name.clone(), &fine.ours),
        fine_ratio(format!("{fine_name}, paper's solver"), &fine.by_paper),
        Metric::at_most("largest energy error", energy, drift(&bounced.stored), 3.5e-14, 1e-13),
        Metric::at_most("largest energy error, paper's solver", energy, drift(&by_paper.energy), 3.5e-14, 1e-13),
        Metric::within("Newton steps, paper's solver: mean", newton, mean(&by_paper.iterations), 2.06, 0.1),
        Metric::within("Newton steps, paper's solver: most", newton, most(&by_paper.iterations), 6.0, 1.0),
        Metric::shown("Newton steps, ours: mean", newton, counts.mean_iterations()),
        Metric::shown("Newton steps, ours: most", newton, f64::from(counts.max_iterations)),
        Metric::at_most("solves missed", newton, counts.missed as f64, 0.0, 0.0).law(),
        Metric::at_most(
            "largest difference between the two solvers in 10 ms, of the amplitude",
            "both solve the same equations",
            difference,
            0.0,
            1e-10,
        ),
    ]
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (rate, amplitude) = (values.get("rate"), values.get("amplitude"));
    let factor = values.count("oversampling");
    let fine_rate = rate * factor as f64;
    let steps = step_count(values.get("seconds").max(DRAWN_S), rate)?;
    let fine_steps = step_count(DRAWN_S, fine_rate)?;
    let setup = flat(values, 1, values.get("k_b"))?;
    let fine_setup = flat(values, factor, values.get("k_b_fine"))?;
    let (coarse, fine) =
        rayon::join(|| Coarse::run(&setup, amplitude, steps), || Fine::run(&fine_setup, amplitude, fine_steps));
    let (coarse, fine) = (coarse?, fine?);
    let compared = ((COMPARED_S * rate) as usize).min(steps);
    let metrics = metrics(&coarse, &fine, factor, coarse.apart(compared) / amplitude);

    let Coarse { bounced, free, .. } = coarse;
    let drawn = (DRAWN_S * rate) as usize;
    let fine_time: Vec<f64> = (0..=fine_steps).map(|i| i as f64 / fine_rate).collect();
    let fine_curve = Curve::new(format!("{factor}× oversampled"), points(&fine_time, MILLI, &fine.ours, MILLI));
    let top = Lines::new("Middle of the string", milliseconds(DRAWN_S), displacement())
        .with(barrier(values.get("y_b")))
        .with(Curve::new("free", points(&free.time, MILLI, &free.middle, MILLI)).dashed().color(GREY))
        .with(Curve::new("on the barrier", points(&bounced.time[..=drawn], MILLI, &bounced.middle, MILLI)).color(BLUE))
        .with(fine_curve.dashed().color(RED));
    let error = bounced.energy_error();
    let bottom = Lines::new("Energy error", Axis::linear("Time (s)"), Axis::linear("H/H₀ − 1"))
        .with(Curve::new("", points(&bounced.time, 1.0, &error, 1.0)).color(GREEN));
    let tables = vec![
        Table::new("")
            .with("time_s", bounced.time)
            .with("middle_m", bounced.middle)
            .with("energy_error", error)
            .with("free_middle_m", free.middle),
        Table::new("oversampled")
            .with("time_s", fine_time)
            .with("middle_m", fine.ours)
            .with("middle_by_paper_m", fine.by_paper)
            .with("free_middle_m", fine.free),
    ];
    let pictures = vec![grid("", "A flexible string on a flat barrier [CW14 Fig. 2]", 1, vec![top, bottom])];
    Ok(Outcome { metrics, pictures, tables, animations: Vec::new() })
}

fn barrier(height: f64) -> Curve {
    let ends = vec![(0.0, height * MILLI), (DRAWN_S * MILLI, height * MILLI)];
    Curve::new("barrier", ends).color(GREY)
}
