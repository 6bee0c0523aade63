//! Many steps of a string at once, under forces known ahead.
//!
//! Meanwhile the string lies in lanes: it is cut into as many pieces of one length as a vector of the machine has numbers, and a row holds the first points of
//! all pieces, the next row their second points, and so on. The neighbours of a row are then the rows before and behind it, which stay in registers from one row
//! to the next, where in the ordinary order most loads straddle two cache lines. Only around the first and the last row neighbours lie in the next lane.
//!
//! Where the points do not fill the rows, some pieces begin with the last point of the piece before: it is worked out twice, from the same numbers, and no lane ends
//! before the others.
//!
//! What is written as a vector is read as a vector, or as one of its numbers: whole vectors of which a single number has just been written cannot be read at once. So
//! pushes are added to whole rows, and v⁺ of watched points is put aside with its row. Numbers of ports are only copied meanwhile, and weighed after 64 steps, side by side: products of single numbers
//! would take the place of whole vectors' in the processor.
//!
//! The same operations in the same order as [`step`](super::step), so the same bits, in however many lanes.

mod marks;
mod seen;
mod strip;
mod sweep;

use super::step::{Strung, pitch};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Words;
use marks::{Marks, Pushes};
use seen::Seen;
use strip::{Room, Strip};
use sweep::LATE;

/// Steps of which the ports' numbers are kept: so many are taken, then looked at.
const STEPS: usize = 64;
/// Most ports of each kind.
pub const PORTS: usize = 4;
/// Fewest points: more rows than lanes, so that no piece misses more than one point.
pub const FEWEST: usize = (LANES + 1) * LANES;
/// Most points there is room for.
pub const MOST: usize = 4096;

/// A place between two neighbouring points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// The points, counted from 1; 0 and the number behind the last are the ends.
    pub at: [usize; 2],
    /// What each counts; nothing at an end.
    pub share: [f64; 2],
}

/// What is done to a string in some steps, and what is seen of it there. All numbers lie step after step.
#[derive(Debug)]
pub struct Looks<'a> {
    /// How many steps.
    pub steps: usize,
    /// Where it is pushed; here and below at most [`PORTS`] places.
    pub pushed: &'a [Spot],
    /// Forces there.
    pub forces: &'a [f64],
    /// v⁺ of a point per force on it.
    pub mobility: f64,
    /// Where v̄ is watched, as it would be without the push.
    pub watched: &'a [Spot],
    /// v̄ there, m/s.
    pub free: &'a mut [f64],
    /// Where v after the step is heard.
    pub heard: &'a [Spot],
    /// v there, m/s.
    pub velocities: &'a mut [f64],
    /// Where the shape after the step is asked for.
    pub placed: &'a [Spot],
    /// The shape half a step earlier than ũ is meant.
    pub half_a_step_earlier: bool,
    /// The shape there.
    pub displacements: &'a mut [f64],
    /// Steps per second.
    pub rate: f64,
}

vector_kernel! {
    /// Takes the steps. `state` begins with ũ and v as in a [step](super::step).
    pub fn run<S>(simd, state: &mut [f64], strung: Strung, looks: &mut Looks) {
        if strung.moves.own.is_none() {
            steps::<S::One, false>(simd.one(), state, strung, looks);
        } else {
            steps::<S::One, true>(simd.one(), state, strung, looks);
        }
    }
}

/// What is sought of a point: v + v⁺ without pushes, ũ or v.
#[derive(Clone, Copy)]
enum Seek {
    Sum,
    U,
    V,
}

#[inline(always)]
fn steps<W: Words, const STIFF: bool>(words: W, state: &mut [f64], strung: Strung, looks: &mut Looks) {
    let Looks { steps, mobility, half_a_step_earlier, rate, .. } = *looks;
    let points = strung.points;
    let ports = looks.pushed.len();
    assert!(ports <= PORTS && looks.forces.len() >= steps * ports, "forces at as many places as a call takes");
    let mut room = Room::new();
    let (u, v) = state[..2 * pitch(points)].split_at_mut(pitch(points));
    let mut strip = Strip::<W, STIFF>::new(words, &mut room, strung, [u, v]);
    let mut marks = Marks::new();
    let mut seen = Seen::new();
    let mut pushes = Pushes::new();
    let moving = if half_a_step_earlier { looks.placed } else { &[] };
    let kinds = [(looks.watched, Seek::Sum), (looks.heard, Seek::V), (looks.placed, Seek::U), (moving, Seek::V)];
    for (spots, seek) in kinds {
        assert!(spots.len() <= PORTS, "more than a call takes");
        for spot in spots {
            seen.look(spot.at.map(|node| match (strip.places(node).next(), seek) {
                // an end: zeros lie in front
                (None, _) => 0,
                (Some((row, lane)), Seek::Sum) => strip.aside(marks.watch(row)) + lane,
                (Some((row, lane)), Seek::U) => Strip::<W, STIFF>::row(row) + lane,
                (Some((row, lane)), Seek::V) => Strip::<W, STIFF>::row(row) + W::WIDTH + lane,
            }));
        }
    }
    strip.push(&mut marks, looks.pushed, mobility);
    let parts = marks.parts(strip.rows - LATE);
    let by = strip.factors(strung.moves);
    // a copy of its own, to which no reference exists, stays in registers
    let lanes = strip;
    let mut window = lanes.open(&by, &lanes.ends());
    // where in the list of what is seen each kind begins
    let [heard, placed, moving] = [1, 2, 3].map(|kind| kinds[..kind].iter().map(|(spots, _)| spots.len()).sum());
    for first in (0..steps).step_by(STEPS) {
        let now = STEPS.min(steps - first);
        marks.press(&mut pushes, &looks.forces[first * ports..], ports, now);
        for step in 0..now {
            lanes.advance(&by, &mut window, (&marks, &pushes, step), parts);
            seen.note(step, |at| lanes.number(at));
        }
        seen.tell(0, looks.watched, &mut looks.free[first * looks.watched.len()..], now, |x| 0.5 * rate * x);
        seen.tell(heard, looks.heard, &mut looks.velocities[first * looks.heard.len()..], now, |x| rate * x);
        let displacements = &mut looks.displacements[first * looks.placed.len()..];
        seen.tell(placed, looks.placed, displacements, now, |x| x);
        if half_a_step_earlier {
            seen.take_half(moving, looks.placed, displacements, now);
        }
    }
    strip.put_back([u, v]);
}

#[cfg(test)]
mod tests;
