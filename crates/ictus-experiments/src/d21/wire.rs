//! D21 Fig. 7: a wire that falls on a membrane.

use super::{GRADIENT_NOTE, IT2, NIT, Named};
use crate::animation::Animation;
use crate::contour::level_line;
use crate::figure::{Figure, Parameter, Values, positive, within};
use crate::measure::{drift, most};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::rig::{Scheme, check_grid, flexible, node, step_count};
use crate::view::{BLUE, GREEN, GREY, MILLI, RED, displacement, grid, milliseconds, points};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::{
    BuildError, Clock, Contact, Deflection, Edge, End, ExplicitString, ModelBuilder, Outline, Sheet, State, Surface,
    SurfaceParameters, step,
};
use std::f64::consts::TAU;

/// Snapshots, s.
const SNAPSHOT_S: [f64; 6] = [0.0012, 0.0015, 0.0018, 0.0022, 0.003, 0.004];
/// How much of the run the curves show, s.
const SHOWN_S: f64 = 0.02;
/// Steps between the frames of the animation, and how many there are.
const FRAME_STEPS: usize = 4;
const FRAMES: usize = 60;
/// Level lines: this many on each side of 0.
const LEVELS: u32 = 4;

const PARAMETERS: &[Parameter] = &[
    positive("length", 0.2, "m", "length of the wire"),
    positive("density", 1e-3, "kg/m", "ρ_s of the wire"),
    positive("tension", 10.0, "N", "T_s of the wire"),
    positive("radius", 0.15, "m", "R of the membrane"),
    positive("membrane_density", 0.2, "kg/m²", "ρ_m"),
    positive("membrane_tension", 2000.0, "N/m", "T_m"),
    within("place", 0.3, "", "distance of the wire from the centre, of the radius", (0.0, 0.9)),
    positive("gap", 4e-4, "m", "height of the wire at rest over the membrane"),
    positive("amplitude", 1e-3, "m", "peak of the wire's first mode when it is released"),
    positive("k_eta", 1e7, "N/m^(α+1)", "stiffness of the contact per length"),
    within("alpha", 1.3, "", "exponent of the contact force", (1.0, 5.0)),
    positive("rate", 44_100.0, "Hz", "samples per second"),
    positive("seconds", 0.03, "s", "length of the run"),
];

/// Fig. 7.
pub static FIGURE: Figure = Figure {
    id: "d21-7",
    paper: "d21",
    title: "Wire falling on a membrane",
    parameters: PARAMETERS,
    notes: &[
        GRADIENT_NOTE,
        "The paper gives neither stiffness nor exponent; 1e7 per length and 1.3 are those of the handbook.",
        "The staircase membrane is scaled to the lowest mode of the disc. The share of the membrane is its largest over the run; it grows with every bounce, and any run of 16 to 50 ms meets the reference.",
    ],
    run,
};

/// A run of one scheme.
struct Run {
    time: Vec<f64>,
    force: Vec<f64>,
    energy: Vec<f64>,
    membrane: Vec<f64>,
    least_force: f64,
    /// Energy left in contacts while all are apart, over the initial energy.
    stale: f64,
    iterations: Vec<u32>,
    missed: u64,
    /// Step, height of the wire, of the membrane below it, and the membrane's shape at snapshots.
    shapes: Vec<Shape>,
    cells: [usize; 2],
}

struct Shape {
    step: usize,
    wire: Vec<f64>,
    below: Vec<f64>,
    /// Displacements on a square grid over the disc; not-a-number outside.
    map: Vec<f64>,
}

/// Points of the maps from edge to edge.
const MAP: usize = 61;

fn fall(values: &Values, named: Named) -> Result<Run, BuildError> {
    let rate = values.get("rate");
    let clock = Clock::new(named.frame, 1.0 / rate);
    let wire = flexible(values.get("length"), values.get("density"), values.get("tension"));
    let cells = wire.finest(clock.dt)?;
    let n = check_grid(cells.intervals)?;
    let radius = values.get("radius");
    let surface = SurfaceParameters {
        outline: Outline::Disc(radius),
        density: values.get("membrane_density"),
        tension: values.get("membrane_tension"),
        rigidity: 0.0,
        poisson: 0.0,
        damping: 0.0,
        diffusion: 0.0,
        edge: Edge::Supported,
    };
    let fractions: Vec<f64> = (1..n).map(|i| node(i, n)).collect();
    let half = 0.5 * wire.length / radius;
    let line: Vec<[f64; 2]> = fractions.iter().map(|x| [values.get("place"), half * (1.0 - 2.0 * x)]).collect();
    let membrane = Surface::new(clock, surface, surface.finest(clock.dt)?, &line)?;
    let columns = membrane.grid().columns;
    let mut builder = ModelBuilder::new(clock);
    let string = builder.body("wire", ExplicitString::new(clock, wire, cells, &fractions)?);
    let below = builder.body("membrane", membrane);
    let contacts: Vec<_> = (0..n - 1)
        .map(|i| {
            let law = named.scheme.law(clock, values.get("k_eta") * cells.spacing, values.get("alpha"));
            // η = w − u − gap [D21 eq. 51c]
            let contact = Contact::new(format!("contact {i}"), [End::port(below, i), End::port(string, i)], law);
            builder.contact(contact.with_gap(values.get("gap")))
        })
        .collect();
    let model = builder.build()?;
    let mut state = State::new(&model);
    state.deflect(&model, string, Deflection::Fundamental { displacement: values.get("amplitude") });
    let initial = state.ledger.total.stored;
    let stills: Vec<usize> = SNAPSHOT_S.iter().map(|t| (t * rate).round() as usize).collect();
    let mut run = Run {
        time: Vec::new(),
        force: Vec::new(),
        energy: Vec::new(),
        membrane: Vec::new(),
        least_force: 0.0,
        stale: 0.0,
        iterations: Vec::new(),
        missed: 0,
        shapes: Vec::new(),
        cells: [n, columns],
    };
    let mut counted = 0;
    for sample in 1..=step_count(values.get("seconds"), rate)? {
        step(&model, &mut state);
        let forces = contacts.iter().map(|&contact| state.contact_force(contact));
        let (sum, least) = forces.fold((0.0, 0.0_f64), |(sum, least), f| (sum + f, least.min(f)));
        run.time.push(sample as f64 / rate);
        run.force.push(sum);
        run.least_force = run.least_force.min(least);
        run.energy.push(state.ledger.total.stored);
        run.membrane.push(state.body_energy(&model, below) / initial);
        let apart = contacts.iter().all(|&contact| {
            let gap = state.gap(&model, contact);
            gap.now < 0.0 && gap.before < 0.0
        });
        if apart {
            let held: f64 = contacts.iter().map(|&contact| state.contact_energy(&model, contact)).sum();
            run.stale = run.stale.max(held / initial);
        }
        if state.counts.coupled_iterations > counted {
            run.iterations.push((state.counts.coupled_iterations - counted) as u32);
            counted = state.counts.coupled_iterations;
        }
        if stills.contains(&sample) || sample.is_multiple_of(FRAME_STEPS) && sample <= FRAMES * FRAME_STEPS {
            let still = stills.contains(&sample);
            run.shapes.push(Shape {
                step: sample,
                wire: (0..n - 1).map(|i| state.displacement(&model, string, i) + values.get("gap")).collect(),
                below: (0..n - 1).map(|i| state.displacement(&model, below, i)).collect(),
                map: state.sheet(&model, below, 0).filter(|_| still).map_or(Vec::new(), |sheet| map(&sheet)),
            });
        }
    }
    run.missed = state.counts.missed;
    Ok(run)
}

/// The membrane on a square grid over the disc.
fn map(sheet: &Sheet) -> Vec<f64> {
    let at = |i: usize| 2.0 * i as f64 / (MAP - 1) as f64 - 1.0;
    let mut values = Vec::with_capacity(MAP * MAP);
    for j in 0..MAP {
        for i in 0..MAP {
            let (x, y) = (at(i), at(j));
            values.push(if x * x + y * y < 1.0 { sheet.read([x, y]) } else { f64::NAN });
        }
    }
    values
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (iterative, not) = rayon::join(|| fall(values, IT2), || fall(values, NIT));
    let (iterative, not) = (iterative?, not?);
    let mut metrics = Vec::new();
    for (named, run) in [(IT2, &iterative), (NIT, &not)] {
        let name = named.name;
        // the force of the step from n to n + 1 stands at n
        let first = run.force.iter().position(|f| *f > 0.0).map_or(f64::NAN, |i| i as f64 / values.get("rate"));
        let share = run.membrane.iter().copied().fold(0.0, f64::max);
        let strongest = run.force.iter().copied().fold(0.0, f64::max);
        let met = "the wire falls on the membrane";
        let label = format!("first contact, {name} (ms)");
        // the quadratised force follows the gap one step behind
        metrics.push(match named.scheme {
            Scheme::Iterative => Metric::within(label, met, first * MILLI, 1.247, 0.02),
            Scheme::NonIterative => Metric::shown(label, met, first * MILLI),
        });
        metrics.push(Metric::within(
            format!("largest share of the membrane, {name} (%)"),
            "the collision sends waves into the membrane",
            100.0 * share,
            81.0,
            3.0,
        ));
        metrics.push(
            Metric::at_most(
                format!("largest energy error, {name}"),
                "energy is conserved to machine precision",
                drift(&run.energy),
                1.3e-14,
                1e-12,
            )
            .law(),
        );
        metrics.push(
            Metric::at_most(
                format!("pull of a contact over its strongest push, {name}"),
                "the wire never sticks",
                -run.least_force / strongest,
                0.0,
                1e-9,
            )
            .law(),
        );
        metrics.push(Metric::at_most(
            format!("energy left in contacts while apart, {name}"),
            "the wire never sticks",
            run.stale,
            0.0,
            1e-6,
        ));
        metrics.push(
            Metric::new(
                format!("solves that missed, {name}"),
                "one linear system a step, or a few",
                run.missed as f64,
                Check::AtMost { reference: 0.0, bound: 0.0 },
            )
            .law(),
        );
        metrics.push(Metric::shown(
            format!("most Newton steps of a solve, {name}"),
            "one linear system a step, or a few",
            most(&run.iterations),
        ));
    }
    metrics.push(Metric::within("initial energy (µJ)", "the wire's first mode", iterative.energy[0] * 1e6, 123.3, 0.1));
    let [n, columns] = iterative.cells;
    metrics.push(Metric::shown("intervals of the wire", "at the stability limit", n as f64));
    metrics.push(Metric::shown("cells across the membrane", "at the stability limit", columns as f64));
    let length = values.get("length");
    let x: Vec<f64> = (1..n).map(|i| length * i as f64 / n as f64).collect();
    let rate = values.get("rate");
    let side = |shape: &Shape| {
        Lines::new(
            format!("{:.2} ms", shape.step as f64 / rate * MILLI),
            Axis::linear("Along the wire (mm)").with_range(0.0, length * MILLI),
            displacement().with_range(-0.8, 1.5),
        )
        .with(Curve::new("wire", points(&x, MILLI, &shape.wire, MILLI)).color(RED))
        .with(Curve::new("membrane", points(&x, MILLI, &shape.below, MILLI)).color(BLUE))
    };
    let still = |t: &f64| iterative.shapes.iter().find(|shape| shape.step == (t * rate).round() as usize);
    let stills: Vec<&Shape> = SNAPSHOT_S.iter().filter_map(still).collect();
    let largest = |shape: &Shape| shape.map.iter().filter(|u| u.is_finite()).fold(0.0_f64, |most, u| most.max(u.abs()));
    let top = stills.iter().map(|shape| largest(shape)).fold(f64::MIN_POSITIVE, f64::max);
    let plots = stills.iter().map(|shape| above(shape, top, rate, values)).collect();
    let title = "A wire falls on a membrane";
    let frames = iterative.shapes.iter().filter(|shape| shape.step.is_multiple_of(FRAME_STEPS));
    let moving = frames.map(|shape| grid("", title, 1, vec![side(shape)]));
    let animation = Animation { name: "animation", frames: moving.collect(), frame_ms: 80 };
    let force = Lines::new("Force of the contact", milliseconds(SHOWN_S), Axis::linear("Force (N)"))
        .with(Curve::new("N-IT", points(&not.time, MILLI, &not.force, 1.0)).color(BLUE))
        .with(Curve::new("IT-2", points(&iterative.time, MILLI, &iterative.force, 1.0)).color(RED).dashed());
    let share = Lines::new("Energy of the membrane", milliseconds(SHOWN_S), Axis::linear("Share (%)"))
        .with(Curve::new("N-IT", points(&not.time, MILLI, &not.membrane, 100.0)).color(BLUE))
        .with(Curve::new("IT-2", points(&iterative.time, MILLI, &iterative.membrane, 100.0)).color(RED).dashed());
    let pictures = vec![
        grid("", "A wire on a membrane, from above [D21 Fig. 7]", 3, plots),
        grid("side", "The wire and the membrane below it", 3, stills.iter().map(|shape| side(shape)).collect()),
        grid("force", "Force and energy", 2, vec![force, share]),
    ];
    let mut table = Table::new("").with("time_s", iterative.time.clone());
    for (name, run) in [("it2", &iterative), ("nit", &not)] {
        table = table
            .with(format!("force_{name}_n"), run.force.clone())
            .with(format!("energy_{name}_j"), run.energy.clone())
            .with(format!("membrane_share_{name}"), run.membrane.clone());
    }
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: vec![animation] })
}

/// Level lines of the membrane, its rim, and the wire.
fn above(shape: &Shape, top: f64, rate: f64, values: &Values) -> Lines {
    let axis = |label: &'static str| Axis::linear(label).with_range(-1.05, 1.05);
    let rim = (0..=180).map(|i| TAU * f64::from(i) / 180.0).map(|t| (libm::cos(t), libm::sin(t))).collect();
    let half = 0.5 * values.get("length") / values.get("radius");
    let place = values.get("place");
    let index = |x: f64| ((0.5 * (x + 1.0) * (MAP - 1) as f64).round() as usize).min(MAP - 1);
    let at = |x: f64, y: f64| Some(shape.map[index(y) * MAP + index(x)]).filter(|u| u.is_finite());
    let title = format!("{:.2} ms", shape.step as f64 / rate * MILLI);
    let mut plot = Lines::new(title, axis("x/R"), axis("y/R")).with(Curve::new("", rim).color(GREY));
    for level in 1..=LEVELS {
        let level = top * f64::from(level) / f64::from(LEVELS + 1);
        plot = plot
            .with(Curve::new("", level_line(MAP - 1, level, at)).color(RED))
            .with(Curve::new("", level_line(MAP - 1, -level, at)).color(BLUE));
    }
    plot.with(Curve::new("wire", vec![(place, -half), (place, half)]).color(GREEN))
}
