//! Many steps of a surface with a held rim at once, under forces known ahead.
//!
//! Meanwhile the surface lies in lanes: it is cut into as many bands of rows as a vector of the machine has numbers, and a vector holds the points of all bands that are in
//! the same column of the same row. The neighbours of a vector are then other vectors, those to the left and right in registers, where in the ordinary order most
//! loads straddle two cache lines. Only around the first and the last row neighbours lie in the next lane.
//!
//! A step goes through the rows once, and needs ũ and v only (`block/sweep.rs`). No v̄ is written down but that of ports. Pushed points move with all others and are
//! put where they belong afterwards: what is written number by number is not read as a vector soon.
//!
//! The same operations in the same order as [`step`](super::step), so the same bits, in however many lanes.

mod ports;
mod sheet;
mod sweep;

use super::step::Held;
use crate::dispatch::vector_kernel;
use crate::simd::Words;
use ports::Ports;
use sheet::Sheet;
use sweep::Sweep;

/// A place between four points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// The points.
    pub at: [usize; 4],
    /// What each counts; nothing where it does not move.
    pub share: [f64; 4],
}

impl Spot {
    /// What it is, from the numbers of its points, of which those are asked for that count.
    #[inline(always)]
    fn read(&self, value: impl Fn(usize) -> f64) -> f64 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| if self.share[i] == 0.0 { 0.0 } else { self.share[i] * value(i) });
        (a + b) + (c + d)
    }
}

/// Most ports of each kind.
pub const PORTS: usize = 4;

/// What is done to a surface in some steps at once, and what is seen of it there. All numbers lie step after step.
#[derive(Debug)]
pub struct Looks<'a> {
    /// How many steps.
    pub steps: usize,
    /// Where it is pushed; here and below at most [`PORTS`] places.
    pub pushed: &'a [Spot],
    /// Forces there.
    pub forces: &'a [f64],
    /// v̄ of a point per force on it.
    pub mobility: f64,
    /// Where v̄ is watched, as it would be without the push.
    pub watched: &'a [Spot],
    /// v̄ there.
    pub free: &'a mut [f64],
    /// Where v after the step is heard.
    pub heard: &'a [Spot],
    /// v there.
    pub velocities: &'a mut [f64],
    /// Where the shape after the step is asked for.
    pub placed: &'a [Spot],
    /// The shape so much earlier than ũ is meant, s.
    pub earlier: Option<f64>,
    /// The shape there.
    pub displacements: &'a mut [f64],
}

/// A kernel for every kind of surface: one for all of them is a function so large that it takes the compiler minutes.
mod kernels {
    use super::*;

    macro_rules! kernels {
        ($($name:ident: $stiff:literal, $tense:literal, $square:literal;)*) => {
            $(vector_kernel! {
                pub fn $name<S>(simd, motion: [&mut [f64]; 2], held: Held, looks: &mut Looks, room: &mut [f64]) {
                    run_with::<_, $stiff, $tense, $square>(simd.one(), motion, held, looks, room);
                }
            })*
        };
    }
    kernels! {
        square_membrane: false, true, true;
        membrane: false, true, false;
        square_plate: true, false, true;
        plate: true, false, false;
        square_tense_plate: true, true, true;
        tense_plate: true, true, false;
    }
}

/// Takes the steps of ũ and v. `weight` is B of a plate, empty for a membrane. There is as much `room` as the [plan](super::Plan::room) asks for.
pub fn run([u, v]: [&mut [f64]; 2], weight: &[f64], held: Held, looks: &mut Looks, room: &mut [f64]) {
    let Held { plan, mask, lattice, point, .. } = held;
    let membrane = weight.is_empty();
    assert!(plan.fits([u, v, mask]) && (membrane || plan.fits([weight])), "arrays of one surface");
    let kernel = match (membrane, point.tension == 0.0, lattice.across == 1.0 && lattice.along == 1.0) {
        (true, _, true) => kernels::square_membrane,
        (true, _, false) => kernels::membrane,
        (_, true, true) => kernels::square_plate,
        (_, true, false) => kernels::plate,
        (_, _, true) => kernels::square_tense_plate,
        (_, _, false) => kernels::tense_plate,
    };
    kernel([u, v], held, looks, room);
}

#[inline(always)]
fn run_with<W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool>(
    words: W,
    [u, v]: [&mut [f64]; 2],
    held: Held,
    looks: &mut Looks,
    room: &mut [f64],
) {
    let Held { plan, lattice, .. } = held;
    let bands = plan.bands(W::WIDTH).expect("a surface with bands");
    assert!(lattice.stride == plan.stride() && bands.moves.is_empty() != STIFF, "bands of this surface");
    let sheet = Sheet::new(words, room, bands, lattice.stride, [u, v]);
    let mut ports = Ports::new(sheet.numbers(), held.stores.back, looks);
    steps::<W, STIFF, TENSE, SQUARE>(sheet, held, &mut ports, looks);
    sheet.put_back([u, v]);
}

#[inline(always)]
fn steps<W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool>(
    sheet: Sheet<W>,
    held: Held,
    ports: &mut Ports,
    looks: &mut Looks,
) {
    let Looks { steps, earlier, watched, heard, placed, pushed, .. } = *looks;
    let sweep = Sweep::<W, STIFF, TENSE, SQUARE>::new(sheet, held);
    for step in 0..steps {
        sweep.advance(&mut ports.marks);
        ports.watch(watched, &mut looks.free[step * watched.len()..]);
        ports.push(&looks.forces[step * pushed.len()..][..pushed.len()]);
        ports.hear(heard, &mut looks.velocities[step * heard.len()..]);
        ports.place(placed, earlier, &mut looks.displacements[step * placed.len()..]);
    }
}

#[cfg(test)]
mod tests;
