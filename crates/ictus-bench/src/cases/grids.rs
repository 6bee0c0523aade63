//! Strings and surfaces on grids.

use super::Case;
use crate::line::Line;
use crate::measure::{Contestant, Meter, Run, restarted};
use crate::plain;
use crate::scene::{Playing, Pushed};
use ictus_core::Coast;

/// ns per point of the best kernels known for such grids, on a 3 GHz core.
const BEST_STRING: f64 = 0.41;
const BEST_PLATE: f64 = 0.92;
/// Samples of a call: so often the engine looks after its state.
const PERIOD: usize = 256;
/// Cells along a side of a surface.
const CELLS: usize = 50;

pub(super) fn cases() -> Vec<Case> {
    let string = |points: usize| {
        let plain = move || restarted(plain::StiffString::new(points), plain::StiffString::step);
        both(&format!("stiff string, {points} points"), move || Pushed::string(points), plain, Some(BEST_STRING))
    };
    let surface = |name: &str, plate: bool, best: Option<f64>| {
        let plain = move || restarted(plain::Square::new(CELLS - 1), move |square| square.step(plate));
        let name = format!("{name}, {CELLS} x {CELLS} cells");
        both(&name, move || Pushed::surface(CELLS, plate), plain, best)
    };
    let cases = [string(100), string(1000), surface("membrane", false, None), surface("plate", true, Some(BEST_PLATE))];
    cases.into_iter().flatten().collect()
}

/// A body under forces known ahead, in blocks, as the loops do it that have the best figures; and the same step by step.
fn both<P: FnMut(usize) -> Run>(
    name: &str,
    scene: impl Fn() -> Pushed + Copy + 'static,
    plain: impl Fn() -> P + Copy + 'static,
    best: Option<f64>,
) -> [Case; 2] {
    [
        Case::new(name, move |name, meter| {
            let scene = scene();
            let mut coast = Coast::new(&scene.model, &[]);
            let mut ours = restarted(scene.playing(), |playing| {
                assert_eq!(playing.coast(&mut coast, PERIOD), 0, "nothing touches");
            });
            Ok(compare(name, meter, [scene.size * PERIOD, scene.size], [&mut ours, &mut plain()], best))
        }),
        Case::new(format!("{name}, step by step"), move |name, meter| {
            let scene = scene();
            let mut ours = restarted(scene.playing(), Playing::step);
            Ok(compare(name, meter, [scene.size; 2], [&mut ours, &mut plain()], None))
        }),
    ]
}

/// `points` are those that a call of either side moves.
fn compare(name: &str, meter: Meter, points: [usize; 2], sides: [Contestant; 2], best: Option<f64>) -> Vec<Line> {
    let times = meter.race(sides);
    let [ours, plain] = [0, 1].map(|side| times[side] / points[side] as f64);
    let line = || Line::new(name, ours, "ns/point");
    let mut lines = vec![line().against("plain loop", plain)];
    lines.extend(best.map(|figure| line().best_kernel(figure)));
    lines
}
