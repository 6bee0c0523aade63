//! Multi-step kernel of a string under scheduled forces.
//!
//! For the block the string is in lane layout: it is cut into as many segments of one length as a vector of the machine has lanes; a row holds the first points of
//! all segments, the next row their second points, and so on. The neighbours of a row are then the rows before and after it, which stay in registers from one row
//! to the next, whereas in the ordinary order most loads straddle two cache lines. Only at the first and the last row the neighbours lie in the next lane.
//!
//! If the points do not fill the rows, some segments begin with the last point of the previous segment: it is computed twice, from the same numbers, and no lane ends
//! before the others.
//!
//! A vector is read back as a whole vector or as one of its numbers: a vector load shortly after a scalar store into it would stall (failed store forwarding). So
//! forces are added to whole rows, and v⁺ of free-velocity points is stored aside with its row. Port values are only copied during the steps, and weighted after 64 of them with vector operations: scalar products
//! would take the place of vector ones in the processor.
//!
//! The operations and their order are those of [`step`](super::step), so the bits are the same for any number of lanes.

mod lane_layout;
mod port_rows;
mod recorder;
mod row_pass;

use super::step::{Strung, pitch};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Words;
use lane_layout::{LaneLayout, Scratch};
use port_rows::{PointForces, PortRows};
use recorder::Recorder;
use row_pass::LATE;

/// Steps between two evaluations of the recorded port values.
const STEPS: usize = 64;
/// Most ports of each kind.
pub const PORTS: usize = 4;
/// Fewest points: more rows than lanes, so that each segment lacks at most one point.
pub const FEWEST: usize = (LANES + 1) * LANES;
/// Most points, limited by the scratch buffer.
pub const MOST: usize = 4096;

/// A position between two neighbouring points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// The points, counted from 1; 0 and the number after the last are the ends.
    pub at: [usize; 2],
    /// Weight of each; zero at an end.
    pub share: [f64; 2],
}

/// Inputs and recorded outputs of a block of steps. All values are stored step by step.
#[derive(Debug)]
pub struct StringBlock<'a> {
    /// Number of steps.
    pub steps: usize,
    /// Driven positions; here and below at most [`PORTS`].
    pub pushed: &'a [Spot],
    /// Scheduled forces there, N.
    pub forces: &'a [f64],
    /// v⁺ of a point per force on it.
    pub mobility: f64,
    /// Positions at which the free mean velocity v̄ is recorded.
    pub free_ports: &'a [Spot],
    /// v̄ there, m/s.
    pub free: &'a mut [f64],
    /// Positions at which v after the step is recorded.
    pub velocity_ports: &'a [Spot],
    /// v there, m/s.
    pub velocities: &'a mut [f64],
    /// Positions at which the displacement after the step is recorded.
    pub displacement_ports: &'a [Spot],
    /// Record the displacement half a step earlier than ũ.
    pub half_a_step_earlier: bool,
    /// Displacement there, m.
    pub displacements: &'a mut [f64],
    /// Sample rate, steps per second.
    pub rate: f64,
}

vector_kernel! {
    /// Takes the steps. `state` begins with ũ and v as in a [step](super::step).
    pub fn run<S>(simd, state: &mut [f64], strung: Strung, io: &mut StringBlock) {
        if strung.moves.own.is_none() {
            steps::<S::One, false>(simd.one(), state, strung, io);
        } else {
            steps::<S::One, true>(simd.one(), state, strung, io);
        }
    }
}

/// Recorded quantity of a point: v + v⁺ without force, ũ or v.
#[derive(Clone, Copy)]
enum Quantity {
    Sum,
    U,
    V,
}

#[inline(always)]
fn steps<W: Words, const STIFF: bool>(words: W, state: &mut [f64], strung: Strung, io: &mut StringBlock) {
    let StringBlock { steps, mobility, half_a_step_earlier, rate, .. } = *io;
    let points = strung.points;
    let ports = io.pushed.len();
    assert!(
        ports <= PORTS && io.forces.len() >= steps * ports,
        "at most {PORTS} driven ports, with a force per port and step"
    );
    let mut scratch = Scratch::new();
    let (u, v) = state[..2 * pitch(points)].split_at_mut(pitch(points));
    let mut layout = LaneLayout::<W, STIFF>::new(words, &mut scratch, strung, [u, v]);
    let mut port_rows = PortRows::new();
    let mut recorder = Recorder::new();
    let mut point_forces = PointForces::new();
    let moving = if half_a_step_earlier { io.displacement_ports } else { &[] };
    let kinds = [
        (io.free_ports, Quantity::Sum),
        (io.velocity_ports, Quantity::V),
        (io.displacement_ports, Quantity::U),
        (moving, Quantity::V),
    ];
    for (spots, quantity) in kinds {
        assert!(spots.len() <= PORTS, "at most {PORTS} ports of a kind per call");
        for spot in spots {
            recorder.record(spot.at.map(|node| match (layout.positions(node).next(), quantity) {
                // an end does not move: index 0 holds a zero
                (None, _) => 0,
                (Some((row, lane)), Quantity::Sum) => layout.aside(port_rows.store_free(row)) + lane,
                (Some((row, lane)), Quantity::U) => LaneLayout::<W, STIFF>::row(row) + lane,
                (Some((row, lane)), Quantity::V) => LaneLayout::<W, STIFF>::row(row) + W::WIDTH + lane,
            }));
        }
    }
    layout.add_forces(&mut port_rows, io.pushed, mobility);
    let parts = port_rows.parts(layout.rows - LATE);
    let factors = layout.factors(strung.moves);
    // a local copy without a reference to it stays in registers
    let lanes = layout;
    let mut window = lanes.open(&factors, &lanes.ends());
    // index of the first recorded pair of each kind
    let [velocity_ports, displacement_ports, moving] =
        [1, 2, 3].map(|kind| kinds[..kind].iter().map(|(spots, _)| spots.len()).sum());
    for first in (0..steps).step_by(STEPS) {
        let now = STEPS.min(steps - first);
        port_rows.evaluate(&mut point_forces, &io.forces[first * ports..], ports, now);
        for step in 0..now {
            lanes.advance(&factors, &mut window, (&port_rows, &point_forces, step), parts);
            recorder.copy(step, |at| lanes.number(at));
        }
        recorder.write(0, io.free_ports, &mut io.free[first * io.free_ports.len()..], now, |x| 0.5 * rate * x);
        recorder.write(
            velocity_ports,
            io.velocity_ports,
            &mut io.velocities[first * io.velocity_ports.len()..],
            now,
            |x| rate * x,
        );
        let displacements = &mut io.displacements[first * io.displacement_ports.len()..];
        recorder.write(displacement_ports, io.displacement_ports, displacements, now, |x| x);
        if half_a_step_earlier {
            recorder.subtract_half(moving, io.displacement_ports, displacements, now);
        }
    }
    layout.put_back([u, v]);
}

#[cfg(test)]
mod tests;
