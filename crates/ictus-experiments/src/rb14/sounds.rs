//! RB14 Fig. 8 and 9: spectrograms of a string that is held for a while, at one place and along a way.

use super::published::Root;
use super::series::Order;
use super::take::{Method, Take};
use super::wire::{AMPLITUDE, DAMPING, Finger, LENGTH, MODES, RATE, SPEED, Scene, Wire};
use crate::figure::{Figure, Parameter, Values, within};
use crate::measure::{loudest_between, rms_difference};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Picture, Plots, Table};
use ictus_analysis::Window;
use ictus_analysis::spectrum::Spectrum;
use ictus_core::{BuildError, Scheme};
use rayon::prelude::*;

const FIXED: &[Parameter] = &[
    AMPLITUDE,
    MODES,
    LENGTH,
    SPEED,
    DAMPING,
    RATE,
    within("place", 0.72, "", "x_a, a share of the length", (0.1, 0.95)),
];

const MOVING: &[Parameter] = &[
    AMPLITUDE,
    MODES,
    LENGTH,
    SPEED,
    DAMPING,
    RATE,
    within("from", 0.72, "", "x_a at the start, a share of the length", (0.1, 0.95)),
    within("to", 0.68, "", "x_a at the end", (0.1, 0.95)),
];

/// Fig. 8.
pub static HELD: Figure = Figure {
    id: "rb14-8",
    paper: "rb14",
    title: "A string held at 0.72 L for 10 000 samples: linear, as published, order by order, and the engine's",
    parameters: FIXED,
    notes: &[
        "The paper gives neither excitation, damping nor number of modes: those of the handbook, at an amplitude that the published method survives.",
        "The pitch is that of the strongest partial between 60 and 100 Hz while the point is held; the reference is the handbook's for 20 modes.",
        "Series and engine drift apart in phase, as a series of order 3 must (`rb14-secular`).",
    ],
    run: |values| run(values, Finger::at(values.get("place")), &[HELD_PITCH]),
};

/// Fig. 9.
pub static GLIDE: Figure = Figure {
    id: "rb14-9",
    paper: "rb14",
    title: "A string held at a point that moves from 0.72 L to 0.68 L",
    parameters: MOVING,
    notes: &[
        "As `rb14-8`. The pitches are those of the thirds of the 10 000 samples.",
        "A finger that has moved lets go of a string that is bent there.",
    ],
    run: |values| run(values, Finger { from: values.get("from"), to: values.get("to") }, &GLIDE_PITCHES),
};

/// Pitch while held, and its tolerance, Hz. [handbook §6]
const HELD_PITCH: (f64, f64) = (77.68, 0.3);
/// By thirds. The handbook gives one decimal.
const GLIDE_PITCHES: [(f64, f64); 3] = [(78.2, 0.5), (79.9, 0.5), (81.5, 0.5)];
/// Highest frequency in the pictures, Hz.
const HIGHEST: f64 = 1600.0;

const METHODS: [(&str, Method); 4] = [
    ("linear", Method::Published(Order::First, Root::Smallest)),
    ("order 3 as published", Method::Published(Order::Third, Root::Smallest)),
    ("order 3, order by order", Method::Separated(Order::Third)),
    ("the engine's string", Method::Kirchhoff(Scheme::Midpoint)),
];

fn run(values: &Values, finger: Finger, pitches: &[(f64, f64)]) -> Result<Outcome, BuildError> {
    let wire = Wire::from_values(values, values.count("modes"));
    let scene = Scene { fingers: vec![finger], ..Scene::of_paper(wire, values.get("amplitude")) };
    let takes = METHODS.par_iter().map(|(_, method)| method.play(&scene)).collect::<Result<Vec<Take>, _>>()?;
    let top = wire.frequency(wire.modes) / std::f64::consts::TAU;
    let mut metrics = Vec::new();
    for ((name, _), take) in METHODS.iter().zip(&takes) {
        if let Some(sample) = take.diverged {
            metrics.push(Metric::shown(format!("{name}: diverged at sample"), "", sample as f64));
            continue;
        }
        let held = &take.heard[scene.hold.clone()];
        let part = held.len() / pitches.len();
        for (i, (piece, (reference, tolerance))) in held.chunks(part).zip(pitches).enumerate() {
            let which = if pitches.len() == 1 { "while held".to_owned() } else { format!("in third {}", i + 1) };
            let found = loudest_between(piece, wire.rate, 60.0, 100.0);
            let claim = "frequencies are raised: the string is shorter";
            metrics.push(Metric::within(format!("{name}: pitch {which} (Hz)"), claim, found, *reference, *tolerance));
        }
        let name_held = format!("{name}: largest velocity at the point (m/s)");
        metrics.push(Metric::at_most(name_held, "the point rests", take.held, 0.0, 1e-12).law());
        let spectrum = Spectrum::of(&take.heard[..scene.hold.start], wire.rate, Window::Hann);
        let share = spectrum.energy_above(1.2 * top).unwrap_or(0.0);
        let claim = "energy is transferred to higher frequencies";
        let name_above = format!("{name}: share of energy above the highest mode (dB)");
        metrics.push(Metric::shown(name_above, claim, 10.0 * libm::log10(share.max(1e-20))));
    }
    metrics.push(Metric::shown(
        "published against order by order, rms difference over two seconds",
        "",
        compared(&takes[1], &takes[2]),
    ));
    metrics.push(Metric::shown(
        "order by order against the engine, rms difference",
        "",
        compared(&takes[2], &takes[3]),
    ));
    let quiet = takes.iter().filter(|take| take.diverged.is_none()).count() as f64;
    metrics.push(Metric::new("methods that did not diverge", "", quiet, Check::AtLeast { reference: 4.0, bound: 4.0 }));
    let mut table = Table::new("").with("time_s", (0..scene.samples).map(|n| n as f64 / wire.rate).collect());
    let sounds = METHODS.iter().zip(&takes).map(|((name, _), take)| ((*name).to_owned(), take.heard.clone())).collect();
    for ((name, _), take) in METHODS.iter().zip(takes) {
        table = table.with(format!("velocity {name}").replace([',', '\''], "").replace(' ', "_"), take.heard);
    }
    let (title, figure) = match pitches.len() {
        1 => ("A string held at one place", "[RB14 Fig. 8]"),
        _ => ("A string held along a way", "[RB14 Fig. 9]"),
    };
    let plots = Plots::Spectrograms { sounds, rate: wire.rate, highest: HIGHEST };
    let pictures = vec![Picture { name: "", title: format!("{title} {figure}"), columns: 2, plots }];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

/// rms difference as far as both go.
fn compared(a: &Take, b: &Take) -> f64 {
    let until = a.heard.len().min(b.heard.len());
    rms_difference(&a.heard[..until], &b.heard[..until])
}
