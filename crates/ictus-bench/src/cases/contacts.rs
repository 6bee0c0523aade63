//! Whole samples with a contact: prediction, solve, motion.

use super::Case;
use crate::line::Line;
use crate::measure::restarted;
use crate::scene::{Bowed, Playing, Touching};
use ictus_core::FreeRun;

/// Modes, and the most nanoseconds wanted on a 3 GHz core with AVX-512: closed, and apart.
const COLLISIONS: [(usize, f64, Option<f64>); 4] =
    [(1, 90.0, None), (30, 180.0, Some(12.0)), (100, 200.0, Some(30.0)), (300, 250.0, Some(85.0))];
/// The same of friction.
const FRICTIONS: [(usize, f64); 3] = [(30, 250.0), (100, 300.0), (300, 400.0)];
/// A general exponent: no root and no whole power.
const EXPONENT: f64 = 2.3;
/// Steps taken at a time while apart: the period of housekeeping.
const PERIOD: usize = 256;

pub(super) fn cases() -> Vec<Case> {
    let closed = COLLISIONS.iter().map(|&(modes, limit, _)| {
        let s = if modes == 1 { "" } else { "s" };
        Case::new(format!("contact, {modes} mode{s}, closed"), move |name, meter| {
            let scene = Touching::new(modes, EXPONENT);
            let time = meter.time(&mut restarted(scene.pressed(), Playing::step));
            Ok(vec![Line::new(name, time, "ns").limit(limit)])
        })
    });
    let apart = COLLISIONS.iter().filter_map(|&(modes, _, limit)| {
        let limit = limit?;
        Some(Case::new(format!("contact, {modes} modes, apart"), move |name, meter| {
            let scene = Touching::new(modes, EXPONENT);
            // as an instrument does it: a block at a time, with one port heard
            let mut free_run = FreeRun::new(&scene.model, &[(scene.bank, 0)]);
            let time = meter.time(&mut restarted(scene.apart(), |playing| {
                playing.free_run(&mut free_run, PERIOD);
            }));
            Ok(vec![Line::new(name, time / PERIOD as f64, "ns").limit(limit)])
        }))
    });
    let friction = FRICTIONS.iter().map(|&(modes, limit)| {
        Case::new(format!("friction, {modes} modes"), move |name, meter| {
            let scene = Bowed::new(modes);
            let time = meter.time(&mut restarted(scene.playing(), Playing::step));
            Ok(vec![Line::new(name, time, "ns").limit(limit)])
        })
    });
    closed.chain(apart).chain(friction).collect()
}
