//! D21 Fig. 1: a mass on a spring against a barrier, three methods, growing stiffness.

use super::control::{iterations_it1, iterations_it2};
use super::{Bouncer, GRADIENT_NOTE, IT1, IT2, NIT, Named};
use crate::figure::{Figure, Values, positive, within};
use crate::measure::{drift, most};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREEN, MILLI, RED, grid, milliseconds, points, power_of_ten};
use ictus_analysis::plot::{Axis, Curve, Lines, Rgb, Stroke};
use ictus_core::BuildError;

/// Stiffnesses drawn, N/m^α, with the exact penetration (m) and how closely the methods must meet it at the figure's rate.
const DRAWN: [(f64, f64, f64); 3] = [(1e5, 4.450e-3, 0.03e-3), (1e7, 0.6565e-3, 0.007e-3), (1e9, 0.0888e-3, f64::NAN)];
/// Newton steps at most, IT-1 and IT-2, per stiffness. [handbook §2]
const NEWTON: [(f64, f64, f64); 5] =
    [(1e5, 3.0, 3.0), (1e7, 3.0, 4.0), (1e9, 5.0, 6.0), (1e11, 9.0, 10.0), (1e13, 13.0, 14.0)];
/// At 1e9 the mass passes the whole penetration in less than a step; it is resolved at this many times the rate.
const FINE: f64 = 32.0;
const METHODS: [(Named, Rgb); 3] = [(NIT, BLUE), (IT2, RED), (IT1, GREEN)];

/// One per method, so that curves on top of each other all show.
const STROKES: [Stroke; 3] = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted];

/// Fig. 1.
pub static FIGURE: Figure = Figure {
    id: "d21-1",
    paper: "d21",
    title: "Mass against a barrier: three methods, growing stiffness",
    parameters: &[
        positive("mass", 0.01, "kg", "M"),
        within("spring", 3.95e3, "N/m", "K, the linear spring", (0.0, 1e7)),
        within("u0", -0.01, "m", "where the mass starts", (-1.0, 0.0)),
        positive("v0", 1.5, "m/s", "its velocity there"),
        within("alpha", 1.3, "", "exponent of the contact force", (1.0, 5.0)),
        positive("rate", 44_100.0, "Hz", "samples per second"),
        positive("seconds", 0.05, "s", "length of the run"),
    ],
    notes: &[
        GRADIENT_NOTE,
        "The stiffness stands above each column in the paper and did not survive the scan; 1e5, 1e7 and 1e9 are drawn, and the \
         Newton steps are counted up to 1e13.",
        "Newton steps are those of plain Newton from the last answer, stopped at a change of 1e-14 m, as in the paper; ours \
         uses brackets and better first guesses, and its counts stand beside.",
        "The first rebound is the largest speed on the first way back. In the step in which contact ends, part of it is still \
         to come: there the methods show 6.454 to 6.460 m/s.",
        "At 1e9 the exact penetration (89 µm) is less than the way of one step (147 µm), so it is measured at 32 times the rate.",
        "Eq. 20 prints b without the factor k²/M.",
    ],
    run,
};

/// A run of one method.
struct Run {
    time: Vec<f64>,
    position: Vec<f64>,
    energy: Vec<f64>,
    force: Vec<f64>,
    penetration: f64,
    rebound: f64,
    most_iterations: f64,
}

fn bouncer(values: &Values, stiffness: f64) -> Bouncer {
    Bouncer {
        mass: values.get("mass"),
        spring: values.get("spring"),
        stiffness,
        exponent: values.get("alpha"),
        position: values.get("u0"),
        velocity: values.get("v0"),
    }
}

fn bounce(bouncer: &Bouncer, named: Named, rate: f64, seconds: f64) -> Result<Run, BuildError> {
    let mut bounce = bouncer.build(named, rate)?;
    let steps = step_count(seconds, rate)?;
    let mut run = Run {
        time: vec![0.0],
        position: vec![bounce.position()],
        energy: vec![bounce.state.ledger.total.stored],
        force: vec![0.0],
        penetration: 0.0,
        rebound: 0.0,
        most_iterations: 0.0,
    };
    let (mut rebounding, mut turned) = (false, false);
    for i in 1..=steps {
        bounce.step();
        // the fastest it goes on its first way back
        rebounding |= bounce.velocity() < 0.0;
        if rebounding && !turned {
            turned = bounce.velocity() > 0.0;
            run.rebound = run.rebound.max(-bounce.velocity());
        }
        run.time.push(i as f64 / rate);
        run.position.push(bounce.position());
        run.energy.push(bounce.state.ledger.total.stored);
        run.force.push(bounce.force());
    }
    run.penetration = run.position.iter().copied().fold(0.0, f64::max);
    run.most_iterations = f64::from(bounce.state.counts.max_iterations);
    Ok(run)
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (rate, seconds) = (values.get("rate"), values.get("seconds"));
    let steps = step_count(seconds, rate)?;
    let mut metrics = Vec::new();
    let mut rows: [Vec<Lines>; 4] = Default::default();
    let mut tables = Vec::new();
    let mut worst_energy = 0.0f64;
    for (stiffness, exact, tolerance) in DRAWN {
        let bouncer = bouncer(values, stiffness);
        let runs: Vec<(Named, Rgb, Run)> = METHODS
            .into_iter()
            .map(|(named, color)| Ok((named, color, bounce(&bouncer, named, rate, seconds)?)))
            .collect::<Result<_, BuildError>>()?;
        for (named, _, run) in &runs {
            let name = format!("penetration at {stiffness:e}, {} (mm)", named.name);
            let claim = "a harder barrier is penetrated less, the same by all methods";
            if tolerance.is_nan() {
                let fine = bounce(&bouncer, *named, FINE * rate, 0.25 * seconds)?;
                metrics.push(Metric::shown(name.clone(), claim, run.penetration * MILLI));
                let name = format!("{name}, {FINE}× rate");
                let (exact, tolerance) = (exact * MILLI, 0.01 * exact * MILLI);
                metrics.push(Metric::within(name, claim, fine.penetration * MILLI, exact, tolerance));
            } else {
                metrics.push(Metric::within(name, claim, run.penetration * MILLI, exact * MILLI, tolerance * MILLI));
            }
            let name = format!("first rebound at {stiffness:e}, {} (m/s)", named.name);
            metrics.push(Metric::within(name, "an elastic barrier gives back the speed", run.rebound, 6.4605, 0.001));
            worst_energy = worst_energy.max(drift(&run.energy));
        }
        let counts = [
            (IT2, RED, iterations_it2(&bouncer, 1.0 / rate, steps)),
            (IT1, GREEN, iterations_it1(&bouncer, 1.0 / rate, steps)),
        ];
        let first = stiffness == DRAWN[0].0;
        panels(&mut rows, &runs, &counts, (stiffness, seconds), first);
        tables.push(table(stiffness, runs, &counts));
    }
    let energy_claim = "energy is conserved to machine precision by all methods";
    metrics.push(Metric::at_most("largest energy error, all runs", energy_claim, worst_energy, 4e-14, 1e-12).law());
    for (stiffness, it1, it2) in NEWTON {
        let bouncer = bouncer(values, stiffness);
        let plain = [iterations_it1(&bouncer, 1.0 / rate, steps), iterations_it2(&bouncer, 1.0 / rate, steps)];
        for ((named, reference), counts) in [(IT1, it1), (IT2, it2)].into_iter().zip(plain) {
            let claim = "a harder barrier needs more Newton steps";
            let name = format!("most Newton steps at {stiffness:e}, {}", named.name);
            metrics.push(Metric::within(format!("{name}, paper's solver"), claim, most(&counts), reference, 1.0));
            let ours = bounce(&bouncer, named, rate, seconds)?.most_iterations;
            metrics.push(Metric::shown(format!("{name}, ours"), claim, ours));
        }
    }
    let pictures = vec![grid("", "A mass against a barrier [D21 Fig. 1]", DRAWN.len(), rows.concat())];
    Ok(Outcome { metrics, pictures, tables, animations: Vec::new() })
}

type Counts = [(Named, Rgb, Vec<u32>); 2];

/// Adds a column: displacement, energy error, Newton steps, force of N-IT.
fn panels(
    rows: &mut [Vec<Lines>; 4],
    runs: &[(Named, Rgb, Run)],
    counts: &Counts,
    (stiffness, seconds): (f64, f64),
    first: bool,
) {
    // the first bounces show the most
    let axis = || milliseconds((0.5 * seconds).min(seconds));
    let label = |text: &str| if first { text.to_owned() } else { String::new() };
    let head = format!("Stiffness {}", power_of_ten(stiffness));
    let mut motion = Lines::new(head, axis(), Axis::linear(label("Displacement (mm)")));
    let mut energy = Lines::new("", axis(), Axis::linear(label("Energy error (10⁻¹⁵)")));
    let mut newton = Lines::new("", axis(), Axis::linear(label("Newton steps")).with_range(0.0, 8.0));
    for (i, (named, color, run)) in runs.iter().enumerate() {
        let styled = |curve: Curve| curve.color(*color).stroke(STROKES[i]);
        let error: Vec<f64> = run.energy.iter().map(|h| h / run.energy[0] - 1.0).collect();
        motion = motion.with(styled(Curve::new(named.name, points(&run.time, MILLI, &run.position, MILLI))));
        energy = energy.with(styled(Curve::new("", points(&run.time, MILLI, &error, 1e15))));
    }
    let time = &runs[0].2.time[1..];
    for (named, color, counts) in counts {
        let counts: Vec<f64> = counts.iter().map(|&n| f64::from(n)).collect();
        newton = newton.with(Curve::new(named.name, points(time, MILLI, &counts, 1.0)).color(*color));
    }
    let force = Lines::new("", axis(), Axis::linear(label("Force, N-IT (N)")))
        .with(Curve::new("", points(&runs[0].2.time, MILLI, &runs[0].2.force, 1.0)).color(BLUE));
    for (row, plot) in rows.iter_mut().zip([motion, energy, newton, force]) {
        row.push(plot);
    }
}

fn table(stiffness: f64, runs: Vec<(Named, Rgb, Run)>, counts: &Counts) -> Table {
    let mut table = Table::new(format!("k{stiffness:e}")).with("time_s", runs[0].2.time.clone());
    for (named, _, run) in runs {
        let name = named.name.to_lowercase().replace('-', "");
        table = table
            .with(format!("u_{name}_m"), run.position)
            .with(format!("energy_{name}_j"), run.energy)
            .with(format!("force_{name}_n"), run.force);
    }
    for (named, _, counts) in counts {
        let name = named.name.to_lowercase().replace('-', "");
        table = table.with(format!("newton_{name}"), counts.iter().map(|&n| f64::from(n)).collect());
    }
    table
}
