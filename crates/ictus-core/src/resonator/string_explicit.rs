//! A string by explicit finite differences, in both schemes. [D21 §VI, handbook §3]
//!
//! Scheme, per point of mass m = ρh: v̄ = v + Y(T/h δ²ũ − EI/h³ δ⁴ũ + 2ρσ1/h δ²v − 2ρσ0 h v + f), Y = 1/(2m/k + 2ρσ0 h), where
//! ũ is the shape at the time of the force: u in leapfrog, half a step ahead, u + k/2·v, in the midpoint scheme. Either way ũ ← ũ + k v.
//! Balance, exact: ΔH = k Σ f v̄ − k(2ρσ0 h Σ v̄² + 2ρσ1/h Σ (Δv̄)²), with
//! H = ½m Σ v² + ½ũᵀS ũ⁻ − ρσ1 k/(2h) Σ (Δv)², ũ⁻ = ũ − k v the shape one step earlier.
//! v is stored in metres per step, so that ũ⁺ = ũ + v⁺, and the step computes v⁺ = 2v̄ − v rather than v̄: v⁺ = a v + 2Yk B δ²y, a = 1 − 4Yρσ0 h, B = EI/h³,
//! y = b ũ + e v − (ũ₋ + ũ₊), b = 2 + T/(hB), e = 2ρσ1/(hkB); without bending B = T/h and y = ũ + e v. The audit takes σ0 from the rounded a and T from the rounded b.
//! Limits: h² ≥ ½(X + √(X² + 16 EI k²/ρ)), X = T k²/ρ + 4σ1 k. Exact for an ideal string at the limit.
//!
//! The midpoint form is the midpoint rule with the mass matrix m(1 − (k²/4m)S − (k/2m)R) instead of m, R the loss matrix of σ1: the matrix in front
//! of v̄ is then a scalar. Both schemes have the same dispersion; in the midpoint scheme contacts use u at whole steps, which times their beginning and end more accurately.

mod modes;

pub(super) use modes::MOST_MODES;

use super::capabilities::resample;
use super::grid::{self, Grid, PAD, Stepping, StringParameters, Weights};
use super::{Audit, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Shape, Tuning, VaryingMobility};
use crate::clock::{Clock, Scheme};
use crate::error::{BuildError, require};
use crate::paths::{Special, takes};
use ictus_kernels::string::step::{FIRST, StepAudit, StringSlot, Strung, pitch, step};
use ictus_kernels::string::{Moves, Stores, flexible, stiff};

/// Offset of the ghosts before the first point in each array.
const LEAD: usize = FIRST - PAD;

/// Smallest bending stiffness EI/h³ relative to T/h: below, it does not reach the last digit of a force and is set to 0.
const LEAST_BENDING: f64 = 1e-18;

/// An explicit string. State: `[ũ…, v…, v⁺…]`, each with ghosts and padding to whole vectors; then a flag, 1 if v⁺ is that of the next step, as every step leaves it;
/// v̄ of the last step at every port, if stored; the position of every movable port.
#[derive(Clone, Debug)]
pub struct ExplicitString {
    pub(super) clock: Clock,
    pub(super) parameters: StringParameters,
    pub(super) grid: Grid,
    ports: Vec<Port>,
    pub(super) mobility: f64, // Y, m/s per N at a point
    pub(super) moved: f64,    // 2kY, v⁺ per N at a point
    pub(super) rate: f64,     // 1/k
    strung: Strung,
    /// Steps store their v̄ at the ports.
    keeps_means: bool,
}

/// A port.
#[derive(Clone, Copy, Debug)]
struct Port {
    position: f64, // initial, fraction of the length
    weights: Weights,
    moving: Option<usize>, // offset of the current position in the state, if it is movable
}

/// What follows from the parameters of a string on its grid.
struct Coefficients {
    mobility: f64,
    moved: f64,
    strung: Strung,
}

/// EI/h³, N/m.
fn bending(parameters: &StringParameters, grid: Grid) -> f64 {
    let h = grid.spacing;
    let [taut, stiff] = [parameters.tension / h, parameters.stiffness / (h * h * h)];
    if stiff < LEAST_BENDING * taut { 0.0 } else { stiff }
}

impl Coefficients {
    fn new(clock: Clock, parameters: &StringParameters, grid: Grid) -> Self {
        let (h, k) = (grid.spacing, clock.dt);
        let StringParameters { density, tension, damping, diffusion, ends, .. } = *parameters;
        let mass = density * h;
        let resistance = 2.0 * density * damping * h;
        let lightness = 2.0 * mass / k + resistance;
        let mobility = 1.0 / lightness;
        let moved = 2.0 * k * mobility;
        let (taut, bending) = (tension / h, bending(parameters, grid));
        let own = (bending != 0.0).then(|| 2.0 + taut / bending);
        let pull = if own.is_some() { bending } else { taut };
        let kept = 1.0 - 2.0 * resistance * mobility;
        let spread = 2.0 * density * diffusion / h;
        Self {
            mobility,
            moved,
            strung: Strung {
                points: grid.points(),
                moves: Moves { kept, pull: pull * moved, own, ease: spread / (k * pull) },
                stores: Stores {
                    mass: mass / (k * k),
                    tension: own.map_or(taut, |own| (own - 2.0) * bending),
                    bending,
                    diffusion: density * diffusion / (k * h),
                    back: 1.0,
                },
                uniform: 0.5 * (1.0 - kept) * lightness / (4.0 * k * k),
                spread: spread / (4.0 * k * k),
                mirror: grid::mirrored(ends),
            },
        }
    }
}

impl ExplicitString {
    /// A string on `grid` with ports at `positions` (fractions of the length).
    pub fn new(clock: Clock, parameters: StringParameters, grid: Grid, positions: &[f64]) -> Result<Self, BuildError> {
        parameters.check()?;
        require(
            parameters.kelvin_voigt == 0.0,
            "kelvin_voigt",
            parameters.kelvin_voigt,
            "0 for an explicit string (only an implicit string has this loss)",
        )?;
        grid.check(&parameters, Stepping::Explicit, clock.dt)?;
        let port = |&position: &f64| Ok(Port { position, weights: grid.interpolate(position)?, moving: None });
        let ports = positions.iter().map(port).collect::<Result<_, BuildError>>()?;
        let Coefficients { mobility, moved, strung } = Coefficients::new(clock, &parameters, grid);
        let rate = 1.0 / clock.dt;
        Ok(Self { clock, parameters, grid, ports, mobility, moved, rate, strung, keeps_means: false })
    }

    /// Makes `port` movable along the string.
    pub fn with_movable(mut self, port: usize) -> Self {
        self.ports[port].moving = Some(self.state_len());
        self.keeping_means()
    }

    /// Makes every step store its v̄ at the ports.
    pub(super) fn keeping_means(mut self) -> Self {
        self.keeps_means = true;
        self
    }

    /// v̄ of the next step at a port, m/s, under the forces applied so far. Needs a [prediction](Self::foresee).
    pub(super) fn predicted(&self, state: &[f64], port: usize) -> f64 {
        let [_, v, ahead] = self.views(state);
        0.5 * self.rate * self.weights(state, port).read_sum(v, ahead)
    }

    /// Interpolation weights of a port at its current position.
    pub(super) fn weights(&self, state: &[f64], port: usize) -> Weights {
        let Port { weights, moving, .. } = self.ports[port];
        moving.map_or(weights, |at| self.grid.spread(state[at]))
    }

    /// The grid in use.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// ũ, v and v⁺ with their ghosts.
    pub(super) fn views<'a>(&self, state: &'a [f64]) -> [&'a [f64]; 3] {
        let (n, pitch) = (self.grid.len(), self.pitch());
        [0, 1, 2].map(|which| &state[which * pitch + LEAD..][..n])
    }

    /// As [`views`](Self::views), mutable.
    pub(super) fn split<'a>(&self, state: &'a mut [f64]) -> [&'a mut [f64]; 3] {
        let (n, pitch) = (self.grid.len(), self.pitch());
        let (u, rest) = state.split_at_mut(pitch);
        let (v, ahead) = rest.split_at_mut(pitch);
        [u, v, ahead].map(|array| &mut array[LEAD..LEAD + n])
    }

    fn pitch(&self) -> usize {
        pitch(self.strung.points)
    }

    /// Offset of the prediction flag. Only [`is_predicted`](Self::is_predicted) and [`set_predicted`](Self::set_predicted) read and write it.
    fn predicted_flag(&self) -> usize {
        3 * self.pitch()
    }

    /// True if v⁺ of the state is that of the next step without forces.
    fn is_predicted(&self, state: &[f64]) -> bool {
        state[self.predicted_flag()] == 1.0
    }

    fn set_predicted(&self, state: &mut [f64], predicted: bool) {
        state[self.predicted_flag()] = if predicted { 1.0 } else { 0.0 };
    }

    /// Offset of the stored v̄ of a port.
    fn mean_at(&self, port: usize) -> usize {
        self.predicted_flag() + 1 + port
    }

    /// Predicts the next step unless the last one did.
    pub(super) fn foresee(&self, state: &mut [f64]) {
        if !self.is_predicted(state) {
            self.predict(state);
            self.set_predicted(state, true);
        }
    }

    fn predict(&self, state: &mut [f64]) {
        let [u, v, ahead] = self.split(state);
        let ahead = &mut ahead[PAD..PAD + self.strung.points];
        let Some(own) = self.strung.moves.own else {
            return flexible(u, v, ahead, self.strung.moves);
        };
        grid::mirror(u, self.parameters.ends);
        stiff(u, v, ahead, self.strung.moves, own);
    }

    /// Sets v so that the lossless free mean velocity is zero.
    fn rest(&self, state: &mut [f64]) {
        self.forget(state);
        self.split(state)[1].fill(0.0);
        if self.clock.scheme == Scheme::Midpoint {
            return;
        }
        self.predict(state);
        let [_, v, ahead] = self.split(state);
        for (v, ahead) in v.iter_mut().zip(ahead.iter()) {
            *v = -ahead / (1.0 + self.strung.moves.kept);
        }
        let last = v.len() - 1;
        (v[0], v[1], v[last - 1], v[last]) = (0.0, 0.0, 0.0, 0.0);
    }

    /// Adds the effect of a force (N) at a port to v⁺.
    #[inline]
    fn push(&self, state: &mut [f64], port: usize, force: f64) {
        let ahead = 2 * self.pitch() + LEAD;
        for (i, weight) in self.weights(state, port).iter() {
            state[ahead + i] += self.moved * weight * force;
        }
    }

    /// Moves all points under `forces` and predicts the next step.
    fn step(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> Audit {
        for (&port, &force) in ports.iter().zip(forces) {
            self.push(state, port, force);
        }
        if self.keeps_means {
            for port in 0..self.ports.len() {
                state[self.mean_at(port)] = self.predicted(state, port);
            }
        }
        self.audit(step(state, &[self.slot(0)], audited))
    }

    /// This string for the kernel, with its state beginning at `start` of the body's state.
    pub(super) fn slot(&self, start: usize) -> StringSlot {
        StringSlot { start, strung: self.strung }
    }

    /// Energies of a step, J, from the sums of the kernel.
    pub(super) fn audit(&self, audit: StepAudit) -> Audit {
        Audit { stored: 0.5 * audit.stored, dissipated: self.clock.dt * audit.lost }
    }

    /// Offsets of v and v⁺ of a port in the state, if the port is on a grid point and not movable.
    pub(super) fn node_of(&self, port: usize) -> Option<[usize; 2]> {
        let Port { weights, moving, .. } = &self.ports[port];
        let node = weights.node().filter(|_| moving.is_none())?;
        Some([1, 2].map(|array| array * self.pitch() + LEAD + node))
    }
}

impl Resonator for ExplicitString {
    fn port_count(&self) -> usize {
        self.ports.len()
    }

    fn state_len(&self) -> usize {
        let moving = self.ports.iter().filter(|port| port.moving.is_some()).count();
        self.predicted_flag() + 1 + self.ports.len() + moving
    }

    fn reset(&self, state: &mut [f64]) {
        state.fill(0.0);
        for port in &self.ports {
            if let Some(at) = port.moving {
                state[at] = port.position;
            }
        }
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        self.foresee(state);
        for (out, &port) in out.iter_mut().zip(ports) {
            *out = self.predicted(state, port);
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        self.mobility * self.ports[p].weights.overlap(&self.ports[q].weights)
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        self.step(state, ports, forces, audited).dissipated
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let [u, v, _] = self.views(state);
        grid::energy(u, v, self.strung.stores, self.parameters.ends)
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let (port, [u, v, _]) = (self.weights(state, port), self.views(state));
        let ahead = port.read(u);
        match self.clock.scheme {
            Scheme::Leapfrog => ahead,
            Scheme::Midpoint => ahead - 0.5 * port.read(v),
        }
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        self.rate * self.weights(state, port).read(self.views(state)[1])
    }

    fn varying(&self) -> Option<&dyn VaryingMobility> {
        Some(self)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { kick: Some(self), deflect: Some(self), shape: Some(self), ..Capabilities::default() }
    }
}

impl VaryingMobility for ExplicitString {
    fn is_movable(&self, port: usize) -> bool {
        self.ports[port].moving.is_some()
    }

    fn move_port(&self, state: &mut [f64], port: usize, place: f64) {
        if let Some(at) = self.ports[port].moving {
            state[at] = place.clamp(0.0, 1.0);
        }
    }

    fn mobility_now(&self, state: &[f64], p: usize, q: usize) -> f64 {
        self.mobility * self.weights(state, p).overlap(&self.weights(state, q))
    }

    fn mean_velocity(&self, state: &[f64], port: usize) -> f64 {
        state[self.mean_at(port)]
    }
}

impl FastResonator for ExplicitString {
    fn touched_at(&self, port: usize) -> Option<Box<dyn FastResonator>> {
        self.in_modes().filter(|_| takes(Special::StringModes, 1))?.touched_at(port)
    }

    fn advance_audited(&self, state: &mut [f64], ports: &[usize], forces: &[f64]) -> Audit {
        self.step(state, ports, forces, true)
    }

    fn forget(&self, state: &mut [f64]) {
        self.set_predicted(state, false);
    }

    fn retune(&mut self, tuning: &mut Tuning) -> bool {
        let Tuning::String(parameters) = tuning else { return false };
        if !parameters.may_follow(&self.parameters, &self.grid, self.clock.dt) {
            return false;
        }
        let Coefficients { mobility, moved, strung } = Coefficients::new(self.clock, parameters, self.grid);
        (self.parameters, self.mobility, self.moved, self.strung) = (*parameters, mobility, moved, strung);
        true
    }

    fn carry(&self, state: &mut [f64]) {
        self.forget(state);
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        let flag = self.predicted_flag();
        state[..flag].fill(0.0);
        self.set_predicted(state, true);
        true
    }
}

impl Kick for ExplicitString {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        self.forget(state);
        let weights = self.weights(state, port);
        let lead = match self.clock.scheme {
            Scheme::Midpoint => 0.5,
            Scheme::Leapfrog => 0.0,
        };
        // v is stored in metres per step
        let per_impulse = self.clock.dt / (self.parameters.density * self.grid.spacing);
        let [u, v, _] = self.split(state);
        for (i, weight) in weights.iter() {
            let jump = per_impulse * weight * impulse;
            v[i] += jump;
            u[i] += lead * jump;
        }
    }
}

impl Deflect for ExplicitString {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        match deflection {
            Deflection::Fundamental { displacement } => grid::half_sine(self.split(state)[0], displacement),
            Deflection::Static { port, displacement } => {
                let weights = self.weights(state, port);
                self.parameters.deflect(self.split(state)[0], self.grid, weights, displacement);
            }
        }
        self.rest(state);
        true
    }
}

impl Shape for ExplicitString {
    fn profile_len(&self) -> usize {
        self.strung.points + 2
    }

    fn profile_into(&self, state: &[f64], out: &mut [f64]) -> bool {
        // the ghosts next to the points are the ends, always 0; in the midpoint scheme half a step ahead, which a plot does not show
        resample(&state[FIRST - 1..FIRST + self.strung.points + 1], out)
    }
}
