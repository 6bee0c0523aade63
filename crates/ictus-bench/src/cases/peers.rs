//! The same bank and the same string in Faust.

use super::Case;
use crate::faust::{self, Timed};
use crate::line::Line;
use crate::measure::{Contestant, Meter, restarted};
use crate::scene::Pushed;
use std::hint::black_box;

/// Modes of the bank and points of the string, as in the programs.
const SIZE: usize = 100;

pub(super) fn cases() -> [Case; 2] {
    [
        Case::new("modal bank, 100 modes pushed and heard", |name, meter| {
            let scene = Pushed::bank(SIZE);
            let mut ours = restarted(scene.playing(), |playing| {
                playing.step();
                black_box(playing.state.velocity(&scene.model, scene.body, 0));
            });
            let times = race(meter, "modal", include_str!("../../faust/modal.dsp"), &mut ours)?;
            Ok(vec![line(name, times, "ns/mode").goal(3.0)])
        }),
        Case::new("stiff string, 100 points pushed and heard", |name, meter| {
            let scene = Pushed::string(SIZE);
            let mut ours = restarted(scene.playing(), |playing| {
                playing.step();
                black_box(playing.state.displacement(&scene.model, scene.body, 1));
            });
            let times = race(meter, "string", include_str!("../../faust/string.dsp"), &mut ours)?;
            Ok(vec![line(name, times, "ns/point").goal(5.0)])
        }),
    ]
}

/// Nanoseconds of a sample of ours and of the faster of Faust's.
fn race(meter: Meter, name: &str, program: &str, ours: Contestant) -> Result<[f64; 2], String> {
    if meter.is_quick() {
        return Err("compiling Faust takes longer than a quick run".to_owned());
    }
    let [mut one, mut other] = faust::start(name, program)?;
    let answer = |program: &mut Timed, calls: usize| program.nanoseconds() * 1e-9 * calls as f64;
    let [ours, one, other] =
        meter.race([ours, &mut |calls| answer(&mut one, calls), &mut |calls| answer(&mut other, calls)]);
    Ok([ours, one.min(other)])
}

fn line(name: &str, [ours, faust]: [f64; 2], unit: &'static str) -> Line {
    Line::new(name, ours / SIZE as f64, unit).against("Faust", faust / SIZE as f64)
}
