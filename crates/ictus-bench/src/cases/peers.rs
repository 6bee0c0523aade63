//! The same bank and the same string in Faust, in blocks of the same length.

use super::Case;
use crate::faust;
use crate::line::Line;
use crate::measure::{Contestant, Meter, restarted};
use crate::native::{self, Loop, Style};
use crate::programs::{Raced, Rivals};
use crate::scene::{Playing, Pushed};
use ictus_core::{BLOCK, FreeRun};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

/// Modes of the bank, as in its program.
const MODES: usize = 100;
/// Points of strings: those of the program, and more of them, which suit vectors better.
const POINTS: [usize; 2] = [100, 200];

pub(super) fn cases() -> Vec<Case> {
    let strings = POINTS.map(string).into_iter().flatten();
    [bank(), plain_bank()].into_iter().chain(strings).collect()
}

fn bank() -> Case {
    let faust = Peer::new("modal", include_str!("../../faust/modal.dsp").to_owned());
    Case::new(format!("modal bank, {MODES} modes pushed and heard"), move |name, meter| {
        let raced = race_bank(|ours| faust.race(meter, ours))?;
        Ok(vec![line(name, raced, MODES, "ns/mode", "Faust").goal(3.0)])
    })
}

/// The bank against the plain loop in C++.
fn plain_bank() -> Case {
    let started = RefCell::new(None);
    Case::new(format!("modal bank, {MODES} modes pushed and heard, beside C++"), move |name, meter| {
        let start = || native::start(Loop::Pushed, Style::Plain, MODES);
        let mut started = started.borrow_mut();
        let rivals = Rivals::started(&mut started, meter, start)?;
        let raced = race_bank(|ours| Ok(rivals.race(meter, [ours])))?;
        Ok(vec![line(name, raced, MODES, "ns/mode", "C++ loop")])
    })
}

fn race_bank(race: impl FnOnce(Contestant) -> Result<Raced<1>, String>) -> Result<Raced<1>, String> {
    let scene = Pushed::bank(MODES);
    let mut free_run = FreeRun::new(&scene.model, &[(scene.body, 0)]);
    race(&mut restarted(scene.playing(), |playing| {
        block(playing, &mut free_run, |free_run, n| free_run.velocity(0, n));
    }))
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
                block(playing, &mut free_run, |free_run, n| free_run.displacement(0, n));
            });
            let line = line(name, faust.race(meter, &mut ours)?, points, "ns/point", "Faust");
            Ok(vec![match goal {
                Some(goal) => line.goal(goal),
                None => line,
            }])
        })
    };
    [case(name.clone(), Pushed::string, Some(5.0)), case(format!("{name}, on its grid"), Pushed::string_on_grid, None)]
}

/// A block, as an instrument takes it, and the rival: its input is known, every sample is heard.
fn block(playing: &mut Playing, free_run: &mut FreeRun, hear: impl Fn(&FreeRun, usize) -> f64) {
    let mut out = [0.0; BLOCK];
    let mut done = 0;
    while done < BLOCK {
        let taken = playing.block(free_run, BLOCK - done);
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
    started: RefCell<Option<Rivals>>,
}

impl Peer {
    fn new(name: impl Into<String>, source: String) -> Self {
        Self { name: name.into(), source, started: RefCell::new(None) }
    }

    /// Ours, of which a call takes a [`BLOCK`], beside the fastest of Faust's.
    fn race(&self, meter: Meter, ours: Contestant) -> Result<Raced<1>, String> {
        let start = || faust::start(&self.name, &self.source);
        Ok(Rivals::started(&mut self.started.borrow_mut(), meter, start)?.race(meter, [ours]))
    }
}

fn line(name: &str, ([ours], theirs, who): Raced<1>, size: usize, unit: &'static str, whose: &str) -> Line {
    let (ours, theirs) = (ours / (BLOCK * size) as f64, theirs / size as f64);
    Line::new(name, ours, unit).against(format!("{whose}, {who}"), theirs)
}
