//! RB14 Fig. 6 and 7: two points that adhere. Each velocity is a cubic in both forces; the forces are where both vanish.
//!
//! The paper reads the solution off the plot and simulates nothing. Here all crossings are found, and both points are held over the whole scene, order by
//! order and by the engine's string.

use super::pair::{Pair, Sampled};
use super::series::Order;
use super::take::Method;
use super::wire::{AMPLITUDE, DAMPING, Finger, LENGTH, MODES, RATE, SPEED, Scene, Wire};
use crate::figure::{Figure, Parameter, Values, within};
use crate::metric::{Metric, short};
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREEN, GREY, RED, grid};
use ictus_analysis::plot::{Axis, Curve, Lines, Stroke};
use ictus_core::{BuildError, Scheme};
use rayon::prelude::*;

const PARAMETERS: &[Parameter] = &[
    AMPLITUDE,
    MODES,
    LENGTH,
    SPEED,
    DAMPING,
    RATE,
    within("place_a", 0.36, "", "x_a, a share of the length", (0.001, 0.999)),
    within("place_b", 0.72, "", "x_b", (0.001, 0.999)),
    within("cells", 80.0, "", "cells of the grid along each force", (10.0, 400.0)),
];

const NOTES: &[&str] = &[
    "The paper does not say where the points are: 0.36 L and 0.72 L, as in the handbook.",
    "The sample shown is the first of adherence, after 40 000 samples of free vibration.",
    "Surfaces are drawn as level lines.",
];

/// Fig. 6.
pub static LEVELS: Figure = Figure {
    id: "rb14-6",
    paper: "rb14",
    title: "Velocities of two points over the two forces that act there",
    parameters: PARAMETERS,
    notes: NOTES,
    run: levels,
};

/// Fig. 7.
pub static CROSSINGS: Figure = Figure {
    id: "rb14-7",
    paper: "rb14",
    title: "Where both velocities vanish",
    parameters: PARAMETERS,
    notes: NOTES,
    run: crossings,
};

/// Levels drawn, as shares of the largest velocity.
const SHARES: [f64; 4] = [0.01, 0.03, 0.1, 0.3];

const METHODS: [(&str, Method); 3] = [
    ("order by order, order 3", Method::Separated(Order::Third)),
    ("order by order, order 5", Method::Separated(Order::Fifth)),
    ("the engine's string", Method::Kirchhoff(Scheme::Midpoint)),
];

fn scene(values: &Values) -> Result<Scene, BuildError> {
    step_count(values.get("cells") * values.get("cells") * values.get("modes"), 1.0)?;
    let wire = Wire::from_values(values, values.count("modes"));
    let fingers = vec![Finger::at(values.get("place_a")), Finger::at(values.get("place_b"))];
    Ok(Scene { fingers, ..Scene::of_paper(wire, values.get("amplitude")) })
}

fn plane(title: impl Into<String>, reach: f64) -> Lines {
    let axis = |name: &str| Axis::linear(format!("{name} (m³/s²)")).with_range(-reach, reach);
    Lines::new(title, axis("f_a"), axis("f_b"))
}

fn levels(values: &Values) -> Result<Outcome, BuildError> {
    let pair = Pair::new(&scene(values)?)?;
    let cells = values.count("cells");
    let sampled = pair.sampled(cells, pair.reach);
    let (mut plots, mut metrics) = (Vec::new(), Vec::new());
    let along: Vec<f64> = (0..=cells).map(|i| pair.reach * (2.0 * i as f64 / cells as f64 - 1.0)).collect();
    let mut table = Table::new("").with("force", along.clone());
    for (point, name) in ["x_a", "x_b"].into_iter().enumerate() {
        let most = sampled.most(point);
        let levels = SHARES.map(|share| share * most);
        let listed = levels.map(short).join(", ");
        let mut plot = plane(format!("Velocity at {name}: 0, ± {listed} m/s"), pair.reach);
        for (i, level) in levels.into_iter().enumerate() {
            let label = |text: &str| if i == 0 { text.to_owned() } else { String::new() };
            let below = Curve::new(label("below 0"), sampled.level(point, -level)).color(RED);
            let above = Curve::new(label("above 0"), sampled.level(point, level)).color(BLUE);
            plot = plot.with(below).with(above);
        }
        plots.push(plot.with(Curve::new("0", sampled.level(point, 0.0)).color(GREY)));
        // along the own force with the other at rest, the surface is the polynomial of one point
        let polynomial = pair.series.velocity_polynomial(&pair.shapes[point]);
        let on = |force: f64| pair.velocities(if point == 0 { [force, 0.0] } else { [0.0, force] })[point];
        let cut: Vec<f64> = along.iter().map(|&force| on(force)).collect();
        let off = along.iter().zip(&cut).fold(0.0f64, |most, (f, v)| most.max((polynomial.at(*f) - v).abs()));
        let name_off = format!("surface of {name} along its own force, off the polynomial of one point (share)");
        let claim = "two points reduce to one where the other force is zero";
        metrics.push(Metric::at_most(name_off, claim, off / most, 0.0, 1e-12).law());
        table = table.with(format!("velocity_{name}"), cut);
    }
    let pictures = vec![grid("", "Velocities of two points over two forces [RB14 Fig. 6]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

fn crossings(values: &Values) -> Result<Outcome, BuildError> {
    let scene = scene(values)?;
    let pair = Pair::new(&scene)?;
    let found = pair.crossings();
    let takes = METHODS.par_iter().map(|(_, method)| method.play(&scene)).collect::<Result<Vec<_>, _>>()?;
    let mut metrics = vec![Metric::shown("crossings in sight", "", found.len() as f64)];
    if let Some(&nearest) = found.first() {
        let left = pair.velocities(nearest).iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let separate = pair.series.clone().adhere_separately(&pair.shapes);
        let apart = libm::hypot(nearest[0] - separate[0], nearest[1] - separate[1]);
        let share = apart / libm::hypot(nearest[0], nearest[1]);
        let name = "largest velocity at the crossing taken (m/s)";
        metrics.push(Metric::at_most(name, "both velocities vanish", left, 0.0, 1e-12));
        metrics.push(Metric::shown("the crossing against forces order by order (share)", "", share));
    }
    for ((name, _), take) in METHODS.iter().zip(&takes) {
        let claim = "the paper simulates no two points";
        let name_held = format!("{name}: largest velocity at either point over 10 000 samples (m/s)");
        metrics.push(Metric::at_most(name_held, claim, take.held, 0.0, 1e-12));
        let name_growth = format!("{name}: largest energy while held over that before");
        metrics.push(Metric::at_most(name_growth, claim, take.growth, 0.0, 1.0).law());
    }
    let table = Table::new("")
        .with("f_a", found.iter().map(|x| x[0]).collect())
        .with("f_b", found.iter().map(|x| x[1]).collect());
    let plots = crossing_plots(values, &pair, &found);
    let pictures = vec![grid("", "Two points at rest [RB14 Fig. 7]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

/// Each point alone, both, and both near the forces.
fn crossing_plots(values: &Values, pair: &Pair, found: &[[f64; 2]]) -> Vec<Lines> {
    let cells = values.count("cells");
    let whole = pair.sampled(cells, pair.reach);
    let nearest = found.first().map_or(0.0, |x| libm::hypot(x[0], x[1]));
    let close = if nearest > 0.0 { 3.0 * nearest } else { 1e-3 * pair.reach };
    let enlarged = pair.sampled(cells, close);
    let names = ["velocity at x_a is 0", "velocity at x_b is 0"];
    let line = |sampled: &Sampled, i: usize| Curve::new(names[i], sampled.level(i, 0.0)).color([BLUE, RED][i]);
    let dots = |label: &str, points: &[[f64; 2]], color| {
        let points = points.iter().map(|x| (x[0], x[1])).collect();
        Curve::new(label, points).stroke(Stroke::Points).color(color)
    };
    let (forces, others) = found.split_at(found.len().min(1));
    let both = |title: &str, sampled: &Sampled, reach: f64| {
        let plot = plane(title, reach).with(line(sampled, 0)).with(line(sampled, 1));
        plot.with(dots("other crossings", others, GREY)).with(dots("the forces", forces, GREEN))
    };
    vec![
        plane("First point", pair.reach).with(line(&whole, 0)),
        plane("Second point", pair.reach).with(line(&whole, 1)),
        both("Both", &whole, pair.reach),
        both("Both, near the forces", &enlarged, close),
    ]
}
