//! Bodies: what stores energy and can be touched.
//!
//! Over one step a body's mean port velocities are affine in its port forces,
//! `v̄_p = v̄°_p + Σ_q Y_pq f_q`, and it receives exactly `k Σ f_p v̄_p` of energy. [handbook §1]
//!
//! Y is constant unless a body stiffens as it is bent or one of its ports moves along it.
//!
//! A resonator is constant; its state is a slice of the model's flat [`State`](crate::State), so that a snapshot is a copy.

use std::borrow::Cow;
use std::fmt::Debug;

pub(crate) mod banded;
pub(crate) mod grid;
pub(crate) mod mass;
pub(crate) mod modal;
pub(crate) mod path;
pub(crate) mod strands;
pub(crate) mod stretched;
pub(crate) mod string_explicit;
pub(crate) mod string_implicit;
pub(crate) mod surface;

/// A shape to which a body is displaced and from which it is released at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deflection {
    /// The static shape under a point force at `port`, scaled so that the port is displaced by `displacement` (m).
    Static {
        /// Where the body is held.
        port: usize,
        /// Displacement there, m.
        displacement: f64,
    },
    /// The lowest mode with its largest displacement equal to `displacement` (m).
    Fundamental {
        /// Largest displacement, m.
        displacement: f64,
    },
}

/// Steps that a body takes under forces known ahead, and what is seen of them.
#[derive(Debug, Default)]
pub struct Block<'a> {
    /// How many.
    pub steps: usize,
    /// Ports that are pushed from outside.
    pub pushed: &'a [usize],
    /// Forces on the pushed ports, N, step after step.
    pub forces: &'a [f64],
    /// Ports whose free mean velocity is watched.
    pub watched: &'a [usize],
    /// v̄° of the watched ports, m/s, step after step: what they would do in the step without the push.
    pub free: Rows<'a>,
    /// No port is ever touched but one: steps ask for its [`free_velocity`](Resonator::free_velocity).
    pub alone: bool,
    /// Ports that are listened to.
    pub heard: &'a [usize],
    /// Velocities of the heard ports after each step, m/s, step after step.
    pub velocities: Rows<'a>,
    /// Ports whose displacement is listened to.
    pub placed: &'a [usize],
    /// Displacements of these ports after each step, m, step after step.
    pub displacements: Rows<'a>,
    /// Whether the energy lost is asked for.
    pub audited: bool,
    /// Energy lost in each step, J, where it is asked for.
    pub lost: &'a mut [f64],
    /// Steps in which the body [is overstretched](Resonator::is_overstretched).
    pub overstretched: u64,
    /// Room for whoever needs some meanwhile; as much as [asked for](Resonator::block_room), or the body takes longer.
    pub room: &'a mut [f64],
}

impl Block<'_> {
    /// The forces of step `n`, N.
    pub fn forces_of(&self, n: usize) -> &[f64] {
        &self.forces[n * self.pushed.len()..][..self.pushed.len()]
    }

    /// Notes that nothing moves.
    pub(crate) fn sleep(&mut self) {
        self.free.0[..self.steps * self.watched.len()].fill(0.0);
        self.velocities.0[..self.steps * self.heard.len()].fill(0.0);
        self.displacements.0[..self.steps * self.placed.len()].fill(0.0);
        if self.audited {
            self.lost[..self.steps].fill(0.0);
        }
    }

    /// Takes the steps one by one.
    pub(crate) fn step_through<R: Resonator + ?Sized>(&mut self, body: &R, state: &mut [f64]) {
        for n in 0..self.steps {
            let free = self.free.row(n, self.watched.len());
            match (self.watched, &mut *free) {
                (&[port], [free]) if self.alone => *free = body.free_velocity(state, port, self.audited),
                _ => body.free_velocities(state, self.watched, free),
            }
            self.overstretched += u64::from(body.is_overstretched(state));
            self.lost[n] = body.advance(state, self.pushed, self.forces_of(n), self.audited);
            for (out, &port) in self.velocities.row(n, self.heard.len()).iter_mut().zip(self.heard) {
                *out = body.velocity(state, port);
            }
            for (out, &port) in self.displacements.row(n, self.placed.len()).iter_mut().zip(self.placed) {
                *out = body.displacement(state, port);
            }
        }
    }
}

/// Numbers of successive steps.
#[derive(Debug, Default)]
pub struct Rows<'a>(pub &'a mut [f64]);

impl Rows<'_> {
    /// The `width` numbers of step `n`.
    pub fn row(&mut self, n: usize, width: usize) -> &mut [f64] {
        &mut self.0[n * width..(n + 1) * width]
    }
}

/// Energies of a body over one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Audit {
    /// Lost over the step, J.
    pub dissipated: f64,
    /// Stored after the step, J.
    pub stored: f64,
}

/// A body with ports. See the module's theory and the design note.
pub trait Resonator: Debug + Send + Sync {
    /// Number of ports.
    fn port_count(&self) -> usize;

    /// Length of the state slice, scratch included.
    fn state_len(&self) -> usize;

    /// Writes the initial state.
    fn reset(&self, state: &mut [f64]) {
        state.fill(0.0);
    }

    /// Writes the force-free mean velocities v̄° of the step at `ports` (m/s) and leaves what [`advance`](Self::advance) needs in scratch.
    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]);

    /// Y_pq, m/s per N: mean velocity at `p` per force at `q` over one step.
    fn mobility(&self, p: usize, q: usize) -> f64;

    /// True where a force meets more resistance the further the body is bent: [`stiffening`](Self::stiffening).
    fn stiffens(&self) -> bool {
        false
    }

    /// What the step just predicted takes from the mobility, Y(now) = Y − s sᵀ. Writes s at `ports`.
    fn stiffening(&self, _state: &[f64], _ports: &[usize], out: &mut [f64]) {
        out.fill(0.0);
    }

    /// True if the step just predicted pulls the body tighter than its grid or its modes resolve: it stays bounded, but plays false.
    fn is_overstretched(&self, _state: &[f64]) -> bool {
        false
    }

    /// True for a port that can be moved along the body.
    fn is_movable(&self, _port: usize) -> bool {
        false
    }

    /// Moves a port to `place`, a fraction of its path. Ports that are not movable stay.
    fn move_port(&self, _state: &mut [f64], _port: usize, _place: f64) {}

    /// Pulls part `part` (a head of a drum) with `share`, above 0 and at most 1, of the tension it was built for. Returns false where that cannot be.
    fn tighten(&self, _state: &mut [f64], _part: usize, _share: f64) -> bool {
        false
    }

    /// Y_pq with every port where it is now.
    fn mobility_now(&self, _state: &[f64], p: usize, q: usize) -> f64 {
        self.mobility(p, q)
    }

    /// v̄ of a port over the step just taken, m/s. Asked only where the mobility varies.
    fn mean_velocity(&self, _state: &[f64], _port: usize) -> f64 {
        0.0
    }

    /// Advances one step under `forces` (N) at `ports`; returns the energy dissipated (J), or 0 when not `audited`.
    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64;

    /// A body that does the same in less time, if no other port than `port` is ever touched.
    fn touched_at(&self, _port: usize) -> Option<Box<dyn Resonator>> {
        None
    }

    /// v̄° of `port`, m/s: [`free_velocities`](Self::free_velocities) of a body of which nothing else is touched, in a step that will be `audited` or not.
    fn free_velocity(&self, state: &mut [f64], port: usize, _audited: bool) -> f64 {
        let mut out = [0.0];
        self.free_velocities(state, &[port], &mut out);
        out[0]
    }

    /// Advances one step, unaudited, under a `force` (N) at `port`: [`advance`](Self::advance) of a body of which nothing else is touched.
    fn advance_alone(&self, state: &mut [f64], port: usize, force: f64) {
        let pushed = usize::from(force != 0.0);
        self.advance(state, &[port][..pushed], &[force][..pushed], false);
    }

    /// As [`advance`](Self::advance) when audited; also returns the energy stored afterwards, J. Bodies that know it as they go need not add it up again.
    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        let dissipated = self.advance(state, ports, forces, true);
        Audit { dissipated, stored: self.energy(state) }
    }

    /// Drops what a step has found out about the next: numbers of the state are about to be changed.
    fn forget(&self, _state: &mut [f64]) {}

    /// Brings the body to rest, its next step being predicted: what is not motion stays as it is. Returns false where a body has no such rest.
    fn come_to_rest(&self, _state: &mut [f64]) -> bool {
        false
    }

    /// True where what happens at any point reaches all others within some hundred steps.
    fn spreads(&self) -> bool {
        false
    }

    /// Numbers of [room](Block::room) with which it [coasts](Self::coast) fastest.
    fn block_room(&self) -> usize {
        0
    }

    /// Takes `block.steps` steps under known forces, with the same bits as [`free_velocities`](Self::free_velocities) and [`advance`](Self::advance) one by one.
    fn coast(&self, state: &mut [f64], block: &mut Block) {
        block.step_through(self, state);
    }

    /// Stored energy, J.
    fn energy(&self, state: &[f64]) -> f64;

    /// Displacement of a port now, m.
    fn displacement(&self, state: &[f64], port: usize) -> f64;

    /// Velocity of a port, m/s: at n in the midpoint frame, at n − ½ in leapfrog.
    fn velocity(&self, state: &[f64], port: usize) -> f64;

    /// Sets the whole body in motion so that its free mean velocity over the next step is `velocity`, optionally from `position`.
    /// Bodies that cannot be thrown ignore it and return false.
    fn throw(&self, _state: &mut [f64], _velocity: f64, _position: Option<f64>) -> bool {
        false
    }

    /// Displaces the body to a shape at rest. Returns false where the shape does not exist (no restoring force at the port).
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool;

    /// Displacement along the body at even distances, both ends included, for bodies that live on a grid or step in the modes of one.
    fn profile<'a>(&self, _state: &'a [f64]) -> Option<Cow<'a, [f64]>> {
        None
    }

    /// Displacement over surface `which` of the body, for those that live on a grid in two dimensions.
    fn sheet<'a>(&'a self, _state: &'a [f64], _which: usize) -> Option<surface::Sheet<'a>> {
        None
    }

    /// The banded system behind the body, if there is one.
    #[doc(hidden)]
    fn banded(&self) -> Option<&dyn banded::BandedBody> {
        None
    }
}
