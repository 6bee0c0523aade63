//! Whole samples with a contact: prediction, solve, motion.

use super::Case;
use crate::line::Line;
use crate::measure::restarted;
use crate::plain::{PlainBow, PlainContact};
use crate::scene::{Bowed, Playing, Touching};
use ictus_core::FreeRun;
use std::hint::black_box;

/// Modes, and how many times as fast as a plain loop, on a core with AVX-512: closed, and apart.
const COLLISIONS: [(usize, f64, Option<f64>); 4] =
    [(1, 1.4, None), (30, 1.2, Some(5.0)), (100, 1.6, Some(5.5)), (300, 2.5, Some(5.6))];
/// The same of friction.
const FRICTIONS: [(usize, f64); 3] = [(30, 1.0), (100, 1.0), (300, 1.6)];
/// A general exponent: no root and no whole power.
const EXPONENT: f64 = 2.3;
/// Of the plain contact, as of [`Touching`].
const STIFFNESS: f64 = 1e7;
/// Force that presses, N, and by which share it swells and fades in half a period of so many steps.
const FORCE: f64 = 20.0;
const SWELL: f64 = 0.2;
const HALF: usize = 64;
/// Steps of a plain loop before it is timed.
const SETTLING: usize = 48_000;
/// Force (N) and velocity (m/s) of the bow, as of [`Bowed`].
const BOW: [f64; 2] = [3.6, 0.3];
/// Steps taken at a time while apart: the period of housekeeping.
const PERIOD: usize = 256;

pub(super) fn cases() -> Vec<Case> {
    let closed = COLLISIONS.iter().map(|&(modes, goal, _)| {
        let s = if modes == 1 { "" } else { "s" };
        Case::new(format!("contact, {modes} mode{s}, closed"), move |name, meter| {
            let scene = Touching::new(modes, EXPONENT);
            let [ours, plain] = meter.race([
                &mut restarted(scene.pressed(), Playing::step),
                &mut restarted(pressed(modes), |contact| {
                    contact.step();
                }),
            ]);
            Ok(vec![Line::new(name, ours, "ns").against("plain loop", plain).goal(goal)])
        })
    });
    let apart = COLLISIONS.iter().filter_map(|&(modes, _, goal)| {
        let goal = goal?;
        Some(Case::new(format!("contact, {modes} modes, apart"), move |name, meter| {
            let scene = Touching::new(modes, EXPONENT);
            // as an instrument does it: a block at a time, with one port heard
            let mut free_run = FreeRun::new(&scene.model, &[(scene.bank, 0)]);
            let [ours, plain] = meter.race([
                &mut restarted(scene.apart(), |playing| {
                    playing.free_run(&mut free_run, PERIOD);
                }),
                &mut restarted(PlainContact::apart(modes, STIFFNESS, EXPONENT), |contact| {
                    black_box(contact.step(0.0));
                }),
            ]);
            Ok(vec![Line::new(name, ours / PERIOD as f64, "ns").against("plain loop", plain).goal(goal)])
        }))
    });
    let friction = FRICTIONS.iter().map(|&(modes, goal)| {
        Case::new(format!("friction, {modes} modes"), move |name, meter| {
            let scene = Bowed::new(modes);
            let mut bow = PlainBow::new(modes);
            (0..SETTLING).for_each(|_| _ = bow.step(BOW[0], BOW[1]));
            let [ours, plain] = meter.race([
                &mut restarted(scene.playing(), Playing::step),
                &mut restarted(bow, |bow| {
                    black_box(bow.step(BOW[0], BOW[1]));
                }),
            ]);
            Ok(vec![Line::new(name, ours, "ns").against("plain loop", plain).goal(goal)])
        })
    });
    closed.chain(apart).chain(friction).collect()
}

/// A plain contact under the force of [`Touching::pressed`].
#[derive(Clone)]
struct Pressed {
    contact: PlainContact,
    steps: usize,
}

impl Pressed {
    fn step(&mut self) {
        self.steps += 1;
        let swing = (self.steps % (2 * HALF)) as f64 / HALF as f64 - 1.0;
        black_box(self.contact.step(FORCE * (1.0 + SWELL * (2.0 * swing.abs() - 1.0))));
    }
}

fn pressed(modes: usize) -> Pressed {
    let mut pressed = Pressed { contact: PlainContact::pressed(modes, STIFFNESS, EXPONENT, FORCE), steps: 0 };
    (0..1000).for_each(|_| pressed.step());
    pressed
}
