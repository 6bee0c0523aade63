//! Strings and surfaces on grids.

use super::Case;
use crate::line::Line;
use crate::measure::{Contestant, Meter, Run, restarted};
use crate::plain;
use crate::scene::{Playing, Pushed};
use ictus_core::FreeRun;

/// How many times as fast as the plain loop.
const STRING: f64 = 2.6;
const PLATE: f64 = 4.8;
/// Samples of a call: the period of housekeeping.
const PERIOD: usize = 256;
/// Cells along a side of a surface.
const CELLS: usize = 50;

pub(super) fn cases() -> Vec<Case> {
    let string = |points: usize| {
        let plain = move || restarted(plain::StiffString::new(points), plain::StiffString::step);
        let name = format!("stiff string, {points} points");
        let [blocks, steps] = both(&name, move || Pushed::string_on_grid(points), plain, Some(STRING));
        let [mode_blocks, mode_steps] = in_modes(&name, points);
        [blocks, mode_blocks, steps, mode_steps]
    };
    let surface = |name: &str, plate: bool, goal: Option<f64>| {
        let plain = move || restarted(plain::Square::new(CELLS - 1), move |square| square.step(plate));
        let name = format!("{name}, {CELLS} x {CELLS} cells");
        both(&name, move || Pushed::surface(CELLS, plate), plain, goal)
    };
    let strings = [string(100), string(1000)].into_iter().flatten();
    let surfaces = [surface("membrane", false, None), surface("plate", true, Some(PLATE))].into_iter().flatten();
    strings.chain(surfaces).collect()
}

/// A string that is touched at one port, beside the same on its grid: in blocks, and step by step.
fn in_modes(name: &str, points: usize) -> [Case; 2] {
    let race = move |name: &str, meter: Meter, samples: usize, sides: [Contestant; 2]| {
        let [ours, grid] = meter.race(sides).map(|time| time / (points * samples) as f64);
        Ok(vec![Line::new(name, ours, "ns/point").against("its grid", grid)])
    };
    let scenes = move || [Pushed::string(points), Pushed::string_on_grid(points)];
    [
        Case::new(format!("{name}, in modes"), move |name, meter| {
            let scenes = scenes();
            let [mut one, mut other] = scenes.each_ref().map(|scene| {
                let mut free_run = FreeRun::new(&scene.model, &[]);
                restarted(scene.playing(), move |playing| {
                    assert_eq!(playing.free_run(&mut free_run, PERIOD), 0, "nothing touches");
                })
            });
            race(name, meter, PERIOD, [&mut one, &mut other])
        }),
        Case::new(format!("{name}, in modes, step by step"), move |name, meter| {
            let scenes = scenes();
            let [mut one, mut other] = scenes.each_ref().map(|scene| restarted(scene.playing(), Playing::step));
            race(name, meter, 1, [&mut one, &mut other])
        }),
    ]
}

/// A body under scheduled forces, in blocks, as the fastest published loops run; and the same in single steps.
fn both<P: FnMut(usize) -> Run>(
    name: &str,
    scene: impl Fn() -> Pushed + Copy + 'static,
    plain: impl Fn() -> P + Copy + 'static,
    goal: Option<f64>,
) -> [Case; 2] {
    [
        Case::new(name, move |name, meter| {
            let scene = scene();
            let mut free_run = FreeRun::new(&scene.model, &[]);
            let mut ours = restarted(scene.playing(), |playing| {
                assert_eq!(playing.free_run(&mut free_run, PERIOD), 0, "nothing touches");
            });
            Ok(compare(name, meter, [scene.size * PERIOD, scene.size], [&mut ours, &mut plain()], goal))
        }),
        Case::new(format!("{name}, step by step"), move |name, meter| {
            let scene = scene();
            let mut ours = restarted(scene.playing(), Playing::step);
            Ok(compare(name, meter, [scene.size; 2], [&mut ours, &mut plain()], None))
        }),
    ]
}

/// `points` are those that a call of either side moves.
fn compare(name: &str, meter: Meter, points: [usize; 2], sides: [Contestant; 2], goal: Option<f64>) -> Vec<Line> {
    let times = meter.race(sides);
    let [ours, plain] = [0, 1].map(|side| times[side] / points[side] as f64);
    let line = Line::new(name, ours, "ns/point").against("plain loop", plain);
    vec![match goal {
        Some(goal) => line.goal(goal),
        None => line,
    }]
}
