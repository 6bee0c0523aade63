//! SO8 Fig. 8.1: two modes of a circular membrane.

use crate::contour::{GAP, level_line};
use crate::figure::{Figure, Values, within};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::view::{BLUE, GREY, RED, grid};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::BuildError;
use ictus_objects::{Object, Shape, find, modes};
use std::f64::consts::{PI, TAU};

/// Modes compared.
const COUNT: usize = 40;
/// Grid cells of the level lines.
const CELLS: usize = 160;
/// Height of the drawn relief, in radii.
const RELIEF: f64 = 0.42;
/// The drawn modes and their frequencies over that of (0, 1), as the caption gives them.
const DRAWN: [((u32, u32), f64); 2] = [((1, 1), 1.593), ((1, 2), 2.917)];

/// Fig. 8.1.
pub static FIGURE: Figure = Figure {
    id: "so8-8.1",
    paper: "so8",
    title: "Two modes of a circular membrane, and their nodal lines",
    parameters: &[
        within("radius", 0.3, "m", "radius", (0.01, 10.0)),
        within("thickness", 0.25e-3, "m", "thickness", (1e-6, 0.01)),
        within("tension", 3000.0, "N/m", "tension", (1.0, 1e6)),
    ],
    notes: &[
        "Ratios and shapes do not depend on radius, thickness or tension; they are a drum's (mylar, 0.25 mm).",
        "The numbers of a mode count nodal diameters and nodal circles, the rim included.",
        "Above, the relief as in the chapter; below, level lines at every fifth of the largest displacement; grey lines stand still.",
    ],
    run,
};

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (radius, thickness, tension) = (values.get("radius"), values.get("thickness"), values.get("tension"));
    let shape = Shape::CircularMembrane { radius_m: radius, thickness_m: thickness, tension_n_m: tension };
    let refuse = |expected: String| BuildError::Parameter { what: "membrane", value: radius, expected };
    let mylar = find("mylar").ok_or_else(|| refuse("the material mylar".into()))?;
    let drum = modes(&shape, mylar, 1e9, COUNT).map_err(|error| refuse(error.to_string()))?;
    let index = |label| drum.modes.iter().position(|mode| mode.label == label).unwrap_or(0);
    let lowest = drum.modes[index((0, 1))].frequency_hz;
    let mut metrics = Vec::new();
    let (mut reliefs, mut maps) = (Vec::new(), Vec::new());
    let radii: Vec<f64> = (0..=200).map(|i| f64::from(i) / 200.0).collect();
    let mut table = Table::new("").with("radius", radii.clone());
    for (label, caption) in DRAWN {
        let mode = index(label);
        let ratio = drum.modes[mode].frequency_hz / lowest;
        let name = format!("({}, {})", label.0, label.1);
        let claim = format!("mode {name} lies {caption} times as high as (0, 1)");
        metrics.push(Metric::within(format!("frequency of {name} over (0, 1)"), claim, ratio, caption, 5e-4).law());
        // the diameter across the axis on which the mode is largest
        let axis = if drum.shape(mode, [0.4, 0.0]).abs() > 1e-3 { 0.0 } else { 0.5 * PI };
        let at = |r: f64, angle: f64| drum.shape(mode, [r * libm::cos(axis + angle), r * libm::sin(axis + angle)]);
        let still = radii.iter().map(|&r| at(r, 0.5 * PI).abs()).fold(0.0, f64::max);
        let claim = "a force on a nodal line does not excite the mode";
        metrics.push(
            Metric::at_most(format!("largest weight on the nodal diameter of {name}"), claim, still, 0.0, 1e-12).law(),
        );
        table = table.with(format!("mode_{}_{}", label.0, label.1), radii.iter().map(|&r| at(r, 0.0)).collect());
        let title = format!("Mode {name}: {ratio:.3} f(0, 1)");
        reliefs.push(relief(title, at));
        maps.push(map(|x, y| (x * x + y * y <= 1.0).then(|| at(libm::hypot(x, y), libm::atan2(y, x)))));
    }
    metrics.extend(positions(&drum, index((1, 2))));
    let plots = reliefs.into_iter().chain(maps).collect();
    let pictures = vec![grid("", "Modes of a circular membrane [SO8 Fig. 8.1]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

/// What the text around the figure says about where one strikes.
fn positions(drum: &Object, second: usize) -> Vec<Metric> {
    let along = |r: f64| drum.shape(second, [r, 0.0]) + drum.shape(second, [0.0, r]);
    let (mut low, mut high) = (0.3, 0.8);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if along(middle) * along(0.3) > 0.0 { low = middle } else { high = middle }
    }
    let centre = drum.shapes([0.0, 0.0]);
    let awake = drum.modes.iter().zip(&centre).filter(|(mode, shape)| mode.label.0 > 0 && shape.abs() > 1e-12).count();
    // centre of gravity of the power each mode receives from a short blow
    let brightness = |r: f64| {
        let shapes = drum.shapes([r, 0.0]);
        let power = drum.modes.iter().zip(&shapes).map(|(mode, s)| (s * s / mode.mass_kg, mode.frequency_hz));
        let (sum, moment) = power.fold((0.0, 0.0), |(sum, moment), (p, hz)| (sum + p, moment + p * hz));
        moment / sum
    };
    vec![
        // 3.83171/7.01559, zeros of J₁ [Abramowitz & Stegun table 9.5]
        Metric::within("radius of the inner nodal circle of (1, 2)", "nodal lines stay at rest", low, 0.546_17, 1e-5)
            .law(),
        Metric::within(
            "antisymmetric modes excited at the centre",
            "they disappear at the centre",
            awake as f64,
            0.0,
            0.0,
        )
        .law(),
        Metric::new(
            "brightness at 0.95 of the radius over that at 0.3",
            "near the rim the sound becomes sharper",
            brightness(0.95) / brightness(0.3),
            Check::AtLeast { reference: 1.0, bound: 1.0 },
        )
        .law(),
    ]
}

/// The membrane as a relief of circles and radii, seen from above the rim.
fn relief(title: String, at: impl Fn(f64, f64) -> f64) -> Lines {
    let turn = 0.6;
    let project = |r: f64, angle: f64| {
        let (x, y) = (r * libm::cos(angle + turn), r * libm::sin(angle + turn));
        (x, 0.5 * y + RELIEF * at(r, angle))
    };
    let mut sides = [Vec::new(), Vec::new()];
    let mut draw = |path: Vec<(f64, f64)>| {
        for pair in path.windows(2) {
            let middle = at(0.5 * (pair[0].0 + pair[1].0), 0.5 * (pair[0].1 + pair[1].1));
            let side = &mut sides[usize::from(middle < 0.0)];
            side.extend([project(pair[0].0, pair[0].1), project(pair[1].0, pair[1].1), GAP]);
        }
    };
    for ring in 1..12 {
        draw((0..=96).map(|i| (f64::from(ring) / 12.0, TAU * f64::from(i) / 96.0)).collect());
    }
    for ray in 0..24 {
        draw((0..=36).map(|i| (f64::from(i) / 36.0, TAU * f64::from(ray) / 24.0)).collect());
    }
    let [up, down] = sides;
    let rim = (0..=96).map(|i| project(1.0, TAU * f64::from(i) / 96.0)).collect();
    Lines::new(title, blank(1.55), blank(0.9))
        .with(Curve::new("", rim).color(GREY))
        .with(Curve::new("up", up).color(BLUE))
        .with(Curve::new("down", down).color(RED))
}

/// Level lines at every fifth of the largest displacement.
fn map(at: impl Fn(f64, f64) -> Option<f64>) -> Lines {
    let rim = (0..=180).map(|i| TAU * f64::from(i) / 180.0).map(|t| (libm::cos(t), libm::sin(t))).collect();
    let mut plot = Lines::new("", blank(1.68), blank(1.1))
        .with(Curve::new("", rim).color(GREY))
        .with(Curve::new("", level_line(CELLS, 0.0, &at)).color(GREY));
    for fifth in 1..5 {
        let level = 0.2 * f64::from(fifth);
        plot = plot
            .with(Curve::new("", level_line(CELLS, level, &at)).color(BLUE))
            .with(Curve::new("", level_line(CELLS, -level, &at)).color(RED));
    }
    plot
}

/// An axis in radii.
fn blank(reach: f64) -> Axis {
    Axis::linear("").with_range(-reach, reach)
}
