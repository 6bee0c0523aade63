//! D21 Fig. 10: the tromba marina, a bowed string whose bridge rattles on the body.

use crate::figure::{Figure, Parameter, Values, positive, within};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::rig::{check_grid, node, step_count};
use crate::view::{BLUE, GREEN, GREY, MILLI, RED, displacement, grid, points};
use ictus_analysis::pitch;
use ictus_analysis::plot::{Axis, Curve, Lines, Stroke};
use ictus_core::{
    BodyId, Bow, BuildError, Clock, Collision, Contact, ContactId, Edge, End, Ends, ExplicitString, Mass, Model,
    ModelBuilder, NonlinearSpring, Outline, PowerLaw, Scheme, State, StringParameters, Surface, SurfaceParameters,
    step,
};
use std::f64::consts::{PI, TAU};

/// Length of the run, s.
const SECONDS: f64 = 1.0;
/// Where the string is heard, of its length.
const OUTPUT: f64 = 0.1;
/// Snapshots, s: one period of the bowed motion.
const SNAPSHOT_S: [f64; 6] = [0.9, 0.9045, 0.909, 0.9135, 0.918, 0.9225];
/// Density of steel, kg/m³.
const STEEL: f64 = 7850.0;
/// Length of the stretch in which the pitch is measured, s.
const HEARD_S: f64 = 0.5;

const PARAMETERS: &[Parameter] = &[
    positive("length", 1.9, "m", "length of the string"),
    positive("string_radius", 5e-4, "m", "radius of the string"),
    positive("pitch", 32.0, "Hz", "fundamental of the string without stiffness and bridge"),
    positive("young", 2e11, "Pa", "Young's modulus of the string"),
    within("sigma0", 0.1, "1/s", "σ0 of the string", (0.0, 1e3)),
    within("sigma1", 0.05, "m²/s", "σ1 of the string", (0.0, 10.0)),
    within("bow_place", 1.0 / 3.0, "", "where the string is bowed, of its length", (0.01, 0.99)),
    within("bow_speed", -0.2, "m/s", "v_b", (-10.0, 10.0)),
    within("bow_force", 0.1, "N", "F_b", (0.0, 100.0)),
    positive("bow_curve", 100.0, "s²/m²", "a of the friction curve"),
    positive("bridge_place", 1.65, "m", "χ_m, where the string crosses the bridge"),
    positive("bridge_mass", 1e-3, "kg", "M"),
    positive("bridge_frequency", 500.0, "Hz", "ω0/2π of the bridge"),
    within("bridge_loss", 0.05, "1/s", "R of the bridge", (0.0, 1e4)),
    within("offset", 5e-6, "m", "gap between bridge and body", (-1e-2, 1e-2)),
    positive("k_zeta", 5e6, "N/m^β", "stiffness of string on bridge"),
    positive("k_eta", 5e8, "N/m^α", "stiffness of bridge on body"),
    within("alpha", 1.3, "", "α and β", (1.0, 5.0)),
    positive("width", 0.18, "m", "L_x of the body"),
    positive("height", 1.35, "m", "L_y of the body"),
    positive("thickness", 5e-3, "m", "of the body"),
    positive("wood_density", 400.0, "kg/m³", "of the body"),
    positive("wood_young", 1e10, "Pa", "of the body"),
    within("body_sigma0", 2.0, "1/s", "σ0 of the body", (0.0, 1e3)),
    within("body_sigma1", 0.05, "m²/s", "σ1 of the body", (0.0, 10.0)),
    positive("rate", 44_100.0, "Hz", "samples per second"),
];

/// Poisson's ratio of the body.
const POISSON: f64 = 0.3;
/// Where the bridge meets the body, m. [D21 Fig. 10]
const FOOT: [f64; 2] = [0.135, 1.08];

/// Fig. 10.
pub static FIGURE: Figure = Figure {
    id: "d21-10",
    paper: "d21",
    title: "The tromba marina",
    parameters: PARAMETERS,
    notes: &[
        "The paper bows with 1 N for the picture, where the friction curve leaves three answers; the reference numbers are for 0.1 N.",
        "Connection and collision are solved by discrete gradients (IT-2); the paper quadratises them.",
        "The paper refers to earlier work for the body: here its edges are supported, its losses 2 1/s and 0.05 m²/s.",
        "Bridge and body: ends in the order of eq. 56, so that a positive force pushes them apart.",
    ],
    run,
};

fn string(values: &Values) -> StringParameters {
    let (length, radius) = (values.get("length"), values.get("string_radius"));
    let density = STEEL * PI * radius * radius;
    let speed = 2.0 * length * values.get("pitch");
    StringParameters {
        length,
        density,
        tension: density * speed * speed,
        stiffness: values.get("young") * 0.25 * PI * radius * radius * radius * radius,
        damping: values.get("sigma0"),
        diffusion: values.get("sigma1"),
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    }
}

fn body(values: &Values) -> SurfaceParameters {
    let thickness = values.get("thickness");
    SurfaceParameters {
        outline: Outline::Rectangle([values.get("width"), values.get("height")]),
        density: values.get("wood_density") * thickness,
        tension: 0.0,
        rigidity: values.get("wood_young") * thickness * thickness * thickness / (12.0 * (1.0 - POISSON * POISSON)),
        poisson: POISSON,
        damping: values.get("body_sigma0"),
        diffusion: values.get("body_sigma1"),
        edge: Edge::Supported,
    }
}

/// String, bridge, body and bow, ready to be played.
struct Tromba {
    model: Model,
    string: BodyId,
    bridge: BodyId,
    plate: BodyId,
    rattle: ContactId,
    bow: ContactId,
    /// Intervals of the string.
    intervals: usize,
    /// Cells of the body.
    cells: usize,
}

impl Tromba {
    /// Ports of the string: bow, bridge, output, then every grid point.
    const OUTPUT_PORT: usize = 2;
    const FIRST_POINT: usize = 3;

    fn build(values: &Values) -> Result<Self, BuildError> {
        let clock = Clock::new(Scheme::Leapfrog, 1.0 / values.get("rate"));
        let (string, plate) = (string(values), body(values));
        let cells = string.finest(clock.dt)?;
        let n = check_grid(cells.intervals)?;
        let places = [values.get("bow_place"), values.get("bridge_place") / values.get("length"), OUTPUT];
        let positions: Vec<f64> = places.into_iter().chain((1..n).map(|i| node(i, n))).collect();
        let board = plate.finest(clock.dt)?;
        let foot = [FOOT[0] / values.get("width"), FOOT[1] / values.get("height")].map(|x| x.min(0.99));
        let mass = values.get("bridge_mass");
        let omega = TAU * values.get("bridge_frequency");
        let mut builder = ModelBuilder::new(clock);
        let string = builder.body("string", ExplicitString::new(clock, string, cells, &positions)?);
        let bridge =
            builder.body("bridge", Mass::new(clock, mass, mass * omega * omega, mass * values.get("bridge_loss"))?);
        let plate = builder.body("body", Surface::new(clock, plate, board, &[foot])?);
        let alpha = values.get("alpha");
        let tie = NonlinearSpring::new(clock, PowerLaw::new(values.get("k_zeta"), alpha));
        builder.contact(Contact::new("connection", [End::port(bridge, 0), End::port(string, 1)], tie.into()));
        let knock = Collision::new(clock, PowerLaw::new(values.get("k_eta"), alpha), 0.0);
        let rattle = Contact::new("rattle", [End::port(plate, 0), End::port(bridge, 0)], knock.into());
        let rattle = builder.contact(rattle.with_gap(values.get("offset")));
        let hair = Bow::new(clock, values.get("bow_curve"))?;
        let bow = builder.contact(Contact::new("bow", [End::port(string, 0), End::Wall], hair.into()));
        let model = builder.build()?;
        Ok(Self { model, string, bridge, plate, rattle, bow, intervals: n, cells: board.columns * board.rows })
    }

    /// The state in which the bow begins to move.
    fn bowed(&self, values: &Values) -> State {
        let mut state = State::new(&self.model);
        state.press(&self.model, self.bow, values.get("bow_force"));
        state.slide(self.bow, values.get("bow_speed"));
        state
    }
}

/// What a run records, one number per step.
#[derive(Default)]
struct Take {
    time: Vec<f64>,
    /// Velocity of the string at the output, m/s.
    heard: Vec<f64>,
    energy: Vec<f64>,
    /// Force of the bridge on the body, N.
    force: Vec<f64>,
    on_body: Vec<f64>,
    on_bridge: Vec<f64>,
    /// Step and shape of the string.
    snapshots: Vec<(usize, Vec<f64>)>,
    /// Newton steps of the bow: in all, and the most of one solve.
    bow_iterations: u64,
    bow_most: u64,
}

impl Take {
    fn record(tromba: &Tromba, state: &mut State, rate: f64) -> Result<Self, BuildError> {
        let model = &tromba.model;
        let stills: Vec<usize> = SNAPSHOT_S.iter().map(|t| (t * rate).round() as usize).collect();
        let mut take = Self::default();
        for sample in 1..=step_count(SECONDS, rate)? {
            step(model, state);
            take.time.push(sample as f64 / rate);
            take.heard.push(state.velocity(model, tromba.string, Tromba::OUTPUT_PORT));
            take.force.push(state.contact_force(tromba.rattle));
            take.on_body.push(state.displacement(model, tromba.plate, 0));
            take.on_bridge.push(state.displacement(model, tromba.bridge, 0));
            take.energy.push(state.ledger.total.stored);
            // the bow is the one contact that is solved alone
            let alone = state.counts.iterations - state.counts.coupled_iterations;
            take.bow_most = take.bow_most.max(alone - take.bow_iterations);
            take.bow_iterations = alone;
            if stills.contains(&sample) {
                let point = |i| state.displacement(model, tromba.string, Tromba::FIRST_POINT + i);
                take.snapshots.push((sample, (0..tromba.intervals - 1).map(point).collect()));
            }
        }
        Ok(take)
    }

    /// Pitch of the end of the run, Hz; 0 if there is none.
    fn pitch(&self, rate: f64) -> f64 {
        let late = &self.heard[self.heard.len() - ((HEARD_S * rate) as usize).min(self.heard.len())..];
        pitch::fundamental(late, rate).map_or(0.0, |pitch| pitch.hz)
    }
}

fn metrics(tromba: &Tromba, take: &Take, state: &State, rate: f64) -> Vec<Metric> {
    let peak = take.energy.iter().copied().fold(0.0, f64::max);
    let strongest = take.force.iter().copied().fold(0.0, f64::max);
    let weakest = take.force.iter().copied().fold(0.0, f64::min);
    let knocks = take.force.windows(2).filter(|pair| pair[0] == 0.0 && pair[1] > 0.0).count();
    let bow_mean = take.bow_iterations as f64 / take.time.len() as f64;
    let moves = "the bowed string makes the bridge collide with the body";
    vec![
        Metric::within("pitch of the string (Hz)", "the string is bowed", take.pitch(rate), 37.0, 1.0),
        Metric::at_most(
            "power balance over the largest energy",
            "energy is accounted for",
            state.ledger.max_residual_rel(),
            5e-13,
            1e-9,
        )
        .law(),
        Metric::at_most("pull of the bridge over its strongest push", moves, -weakest / strongest, 0.0, 1e-9).law(),
        Metric::new(
            "knocks of the bridge in a second",
            moves,
            knocks as f64,
            Check::AtLeast { reference: 37.0, bound: 10.0 },
        ),
        Metric::shown("strongest push of the bridge (N)", moves, strongest),
        Metric::at_most("Newton steps of the bow, mean", "a few steps", bow_mean, 3.0, 4.0),
        Metric::shown("Newton steps of the bow, most", "a few steps", take.bow_most as f64),
        Metric::shown(
            "Newton steps of bridge and body, most",
            "a few steps",
            f64::from(state.counts.max_coupled_iterations),
        ),
        Metric::at_most("solves that missed", "a few steps", state.counts.missed as f64, 0.0, 0.0).law(),
        Metric::shown("largest energy (µJ)", "energy is accounted for", peak * 1e6),
        Metric::shown("intervals of the string", "at the stability limit", tromba.intervals as f64),
        Metric::shown("cells of the body", "at the stability limit", tromba.cells as f64),
    ]
}

/// The string at the times of the snapshots, with bow and bridge.
fn snapshots(values: &Values, n: usize, take: &Take) -> Vec<Lines> {
    let length = values.get("length");
    let x: Vec<f64> = (1..n).map(|i| length * i as f64 / n as f64).collect();
    let most = take.snapshots.iter().flat_map(|(_, s)| s).fold(0.0_f64, |most, u| most.max(u.abs())) * MILLI * 1.1;
    let bow = values.get("bow_place") * length * MILLI;
    let foot = values.get("bridge_place") * MILLI;
    let mark = |name: &'static str, at: (f64, f64)| Curve::new(name, vec![at]).stroke(Stroke::Points);
    let plot = |(sample, shape): &(usize, Vec<f64>)| {
        let title = format!("{:.1} ms", *sample as f64 / values.get("rate") * MILLI);
        let axis = Axis::linear("Position (mm)").with_range(0.0, length * MILLI);
        Lines::new(title, axis, displacement().with_range(-most, most))
            .with(Curve::new("string", points(&x, MILLI, shape, MILLI)).color(BLUE))
            .with(mark("bow", (bow, -0.95 * most)).color(RED))
            .with(mark("bridge", (foot, take.on_bridge[sample - 1] * MILLI)).color(GREEN))
    };
    take.snapshots.iter().map(plot).collect()
}

/// Bridge, body and the force between them in a few periods.
fn rattling(take: &Take) -> Vec<Lines> {
    let window = Axis::linear("Time (ms)").with_range(900.0, 960.0);
    let rattle = Lines::new("Bridge and body", window.clone(), Axis::linear("Displacement (µm)"))
        .with(Curve::new("bridge", points(&take.time, MILLI, &take.on_bridge, 1e6)).color(GREEN))
        .with(Curve::new("body", points(&take.time, MILLI, &take.on_body, 1e6)).color(GREY));
    let force = Lines::new("Force of the bridge on the body", window, Axis::linear("Force (N)"))
        .with(Curve::new("", points(&take.time, MILLI, &take.force, 1.0)).color(RED));
    vec![rattle, force]
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let rate = values.get("rate");
    let tromba = Tromba::build(values)?;
    let mut state = tromba.bowed(values);
    let take = Take::record(&tromba, &mut state, rate)?;
    let metrics = metrics(&tromba, &take, &state, rate);
    let pictures = vec![
        grid("", "The bowed tromba marina [D21 Fig. 10]", 3, snapshots(values, tromba.intervals, &take)),
        grid("bridge", "The rattling bridge", 1, rattling(&take)),
    ];
    let table = Table::new("")
        .with("time_s", take.time)
        .with("string_velocity_m_s", take.heard)
        .with("bridge_m", take.on_bridge)
        .with("body_m", take.on_body)
        .with("force_n", take.force)
        .with("energy_j", take.energy);
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}
