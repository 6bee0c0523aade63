//! A bank of damped modes, m(q̈ + 2σ q̇ + ω² q) = Σ_p φ_p f_p, u_p = Σ φ_p q.
//!
//! Scheme, per mode: v⁺ = a v − b q̃ + 2Y Σ φ_p f_p, q̃⁺ = q̃ + k v⁺, v̄ = (v + v⁺)/2 with Y = 1/(2m/k + r [+ K k/2 midpoint]), a = 1 − 2rY, b = 2KY.
//! q̃ is q in leapfrog. In the midpoint scheme it is half a step ahead, q̃ = q + k v/2: then q⁺ = q + k v̄, and the force of the spring is −K(q⁺ + q)/2.
//! Velocities are stored in units of 2√Y and displacements in units of one step at that velocity. With ψ = √Y φ then v⁺ = a v − kb q̃ + Σ ψ_p f_p, q̃⁺ = q̃ + v⁺, and a
//! port moves with v̄_p = Σ ψ_p (v + v⁺): the same ψ distributes a force to the modes and reads a port's motion from them, and Y_pq = Σ ψ_p ψ_q.
//! Balance, exact: ΔH = k Σ f_p v̄_p − k Σ r v̄². The audit takes r from the rounded a.
//! Limits: below half the sample rate. With [`Discretisation::Exact`] the poles are those of the sounding mode: frequency
//! and decay are exact in either scheme. [handbook §1; leapfrog: K k²/m = 4(sinh²(σk/2) + sin²(ωk/2))/cosh σk, r k/m = 2 tanh σk]

mod mode;
mod retune;
mod sines;
mod single_port;

use super::grid::{Grid, StringParameters};
use super::path::Path;
use super::{Audit, Block, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Tuning, VaryingMobility};
use crate::clock::{Clock, Scheme};
use crate::error::{BuildError, require};
use crate::paths::{Special, takes};
use ictus_kernels::bank::BankState;
use ictus_kernels::feed::{Fed, PortForce, Stores, feed};
use ictus_kernels::ring::{BankBlock, PORTS, STEPS, ring};
use ictus_kernels::{Aligned, LANES, dot, dot_both, modes};
pub(super) use mode::Oscillator;
pub use mode::{Discretisation, Mode};
use retune::Spare;
pub(super) use sines::Sines;
use single_port::SinglePortBank;
use std::ops::Deref;

/// A bank of modes with any number of ports with signed shapes. State: `[q̃…, v…, v°…]`, padded to whole lanes, then a flag, 1 if v° is that of the next step, then the current shape ψ of
/// every movable port and its place. v° is v⁺ without forces; in a bank with a movable port, v + v⁺ replaces it after the step.
#[derive(Clone, Debug)]
pub struct ModalBank {
    pub(super) clock: Clock,
    by: Discretisation,
    scheme: Scheme, // of the modes: leapfrog in both schemes if they share a tension or are those of a grid
    unit: f64,      // unit of q̃ over unit of v, s
    lags: [f64; 2], // H holds K (q̃ − v·one)(q̃ − v·other)/2
    modes: usize,   // before padding
    pub(super) padded: usize, // multiple of LANES
    pub(super) mass: Aligned, // 4Y m, s
    pub(super) stiffness: Aligned, // 4Y K unit², s, prewarped
    pub(super) resistance: Aligned, // Y r, prewarped
    kept: Aligned,  // a
    pull: Aligned,  // b unit
    root: Aligned,  // √Y
    impulse_gain: Aligned, // 1/(2Y m), 1/s: v per impulse and ψ
    shapes: Vec<Aligned>, // ψ per port
    forms: Vec<Vec<f64>>, // φ per port
    string: Option<GridString>,
    oscillators: Vec<Oscillator>,
    spare: Spare,
    tracks: Vec<Option<Track>>,
    /// The end of a step predicts the next one. False with a movable port: moving it would invalidate the prediction, and the audit needs its v̄ of the step taken.
    predicts_next: bool,
    pub(super) tension: Tension,
    mean_factor: f64, // v + v⁺ over the values stored in place of v° after a step: 2 for modes that share a tension
}

/// The string whose modes a bank holds.
#[derive(Clone, Debug)]
pub(super) struct GridString {
    pub sines: Sines,
    pub parameters: StringParameters,
    pub grid: Grid,
}

/// Coefficients of modes that share a tension: then (v + v⁺)/2 = v − (d v + b q̃) + ψ f/2 with the resistance d = Y r.
#[derive(Clone, Debug, Default)]
pub(super) struct Tension {
    kappa: Vec<f64>,     // κ
    pub pull: Aligned,   // b = KY, 1/s
    pub slopes: Aligned, // 4Y κ
    pub pulled: Aligned, // Y κ
}

/// Flag after the modes of the state, 1 if v° is that of the next step, else 0; it has a cache line to itself. Only these accessors read and write it.
struct Ahead<'a>(&'a mut [f64]);

/// Length of [`Ahead`]: a cache line.
const AHEAD: usize = LANES;

impl Ahead<'_> {
    fn is_predicted(&self) -> bool {
        self.0[0] != 0.0
    }

    fn set_predicted(&mut self, yes: bool) {
        self.0[0] = if yes { 1.0 } else { 0.0 };
    }
}

/// Where a movable port is: a flag, 1 once it has been moved, and its place. It follows the shape of the port and has a cache line to itself.
struct PortPosition<S>(S);

/// Length of [`PortPosition`]: a cache line.
const PLACE: usize = LANES;

impl<S: Deref<Target = [f64]>> PortPosition<S> {
    /// `None` for a port that has the shape it was built with.
    fn get(&self) -> Option<f64> {
        (self.0[0] != 0.0).then_some(self.0[1])
    }
}

impl PortPosition<&mut [f64]> {
    fn set(&mut self, place: f64) {
        (self.0[0], self.0[1]) = (1.0, place);
    }
}

/// A movable port.
#[derive(Clone, Debug)]
struct Track {
    path: Path,
    shape: usize, // offset of its ψ in the state
}

impl ModalBank {
    /// A bank with one shape vector per port.
    pub fn new(
        clock: Clock,
        modes: &[Mode],
        ports: &[Vec<f64>],
        discretisation: Discretisation,
    ) -> Result<Self, BuildError> {
        let oscillators = discretised(clock, modes, discretisation)?;
        let stepping = Stepping { by: discretisation, scheme: clock.scheme, unit: clock.dt };
        Self::stepped(clock, stepping, oscillators, ports)
    }

    /// A bank of the modes of a string on a grid, which are sines: the scheme of the grid, diagonalised. Steps like leapfrog in both schemes.
    pub(super) fn sines(clock: Clock, string: GridString, ports: &[Vec<f64>]) -> Result<Self, BuildError> {
        let stepping = Stepping { by: Discretisation::Exact, scheme: Scheme::Leapfrog, unit: clock.dt };
        let oscillators = (1..=string.grid.points()).map(|n| string.oscillator(clock, n)).collect();
        let mut bank = Self { string: Some(string), ..Self::stepped(clock, stepping, oscillators, ports)? };
        bank.find_impulse_gain();
        Ok(bank)
    }

    /// A bank that steps like leapfrog in both schemes, as [`ExplicitString`](crate::ExplicitString) does, and stores q̃ in metres.
    /// `slopes` holds κ of every mode, for [stretching](super::stretched).
    pub(super) fn staggered(
        clock: Clock,
        modes: &[Mode],
        ports: &[Vec<f64>],
        slopes: &[f64],
    ) -> Result<Self, BuildError> {
        let stepping = Stepping { by: Discretisation::Exact, scheme: Scheme::Leapfrog, unit: 1.0 };
        let leapfrog = Clock { scheme: Scheme::Leapfrog, ..clock };
        let oscillators = discretised(leapfrog, modes, Discretisation::Exact)?;
        let mut bank = Self::stepped(clock, stepping, oscillators, ports)?;
        let zeros = Aligned::new(0.0, bank.padded);
        bank.tension = Tension { kappa: slopes.into(), pull: zeros.clone(), slopes: zeros.clone(), pulled: zeros };
        bank.find_tension();
        bank.mean_factor = 2.0;
        Ok(bank)
    }

    fn stepped(
        clock: Clock,
        Stepping { by, scheme, unit }: Stepping,
        modes: Vec<Oscillator>,
        ports: &[Vec<f64>],
    ) -> Result<Self, BuildError> {
        let padded = modes.len().div_ceil(LANES) * LANES;
        let step = clock.dt / unit;
        let mut bank = Self {
            clock,
            by,
            scheme,
            unit,
            lags: match scheme {
                Scheme::Midpoint => [0.5 * step; 2],
                Scheme::Leapfrog => [0.0, step],
            },
            modes: modes.len(),
            padded,
            mass: Aligned::new(0.0, padded),
            stiffness: Aligned::new(0.0, padded),
            resistance: Aligned::new(0.0, padded),
            kept: Aligned::new(0.0, padded),
            pull: Aligned::new(0.0, padded),
            root: Aligned::new(0.0, padded),
            impulse_gain: Aligned::new(0.0, padded),
            shapes: Vec::new(),
            forms: Vec::new(),
            string: None,
            spare: Spare::new(modes.len(), padded),
            oscillators: modes,
            tracks: vec![None; ports.len()],
            predicts_next: !ports.is_empty(),
            tension: Tension::default(),
            mean_factor: 1.0,
        };
        bank.find_coefficients();
        for shape in ports {
            require(shape.len() == bank.modes, "length of a mode shape", shape.len() as f64, "one value per mode")?;
            for &value in shape {
                require(value.is_finite(), "mode shape", value, "a finite number")?;
            }
            bank.shapes.push(Aligned::new(0.0, padded));
            bank.forms.push(shape.clone());
        }
        bank.scale_shapes();
        Ok(bank)
    }

    /// Makes `port` movable along `path`.
    pub fn with_path(mut self, port: usize, path: Path) -> Result<Self, BuildError> {
        path.check(self.modes)?;
        let shape = self.state_len();
        self.tracks[port] = Some(Track { path, shape });
        self.predicts_next = false;
        Ok(self)
    }

    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.modes
    }

    /// ψ of a port at its current position.
    pub(crate) fn shape<'a>(&'a self, state: &'a [f64], port: usize) -> &'a [f64] {
        match &self.tracks[port] {
            None => &self.shapes[port],
            Some(track) => &state[track.shape..track.shape + self.padded],
        }
    }

    /// Takes a step and predicts the next, in one pass over the modes and one more per force after the first.
    fn feed(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> Fed {
        let n = self.padded;
        let (motion, moved) = state.split_at_mut(3 * n);
        let mut others = ports.iter().zip(forces);
        let (&port, &force) = others.next_back().unwrap_or((&0, &0.0));
        for (&port, &force) in others {
            modes::add(&mut motion[2 * n..], &self.shapes[port], force);
        }
        let stores = Stores { mass: &self.mass, stiffness: &self.stiffness, lags: self.lags };
        let fed = feed(&mut self.bank(motion, audited), stores, PortForce { driven: &self.shapes[port], force });
        Ahead(&mut moved[..AHEAD]).set_predicted(true);
        fed
    }

    /// Arguments of the kernels; without `audited` they compute no dissipated power.
    fn bank<'a>(&'a self, motion: &'a mut [f64], audited: bool) -> BankState<'a> {
        let [q, v, ahead] = split(motion, self.padded);
        let resistance = if audited { &*self.resistance } else { &[] };
        BankState { q, v, ahead, kept: &self.kept, pull: &self.pull, resistance }
    }

    /// As [`shape`](Self::shape); `moved` is the part of the state after the modes.
    pub(super) fn shape_behind<'a>(&'a self, moved: &'a [f64], port: usize) -> &'a [f64] {
        match &self.tracks[port] {
            None => &self.shapes[port],
            Some(track) => &moved[track.shape - 3 * self.padded..][..self.padded],
        }
    }

    /// Sets velocities so that the free mean velocity over the next step is zero.
    fn rest(&self, q: &[f64], v: &mut [f64]) {
        match self.clock.scheme {
            Scheme::Midpoint => v.fill(0.0),
            Scheme::Leapfrog => {
                for i in 0..self.modes {
                    v[i] = q[i] * self.pull[i] / (1.0 + self.kept[i]);
                }
            }
        }
    }

    /// Steps by which the stored displacement q̃ is ahead of q, in units of q̃ per unit of v.
    fn lead(&self) -> f64 {
        match self.clock.scheme {
            Scheme::Midpoint => 0.5 * self.clock.dt / self.unit,
            Scheme::Leapfrog => 0.0,
        }
    }

    /// Writes the modal displacements of a static deflection; `shape` is ψ of the port that holds it. Returns false, and changes nothing, if there is none.
    fn bend(&self, q: &mut [f64], shape: &[f64], deflection: Deflection) -> bool {
        let n = self.modes;
        match deflection {
            Deflection::Static { displacement, .. } => {
                if (0..n).any(|i| shape[i] != 0.0 && self.stiffness[i] == 0.0) {
                    return false;
                }
                let pairs = shape[..n].iter().zip(&self.stiffness[..n]);
                let compliance: f64 = pairs.map(|(s, k)| if *s == 0.0 { 0.0 } else { s * s / k }).sum();
                if compliance == 0.0 {
                    return false;
                }
                let force = 0.5 * displacement / self.unit / compliance;
                for i in 0..n {
                    q[i] = if shape[i] == 0.0 { 0.0 } else { force * shape[i] / self.stiffness[i] };
                }
            }
            Deflection::Fundamental { displacement } => {
                let Some(lowest) = (0..n)
                    .filter(|&i| self.stiffness[i] > 0.0)
                    .min_by(|&i, &j| (self.stiffness[i] * self.mass[j]).total_cmp(&(self.stiffness[j] * self.mass[i])))
                else {
                    return false;
                };
                let largest = match self.string {
                    Some(_) => self.root[lowest],
                    None => self.shapes.iter().map(|shape| shape[lowest].abs()).fold(0.0, f64::max),
                };
                if largest == 0.0 {
                    return false;
                }
                q[..n].fill(0.0);
                q[lowest] = 0.5 * displacement / self.unit / largest;
            }
        }
        true
    }
}

/// Coefficients of all modes.
fn discretised(clock: Clock, modes: &[Mode], by: Discretisation) -> Result<Vec<Oscillator>, BuildError> {
    modes.iter().map(|mode| mode.discretised(clock, by)).collect()
}

/// Time stepping of a bank.
struct Stepping {
    by: Discretisation,
    scheme: Scheme,
    /// Unit of q̃ over unit of v, s.
    unit: f64,
}

/// v of a mode per impulse (N s) and ψ, in its unit 2√Y: v = φ J/m.
fn impulse_gain(mobility: f64, mass: f64) -> f64 {
    0.5 / (mobility * mass)
}

/// ψ = √Y φ.
fn scale(shape: &mut [f64], form: &[f64], root: &[f64]) {
    shape.iter_mut().zip(form).zip(root).for_each(|((shape, form), root)| *shape = form * root);
}

/// Splits a state into q̃, v and v°.
fn split(motion: &mut [f64], n: usize) -> [&mut [f64]; 3] {
    let (q, rest) = motion.split_at_mut(n);
    let (v, ahead) = rest.split_at_mut(n);
    [q, v, &mut ahead[..n]]
}

impl Resonator for ModalBank {
    fn port_count(&self) -> usize {
        self.shapes.len()
    }

    fn state_len(&self) -> usize {
        3 * self.padded + AHEAD + self.tracks.iter().flatten().count() * (self.padded + PLACE)
    }

    fn reset(&self, state: &mut [f64]) {
        state.fill(0.0);
        for (track, shape) in self.tracks.iter().zip(&self.shapes) {
            if let Some(track) = track {
                state[track.shape..track.shape + self.padded].copy_from_slice(shape);
            }
        }
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        let (motion, moved) = state.split_at_mut(3 * self.padded);
        let [q, v, next] = split(motion, self.padded);
        let predicted = Ahead(&mut moved[..AHEAD]).is_predicted();
        if let (&[port], [out], false) = (ports, &mut *out, predicted) {
            let shape = self.shape_behind(moved, port);
            *out = dot(shape, v) + modes::predict_port(q, v, &self.kept, &self.pull, shape, next);
            return;
        }
        if !predicted {
            modes::predict(q, v, &self.kept, &self.pull, next);
        }
        for (out, &port) in out.iter_mut().zip(ports) {
            let shape = self.shape_behind(moved, port);
            *out = dot_both(shape, v, next);
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        dot(&self.shapes[p], &self.shapes[q])
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        let n = self.padded;
        if self.predicts_next {
            let fed = self.feed(state, ports, forces, audited);
            return if audited { self.clock.dt * fed.power } else { 0.0 };
        }
        let (motion, moved) = state.split_at_mut(3 * n);
        let [q, v, ahead] = split(motion, n);
        for (&port, &force) in ports.iter().zip(forces) {
            modes::add(ahead, self.shape_behind(moved, port), force);
        }
        modes::advance(q, v, ahead);
        // a body that woke up had its step predicted at rest
        Ahead(&mut moved[..AHEAD]).set_predicted(false);
        if audited { self.clock.dt * modes::power(&self.resistance, ahead) } else { 0.0 }
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let n = self.padded;
        let (q, rest) = state.split_at(n);
        let v = &rest[..n];
        0.5 * modes::energy(&self.mass[..n], v, &self.stiffness[..n], q, self.lags)
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let stored = 2.0 * self.unit * dot(self.shape(state, port), &state[..self.padded]);
        match self.clock.scheme {
            Scheme::Midpoint => stored - 0.5 * self.clock.dt * self.velocity(state, port),
            Scheme::Leapfrog => stored,
        }
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        2.0 * dot(self.shape(state, port), &state[self.padded..2 * self.padded])
    }

    fn varying(&self) -> Option<&dyn VaryingMobility> {
        Some(self)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { kick: Some(self), deflect: Some(self), ..Capabilities::default() }
    }
}

impl VaryingMobility for ModalBank {
    fn is_movable(&self, port: usize) -> bool {
        self.tracks[port].is_some()
    }

    fn move_port(&self, state: &mut [f64], port: usize, place: f64) {
        if let Some(track) = &self.tracks[port] {
            PortPosition(&mut state[track.shape + self.padded..]).set(place);
            self.follow(track, place, state);
        }
    }

    fn mobility_now(&self, state: &[f64], p: usize, q: usize) -> f64 {
        dot(self.shape(state, p), self.shape(state, q))
    }

    fn mean_velocity(&self, state: &[f64], port: usize) -> f64 {
        self.mean_factor * dot(self.shape(state, port), &state[2 * self.padded..3 * self.padded])
    }
}

impl FastResonator for ModalBank {
    fn touched_at(&self, port: usize) -> Option<Box<dyn FastResonator>> {
        SinglePortBank::new(self, port).map(|bank| Box::new(bank) as Box<dyn FastResonator>)
    }

    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        if self.predicts_next {
            let fed = self.feed(state, ports, forces, true);
            return Audit { dissipated: self.clock.dt * fed.power, stored: 0.5 * fed.energy };
        }
        let dissipated = self.advance(state, ports, forces, true);
        Audit { dissipated, stored: self.energy(state) }
    }

    fn forget(&self, state: &mut [f64]) {
        Ahead(&mut state[3 * self.padded..][..AHEAD]).set_predicted(false);
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        state[..3 * self.padded].fill(0.0);
        Ahead(&mut state[3 * self.padded..][..AHEAD]).set_predicted(true);
        true
    }

    fn retune(&mut self, tuning: &mut Tuning) -> bool {
        self.retune_modes(tuning)
    }

    fn revert(&mut self) {
        self.take_back();
    }

    fn carry(&self, state: &mut [f64]) {
        self.carry_state(state);
    }

    fn run_block(&self, state: &mut [f64], block: &mut Block) {
        let io = block.free_ports.len().max(block.velocity_ports.len());
        if io > PORTS
            || block.pushed.len() > 1
            || !block.displacement_ports.is_empty()
            || !takes(Special::BankBlock, block.steps)
        {
            return block.step_through(self, state);
        }
        self.forget(state);
        let (motion, moved) = state.split_at_mut(3 * self.padded);
        let mut bank = self.bank(motion, block.audited);
        let driven = block.pushed.first().map_or(&[][..], |&port| self.shape_behind(moved, port));
        let shapes = [block.free_ports, block.velocity_ports].map(|ports| {
            let mut shapes = [&[][..]; PORTS];
            for (shape, &port) in shapes.iter_mut().zip(ports) {
                *shape = self.shape_behind(moved, port);
            }
            shapes
        });
        let (free_ports, velocity_ports) = (block.free_ports.len(), block.velocity_ports.len());
        for first in (0..block.steps).step_by(STEPS) {
            let steps = STEPS.min(block.steps - first);
            let power = &mut block.lost[first..first + steps];
            let mut io = BankBlock {
                steps,
                driven,
                forces: &block.forces[first.min(block.forces.len())..],
                free_ports: &shapes[0][..free_ports],
                free: &mut block.free.0[first * free_ports..],
                velocity_ports: &shapes[1][..velocity_ports],
                velocities: &mut block.velocities.0[first * velocity_ports..],
                power,
            };
            ring(&mut bank, &mut io);
            if block.audited {
                io.power.iter_mut().for_each(|lost| *lost *= self.clock.dt);
            }
        }
    }
}

impl Kick for ModalBank {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        self.forget(state);
        let lead = self.lead();
        let (motion, moved) = state.split_at_mut(3 * self.padded);
        let [q, v, _] = split(motion, self.padded);
        let shape = self.shape_behind(moved, port);
        for (((q, v), psi), gain) in q.iter_mut().zip(v).zip(shape).zip(&*self.impulse_gain) {
            let jump = psi * gain * impulse;
            *v += jump;
            *q += lead * jump;
        }
    }
}

impl Deflect for ModalBank {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        self.forget(state);
        let (motion, moved) = state.split_at_mut(3 * self.padded);
        let [q, v, _] = split(motion, self.padded);
        let shape = match deflection {
            Deflection::Static { port, .. } => self.shape_behind(moved, port),
            Deflection::Fundamental { .. } => &[],
        };
        let bent = self.bend(q, shape, deflection);
        if bent {
            self.rest(q, v);
        }
        bent
    }
}
