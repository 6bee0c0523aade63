//! How long a Volterra series of a string holds: the shift of pitch appears as a term that grows with time.
//!
//! One undamped mode, q̈ + ω²q + βq³ = 0 with β = bλ₁², from rest at q: the exact frequency is elliptic, in first approximation ω + Δω with
//! Δω = 3βq²/(8ω) [handbook §6]. Order 3 of the series gives −q Δω t sin ωt instead of a shift, which is the same while Δω t is well below 1 rad.

use super::kernel::Kernel;
use super::kirchhoff::bank;
use super::series::{Order, Series};
use super::wire::{LENGTH, RATE, SPEED, Wire};
use crate::figure::{Figure, Values, positive, within};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREEN, GREY, MILLI, RED, grid};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::{BuildError, Clock, Deflection, ModelBuilder, Scheme, State, step};
use std::f64::consts::{PI, TAU};

/// Heights of the bend, m.
const BENDS: [f64; 3] = [1e-3, 2e-3, 5e-3];
/// Ratios agree within this.
const TOLERANCE: f64 = 0.05;

/// The figure.
pub static FIGURE: Figure = Figure {
    id: "rb14-secular",
    paper: "rb14",
    title: "The order 3 of one undamped mode grows with time, at the rate at which the pitch is shifted",
    parameters: &[
        LENGTH,
        SPEED,
        RATE,
        within("phase", 0.1, "rad", "Δω t up to which the growth is measured", (1e-3, 10.0)),
        positive("bend", 5e-3, "m", "height of the bend in the picture"),
        positive("seconds", 2.0, "s", "length of the picture"),
    ],
    notes: &[
        "Growth is the slope of −2⟨u₃ sin ωt⟩/q over time, the mean taken period by period and the slope by least squares while Δω t is below 0.1 rad, at least \
         three periods. Its ratio to Δω = 3bλ₁²q²/(8ω), and to the exact shift of the elliptic function, is to be 1 within 5 %.",
        "The picture shows the distance from the exact motion: a series of order 3 or 5 is right until Δω t nears 1 rad, and wrong without bound after.",
    ],
    run,
};

/// Frequency (rad/s) of q̈ + ω²q + βq³ = 0 from q: π√(ω² + βq²)/(2K(m)), m = βq²/(2(ω² + βq²)), K by the arithmetic-geometric mean.
pub fn elliptic_frequency(omega: f64, beta: f64, q: f64) -> f64 {
    let stiff = omega * omega + beta * q * q;
    let (mut a, mut g) = (1.0, (1.0 - beta * q * q / (2.0 * stiff)).sqrt());
    // each round doubles the digits
    for _ in 0..10 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    stiff.sqrt() * a
}

/// One undamped mode bent to `bend` m.
struct Bent {
    wire: Wire,
    omega: f64,
    q: f64,
    shift: f64, // Δω, rad/s
    exact: f64, // of the elliptic function
}

impl Bent {
    fn new(values: &Values, bend: f64) -> Self {
        let wire = Wire::of_length(values.get("length"), values.get("speed"), 0.0, 1, values.get("rate"));
        let (omega, q) = (wire.frequency(1), bend * (0.5 * wire.length).sqrt());
        let beta = wire.stretch * wire.slope(1) * wire.slope(1);
        let shift = 3.0 * beta * q * q / (8.0 * omega);
        Self { wire, omega, q, shift, exact: elliptic_frequency(omega, beta, q) - omega }
    }

    /// Slope of −2⟨u₃ sin ωt⟩/q, rad/s.
    fn growth(&self, phase: f64) -> Result<f64, BuildError> {
        let period = TAU / self.omega * self.wire.rate;
        let periods = (phase / self.shift * self.wire.rate / period).floor().max(3.0);
        step_count(periods * period, 1.0)?;
        let mut series = Series::new(Kernel::new(&self.wire)?, Order::Third).bent(self.q);
        let (mut points, mut at) = (Vec::new(), 0usize);
        for n in 1..=periods as usize {
            let (until, start) = ((n as f64 * period).round() as usize, at);
            let mut sum = 0.0;
            while at < until {
                series.step_free();
                at += 1;
                let third = series.motion(Order::Third).map_or(0.0, |motion| motion.u[0]);
                sum += third * libm::sin(self.omega * at as f64 / self.wire.rate);
            }
            let middle = 0.5 * (start + 1 + until) as f64 / self.wire.rate;
            points.push((middle, -2.0 * sum / (until - start) as f64 / self.q));
        }
        Ok(slope(&points))
    }
}

/// Slope of the line of least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let shared: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    shared / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let mut metrics = Vec::new();
    let mut table = Table::new("growth");
    let (mut bends, mut shifts, mut exacts, mut growths) = (vec![], vec![], vec![], vec![]);
    for bend in BENDS {
        let bent = Bent::new(values, bend);
        let growth = bent.growth(values.get("phase"))?;
        let claim = "Δω = 3bλ₁²q²/(8ω)";
        let name = |what: &str| format!("{:.0} mm: {what}", bend * MILLI);
        metrics.push(Metric::within(name("growth of order 3 over Δω"), claim, growth / bent.shift, 1.0, TOLERANCE));
        metrics.push(Metric::within(name("growth over the exact shift"), claim, growth / bent.exact, 1.0, TOLERANCE));
        bends.push(bend);
        shifts.push(bent.shift);
        exacts.push(bent.exact);
        growths.push(growth);
    }
    table = table
        .with("bend_m", bends)
        .with("shift_rad_s", shifts)
        .with("exact_rad_s", exacts)
        .with("growth_rad_s", growths);
    let (picture, curves) = picture(values)?;
    Ok(Outcome { metrics, pictures: vec![picture], tables: vec![table, curves], animations: Vec::new() })
}

/// Series of orders 1, 3, 5 against the engine's string, whose pitch is exact to 0.1 cent.
fn picture(values: &Values) -> Result<(crate::outcome::Picture, Table), BuildError> {
    let bent = Bent::new(values, values.get("bend"));
    let wire = &bent.wire;
    let samples = step_count(values.get("seconds"), wire.rate)?;
    let clock = Clock::new(Scheme::Midpoint, 1.0 / wire.rate);
    let mut builder = ModelBuilder::new(clock);
    let string = builder.body("string", bank(clock, wire, &[0.5])?);
    let model = builder.build()?;
    let mut state = State::new(&model);
    state.ledger.enabled = false;
    state.deflect(&model, string, Deflection::Fundamental { displacement: values.get("bend") });
    let mut all = Vec::new();
    for order in Order::ALL {
        all.push(Series::new(Kernel::new(wire)?, order).bent(bent.q));
    }
    let shape = wire.shape(0.5)[0];
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
    // envelopes: the largest distance in each period
    let period = ((TAU / bent.omega * wire.rate).round() as usize).max(1);
    let mut times = Vec::new();
    let mut worst = vec![0.0f64; all.len()];
    for at in 1..=samples {
        step(&model, &mut state);
        let exact = state.displacement(&model, string, 0);
        for (series, worst) in all.iter_mut().zip(&mut worst) {
            series.step_free();
            let sum: f64 = Order::ALL.iter().filter_map(|order| series.motion(*order)).map(|motion| motion.u[0]).sum();
            *worst = worst.max((shape * sum - exact).abs());
        }
        if at % period == 0 {
            times.push(at as f64 / wire.rate);
            for (errors, worst) in errors.iter_mut().zip(&mut worst) {
                errors.push(std::mem::take(worst) / values.get("bend"));
            }
        }
    }
    let axes = (Axis::linear("Δω t (rad)"), Axis::log("Largest distance in a period, over the bend"));
    let mut plot = Lines::new("", axes.0, axes.1);
    let mut table = Table::new("").with("time_s", times.clone());
    for ((order, errors), color) in Order::ALL.into_iter().zip(errors).zip([BLUE, GREEN, RED]) {
        let points = times.iter().map(|t| t * bent.shift).zip(errors.iter().copied()).collect();
        plot = plot.with(Curve::new(format!("order {}", order.number()), points).color(color));
        table = table.with(format!("distance_order_{}", order.number()), errors);
    }
    let end = times.last().copied().unwrap_or(PI) * bent.shift;
    plot = plot.with(Curve::new("", vec![(0.0, 1.0), (end, 1.0)]).dashed().color(GREY));
    let title = format!("How long a Volterra series holds: one mode bent by {:.0} mm", values.get("bend") * MILLI);
    Ok((grid("", title, 1, vec![plot]), table))
}
