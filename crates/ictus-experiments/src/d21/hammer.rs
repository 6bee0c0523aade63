//! D21 Figs. 3 and 4: a hard hammer on a string, iterative and not.

use super::{GRADIENT_NOTE, IT2, NIT, Named};
use crate::animation::Animation;
use crate::figure::{Figure, Parameter, Values, positive, within};
use crate::measure::{drift, rms_difference};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::rig::{check_grid, flexible, node, step_count};
use crate::view::{
    BLUE, GREEN, Layer, MILLI, RED, along, displacement, grid, milliseconds, points, power_of_ten, snapshot,
};
use ictus_analysis::plot::{Axis, Curve, Lines, Stroke};
use ictus_core::{BuildError, Clock, Contact, End, ExplicitString, Mass, ModelBuilder, State, StringParameters, step};

/// Where the string is heard, of its length. [D21 Fig. 4]
const OUTPUT: f64 = 0.68;
/// Snapshots, s: before, at and during the contact, which lasts from 2 to 14 ms.
const SNAPSHOT_S: [f64; 6] = [0.0025, 0.004, 0.006, 0.009, 0.012, 0.016];
/// IT-2 is drawn higher by this much. [D21 Fig. 3]
const LIFT: f64 = 1e-3;
/// Frames of the animation, s apart.
const FRAME_S: f64 = 0.000_2;
const FRAMES: usize = 90;
/// Length of all runs, s: long enough for the hammer to have left for good.
const SECONDS: f64 = 0.04;
/// The cases of Fig. 4: stiffness (N/m^α) and oversampling.
const CASES: [(f64, f64, &str); 4] = [(1e7, 1.0, "(a)"), (1e10, 1.0, "(b)"), (1e12, 1.0, "(c)"), (1e12, 5.0, "(d)")];

const LENGTH: Parameter = positive("length", 0.7, "m", "length of the string");
const DENSITY: Parameter = positive("density", 6.3e-3, "kg/m", "ρ");
const TENSION: Parameter = positive("tension", 100.0, "N", "T₀");
const MASS: Parameter = positive("mass", 0.01, "kg", "M of the hammer");
const ALPHA: Parameter = within("alpha", 1.3, "", "exponent of the contact force", (1.0, 5.0));
const STRIKE: Parameter = within("strike", 0.25, "", "x_c, place of the hammer, of the length", (0.001, 0.999));
const U0: Parameter = within("u0", -1e-3, "m", "where the hammer starts", (-0.1, 0.0));
const V0: Parameter = positive("v0", 0.5, "m/s", "its velocity");
const RATE: Parameter = positive("rate", 44_100.0, "Hz", "samples per second");

const PLACE_NOTE: &str = "The paper does not say where the hammer strikes; a quarter of the length gives the reference numbers. \
     The energies of eqs. 29 and 30 lack the hammer's MU̇²/2.";

/// Fig. 3.
pub static SNAPSHOTS: Figure = Figure {
    id: "d21-3",
    paper: "d21",
    title: "Hard hammer on a string: snapshots",
    parameters: &[
        LENGTH,
        DENSITY,
        TENSION,
        MASS,
        ALPHA,
        STRIKE,
        U0,
        V0,
        RATE,
        positive("k_eta", 1e12, "N/m^α", "stiffness of the hammer"),
    ],
    notes: &[GRADIENT_NOTE, PLACE_NOTE, "IT-2 is drawn 1 mm higher, as in the paper."],
    run: run_snapshots,
};

/// Fig. 4.
pub static OUTPUTS: Figure = Figure {
    id: "d21-4",
    paper: "d21",
    title: "Hammer on a string: output for growing stiffness",
    parameters: &[LENGTH, DENSITY, TENSION, MASS, ALPHA, STRIKE, U0, V0, RATE],
    notes: &[GRADIENT_NOTE, PLACE_NOTE],
    run: run_outputs,
};

/// A run of one method.
struct Run {
    time: Vec<f64>,
    output: Vec<f64>,
    force: Vec<f64>,
    energy: Vec<f64>,
    hammer: Vec<f64>,
    /// Shapes every frame: sample, grid displacements.
    shapes: Vec<(usize, Vec<f64>)>,
    final_velocity: f64,
}

fn string(values: &Values) -> StringParameters {
    flexible(values.get("length"), values.get("density"), values.get("tension"))
}

fn strike(values: &Values, named: Named, stiffness: f64, factor: f64) -> Result<(Run, usize), BuildError> {
    let rate = values.get("rate") * factor;
    let clock = Clock::new(named.scheme, 1.0 / rate);
    let parameters = string(values);
    let cells = parameters.finest(clock.dt)?;
    let n = check_grid(cells.intervals)?;
    let positions: Vec<f64> = [values.get("strike"), OUTPUT].into_iter().chain((1..n).map(|i| node(i, n))).collect();
    let mut builder = ModelBuilder::new(clock);
    let string = builder.body("string", ExplicitString::new(clock, parameters, cells, &positions)?);
    let hammer = builder.body("hammer", Mass::new(clock, values.get("mass"), 0.0, 0.0)?);
    let law = named.method.law(clock, stiffness, values.get("alpha"));
    let felt = builder.contact(Contact::new("felt", [End::port(hammer, 0), End::port(string, 0)], law));
    let model = builder.build()?;
    let mut state = State::new(&model);
    state.throw(&model, hammer, values.get("v0"), Some(values.get("u0")));
    // output is the mean of now and one step before [D21 Fig. 4]
    let mean = |state: &State, body, port| {
        state.displacement(&model, body, port) - 0.5 * clock.dt * state.velocity(&model, body, port)
    };
    let frame = ((FRAME_S * rate).round() as usize).max(1);
    let stills: Vec<usize> = SNAPSHOT_S.iter().map(|t| (t * rate).round() as usize).collect();
    let mut run = Run {
        time: Vec::new(),
        output: Vec::new(),
        force: Vec::new(),
        energy: Vec::new(),
        hammer: Vec::new(),
        shapes: Vec::new(),
        final_velocity: 0.0,
    };
    for sample in 1..=step_count(SECONDS, rate)? {
        step(&model, &mut state);
        run.time.push(sample as f64 / rate);
        run.output.push(mean(&state, string, 1));
        run.hammer.push(mean(&state, hammer, 0));
        run.force.push(state.contact_force(felt));
        run.energy.push(state.ledger.total.stored);
        if sample.is_multiple_of(frame) || stills.contains(&sample) {
            let inner = (0..n - 1).map(|i| mean(&state, string, 2 + i));
            run.shapes.push((sample, std::iter::once(0.0).chain(inner).chain(std::iter::once(0.0)).collect()));
        }
    }
    run.final_velocity = state.velocity(&model, hammer, 0);
    Ok((run, n))
}

fn pair(values: &Values, stiffness: f64, factor: f64) -> Result<(Run, Run, usize), BuildError> {
    let (iterative, not) =
        rayon::join(|| strike(values, IT2, stiffness, factor), || strike(values, NIT, stiffness, factor));
    let ((iterative, n), (not, _)) = (iterative?, not?);
    Ok((iterative, not, n))
}

fn run_snapshots(values: &Values) -> Result<Outcome, BuildError> {
    let (iterative, not, n) = pair(values, values.get("k_eta"), 1.0)?;
    let rate = values.get("rate");
    let impulse = |run: &Run| run.force.iter().sum::<f64>() / rate;
    let peak = |run: &Run| run.force.iter().copied().fold(0.0, f64::max);
    let claim = "both methods give the same motion";
    let energy = "energy is conserved to machine precision during the collision";
    let metrics = vec![
        Metric::within("final velocity of the hammer, IT-2 (m/s)", claim, iterative.final_velocity, -0.465, 0.01),
        Metric::within("final velocity of the hammer, N-IT (m/s)", claim, not.final_velocity, -0.465, 0.01),
        Metric::within("impulse, IT-2 (mN s)", claim, impulse(&iterative) * MILLI, 9.65, 0.1),
        Metric::within("impulse, N-IT (mN s)", claim, impulse(&not) * MILLI, 9.65, 0.1),
        Metric::within("peak force, IT-2 (N)", claim, peak(&iterative), 2.2, 0.2),
        Metric::shown("peak force, N-IT (N)", claim, peak(&not)),
        Metric::at_most("largest energy error, IT-2", energy, drift(&iterative.energy), 4e-12, 4e-12).law(),
        Metric::at_most("largest energy error, N-IT", energy, drift(&not.energy), 4e-12, 4e-12).law(),
        Metric::at_most(
            "N-IT against IT-2 at the output, rms",
            claim,
            rms_difference(&not.output, &iterative.output),
            0.08,
            0.08,
        ),
    ];
    let length = values.get("length");
    let x: Vec<f64> = (0..=n).map(|i| length * i as f64 / n as f64).collect();
    let frame = |sample: usize| -> Option<Lines> {
        let shape = |run: &Run| run.shapes.iter().find(|(i, _)| *i == sample).map(|(_, shape)| shape.clone());
        let (a, b) = (shape(&not)?, shape(&iterative)?);
        let layers =
            [Layer { label: "N-IT", shape: &a, lift: 0.0 }, Layer { label: "IT-2 + 1 mm", shape: &b, lift: LIFT }];
        let place = values.get("strike") * length * MILLI;
        let hammers =
            vec![(place, not.hammer[sample - 1] * MILLI), (place, (iterative.hammer[sample - 1] + LIFT) * MILLI)];
        let axes = (along(length), displacement().with_range(-1.4, 3.4));
        let title = format!("{:.1} ms", sample as f64 / rate * MILLI);
        let plot = snapshot(title, axes, &x, &layers, None);
        Some(plot.with(Curve::new("hammer", hammers).stroke(Stroke::Points).color(GREEN)))
    };
    let sample_at = |t: &f64| (t * rate).round() as usize;
    let stills: Vec<Lines> = SNAPSHOT_S.iter().filter_map(|t| frame(sample_at(t))).collect();
    let every = ((FRAME_S * rate).round() as usize).max(1);
    let title = "A hard hammer on a string";
    let moving = (1..=FRAMES).filter_map(|i| frame(i * every)).map(|plot| grid("", title, 1, vec![plot]));
    let animation = Animation { name: "animation", frames: moving.collect(), frame_ms: 60 };
    let mut shapes = Table::new("snapshots").with("x_m", x.clone());
    for t in &SNAPSHOT_S {
        for (name, run) in [("it2", &iterative), ("nit", &not)] {
            if let Some((_, shape)) = run.shapes.iter().find(|(i, _)| *i == sample_at(t)) {
                shapes = shapes.with(format!("u_{name}_m_at_{:.1}_ms", t * MILLI), shape.clone());
            }
        }
    }
    let force = Lines::new("Force of the hammer", milliseconds(0.02), Axis::linear("Force (N)"))
        .with(Curve::new("N-IT", points(&not.time, MILLI, &not.force, 1.0)).color(BLUE))
        .with(Curve::new("IT-2", points(&iterative.time, MILLI, &iterative.force, 1.0)).color(RED).dashed());
    let motion = Lines::new("Hammer", milliseconds(0.02), displacement())
        .with(Curve::new("N-IT", points(&not.time, MILLI, &not.hammer, MILLI)).color(BLUE))
        .with(Curve::new("IT-2", points(&iterative.time, MILLI, &iterative.hammer, MILLI)).color(RED).dashed());
    let pictures = vec![
        grid("", "A hard hammer on a string [D21 Fig. 3]", 3, stills),
        grid("force", "The hammer's force and motion", 2, vec![force, motion]),
    ];
    let tables = vec![curves("", &iterative, &not), shapes];
    Ok(Outcome { metrics, pictures, tables, animations: vec![animation] })
}

fn curves(name: &str, iterative: &Run, not: &Run) -> Table {
    let mut table = Table::new(name).with("time_s", iterative.time.clone());
    for (name, run) in [("it2", iterative), ("nit", not)] {
        table = table
            .with(format!("output_{name}_m"), run.output.clone())
            .with(format!("force_{name}_n"), run.force.clone())
            .with(format!("hammer_{name}_m"), run.hammer.clone())
            .with(format!("energy_{name}_j"), run.energy.clone());
    }
    table
}

fn run_outputs(values: &Values) -> Result<Outcome, BuildError> {
    let (mut metrics, mut plots, mut tables) = (Vec::new(), Vec::new(), Vec::new());
    let mut errors = None;
    for (stiffness, factor, letter) in CASES {
        let (iterative, not, _) = pair(values, stiffness, factor)?;
        let at = match factor {
            1.0 => format!("stiffness {}", power_of_ten(stiffness)),
            _ => format!("stiffness {}, {factor}× rate", power_of_ten(stiffness)),
        };
        let difference = rms_difference(&not.output, &iterative.output);
        let claim = "small differences at most, growing with the stiffness";
        metrics.push(Metric::at_most(format!("{letter} N-IT against IT-2, rms, {at}"), claim, difference, 0.08, 0.08));
        let claim = "energy is conserved to machine precision";
        let worst = drift(&iterative.energy).max(drift(&not.energy));
        metrics.push(Metric::at_most(format!("{letter} largest energy error, {at}"), claim, worst, 4e-12, 4e-12).law());
        for (named, run) in [(IT2, &iterative), (NIT, &not)] {
            let name = format!("{letter} final velocity of the hammer, {} (m/s)", named.name);
            metrics.push(Metric::within(name, "both methods agree", run.final_velocity, -0.465, 0.01));
        }
        plots.push(
            Lines::new(format!("{letter} {at}"), milliseconds(SECONDS), displacement())
                .with(Curve::new("N-IT", points(&not.time, MILLI, &not.output, MILLI)).color(BLUE))
                .with(Curve::new("IT-2", points(&iterative.time, MILLI, &iterative.output, MILLI)).color(RED).dashed()),
        );
        tables.push(curves(&format!("k{stiffness:e}-{factor}x"), &iterative, &not));
        if errors.is_none() {
            let error = |run: &Run| run.energy.iter().map(|h| h / run.energy[0] - 1.0).collect::<Vec<_>>();
            errors = Some(
                Lines::new("(e) Energy error of (a)", milliseconds(SECONDS), Axis::linear("H/H₀ − 1"))
                    .with(Curve::new("N-IT", points(&not.time, MILLI, &error(&not), 1.0)).color(BLUE))
                    .with(Curve::new("IT-2", points(&iterative.time, MILLI, &error(&iterative), 1.0)).color(RED)),
            );
        }
    }
    plots.extend(errors);
    let pictures = vec![grid("", "The string at 0.68 L after a hammer [D21 Fig. 4]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables, animations: Vec::new() })
}
