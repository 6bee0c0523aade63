//! D21 Fig. 2: order of convergence for a free mass against a linear barrier, whose motion is known exactly.
//!
//! u(t) = −(t + u₀/v₀ − π√(M/K_η))v₀ after the impact. The start u⁰ = −v₀k[floor(−u₀/(v₀k)) + ½] puts the impact between
//! two samples at every rate; that u⁰, not u₀, belongs into the exact solution.

use super::{Bouncer, GRADIENT_NOTE, IT1, IT2, NIT, Named};
use crate::figure::{Figure, Values, positive, within};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREEN, GREY, RED, grid, power_of_ten};
use ictus_analysis::order::order;
use ictus_analysis::plot::{Axis, Curve, Lines, Rgb, Stroke};
use ictus_core::BuildError;
use std::f64::consts::PI;

const METHODS: [(Named, Rgb); 3] = [(NIT, BLUE), (IT1, GREEN), (IT2, RED)];
/// Stiffness, N/m, and the orders of N-IT, IT-1 and IT-2 with their tolerance. [handbook §2]
const CASES: [(f64, [f64; 3], f64); 4] = [
    (1e4, [2.0, 2.0, 2.0], 0.02),
    (1e6, [2.0, 2.0, 2.0], 0.02),
    (1e8, [1.88, 1.89, 1.84], 0.03),
    (1e12, [1.08, 1.04, 1.03], 0.03),
];

/// Fig. 2.
pub static FIGURE: Figure = Figure {
    id: "d21-2",
    paper: "d21",
    title: "Order of convergence of three methods",
    parameters: &[
        positive("mass", 0.01, "kg", "M"),
        within("u0", -0.01, "m", "where the mass starts, about", (-1.0, -1e-6)),
        positive("v0", 1.0, "m/s", "its velocity"),
        positive("rate", 22_050.0, "Hz", "lowest sample rate"),
        within("doublings", 6.0, "", "how often the rate is doubled", (1.0, 12.0)),
    ],
    notes: &[
        GRADIENT_NOTE,
        "The paper gives neither velocity nor rates. The order does not depend on the velocity; the rates are 22.05 kHz and six \
         doublings, which give the reference orders.",
        "The printed start lacks a bracket, and the exact solution must use the start on the grid.",
        "First order follows where √(K_η/M)·k > 1: the contact is then shorter than a step.",
    ],
    run,
};

/// |u − exact| after the impact.
fn error(values: &Values, named: Named, stiffness: f64, rate: f64) -> Result<f64, BuildError> {
    let (mass, u0, v0) = (values.get("mass"), values.get("u0"), values.get("v0"));
    let step = v0 / rate;
    let position = -step * ((-u0 / step).floor() + 0.5);
    let contact = PI * (mass / stiffness).sqrt();
    let bouncer = Bouncer { mass, spring: 0.0, stiffness, exponent: 1.0, position, velocity: v0 };
    let mut bounce = bouncer.build(named, rate)?;
    // well after the mass has left
    let steps = step_count(-u0 / v0 + 1.5 * contact + 0.002, rate)? + 1;
    for _ in 0..steps {
        bounce.step();
    }
    let exact = -(steps as f64 / rate + position / v0 - contact) * v0;
    Ok((bounce.position() - exact).abs())
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let rates: Vec<f64> = (0..=values.count("doublings")).map(|i| values.get("rate") * f64::from(1u32 << i)).collect();
    let steps: Vec<f64> = rates.iter().map(|rate| 1.0 / rate).collect();
    let (mut metrics, mut plots, mut tables) = (Vec::new(), Vec::new(), Vec::new());
    for (stiffness, orders, tolerance) in CASES {
        let title = format!("Barrier stiffness {} N/m", power_of_ten(stiffness));
        let mut plot = Lines::new(title, Axis::log("Time step (s)"), Axis::log("Error (m)"));
        let mut table = Table::new(format!("k{stiffness:e}")).with("step_s", steps.clone());
        let mut largest = 0.0f64;
        for ((named, color), reference) in METHODS.into_iter().zip(orders) {
            let errors: Vec<f64> =
                rates.iter().map(|&rate| error(values, named, stiffness, rate)).collect::<Result<_, _>>()?;
            let found = order(&steps, &errors).map_or(f64::NAN, |fit| fit.order);
            let claim = if stiffness < 1e9 {
                "second order while the contact lasts longer than a step"
            } else {
                "first order once the contact is shorter than a step"
            };
            let name = format!("order at {stiffness:e}, {}", named.name);
            metrics.push(Metric::within(name, claim, found, reference, tolerance));
            largest = largest.max(errors[0]);
            let points = steps.iter().copied().zip(errors.iter().copied()).collect();
            // IT-1 lies on N-IT where the barrier is soft: both must show
            let stroke = if named.name == IT1.name { Stroke::Dashed } else { Stroke::Marked };
            plot = plot.with(Curve::new(named.name, points).stroke(stroke).color(color));
            table = table.with(format!("error_{}_m", named.name.to_lowercase().replace('-', "")), errors);
        }
        for slope in [1, 2] {
            plot = plot.with(guide(&steps, 2.0 * largest, slope));
        }
        plots.push(plot);
        tables.push(table);
    }
    let pictures = vec![grid("", "Convergence against the exact motion [D21 Fig. 2]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables, animations: Vec::new() })
}

/// A line of given slope through the largest step.
fn guide(steps: &[f64], top: f64, slope: i32) -> Curve {
    let at = |k: f64| (k, top * libm::pow(k / steps[0], f64::from(slope)));
    let last = steps[steps.len() - 1];
    let curve = Curve::new(if slope == 1 { "slopes 1 and 2" } else { "" }, vec![at(steps[0]), at(last)]).color(GREY);
    curve.stroke(Stroke::Dotted)
}
