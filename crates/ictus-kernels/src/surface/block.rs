//! Multi-step kernel of a surface with a fixed rim under scheduled forces.
//!
//! For the block the surface is in grid layout: it is cut into as many bands of rows as a vector of the machine has lanes, and a vector holds the points of all bands in
//! the same column of the same row. The neighbours of a vector are then other vectors, those to the left and right in registers, whereas in the ordinary order most
//! loads straddle two cache lines. Only at the first and the last row the neighbours lie in the next lane.
//!
//! A step traverses the rows once, and needs ũ and v only (`block/row_pass.rs`). v̄ is stored for ports only. Driven points move with all others and are
//! corrected afterwards: a vector load soon after a scalar store into it would stall (failed store forwarding).
//!
//! The operations and their order are those of [`step`](super::step), so the bits are the same for any number of lanes.

mod grid_layout;
mod ports;
mod row_pass;

use super::step::Held;
use crate::dispatch::vector_kernel;
use crate::simd::Words;
use grid_layout::GridLayout;
use ports::Ports;
use row_pass::RowPass;

/// A position between four points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spot {
    /// Indices of the points.
    pub at: [usize; 4],
    /// Weight of each; zero if it does not move.
    pub share: [f64; 4],
}

impl Spot {
    /// Interpolates `value` of its points; points of weight zero are not evaluated.
    #[inline(always)]
    fn read(&self, value: impl Fn(usize) -> f64) -> f64 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| if self.share[i] == 0.0 { 0.0 } else { self.share[i] * value(i) });
        (a + b) + (c + d)
    }
}

/// Most ports of each kind.
pub const PORTS: usize = 4;

/// Inputs and recorded outputs of a block of steps. All values are stored step by step.
#[derive(Debug)]
pub struct SurfaceBlock<'a> {
    /// Number of steps.
    pub steps: usize,
    /// Driven positions; here and below at most [`PORTS`].
    pub pushed: &'a [Spot],
    /// Scheduled forces there, N.
    pub forces: &'a [f64],
    /// v̄ of a point per force on it.
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
    /// Time by which the recorded displacement precedes ũ, s.
    pub earlier: Option<f64>,
    /// Displacement there, m.
    pub displacements: &'a mut [f64],
}

/// One kernel per kind of surface: a single function for all of them takes minutes to compile.
mod kernels {
    use super::*;

    macro_rules! kernels {
        ($($name:ident: $stiff:literal, $tense:literal, $square:literal;)*) => {
            $(vector_kernel! {
                pub fn $name<S>(simd, motion: [&mut [f64]; 2], held: Held, io: &mut SurfaceBlock, scratch: &mut [f64]) {
                    run_with::<_, $stiff, $tense, $square>(simd.one(), motion, held, io, scratch);
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

/// Takes the steps of ũ and v. `weight` is B of a plate, empty for a membrane. `scratch` is as long as [`Plan::scratch`](super::Plan::scratch) states.
pub fn run([u, v]: [&mut [f64]; 2], weight: &[f64], held: Held, io: &mut SurfaceBlock, scratch: &mut [f64]) {
    let Held { plan, mask, lattice, point, .. } = held;
    let membrane = weight.is_empty();
    assert!(
        plan.fits([u, v, mask]) && (membrane || plan.fits([weight])),
        "all arrays of a surface must have the length of its plan"
    );
    let kernel = match (membrane, point.tension == 0.0, lattice.across == 1.0 && lattice.along == 1.0) {
        (true, _, true) => kernels::square_membrane,
        (true, _, false) => kernels::membrane,
        (_, true, true) => kernels::square_plate,
        (_, true, false) => kernels::plate,
        (_, _, true) => kernels::square_tense_plate,
        (_, _, false) => kernels::tense_plate,
    };
    kernel([u, v], held, io, scratch);
}

#[inline(always)]
fn run_with<W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool>(
    words: W,
    [u, v]: [&mut [f64]; 2],
    held: Held,
    io: &mut SurfaceBlock,
    scratch: &mut [f64],
) {
    let Held { plan, lattice, .. } = held;
    let bands = plan.bands(W::WIDTH).expect("the plan has no bands; check Plan::scratch first");
    assert!(lattice.stride == plan.stride() && bands.moves.is_empty() != STIFF, "the bands belong to another surface");
    let layout = GridLayout::new(words, scratch, bands, lattice.stride, [u, v]);
    let mut ports = Ports::new(layout.numbers(), held.stores.back, io);
    steps::<W, STIFF, TENSE, SQUARE>(layout, held, &mut ports, io);
    layout.put_back([u, v]);
}

#[inline(always)]
fn steps<W: Words, const STIFF: bool, const TENSE: bool, const SQUARE: bool>(
    layout: GridLayout<W>,
    held: Held,
    ports: &mut Ports,
    io: &mut SurfaceBlock,
) {
    let SurfaceBlock { steps, earlier, free_ports, velocity_ports, displacement_ports, pushed, .. } = *io;
    let pass = RowPass::<W, STIFF, TENSE, SQUARE>::new(layout, held);
    for step in 0..steps {
        pass.advance(&mut ports.probes);
        ports.write_free(free_ports, &mut io.free[step * free_ports.len()..]);
        ports.apply_forces(&io.forces[step * pushed.len()..][..pushed.len()]);
        ports.write_velocities(velocity_ports, &mut io.velocities[step * velocity_ports.len()..]);
        ports.write_displacements(
            displacement_ports,
            earlier,
            &mut io.displacements[step * displacement_ports.len()..],
        );
    }
}

#[cfg(test)]
mod tests;
