//! Modal banks in contact at a single port, in port coordinates: q and v of a mode are its shares of the port's displacement and velocity.
//!
//! A step needs the force f of its contact, and the contact needs the free velocity of the bank. So a bank keeps q and v° from before f was
//! known, and the next step begins by applying f: v = v° + w f, q ← q + v, v° ← a v − b q. The free port velocity is then Σ v°.
//!
//! That sum does not wait for f in all modes. For the first [`FORESEEN`] lane blocks it is Σ (a v° − b (q + v°)), computed before f is known, plus the share of f, G f with
//! G = Σ (a − b) w. So the contact of a small bank waits for none of its modes, and in a large bank the foreseen modes move while the others are summed.
//!
//! A bank larger than the first-level cache is traversed in alternating direction, so that the part read last is still cached. The port sums are taken in parts (`parts.rs`), so that they do not depend on the direction.

mod parts;
mod ring;

use crate::dispatch::{kernel, vector_kernel};
use crate::lanes::{LANES, sum_zip};
use crate::simd::Simd;
use crate::single::at_once;
pub use parts::is_parted;
use parts::{PARTS, begins_part, part};
pub use ring::{PORTS, STEPS, SinglePortBlock, ring};

/// Lane blocks whose share of the port velocity is computed one step ahead. Costs four operations more per mode: as many as fit in the time in which the other blocks are summed.
pub const FORESEEN: usize = 8;

/// Coefficients of eight modes, interleaved so that a step reads few streams.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Answers {
    /// a.
    pub kept: [f64; LANES],
    /// b.
    pub pull: [f64; LANES],
    /// w.
    pub gain: [f64; LANES],
}

/// State and coefficients of a bank. q and v° have eight numbers for each of the `answers`.
#[derive(Debug)]
pub struct SinglePortModes<'a> {
    /// Displacements q, scaled by the time step.
    pub q: &'a mut [f64],
    /// v°: force-free velocities after the step.
    pub ahead: &'a mut [f64],
    /// Coefficients, one per lane block.
    pub answers: &'a [Answers],
}

/// Lane accumulators of the foreseen part of Σ v°.
pub type Lanes = [f64; LANES];

/// Coefficients for the energy of a bank.
#[derive(Clone, Copy, Debug)]
pub struct Stores<'a> {
    /// m.
    pub mass: &'a [f64],
    /// K.
    pub stiffness: &'a [f64],
    /// r.
    pub resistance: &'a [f64],
    /// Lags a and b, in steps, of the two displacements q − a v and q − b v whose product is stored.
    pub lags: [f64; 2],
}

/// Outputs of an audited step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fed {
    /// Free port velocity, as [`feed_back`] returns it.
    pub ahead: f64,
    /// Σ r (v + v⁺)².
    pub power: f64,
    /// Σ m v² + K (q − a v)(q − b v) after it, with the lags a and b of [`Stores`].
    pub energy: f64,
}

/// Eight modes after a step.
struct Eight<S: Simd> {
    x: S::V,
    speed: S::V,
    ahead: S::V,
}

/// Values common to all modes of a step.
#[derive(Clone, Copy)]
struct Shared<S: Simd> {
    simd: S,
    force: S::V,
}

impl<S: Simd> Shared<S> {
    #[inline(always)]
    fn new(simd: S, force: f64) -> Self {
        Self { simd, force: simd.splat(force) }
    }

    #[inline(always)]
    fn take(self, q: &Lanes, ahead: &Lanes, answers: &Answers) -> Eight<S> {
        let Self { simd, force } = self;
        let speed = simd.add(simd.load(ahead), simd.mul(simd.load(&answers.gain), force));
        let x = simd.add(simd.load(q), speed);
        Eight { x, speed, ahead: next(simd, speed, x, answers) }
    }

    /// Advances some lane blocks, and adds their v° to `port`.
    #[inline(always)]
    fn pass(self, q: &mut [Lanes], ahead: &mut [Lanes], answers: &[Answers], mut port: S::V) -> S::V {
        let simd = self.simd;
        // zipped slices need no bounds check per block
        for ((q, ahead), answers) in q.iter_mut().zip(ahead).zip(answers) {
            let eight = self.take(q, ahead, answers);
            simd.store(q, eight.x);
            simd.store(ahead, eight.ahead);
            port = simd.add(port, eight.ahead);
        }
        port
    }
}

/// a v − b q.
#[inline(always)]
fn next<S: Simd>(simd: S, speed: S::V, x: S::V, answers: &Answers) -> S::V {
    simd.sub(simd.mul(simd.load(&answers.kept), speed), simd.mul(simd.load(&answers.pull), x))
}

/// v° after a force-free step.
#[inline(always)]
fn foreseen<S: Simd>(simd: S, x: S::V, ahead: S::V, answers: &Answers) -> S::V {
    next(simd, ahead, simd.add(x, ahead), answers)
}

vector_kernel! {
    /// Applies the force of the last step and advances. Returns Σ v° without G f. `motion` holds the result of [`foresee`], which is replaced by that of the next step, then q, then v° at
    /// `pitch` numbers from q: a contact waits for this call, and few arguments pass in registers. For banks that are not [parted](is_parted).
    pub fn feed_back<S>(simd, motion: &mut [f64], pitch: usize, answers: &[Answers], force: f64) -> f64 {
        feed::<S, false>(simd, motion, pitch, answers, force, false)
    }
}

vector_kernel! {
    /// [`feed_back`] for parted banks, traversed backwards if `back`; the bits are the same in both directions.
    pub fn feed_back_in_parts<S>(simd, motion: &mut [f64], pitch: usize, answers: &[Answers], force: f64, back: bool) -> f64 {
        feed::<S, true>(simd, motion, pitch, answers, force, back)
    }
}

#[inline(always)]
fn feed<S: Simd, const PARTED: bool>(
    simd: S,
    motion: &mut [f64],
    pitch: usize,
    answers: &[Answers],
    force: f64,
    back: bool,
) -> f64 {
    let (foreseen_sum, modes) = motion.split_at_mut(LANES);
    let (q, ahead) = modes.split_at_mut(pitch);
    let (q, ahead) = (q.as_chunks_mut::<LANES>().0, ahead.as_chunks_mut::<LANES>().0);
    let [foreseen_sum] = foreseen_sum.as_chunks_mut::<LANES>().0 else { return 0.0 };
    let eights = answers.len();
    let early = eights.min(FORESEEN);
    let ((first_q, q), (first_ahead, ahead)) = (q.split_at_mut(early), ahead.split_at_mut(early));
    let (first_answers, answers) = answers.split_at(early);
    let shared = Shared::new(simd, force);
    let port = if PARTED {
        let mut sums = [simd.splat(0.0); PARTS];
        sums[0] = simd.load(foreseen_sum);
        for number in 0..PARTS {
            let number = if back { PARTS - 1 - number } else { number };
            let range = part(eights, number);
            let (q, ahead) = (&mut q[range.clone()], &mut ahead[range.clone()]);
            sums[number] = shared.pass(q, ahead, &answers[range], sums[number]);
        }
        let [first, second, third, fourth] = sums;
        simd.add(simd.add(simd.add(first, second), third), fourth)
    } else {
        shared.pass(q, ahead, answers, simd.load(foreseen_sum))
    };
    // here rather than at its use: the contact must not wait for the loop below
    let sum = at_once(simd.sum(port));
    let mut port = simd.splat(0.0);
    for ((q, ahead), answers) in first_q.iter_mut().zip(first_ahead).zip(first_answers) {
        let eight = shared.take(q, ahead, answers);
        simd.store(q, eight.x);
        simd.store(ahead, eight.ahead);
        port = simd.add(port, foreseen(simd, eight.x, eight.ahead, answers));
    }
    simd.store(foreseen_sum, port);
    sum
}

vector_kernel! {
    /// [`feed_back`] for an audited step, in one pass. v advances from the beginning to the end of the step.
    pub fn feed_back_audited<S>(simd, bank: &mut SinglePortModes, v: &mut [f64], stores: Stores, force: f64, foreseen_sum: &mut Lanes) -> Fed {
        let n = bank.answers.len();
        let (q, ahead) = (&mut bank.q.as_chunks_mut::<LANES>().0[..n], &mut bank.ahead.as_chunks_mut::<LANES>().0[..n]);
        let v = &mut v.as_chunks_mut::<LANES>().0[..n];
        let [mass, stiffness, resistance] =
            [stores.mass, stores.stiffness, stores.resistance].map(|part| &part.as_chunks::<LANES>().0[..n]);
        let shared = Shared::new(simd, force);
        let lags = stores.lags.map(|lag| simd.splat(lag));
        let [mut power, mut energy, mut next, mut total] = [simd.splat(0.0); 4];
        let mut port = simd.load(foreseen_sum);
        for (at, answers) in bank.answers.iter().enumerate() {
            if begins_part(n, at) {
                total = simd.add(total, port);
                port = simd.splat(0.0);
            }
            let Eight { x, speed, ahead: free } = shared.take(&q[at], &ahead[at], answers);
            let both = simd.add(simd.load(&v[at]), speed);
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), both), both));
            let moving = simd.mul(simd.mul(simd.load(&mass[at]), speed), speed);
            let [one, other] = lags.map(|lag| simd.sub(x, simd.mul(lag, speed)));
            let bent = simd.mul(simd.mul(simd.load(&stiffness[at]), one), other);
            energy = simd.add(energy, simd.add(moving, bent));
            simd.store(&mut q[at], x);
            simd.store(&mut v[at], speed);
            simd.store(&mut ahead[at], free);
            if at < FORESEEN {
                next = simd.add(next, foreseen(simd, x, free, answers));
            } else {
                port = simd.add(port, free);
            }
        }
        simd.store(foreseen_sum, next);
        Fed { ahead: simd.sum(simd.add(total, port)), power: simd.sum(power), energy: simd.sum(energy) }
    }
}

vector_kernel! {
    /// The foreseen part of Σ v°.
    pub fn foresee<S>(simd, q: &[f64], ahead: &[f64], answers: &[Answers]) -> Lanes {
        let (q, ahead) = (q.as_chunks::<LANES>().0, ahead.as_chunks::<LANES>().0);
        let mut port = simd.splat(0.0);
        for ((q, ahead), answers) in q.iter().zip(ahead).zip(answers).take(FORESEEN) {
            port = simd.add(port, foreseen(simd, simd.load(q), simd.load(ahead), answers));
        }
        let mut foreseen_sum = [0.0; LANES];
        simd.store(&mut foreseen_sum, port);
        foreseen_sum
    }
}

kernel! {
    /// v = v° + w f.
    pub fn speeds(ahead: &[f64], gain: &[f64], force: f64, v: &mut [f64]) {
        for ((v, ahead), gain) in v.iter_mut().zip(ahead).zip(gain) {
            *v = ahead + gain * force;
        }
    }
}

vector_kernel! {
    /// Port velocity Σ v with v = v° + w f: the bits of Σ v° of [`feed_back`] after a force-free step.
    pub fn own_velocity<S>(simd, ahead: &[f64], gain: &[f64], force: f64) -> f64 {
        let (ahead, gain) = (ahead.as_chunks::<LANES>().0, gain.as_chunks::<LANES>().0);
        let (eights, force) = (gain.len(), simd.splat(force));
        let [mut total, mut port] = [simd.splat(0.0); 2];
        for (at, (ahead, gain)) in ahead.iter().zip(gain).enumerate() {
            if begins_part(eights, at) {
                total = simd.add(total, port);
                port = simd.splat(0.0);
            }
            port = simd.add(port, simd.add(simd.load(ahead), simd.mul(simd.load(gain), force)));
        }
        simd.sum(simd.add(total, port))
    }
}

kernel! {
    /// Velocity Σ shape·v of another port with the same v.
    pub fn velocity(shape: &[f64], ahead: &[f64], gain: &[f64], force: f64) -> f64 {
        sum_zip([shape, ahead, gain], |[shape, ahead, gain]| shape * (ahead + gain * force))
    }
}

kernel! {
    /// Displacement Σ shape·(q + v) of another port with the same v.
    pub fn displacement(shape: &[f64], motion: [&[f64]; 2], gain: &[f64], force: f64) -> f64 {
        let [q, ahead] = motion;
        sum_zip([shape, q, ahead, gain], |[shape, q, ahead, gain]| shape * (q + (ahead + gain * force)))
    }
}

kernel! {
    /// Energy of the bank at q + v with the same v, as in [`Fed`].
    pub fn energy(motion: [&[f64]; 2], gain: &[f64], stores: Stores, force: f64) -> f64 {
        let ([q, ahead], [a, b]) = (motion, stores.lags);
        sum_zip([q, ahead, gain, stores.mass, stores.stiffness], |[q, ahead, gain, m, k]| {
            let v = ahead + gain * force;
            let q = q + v;
            m * v * v + k * (q - a * v) * (q - b * v)
        })
    }
}

#[cfg(test)]
mod tests;
