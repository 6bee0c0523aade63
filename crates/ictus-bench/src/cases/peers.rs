//! The same bank and the same string in Faust.

use super::Case;
use crate::faust::{self, Timed};
use crate::line::Line;
use crate::measure::{Contestant, Meter, Run, restarted};
use crate::scene::{Playing, Pushed};
use ictus_core::FreeRun;
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

/// Modes of the bank, as in its program.
const MODES: usize = 100;
/// Points of strings: those of the program, and more of them, which suit vectors better.
const POINTS: [usize; 2] = [100, 200];
/// Samples of a call: the period of housekeeping.
const PERIOD: usize = 256;

pub(super) fn cases() -> Vec<Case> {
    let strings = POINTS.map(string).into_iter().flatten();
    std::iter::once(bank()).chain(strings).collect()
}

fn bank() -> Case {
    let faust = Peer::new("modal", include_str!("../../faust/modal.dsp").to_owned());
    Case::new(format!("modal bank, {MODES} modes pushed and heard"), move |name, meter| {
        let scene = Pushed::bank(MODES);
        let mut free_run = FreeRun::new(&scene.model, &[(scene.body, 0)]);
        let mut ours = restarted(scene.playing(), |playing| {
            period(playing, &mut free_run, |free_run, n| free_run.velocity(0, n));
        });
        let times = faust.race(meter, &mut ours)?.map(|time| time / MODES as f64);
        Ok(vec![line(name, times, "ns/mode").goal(3.0)])
    })
}

/// As the engine steps it, in its modes, and on its grid, as Faust does.
fn string(points: usize) -> [Case; 2] {
    let source = include_str!("../../faust/string.dsp").replace("points = 100;", &format!("points = {points};"));
    let faust = Rc::new(Peer::new(format!("string-{points}"), source));
    let name = format!("stiff string, {points} points pushed and heard");
    let case = |name: String, scene: fn(usize) -> Pushed, goal: Option<f64>| {
        let faust = faust.clone();
        Case::new(name, move |name, meter| {
            let scene = scene(points);
            let mut free_run = FreeRun::new(&scene.model, &[]).with_displacements(&[(scene.body, 1)]);
            let mut ours = restarted(scene.playing(), |playing| {
                period(playing, &mut free_run, |free_run, n| free_run.displacement(0, n));
            });
            let times = faust.race(meter, &mut ours)?.map(|time| time / points as f64);
            let line = line(name, times, "ns/point");
            Ok(vec![match goal {
                Some(goal) => line.goal(goal),
                None => line,
            }])
        })
    };
    [case(name.clone(), Pushed::string, Some(5.0)), case(format!("{name}, on its grid"), Pushed::string_on_grid, None)]
}

/// As an instrument does it, and Faust: in blocks whose input is known, every sample heard.
fn period(playing: &mut Playing, free_run: &mut FreeRun, hear: impl Fn(&FreeRun, usize) -> f64) {
    let mut out = [0.0; PERIOD];
    let mut done = 0;
    while done < PERIOD {
        let taken = playing.block(free_run, PERIOD - done);
        assert!(taken > 0, "nothing touches, but no block was taken");
        for (n, out) in out[done..done + taken].iter_mut().enumerate() {
            *out = hear(free_run, n);
        }
        done += taken;
    }
    black_box(&out);
}

/// A program in Faust.
struct Peer {
    name: String,
    source: String,
    /// Compiling takes long: it is done once, and what comes out runs in every pass.
    started: RefCell<Option<[Timed; 2]>>,
}

impl Peer {
    fn new(name: impl Into<String>, source: String) -> Self {
        Self { name: name.into(), source, started: RefCell::new(None) }
    }

    /// Nanoseconds of a sample of ours, of which a call takes a [`PERIOD`], and of the faster of Faust's.
    fn race(&self, meter: Meter, ours: Contestant) -> Result<[f64; 2], String> {
        if meter.is_quick() {
            return Err("compiling Faust takes longer than a quick run".to_owned());
        }
        let mut started = self.started.borrow_mut();
        let [one, other] = match &mut *started {
            Some(programs) => programs,
            none => none.insert(faust::start(&self.name, &self.source)?),
        };
        let answer = |program: &mut Timed, calls: usize| {
            let sample = program.sample();
            Run { seconds: sample.seconds * calls as f64, ..sample }
        };
        let [ours, one, other] = meter.race([ours, &mut |calls| answer(one, calls), &mut |calls| answer(other, calls)]);
        Ok([ours / PERIOD as f64, one.min(other)])
    }
}

fn line(name: &str, [ours, faust]: [f64; 2], unit: &'static str) -> Line {
    Line::new(name, ours, unit).against("Faust", faust)
}
