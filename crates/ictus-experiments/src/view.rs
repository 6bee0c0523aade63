//! From recordings to plots: the styles that the figures share.

use crate::outcome::{Picture, Plots};
use ictus_analysis::plot::{Axis, Curve, Lines, PALETTE, Rgb};

/// Thousandths, for millimetres and milliseconds.
pub const MILLI: f64 = 1e3;

/// Colours by role, the same in all figures.
pub const BLUE: Rgb = PALETTE[0];
/// The second of a pair.
pub const RED: Rgb = PALETTE[1];
/// The third.
pub const GREEN: Rgb = PALETTE[2];
/// Fourth curve.
pub const VIOLET: Rgb = PALETTE[3];
/// Fifth curve.
pub const OCHRE: Rgb = PALETTE[4];
/// Things that do not move: barriers, guides.
pub const GREY: Rgb = Rgb(0x8A, 0x8F, 0x96);

/// Points of y over x, both scaled.
pub fn points(x: &[f64], x_scale: f64, y: &[f64], y_scale: f64) -> Vec<(f64, f64)> {
    x.iter().zip(y).map(|(x, y)| (x * x_scale, y * y_scale)).collect()
}

/// A time axis in milliseconds, from 0.
pub fn milliseconds(until: f64) -> Axis {
    Axis::linear("Time (ms)").with_range(0.0, until * MILLI)
}

/// An axis along the string in millimetres.
pub fn along(length: f64) -> Axis {
    Axis::linear("Position (mm)").with_range(0.0, length * MILLI)
}

/// Displacement in millimetres.
pub fn displacement() -> Axis {
    Axis::linear("Displacement (mm)")
}

/// Something to draw into snapshots.
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    /// Name in the legend.
    pub label: &'a str,
    /// Shape of the string, m.
    pub shape: &'a [f64],
    /// Drawn higher by this much, m.
    pub lift: f64,
}

/// A snapshot: shapes over the string, dashed from the second on, in front of a barrier.
pub fn snapshot(title: String, axes: (Axis, Axis), x: &[f64], layers: &[Layer], barrier: Option<Curve>) -> Lines {
    let mut plot = Lines::new(title, axes.0, axes.1);
    if let Some(barrier) = barrier {
        plot = plot.with(barrier.color(GREY));
    }
    for (i, layer) in layers.iter().enumerate() {
        let lifted: Vec<f64> = layer.shape.iter().map(|u| u + layer.lift).collect();
        let curve = Curve::new(layer.label, points(x, MILLI, &lifted, MILLI)).color(PALETTE[i % PALETTE.len()]);
        plot = plot.with(if i == 0 { curve } else { curve.dashed() });
    }
    plot
}

/// A picture that is a grid of plots.
pub fn grid(name: &'static str, title: impl Into<String>, columns: usize, plots: Vec<Lines>) -> Picture {
    Picture { name, title: title.into(), columns, plots: Plots::Lines(plots) }
}

/// A power of ten as it is written by hand: `10⁷`; other numbers as they are.
pub fn power_of_ten(x: f64) -> String {
    let text = format!("{x:e}");
    match text.strip_prefix("1e") {
        Some(exponent) => {
            let raised = |c: char| match c {
                '-' => '⁻',
                _ => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c.to_digit(10).unwrap_or(0) as usize).unwrap_or(c),
            };
            format!("10{}", exponent.chars().map(raised).collect::<String>())
        }
        None => text,
    }
}
