//! Laws of a body: power balance, the port equation, reciprocity, passivity, reset, snapshots, impulses.

use crate::draw::Draw;
use crate::kick;

use ictus_core::{Audit, Clock, Deflection, FastResonator, Sum};

/// What a run of [`check`] measured, each as a share of its own scale.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Largest |stored − supplied + dissipated| of one step over the largest energy so far.
    pub balance: f64,
    /// Largest difference between the energy booked with a step and the one measured after it, over the largest energy so far.
    pub booked: f64,
    /// Largest difference between port equation and measured mean velocity over the velocities so far.
    pub port: f64,
    /// Smallest energy dissipated in one step over the largest energy so far.
    pub least_dissipated: f64,
    /// Largest excess of the energy over what was put in, over the largest energy so far.
    pub excess: f64,
    /// Least xᵀYx over xᵀ(diag Y)x.
    pub definite: f64,
    /// Energy supplied by the forces, J.
    pub supplied: f64,
}

impl Figures {
    /// The worse of both.
    pub fn worse(self, other: Self) -> Self {
        Self {
            balance: self.balance.max(other.balance),
            booked: self.booked.max(other.booked),
            port: self.port.max(other.port),
            least_dissipated: self.least_dissipated.min(other.least_dissipated),
            excess: self.excess.max(other.excess),
            definite: self.definite.min(other.definite),
            supplied: self.supplied.max(other.supplied),
        }
    }

    fn assert_lawful(&self, name: &str) {
        assert!(self.supplied > 0.0, "{name}: nothing moved");
        assert!(self.balance <= 1e-13, "{name}: power balance {:e}", self.balance);
        assert!(self.booked <= 1e-13, "{name}: ledger {:e} off", self.booked);
        assert!(self.port <= 1e-13, "{name}: port equation {:e}", self.port);
        assert!(self.least_dissipated >= 0.0, "{name}: a damper gave energy, {:e}", self.least_dissipated);
        assert!(self.excess <= 1e-12, "{name}: energy from nowhere, {:e}", self.excess);
    }
}

/// Drives `body` with random forces at random ports for half of `steps`, lets it ring for the rest, and asserts every law.
pub fn check(name: &str, body: &dyn FastResonator, clock: Clock, draw: &mut Draw, steps: usize) -> Figures {
    let ports: Vec<usize> = (0..body.port_count()).collect();
    let n = ports.len();
    let mut figures = Figures { definite: f64::INFINITY, ..Figures::default() };
    reciprocity(name, body, draw, &mut figures);
    let varying = body.varying();
    let mut state = vec![0.0; body.state_len()];
    body.reset(&mut state);
    let fresh = state.clone();
    let mut unaudited = state.clone();
    let (mut free, mut free_unaudited) = (vec![0.0; n], vec![0.0; n]);
    let mut scale = body.energy(&state);
    let mut supplied_so_far = Sum::default();
    supplied_so_far.add(scale);
    let mut speed = f64::MIN_POSITIVE;
    for step in 0..steps {
        let forces: Vec<f64> = ports
            .iter()
            .map(|&p| {
                let push = step < steps / 2 && draw.chance(0.4);
                if push { draw.uniform(-1.0, 1.0) / body.mobility(p, p) } else { 0.0 }
            })
            .collect();
        let movable = |port: &&usize| varying.is_some_and(|varying| varying.is_movable(**port));
        for &port in ports.iter().filter(movable) {
            if let Some(varying) = varying.filter(|_| draw.chance(0.3)) {
                let place = draw.uniform(0.0, 1.0);
                varying.move_port(&mut state, port, place);
                varying.move_port(&mut unaudited, port, place);
            }
        }
        let before = body.energy(&state);
        let was: Vec<f64> = ports.iter().map(|&p| body.velocity(&state, p)).collect();
        body.free_velocities(&mut state, &ports, &mut free);
        let mut bent = vec![0.0; n];
        if let Some(varying) = varying {
            varying.stiffening(&state, &ports, &mut bent);
        }
        let mobility = |p: usize, q: usize| match varying {
            Some(varying) => varying.mobility_now(&state, p, q) - bent[p] * bent[q],
            None => body.mobility(p, q),
        };
        let responses: Vec<f64> = (0..n).map(|p| (0..n).map(|q| mobility(p, q) * forces[q]).sum()).collect();
        let Audit { dissipated, stored: booked } = body.advance_audited(&mut state, &ports, &forces);
        let mut supplied = 0.0;
        for (p, response) in responses.into_iter().enumerate() {
            let mean = free[p] + response;
            let now = body.velocity(&state, p);
            speed = speed.max(now.abs()).max(free[p].abs()).max(response.abs());
            figures.port = figures.port.max((0.5 * (was[p] + now) - mean).abs() / speed);
            if let Some(varying) = varying.filter(|varying| varying.stiffens() || varying.is_movable(p)) {
                figures.port = figures.port.max((varying.mean_velocity(&state, p) - mean).abs() / speed);
            }
            supplied += clock.dt * forces[p] * mean;
        }
        let after = body.energy(&state);
        let stored = booked - before;
        scale = scale.max(after).max(supplied.abs());
        if scale > 0.0 {
            supplied_so_far.add(supplied);
            figures.balance = figures.balance.max((stored - supplied + dissipated).abs() / scale);
            figures.least_dissipated = figures.least_dissipated.min(dissipated / scale);
            figures.booked = figures.booked.max((booked - after).abs() / scale);
            figures.excess = figures.excess.max((after - supplied_so_far.value()) / scale);
        }
        figures.supplied += supplied;
        body.free_velocities(&mut unaudited, &ports, &mut free_unaudited);
        body.advance(&mut unaudited, &ports, &forces, false);
        assert!(bits(&state) == bits(&unaudited), "{name}: the audit changed the sound at step {step}");
    }
    snapshot(name, body, &state, &ports);
    kick::check(name, body, clock, &state);
    body.reset(&mut state);
    assert!(bits(&state) == bits(&fresh), "{name}: reset leaves state behind");
    figures.assert_lawful(name);
    figures
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

fn reciprocity(name: &str, body: &dyn FastResonator, draw: &mut Draw, figures: &mut Figures) {
    let n = body.port_count();
    for p in 0..n {
        for q in 0..p {
            let (there, back) = (body.mobility(p, q), body.mobility(q, p));
            assert!(there.to_bits() == back.to_bits(), "{name}: Y_{p}{q} = {there:e}, Y_{q}{p} = {back:e}");
        }
    }
    for _ in 0..50 {
        let x: Vec<f64> = (0..n).map(|_| draw.uniform(-1.0, 1.0)).collect();
        let form: f64 =
            (0..n).flat_map(|p| (0..n).map(move |q| (p, q))).map(|(p, q)| x[p] * body.mobility(p, q) * x[q]).sum();
        let diagonal: f64 = (0..n).map(|p| x[p] * x[p] * body.mobility(p, p)).sum();
        assert!(diagonal > 0.0, "{name}: no port moves");
        figures.definite = figures.definite.min(form / diagonal);
    }
    assert!(figures.definite >= -1e-14, "{name}: Y is not positive, {:e}", figures.definite);
}

/// A copy of the state must go on as the original does: the state holds everything. The original plays undisturbed; the copy is moved to other
/// memory half way, and between its steps the same body advances another state under other forces, which reveals anything kept elsewhere.
fn snapshot(name: &str, body: &dyn FastResonator, state: &[f64], ports: &[usize]) {
    const STEPS: usize = 100;
    let push = |step: usize, port: usize| 0.3 * ((step + port) % 3) as f64 / body.mobility(port, port);
    let advance = |state: &mut [f64], forces: &[f64]| {
        let mut free = vec![0.0; ports.len()];
        body.free_velocities(state, ports, &mut free);
        body.advance(state, ports, forces, true);
    };
    let mut original = state.to_vec();
    for step in 0..STEPS {
        let forces: Vec<f64> = ports.iter().map(|&port| push(step, port)).collect();
        advance(&mut original, &forces);
    }
    let mut copy = state.to_vec();
    let mut other = vec![0.0; body.state_len()];
    body.reset(&mut other);
    for step in 0..STEPS {
        let forces: Vec<f64> = ports.iter().map(|&port| push(step, port)).collect();
        let others: Vec<f64> = ports.iter().map(|&port| -2.0 * push(step + 1, port)).collect();
        advance(&mut other, &others);
        advance(&mut copy, &forces);
        if step == STEPS / 2 {
            copy = copy.clone();
        }
    }
    assert!(bits(&original) != bits(state), "{name}: nothing moved after the snapshot");
    assert!(bits(&original) == bits(&copy), "{name}: a snapshot does not play on as the original");
}

/// Deflects a body that can be deflected. Returns false where the shape, or the capability, does not exist.
pub fn deflect(body: &dyn FastResonator, state: &mut [f64], deflection: Deflection) -> bool {
    body.capabilities().deflect.is_some_and(|body| body.deflect(state, deflection))
}

/// Displacements along a body that lives on a line.
///
/// # Panics
/// If it does not.
pub fn profile(body: &dyn FastResonator, state: &[f64]) -> Vec<f64> {
    let profile = body.capabilities().shape.and_then(|body| body.profile(state));
    profile.expect("a body along a line")
}
