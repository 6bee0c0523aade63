//! Order of convergence of the engine's Kirchhoff string while a point is held, and the discrete gradient beside it. [handbook §6]

use super::gradient::DiscreteGradient;
use super::kirchhoff::bank;
use super::wire::{LENGTH, SPEED, Wire};
use crate::figure::{Figure, Values, positive, within};
use crate::measure::rms_difference;
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREEN, GREY, RED, grid};
use ictus_analysis::order::order;
use ictus_analysis::plot::{Axis, Curve, Lines, Rgb, Stroke};
use ictus_core::{BuildError, Clock, Contact, Deflection, End, Law, ModelBuilder, Scheme, State, step};
use rayon::prelude::*;

/// Where it is heard, a share of the length.
const HEARD: f64 = 0.3;
/// The port where the deflection is measured: at the maximum of the lowest mode.
const MIDDLE: f64 = 0.5;
/// Refinements of the lowest rate, and of the reference.
const FACTORS: [usize; 4] = [1, 2, 4, 8];
const REFERENCE: usize = 32;

/// The figure.
pub static FIGURE: Figure = Figure {
    id: "rb14-order",
    paper: "rb14",
    title: "Order of convergence of the engine's Kirchhoff string with a point held, and of a discrete gradient",
    parameters: &[
        LENGTH,
        SPEED,
        within("damping", 3.0, "1/s", "δ", (0.0, 100.0)),
        positive("rate", 22_050.0, "Hz", "lowest sample rate"),
        within("modes", 10.0, "", "K", (2.0, 200.0)),
        positive("bend", 0.02, "m", "height of the half sine from which the string is released"),
        within("place", 0.72, "", "where it is held from the start, a share of the length", (0.01, 0.99)),
        positive("seconds", 0.1, "s", "time over which the error is taken"),
    ],
    notes: &[
        "The string rests when it is released, so that the held point is at rest from the start and the motion of a given number of modes is smooth in time.",
        "The reference is the engine's own string in the midpoint scheme at 32 times the lowest rate. The discrete gradient of the handbook is written \
         apart from the engine, implicit where the engine is not; both converge to the same motion.",
        "A finger that comes while the string moves stops its point at once: the motion has a jump there, and where it falls within a step is not resolved.",
        "The error is the rms difference of the displacement at 0.3 L over that of the reference, at the samples of the lowest rate.",
    ],
    run,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContactMethod {
    Engine(Scheme),
    Gradient,
}

const METHODS: [(&str, ContactMethod, Rgb); 3] = [
    ("engine, midpoint", ContactMethod::Engine(Scheme::Midpoint), BLUE),
    ("engine, leapfrog", ContactMethod::Engine(Scheme::Leapfrog), GREEN),
    ("discrete gradient", ContactMethod::Gradient, RED),
];

/// Displacements at the samples of the lowest rate, and steps that were not solved. The engine's finger comes at sample `from` of them.
fn heard(values: &Values, method: ContactMethod, factor: usize, from: usize) -> Result<(Vec<f64>, usize), BuildError> {
    let coarse = Wire::from_values(values, values.count("modes"));
    let wire = Wire { rate: coarse.rate * factor as f64, ..coarse };
    let samples = step_count(values.get("seconds"), coarse.rate)?;
    step_count((samples * factor * wire.modes) as f64 / 20.0, 1.0)?;
    let (place, bend) = (values.get("place"), values.get("bend"));
    let mut signal = Vec::with_capacity(samples);
    let mut misses = 0;
    match method {
        ContactMethod::Engine(scheme) => {
            let clock = Clock::new(scheme, 1.0 / wire.rate);
            let mut builder = ModelBuilder::new(clock);
            let string = builder.body("string", bank(clock, &wire, &[HEARD, place, MIDDLE])?);
            let finger = builder.contact(Contact::new("finger", [End::port(string, 1), End::Wall], Law::Velocity));
            let model = builder.build()?;
            let mut state = State::new(&model);
            state.ledger.enabled = false;
            state.deflect(&model, string, Deflection::Fundamental { displacement: bend });
            for at in 0..samples {
                state.engage(&model, finger, at >= from);
                (0..factor).for_each(|_| step(&model, &mut state));
                signal.push(state.displacement(&model, string, 0));
            }
        }
        ContactMethod::Gradient => {
            let shape = wire.shape(HEARD);
            let mut string = DiscreteGradient::new(wire, place, bend);
            for _ in 0..samples {
                (0..factor).for_each(|_| string.advance());
                signal.push(string.displacement(&shape));
            }
            misses = string.misses;
        }
    }
    Ok((signal, misses))
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let mut plan = vec![(METHODS[0].1, REFERENCE, 0), (METHODS[2].1, REFERENCE, 0)];
    plan.extend(METHODS.iter().flat_map(|(_, method, _)| FACTORS.map(|factor| (*method, factor, 0))));
    // a finger that comes while the string moves, the engine alone
    let late = step_count(0.25 * values.get("seconds"), values.get("rate"))?;
    for (_, method, _) in &METHODS[..2] {
        plan.push((*method, REFERENCE, late));
        plan.extend(FACTORS.map(|factor| (*method, factor, late)));
    }
    let (runs, misses): (Vec<Vec<f64>>, Vec<usize>) = plan
        .into_par_iter()
        .with_max_len(1)
        .map(|(method, factor, from)| heard(values, method, factor, from))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .unzip();
    let steps: Vec<f64> = FACTORS.iter().map(|&factor| 1.0 / (values.get("rate") * factor as f64)).collect();
    let mut plot = Lines::new("", Axis::log("Time step (s)"), Axis::log("Relative rms error"));
    let mut table = Table::new("").with("step_s", steps.clone());
    let mut metrics = Vec::new();
    let mut largest = 0.0f64;
    let (held, caught) = runs[2..].split_at(METHODS.len() * FACTORS.len());
    for ((name, _, color), refined) in METHODS.iter().zip(held.chunks(FACTORS.len())) {
        let errors: Vec<f64> = refined.iter().map(|run| rms_difference(run, &runs[0])).collect();
        let found = order(&steps, &errors).map_or(f64::NAN, |fit| fit.order);
        // the reference has a 16th of the smallest error itself, which flatters the slope a little
        metrics.push(Metric::within(format!("{name}: order"), "second order", found, 2.0, 0.1));
        metrics.push(Metric::shown(format!("{name}: error at the lowest rate"), "", errors[0]));
        largest = largest.max(errors[0]);
        let points = steps.iter().copied().zip(errors.iter().copied()).collect();
        plot = plot.with(Curve::new(*name, points).marked().color(*color));
        table = table.with(format!("error {name}").replace(',', "").replace(' ', "_"), errors);
    }
    for ((name, ..), refined) in METHODS.iter().zip(caught.chunks(FACTORS.len() + 1)) {
        let errors: Vec<f64> = refined[1..].iter().map(|run| rms_difference(run, &refined[0])).collect();
        let found = order(&steps, &errors).map_or(f64::NAN, |fit| fit.order);
        metrics.push(Metric::shown(format!("{name}, caught while it moves: order"), "", found));
    }
    // two motions that approach the same one differ by no more than both have left to go
    let apart = rms_difference(&runs[1], &runs[0]);
    let left = (table.values[1][0] + table.values[METHODS.len()][0]) / (REFERENCE * REFERENCE) as f64;
    metrics.push(Metric::shown("discrete gradient against the engine at 32 times the rate: difference", "", apart));
    let name = "the same over what second order leaves of both errors";
    metrics.push(Metric::at_most(name, "both converge to the same motion", apart / left, 0.0, 1.0));
    let missed = misses.iter().sum::<usize>() as f64;
    metrics.push(Metric::at_most("discrete gradient: steps whose tension was not found", "", missed, 0.0, 0.0).law());
    let guide = steps.iter().map(|k| (*k, 2.0 * largest * (k / steps[0]) * (k / steps[0]))).collect();
    let plot = plot.with(Curve::new("second order", guide).stroke(Stroke::Dotted).color(GREY));
    let pictures = vec![grid("", "A held Kirchhoff string under refinement [handbook §6]", 1, vec![plot])];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}
