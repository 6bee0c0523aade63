//! The wire on the membrane: level lines from above, curves from the side, force and energy over time.

use super::fall::{MAP, Run, Shape};
use super::{FRAME_STEPS, SNAPSHOT_S};
use crate::animation::Animation;
use crate::contour::level_line;
use crate::figure::Values;
use crate::view::{BLUE, GREEN, GREY, MILLI, RED, displacement, grid, milliseconds, points};
use ictus_analysis::plot::{Axis, Curve, Lines};
use std::f64::consts::TAU;

/// How much of the run the curves show, s.
const SHOWN_S: f64 = 0.02;
/// Level lines: this many on each side of 0.
const LEVELS: u32 = 4;

/// The shapes of a run as pictures.
pub struct View<'a> {
    values: &'a Values,
    run: &'a Run,
    /// Places along the wire, m.
    x: Vec<f64>,
    stills: Vec<&'a Shape>,
}

impl<'a> View<'a> {
    pub fn new(values: &'a Values, run: &'a Run) -> Self {
        let [n, _] = run.cells;
        let x = (1..n).map(|i| values.get("length") * i as f64 / n as f64).collect();
        let rate = values.get("rate");
        let still = |t: &f64| run.shapes.iter().find(|shape| shape.step == (t * rate).round() as usize);
        Self { values, run, x, stills: SNAPSHOT_S.iter().filter_map(still).collect() }
    }

    fn title(&self, shape: &Shape) -> String {
        format!("{:.2} ms", shape.step as f64 / self.values.get("rate") * MILLI)
    }

    pub fn side_views(&self) -> Vec<Lines> {
        self.stills.iter().map(|shape| self.side_view(shape)).collect()
    }

    fn side_view(&self, shape: &Shape) -> Lines {
        let along = Axis::linear("Along the wire (mm)").with_range(0.0, self.values.get("length") * MILLI);
        Lines::new(self.title(shape), along, displacement().with_range(-0.8, 1.5))
            .with(Curve::new("wire", points(&self.x, MILLI, &shape.wire, MILLI)).color(RED))
            .with(Curve::new("membrane", points(&self.x, MILLI, &shape.below, MILLI)).color(BLUE))
    }

    pub fn top_views(&self) -> Vec<Lines> {
        let largest =
            |shape: &Shape| shape.map.iter().filter(|u| u.is_finite()).fold(0.0_f64, |most, u| most.max(u.abs()));
        let top = self.stills.iter().map(|shape| largest(shape)).fold(f64::MIN_POSITIVE, f64::max);
        self.stills.iter().map(|shape| self.top_view(shape, top)).collect()
    }

    /// Level lines of the membrane, its rim, and the wire.
    fn top_view(&self, shape: &Shape, top: f64) -> Lines {
        let axis = |label: &'static str| Axis::linear(label).with_range(-1.05, 1.05);
        let rim = (0..=180).map(|i| TAU * f64::from(i) / 180.0).map(|t| (libm::cos(t), libm::sin(t))).collect();
        let half = 0.5 * self.values.get("length") / self.values.get("radius");
        let place = self.values.get("place");
        let index = |x: f64| ((0.5 * (x + 1.0) * (MAP - 1) as f64).round() as usize).min(MAP - 1);
        let at = |x: f64, y: f64| Some(shape.map[index(y) * MAP + index(x)]).filter(|u| u.is_finite());
        let mut plot = Lines::new(self.title(shape), axis("x/R"), axis("y/R")).with(Curve::new("", rim).color(GREY));
        for level in 1..=LEVELS {
            let level = top * f64::from(level) / f64::from(LEVELS + 1);
            plot = plot
                .with(Curve::new("", level_line(MAP - 1, level, at)).color(RED))
                .with(Curve::new("", level_line(MAP - 1, -level, at)).color(BLUE));
        }
        plot.with(Curve::new("wire", vec![(place, -half), (place, half)]).color(GREEN))
    }

    pub fn animation(&self) -> Animation {
        let frames = self.run.shapes.iter().filter(|shape| shape.step.is_multiple_of(FRAME_STEPS));
        let moving = frames.map(|shape| grid("", "A wire falls on a membrane", 1, vec![self.side_view(shape)]));
        Animation { name: "animation", frames: moving.collect(), frame_ms: 80 }
    }
}

pub fn force_and_energy(iterative: &Run, quadratised: &Run) -> Vec<Lines> {
    let plot = |title: &'static str, axis: &'static str, scale: f64, of: fn(&Run) -> &[f64]| {
        let curve = |name: &'static str, run: &Run| Curve::new(name, points(&run.time, MILLI, of(run), scale));
        Lines::new(title, milliseconds(SHOWN_S), Axis::linear(axis))
            .with(curve("N-IT", quadratised).color(BLUE))
            .with(curve("IT-2", iterative).color(RED).dashed())
    };
    vec![
        plot("Force of the contact", "Force (N)", 1.0, |run| &run.force),
        plot("Energy of the membrane", "Share (%)", 100.0, |run| &run.membrane),
    ]
}
