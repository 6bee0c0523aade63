//! The same steps in less time: what bodies override only for speed.

use super::{Block, Resonator, Tuning};

/// Energies of a body over one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Audit {
    /// Lost over the step, J.
    pub dissipated: f64,
    /// Stored after the step, J.
    pub stored: f64,
}

/// What a body needs in a model that is cloned. Every body that is `Clone` has it.
pub trait ClonedBody {
    /// A copy.
    fn clone_boxed(&self) -> Box<dyn FastResonator>;
}

impl<B: FastResonator + Clone + 'static> ClonedBody for B {
    fn clone_boxed(&self) -> Box<dyn FastResonator> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn FastResonator> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}

/// A resonator as the engine steps it. Every method has the bits of the [`Resonator`] methods it stands for, in less time; all have defaults.
pub trait FastResonator: Resonator + ClonedBody {
    /// An equal body that is faster if contacts touch no other port than `port`.
    fn touched_at(&self, _port: usize) -> Option<Box<dyn FastResonator>> {
        None
    }

    /// v̄° of `port`, m/s: [`free_velocities`](Resonator::free_velocities) of a body touched at this port only, in a step that will be `audited` or not.
    fn free_velocity(&self, state: &mut [f64], port: usize, _audited: bool) -> f64 {
        let mut out = [0.0];
        self.free_velocities(state, &[port], &mut out);
        out[0]
    }

    /// Advances one unaudited step under a `force` (N) at `port`: [`advance`](Resonator::advance) of a body touched at this port only.
    fn advance_single_port(&self, state: &mut [f64], port: usize, force: f64) {
        let pushed = usize::from(force != 0.0);
        self.advance(state, &[port][..pushed], &[force][..pushed], false);
    }

    /// An audited [`advance`](Resonator::advance) that also returns the energy stored afterwards, for bodies that sum it on the way.
    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        let dissipated = self.advance(state, ports, forces, true);
        Audit { dissipated, stored: self.energy(state) }
    }

    /// Drops what a step has computed for the next one: the state is about to be changed from outside.
    fn forget(&self, _state: &mut [f64]) {}

    /// Brings the body to rest, its next step being predicted; what is not motion stays. Returns false if it has no such rest and never sleeps.
    fn come_to_rest(&self, _state: &mut [f64]) -> bool {
        false
    }

    /// True if what happens at any point reaches all others within some hundred steps, so that housekeeping may read a part of the state.
    fn spreads(&self) -> bool {
        false
    }

    /// Replaces coefficients, which then have the bits of a body built with them. Returns false, and changes nothing, if the body has no such coefficients or they are out of range. Does not
    /// allocate. A state needs [`forget`](Self::forget) before and [`carry`](Self::carry) afterwards.
    fn retune(&mut self, _tuning: &mut Tuning) -> bool {
        false
    }

    /// Takes the last successful [`retune`](Self::retune) back, for bodies whose ports may respond to each other or not as they are tuned.
    fn revert(&mut self) {}

    /// After [`retune`](Self::retune): adapts a state of the former coefficients, so that displacements and velocities stay.
    fn carry(&self, _state: &mut [f64]) {}

    /// Takes `block.steps` steps under scheduled forces.
    fn run_block(&self, state: &mut [f64], block: &mut Block) {
        block.step_through(self, state);
    }
}
