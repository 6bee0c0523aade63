//! Strings and surfaces on grids.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::{Contestant, Meter, restarted};
use crate::plain;
use crate::scene::{Playing, Pushed};

/// ns per point of the best kernels known for such grids, on a 3 GHz core.
const BEST_STRING: f64 = 0.41;
const BEST_PLATE: f64 = 0.92;
/// Cells along a side of a surface.
const CELLS: usize = 50;

pub(super) fn cases() -> Vec<Case> {
    let string = |points: usize| {
        Case::new(format!("stiff string, {points} points"), move |name, meter| {
            let mut plain = restarted(plain::StiffString::new(points), plain::StiffString::step);
            compare(name, meter, &Pushed::string(points), &mut plain, Some(BEST_STRING))
        })
    };
    let surface = |name: &str, plate: bool, best: Option<f64>| {
        Case::new(format!("{name}, {CELLS} x {CELLS} cells"), move |name, meter| {
            let mut plain = restarted(plain::Square::new(CELLS - 1), move |square| square.step(plate));
            compare(name, meter, &Pushed::surface(CELLS, plate), &mut plain, best)
        })
    };
    vec![string(100), string(1000), surface("membrane", false, None), surface("plate", true, Some(BEST_PLATE))]
}

fn compare(name: &str, meter: Meter, scene: &Pushed, plain: Contestant, best: Option<f64>) -> Measured {
    let [ours, plain] = meter.race([&mut restarted(scene.playing(), Playing::step), plain]);
    let points = scene.size as f64;
    let line = || Line::new(name, ours / points, "ns/point");
    let mut lines = vec![line().against("plain loop", plain / points)];
    lines.extend(best.map(|figure| line().best_kernel(figure)));
    Ok(lines)
}
